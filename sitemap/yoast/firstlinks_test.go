package yoast_test

import (
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// What stands first among pages and posts where the options of the front page name what is
// not, or no longer, the front page.
func TestFirstLinksOfStaleOptions(t *testing.T) {
	const home = "https://example.test"
	for _, tt := range []struct {
		name, list   string
		change       []string
		spec, plugin string
	}{
		{
			"a draft that was the front page", "page",
			[]string{
				"UPDATE wp_posts SET post_status = 'draft' WHERE ID = 2",
				"UPDATE wp_options SET option_value = 'posts' WHERE option_name = 'show_on_front'",
			},
			home + "/journal/", home + "/?page_id=2", // home is among the posts
		},
		{"show_on_front is unknown: the latest posts are on the front page", "post",
			[]string{"DELETE FROM wp_options WHERE option_name = 'show_on_front'"}, home + "/", home},
		{"show_on_front is unknown and the posts page is gone", "post",
			[]string{"UPDATE wp_options SET option_value = 'other' WHERE option_name = 'show_on_front'",
				"DELETE FROM wp_posts WHERE ID = 3"}, home + "/", home},
		{"the posts page is gone", "post", []string{"DELETE FROM wp_posts WHERE ID = 3"}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "basic")
			before := firstOf(t, dsn, tt.list, seo.PluginLevel)
			wptest.Exec(t, dsn, tt.change...)
			for level, want := range map[seo.Level]string{seo.SpecLevel: tt.spec, seo.PluginLevel: tt.plugin} {
				got := firstOf(t, dsn, tt.list, level)
				if want == "" && got == before || want != "" && got != want {
					t.Errorf("%s: %s and now %s, want %q", string(level), before, got, want)
				}
			}
		})
	}
}

// firstOf is the first address in a sitemap.
func firstOf(t *testing.T, dsn, list string, level seo.Level) string {
	t.Helper()
	c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: level})
	return sitemaptest.Parse(t, sitemaptest.Render(t, c, list, 1).Body).Entries[0].Loc
}
