package sitemap_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// What the operator leaves out by a term, an age or its stock is out whichever plugin's sitemaps they are, and explain names the key.
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
		excluded := func(c *sitemap.Catalog) (slugs []string) {
			all := sitemaptest.PathsIn(t, c, c.Scheme.Name(seo.KindPost, "post"))
			for _, slug := range []string{"with-term", "without", "old", "not-yet"} {
				if !slices.ContainsFunc(all, func(path string) bool { return strings.Trim(path, "/") == slug }) {
					slugs = append(slugs, slug)
				}
			}
			return slugs
		}
		for _, choice := range sitemap.Choices()[2:] {
			for _, level := range []seo.Level{seo.SpecLevel, seo.PluginLevel} {
				t.Run(choice+" "+string(level), func(t *testing.T) {
					opt.Sitemaps, opt.Compat = choice, level
					c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), opt)
					if !c.Active() {
						t.Skip("these are left to the site at this level")
					}
					if got := excluded(c); !slices.Equal(got, []string{"with-term", "old"}) {
						t.Errorf("%q are excluded", got)
					}
					for slug, key := range map[string]string{"with-term": "[site.exclude] terms", "old": "[site.post_type.post] older_than"} {
						x := sitemaptest.Explain(t, c, "https://small.test/"+slug+"/")
						if x.In || !slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool { return e.Source == key }) {
							t.Errorf("%s: %+v", slug, x)
						}
					}
				})
			}
		}
		opt.Sitemaps, opt.Compat = "yoast", seo.SpecLevel
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), opt)
		wptest.Exec(t, dsn, "INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (9002, 950, 0), (9004, 952, 0)",
			"DELETE FROM wp_term_relationships WHERE object_id = 9001")
		d, err := c.Delta(t.Context(), rows.ChangeSet{})
		wptest.Must(t, err)
		if got := excluded(d.Catalog); !slices.Equal(got, []string{"without", "old", "not-yet"}) {
			t.Errorf("after a delta %q are excluded", got)
		}
	})
}
