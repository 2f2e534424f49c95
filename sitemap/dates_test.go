package sitemap_test

import (
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
)

// At level spec no date is in the future, whatever the rows contain.
func TestDatesToCome(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn,
		sitemaptest.Insert(sitemaptest.Row{ID: 9001, Name: "changed", Date: "2026-02-28 22:00:00", Text: `<!-- wp:embed {"url":"https://www.youtube.com/watch?v=aaaaaaaaaaa","type":"video"} /-->`},
			sitemaptest.Row{ID: 9002, Name: "published", Date: "2031-05-01 10:00:00"}, sitemaptest.Row{ID: 9003, Name: "a-page", Type: "page"},
			sitemaptest.Row{ID: 9004, Name: "old", Date: "2020-01-01 10:00:00"}),
		"UPDATE wp_posts SET post_modified = '2031-05-01 10:00:00', post_modified_gmt = '2031-05-01 10:00:00' WHERE ID IN (9001, 9003)",
		"UPDATE wp_posts SET post_modified = '2026-02-28 23:00:00', post_modified_gmt = '2026-02-28 23:00:00' WHERE ID = 9002",
		"INSERT INTO wp_terms (term_id, name, slug, term_group) VALUES (900, 'Late', 'late', 0)",
		"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (950, 900, 'category', '', 0, 2)",
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (9001, 950, 0), (9002, 950, 0)",
		sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_on_front", "9003"))
	opt := seo.Options{
		PageSize: 100, Now: sitemaptest.ClockAt(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)), Atom: true, RSS: true,
		News: seo.News{Enabled: seo.SwitchedOn}, Video: seo.Video{Enabled: seo.SwitchedOn},
	}
	sitemaptest.EachPlugin(t, dsn, registry.Overrides{}, opt, func(t *testing.T, c *sitemap.Catalog) {
		if c.Rules.Options.Compat != seo.SpecLevel {
			t.Skip()
		}
		var all strings.Builder
		for _, f := range append(c.Files(), c.OtherFiles()...) {
			all.Write(sitemaptest.Render(t, c, f.Name, f.Page).Body)
		}
		switch got := all.String(); {
		case strings.Contains(got, "2031"):
			t.Error(got)
		case !strings.Contains(got, "2026-02-28T22:00:00"):
			t.Error("the date of publication is missing")
		}
	})
}
