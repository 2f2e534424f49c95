package provider_test

import (
	"regexp"
	"strings"
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Which addresses are listed before the pages and before the posts at level spec: home, the front page, the posts page or none.
func TestFirstLinks(t *testing.T) {
	t.Parallel()
	set := sitemaptest.SetOption
	static := func(front, posts string) []string {
		return []string{set("show_on_front", "page"), set("page_on_front", front), set("page_for_posts", posts)}
	}
	urls := func(pattern string) seo.Exclude {
		return seo.Exclude{URLs: []*regexp.Regexp{regexp.MustCompile(pattern)}}
	}
	const post, other = "/hello/ 2024-01-01T10:00:00+00:00\n", "/contact/ 2024-01-04T10:00:00+00:00\n"
	const front, blog = "/welcome/ 2024-01-02T10:00:00+00:00\n", "/journal/ 2024-01-03T10:00:00+00:00\n"
	for _, tt := range []struct {
		rule        string
		sql         []string
		exclude     seo.Exclude
		posts, page string
		left        string
	}{
		{"home shows the latest posts", []string{set("show_on_front", "posts")}, seo.Exclude{}, "/ 2024-01-01T10:00:00+00:00\n" + post, front + blog +
			other, ""},
		{"home without posts", []string{set("show_on_front", "posts"), "DELETE FROM wp_posts WHERE post_type = 'post'"}, seo.Exclude{}, "/ \n",
			front + blog + other, ""},
		{"home without a list of posts", []string{set("show_on_front", "posts"), set("wpseo_titles", sitemaptest.Array("noindex-post", true))},
			seo.Exclude{}, "",
			"/ \n" + front + blog + other, ""},
		{"home is excluded, and counted once", []string{set("show_on_front", "posts")}, urls("test/$"), post, front + blog + other,
			"1 excluded by configuration"},
		{"both pages are set", static("1011", "1012"), seo.Exclude{}, "/journal/ 2024-01-01T10:00:00+00:00\n" + post,
			"/ 2024-01-02T10:00:00+00:00\n" + other, ""},
		{"no front page", static("0", "1012"), seo.Exclude{}, "/journal/ 2024-01-01T10:00:00+00:00\n" + post, "/ \n" + front + other, ""},
		{"no front page, and home is excluded", static("0", "1012"), urls("test/$"), "/journal/ 2024-01-01T10:00:00+00:00\n" + post, front + other,
			"1 excluded by configuration"},
		{"no posts page", static("1011", "0"), seo.Exclude{}, post, "/ 2024-01-02T10:00:00+00:00\n" + blog + other, ""},
		{"the front page is gone", static("999", "1012"), seo.Exclude{}, "/journal/ 2024-01-01T10:00:00+00:00\n" + post, front + other, ""},
		{"the front page is a post", static("1001", "1012"), seo.Exclude{},
			"/journal/ 2024-01-01T10:00:00+00:00\n/hello/ 2024-01-01T10:00:00+00:00\n", front + other, ""},
		{"the front page is a draft", append(static("1011", "1012"), "UPDATE wp_posts SET post_status = 'draft' WHERE ID = 1011"), seo.Exclude{},
			"/journal/ 2024-01-01T10:00:00+00:00\n" + post, other, "1 not published"},
		{"the posts page is gone", static("1011", "999"), seo.Exclude{}, post, "/ 2024-01-02T10:00:00+00:00\n" + blog + other, ""},
		{"the posts page is noindex", append(static("1011", "1012"), sitemaptest.MetaRow(1012, "_yoast_wpseo_meta-robots-noindex", "1")),
			seo.Exclude{}, post,
			"/ 2024-01-02T10:00:00+00:00\n" + other, "1 noindex"},
		{"the front page has a password", append(static("1011", "1012"), "UPDATE wp_posts SET post_password = 'x' WHERE ID = 1011"), seo.Exclude{},
			"/journal/ 2024-01-01T10:00:00+00:00\n" + post, other, "1 password protected"},
		{"the operator excludes both pages", static("1011", "1012"), seo.Exclude{PostIDs: []int64{1011, 1012}}, post, other,
			"2 excluded by configuration"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			c := sitemaptest.Of(t, "small small-front", seo.Options{Compat: seo.SpecLevel, Exclude: tt.exclude},
				append([]string{"DELETE FROM wp_postmeta"}, tt.sql...)...)
			expect.Equal(t, sitemaptest.Text(t, c, "post"), tt.posts)
			expect.Equal(t, sitemaptest.Text(t, c, "page"), tt.page)
			expect.Equal(t, strings.TrimPrefix(strings.TrimPrefix(catalog.LeftOut(c.LeftOut), "excluded: "), "none excluded"), tt.left)
		})
	}
}

