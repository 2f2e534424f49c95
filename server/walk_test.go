package server

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// many returns statements that make a network of so many further blogs below example.test.
func many(blogs int) []string {
	var statements []string
	for id := 100; id < 100+blogs; id++ {
		for _, table := range []string{"options", "posts", "postmeta", "terms", "term_taxonomy", "term_relationships"} {
			name := fmt.Sprintf("wp_%d_%s", id, table)
			statements = append(statements, "CREATE TABLE "+name+" LIKE wp_2_"+table, "INSERT INTO "+name+" SELECT * FROM wp_2_"+table)
		}
		statements = append(statements,
			fmt.Sprintf("UPDATE wp_%d_options SET option_value = 'https://example.test/b%d' WHERE option_name IN ('home', 'siteurl')", id, id),
			fmt.Sprintf("INSERT INTO wp_blogs (blog_id, site_id, domain, path, registered, last_updated, public) VALUES (%d, 1, "+
				"'example.test', '/b%d/', '2024-10-01', '2024-10-01', 1)", id, id))
	}
	return statements
}

// folders is a network of so many blogs below example.com, each in a folder of its own. before is called when one is read.
func folders(blogs int64, before func(id int64) error) *fakeNetwork {
	return &fakeNetwork{walk: func() (*site.Walk, error) {
		w := &site.Walk{Network: true}
		for id := int64(1); id <= blogs; id++ {
			home := fmt.Sprintf("https://example.com/b%d", id)
			w.Stubs = append(w.Stubs, site.Stub{
				Facts: site.Facts{ID: id, Home: home, Hosts: []string{"example.com"}, Network: true},
				Read: func(context.Context) ([]site.Facts, error) {
					return []site.Facts{fakeBlog(id, home, newFakeCatalog(home))}, before(id)
				},
			})
		}
		return w, nil
	}}
}

// A reading that is interrupted keeps what was read, the main blog comes first, and what is read is served meanwhile.
func TestReadingOfANetworkGoesOn(t *testing.T) {
	var ts *testServer
	var order []int64
	broken, served := int64(3), false // the latter: when the last blog was read
	at := func(path string) *site.Blog {
		found, _ := ts.front.Table().Find("example.com", path)
		return found.Blog
	}
	ts = newSite(t, config.Site{}, folders(9, func(id int64) error {
		if broken > 0 && id >= broken {
			return context.DeadlineExceeded
		}
		order = append(order, id)
		served = at("/b1/post-sitemap.xml") != nil && at("/b1/post-sitemap.xml").Catalog != nil
		return nil
	}))
	refresher := ts.installs[0].refresher
	if read, ok := refresher.ReadOnce(t.Context()); !read || ok {
		t.Fatalf("read %v, ok %v of an interrupted reading", read, ok)
	}
	if b := at("/b7/post-sitemap.xml"); b == nil || b.ID != 7 || b.Catalog != nil {
		t.Errorf("a blog that was not read: %+v", b)
	}
	if b := at("/b2/post-sitemap.xml"); b == nil || b.Catalog == nil {
		t.Error("a blog that was read is not served")
	}
	broken = 0
	if read, ok := refresher.ReadOnce(t.Context()); !read || !ok {
		t.Fatalf("read %v, ok %v", read, ok)
	}
	if got := fmt.Sprint(order); got != "[1 2 1 2 3 4 5 6 7 8 9]" || !served {
		t.Errorf("read in the order %s, served meanwhile: %v", got, served)
	}
}

// A request at the start waits until its blog is read, and for no other one.
func TestRequestsWaitForTheirBlog(t *testing.T) {
	release := make(chan struct{})
	ts := newSite(t, config.Site{}, folders(3, func(id int64) error {
		if id == 2 {
			<-release
		}
		return nil
	}))
	var tasks sync.WaitGroup
	tasks.Go(func() { ts.installs[0].refresher.ReadOnce(t.Context()) })
	expect.Equal(t, ts.get("GET", "http://example.com/b1/post-sitemap.xml").StatusCode, 200, "the blog that is read")
	tasks.Go(func() {
		expect.Equal(t, ts.get("GET", "http://example.com/b3/post-sitemap.xml").StatusCode, 200, "the blog that is read last")
	})
	close(release)
	tasks.Wait()
}

