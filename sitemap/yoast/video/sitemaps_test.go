package video_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset/schematest"
	yoastvideo "wpsitemapd/sitemap/yoast/video"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// What is expected is in testdata/expected, written by hand from the rows of the seed.
func TestVideoSitemap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		level    seo.Level
		expected string
		skipped  map[seo.Verdict]int // by the checks for videos
	}{
		{seo.SpecLevel, "small-video", map[seo.Verdict]int{seo.VideoDisabled: 1, seo.VideoWithoutThumbnail: 2}},
		{seo.PluginLevel, "small-video-plugin", map[seo.Verdict]int{seo.VideoDisabled: 1, seo.VideoWithoutThumbnail: 1}},
	} {
		t.Run(string(tt.level), func(t *testing.T) {
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				blog := sitemaptest.OpenSite(t, wp.Source{DSN: wptest.Load(t, e, "small", "small-video")})
				c := sitemaptest.Build(t, blog, seo.Options{Compat: tt.level})
				body := sitemaptest.Render(t, c, "video", 1).Body
				want := sitemaptest.ReadFile(t, "expected", tt.expected, "video-sitemap.xml")
				expect.Same(t, strings.Split(string(want), "\n"), strings.Split(string(body), "\n"))
				if tt.level == seo.SpecLevel {
					schematest.Validate(t, body)
				}
				for _, rule := range []seo.Verdict{
					seo.VideoDisabled, seo.VideoWithoutThumbnail, seo.VideoWithoutTitle, seo.VideoWithoutDescription, seo.VideoWithoutPlayer,
					seo.VideoProtected,
				} {
					expect.Equal(t, c.LeftOut[rule], tt.skipped[rule], "left out", rule)
				}
			})
		})
	}
}

func TestVideoName(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-video")
	config := func(text string) string {
		file := t.TempDir() + "/wp-config.php"
		if err := os.WriteFile(file, []byte("<?php\n$table_prefix = 'wp_';\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	yes := true
	typed := registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"video": {Public: &yes}}}
	for _, tt := range []struct {
		name, config string
		overrides    registry.Overrides
		want         string
	}{
		{"by itself", "", registry.Overrides{}, "video"},
		{"a post type has the name", "", typed, "yoast-video"},
		{"the constant wins", "define('YOAST_VIDEO_SITEMAP_BASENAME', 'films');", typed, "films"},
	} {
		for _, level := range sitemaptest.Levels {
			src := wp.Source{DSN: dsn, Overrides: tt.overrides, WPConfig: config(tt.config)}
			c := sitemaptest.Build(t, sitemaptest.OpenSite(t, src), seo.Options{Compat: level})
			if !c.Owns(tt.want) {
				t.Errorf("%s, %s: %s is not owned", tt.name, string(level), tt.want)
			}
			sitemaptest.Render(t, c, tt.want, 1)
			if _, err := c.Render(t.Context(), "films and more", 1); !errors.Is(err, catalog.ErrNotFound) {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
	}
	for _, level := range sitemaptest.Levels {
		c := sitemaptest.Of(t, "small small-video", seo.Options{Compat: level}, sitemaptest.YoastActive)
		if _, err := c.Render(t.Context(), "video", 1); !errors.Is(err, catalog.ErrNotFound) || c.Owns("video") {
			t.Errorf("%s, without the plugin: %v, owned %t", string(level), err, c.Owns("video"))
		}
	}
}

// Only the site can tell who may see a cloaked sitemap. The index names the sitemap, and the site answers for it.
func TestCloakedVideoSitemap(t *testing.T) {
	t.Parallel()
	for _, level := range sitemaptest.Levels {
		c := sitemaptest.Of(t, "small small-video", seo.Options{Compat: level},
			`UPDATE wp_options SET option_value = REPLACE(option_value, 'cloak_sitemap";b:0', 'cloak_sitemap";b:1') WHERE option_name = 'wpseo_video'`)
		if _, err := c.Render(t.Context(), "video", 1); !errors.Is(err, catalog.ErrNotFound) || c.Owns("video") {
			t.Errorf("%s: %v, owned %t", string(level), err, c.Owns("video"))
		}
		if i := slices.IndexFunc(c.Files(), func(f catalog.File) bool { return f.Name == "video" }); i < 0 || !c.Files()[i].Elsewhere {
			t.Errorf("%s: the index does not name it", string(level))
		}
	}
}

func TestVideoTypes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, option, want string }{
		{"never saved: all public types", "", "post page attachment"},
		{"key never saved", `a:1:{s:19:"video_cloak_sitemap";b:0;}`, "post page attachment"},
		{"saved empty: none", `a:1:{s:22:"videositemap_posttypes";a:0:{}}`, ""},
		{"saved as a text: none", `a:1:{s:22:"videositemap_posttypes";s:4:"post";}`, ""},
		{"values, not keys", `a:1:{s:22:"videositemap_posttypes";a:1:{s:4:"page";s:4:"post";}}`, "post"},
	} {
		sql := []string{sitemaptest.VideoActive}
		if tt.option != "" {
			sql = append(sql, sitemaptest.SetOption("wpseo_video", tt.option))
		}
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel}, sql...)
		expect.Equal(t, strings.Join(yoastvideo.StoredTypes(c.Rules), " "), tt.want, tt.name)
	}
}

