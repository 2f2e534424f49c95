package yoast_test

import (
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"

	"github.com/google/go-cmp/cmp"
)

// A gallery without ids in the description of a term, which has no attachments, shows nothing:
// neither does it show an unattached one that the description shows by itself.
func TestGalleryOfNoPost(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	wptest.Exec(t, dsn, `UPDATE wp_term_taxonomy SET description = '<img class="wp-image-52" src="/x.png">[gallery]' WHERE term_id = 2`)
	for _, level := range sitemaptest.Levels {
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: level})
		var got []string
		for _, entry := range sitemaptest.Parse(t, sitemaptest.Render(t, c, "category", 1).Body).Entries {
			if entry.Loc == "https://example.test/category/harbour/" {
				for _, img := range entry.Images {
					got = append(got, img.Loc)
				}
			}
		}
		if diff := cmp.Diff([]string{"https://example.test/wp-content/uploads/2024/05/mill.png"}, got); diff != "" {
			t.Errorf("%s: images, expected (-) and got (+):\n%s", string(level), diff)
		}
	}
}

// A gallery without ids shows what is attached to its post.
func TestGalleryOfPost(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	wptest.Exec(t, dsn, `UPDATE wp_posts SET post_content = '[gallery]' WHERE ID = 106`,
		`INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name,
			post_title, post_parent, post_password, post_content, post_mime_type) VALUES (900, 1, '2024-01-01 11:00:00', '2024-01-01 10:00:00',
			'2024-01-01 11:00:00', '2024-01-01 10:00:00', 'inherit', 'attachment', 'alone', '', 106, '', '', 'image/png')`,
		sitemaptest.MetaRow(900, "_wp_attached_file", "2024/05/alone.png"))
	c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel})
	got := ""
	for _, entry := range sitemaptest.Parse(t, sitemaptest.Render(t, c, "post", 1).Body).Entries {
		if strings.HasSuffix(entry.Loc, "/long-read/") {
			for _, image := range entry.Images {
				got += image.Loc
			}
		}
	}
	if !strings.HasSuffix(got, "/alone.png") {
		t.Errorf("images %s", got)
	}
}