// Options of a whole network are read when its database is opened, and a change of them is followed all the same.
func TestOptionsOfTheNetworkAreFollowed(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	site := realSite("net", dsn)
	site.Hosts = nil
	ts := startReal(t, 0, site)
	ts.shows("switched on", "example.test", "/post-sitemap.xml", 200, "")
	wptest.Exec(t, dsn, "DELETE FROM wp_sitemeta WHERE meta_key = 'wpseo_ms'",
		`INSERT INTO wp_sitemeta (site_id, meta_key, meta_value) VALUES (1, 'wpseo_ms', 'a:1:{s:24:"allow_enable_xml_sitemap";b:0;}')`)
	ts.shows("switched off", "example.test", "/wp-sitemap-posts-post-1.xml", 200, "")
	wptest.Exec(t, dsn, "DELETE FROM wp_sitemeta WHERE meta_key = 'wpseo_ms'")
	ts.shows("switched on", "example.test", "/post-sitemap.xml", 200, "")
}

// A blog that is created, archived, restored or given another address in the database comes,
// goes or moves without a reload.
func TestBlogsComeGoAndMove(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	site := realSite("net", dsn)
	site.Hosts = nil // as the database says
	ts := startReal(t, 1, site)

	type answer struct {
		host, path string
		status     int
		holds      string
	}
	const missing = 404 // without upstream: nobody's address
	for _, s := range []struct {
		name string
		exec []string
		want []answer
	}{
		{name: "at the start", want: []answer{
			{"example.test", "/fish/post-sitemap.xml", 200, "https://example.test/fish/herring/"},
			{"bread.test", "/post-sitemap.xml", 200, "https://bread.test/"},
			{"example.test", "/old/post-sitemap.xml", 410, ""},
			{"example.test", "/new/post-sitemap.xml", missing, ""},
		}},
		{name: "archived", exec: []string{"UPDATE wp_blogs SET archived = 1 WHERE blog_id = 2"}, want: []answer{
			{"example.test", "/fish/post-sitemap.xml", 410, ""},
			{"example.test", "/robots.txt", 200, "Sitemap: https://example.test/sitemap_index.xml"},
		}},
		{name: "restored", exec: []string{"UPDATE wp_blogs SET archived = 0 WHERE blog_id IN (2, 4)"}, want: []answer{
			{"example.test", "/fish/post-sitemap.xml", 200, "https://example.test/fish/herring/"},
			{"example.test", "/old/post-sitemap.xml", 200, "https://example.test/old/old-post/"},
		}},
		{name: "another domain", exec: []string{
			"UPDATE wp_blogs SET domain = 'cake.test' WHERE blog_id = 3",
			"UPDATE wp_3_options SET option_value = 'https://cake.test' WHERE option_name IN ('home', 'siteurl')",
		}, want: []answer{
			{"cake.test", "/post-sitemap.xml", 200, "https://cake.test/"},
			{"bread.test", "/post-sitemap.xml", 421, ""},
		}},
		{name: "another path", exec: []string{
			"UPDATE wp_blogs SET path = '/shellfish/' WHERE blog_id = 2",
			"UPDATE wp_2_options SET option_value = 'https://example.test/shellfish' WHERE option_name IN ('home', 'siteurl')",
		}, want: []answer{
			{"example.test", "/shellfish/post-sitemap.xml", 200, "https://example.test/shellfish/herring/"},
			{"example.test", "/fish/post-sitemap.xml", missing, ""},
		}},
		{name: "created", exec: append(wptest.BlogSchema(wptest.MariaDB, "wp_8_"),
			"INSERT INTO wp_8_options SELECT * FROM wp_4_options",
			"INSERT INTO wp_8_posts SELECT * FROM wp_4_posts",
			"UPDATE wp_8_options SET option_value = 'https://example.test/new' WHERE option_name IN ('home', 'siteurl')",
			"INSERT INTO wp_blogs (blog_id, site_id, domain, path, registered, last_updated, public) VALUES (8, 1, 'example.test', '/new/', "+
				"'2024-10-01', '2024-10-01', 1)",
		), want: []answer{
			{"example.test", "/new/post-sitemap.xml", 200, "https://example.test/new/old-post/"},
			{"example.test", "/shellfish/post-sitemap.xml", 200, "/herring/"},
		}},
		{name: "deleted for good", exec: []string{
			"DELETE FROM wp_blogs WHERE blog_id = 8", "DROP TABLE wp_8_posts, wp_8_postmeta, wp_8_options",
		}, want: []answer{
			{"example.test", "/new/post-sitemap.xml", missing, ""},
			{"example.test", "/post-sitemap.xml", 200, "https://example.test/"},
		}},
	} {
		wptest.Exec(t, dsn, s.exec...)
		for _, want := range s.want {
			ts.shows(s.name, want.host, want.path, want.status, want.holds)
		}
	}
}
