package sitemap_test

import (
	"fmt"
	"slices"
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
)

// lossSite has 40 posts, 30 pages, 20 categories with posts, 20 tags with posts and 15 authors.
var lossSite = []string{
	"INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) " +
		"SELECT seq + 2000, 'u' || seq, '', 'u' || seq, '', 'U' FROM " + wptest.Sequence(15),
	`INSERT INTO wp_usermeta (user_id, meta_key, meta_value) SELECT seq + 2000, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}' FROM ` +
		wptest.Sequence(15),
	"INSERT INTO wp_usermeta (user_id, meta_key, meta_value) SELECT seq + 2000, '_yoast_wpseo_profile_updated', '1700000000' FROM " +
		wptest.Sequence(15),
	lossPosts("post", 3000, 40), lossPosts("page", 4000, 30),
	"INSERT INTO wp_terms (term_id, name, slug) SELECT seq + 5000, 'T', 't-' || seq FROM " + wptest.Sequence(40),
	"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) " +
		"SELECT seq + 5000, seq + 5000, CASE WHEN seq <= 20 THEN 'category' ELSE 'post_tag' END, '', 0, 1 FROM " + wptest.Sequence(40),
	"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) SELECT seq + 3000, seq + 5000 FROM " + wptest.Sequence(40),
}

func lossPosts(kind string, from, n int) string {
	return fmt.Sprintf(`INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_content, post_title, post_excerpt, post_status,
post_name, to_ping, pinged, post_modified, post_modified_gmt, post_content_filtered, post_type)
SELECT seq + %d, 2001 + seq %% 15, '2024-01-01 00:00:00', '2024-01-01 00:00:00', '', 'P', '', 'publish',
'%s-' || seq, '', '', '2024-01-01 00:00:00', '2024-01-01 00:00:00', '', '%s' FROM %s`, from, kind, kind, wptest.Sequence(n))
}

