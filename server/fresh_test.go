package server

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/pages"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// generated loads a generated site into MariaDB.
func generated(t *testing.T, posts int) string {
	t.Helper()
	dsn := wptest.Load(t, wptest.MariaDB)
	db, _ := wptest.DB(t, dsn)
	wptest.Must(t, wptest.Bulk(t.Context(), db, wptest.Size{Posts: posts, Content: 600}))
	wptest.Exec(t, dsn, `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}')`)
	return dsn
}

// copies returns the cached pages of a site.
func (ts *testServer) copies(site string) map[store.Key]*pages.Page {
	all := map[store.Key]*pages.Page{}
	ts.pages.InMemory(named(ts.running(), site).Site, func(k store.Key, c *pages.Page) { all[k] = c })
	return all
}

// crawl fetches every page.
func (s *daemon) crawl() {
	s.t.Helper()
	for _, f := range s.blog().Outline.Files {
		s.text("/" + f.Filename)
	}
}

func (ts *testServer) blog() *site.Blog { return ts.running()[0].Snapshot().Blogs[0] }

// rested waits until nothing is left to read. No earlier write may be unread, and no full scan may be due that confirms
// a delta. The second of the write must be over, so that no poll reports it again.
func (ts *testServer) rested() {
	ts.t.Helper()
	from := time.Now().Add(time.Second)
	for _, w := range ts.running() {
		wptest.Eventually(ts.t, w.Config.Name+" rests", func() bool { return w.refresher.SettledAt().After(from) },
			func() any { return w.Snapshot().Blogs[0].Readings }, ts.log)
	}
}

// settle waits until nothing is left to read (see rested) or to render.
func (ts *testServer) settle() {
	ts.t.Helper()
	ts.rested()
	w := ts.running()[0]
	wptest.Eventually(ts.t, "it settles", func() bool {
		b := ts.blog()
		for k, c := range ts.copies(w.Config.Name) {
			if b.HasFixed(k.Name, k.Page) && ts.pages.Freshness(b, k, c) != pages.Fresh {
				return false
			}
		}
		return true
	}, func() any { return ts.blog().Readings }, ts.log)
}

// readingsAfter returns the readings of the blog that began after a moment, the newest first.
func (ts *testServer) readingsAfter(at time.Time) []site.Reading {
	all := ts.blog().Readings
	if older := slices.IndexFunc(all, func(r site.Reading) bool { return !r.At.After(at) }); older >= 0 {
		all = all[:older]
	}
	return slices.Clone(all)
}

func edit(t *testing.T, dsn string, id int, text string) {
	t.Helper()
	wptest.Exec(t, dsn, fmt.Sprintf(`UPDATE wp_posts SET post_content = '<img src="/%s.jpg">', post_modified = '2026-01-01 10:00:00',
post_modified_gmt = '2026-01-01 10:00:00' WHERE ID = %d;
		INSERT INTO wp_posts (post_type, post_status, post_name, post_parent, post_date, post_content) VALUES
('revision', 'inherit', '%d-revision-v1', %d, '2026-01-01 10:00:00', '')`, text, id, id, id))
}

// After an edit on a big site, one page of its type differs. The others are rendered with the same bytes.
func TestEditRendersItsPage(t *testing.T) {
	t.Parallel()
	dsn := generated(t, 1000)
	install := realSite("a", wptest.ReadOnlyDSN(t, dsn))
	install.PageSize = 100
	ts := startReal(t, 1, install)
	ts.crawl()
	ts.settle()
	ts.crawl()
	before := ts.copies("a")
	if len(before) < 15 {
		t.Fatalf("only %d pages", len(before))
	}
	db, _ := wptest.DB(t, dsn)
	var id int
	const one = "SELECT ID FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish' ORDER BY ID LIMIT 1 OFFSET 350"
	wptest.Must(t, db.QueryRow(one).Scan(&id))
	rested := ts.blog().Readings[0].At
	edit(t, dsn, id, "edited-just-now")
	ts.shows("the edit is seen", "a.test", "/post-sitemap4.xml", 200, "/edited-just-now.jpg")
	ts.settle()
	since := ts.readingsAfter(rested)
	if len(since) < 2 || since[0].Kind != site.FullScan {
		t.Fatalf("no full scan has followed: %+v", since)
	}
	if r := since[len(since)-1]; r.Kind != site.Delta || r.Touched != 1 || r.Queries == 0 ||
		r.Queries > 20 || r.Before != r.After || !strings.Contains(r.Reason, "posts") {
		t.Errorf("seen by %+v", r)
	}
	posts := 0
	for key, now := range ts.copies("a") {
		was := before[key]
		if was == nil {
			t.Fatalf("%v is new", key)
		}
		if !bytes.Equal(was.Plain(), now.Plain()) && key.Name == "post" && key.Page > 1 { // page 1 lists home, with the newest date of all
			posts++
		}
	}
	expect.Equal(t, posts, 1, "pages of posts are others")
}

// text returns the body of the answer at a path of a.test.
func (s *daemon) text(path string) string {
	s.t.Helper()
	got := s.ask("a.test", path)
	if got.status != 200 {
		s.t.Fatalf("%s: %+v", path, got)
	}
	return got.body
}

