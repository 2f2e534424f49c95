package sitemap

import (
	"fmt"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/release"
	"wpsitemapd/wp/wptest"
)

// What a plugin has stored counts before what WordPress saw when it looked for updates.
func TestVersionsOfPlugins(t *testing.T) {
	const (
		updates  = "_site_transient_update_plugins"
		checked  = `O:8:"stdClass":1:{s:7:"checked";a:2:{s:24:"wp-seopress/seopress.php";s:3:"9.2";s:24:"wordpress-seo/wp-seo.php";s:4:"26.9";}}`
		yoast    = "wordpress-seo/wp-seo.php"
		seopress = "wp-seopress/seopress.php"
	)
	cases := []struct {
		name, plugin, file string
		options            [][2]string
		want               release.Version
	}{
		{"Yoast SEO's own", "Yoast SEO", yoast, [][2]string{{"wpseo", `a:1:{s:7:"version";s:8:"28.4-RC1";}`}, {updates, checked}}, "28.4-RC1"},
		{"Yoast SEO, by the look for updates", "Yoast SEO", yoast, [][2]string{{updates, checked}}, "26.9"},
		{"Yoast SEO, not known", "Yoast SEO", yoast, nil, ""},
		{"Rank Math", "Rank Math", "seo-by-rank-math/rank-math.php", [][2]string{{"rank_math_version", "1.0.218"}}, "1.0.218"},
		{"All in One SEO", "All in One SEO", "all-in-one-seo-pack/all_in_one_seo_pack.php",
			[][2]string{{"aioseo_options_internal", `{"internal":{"lastActiveVersion":"4.7.9.1"}}`}}, "4.7.9.1"},
		{"SEOPress", "SEOPress", seopress, [][2]string{{updates, checked}}, "9.2"},
		{"SEOPress, cut short", "SEOPress", seopress, [][2]string{{updates, "a:1:{"}}, ""},
	}
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				wptest.Exec(t, dsn, activate(c.file), `DELETE FROM wp_options WHERE option_name IN ('wpseo', 'rank_math_version',
					'aioseo_options_internal', '_site_transient_update_plugins')`)
				for _, o := range c.options {
					wptest.Exec(t, dsn, setOption(o[0], o[1]))
				}
				s := openSite(t, wp.Source{DSN: dsn})
				if got := s.Version(c.plugin); got != c.want {
					t.Errorf("%s %q, want %q", c.plugin, got, c.want)
				}
				if all := s.Installed(); len(all) != 2 || all[1].Name != c.plugin || (all[1].Source == "") != (c.want == "") {
					t.Errorf("installed are %+v", all)
				}
			})
		}
	})
}

// Several versions of WordPress share a db_version; which one runs WordPress notes when it looks for updates.
func TestVersionOfWordPress(t *testing.T) {
	cases := []struct {
		name, database, checked string
		want                    release.Version
	}{
		{"by db_version", "53496", "", "6.2"},
		{"by the look for updates", "53496", "6.0.14", "6.0.14"},
		{"that look was before an update", "57155", "6.0.14", "6.6"},
		{"a version behind the newest that is known", "61833", "7.3.1", "7.3.1"},
		{"tables of a newer version", "99999", "", ""},
		{"between two", "58000", "", "6.6"},
		{"before its own sitemaps", "47018", "", "5.4"},
		{"not stored", "", "", ""},
	}
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			wptest.Exec(t, dsn, setOption("db_version", c.database), setOption("_site_transient_update_core",
				fmt.Sprintf(`O:8:"stdClass":1:{s:15:"version_checked";s:%d:"%s";}`, len(c.checked), c.checked)))
			if got := openSite(t, wp.Source{DSN: dsn}).WordPress(); got != c.want {
				t.Errorf("WordPress %q, want %q", got, c.want)
			}
		})
	}
}
