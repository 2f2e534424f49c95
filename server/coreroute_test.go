package server

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/server/config"
)

// The addresses of WordPress' own sitemaps; what they do is WP_Sitemaps::register_rewrites()
// and redirect_canonical().
func TestCoreRoute(t *testing.T) {
	index := route{target: toSitemap, name: seo.IndexName, page: 1}
	page := func(name string, n int) route { return route{target: toSitemap, name: name, page: n} }
	to := func(name, location string) route { return route{target: toRedirect, name: name, location: location} }
	toIndex := to(seo.IndexName, "/wp-sitemap.xml")
	xsl := route{target: toXSL}
	upstream := route{}

	pretty, folder, plain := address{core: site.CorePaths}, address{core: site.CorePaths, path: "blog"}, address{core: site.CoreQueries, plain: true}
	alone, aloneFolder := address{core: site.CorePaths, alone: true}, address{core: site.CorePaths, path: "blog", alone: true}
	for _, test := range []struct {
		rule string
		at   address
		uri  string
		want route
	}{
		{"the index", pretty, "/wp-sitemap.xml", index},
		{"the index with a query string", pretty, "/wp-sitemap.xml?x=1", index},
		{"a slash at the end redirects", pretty, "/wp-sitemap.xml/", toIndex},
		{"and keeps the query string", pretty, "/wp-sitemap.xml/?x=1&y", to(seo.IndexName, "/wp-sitemap.xml?x=1&y")},
		{"upper case is another address", pretty, "/WP-SITEMAP.XML", upstream},
		{"anchored at the end", pretty, "/wp-sitemap.xml.gz", upstream},
		{"below index.php redirects", pretty, "/index.php/wp-sitemap.xml", toIndex},
		{"encoded redirects", pretty, "/wp%2Dsitemap.xml", toIndex},

		{"a post type", pretty, "/wp-sitemap-posts-post-1.xml", page("posts-post", 1)},
		{"a page of it", pretty, "/wp-sitemap-posts-post-12.xml", page("posts-post", 12)},
		{"a post type with a hyphen and digits", pretty, "/wp-sitemap-posts-my-type-2-3.xml", page("posts-my-type-2", 3)},
		{"a taxonomy", pretty, "/wp-sitemap-taxonomies-post_tag-1.xml", page("taxonomies-post_tag", 1)},
		{"users", pretty, "/wp-sitemap-users-1.xml", page("users", 1)},
		{"page 0 redirects", pretty, "/wp-sitemap-users-0.xml", to("users", "/wp-sitemap-users-1.xml")},
		{"leading zeros redirect", pretty, "/wp-sitemap-posts-post-02.xml", to("posts-post", "/wp-sitemap-posts-post-2.xml")},
		{"a page has a number", pretty, "/wp-sitemap-users.xml", upstream},
		{"a post type has a name", pretty, "/wp-sitemap-posts-1.xml", upstream},
		{"users have no types", pretty, "/wp-sitemap-users-x-1.xml", upstream},
		{"nobody's provider", pretty, "/wp-sitemap-comments-x-1.xml", upstream},
		{"a folder before", pretty, "/some/wp-sitemap.xml", upstream},

		{"the stylesheet", pretty, "/wp-sitemap.xsl", xsl},
		{"the stylesheet of the index", pretty, "/wp-sitemap-index.xsl", xsl},
		{"the stylesheet as a query variable", pretty, "/?sitemap-stylesheet=index", xsl},
		{"no such stylesheet", pretty, "/?sitemap-stylesheet=news", upstream},
		{"our own stylesheet", pretty, "/wpsitemapd.css", route{target: toCSS}},
		{"robots.txt", pretty, "/robots.txt", route{target: toRobots}},

		{"query variables redirect: the index", pretty, "/?sitemap=index", toIndex},
		{"query variables redirect: a page", pretty, "/?x=1&sitemap=posts&sitemap-subtype=post&paged=2", to("posts-post", "/wp-sitemap-posts-post-2.xml?x=1")},
		{"query variables redirect: without a number", pretty, "/?sitemap=users", to("users", "/wp-sitemap-users-1.xml")},
		{"query variables beat the path", pretty, "/wp-sitemap-users-1.xml?paged=2", to("users", "/wp-sitemap-users-2.xml")},
		{"Yoast's variables are not theirs", pretty, "/?sitemap=1", upstream},
		{"nor are Yoast's addresses", pretty, "/sitemap_index.xml", upstream},
		{"nor its stylesheet", pretty, "/main-sitemap.xsl", upstream},
		{"not at a file", pretty, "/wp-content/x.xml?sitemap=index", upstream},

		{"sitemap.xml is the upstream's", pretty, "/sitemap.xml", upstream},
		{"without an upstream it redirects", alone, "/sitemap.xml?x=1", to(seo.IndexName, "/wp-sitemap.xml?x=1")},
		{"with a slash too", alone, "/sitemap.xml/", toIndex},
		{"but not below a folder", aloneFolder, "/blog/sitemap.xml", upstream},

		{"home in a folder", folder, "/blog/wp-sitemap.xml", index},
		{"home in a folder, in another letter case", folder, "/Blog/wp-sitemap.xml", toIndex},
		{"home in a folder: its pages", folder, "/blog/wp-sitemap-users-2.xml", page("users", 2)},
		{"home in a folder: robots.txt is none", folder, "/blog/robots.txt", upstream},
		{"home in a folder: our own stylesheet", folder, "/blog/wpsitemapd.css", route{target: toCSS}},

		{"without permalinks: the index", plain, "/?sitemap=index", index},
		{"without permalinks: a page", plain, "/?sitemap=taxonomies&sitemap-subtype=post_tag&paged=2", page("taxonomies-post_tag", 2)},
		{"without permalinks: users", plain, "/index.php?sitemap=users&paged=3", page("users", 3)},
		{"without permalinks: page 0 is page 1", plain, "/?sitemap=users&paged=0", page("users", 1)},
		{"without permalinks: a negative page", plain, "/?sitemap=users&paged=-2", page("users", 2)},
		{"without permalinks: the stylesheet", plain, "/?sitemap-stylesheet=sitemap", xsl},
		{"without permalinks: no paths", plain, "/wp-sitemap.xml", upstream},
	} {
		t.Run(test.rule, func(t *testing.T) {
			path, _, _ := strings.Cut(test.uri, "?")
			rest, ok := cutHomePath(strings.Trim(path, "/"), test.at.path)
			if !ok {
				t.Fatal("not below home")
			}
			got := test.at.route(test.uri, rest)
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(route{})); diff != "" {
				t.Errorf("%s: want (-), got (+):\n%s", test.uri, diff)
			}
		})
	}
}

