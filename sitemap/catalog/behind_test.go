package catalog_test

import (
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// What a page is made of may be written after its catalog was made: such a page says so, lists no
// address with the date of another one, and none of a post in the trash.
func TestPageBehindItsRows(t *testing.T) {
	tests := []struct {
		rule, write string
		behind      bool
		want, never string
	}{
		{"nothing is written", `UPDATE wp_posts SET comment_count = 7 WHERE ID = 101`, false, "", ""},
		{"another address and date",
			`UPDATE wp_posts SET post_name = 'edited', post_modified = '2025-05-05 05:05:05', post_modified_gmt = '2025-05-05 05:05:05' WHERE ID = 101`,
			true,
			"/edited/</loc>\n\t\t<lastmod>2025-05-05T05:05:05+00:00</lastmod>", ""},
		{"into the trash", `UPDATE wp_posts SET post_name = 'gone__trashed', post_status = 'trash' WHERE ID = 101`, true, "", "gone__trashed"},
	}
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		for _, tt := range tests {
			t.Run(tt.rule, func(t *testing.T) {
				dsn := wptest.Load(t, e, "basic")
				c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel})
				wptest.Exec(t, dsn, tt.write)
				doc := sitemaptest.Render(t, c, "post", 1)
				body := string(doc.Body)
				if doc.Behind != tt.behind || !strings.Contains(body, tt.want) || tt.never != "" && strings.Contains(body, tt.never) {
					t.Errorf("behind: %v\n%s", doc.Behind, body)
				}
			})
		}
	})
}
