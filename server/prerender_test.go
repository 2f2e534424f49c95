package server

import (
	"context"
	"fmt"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// manyPages has an index and so many pages of posts, each of the given size in memory, more or less.
func manyPages(home string, pages, size int) *fakeCatalog {
	c := &fakeCatalog{home: home, owns: []string{"1", "post"}, files: []catalog.File{{Name: "1", Page: 1}}}
	for page := 1; page <= pages; page++ {
		name := fmt.Sprintf("post-sitemap%d.xml", page)
		if page == 1 {
			name = "post-sitemap.xml"
		}
		c.files = append(c.files, catalog.File{Name: "post", Page: page, Filename: name, Entries: 1})
	}
	c.render = func(_ context.Context, name string, page int) (*catalog.Document, error) {
		body := make([]byte, 0, size)
		for x := uint64(page*7919 + 1); len(body) < size; { // hardly to be compressed
			x = x*6364136223846793005 + 1442695040888963407
			body = fmt.Appendf(body, "%016x", x)
		}
		return &catalog.Document{Body: fmt.Appendf(body[:size], "<%s-%d>", name, page), LastMod: newest, Entries: 1}, nil
	}
	return c
}

// prerendered makes what there is to make in the background.
func (ts *testServer) prerendered() {
	ts.t.Helper()
	ctx, cancel := context.WithTimeout(ts.t.Context(), wptest.Patience)
	defer cancel()
	for _, w := range ts.installs {
		ts.pages.MakeAll(ctx, w.Site)
	}
	if ctx.Err() != nil {
		ts.t.Fatal("it does not end")
	}
}

func TestEveryPageIsMadeOnce(t *testing.T) {
	c := manyPages("https://a.test", 5, 1000)
	n := netOf(c)
	ts := serveSite(t, config.Site{Prerender: true}, n)
	for range 3 {
		ts.prerendered()
	}
	if got := c.renders.Load(); got != 6 || ts.pages.Stats().Count != 6 {
		t.Errorf("%d renders, %+v", got, ts.pages.Stats())
	}
	for _, f := range c.files[1:] {
		expect.Equal(t, ts.get("GET", "http://a.test/"+f.Filename).StatusCode, 200, f.Filename)
	}
	expect.Equal(t, c.renders.Load(), 6, "renders once they were asked for")
	other := manyPages("https://a.test", 6, 1000) // a page more, and the others changed
	n.show(other)
	ts.rebuild()
	if planned := ts.pages.Plan(ts.installs[0].Site); len(planned) != 1 || planned[0].Key.Page != 6 {
		t.Errorf("the page that was never made is not the first: %+v", planned)
	}
	ts.prerendered()
	expect.Equal(t, other.renders.Load(), 7, "renders after a change")
}

func TestNoPageIsMadeAhead(t *testing.T) {
	for name, change := range map[string]func(*config.Site, *fakeCatalog){
		"it is switched off":   func(s *config.Site, _ *fakeCatalog) { s.Prerender = false },
		"it is another's":      func(_ *config.Site, c *fakeCatalog) { c.off = true },
		"they stand elsewhere": func(_ *config.Site, c *fakeCatalog) { c.files[1].Elsewhere, c.files[0].Elsewhere = true, true },
		"there is nothing":     func(_ *config.Site, c *fakeCatalog) { c.files = nil },
	} {
		install, c := config.Site{Name: "a", Prerender: true}, manyPages("https://a.test", 1, 1000)
		change(&install, c)
		ts := serveSite(t, install, netOf(c))
		ts.prerendered()
		expect.Equal(t, c.renders.Load(), 0, name, "renders")
	}
}

// Where the memory is too small the pages that somebody asks for stay, and each page is made ahead once.
func TestPagesAheadTakeNoRoom(t *testing.T) {
	c := manyPages("https://a.test", 20, 100_000)
	n := netOf(c)
	ts := newSite(t, config.Site{Prerender: true}, n)
	ts.pages.SetLimit(1 << 20)
	ts.rebuild()
	asked := []string{"post-sitemap18.xml", "post-sitemap19.xml", "post-sitemap20.xml"}
	for _, file := range asked {
		ts.get("GET", "http://a.test/"+file)
	}
	for range 3 {
		ts.prerendered()
	}
	rendered := c.renders.Load()
	if stats := ts.pages.Stats(); stats.Evictions != 0 || stats.Count < 10 || rendered > int32(len(c.files)) {
		t.Errorf("%d renders, %+v", rendered, stats)
	}
	for _, file := range asked {
		ts.get("GET", "http://a.test/"+file)
	}
	expect.Equal(t, c.renders.Load(), rendered, "pages that were asked for were given up for others")
	// what somebody asks for takes the room of what nobody has asked for
	for page := 1; page <= 10; page++ {
		ts.get("GET", "http://a.test/"+c.files[page].Filename)
	}
	rendered = c.renders.Load()
	for _, file := range asked {
		ts.get("GET", "http://a.test/"+file)
	}
	ts.prerendered()
	if c.renders.Load() > rendered+3 {
		t.Errorf("%d renders more: pages take turns", c.renders.Load()-rendered)
	}
}

// A folder too small for all pages keeps those it has, and a page without a place is not made again and again.
func TestPagesAheadTakeNoRoomOnDisk(t *testing.T) {
	c := manyPages("https://a.test", 20, 100_000)
	n := netOf(c)
	ts := newSite(t, config.Site{Prerender: true, Hosts: []config.Host{"a.test"}}, n)
	ts.Now = nil
	ts.config.State, ts.config.StateSize, ts.config.CacheSize = config.Secret(t.TempDir()), 1<<20, 1<<20
	ts.pages.SetLimit(1) // nothing fits
	s := ts.start().read()
	wptest.Eventually(t, "many pages are stored, and no more are made", func() bool {
		before := c.renders.Load()
		time.Sleep(500 * time.Millisecond)
		s.written()
		return c.renders.Load() == before && ts.store.Stats().Blobs >= 10
	}, func() any { return ts.store.Stats() })
	stats := ts.store.Stats()
	if stats.Pruned > 0 || stats.Bytes > 1<<20 {
		t.Errorf("%+v", stats)
	}
	if got := int(c.renders.Load()); got > len(c.files) {
		t.Errorf("%d renders, %+v", got, stats)
	}
}

// A visitor who waits for a page that is rendered ahead of time has it kept, also where a page that nobody asked for has no room.
func TestVisitorJoinsAPrerender(t *testing.T) {
	c := manyPages("https://a.test", 2, 100_000)
	ts := serveSite(t, config.Site{Prerender: true}, netOf(c))
	ts.get("GET", "http://a.test/sitemap_index.xml")
	ts.get("GET", "http://a.test/post-sitemap.xml")
	ts.pages.SetLimit(ts.pages.Stats().Bytes + 1000) // nothing else fits
	begun, goOn := c.hold(2)
	ended := make(chan struct{})
	go func() { defer close(ended); ts.prerendered() }()
	<-begun
	asked := make(chan struct{})
	go func() { defer close(asked); ts.get("GET", "http://a.test/post-sitemap2.xml") }()
	wptest.Eventually(t, "the visitor waits", func() bool { return ts.installs[0].Counted.Misses.Load() == 3 })
	goOn()
	<-asked
	<-ended
	before := c.renders.Load()
	ts.get("GET", "http://a.test/post-sitemap2.xml")
	expect.Equal(t, c.renders.Load(), before, "it is rendered a second time", "renders", "before")
}

// A page that fails does not keep the others from being made.
func TestPageAheadThatFails(t *testing.T) {
	c := manyPages("https://a.test", 3, 100)
	render := c.render
	c.render = func(ctx context.Context, name string, page int) (*catalog.Document, error) {
		if page == 2 {
			return nil, context.DeadlineExceeded
		}
		return render(ctx, name, page)
	}
	ts := serveSite(t, config.Site{Prerender: true}, netOf(c))
	ts.prerendered()
	expect.Equal(t, ts.pages.Stats().Count, 3)
	expect.Equal(t, c.renders.Load(), 4)
	c.renderWith(render)
	ts.prerendered()
	expect.Equal(t, ts.pages.Stats().Count, 4)
}
