package server

import (
	"errors"
	"net/http"
	"testing"

	"wpsitemapd/server/config"
)

// What is not kept is 503 at once while the database server does not answer, and who waits already
// waits no longer; what is kept is served, what does not exist stays 404, and the index needs nobody.
func TestOutage(t *testing.T) {
	c := newFakeCatalog("https://a.test")
	hangs, goOn := c.hold(2)
	ts := serveSite(t, config.Site{}, netOf(c))
	ask := func(path string) *http.Response { return ts.get("GET", "http://a.test"+path) }
	for range 2 { // the second time as it was answered before
		if got := ask("/post-sitemap.xml"); got.StatusCode != 200 || got.Header.Get("Age") != "" {
			t.Fatal(got.StatusCode, got.Header)
		}
	}
	waiting := make(chan *http.Response)
	go func() { waiting <- ask("/post-sitemap2.xml") }()
	<-hangs
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
	goOn()
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
