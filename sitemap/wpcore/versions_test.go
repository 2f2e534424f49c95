package wpcore_test

import (
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest/expect"
)

// WordPress' own sitemaps follow db_version in the same way.
func TestRulesOfWordPressByVersion(t *testing.T) {
	const posts, users = "posts-post", "users"
	noSEO := sitemaptest.Activate("akismet/akismet.php")
	sticky := func(text string) bool {
		sticky, other := strings.Index(text, "/second-post/"), strings.Index(text, "<loc>")
		return sticky > 0 && strings.Index(text[other:], "/second-post/") < 60
	}
	for _, c := range []struct {
		rule, change, sitemap string
		before, ended         string // db_version
		holds                 func(text string) bool
	}{
		{"sticky posts stand first", "UPDATE wp_posts SET post_name = 'second-post' WHERE ID = 101", posts, "51917", "53496", sticky},
		{"authors of pages alone are listed", "UPDATE wp_posts SET post_author = 5 WHERE ID = 4", users, "55853", "56657",
			func(text string) bool { return strings.Contains(text, "/author/eva/") }},
		{"no entry has a date", "", posts, "56657", "57155", func(text string) bool { return !strings.Contains(text, "<lastmod>") }},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			for version, want := range map[string]bool{c.before: true, c.ended: false, "61833": false} {
				for _, level := range sitemaptest.Levels {
					catalog := sitemaptest.Of(t, "basic", seo.Options{Compat: level}, noSEO, c.change, sitemaptest.SetOption("db_version", version))
					expect.Equal(t, c.holds(string(sitemaptest.Render(t, catalog, c.sitemap, 1).Body)), want, "db_version", version, level)
				}
			}
		})
	}
	t.Run("a zero date is one at level plugin", func(t *testing.T) {
		for _, level := range sitemaptest.Levels {
			catalog := sitemaptest.Of(t, "basic", seo.Options{Compat: level}, noSEO, sitemaptest.SetOption("timezone_string", "Asia/Tokyo"),
				"UPDATE wp_posts SET post_modified_gmt = '0000-00-00 00:00:00' WHERE ID = 101")
			text := string(sitemaptest.Render(t, catalog, posts, 1).Body)
			expect.Equal(t, strings.Contains(text, "<lastmod>-0001-11-30T09:18:59+09:18</lastmod>"), level == seo.PluginLevel, level, text)
		}
	})
}
