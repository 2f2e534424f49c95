package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
)

// The box by which each plugin keeps a post from search engines takes it out of the sitemap of a running daemon, and the same
// box emptied brings it back. WordPress writes the row of a post whenever one is saved. The times are in the log of the test.
func TestNoindexBoxIsSeen(t *testing.T) {
	const (
		address = "/the-pier-at-dawn/"
		saved   = "UPDATE wp_posts SET post_modified = NOW(), post_modified_gmt = UTC_TIMESTAMP() WHERE post_name = 'the-pier-at-dawn'"
		post    = "(SELECT ID FROM wp_posts WHERE post_name = 'the-pier-at-dawn')"
	)
	option := func(name, value string) string {
		return "REPLACE INTO wp_options (option_name, option_value, autoload) VALUES ('" + name + "', '" + value + "', 'on')"
	}
	active := func(file string) string {
		return option("active_plugins", fmt.Sprintf(`a:1:{i:0;s:%d:"%s";}`, len(file), file))
	}
	meta := func(key, value string) [2]string {
		return [2]string{
			"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (" + post + ", '" + key + "', '" + value + "')",
			"DELETE FROM wp_postmeta WHERE meta_key = '" + key + "' AND post_id = " + post,
		}
	}
	plugins := []struct {
		plugin     string
		statements []string
		box        [2]string // ticked and emptied
	}{
		{"Rank Math", []string{
			active("seo-by-rank-math/rank-math.php"), option("rank_math_modules", `a:1:{i:0;s:7:"sitemap";}`), option("rank_math_registration_skip", "1"),
			option("rank-math-options-sitemap", `a:1:{s:15:"pt_post_sitemap";s:2:"on";}`),
		}, meta("rank_math_robots", `a:1:{i:0;s:7:"noindex";}`)},
		{"All in One SEO", []string{
			active("all-in-one-seo-pack/all_in_one_seo_pack.php"),
			`CREATE TABLE wp_aioseo_posts (id INTEGER PRIMARY KEY, post_id INTEGER, robots_default INTEGER, robots_noindex INTEGER,
				priority REAL, images TEXT, canonical_url TEXT)`,
			"INSERT INTO wp_aioseo_posts SELECT ID, ID, 1, 0, NULL, NULL, NULL FROM wp_posts",
		}, [2]string{
			"UPDATE wp_aioseo_posts SET robots_default = 0, robots_noindex = 1 WHERE post_id = " + post,
			"UPDATE wp_aioseo_posts SET robots_default = 1, robots_noindex = 0 WHERE post_id = " + post,
		}},
		{"SEOPress", []string{
			active("wp-seopress/seopress.php"), option("seopress_toggle", `a:1:{s:18:"toggle-xml-sitemap";s:1:"1";}`),
			option("seopress_xml_sitemap_option_name", `a:2:{s:35:"seopress_xml_sitemap_general_enable";s:1:"1";`+
				`s:36:"seopress_xml_sitemap_post_types_list";a:1:{s:4:"post";a:1:{s:7:"include";s:1:"1";}}}`),
		}, meta("_seopress_robots_index", "yes")},
		{"Slim SEO", []string{active("slim-seo/slim-seo.php")}, meta("slim_seo", `a:1:{s:7:"noindex";i:1;}`)},
	}
	var sites []config.Site
	dsns := make([]string, len(plugins))
	for i, p := range plugins {
		dsns[i] = wptest.Load(t, wptest.MariaDB, "basic")
		wptest.Exec(t, dsns[i], p.statements...)
		s := realSite(fmt.Sprintf("s%d", i), wptest.ReadOnlyDSN(t, dsns[i]))
		s.Compat = "spec"
		sites = append(sites, s)
	}
	ts, public := startReal(t, len(sites), sites...)
	shown := func(i int) string {
		urls := sitemap.PluginNamed(plugins[i].plugin).URLs
		file := urls.File(urls.Name(seo.KindPost, "post"), 1, 1)
		status, text, err := ask(public, sites[i].Name+".test", "/"+file)
		if err != nil || status != 200 {
			t.Fatalf("%s: %s: %d, %v", plugins[i].plugin, file, status, err)
		}
		return text
	}
	for i, p := range plugins {
		if !strings.Contains(shown(i), address) {
			t.Errorf("%s: the post is not listed:\n%s", p.plugin, shown(i))
		}
	}
	for step, listed := range []bool{false, true} {
		var written []time.Time
		for i, p := range plugins {
			written = append(written, time.Now())
			wptest.Exec(t, dsns[i], saved, p.box[step])
		}
		for i, p := range plugins {
			wptest.Eventually(t, fmt.Sprintf("%s: the post is listed: %t", p.plugin, listed), func() bool {
				return strings.Contains(shown(i), address) == listed
			}, ts.log)
			t.Logf("%s: the box is seen after %v at most", p.plugin, time.Since(written[i]).Round(10*time.Millisecond))
		}
	}
}
