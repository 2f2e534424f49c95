package server

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/redistest"
	"wpsitemapd/wp/wptest"
)

// startShared runs a server that shares its copies through a Redis.
func startShared(t *testing.T, redis string, pace pace, sites ...config.Site) (ts *testServer, public string, stop func()) {
	t.Helper()
	log := &logText{}
	c := &config.Config{Listening: testListening(), StateAddress: config.Secret(redis), StateSize: 1 << 30, Sites: sites}
	ts = &testServer{Server: New(c, slog.New(slog.NewTextHandler(log, nil))), t: t, log: log}
	ts.pace = pace
	public, _, end := start(t, ts)
	stop = sync.OnceFunc(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return ts, public, stop
}

// sent is what a client gets that says which codings it takes.
func sent(t *testing.T, public, path, codings string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, public+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "a.test"
	req.Header.Set("Accept-Encoding", codings)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text := body(t, resp)
	h := resp.Header
	return fmt.Sprintf("%d %s %q %q %q %x", resp.StatusCode, h.Get("Etag"), h.Get("Content-Type"),
		h.Get("Content-Encoding"), h.Get("Vary"), sha256.Sum256([]byte(text)))
}

// sameFrom waits until all daemons send the same for a path, in all codings, and it is another than before.
func sameFrom(t *testing.T, publics []string, path string, before map[string]string) map[string]string {
	t.Helper()
	for from := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		all, differs := map[string]string{}, ""
		for _, codings := range []string{"identity", "gzip", "file"} {
			for _, public := range publics {
				got := ""
				if codings == "file" {
					got = sent(t, public, path+".gz", "identity")
				} else {
					got = sent(t, public, path, codings)
				}
				if all[codings] == "" {
					all[codings] = got
				}
				if got != all[codings] || !strings.HasPrefix(got, "200 ") {
					differs = fmt.Sprintf("%s, %s:\n%s\n%s", path, codings, all[codings], got)
				}
			}
			if differs == "" && all[codings] == before[codings] {
				differs = path + " is as before"
			}
		}
		if differs == "" {
			return all
		}
		if before == nil || time.Since(from) > wptest.Patience {
			t.Fatal(differs)
		}
	}
}

// Daemons behind one load balancer give the same bytes and tags; one that starts while the
// database is down serves what the others have left, and all go on without the Redis.
func TestDaemonsShareARedis(t *testing.T) {
	t.Parallel()
	host, process := redistest.Start(t)
	redis := "redis://:sesame@" + host
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	door := wptest.NewDoor(t, dsn)
	door.Open()
	site := realSite("a", door.DSN)
	site.PageSize, site.Formats.Gzip = 5, true
	answer := func(public, path string) string {
		t.Helper()
		status, text, err := ask(public, "a.test", path)
		if err != nil || status != 200 {
			t.Errorf("%s: %d, %v", path, status, err)
		}
		return text
	}
	var stops []func()
	var publics []string
	var logs []fmt.Stringer
	var paths []string
	for range 3 {
		ts, public, stop := startShared(t, redis, inHurry, site)
		<-ts.installs[0].refresher.FirstRead()
		stops, publics, logs = append(stops, stop), append(publics, public), append(logs, ts.log)
		if paths == nil {
			for _, f := range ts.installs[0].Snapshot().Blogs[0].Outline.Files {
				paths = append(paths, "/"+f.Filename)
			}
		}
	}
	if len(paths) < 5 {
		t.Fatal(paths)
	}
	before := map[string]string{}
	for _, path := range paths {
		for _, public := range publics {
			text := answer(public, path)
			if before[path] == "" {
				before[path] = text
			}
			if text != before[path] {
				t.Errorf("%s differs", path)
			}
		}
	}
	for _, path := range paths {
		sameFrom(t, publics, path, nil)
	}
	was := sameFrom(t, publics, "/post-sitemap.xml", nil)
	edit(t, dsn, 101, "edited-just-now")
	sameFrom(t, publics, "/post-sitemap.xml", was)
	for _, path := range paths {
		before[path] = answer(publics[0], path)
		for _, public := range publics {
			wptest.Eventually(t, path+" is the same everywhere after an edit", func() bool {
				before[path] = answer(publics[0], path)
				return answer(public, path) == before[path]
			})
		}
	}
	for _, stop := range stops { // which writes what waits
		stop()
	}

	door.Shut()
	ts, public, _ := startShared(t, redis, inHurry, site)
	logs = append(logs, ts.log)
	for _, path := range paths {
		if answer(public, path) != before[path] {
			t.Errorf("%s differs after a start without the database", path)
		}
	}
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		if err := process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if answer(public, path) != before[path] {
				t.Errorf("%s differs after %v of the Redis", path, signal)
			}
		}
	}
	door.Open()
	wptest.Eventually(t, "the database is read again", func() bool {
		s := ts.installs[0].Snapshot()
		return s.Err == nil && s.Opened
	}, ts.log)
	for _, path := range paths {
		if answer(public, path) != before[path] {
			t.Errorf("%s differs once the database is back", path)
		}
	}
	for _, log := range logs {
		if strings.Contains(log.String(), "sesame") {
			t.Errorf("the password is in the log:\n%s", log)
		}
	}
}
