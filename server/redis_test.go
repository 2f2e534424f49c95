package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/refresh"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// sameFrom returns what all daemons send for a path, in all codings. All must send the same. If before is not nil,
// sameFrom waits until they send something else than before.
func sameFrom(t *testing.T, all []*daemon, path string, before map[string]answer) map[string]answer {
	t.Helper()
	sent, differs := map[string]answer{}, ""
	compare := func() bool {
		sent, differs = map[string]answer{}, ""
		for suffix, coding := range map[string]string{"": "identity", "?x": "gzip", ".gz": "identity"} {
			for i, s := range all {
				got := s.ask("a.test", path+suffix, "Accept-Encoding", coding)
				if got.age, got.modified = "", ""; i == 0 {
					sent[suffix] = got
				}
				if got != sent[suffix] || got.status != http.StatusOK || got == before[suffix] {
					differs = fmt.Sprintf("%s%s: %+v, before %+v, of the first %+v", path, suffix, got, before[suffix], sent[suffix])
				}
			}
		}
		return differs == ""
	}
	if before != nil {
		wptest.Eventually(t, path+" is another, and the same everywhere", compare, &differs)
	} else if !compare() {
		t.Fatal(differs)
	}
	return sent
}

// Daemons behind one load balancer send the same bytes and tags. One that starts while the database is down serves what
// the others have stored. All continue without the Redis.
func TestDaemonsShareARedis(t *testing.T) {
	t.Parallel()
	store := servertest.StartRedis(t)
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	door := wptest.NewDoor(t, dsn)
	door.Open()
	site := realSite("a", door.DSN)
	site.PageSize, site.Formats.Gzip = 5, true
	begin := func() *daemon {
		ts := newReal(t, config.Config{State: config.Secret(store.URL()), Sites: []config.Site{site}})
		ts.hurry()
		return ts.start()
	}
	var all []*daemon
	for range 3 {
		s := begin().read()
		all = append(all, s)
	}
	files := all[0].blog().Outline.Files
	if len(files) < 5 {
		t.Fatal(files)
	}
	for _, f := range files {
		sameFrom(t, all, "/"+f.Filename, nil)
	}
	was := sameFrom(t, all, "/post-sitemap.xml", nil)
	edit(t, dsn, 101, "edited-just-now")
	sameFrom(t, all, "/post-sitemap.xml", was)
	before := map[string]string{}
	for _, f := range files {
		wptest.Eventually(t, f.Filename+" is the same everywhere after an edit", func() bool {
			before[f.Filename] = all[0].ask("a.test", "/"+f.Filename).body
			return !slices.ContainsFunc(all, func(s *daemon) bool { return s.ask("a.test", "/"+f.Filename).body != before[f.Filename] })
		})
	}
	for _, s := range all {
		s.stop() // stop writes what is still queued
	}

	door.Shut()
	last := begin()
	serves := func(when string) {
		t.Helper()
		for name, want := range before {
			if got := last.ask("a.test", "/"+name); got.status != http.StatusOK || got.body != want {
				t.Errorf("%s: %d for %s", when, got.status, name)
			}
		}
	}
	serves("started without the database")
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		store.Signal(signal)
		serves(fmt.Sprintf("after %v of the Redis", signal))
	}
	door.Open()
	wptest.Eventually(t, "the database is read again", func() bool {
		s := last.installs[0].Snapshot()
		return s.Err == nil && s.Opened
	}, last.log)
	serves("once the database is back")
	for _, s := range append(all, last) {
		if strings.Contains(s.log.String(), servertest.RedisPassword) {
			t.Errorf("the password is in the log:\n%s", s.log)
		}
	}
}

// inHurry is a short interval of a store, for tests.
const inHurry = 50 * time.Millisecond

// hurry makes daemons see what they share within about a second.
func (ts *testServer) hurry() {
	ts.pace.beat = inHurry
	ts.refreshing.Pace = refresh.Pace{FirstScan: 200 * time.Millisecond, LastScan: 300 * time.Millisecond, ScanTurn: time.Millisecond, Resident: 500}
}

// A daemon takes a page that another one has rendered from the same data. It renders the page again in the background.
func TestPagesAreTakenFromAnother(t *testing.T) {
	t.Parallel()
	store := servertest.StartRedis(t)
	install := config.Site{Name: "a", Refresh: 200 * time.Millisecond, Stylesheet: "css", Hosts: []config.Host{"a.test"}}
	var all []*daemon
	var rendered atomic.Int64 // how often the other one has read contents, as rendering does
	for i := range 2 {
		w := sitetest.ThreePosts(t, "https://a.test")
		if i == 1 {
			w.After(sitetest.Contents, func() { rendered.Add(1) })
		}
		ts := newTestServer(t, map[string]*sitetest.WordPress{"a": w}, install)
		ts.Now, ts.config.State = nil, config.Secret(store.URL())
		ts.hurry()
		all = append(all, ts.start().read())
	}
	one, other := all[0], all[1]
	w := other.installs[0]
	key := pages.KeyOf(w.Site, w.Snapshot().Blogs[0], "post", 1)
	first := one.ask("a.test", "/post-sitemap.xml")
	wptest.Eventually(t, "its page is shared", func() bool { return other.store.Page(key) != nil }, one.log, other.log)
	expect.Equal(t, first.status, http.StatusOK, other.log)
	expect.Equal(t, other.ask("a.test", "/post-sitemap.xml"), first, other.log)
	if made, taken := one.copies("a")[key], other.copies("a")[key]; !made.Modified().Equal(taken.Modified()) {
		t.Errorf("made %+v, taken %+v", made, taken)
	}
	wptest.Eventually(t, "it is made again, as what catalogs do not show may have changed", func() bool { return rendered.Load() > 0 }, other.log)
}
