package server

import (
	"context"
	"fmt"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest/expect"
)

// catalogOf has so many addresses of each of its types, on one page each. Every body tells them.
func catalogOf(home string, counts map[string]int, names ...string) *fakeCatalog {
	c := &fakeCatalog{home: home, owns: append([]string{"1"}, names...), files: []catalog.File{{Name: "1", Page: 1}}}
	for _, name := range names {
		if counts[name] > 0 {
			c.files = append(c.files, catalog.File{Name: name, Of: name, Page: 1, Entries: counts[name]})
		}
	}
	c.render = func(_ context.Context, name string, page int) (*catalog.Document, error) {
		n := counts[name]
		if name == "1" {
			n = len(c.files) - 1
		}
		if n == 0 || page > 1 {
			return nil, catalog.ErrNotFound
		}
		return &catalog.Document{Body: fmt.Appendf(nil, "<%s %d>", name, n), LastMod: newest, Entries: n}, nil
	}
	return c
}

// guarded is a server with one site whose catalog a test replaces.
type guarded struct {
	*testServer
	net *fakeNetwork
}

func newGuarded(t *testing.T, counts map[string]int) *guarded {
	n := &fakeNetwork{}
	g := &guarded{newSite(t, config.Site{Collapse: 0.5, Confirm: 10 * time.Minute}, n), n}
	g.read(catalogOf("https://a.test", counts, "post", "page"))
	return g
}

// read has the site read with this catalog.
func (g *guarded) read(c *fakeCatalog) {
	g.t.Helper()
	g.net.show(c)
	g.rebuild()
}

func (g *guarded) counts(counts map[string]int) {
	g.t.Helper()
	g.read(catalogOf("https://a.test", counts, "post", "page"))
}

// wants asks for a sitemap.
func (g *guarded) wants(when, path string, status int, text string, old bool) {
	g.t.Helper()
	resp := g.get("GET", "http://a.test"+path)
	got := body(g.t, resp)
	if resp.StatusCode != status || text != "" && got != text || (resp.Header.Get("Age") != "") != old {
		g.t.Errorf("%s: %s is %d %q with Age %q; want %d %q", when, path, resp.StatusCode, got, resp.Header.Get("Age"), status, text)
	}
}

func TestCollapseIsHeldUntilConfirmed(t *testing.T) {
	g := newGuarded(t, map[string]int{"post": 100, "page": 20})
	g.wants("before", "/post-sitemap.xml", 200, "<post 100>", false)
	g.wants("before", "/sitemap_index.xml", 200, "<1 2>", false)
	g.counts(map[string]int{"post": 10, "page": 20})
	for range 2 {
		g.wants("held", "/post-sitemap.xml", 200, "<post 100>", true)
		g.wants("held", "/sitemap_index.xml", 200, "<1 2>", true)
		g.wants("held, and nobody had asked for it", "/page-sitemap.xml", 503, "", false)
		g.wants("held, and it never was", "/post-sitemap2.xml", 404, "", false)
		g.counts(map[string]int{"post": 10, "page": 20})
	}
	if got := g.Status()[0]; got.Alarm != "blog 1 https://a.test: 90 of 120 URLs are gone" ||
		got.Alarms != 1 || !got.Alarmed.Equal(g.now) || !got.Ready || got.Error != "" {
		t.Errorf("%+v", got)
	}
	expect.Equal(t, g.log.count("level=ERROR"), 1, g.log)
	expect.Equal(t, g.log.count("POST /sites/a/accept"), 1, g.log)
	g.now = g.now.Add(9 * time.Minute)
	g.counts(map[string]int{"post": 10, "page": 20})
	g.wants("not long enough", "/post-sitemap.xml", 200, "<post 100>", true)
	g.now = g.now.Add(time.Minute)
	g.counts(map[string]int{"post": 10, "page": 20})
	g.wants("confirmed", "/post-sitemap.xml", 200, "<post 10>", false)
	g.wants("confirmed", "/page-sitemap.xml", 200, "<page 20>", false)
	if got := g.Status()[0]; got.Alarm != "" || got.Alarms != 1 {
		t.Errorf("%+v", got)
	}
	g.counts(map[string]int{"post": 1})
	g.wants("held again", "/page-sitemap.xml", 200, "<page 20>", true)
	if got, _ := g.sendAdmin("POST", "/sites/a/accept", ""); got != 202 {
		t.Errorf("accepted: %d", got)
	}
	g.counts(map[string]int{"post": 1})
	g.wants("accepted by an operator", "/page-sitemap.xml", 404, "", false)
}

