package aioseo_test

import (
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/aioseo"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// At level spec a site lists the addresses that All in One SEO lists, except those that docs/seo/compatibility.md names.
func TestAIOSEOSetOfAddresses(t *testing.T) {
	t.Parallel()
	sites := map[string]sitemaptest.Differs{
		"aioseo-main": {}, "aioseo-shop": {}, "aioseo-plain": {}, "aioseo-net": {},
		"aioseo-paged": {Without: []string{"https://elsewhere.example.test/x?a=1&"}, More: []string{"unlisted/addl-sitemap.xml"}}, // by its other address
		"aioseo-poly":  {Without: []string{"https://aioseo-poly.example.test/stateless-"}},                                        // posts without a language
	}
	sitemaptest.SameAddresses(t, "All in One SEO", sites, func(all []*sitemap.Catalog, want, got []string) (w, g []string) {
		return slices.DeleteFunc(want, func(loc string) bool { // the plugin ignores canonical addresses
			return !slices.Contains(got, loc) && slices.ContainsFunc(all, func(c *sitemap.Catalog) bool {
				x, err := c.Explain(t.Context(), loc)
				return err == nil && x.Rule == "canonical elsewhere"
			})
		}), got
	})
}

// The table, the lists and the settings of types decide. A delta sees an edit of a row.
func TestAIOSEODecides(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		t.Parallel()
		dsn := wptest.Load(t, e, "small")
		wptest.Exec(t, dsn, append(slices.Clone(sitemaptest.AioseoSite), sitemaptest.AioseoTable...)...)
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
		for _, level := range sitemaptest.Levels {
			c := sitemaptest.Build(t, blog, seo.Options{Compat: level, Keep: true})
			expect.List(t, sitemaptest.PathsIn(t, c, "post"), []string{"/default/", "/nulls/", "/plain/"}, level, "posts")
			expect.List(t, sitemaptest.PathsIn(t, c, "page"), []string{"/indexed/"}, level, "pages")
		}
		for id, rule := range map[string]string{
			"noindex": "noindex", "excluded": "excluded post", "by-term": "excluded by its term", "of-the-type": "type noindex", "default": "listed",
		} {
			x, err := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel}).Explain(t.Context(), blog.Blog.Home()+"/"+id+"/")
			if err != nil || x.Rule != rule {
				t.Errorf("%s: rule %q, want %q, error %v", id, x.Rule, rule, err)
			}
		}
		c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel, Keep: true})
		wptest.Exec(t, dsn, `UPDATE wp_aioseo_posts SET robots_default = 0 WHERE post_id = 2005`)
		d, _, err := c.Delta(t.Context(), []string{"postmeta"})
		wptest.Must(t, err)
		expect.List(t, sitemaptest.PathsIn(t, d, "post"), []string{"/nulls/", "/plain/"}, "after the edit")
	})
}

// noPages are options that make pages noindex.
const noPages = `{"searchAppearance":{"postTypes":{"page":{"advanced":{"robotsMeta":{"default":false,"noindex":true}}}}}}`

// The plugin's own RSS sitemap has as many of the newest posts as its setting says, unless the operator wants an RSS of
// everything.
func TestAIOSEORSS(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule, rss string
		operator  bool
		items     int
	}{
		{"by default", `{}`, false, 6}, // posts and pages, not terms and home
		{"two", `{"linksPerIndex":2}`, false, 2},
		{"off", `{"enable":false}`, false, 0},
		{"the operator's", `{"linksPerIndex":2}`, true, 8},
	} {
		c := aioseoWith(t, seo.Options{Compat: seo.SpecLevel, RSS: tt.operator}, `{"sitemap":{"rss":`+tt.rss+`}}`, noPages)
		doc, err := c.Render(t.Context(), catalog.RSSName, 1)
		if tt.items == 0 {
			if err == nil || c.Owns(catalog.RSSName) {
				t.Errorf("%s: there is one", tt.rule)
			}
			continue
		}
		wptest.Must(t, err)
		files := c.OtherFiles()
		if n := strings.Count(string(doc.Body), "<item>"); n != tt.items || len(files) != 1 || files[0].Entries < n || !c.Owns(catalog.RSSName) {
			t.Errorf("%s: %d items, want %d, of %+v\n%s", tt.rule, n, tt.items, files, doc.Body)
		}
		for address, want := range map[string]seo.Resource{
			"/sitemap.latest.rss": {Kind: seo.Sitemap, Name: catalog.RSSName, Page: 1},
			"/rss2.xml":           {Kind: seo.Redirect, Name: catalog.RSSName, Location: "/sitemap.rss", Found: true},
		} {
			expect.Equal(t, aioseo.Plugin.URLs.Parse(seo.Request{URI: address, Rest: address[1:], Pretty: true}), want, address)
		}
	}
}

// If the plugin has no index, its one sitemap is left to the site. The operator's choice of the plugin makes sitemaps with an index.
func TestAIOSEOWithoutIndex(t *testing.T) {
	t.Parallel()
	const options = `{"sitemap":{"general":{"indexes":false}}}`
	for _, level := range sitemaptest.Levels {
		c := aioseoWith(t, seo.Options{Compat: level}, options, noPages)
		if c.Active() || len(c.Files()) > 0 {
			t.Errorf("%s: %+v", level, c.Files())
		}
		for _, part := range []string{"All in One SEO makes the sitemaps of this site", "https://small.test/sitemap.xml", "sitemap.general.indexes"} {
			expect.Contains(t, c.Whose.Why(), part, level, "why is")
		}
		x, err := c.Explain(t.Context(), "https://small.test/plain/")
		if err != nil || x.In || x.Rule != "another plugin's sitemaps" {
			t.Errorf("%s: %+v, %v", level, x, err)
		}
		chosen := aioseoWith(t, seo.Options{Compat: level, Sitemaps: "aioseo"}, options, noPages)
		if files := chosen.Files(); len(files) < 2 || files[0].Name != seo.IndexName || files[0].Filename != "sitemap.xml" {
			t.Errorf("%s: %+v", level, files)
		}
	}
}
