package server

import (
	"fmt"
	"sync"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// many returns statements that create a network with a number of further blogs below example.test.
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

// If blogs fail during a scan, it keeps what was read. The main blog comes first, and each blog is served while the scan continues.
func TestReadingOfANetworkGoesOn(t *testing.T) {
	w := sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/b2", "https://a.test/b3", "https://a.test/b4")
	ts := newSite(t, config.Site{}, w)
	at := func(path string) *site.Blog {
		found, _ := ts.front.Table().Find("a.test", path)
		return found.Blog
	}
	served := false // it was served before the last blog was read
	w.After("wp_options", func() { served = at("/post-sitemap.xml") != nil && at("/post-sitemap.xml").Known() })
	w.Break("wp_3_options")
	refresher := ts.installs[0].refresher
	if read, ok := refresher.ReadOnce(t.Context()); !read || ok || !served {
		t.Fatalf("read %v, ok %v, served meanwhile %v", read, ok, served)
	}
	if b := at("/b3/post-sitemap.xml"); b == nil || b.ID != 3 || b.Known() {
		t.Errorf("a blog that was not read: %+v", b)
	}
	for _, path := range []string{"/b2/post-sitemap.xml", "/b4/post-sitemap.xml"} {
		if b := at(path); b == nil || !b.Known() {
			t.Errorf("%s is of a blog that was read, and is not served", path)
		}
	}
	w.Mend("wp_3_options")
	if read, ok := refresher.ReadOnce(t.Context()); !read || !ok || !at("/b3/post-sitemap.xml").Known() {
		t.Fatalf("read %v, ok %v", read, ok)
	}
}

// A request at the start waits until its blog is read, and for no other blog.
func TestRequestsWaitForTheirBlog(t *testing.T) {
	w := sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/b2", "https://a.test/b3")
	ts := newSite(t, config.Site{}, w)
	i := ts.installs[0]
	release := make(chan struct{})
	w.After("wp_options", func() {
		if blogs := i.Snapshot().Of(1); len(blogs) > 0 && blogs[0].Known() {
			<-release // the second blog
		}
	})
	var tasks sync.WaitGroup
	tasks.Go(func() { i.refresher.ReadOnce(t.Context()) })
	expect.Equal(t, ts.get("GET", "http://a.test/post-sitemap.xml").StatusCode, 200, "the blog that is read")
	tasks.Go(func() {
		expect.Equal(t, ts.get("GET", "http://a.test/b3/post-sitemap.xml").StatusCode, 200, "the blog that is read last")
	})
	close(release)
	tasks.Wait()
}

// Options of a whole network are read when its database is opened. Later changes of them are noticed too.
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

// A blog that is created, archived, restored or moved in the database appears, vanishes or moves without a reload.
func TestBlogsComeGoAndMove(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	site := realSite("net", dsn)
	site.Hosts = nil // the database decides
	ts := startReal(t, 1, site)

	type answer struct {
		host, path string
		status     int
		holds      string
	}
	const missing = 404 // without an upstream, such an address is 404
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
