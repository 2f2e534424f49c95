package yoast_test

import (
	"slices"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
)

const uploads = "https://example.test/wp-content/uploads/2024/05/"

// A gallery without ids in the description of a term, which has no attachments, shows nothing:
// neither does it show an unattached one that the description shows by itself.
func TestGalleryOfNoPost(t *testing.T) {
	for _, level := range sitemaptest.Levels {
		c := sitemaptest.Of(t, "basic", seo.Options{Compat: level},
			`UPDATE wp_term_taxonomy SET description = '<img class="wp-image-52" src="/x.png">[gallery]' WHERE term_id = 2`)
		if got := sitemaptest.Images(t, c, "category", "/category/harbour/"); !slices.Equal(got, []string{uploads + "mill.png"}) {
			t.Errorf("%s: %q", level, got)
		}
	}
}

// A gallery without ids shows what is attached to its post.
func TestGalleryOfPost(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Of(t, "basic", seo.Options{Compat: seo.SpecLevel}, `UPDATE wp_posts SET post_content = '[gallery]' WHERE ID = 106`,
		sitemaptest.Picture(900, "2024/05/alone.png"), `UPDATE wp_posts SET post_parent = 106 WHERE ID = 900`)
	if got := sitemaptest.Images(t, c, "post", "/long-read/"); !slices.Equal(got, []string{uploads + "alone.png"}) {
		t.Errorf("%q", got)
	}
}
