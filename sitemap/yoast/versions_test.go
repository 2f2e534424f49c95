package yoast_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest/expect"
)

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
