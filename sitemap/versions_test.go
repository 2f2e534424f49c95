package sitemap_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
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

// yoastOf returns the statement that installs a version of Yoast SEO.
func yoastOf(version string) string {
	return sitemaptest.SetOption("wpseo", sitemaptest.Array("version", version))
}

// At level plugin, a rule that changed follows the installed version. Level spec follows only the
// decisions.
func TestRulesOfYoastByVersion(t *testing.T) {
	image := func(text string) string {
		return "UPDATE wp_posts SET post_content = '" + text + "' WHERE ID = 100"
	}
	for _, c := range []struct {
		rule, change string
		sitemap      string
		want         string // in the XML
		ended        string // the first version without it
		before       string // the last one with it
		since        string // the last version before it; "" for always
		spec         bool   // level spec has it, too
	}{
		{rule: "users of level 0 are out", change: "", sitemap: "author", want: "!/author/gus/", before: "27.7", ended: "27.8", spec: true},
		{rule: "the front page has no images", change: "REPLACE INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (2, '_thumbnail_id', '50')",
			sitemap: "page", want: "!/pier", since: "21.8.1", before: "21.9.1", ended: "22.0"},
		{rule: "terms have their canonical as address", sitemap: "category", want: "<loc>https://elsewhere.test/topics/</loc>",
			before: "20.9", ended: "20.10"},
		{rule: "a picture by id has no query", change: image(`<img class="wp-image-50" src="/a-300x200.jpg?x=1">`), sitemap: "post",
			want: "!.jpg?x=1<", before: "19.7", ended: "19.8"},
		{rule: "types without posts are in the index", change: "UPDATE wp_posts SET post_status = 'draft' WHERE post_type = 'page'",
			sitemap: seo.IndexName, want: "/page-sitemap.xml</loc>\n\t</sitemap>", before: "19.6", ended: "19.7"},
		{rule: "an address with & is dropped", change: image(`<img src="/b.jpg?x=1&amp;y=2">`), sitemap: "post", want: "!/b.jpg",
			before: "19.1", ended: "19.2"},
		{rule: "attachments list their file", change: sitemaptest.SetOption("wpseo_titles", `a:1:{s:18:"disable-attachment";b:0;}`),
			sitemap: "attachment", want: "<image:loc>", before: "15.3", ended: "15.4"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			holds := func(version string, level seo.Level) bool {
				catalog := sitemaptest.Of(t, "basic", seo.Options{Compat: level}, c.change, yoastOf(version))
				text := string(sitemaptest.Render(t, catalog, c.sitemap, 1).Body)
				want, not := strings.CutPrefix(c.want, "!")
				return strings.Contains(text, want) != not
			}
			if !holds(c.before, seo.PluginLevel) {
				t.Errorf("%s has not the rule", c.before)
			}
			for _, version := range []string{c.ended, c.since, ""} {
				if holds(version, seo.PluginLevel) {
					t.Errorf("%q has the rule", version)
				}
			}
			if c.sitemap == "attachment" { // WordPress redirects their pages here
				return
			}
			expect.Equal(t, holds(c.before, seo.SpecLevel), c.spec, "level spec of", c.before, "has the rule")
		})
	}
}

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

// In the index of Yoast SEO, the dates of pages between the first and the last depend on how rows are
// counted.
func TestIndexDatesOfYoastByVersion(t *testing.T) {
	sql := []string{"DELETE FROM wp_posts WHERE post_type = 'post'"}
	for i := range 8 { // the higher the id, the older the change
		sql = append(sql, sitemaptest.Insert(sitemaptest.Row{ID: 900 + i, Name: fmt.Sprint("p", i), Date: fmt.Sprintf("2024-01-%02d 10:00:00", 20-i)}))
	}
	for version, want := range map[string]string{
		"28.3": "20 16 18 20", "21.4": "20 16 18 20", // of rows 4 and 6 by change
		"21.3": "20 15 17 20", "18.5": "20 15 17 20", // rows 4 and 6 by id, then by change
		"18.4": "13 15 17 20",
	} {
		c := sitemaptest.Of(t, "basic", seo.Options{Compat: seo.PluginLevel, PageSize: 2}, append(slices.Clone(sql), yoastOf(version))...)
		var got []string
		for _, f := range c.Files() {
			if f.Name == "post" {
				got = append(got, f.LastMod.Format("02"))
			}
		}
		expect.Equal(t, strings.Join(got, " "), want, "Yoast SEO", version, got)
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
