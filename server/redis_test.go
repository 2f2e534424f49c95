package server

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/state/redistest"
	"wpsitemapd/wp/wptest"
)

// startShared runs a server that shares its copies through a Redis.
func startShared(t *testing.T, redis string, sites ...Site) (ts *testServer, public string, stop func()) {
	t.Helper()
	log := &logText{}
	c := &Config{Listening: testListening(), Redis: Secret(redis), StateSize: 1 << 30, Sites: sites}
	ts = &testServer{Server: New(c, slog.New(slog.NewTextHandler(log, nil))), t: t, log: log}
	public, _, end := start(t, ts)
	stop = sync.OnceFunc(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return ts, public, stop
}

// Daemons behind one load balancer give the same bytes and tags; one that starts while the
// database is down serves what the others have left, and all go on without the Redis.
func TestDaemonsShareARedis(t *testing.T) {
	t.Parallel()
	host, process := redistest.Start(t)
	redis := "redis://:sesame@" + host
	door := wptest.NewDoor(t, wptest.Load(t, wptest.MariaDB, "basic"))
	door.Open()
	site := realSite("a", door.DSN)
	site.PageSize = 5
	answer := func(public, path string) string {
		t.Helper()
		status, text, err := ask(public, "a.test", path)
		if err != nil || status != 200 {
			t.Errorf("%s: %d, %v", path, status, err)
		}
		return text
	}
	var stops []func()
	var servers []*testServer
	var publics []string
	var logs []fmt.Stringer
	var paths []string
	for range 3 {
		ts, public, stop := startShared(t, redis, site)
		<-ts.workers[0].good
		servers = append(servers, ts)
		stops, publics, logs = append(stops, stop), append(publics, public), append(logs, ts.log)
		if paths == nil {
			for _, f := range ts.workers[0].state.Load().blogs[0].outline.Files {
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
	for from := time.Now(); ; time.Sleep(20 * time.Millisecond) { // one of them keeps the records
		writers := 0
		for _, ts := range servers {
			if ts.shared.Writes("a") {
				writers++
			}
		}
		if writers == 1 {
			break
		}
		if time.Since(from) > 30*time.Second {
			t.Fatalf("%d daemons keep the records\n%s", writers, logs)
		}
	}
	for _, stop := range stops { // which writes what waits
		stop()
	}

	door.Shut()
	ts, public, _ := startShared(t, redis, site)
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
			began := time.Now()
			if answer(public, path) != before[path] {
				t.Errorf("%s differs after %v of the Redis", path, signal)
			}
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("%s took %v after %v of the Redis", path, took, signal)
			}
		}
	}
	door.Open()
	for from := time.Now(); ts.workers[0].state.Load().err != nil || !ts.workers[0].state.Load().opened; time.Sleep(20 * time.Millisecond) {
		if time.Since(from) > 15*time.Second {
			t.Fatal("the database is not read again\n", ts.log)
		}
	}
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