// While it is held an error of the database changes nothing, nor does a page that is asked for.
func TestHeldAndThenNoDatabase(t *testing.T) {
	g := newGuarded(t, map[string]int{"post": 100})
	g.wants("before", "/post-sitemap.xml", 200, "<post 100>", false)
	empty := catalogOf("https://a.test", map[string]int{}, "post", "page")
	g.read(empty)
	g.net.fail(context.DeadlineExceeded)
	g.rebuild()
	g.wants("no database", "/post-sitemap.xml", 200, "<post 100>", true)
	failing := fakeBlog(1, "https://a.test", nil)
	failing.Reader = fakeReader(func(context.Context) (site.Catalog, error) { return nil, context.DeadlineExceeded })
	g.net.set(func() { g.net.err, g.net.blogs = nil, []site.Facts{failing} })
	g.rebuild()
	g.wants("cannot be built", "/post-sitemap.xml", 200, "<post 100>", true)
	g.now = g.now.Add(10 * time.Minute)
	g.read(empty)
	g.wants("confirmed", "/post-sitemap.xml", 404, "", false)
}

// Blogs that are gone from the table of a network are held if they are most of it; archived
// ones are meant.
func TestNetworkCollapses(t *testing.T) {
	newNetwork := func() (*guarded, []site.Facts) {
		var blogs []site.Facts
		for i := range 4 {
			home := fmt.Sprintf("https://a.test/b%d", i)
			b := fakeBlog(int64(i), home, catalogOf(home, map[string]int{"post": 20}, "post"))
			b.Network = true
			blogs = append(blogs, b)
		}
		g := &guarded{testServer: nil, net: &fakeNetwork{blogs: blogs}}
		g.testServer = newSite(t, config.Site{Collapse: 0.5, Confirm: 10 * time.Minute}, g.net)
		g.rebuild()
		for i := range blogs {
			g.wants("before", fmt.Sprintf("/b%d/post-sitemap.xml", i), 200, "<post 20>", false)
		}
		return g, blogs
	}
	g, blogs := newNetwork()
	g.net.set(func() { g.net.blogs = blogs[:1] })
	g.rebuild()
	g.wants("three of four", "/b3/post-sitemap.xml", 200, "<post 20>", true)
	g.wants("the one that is there", "/b0/post-sitemap.xml", 200, "<post 20>", false)
	expect.Equal(t, g.Status()[0].Alarm, "60 of 80 URLs are gone")
	g.now = g.now.Add(10 * time.Minute)
	g.rebuild()
	g.wants("confirmed", "/b3/post-sitemap.xml", 404, "", false)

	g, blogs = newNetwork()
	g.net.set(func() { g.net.blogs = blogs[1:] })
	g.rebuild()
	g.wants("one of four", "/b0/post-sitemap.xml", 404, "", false)

	g, blogs = newNetwork()
	g.net.set(func() {
		g.net.blogs = blogs[:1]
		for i := 1; i < 4; i++ {
			g.net.gone = append(g.net.gone, site.Gone{Host: "a.test", Path: fmt.Sprintf("b%d", i)})
		}
	})
	g.rebuild()
	g.wants("archived", "/b3/post-sitemap.xml", 410, "", false)
}

// A page that has lost its entries since the catalog was built is not kept: the site is read
// again, and what that says counts.
func TestPageThatShrinks(t *testing.T) {
	g := newGuarded(t, map[string]int{"post": 100, "page": 40})
	c := g.installs[0].Snapshot().Blogs[0].Catalog.(*fakeCatalog)
	g.wants("before", "/post-sitemap.xml", 200, "<post 100>", false)
	render := c.render
	c.renderWith(func(ctx context.Context, name string, page int) (*catalog.Document, error) {
		doc, err := render(ctx, name, page)
		if doc != nil && name == "page" { // the later parts of a post hide no loss
			doc.Body, doc.Entries, doc.Parts = []byte("<page 1>"), 40, 39
		}
		return doc, err
	})
	g.wants("shrunk", "/page-sitemap.xml", 503, "", false)
	g.wants("and not read yet", "/page-sitemap.xml", 503, "", false)
	g.read(c) // the catalog is as it was, so the page is right as it is
	g.wants("read again", "/page-sitemap.xml", 200, "<page 1>", false)
}

// The guard goes on after a restart: what is on disk is what was good.
func TestCollapseWhileStopped(t *testing.T) {
	dir := t.TempDir()
	install := config.Site{Name: "a", Collapse: 0.5, Confirm: 10 * time.Minute}
	n := netOf(catalogOf("https://a.test", map[string]int{"post": 100}, "post"))
	s := startWithState(t, dir, map[string]*fakeNetwork{"a": n}, install)
	want := s.ask("a.test", "/post-sitemap.xml")
	s.stop()
	n.show(catalogOf("https://a.test", nil, "post"))
	for range 2 {
		s = startWithState(t, dir, map[string]*fakeNetwork{"a": n}, install).read()
		got := s.ask("a.test", "/post-sitemap.xml")
		if got.status != 200 || got.body != want.body || got.age == "" || s.Status()[0].Alarm == "" {
			t.Errorf("%+v", got)
		}
		s.stop()
	}
	install.Exclude.PostIDs = []int64{1} // meant, though nobody saw the change
	s = startWithState(t, dir, map[string]*fakeNetwork{"a": n}, install).read()
	if got := s.ask("a.test", "/post-sitemap.xml"); got.status != 404 || s.Status()[0].Alarm != "" {
		t.Errorf("%+v", got)
	}
}