// After every kind of write and a short rest, the served pages equal those of a fresh build.
func TestQuietConverges(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	site := realSite("a", wptest.ReadOnlyDSN(t, dsn))
	site.Refresh, site.PageSize = time.Second, 5
	ts := startReal(t, 1, site)
	db, _ := wptest.DB(t, dsn)
	n := 0
	do := func() {
		n++
		id := func(where string) (id int) {
			_ = db.QueryRow("SELECT ID FROM wp_posts WHERE " + where + " ORDER BY RAND() LIMIT 1").Scan(&id) // 0 if there is none
			return id
		}
		post := id("post_type IN ('post', 'page') AND post_status = 'publish'")
		switch rand.IntN(10) {
		case 0:
			edit(t, dsn, post, fmt.Sprint("x", n))
		case 1:
			wptest.Exec(t, dsn, fmt.Sprintf("UPDATE wp_posts SET post_name = 'slug-%d' WHERE ID = %d", n, post))
		case 2:
			wptest.Exec(t, dsn, fmt.Sprintf("UPDATE wp_posts SET post_status = 'trash' WHERE ID = %d", post))
		case 3:
			wptest.Exec(t, dsn,
				fmt.Sprintf("UPDATE wp_posts SET post_status = 'publish' WHERE ID = %d", id("post_type = 'post' AND post_status <> 'publish'")))
		case 4:
			wptest.Exec(t, dsn,
				fmt.Sprintf("INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (%d, '_yoast_wpseo_meta-robots-noindex', '1')", post))
		case 5:
			wptest.Exec(t, dsn, "DELETE FROM wp_postmeta WHERE meta_key = '_yoast_wpseo_meta-robots-noindex'")
		case 6:
			wptest.Exec(t, dsn, fmt.Sprintf("UPDATE wp_terms SET slug = 'term-%d' WHERE term_id = 2", n))
		case 7:
			wptest.Exec(t, dsn, fmt.Sprintf("UPDATE wp_posts SET post_title = 'image %d' WHERE ID = %d", n, id("post_type = 'attachment'")))
		case 8:
			wptest.Exec(t, dsn, fmt.Sprintf("UPDATE wp_users SET user_nicename = 'user-%d' WHERE ID = 1", n))
		case 9:
			wptest.Exec(t, dsn, fmt.Sprintf("INSERT INTO wp_posts (post_type, post_status, post_name, post_author, post_date, "+
				"post_date_gmt, post_modified, post_modified_gmt, post_content) VALUES ('post', 'publish', 'new-%d', 1, '2026-01-01 "+
				"00:00:00', '2026-01-01 00:00:00', '2026-01-01 00:00:00', '2026-01-01 00:00:00', '')", n))
		}
	}
	for range 2 {
		for range 20 {
			do()
			time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond)
			if rand.IntN(4) == 0 {
				ts.text("/post-sitemap.xml")
			}
		}
		ts.settle()
		want := fresh(t, dsn, 5)
		for file, text := range want {
			expect.Equal(t, ts.text("/"+file), text, file, "is not what a fresh build gives", ts.blog().Readings)
		}
		expect.Equal(t, len(ts.blog().Outline.Files), len(want), "files")
	}
}

// fresh renders all pages from the current database.
func fresh(t *testing.T, dsn string, pageSize int) map[string]string {
	t.Helper()
	n, err := wp.Open(t.Context(), wp.Source{Name: "fresh", DSN: dsn, Declared: sitemap.Declared})
	wptest.Must(t, err)
	defer n.Close()
	sites, err := address.ReadAll(t.Context(), n)
	wptest.Must(t, err)
	c, err := sitemap.Build(t.Context(), sites[0],
		seo.Options{Compat: seo.SpecLevel, PageSize: pageSize, Stylesheet: "css", Hreflang: true, Log: slog.New(slog.DiscardHandler)})
	wptest.Must(t, err)
	files := map[string]string{}
	for _, f := range c.Files() {
		doc, err := c.Render(t.Context(), f.Name, f.Page)
		wptest.Must(t, err)
		files[f.Filename] = string(doc.Body)
	}
	return files
}

// Pages are rendered in the background. Those that were requested last come first, and changed pages come before those
// that may have changed.
func TestPrerenderOrder(t *testing.T) {
	ts, wordPress := onePage(t)
	for _, path := range []string{"/post-sitemap.xml", "/post-sitemap2.xml", "/sitemap_index.xml"} {
		ts.get("GET", "http://a.test"+path)
	}
	w := ts.installs[0]
	next := func() string {
		planned := ts.pages.Plan(w.Site)
		if len(planned) == 0 {
			return "none"
		}
		return fmt.Sprint(planned[0].Key.Name, planned[0].Key.Page, " ", planned[0].Share)
	}
	expect.Equal(t, next(), "none", "nothing has changed, and", "is next")
	b := *ts.blog()
	b.RevalidateBefore = site.Now()
	w.Publish(&site.Snapshot{Blogs: []*site.Blog{&b}, Opened: true})
	expect.Equal(t, next(), "11 20", "is next")
	ts.get("GET", "http://a.test/post-sitemap2.xml") // is served as it is
	expect.Equal(t, next(), "post2 20", "is next")
	expect.Equal(t, ts.renders("a"), 3, "renders")
	wordPress.Edit("post-3", 1)
	ts.edited(wordPress, "post-1", 1)
	expect.Equal(t, next(), "post2 1", "is next")
	ctx, cancel := context.WithTimeout(t.Context(), wptest.Patience)
	defer cancel()
	ts.pages.MakeAll(ctx, w.Site)
	expect.Equal(t, ts.renders("a"), 6)
	expect.Equal(t, next(), "none")
}
