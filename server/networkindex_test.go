package server

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
)

// The index of a network names the sitemaps of every public blog, and no index. Until all were read it is
// 503, and it is the main blog's alone.
func TestNetworkIndex(t *testing.T) {
	t.Parallel()
	const blogs = 12
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	wptest.Exec(t, dsn, many(blogs)...)
	wptest.Exec(t, dsn, "UPDATE wp_105_options SET option_value = '0' WHERE option_name = 'blog_public'", "UPDATE wp_blogs SET public = 0 WHERE blog_id = 105")
	site := realSite("net", dsn)
	site.Hosts, site.NetworkIndex = nil, true
	ts := startReal(t, 1, site)
	text := ""
	wptest.Eventually(t, "the index is there", func() bool {
		got := ts.ask("example.test", "/network-sitemap.xml")
		if text = got.body; got.status != 200 && got.status != 503 {
			t.Fatal(got)
		}
		return got.status == 200
	}, ts.log)
	for id := 100; id < 100+blogs; id++ {
		if want := fmt.Sprintf("<loc>https://example.test/b%d/post-sitemap.xml</loc>", id); strings.Contains(text, want) == (id == 105) {
			t.Errorf("blog %d is private: %v\n%s", id, id == 105, text)
		}
	}
	for _, want := range []string{"https://example.test/post-sitemap.xml", "https://bread.test/post-sitemap.xml", "<lastmod>"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(text, "sitemap_index.xml") {
		t.Error("an index is named")
	}
	for path, want := range map[string]int{"/network-sitemap2.xml": 404, "/b100/network-sitemap.xml": 404, "/network-sitemap1.xml": 404} {
		if got := ts.ask("example.test", path).status; got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	wptest.Exec(t, dsn, "UPDATE wp_blogs SET archived = 1 WHERE blog_id = 101")
	wptest.Eventually(t, "an archived blog leaves", func() bool {
		body := ts.ask("example.test", "/network-sitemap.xml").body
		return !strings.Contains(body, "/b101/") && strings.Contains(body, "/b102/")
	}, ts.log)
}
