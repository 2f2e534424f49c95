package server

import (
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/wp/wptest/expect"
)

// guarded is a server with one site that loses objects.
type guarded struct {
	*testServer
	w *sitetest.WordPress
}

func guard(t *testing.T, w *sitetest.WordPress) *guarded {
	return &guarded{newSite(t, guardedSite(), w), w}
}

func guardedSite() config.Site {
	return config.Site{Name: "a", PageSize: 1000, Collapse: 0.5, Confirm: 10 * time.Minute}
}

func newGuarded(t *testing.T, posts, pages int) *guarded {
	g := guard(t, sitetest.NewWordPress(t, "https://a.test", 0))
	g.read(posts, pages)
	return g
}

// read gives the site a number of posts and pages, and reads it.
func (g *guarded) read(posts, pages int) {
	g.t.Helper()
	g.w.Publish("post", posts)
	g.w.Publish("page", pages)
	g.rebuild()
}

// wants requests a sitemap, and expects a number of addresses beside that of home.
func (g *guarded) wants(when, path string, status, addresses int, old bool) {
	g.t.Helper()
	resp := g.get("GET", "http://a.test"+path)
	got := strings.Count(body(g.t, resp), "/p")
	if resp.StatusCode != status || got != addresses || (resp.Header.Get("Age") != "") != old {
		g.t.Errorf("%s: %s is %d with %d addresses, Age %q; want %d with %d", when, path, resp.StatusCode, got, resp.Header.Get("Age"), status, addresses)
	}
}

func TestCollapseIsHeldUntilConfirmed(t *testing.T) {
	g := newGuarded(t, 100, 20)
	g.wants("before", "/post-sitemap.xml", 200, 100, false)
	g.wants("before", "/sitemap_index.xml", 200, 2, false)
	g.read(10, 20)
	for range 2 {
		g.wants("held", "/post-sitemap.xml", 200, 100, true)
		g.wants("held", "/sitemap_index.xml", 200, 2, true)
		g.wants("held, and nobody had asked for it", "/page-sitemap.xml", 503, 0, false)
		g.wants("held, and it never was", "/post-sitemap2.xml", 404, 0, false)
		g.read(10, 20)
	}
	if got := g.Status()[0]; got.Alarm != "blog 1 https://a.test: 90 of 121 URLs are gone" ||
		got.Alarms != 1 || !got.Alarmed.Equal(g.now) || !got.Ready || got.Error != "" {
		t.Errorf("%+v", got)
	}
	expect.Equal(t, g.log.count("level=ERROR"), 1, g.log)
	expect.Equal(t, g.log.count("POST /sites/a/accept"), 1, g.log)
	g.now = g.now.Add(9 * time.Minute)
	g.read(10, 20)
	g.wants("not long enough", "/post-sitemap.xml", 200, 100, true)
	g.now = g.now.Add(time.Minute)
	g.read(10, 20)
	g.wants("confirmed", "/post-sitemap.xml", 200, 10, false)
	g.wants("confirmed", "/page-sitemap.xml", 200, 20, false)
	if got := g.Status()[0]; got.Alarm != "" || got.Alarms != 1 {
		t.Errorf("%+v", got)
	}
	g.read(1, 0)
	g.wants("held again", "/page-sitemap.xml", 200, 20, true)
	if got, _ := g.sendAdmin("POST", "/sites/a/accept", ""); got != 202 {
		t.Errorf("accepted: %d", got)
	}
	g.read(1, 0)
	g.wants("accepted by an operator", "/page-sitemap.xml", 404, 0, false)
}

// While a loss is held, an error of the database changes nothing. Neither does a request for a page.
func TestHeldAndThenNoDatabase(t *testing.T) {
	g := newGuarded(t, 100, 0)
	g.wants("before", "/post-sitemap.xml", 200, 100, false)
	g.read(0, 20)
	for _, table := range []string{"wp_options", "wp_posts"} {
		g.w.Break(table)
		g.rebuild()
		g.wants("without "+table, "/post-sitemap.xml", 200, 100, true)
		g.w.Mend(table)
	}
	g.now = g.now.Add(10 * time.Minute)
	g.read(0, 20)
	g.wants("confirmed", "/post-sitemap.xml", 200, 0, false)
}

// Blogs that vanish from the table of a network are held if they are most of it. Archived blogs are gone on purpose.
func TestNetworkCollapses(t *testing.T) {
	newNetwork := func() *guarded {
		g := guard(t, sitetest.NewNetwork(t, 20, "https://a.test", "https://a.test/b1", "https://a.test/b2", "https://a.test/b3"))
		g.rebuild()
		for _, folder := range []string{"", "/b1", "/b2", "/b3"} {
			g.wants("before", folder+"/post-sitemap.xml", 200, 20, false)
		}
		return g
	}
	g := newNetwork()
	g.w.Exec("DELETE FROM wp_blogs WHERE blog_id > 1")
	g.rebuild()
	g.wants("three of four", "/b3/post-sitemap.xml", 200, 20, true)
	g.wants("the one that is there", "/post-sitemap.xml", 200, 20, false)
	expect.Equal(t, g.Status()[0].Alarm, "63 of 84 URLs are gone")
	g.now = g.now.Add(10 * time.Minute)
	g.rebuild()
	g.wants("confirmed", "/b3/post-sitemap.xml", 404, 0, false)

	g = newNetwork()
	g.w.Exec("DELETE FROM wp_blogs WHERE blog_id = 2")
	g.rebuild()
	g.wants("one of four", "/b1/post-sitemap.xml", 404, 0, false)

	g = newNetwork()
	g.w.Exec("UPDATE wp_blogs SET archived = 1 WHERE blog_id > 1")
	g.rebuild()
	g.wants("archived", "/b3/post-sitemap.xml", 410, 0, false)
}

// A page that has lost its entries since the catalog was built is not kept. The site is read again, and that reading decides.
func TestPageThatShrinks(t *testing.T) {
	g := newGuarded(t, 100, 40)
	g.wants("before", "/post-sitemap.xml", 200, 100, false)
	g.w.Publish("page", 1)
	g.wants("shrunk", "/page-sitemap.xml", 503, 0, false)
	g.wants("and not read yet", "/page-sitemap.xml", 503, 0, false)
	g.w.Publish("page", 40)
	g.edited(g.w, "page-1", 1)
	g.w.Publish("page", 1)
	g.wants("the catalog that was read again lists as many", "/page-sitemap.xml", 200, 1, false)
}

// After a restart, the guard continues: the stored pages are the last good ones.
func TestCollapseWhileStopped(t *testing.T) {
	dir, install := t.TempDir(), guardedSite()
	w := sitetest.NewWordPress(t, "https://a.test", 100)
	nets := map[string]*sitetest.WordPress{"a": w}
	s := startWithState(t, dir, nets, install)
	want := s.ask("a.test", "/post-sitemap.xml")
	s.stop()
	w.Publish("post", 0)
	w.Publish("page", 1)
	for range 2 {
		s = startWithState(t, dir, nets, install).read()
		got := s.ask("a.test", "/post-sitemap.xml")
		if got.status != 200 || got.body != want.body || got.age == "" || s.Status()[0].Alarm == "" {
			t.Errorf("%+v", got)
		}
		s.stop()
	}
	install.Exclude.PostIDs = []int64{1} // the operator excludes it on purpose, although no daemon saw the change
	s = startWithState(t, dir, nets, install).read()
	if got := s.ask("a.test", "/post-sitemap.xml"); strings.Contains(got.body, "/post-") || s.Status()[0].Alarm != "" {
		t.Errorf("%+v", got)
	}
}
