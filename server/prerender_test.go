package server

import (
	"context"
	"log/slog"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/store/sqlite"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// manyPages returns a site with an index and a number of pages of posts.
func manyPages(t *testing.T, pages int) *sitetest.WordPress {
	t.Helper()
	return sitetest.NewWordPress(t, "https://a.test", 3*pages-1)
}

// prerendered renders everything that is due in the background.
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
	w := manyPages(t, 5)
	ts := serveSite(t, config.Site{Prerender: true}, w)
	for range 3 {
		ts.prerendered()
	}
	if got := ts.renders("a"); got != 6 || ts.pages.Stats().Count != 6 {
		t.Errorf("%d renders, %+v", got, ts.pages.Stats())
	}
	for _, f := range ts.blog().Outline.Files {
		expect.Equal(t, ts.get("GET", f.URL).StatusCode, 200, f.Filename)
	}
	expect.Equal(t, ts.renders("a"), 6, "renders once they were asked for")
	w.Publish("post", 17)
	ts.edited(w, "post-1", 1) // there is one more page, and the first page and the index have changed
	if planned := ts.pages.Plan(ts.installs[0].Site); len(planned) != 1 || planned[0].Key.Page != 6 {
		t.Errorf("the page that was never made is not the first: %+v", planned)
	}
	ts.prerendered()
	expect.Equal(t, ts.renders("a"), 9, "renders after a change")
}

func TestNoPageIsMadeAhead(t *testing.T) {
	for _, tt := range []struct {
		name    string
		install config.Site
		change  func(*site.Blog)
	}{
		{"it is switched off", config.Site{}, func(*site.Blog) {}},
		{"it is another's", config.Site{Prerender: true, Sitemaps: "off"}, func(*site.Blog) {}},
		{"they stand elsewhere", config.Site{Prerender: true}, func(b *site.Blog) {
			for i := range b.Outline.Files {
				b.Outline.Files[i].Elsewhere = true
			}
		}},
		{"there is nothing", config.Site{Prerender: true}, func(b *site.Blog) { b.Outline.Files = nil }},
	} {
		ts := serveSite(t, tt.install, manyPages(t, 1))
		sitetest.Alter(ts.installs[0].Site, 1, tt.change)
		ts.prerendered()
		expect.Equal(t, ts.renders("a"), 0, tt.name, "renders")
	}
}

// If the memory is too small, the requested pages stay, and each page is rendered ahead once.
func TestPagesAheadTakeNoRoom(t *testing.T) {
	w := manyPages(t, 20)
	all := serveSite(t, config.Site{Prerender: true}, w)
	all.prerendered()
	ts := newSite(t, config.Site{Prerender: true}, w)
	ts.pages.SetLimit(all.pages.Stats().Bytes / 2)
	ts.rebuild()
	files := ts.blog().Outline.Files
	ask := func(some []catalog.File) {
		for _, f := range some {
			ts.get("GET", f.URL)
		}
	}
	asked := files[len(files)-3:]
	ask(asked)
	for range 3 {
		ts.prerendered()
	}
	rendered := ts.renders("a")
	if stats := ts.pages.Stats(); stats.Evictions != 0 || stats.Count < 9 || rendered > len(files) {
		t.Errorf("%d renders, %+v", rendered, stats)
	}
	ask(asked)
	expect.Equal(t, ts.renders("a"), rendered, "pages that were asked for were given up for others")
	// Requested pages take the room of pages that nobody has asked for.
	ask(files[1:8])
	rendered = ts.renders("a")
	ask(asked)
	ts.prerendered()
	if more := ts.renders("a") - rendered; more > 3 {
		t.Errorf("%d renders more: pages take turns", more)
	}
}

// A store that is too small for all pages keeps those it has. A page without room is not rendered again and again.
func TestPagesAheadTakeNoRoomOnDisk(t *testing.T) {
	w := manyPages(t, 20)
	ts := serveSite(t, config.Site{Prerender: true}, w)
	kept, _ := servertest.OpenStore(t, sqlite.Backend, t.TempDir(), store.Options{Limit: 16 << 10, Log: slog.New(slog.DiscardHandler)}, "a")
	ts.pages.UseStore(kept)
	ts.pages.SetLimit(1) // nothing fits
	ts.prerendered()
	servertest.Written(t, kept)
	stats := kept.Stats()
	if stats.Pruned > 0 || stats.Bytes > 16<<10 || stats.Blobs < 10 {
		t.Errorf("%+v", stats)
	}
	before := ts.renders("a")
	ts.prerendered()
	if got := ts.renders("a"); got != before || got > len(ts.blog().Outline.Files) {
		t.Errorf("%d renders, then %d, %+v", before, got, stats)
	}
}

// If a visitor waits for a page that is being rendered ahead, the page is kept, even if there is no room for pages that
// nobody asked for.
func TestVisitorJoinsAPrerender(t *testing.T) {
	w := manyPages(t, 2)
	ts := serveSite(t, config.Site{Prerender: true}, w)
	ts.get("GET", "http://a.test/sitemap_index.xml")
	ts.get("GET", "http://a.test/post-sitemap.xml")
	ts.pages.SetLimit(ts.pages.Stats().Bytes + 1000) // nothing else fits
	begun, goOn := w.Hold(sitetest.Contents)
	ended := make(chan struct{})
	go func() { defer close(ended); ts.prerendered() }()
	<-begun
	asked := make(chan struct{})
	go func() { defer close(asked); ts.get("GET", "http://a.test/post-sitemap2.xml") }()
	ts.waiting(3)
	goOn()
	<-asked
	<-ended
	before := ts.renders("a")
	ts.get("GET", "http://a.test/post-sitemap2.xml")
	expect.Equal(t, ts.renders("a"), before, "it is rendered a second time", "renders", "before")
}

// A page that fails does not keep other pages from being rendered.
func TestPageAheadThatFails(t *testing.T) {
	w := manyPages(t, 3)
	ts := serveSite(t, config.Site{Prerender: true}, w)
	page := 0
	w.After(sitetest.Contents, func() {
		if page++; page == 2 {
			panic("odd data")
		}
	})
	ts.prerendered()
	expect.Equal(t, ts.pages.Stats().Count, 3)
	ts.prerendered()
	expect.Equal(t, ts.pages.Stats().Count, 4)
	expect.Equal(t, page, 4, "pages of posts")
}
