package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
)

// What is not kept is 503 at once while the database server does not answer, and who waits already
// waits no longer; what is kept is served, what does not exist stays 404, and the index needs nobody.
func TestOutage(t *testing.T) {
	c := newFakeCatalog("https://a.test")
	plain, hangs := c.render, make(chan struct{})
	c.render = func(ctx context.Context, name string, page int) (*catalog.Document, error) {
		if page == 2 {
			<-hangs
		}
		return plain(ctx, name, page)
	}
	ts := serveSite(t, config.Site{}, netOf(c))
	ask := func(path string) *http.Response { return ts.get("GET", "http://a.test"+path) }
	for range 2 { // the second time as it was answered before
		if got := ask("/post-sitemap.xml"); got.StatusCode != 200 || got.Header.Get("Age") != "" {
			t.Fatal(got.StatusCode, got.Header)
		}
	}
	waiting := make(chan *http.Response)
	go func() { waiting <- ask("/post-sitemap2.xml") }()
	for c.renders.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	ts.pages.Breaker.Trip("a", errors.New("no answer"))
	ts.pages.Breaker.Trip("a", errors.New("no answer"))
	if got := <-waiting; got.StatusCode != 503 || got.Header.Get("Retry-After") == "" {
		t.Errorf("who waited: %d", got.StatusCode)
	}
	for _, path := range []string{"/post-sitemap.xml", "/sitemap_index.xml"} { // true as far as anybody can know
		if got := ask(path); got.StatusCode != 200 || got.Header.Get("Age") == "" {
			t.Errorf("%s, which has not changed: %d, Age %q", path, got.StatusCode, got.Header.Get("Age"))
		}
	}
	c.changed() // the copy of the first page is old now
	renders := c.renders.Load()
	for _, tt := range []struct {
		path   string
		status int
		old    bool
	}{
		{"/post-sitemap.xml", 200, true},
		{"/post-sitemap3.xml", 404, false},
		{"/post-sitemap2.xml", 503, false},
	} {
		if got := ask(tt.path); got.StatusCode != tt.status || (got.Header.Get("Age") != "") != tt.old {
			t.Errorf("%s: %d, Age %q", tt.path, got.StatusCode, got.Header.Get("Age"))
		}
	}
	if got := c.renders.Load(); got != renders {
		t.Errorf("%d pages were tried", got-renders)
	}
	if got := ask("/sitemap_index.xml"); got.StatusCode != 200 {
		t.Errorf("the index: %d", got.StatusCode)
	}
	close(hangs)
	ts.pages.Breaker.Reset("a")
	ts.pages.Breaker.Reset("a")
	for _, path := range []string{"/post-sitemap.xml", "/post-sitemap2.xml"} {
		if got := ask(path); got.StatusCode != 200 || got.Header.Get("Age") != "" {
			t.Errorf("afterwards %s: %d, Age %q", path, got.StatusCode, got.Header.Get("Age"))
		}
	}
	if ts.log.count("does not answer: pages") != 1 || ts.log.count("answers again") != 1 {
		t.Errorf("log: %s", ts.log)
	}
}

// The same with a MariaDB that takes what is sent and says nothing: what would need it is 503
// soon, and within seconds of its return everything is there.
func TestOutageOfMariaDB(t *testing.T) {
	t.Parallel()
	database := wptest.OwnServer(t)
	site := realSite("a", database.Load(t, "basic"))
	site.PageSize, site.Prerender = 5, false // what is asked for later was never made
	s := startState(t, t.TempDir(), site)
	<-s.installs[0].refresher.FirstRead()
	var pages []string
	for _, f := range s.installs[0].Snapshot().Blogs[0].Outline.Files {
		if f.Name != seo.IndexName {
			pages = append(pages, "/"+f.Filename)
		}
	}
	if kept := s.ask("a.test", pages[0]); kept.status != 200 || len(pages) < 4 {
		t.Fatal(kept, pages)
	}
	database.Signal(syscall.SIGSTOP)
	defer database.Signal(syscall.SIGCONT)
	waitFor(t, s.log, "database server does not answer")
	for i, page := range slices.Concat(pages, []string{"/post-sitemap99.xml"}) {
		want := 503
		switch {
		case i == 0:
			want = 200
		case i == len(pages):
			want = 404
		}
		if got := s.ask("a.test", page); got.status != want {
			t.Errorf("%s: %d, want %d", page, got.status, want)
		}
	}
	database.Signal(syscall.SIGCONT)
	waitFor(t, s.log, "answers again")
	for _, page := range pages {
		if got := s.ask("a.test", page); got.status != 200 {
			t.Errorf("%s: %d", page, got.status)
		}
	}
}
