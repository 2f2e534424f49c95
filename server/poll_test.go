package server

import (
	"fmt"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/store"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// newReal returns a server with real databases.
func newReal(t testing.TB, c config.Config) *testServer {
	c.Listening, c.StateSize = testListening(), 1<<30
	log := &logText{}
	ts := &testServer{Server: New(&c, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: c.LogLevel}))), t: t, log: log}
	ts.refreshing.Pace.Inquire = 0
	return ts
}

// restless shortens the rests after full scans. On a busy machine a scan takes long, and tests would wait for twenty times as long.
func (ts *testServer) restless() *testServer {
	ts.refreshing.Pace.ScanRest = 1
	return ts
}

// startReal runs a server with real databases, and waits until a number of sites can be served.
func startReal(t *testing.T, ready int, sites ...config.Site) *daemon {
	t.Helper()
	s := newReal(t, config.Config{Sites: sites}).restless().start()
	wptest.Eventually(t, fmt.Sprint(ready, " sites are ready"), func() bool {
		n := 0
		for _, s := range s.Status() {
			if s.Ready {
				n++
			}
		}
		return n >= ready
	}, s.log)
	return s
}

func realSite(name, dsn string) config.Site {
	s := config.DefaultSite()
	s.Name, s.DSN, s.Hosts = name, config.Secret(dsn), []config.Host{config.Host(name + ".test")}
	return s
}

// An edit appears in the sitemaps although the site is not read at intervals. Without an edit, nothing is read.
func TestEditIsSeen(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		t.Parallel()
		dsn := wptest.Load(t, e, "basic")
		site := realSite("a", wptest.ReadOnlyDSN(t, dsn))
		site.Refresh = time.Hour
		ts := startReal(t, 1, site)
		ts.settle()
		rested, polls := ts.blog().Built, ts.counted.Polls.Load()
		wptest.Eventually(t, "further polls", func() bool { return ts.counted.Polls.Load() > polls+1 })
		expect.Equal(t, ts.blog().Built, rested, "read again though nothing changed")
		wptest.Exec(t, dsn, "UPDATE wp_posts SET post_name = 'edited-just-now' WHERE ID = 101")
		ts.shows("the edit is seen", "a.test", "/post-sitemap.xml", 200, "/edited-just-now/")
	})
}

// Of six databases, one accepts connections and never answers, and one is down. The other sites are served as usual,
// even while crawlers ask for both.
func TestSitesAreIsolated(t *testing.T) {
	t.Parallel()
	var sites []config.Site
	var names []string
	for i := range 4 {
		name := fmt.Sprint("s", i)
		names = append(names, name)
		sites = append(sites, realSite(name, wptest.Load(t, wptest.MariaDB, "basic")))
	}
	hangs, err := net.Listen("tcp", "127.0.0.1:0")
	wptest.Must(t, err)
	defer hangs.Close()
	go func() {
		for {
			c, err := hangs.Accept()
			if err != nil {
				return
			}
			defer c.Close() // the server never answers
		}
	}()
	down, err := net.Listen("tcp", "127.0.0.1:0")
	wptest.Must(t, err)
	down.Close()
	sites = append(sites, realSite("hangs", "u:p@tcp("+hangs.Addr().String()+")/x"),
		realSite("down", "u:p@tcp("+down.Addr().String()+")/x"))
	ts := startReal(t, len(names), sites...)
	for i := range 100 { // these requests end with the test
		go fetch(t.Context(), ts.public, []string{"hangs.test", "down.test"}[i%2], "/post-sitemap.xml")
	}
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			for range 20 {
				// Each page is rendered from the database.
				ts.pages.Forget(store.Key{Site: name, Blog: "1 https://example.test", Name: "post", Page: 1})
				if status, _, err := ask(ts.public, name+".test", "/post-sitemap.xml"); err != nil || status != 200 {
					t.Errorf("%s: %d, %v", name, status, err)
				}
			}
		})
	}
	all.Wait()
	wptest.Eventually(t, "the site whose database is down is tried", func() bool { return named(ts.running(), "down").Snapshot().Err != nil }, ts.log)
	for _, s := range ts.Status() {
		if broken := s.Name == "hangs" || s.Name == "down"; broken == s.Ready {
			t.Errorf("%+v", s)
		}
	}
}