// If a type is translated, Polylang restricts the plugin's query to posts of the current language. Level spec lists all.
func TestVideosInLanguages(t *testing.T) {
	t.Parallel()
	const active = `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:3:{i:0;s:24:"wordpress-seo/wp-seo.php";` +
		`i:1;s:25:"wpseo-video/video-seo.php";i:2;s:21:"polylang/polylang.php";}'), ` +
		`('wpseo_video', 'a:1:{s:22:"videositemap_posttypes";a:1:{s:4:"post";s:4:"post";}}')`
	const videos = `INSERT INTO wp_postmeta (post_id, meta_key, meta_value) SELECT ID, '_yoast_wpseo_video_meta', ` +
		`'a:4:{s:5:"title";s:1:"T";s:11:"description";s:1:"D";s:10:"player_loc";s:19:"https://v.test/play";s:13:"thumbnail_loc";s:20:"https://v.test/1.jpg";}' FROM wp_posts WHERE ID IN (1001, 1002, 1005, 1012)`
	for _, tt := range []struct {
		name  string
		level seo.Level
		more  string
		want  []string
	}{
		{"the default language", seo.PluginLevel, "", []string{"/hello/"}},
		{"another default language", seo.PluginLevel,
			`UPDATE wp_options SET option_value = REPLACE(option_value, 'lang";s:2:"en"', 'lang";s:2:"fr"')`,
			[]string{"/bonjour/"}},
		{"of spec", seo.SpecLevel, "", []string{"/hello/", "/fr/bonjour/"}},
	} {
		c := sitemaptest.Of(t, "small small-polylang", seo.Options{Compat: tt.level}, active, videos, tt.more)
		expect.List(t, sitemaptest.Listed(t, c, "video"), tt.want, tt.name)
	}
	c := sitemaptest.Of(t, "small small-polylang", seo.Options{Compat: seo.PluginLevel}, active, videos,
		`UPDATE wp_options SET option_value = REPLACE(option_value, 'hide_default";b:1', 'hide_default";b:0')`)
	if body := string(sitemaptest.Render(t, c, "video", 1).Body); !strings.Contains(body, `info="https://small.test/en/author/`) {
		t.Errorf("the author's archive is in no language:\n%s", body)
	}
}

// By the plugin's rules, posts are sorted by their last change, in the index a page has the date of its last post, and terms are on every page.
func TestPagesOfRecords(t *testing.T) {
	t.Parallel()
	paths := func(c *sitemap.Catalog, page int) string {
		var all []string
		for _, e := range sitemaptest.Parse(t, sitemaptest.Render(t, c, "video", page).Body).Entries {
			all = append(all, strings.Trim(strings.TrimPrefix(e.Loc, "https://small.test"), "/"))
		}
		return strings.Join(all, " ")
	}
	site := func(opt seo.Options, sql ...string) *sitemap.Catalog {
		opt.Compat = seo.PluginLevel
		return sitemaptest.Of(t, "small small-video", opt, sql...)
	}
	c := site(seo.Options{PageSize: 2})
	for page, want := range map[int]string{1: "hostile ", 2: "chosen ", 3: "record ", 9: ""} { // a post that is not printed takes a place, too
		expect.Equal(t, paths(c, page), want+"category/trailers", "page", page)
	}
	var dates []string
	for _, f := range c.Files() {
		if f.Name == "video" {
			dates = append(dates, f.LastMod.Format("01-02"))
		}
	}
	expect.Equal(t, strings.Join(dates, " "), "02-15 02-20 02-28")
	zero := "UPDATE wp_posts SET post_date_gmt = '0000-00-00 00:00:00', post_date = '0000-00-00 00:00:00' WHERE post_name = 'record'"
	for _, tt := range []struct {
		rule string
		opt  seo.Options
		sql  string
		want string
	}{
		{"all", seo.Options{}, "", "hostile chosen record category/trailers"},
		{"an excluded address", seo.Options{Exclude: seo.Exclude{URLs: []*regexp.Regexp{regexp.MustCompile("/chosen/")}}}, "",
			"hostile record category/trailers"},
		{"an excluded term", seo.Options{Exclude: seo.Exclude{TermIDs: []int64{1021}}}, "", "hostile chosen record"},
		{"a taxonomy that is unknown: no terms at all", seo.Options{}, `UPDATE wp_options SET option_value = REPLACE(option_value,
			's:8:"category";s:8:"category"', 's:8:"category";s:4:"gone"') WHERE option_name = 'wpseo_video'`, "hostile chosen record"},
		{"a record with a date in a post without one", seo.Options{}, zero, "hostile chosen record category/trailers"},
	} {
		expect.Equal(t, paths(site(tt.opt, tt.sql), 1), tt.want, tt.rule)
	}
}
