package server

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/wpcore"
)

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
	b.Plugin = &wpcore.Plugin
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	})
	for name, install := range map[string]config.Site{"with": {Name: "a", Upstream: up}, "without": {Name: "a"}} {
		theirs := map[string]int{"with": http.StatusTeapot, "without": http.StatusNotFound}[name]
		ts := newTestServer(t, map[string]*fakeNetwork{"a": {blogs: []site.Facts{b}}}, install)
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
			if typ := resp.Header.Get("Content-Type"); test.status == 200 &&
				(typ != "application/xml; charset=UTF-8" || resp.Header.Get("X-Robots-Tag") != "") {
				t.Errorf("%s: Content-Type %q, X-Robots-Tag %q", test.uri, typ, resp.Header.Get("X-Robots-Tag"))
			}
		}
		resp := ts.get("GET", "http://a.test/wp-sitemap-index.xsl")
		if text := body(t, resp); resp.Header.Get("Content-Type") != "application/xml; charset=UTF-8" || !strings.Contains(text, "xsl:stylesheet") {
			t.Errorf("the stylesheet: %v %.100q", resp.Header, text)
		}
		if name == "without" {
			if text := body(t, ts.get("GET", "http://a.test/robots.txt")); !strings.HasSuffix(text,
				"\nSitemap: https://a.test/wp-sitemap.xml\n") || strings.Count(text, "Sitemap:") != 1 {
				t.Errorf("robots.txt is %q", text)
			}
		}
	}
}
