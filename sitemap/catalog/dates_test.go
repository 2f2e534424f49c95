package catalog_test

import (
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
)

// If a page changes, the index changes, too, even if a date in the future hides the change.
func TestIndexChangesWithItsPages(t *testing.T) {
	for _, level := range sitemaptest.Levels {
		index := func(statements ...string) (version, tag uint64) {
			c := sitemaptest.Of(t, "small", seo.Options{Compat: level, PageSize: 100}, append([]string{
				sitemaptest.Insert(sitemaptest.Row{ID: 9001, Name: "to-come", Date: "2031-05-01 10:00:00"}, sitemaptest.Row{ID: 9002, Name: "edited", Date: "2026-01-01 10:00:00"}),
				sitemaptest.YoastActive,
			}, statements...)...)
			return c.Fingerprint(seo.IndexName, 1), sitemaptest.Render(t, c, seo.IndexName, 1).Tag
		}
		version, tag := index()
		if v, again := index(); v != version || again != tag {
			t.Errorf("%s: the same pages, another index", level)
		}
		if v, other := index("UPDATE wp_posts SET post_modified_gmt = '2026-02-01 10:00:00' WHERE ID = 9002"); v == version || other == tag {
			t.Errorf("%s: another page, the same index", level)
		}
	}
}
