package aioseo_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/aioseo"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/rows"
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
			x, err := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel}).Explain(t.Context(), blog.Home()+"/"+id+"/")
			if err != nil || x.Rule != rule {
				t.Errorf("%s: rule %q, want %q, error %v", id, x.Rule, rule, err)
			}
		}
		c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel, Keep: true})
		wptest.Exec(t, dsn, `UPDATE wp_aioseo_posts SET robots_default = 0 WHERE post_id = 2005`)
		d, err := c.Delta(t.Context(), rows.ChangeSet{NoPosts: true})
		wptest.Must(t, err)
		expect.List(t, sitemaptest.PathsIn(t, d.Catalog, "post"), []string{"/nulls/", "/plain/"}, "after the edit")
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

// If the plugin has no index, one sitemap of everything is at its address, and there are no sitemaps of single types.
func TestAIOSEOWithoutIndex(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, append(slices.Clone(sitemaptest.AioseoSite), sitemaptest.AioseoTable...)...)
	wptest.Exec(t, dsn, `UPDATE wp_options SET option_value = '{"sitemap":{"general":{"indexes":false,"linksPerIndex":2,"additionalPages":{
		"enable":true,"pages":["{\"url\":\"https://small.test/extra\",\"priority\":{\"value\":\"0.6\"},\"frequency\":{\"value\":\"daily\"}}"]}}}}'
		WHERE option_name = 'aioseo_options'`)
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	for level, want := range map[seo.Level][]string{
		seo.PluginLevel: {"/", "/extra", "/default/", "/nulls/", "/by-term/", "/excluded/", "/plain/", "/indexed/", "/category/out/"},
		seo.SpecLevel:   {"/plain/", "/excluded/", "/by-term/", "/default/", "/nulls/", "/indexed/", "/", "/extra", "/category/out/"},
	} {
		c := sitemaptest.Build(t, blog, seo.Options{Compat: level, Keep: true})
		files := c.Files()
		if len(files) != 1 || files[0].URL != "https://small.test/sitemap.xml" || files[0].Entries != len(want) {
			t.Fatalf("%s: %+v", level, files)
		}
		if _, err := c.Render(t.Context(), seo.IndexName, 1); !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("%s: an index: %v", level, err)
		}
		for _, name := range []string{"post", "page", "addl", "category"} {
			if _, err := c.Render(t.Context(), name, 1); !errors.Is(err, catalog.ErrNotFound) || !c.Owns(name) || slices.Contains(c.Outline().Open, name) {
				t.Errorf("%s: %s: %v", level, name, err)
			}
		}
		expect.List(t, sitemaptest.Listed(t, c, files[0].Name), want, level)
		x, err := c.Explain(t.Context(), blog.Home()+"/plain/")
		if err != nil || !x.In || x.File != files[0].URL || x.Page != 1 {
			t.Errorf("%s: %+v, %v", level, x, err)
		}
		if x := c.ExplainSitemap("post", 1); x.In || x.Rule != "in the one sitemap" {
			t.Errorf("%s: post-sitemap.xml: %+v", level, x)
		}
		if x := c.ExplainSitemap(seo.IndexName, 1); !x.In || x.File != files[0].URL {
			t.Errorf("%s: sitemap.xml: %+v", level, x)
		}
	}
	c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel, Keep: true})
	wptest.Exec(t, dsn, `UPDATE wp_posts SET post_name = 'moved', post_modified = '2024-03-01 11:00:00',
		post_modified_gmt = '2024-03-01 10:00:00' WHERE ID = 2001`, sitemaptest.Revision(2001))
	d, err := c.Delta(t.Context(), rows.ChangeSet{})
	wptest.Must(t, err)
	if d.Catalog.Fingerprint(catalog.JoinedName, 1) == c.Fingerprint(catalog.JoinedName, 1) {
		t.Error("the fingerprint is that of the page before the edit")
	}
}

// A sitemap larger than the protocol allows would be refused, so there is an index then.
func TestAIOSEOWithoutIndexLarge(t *testing.T) {
	t.Parallel()
	blog := aioseoWith(t, seo.Options{Compat: seo.SpecLevel}, `{"sitemap":{"general":{"indexes":false}},
		"searchAppearance":{"advanced":{"globalRobotsMeta":{"default":false,"noindexPaginated":false}}}}`, noPages,
		`WITH RECURSIVE n (i) AS (SELECT 10000 UNION ALL SELECT i + 1 FROM n WHERE i < 34999)
		INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type,
			post_name, post_title, post_parent, post_password, post_content)
		SELECT i, 1, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-02-01 11:00:00', '2024-02-01 10:00:00',
			'publish', 'post', 'n-' || i, '', 0, '', '' FROM n`).Blog
	for level, first := range map[seo.Level]string{seo.SpecLevel: seo.IndexName, seo.PluginLevel: catalog.JoinedName} {
		if files := sitemaptest.Build(t, blog, seo.Options{Compat: level}).Files(); files[0].Name != first || files[0].Filename != "sitemap.xml" {
			t.Errorf("%s: %+v", level, files[0])
		}
	}
}
