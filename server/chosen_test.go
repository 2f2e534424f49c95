package server

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
)

// A site whose plugin has its sitemaps off, or that has none at all, serves those that the operator names: with the
// redirects of other indexes, and a robots.txt that names them alone. What is left to the upstream stays its own.
func TestOperatorChoosesWhoseSitemaps(t *testing.T) {
	t.Parallel()
	const without = `UPDATE wp_options SET option_value = 'a:0:{}' WHERE option_name = 'active_plugins'`
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, "User-agent: *\nDisallow: /wp-admin/\n\nSitemap: https://small.test/wp-sitemap.xml\nSitemap: https://small.test/news.xml\n")
	})
	moved := func(to string) string { return "301 https://small.test" + to }
	for _, tt := range []struct {
		sitemaps string
		answers  map[string]string // status and, where that says something, Location
		names    string            // sitemaps of robots.txt
	}{
		{"yoast", map[string]string{
			"/sitemap_index.xml": "200", "/post-sitemap.xml": "200", "/sitemap.xml": moved("/sitemap_index.xml"),
			"/sitemaps.xml": moved("/sitemap_index.xml"), "/wp-sitemap.xml": moved("/sitemap_index.xml"), "/about/": "418",
		}, "news.xml sitemap_index.xml"},
		{"auto", map[string]string{"/wp-sitemap.xml": "200", "/sitemap_index.xml": "418", "/sitemap.xml": "418"}, "news.xml wp-sitemap.xml"},
		{"off", map[string]string{
			"/wp-sitemap.xml": "418", "/sitemap_index.xml": "418", "/page-sitemap.xml": "418", "/post-sitemap1.xml": "418", "/sitemap.xml": "418",
			"/main-sitemap.xsl": "418", "/wpsitemapd.css": "418", "/?sitemap=1": "418",
		}, "news.xml wp-sitemap.xml"},
	} {
		t.Run(tt.sitemaps, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, without)
			install := realSite("small", dsn)
			install.Sitemaps, install.Upstream = tt.sitemaps, up
			ts := startReal(t, 1, install)
			for path, want := range tt.answers {
				resp := ts.get("GET", "http://small.test"+path)
				got := strings.TrimSpace(resp.Status[:3] + " " + resp.Header.Get("Location"))
				if got != want {
					t.Errorf("%s: %s, want %s", path, got, want)
				}
			}
			var names []string
			for line := range strings.Lines(body(t, ts.get("GET", "http://small.test/robots.txt"))) {
				if address, ok := strings.CutPrefix(strings.TrimSpace(line), "Sitemap: https://small.test/"); ok {
					names = append(names, address)
				}
			}
			slices.Sort(names)
			if got := strings.Join(names, " "); got != tt.names {
				t.Errorf("robots.txt names %q, want %q", got, tt.names)
			}
		})
	}
}
