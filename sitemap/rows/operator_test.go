package rows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// addPost returns the statement that adds a post of user 1, in two parts.
func addPost(id int, slug, postType, status string) string {
	return sitemaptest.Insert(sitemaptest.Row{ID: id, Name: slug, Type: postType, Status: status, Date: "2025-02-01 10:00:00", Text: "a<!--nextpage-->b"})
}

// listedSlugs returns the slugs under which posts or pages are listed.
func listedSlugs(t *testing.T, c *sitemap.Catalog, slugs ...string) []string {
	t.Helper()
	all := slices.Concat(sitemaptest.ListedIn(t, c, c.Scheme.Name(seo.KindPost, "post")), sitemaptest.ListedIn(t, c, c.Scheme.Name(seo.KindPost, "page")))
	return slices.DeleteFunc(slugs, func(slug string) bool {
		return !slices.ContainsFunc(all, func(path string) bool { return strings.Trim(path, "/") == slug })
	})
}

// Posts with a status that the operator adds to their type count as published. Posts of another type
// or status do not.
func TestFurtherStatuses(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "small")
		wptest.Exec(t, dsn, addPost(9001, "kept", "post", "archived"), addPost(9002, "other-status", "post", "expired"),
			addPost(9003, "other-type", "page", "archived"), addPost(9004, "a-page", "page", "publish"))
		o := registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"post": {Statuses: []string{"archived"}}}}
		listed := func(t *testing.T, c *sitemap.Catalog) []string {
			return listedSlugs(t, c, "kept", "other-status", "other-type")
		}
		sitemaptest.EachPlugin(t, dsn, o, seo.Options{PageSize: 100}, func(t *testing.T, c *sitemap.Catalog) {
			expect.List(t, listed(t, c), []string{"kept"}, "are listed")
			if x := sitemaptest.Explain(t, c, "https://small.test/kept/"); !x.In {
				t.Errorf("%+v", x)
			}
			x := sitemaptest.Explain(t, c, "https://small.test/?p=9002")
			if x.In || !slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool { return e.Value == `"expired"` }) {
				t.Errorf("%+v", x)
			}
		})
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: o}), seo.Options{Sitemaps: "yoast", Compat: seo.SpecLevel, PageSize: 100, Keep: true})
		wptest.Exec(t, dsn, "UPDATE wp_posts SET post_status = 'archived' WHERE ID = 9002", "UPDATE wp_posts SET post_status = 'draft' WHERE ID = 9001")
		d, _, err := c.Delta(t.Context(), nil)
		wptest.Must(t, err)
		expect.List(t, listed(t, d), []string{"other-status"}, "after a delta", "are listed")
	})
}

// Objects that the operator leaves out by term, age or stock are out for every plugin. explain names
// the key.
func TestExcludedByOperator(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "small")
		wptest.Exec(t, dsn,
			sitemaptest.Insert(
				sitemaptest.Row{ID: 9001, Name: "with-term", Date: "2026-02-01 10:00:00"}, sitemaptest.Row{ID: 9002, Name: "without", Date: "2026-02-01 10:00:00"},
				sitemaptest.Row{ID: 9003, Name: "old", Date: "2023-02-28 10:00:00"}, sitemaptest.Row{ID: 9004, Name: "not-yet", Date: "2023-03-02 10:00:00"}),
			`INSERT INTO wp_terms (term_id, name, slug, term_group) VALUES (900, 'Internal', 'internal', 0), (901, 'outofstock', 'outofstock', 0)`,
			`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
				(950, 900, 'category', '', 0, 1), (951, 900, 'post_tag', '', 0, 1), (952, 901, 'product_visibility', '', 0, 1)`,
			`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (9001, 950, 0), (9002, 951, 0)`)
		opt := seo.Options{
			PageSize: 100, Keep: true, Now: sitemaptest.ClockAt(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)),
			Exclude: seo.Exclude{Terms: []seo.TermName{{Taxonomy: "category", Slug: "internal"}}, Types: map[string]seo.TypeExclude{
				"post": {OlderThan: seo.Age{Text: "3y", Years: 3}}, "product": {OutOfStock: true},
			}},
		}
		listed := func(t *testing.T, c *sitemap.Catalog) []string {
			return listedSlugs(t, c, "with-term", "without", "old", "not-yet")
		}
		sitemaptest.EachPlugin(t, dsn, registry.Overrides{}, opt, func(t *testing.T, c *sitemap.Catalog) {
			expect.List(t, listed(t, c), []string{"without", "not-yet"}, "are listed")
			terms := append(sitemaptest.ListedIn(t, c, c.Scheme.Name(seo.KindTerm, "category")), sitemaptest.ListedIn(t, c, c.Scheme.Name(seo.KindTerm, "post_tag"))...)
			if slices.Contains(terms, "/category/internal/") || c.Plugin() == "Yoast SEO" && !slices.Contains(terms, "/tag/internal/") {
				t.Errorf("terms listed: %q", terms)
			}
			x := sitemaptest.Explain(t, c, "https://small.test/category/internal/")
			if x.In || !slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool { return e.Source == "[site.exclude] terms" }) {
				t.Errorf("the term: %+v", x)
			}
			for slug, key := range map[string]string{"with-term": "[site.exclude] terms", "old": "[site.post_type.post] older_than"} {
				x := sitemaptest.Explain(t, c, "https://small.test/"+slug+"/")
				if x.In || !slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool { return e.Source == key }) {
					t.Errorf("%s: %+v", slug, x)
				}
			}
		})
		opt.Sitemaps, opt.Compat = "yoast", seo.SpecLevel
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), opt)
		wptest.Exec(t, dsn, "INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (9002, 950, 0), (9004, 952, 0)",
			"DELETE FROM wp_term_relationships WHERE object_id = 9001")
		d, _, err := c.Delta(t.Context(), nil)
		wptest.Must(t, err)
		expect.List(t, listed(t, d), []string{"with-term"}, "after a delta", "are listed")
	})
}
