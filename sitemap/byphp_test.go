package sitemap_test

import (
	"slices"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// Of types whose addresses PHP alone makes an SEO plugin stores that they are public, and no address: their sitemaps and the
// index that names these are left to the site. check has nothing to ask of the operator.
func TestSitemapsOfAddressesByPHPAreLeftToTheSite(t *testing.T) {
	t.Parallel()
	box := sitemaptest.Array("include", "1")
	for name, site := range map[string][]string{
		"rankmath": append(slices.Clone(sitemaptest.RankMathSite), sitemaptest.SetOption("rank-math-options-sitemap", sitemaptest.Array(
			"pt_post_sitemap", "on", "pt_hp_vendor_sitemap", "on", "tax_stm_lms_course_taxonomy_sitemap", "on")),
			sitemaptest.Activate("seo-by-rank-math/rank-math.php", "hivepress/hivepress.php", masterstudy)),
		"seopress": append(slices.Clone(sitemaptest.SeopressSite), sitemaptest.SetOption("seopress_xml_sitemap_option_name", sitemaptest.Array(
			"seopress_xml_sitemap_general_enable", "1",
			"seopress_xml_sitemap_post_types_list", sitemaptest.Array("post", box, "hp_vendor", box),
			"seopress_xml_sitemap_taxonomies_list", sitemaptest.Array("stm_lms_course_taxonomy", box))),
			sitemaptest.Activate("wp-seopress/seopress.php", "hivepress/hivepress.php", masterstudy)),
		"aioseo": append(slices.Concat(sitemaptest.AioseoSite, sitemaptest.AioseoTable), sitemaptest.SetOption("aioseo_options_dynamic",
			`{"searchAppearance":{"postTypes":{"hp_vendor":{"show":true}},"taxonomies":{"stm_lms_course_taxonomy":{"show":true}}}}`),
			sitemaptest.Activate("all-in-one-seo-pack/all_in_one_seo_pack.php", "hivepress/hivepress.php", masterstudy)),
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small")
		wptest.Exec(t, dsn, append(site,
			sitemaptest.SetOption("rewrite_rules", sitemaptest.Array(
				"vendor/?$", "index.php?post_type=hp_vendor", "vendor/([^/]+)(?:/([0-9]+))?/?$", "index.php?hp_vendor=$matches[1]&page=$matches[2]",
				"lessons/([^/]+)/embed/?$", "index.php?stm_lms_course_taxonomy=$matches[1]&embed=true",
				"lessons/([^/]+)/?$", "index.php?stm_lms_course_taxonomy=$matches[1]")),
			sitemaptest.Insert(sitemaptest.Row{ID: 9001, Type: "hp_vendor", Name: "acme"}),
			`INSERT INTO wp_terms (term_id, name, slug) VALUES (9002, 'Maths', 'maths')`,
			`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
				VALUES (9002, 9002, 'stm_lms_course_taxonomy', '', 0, 1)`,
			`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (9001, 9002)`)...)
		for _, level := range sitemaptest.Levels {
			c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: level})
			if !c.Undecided(seo.IndexName) {
				t.Errorf("%s, level %s: the index is ours", name, level)
			}
			for _, of := range []string{"hp_vendor", "stm_lms_course_taxonomy"} {
				if list := c.List(of); list != nil && list.Indexed || !c.Undecided(of) {
					t.Errorf("%s, level %s: %s is ours", name, level, of)
				}
			}
			if name == "aioseo" && (c.Owns("post-archive") || c.List("post-archive") != nil) {
				t.Errorf("%s, level %s: the archives are ours", name, level)
			}
			if open := c.Unsettled(); len(open) > 0 {
				t.Errorf("%s, level %s: %+v", name, level, open)
			}
		}
	}
}

const masterstudy = "masterstudy-lms-learning-management-system/masterstudy-lms-learning-management-system.php"