// The archive of a type is listed before its posts if it has any that are not left out for a reason that also concerns the archive.
func TestArchives(t *testing.T) {
	t.Parallel()
	yes, slug := true, "songs"
	o := registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"song": {Public: &yes, Slug: &slug, Archive: &yes}}}
	const archive, song = "/songs/ 2024-01-01T10:00:00+00:00\n", "/songs/hey/ 2024-01-01T10:00:00+00:00\n"
	for _, tt := range []struct {
		rule, sql string
		exclude   seo.Exclude
		want      string
	}{
		{"with a post", "", seo.Exclude{}, archive + song},
		{"without posts", "DELETE FROM wp_posts", seo.Exclude{}, ""},
		{"its only post is a draft", "UPDATE wp_posts SET post_status = 'draft' WHERE ID = 3001", seo.Exclude{}, ""},
		{"its only post is noindex", sitemaptest.MetaRow(3001, "_yoast_wpseo_meta-robots-noindex", "1"), seo.Exclude{}, ""},
		{"its posts are left out by the operator", "", seo.Exclude{Types: map[string]seo.TypeExclude{"song": {Singles: true}}}, "/songs/ \n"},
		{"the archive is excluded", "", seo.Exclude{URLs: []*regexp.Regexp{regexp.MustCompile("songs/$")}}, song},
		{"the archive is noindex", sitemaptest.SetOption("wpseo_titles", sitemaptest.Array("noindex-ptarchive-song", true)), seo.Exclude{}, song},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small")
		wptest.Exec(t, dsn, sitemaptest.Insert(sitemaptest.Row{ID: 3001, Type: "song", Name: "hey"}), tt.sql)
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: o}), seo.Options{Compat: seo.SpecLevel, Exclude: tt.exclude})
		expect.Equal(t, sitemaptest.Text(t, c, "song"), tt.want, tt.rule)
	}
}

// Each list says what it leaves out itself. Terms and authors without posts have no date, and a list of theirs has that of its newest
// entry, also of a term below a parent without posts.
func TestWhatListsSay(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Of(t, "basic", seo.Options{Compat: seo.SpecLevel},
		sitemaptest.SetOption("wpseo_titles", sitemaptest.Array("noindex-author-noposts-wpseo", false)))
	for name, want := range map[string]string{
		"post":     "excluded: 4 canonical elsewhere, 1 no URL of its own, 1 noindex, 2 password protected",
		"page":     "excluded: 3 no URL of its own, 1 noindex",
		"category": "excluded: 1 canonical elsewhere, 1 noindex", "post_tag": "none excluded", "author": "excluded: 1 noindex",
	} {
		expect.Equal(t, catalog.LeftOut(c.List(name).Explained.LeftOut), want, name)
	}
	expect.Contains(t, sitemaptest.Text(t, c, "author"), "/author/eva/ \n")
	expect.Contains(t, sitemaptest.Text(t, c, "category"), "/category/parent-only/ \n")
	for _, level := range sitemaptest.Levels { // the newest post of a category is that of a category below
		c := sitemaptest.Of(t, "basic", seo.Options{Compat: level}, "DELETE FROM wp_term_relationships WHERE term_taxonomy_id <> 1007")
		date := sitemaptest.IndexDate(t, sitemaptest.Render(t, c, seo.IndexName, 1).Body, "https://example.test/category-sitemap.xml")
		expect.Equal(t, date != "", true, level, date)
	}
}

// Rules of a plugin about images: none, the featured one, a further one from a field, and the files of a gallery.
func TestImageRules(t *testing.T) {
	t.Parallel()
	array := sitemaptest.Array
	for _, tt := range []struct {
		rule    string
		options string
		want    []string
	}{
		{"none", array("pt_post_sitemap", "on", "include_images", "off"), nil},
		{"of the content", array("pt_post_sitemap", "on", "include_images", "on"), []string{"https://small.test/x.jpg"}},
		{"the featured one", array("pt_post_sitemap", "on", "include_images", "on", "include_featured_image", "on"),
			[]string{"https://small.test/wp-content/uploads/2024/01/a.jpg", "https://small.test/x.jpg"}},
		{"of a field", array("pt_post_sitemap", "on", "include_images", "on", "pt_post_image_customfields", "hero"),
			[]string{"https://small.test/x.jpg", "https://small.test/hero.png"}},
	} {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel}, sitemaptest.Activate("seo-by-rank-math/rank-math.php"),
			sitemaptest.SetOption("rank_math_modules", array(0, "sitemap")), sitemaptest.SetOption("rank_math_registration_skip", "1"),
			sitemaptest.SetOption("rank-math-options-sitemap", tt.options),
			"DELETE FROM wp_postmeta WHERE meta_key = '_thumbnail_id'",
			sitemaptest.Picture(2051, "2024/01/a.jpg"), sitemaptest.MetaRow(3001, "_thumbnail_id", "2051"),
			sitemaptest.MetaRow(3001, "hero", "https://small.test/hero.png"),
			sitemaptest.Insert(sitemaptest.Row{ID: 3001, Name: "hey", Text: `<img src="/x.jpg"><img src="/y.jpg?a=1&amp;b=2">`}))
		expect.List(t, sitemaptest.Images(t, c, "post", "/hey/"), tt.want, tt.rule)
	}
}
