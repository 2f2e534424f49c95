package server

import (
	"testing"

	"wpsitemapd/wp/wptest"
)

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
	steps := []struct {
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
	}
	for _, s := range steps {
		wptest.Exec(t, dsn, s.exec...)
		for _, want := range s.want {
			ts.shows(s.name, want.host, want.path, want.status, want.holds)
		}
	}
}