// A loss that a setting explains does not count as a loss, whichever the plugin and the setting.
// Missing rows do count, even beside a setting that leaves something to list.
func TestSettingsExplainLosses(t *testing.T) {
	t.Parallel()
	option, array := sitemaptest.SetOption, sitemaptest.Array
	on := array(0, "noindex")
	yoast := func(key string) string { return option("wpseo_titles", array(key, true)) }
	rankTitles := func(pairs ...any) string { return option("rank-math-options-titles", array(pairs...)) }
	rank := func(pairs ...any) string {
		all := []any{"pt_post_sitemap", "on", "pt_page_sitemap", "on", "tax_category_sitemap", "on", "tax_post_tag_sitemap", "on", "authors_sitemap", "on"}
		return option("rank-math-options-sitemap", array(append(all, pairs...)...))
	}
	include := array("include", "1")
	seopress := func(types, taxonomies string, authors string) string {
		return option("seopress_xml_sitemap_option_name", array("seopress_xml_sitemap_general_enable", "1", "seopress_xml_sitemap_author_enable", authors,
			"seopress_xml_sitemap_post_types_list", types, "seopress_xml_sitemap_taxonomies_list", taxonomies))
	}
	both, terms := array("post", include, "page", include), array("category", include, "post_tag", include)
	titles := func(pairs ...any) string { return option("seopress_titles_option_name", array(pairs...)) }
	aioseo := func(more string) string {
		return option("aioseo_options", `{"sitemap":{"general":{"enable":true,"author":true`+more+`}}}`)
	}
	hidden := func(kind, name string) string {
		return option("aioseo_options_dynamic", `{"searchAppearance":{"`+kind+`":{"`+name+
			`":{"show":false,"advanced":{"robotsMeta":{"default":false,"noindex":true}}}}}}`)
	}
	var excluded string
	for id := 3001; id <= 3040; id++ {
		excluded += fmt.Sprint(id, ",")
	}
	type change struct{ rule, sql string }
	private := change{"a private site", option("blog_public", "0")}
	for _, plugin := range []struct {
		name     string
		on       []string
		switches []change
	}{
		{"Yoast SEO", []string{sitemaptest.YoastActive, "DELETE FROM wp_options WHERE option_name = 'wpseo_titles'"}, []change{
			private, {"the plugin", sitemaptest.Activate()}, {"its sitemaps", option("wpseo", array("enable_xml_sitemap", false))},
			{"posts", yoast("noindex-post")}, {"pages", yoast("noindex-page")}, {"categories", yoast("noindex-tax-category")},
			{"tags", yoast("noindex-tax-post_tag")},
			{"authors", yoast("disable-author")}, {"authors noindex", yoast("noindex-author-wpseo")},
			{"Rank Math in its place", sitemaptest.Activate("seo-by-rank-math/rank-math.php")},
		}},
		{"Rank Math", slices.Concat(sitemaptest.RankMathSite[:1], []string{rank(), rankTitles("x", "y")}), []change{
			private, {"the plugin", sitemaptest.Activate()}, {"its sitemaps", option("rank_math_modules", array())},
			{"posts", rank("pt_post_sitemap", "off")}, {"pages", rank("pt_page_sitemap", "off")}, {"categories", rank("tax_category_sitemap", "off")},
			{"authors", rank("authors_sitemap", "off")}, {"author archives", rankTitles("disable_author_archives", "on")},
			{"posts noindex", rankTitles("pt_post_custom_robots", "on", "pt_post_robots", on)},
			{"pages noindex", rankTitles("pt_page_custom_robots", "on", "pt_page_robots", on)},
			{"categories noindex", rankTitles("tax_category_custom_robots", "on", "tax_category_robots", on)},
			{"authors noindex", rankTitles("author_custom_robots", "on", "author_robots", on)},
			{"all noindex", rankTitles("robots_global", on)}, {"posts by id", rank("exclude_posts", excluded)},
			{"roles", rank("exclude_roles", array(0, "author"))},
		}},
		{"SEOPress", []string{sitemaptest.Activate(sitemaptest.PluginSEOPress),
			option("seopress_toggle", array("toggle-xml-sitemap", "1", "toggle-titles", "1")), seopress(both, terms, "1"), titles("x", "y")}, []change{
			private, {"the plugin", sitemaptest.Activate()}, {"its module", option("seopress_toggle", array("toggle-xml-sitemap", "0"))},
			{"posts", seopress(array("page", include), terms, "1")}, {"terms", seopress(both, array(), "1")}, {"authors", seopress(both, terms, "0")},
			{"posts noindex", titles("seopress_titles_single_titles", array("post", array("noindex", "1")))},
			{"categories noindex", titles("seopress_titles_tax_titles", array("category", array("noindex", "1")))},
			{"authors noindex", titles("seopress_titles_archives_author_noindex", "1")}, {"author archives", titles("seopress_titles_archives_author_disable", "1")},
			{"all noindex", titles("seopress_titles_noindex", "1")},
		}},
		{"All in One SEO", []string{sitemaptest.Activate("all-in-one-seo-pack/all_in_one_seo_pack.php"), sitemaptest.AioseoTable[0],
			aioseo(``)}, []change{
			private, {"the plugin", sitemaptest.Activate()}, {"its sitemaps", option("aioseo_options", `{"sitemap":{"general":{"enable":false}}}`)},
			{"pages alone", aioseo(`,"postTypes":{"all":false,"included":["page"]}`)},
			{"categories alone", aioseo(`,"taxonomies":{"all":false,"included":["category"]}`)},
			{"authors", option("aioseo_options", `{"sitemap":{"general":{"enable":true,"author":false}}}`)},
			{"all noindex", option("aioseo_options", `{"sitemap":{"general":{"enable":true,"author":true}},`+
				`"searchAppearance":{"advanced":{"globalRobotsMeta":{"default":false,"noindex":true}}}}`)},
			{"posts noindex", hidden("postTypes", "post")},
			{"categories noindex", hidden("taxonomies", "category")},
		}},
		{"WordPress", []string{sitemaptest.Activate()}, []change{private, {"Yoast in its place", sitemaptest.YoastActive}}},
	} {
		for _, level := range sitemaptest.Levels {
			t.Run(plugin.name+" "+string(level), func(t *testing.T) {
				t.Parallel()
				outline := func(changed ...string) *catalog.Outline {
					o := sitemaptest.Of(t, "small", seo.Options{Compat: level}, slices.Concat(lossSite, plugin.on, changed)...).Outline()
					return &o
				}
				before := outline()
				for _, c := range plugin.switches {
					now := outline(c.sql)
					own := 0 // addresses that the other plugin does not list by its own rules
					if now.Plugin != before.Plugin {
						own = 1
					}
					if was, left := now.Expected(before); left < was-own {
						t.Errorf("%s: %d of %d objects seem lost", c.rule, was-left, was)
					}
					if now.Plugin == before.Plugin && level == seo.SpecLevel && before.Objects()-now.Objects() < 10 {
						t.Errorf("%s: nothing is switched off: %d objects of %d", c.rule, now.Objects(), before.Objects())
					}
				}
				for rule, sql := range map[string]string{
					"posts and pages": "DELETE FROM wp_posts WHERE ID > 2000", "terms": "DELETE FROM wp_term_taxonomy WHERE term_id > 2000",
				} {
					if was, left := outline(sql).Expected(before); was-left < 30 {
						t.Errorf("%s are gone, and %d of %d objects are there", rule, left, was)
					}
				}
			})
		}
	}
}
