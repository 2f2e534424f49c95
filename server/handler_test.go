package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestOneBuildForAllWhoWait(t *testing.T) {
	ts, w := onePage(t)
	started, finish := w.Hold(sitetest.Contents)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			expect.Equal(t, ts.get("GET", "http://a.test/post-sitemap.xml").StatusCode, 200)
		})
	}
	<-started
	ts.waiting(20)
	finish()
	wg.Wait()
	expect.Equal(t, ts.renders("a"), 1, "built", "times")
}

func TestBuildsAreBounded(t *testing.T) {
	w := sitetest.NewWordPress(t, "https://a.test", 30)
	ts := serveSite(t, config.Site{}, w)
	started, finish := w.Hold(sitetest.Contents)
	var wg sync.WaitGroup
	for page := 2; page <= 11; page++ {
		wg.Go(func() { ts.get("GET", fmt.Sprint("http://a.test/?sitemap=post&sitemap_n=", page)) })
	}
	<-started
	<-started
	ts.waiting(10)
	expect.Equal(t, len(started), 0, "more than two pages of one site are built at a time:")
	finish()
	wg.Wait()
	expect.Equal(t, ts.renders("a"), 10, "built", "pages")
}

// A build does not stop when the request that asked for it ends, because other requests wait for it too.
func TestClientThatGoesAwayDoesNotStopTheBuild(t *testing.T) {
	ts, w := onePage(t)
	started, finish := w.Hold(sitetest.Contents)
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		ts.pages.Get(ctx, ts.installs[0].Site, ts.installs[0].Snapshot().Blogs[0], "post", 1)
	}()
	<-started
	cancel()
	<-left
	finish()
	wptest.Eventually(t, "the page is built", func() bool { return ts.pages.Stats().Count == 1 })
}

// While the database server does not answer, a page that is not cached is answered with 503 at once. Requests that
// already wait stop waiting. Cached pages are served, missing ones stay 404, and the index needs no database.
func TestOutage(t *testing.T) {
	ts, w := onePage(t)
	server := ts.installs[0].DatabaseServer()
	ask := func(path string) *http.Response { return ts.get("GET", "http://a.test"+path) }
	for range 2 { // the second time from what the first time left
		if got := ask("/post-sitemap.xml"); got.StatusCode != 200 || got.Header.Get("Age") != "" {
			t.Fatal(got.StatusCode, got.Header)
		}
	}
	hangs, goOn := w.Hold(sitetest.Contents)
	waiting := make(chan *http.Response)
	go func() { waiting <- ask("/post-sitemap2.xml") }()
	<-hangs
	ts.pages.Breaker.Trip(server, errors.New("no answer"))
	ts.pages.Breaker.Trip(server, errors.New("no answer"))
	if got := <-waiting; got.StatusCode != 503 || got.Header.Get("Retry-After") == "" {
		t.Errorf("who waited: %d", got.StatusCode)
	}
	for _, path := range []string{"/post-sitemap.xml", "/sitemap_index.xml"} { // as true as anybody can know
		if got := ask(path); got.StatusCode != 200 || got.Header.Get("Age") == "" {
			t.Errorf("%s, which has not changed: %d, Age %q", path, got.StatusCode, got.Header.Get("Age"))
		}
	}
	ts.edited(w, "post-1", 1) // the cached first page is now out of date
	renders := ts.renders("a")
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
	expect.Equal(t, ts.renders("a"), renders)
	expect.Equal(t, ask("/sitemap_index.xml").StatusCode, 200, "the index")
	goOn()
	ts.pages.Breaker.Reset(server)
	ts.pages.Breaker.Reset(server)
	for _, path := range []string{"/post-sitemap.xml", "/post-sitemap2.xml"} {
		if got := ask(path); got.StatusCode != 200 || got.Header.Get("Age") != "" {
			t.Errorf("afterwards %s: %d, Age %q", path, got.StatusCode, got.Header.Get("Age"))
		}
	}
	expect.Equal(t, ts.log.count("does not answer: pages"), 1, "log", &ts.log)
	expect.Equal(t, ts.log.count("answers again"), 1, "log", &ts.log)
}
