package sitemap_test

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/wp"
	"wpsitemapd/wp/release"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The version that a plugin has stored overrides the version that WordPress saw when it looked for
// updates.
func TestVersionsOfPlugins(t *testing.T) {
	const (
		updates  = "_site_transient_update_plugins"
		checked  = `O:8:"stdClass":2:{s:12:"last_checked";i:1900000000;s:7:"checked";a:2:{s:24:"wp-seopress/seopress.php";s:3:"9.2";s:24:"wordpress-seo/wp-seo.php";s:4:"26.9";}}`
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
		{"SEOPress, a look that is far older than the site's newest change", "SEOPress", seopress,
			[][2]string{{updates, strings.Replace(checked, "1900000000", "1500000000", 1)}}, ""},
		{"SEOPress, cut short", "SEOPress", seopress, [][2]string{{updates, "a:1:{"}}, ""},
	}
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				wptest.Exec(t, dsn, sitemaptest.Activate(c.file), `DELETE FROM wp_options WHERE option_name IN ('wpseo', 'rank_math_version',
					'aioseo_options_internal', '_site_transient_update_plugins')`)
				for _, o := range c.options {
					wptest.Exec(t, dsn, sitemaptest.SetOption(o[0], o[1]))
				}
				s := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
				expect.Equal(t, s.Blog.Version(c.plugin), c.want, c.plugin)
				if all := s.Blog.Installed(); len(all) != 2 || all[1].Name != c.plugin || (all[1].Source == "") != (c.want == "") {
					t.Errorf("installed are %+v", all)
				}
			})
		}
	})
}

// Several versions of WordPress share a db_version. WordPress stores the running version when it looks
// for updates.
func TestVersionOfWordPress(t *testing.T) {
	const recently = 1_900_000_000
	cases := []struct {
		name, database, checked string
		want                    release.Version
		at                      int64 // when it looked
	}{
		{"by db_version", "53496", "", "6.2", recently},
		{"by the look for updates", "53496", "6.0.14", "6.0.14", recently},
		{"a look that is far older than the newest change", "53496", "6.0.14", "6.2", 1_500_000_000},
		{"files that are newer than the database", "53496", "6.8.1", "6.8.1", recently},
		{"that look was before an update", "57155", "6.0.14", "6.6", recently},
		{"a version behind the newest that is known", "61833", "7.3.1", "7.3.1", recently},
		{"tables of a newer version", "99999", "", "", recently},
		{"between two", "58000", "", "6.6", recently},
		{"before its own sitemaps", "47018", "", "5.4", recently},
		{"not stored", "", "", "", recently},
	}
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			wptest.Exec(t, dsn, sitemaptest.SetOption("db_version", c.database), sitemaptest.SetOption("_site_transient_update_core",
				fmt.Sprintf(`O:8:"stdClass":2:{s:12:"last_checked";i:%d;s:15:"version_checked";s:%d:"%s";}`, c.at, len(c.checked), c.checked)))
			blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
			expect.Equal(t, blog.Blog.WordPress(), c.want, "WordPress")
			says := "WordPress " + string(c.want)
			switch c.want {
			case "":
				says = "WordPress, version not known"
			case "5.4":
				says = "WordPress before 5.5"
			case "6.2":
				says = "WordPress 6.0, 6.1 or 6.2"
			case "6.6":
				says = "WordPress 6.5 or 6.6"
			}
			expect.Equal(t, blog.Blog.Installed()[0].String(), says)
		})
	}
}

func TestVersionText(t *testing.T) {
	for want, is := range map[string]wp.Installed{
		"Yoast SEO 28.4-RC1": {Name: "Yoast SEO", Version: "28.4-RC1"},
		"Yoast SEO 29.1 (newer than what this release was compared with (28.4))": {Name: "Yoast SEO", Version: "29.1"},
		"Yoast SEO 12.9 (older than what this release was compared with (14.9))": {Name: "Yoast SEO", Version: "12.9"},
		"SEOPress, version not known (the newest rules apply)":                   {Name: "SEOPress"},
	} {
		expect.Equal(t, sitemap.VersionText([]wp.Installed{is}), want)
	}
}
