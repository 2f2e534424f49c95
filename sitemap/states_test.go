package sitemap_test

import (
	"slices"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// If a plugin has nothing to list, its index is answered as the plugin answers it, at both levels.
func TestIndexOfNothing(t *testing.T) {
	t.Parallel()
	for _, plugin := range []struct {
		name   string
		site   []string
		exists bool
	}{
		{"Yoast SEO", []string{sitemaptest.SetOption("wpseo_titles", sitemaptest.Array(
			"noindex-post", true, "noindex-page", true, "noindex-tax-category", true, "noindex-tax-post_tag", true, "disable-author", true))}, false},
		{"Rank Math", append(slices.Clone(sitemaptest.RankMathSite), "DELETE FROM wp_options WHERE option_name = 'rank-math-options-sitemap'"), false},
		{"SEOPress", append(slices.Clone(sitemaptest.SeopressSite), sitemaptest.SetOption("seopress_xml_sitemap_option_name",
			sitemaptest.Array("seopress_xml_sitemap_general_enable", "1", "seopress_xml_sitemap_post_types_list", "a:0:{}",
				"seopress_xml_sitemap_taxonomies_list", "a:0:{}"))), true},
	} {
		for _, level := range sitemaptest.Levels {
			c := sitemaptest.Of(t, "small", seo.Options{Compat: level}, plugin.site...)
			want := map[bool][]string{true: {}}[plugin.exists]
			expect.Same(t, want, sitemaptest.ListedIn(t, c, seo.IndexName))
			expect.Equal(t, c.Plugin(), plugin.name, level)
		}
	}
}

// A changed box takes effect. For a post, a delta sees the change. For a term, the fingerprint of the
// settings changes, so a new catalog is made. Other meta of terms changes nothing.
func TestEditsOfBoxes(t *testing.T) {
	t.Parallel()
	if !slices.Contains(sitemap.Declared.Names(func(t wp.Table) bool { return t.Settings && t.Watched }), "termmeta") {
		t.Error("polls do not check the meta of terms, or no reading of the settings follows")
	}
	for key, of := range map[string]struct {
		site    []string
		noindex string
	}{"rank_math_robots": {sitemaptest.RankMathSite, sitemaptest.Array(0, "noindex")}, "_seopress_robots_index": {sitemaptest.SeopressSite, "yes"}} {
		wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
			dsn := wptest.Load(t, e, "small")
			wptest.Exec(t, dsn, of.site...)
			open := func() *address.Book { return sitemaptest.OpenSite(t, wp.Source{DSN: dsn}) }
			before := open()
			wptest.Exec(t, dsn, "INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (1021, 'order', '3')")
			expect.Equal(t, open().SettingsFingerprint(), before.SettingsFingerprint(), key, "the order of a term changes the settings")
			c := sitemaptest.Build(t, before, seo.Options{Compat: seo.SpecLevel, Keep: true})
			wptest.Exec(t, dsn, sitemaptest.MetaRow(1001, key, of.noindex), "DELETE FROM wp_postmeta WHERE post_id = 1002",
				"DELETE FROM wp_termmeta WHERE term_id = 1021", "INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (1021, '"+key+"', '"+of.noindex+"')")
			d, touched, err := c.Delta(t.Context(), nil)
			wptest.Must(t, err)
			if got := sitemaptest.PathsIn(t, d, "post"); slices.Contains(got, "/plain/") || !slices.Contains(got, "/noindex/") || touched != 2 {
				t.Errorf("%s: %d touched: %q", key, touched, got)
			}
			after := open()
			if after.SettingsFingerprint() == before.SettingsFingerprint() {
				t.Errorf("%s: noindex of a term does not change the settings", key)
			}
			if got := sitemaptest.Build(t, after, seo.Options{Compat: seo.SpecLevel}).List("category"); got.Listed() != 0 {
				t.Errorf("%s: %d categories are listed", key, got.Listed())
			}
		})
	}
}
