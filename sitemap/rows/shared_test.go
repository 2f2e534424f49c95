package rows_test

import (
	"slices"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// A URL is listed only once on a site, in any sitemap, for the object that WordPress shows there.
func TestOneURLOnce(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "small")
		wptest.Exec(t, dsn, sitemaptest.SetOption("permalink_structure", "/%postname%/"), sitemaptest.Insert(
			sitemaptest.Row{ID: 9001, Name: "category", Type: "page"}, sitemaptest.Row{ID: 9002, Name: "inner", Type: "page", Parent: 9001},
			sitemaptest.Row{ID: 9003, Name: "both", Type: "page"}, sitemaptest.Row{ID: 9004, Name: "both"}, sitemaptest.Row{ID: 9005, Name: "other"}),
			"INSERT INTO wp_terms (term_id, name, slug, term_group) VALUES (900, 'Inner', 'inner', 0)",
			"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (950, 900, 'category', '', 0, 1)",
			"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (9005, 950, 0)")
		for _, choice := range []string{"yoast", "core"} {
			opt := seo.Options{PageSize: 100, Sitemaps: choice, Compat: seo.SpecLevel, Keep: true}
			c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), opt)
			listed := func(c *sitemap.Catalog, path string, kind seo.ObjectKind, of string) bool {
				return slices.Contains(sitemaptest.ListedIn(t, c, c.Scheme.Name(kind, of)), path)
			}
			if listed(c, "/category/inner/", seo.KindPost, "page") || !listed(c, "/category/inner/", seo.KindTerm, "category") {
				t.Errorf("%s: the page is listed in the place of the category, or beside it", choice)
			}
			if listed(c, "/both/", seo.KindPost, "post") || !listed(c, "/both/", seo.KindPost, "page") {
				t.Errorf("%s: the post is listed in the place of the page, or beside it", choice)
			}
			if x := sitemaptest.Explain(t, c, "https://small.test/category/inner/"); !x.In || x.Sitemap == c.Scheme.Name(seo.KindPost, "page") {
				t.Errorf("%s: %+v", choice, x)
			}
			wptest.Exec(t, dsn, "UPDATE wp_posts SET post_status = 'draft', post_modified_gmt = '2026-02-28 11:00:00' WHERE ID = 9003")
			d, _, err := c.Delta(t.Context(), nil)
			wptest.Must(t, err)
			if !listed(d, "/both/", seo.KindPost, "post") {
				t.Errorf("%s: the page is gone, and the post is not listed", choice)
			}
			wptest.Exec(t, dsn, "UPDATE wp_posts SET post_status = 'publish' WHERE ID = 9003")
		}
	})
}