// On a blog with WordPress' own sitemaps they are answered as WordPress does, and everything
// of Yoast's is left to the upstream.
func TestCoreAnswers(t *testing.T) {
	c := newFakeCatalog("https://a.test")
	c.owns = []string{seo.IndexName, "users"}
	c.render = func(_ context.Context, name string, page int) (*catalog.Document, error) {
		if page > 1 {
			return nil, catalog.ErrNotFound
		}
		return &catalog.Document{Body: []byte("<" + name + ">"), Entries: 1}, nil
	}
	b := fakeBlog(1, "https://a.test", c)
	b.Core = site.CorePaths
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	})
	for name, install := range map[string]config.Site{"with": {Name: "a", Upstream: up}, "without": {Name: "a"}} {
		theirs := map[string]int{"with": http.StatusTeapot, "without": http.StatusNotFound}[name]
		ts := newTestServer(t, map[string]*fakeNetwork{"a": {blogs: []site.Settings{b}}}, install)
		ts.rebuild()
		for _, test := range []struct {
			uri    string
			status int
			text   string
		}{
			{"/wp-sitemap.xml", 200, "<1>"},
			{"/wp-sitemap-users-1.xml?x=1", 200, "<users>"},
			{"/wp-sitemap-users-2.xml", 404, ""},
			{"/wp-sitemap-users-01.xml", 301, "https://a.test/wp-sitemap-users-1.xml"},
			{"/wp-sitemap-posts-unknown-1.xml", theirs, ""},
			{"/wp-sitemap-posts-unknown-01.xml", theirs, ""},
			{"/sitemap_index.xml", theirs, ""},
			{"/post-sitemap.xml", theirs, ""},
		} {
			resp := ts.get("GET", "http://a.test"+test.uri)
			text := body(t, resp)
			if test.status == 301 {
				text = resp.Header.Get("Location")
			}
			if resp.StatusCode != test.status || test.text != "" && text != test.text {
				t.Errorf("%s upstream: %s: %d %q, want %d %q", name, test.uri, resp.StatusCode, text, test.status, test.text)
			}
			if typ := resp.Header.Get("Content-Type"); test.status == 200 && (typ != "application/xml; charset=UTF-8" || resp.Header.Get("X-Robots-Tag") != "") {
				t.Errorf("%s: Content-Type %q, X-Robots-Tag %q", test.uri, typ, resp.Header.Get("X-Robots-Tag"))
			}
		}
		resp := ts.get("GET", "http://a.test/wp-sitemap-index.xsl")
		if text := body(t, resp); resp.Header.Get("Content-Type") != "application/xml; charset=UTF-8" || !strings.Contains(text, "xsl:stylesheet") {
			t.Errorf("the stylesheet: %v %.100q", resp.Header, text)
		}
		if name == "without" {
			if text := body(t, ts.get("GET", "http://a.test/robots.txt")); !strings.HasSuffix(text, "\nSitemap: https://a.test/wp-sitemap.xml\n") || strings.Count(text, "Sitemap:") != 1 {
				t.Errorf("robots.txt is %q", text)
			}
		}
	}
}

func TestCoreAddressesLookLikeSitemaps(t *testing.T) {
	for _, uri := range []string{"/wp-sitemap.xml", "/blog/wp-sitemap-posts-post-1.xml", "/wp-sitemap-users-1.xml/", "/wp-sitemap-index.xsl", "/?sitemap=index"} {
		if !looksLikeSitemap(uri) {
			t.Errorf("%s may be a sitemap's while home is not known", uri)
		}
	}
}
