package sitemap_test

import (
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest/expect"
)

// Active plugins and the operator's choice decide whose sitemaps are served.
func TestWhose(t *testing.T) {
	t.Parallel()
	nothing, off := sitemaptest.Activate(), sitemaptest.SetOption("wpseo", `a:1:{s:18:"enable_xml_sitemap";b:0;}`)
	squirrly := []string{sitemaptest.Activate("squirrly-seo/squirrly.php"), sitemaptest.SetOption("sq_options", `{"sq_auto_sitemap":1}`)}
	google := sitemaptest.Activate("google-sitemap-generator/sitemap.php")
	for _, tt := range []struct {
		name, choice string
		statements   []string
		plugin       string
		on           bool
		why          string
	}{
		{"an active plugin", sitemap.Auto, []string{sitemaptest.YoastActive}, "Yoast SEO", true, "Yoast SEO is active (wordpress-seo)"},
		{"one that is switched off", sitemap.Auto, []string{sitemaptest.YoastActive, off},
			"WordPress", true, "wpseo.enable_xml_sitemap"},
		{"none", sitemap.Auto, []string{nothing}, "WordPress", true, "no SEO plugin"},
		{"none on a private site", sitemap.Auto, []string{nothing, sitemaptest.SetOption("blog_public", "0")}, "Yoast SEO", false, "blog_public"},
		{"one that is left to the site", sitemap.Auto, []string{google}, "Yoast SEO", false, "Google XML Sitemaps makes the sitemaps"},
		{"one beside WordPress' own", sitemap.Auto, squirrly, "WordPress", true, "Squirrly SEO makes the sitemaps"},
		{"Yoast without any plugin", "yoast", []string{nothing}, "Yoast SEO", true, `sitemaps = "yoast"`},
		{"Yoast with its switch off", "yoast", []string{sitemaptest.YoastActive, off},
			"Yoast SEO", true, `sitemaps = "yoast"`},
		{"Yoast in the place of another", "yoast", []string{google}, "Yoast SEO", true, `sitemaps = "yoast"`},
		{"WordPress' own while Yoast is active", "core", []string{sitemaptest.YoastActive}, "WordPress", true, `sitemaps = "core"`},
		{"WordPress' own of a private site", "core", []string{sitemaptest.SetOption("blog_public", "0")}, "WordPress", false, `sitemaps = "core"`},
		{"nobody's", sitemap.Off, []string{sitemaptest.YoastActive}, "Yoast SEO", false, `sitemaps = "off"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel, Sitemaps: tt.choice}, tt.statements...)
			if c.Plugin() != tt.plugin || c.Active() != tt.on || !strings.Contains(c.Whose.Why(), tt.why) {
				t.Errorf("%s, %t: %s", c.Plugin(), c.Active(), c.Whose.Why())
			}
			expect.Equal(t, c.FromPlugin(), tt.on && tt.plugin != "WordPress", "from a plugin")
			if files := c.Files(); tt.on && (len(files) < 2 || files[0].Filename != c.Whose.Plugin().IndexFile) || !tt.on && len(files) > 0 {
				t.Errorf("files: %+v", files)
			}
			x, err := c.Explain(t.Context(), "https://small.test/")
			if err != nil || x.In != tt.on || !tt.on && x.Rule != c.Whose.Rule() {
				t.Errorf("%+v, %v", x, err)
			}
		})
	}
}

// The administrator is warned of paid add-ons whose lists are unknown, and of two plugins that both
// answer.
func TestWarnings(t *testing.T) {
	t.Parallel()
	const (
		yoastFile = "wordpress-seo/wp-seo.php"
		rankMath  = "seo-by-rank-math/rank-math.php"
		modules   = `REPLACE INTO wp_options (option_name, option_value) VALUES
			('rank_math_modules', 'a:1:{i:0;s:7:"sitemap";}'), ('rank_math_registration_skip', '1')`
	)
	for _, tt := range []struct {
		name, active, plugin, warning string
	}{
		{"Yoast alone", sitemaptest.Activate(yoastFile), "Yoast SEO", ""},
		{"Yoast and Rank Math", sitemaptest.Activate(yoastFile, rankMath), "Rank Math", "Rank Math and Yoast SEO are both active"},
		{"Rank Math and its paid add-on", sitemaptest.Activate(rankMath, "seo-by-rank-math-pro/rank-math-pro.php"), "Rank Math", "Rank Math PRO is active"},
		{"All in One SEO Pro", sitemaptest.Activate("all-in-one-seo-pack-pro/all_in_one_seo_pack.php"), "All in One SEO", "All in One SEO Pro is active"},
	} {
		w := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel}, tt.active, modules).Whose
		if w.Plugin().Name != tt.plugin || !strings.HasPrefix(w.Warning(), tt.warning) || tt.warning == "" && w.Warning() != "" {
			t.Errorf("%s: %s, %q", tt.name, w.Plugin().Name, w.Warning())
		}
	}
}

// If only PHP makes the addresses of a type, the SEO plugin stores that the type is public, but no
// address. Its sitemap and the index are left to the site. check does not ask the operator to do
// anything.
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
		site = append(site,
			sitemaptest.SetOption("rewrite_rules", sitemaptest.Array(
				"vendor/?$", "index.php?post_type=hp_vendor", "vendor/([^/]+)(?:/([0-9]+))?/?$", "index.php?hp_vendor=$matches[1]&page=$matches[2]",
				"lessons/([^/]+)/embed/?$", "index.php?stm_lms_course_taxonomy=$matches[1]&embed=true",
				"lessons/([^/]+)/?$", "index.php?stm_lms_course_taxonomy=$matches[1]")),
			sitemaptest.Insert(sitemaptest.Row{ID: 9001, Type: "hp_vendor", Name: "acme"}),
			`INSERT INTO wp_terms (term_id, name, slug) VALUES (9002, 'Maths', 'maths')`,
			`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
				VALUES (9002, 9002, 'stm_lms_course_taxonomy', '', 0, 1)`,
			`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (9001, 9002)`)
		for _, level := range sitemaptest.Levels {
			c := sitemaptest.Of(t, "small", seo.Options{Compat: level}, site...)
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
		// At level spec a private site has an empty index. PHP must not answer it, because PHP's index
		// names sitemaps that are 404 here.
		hidden := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel}, append(site, sitemaptest.SetOption("blog_public", "0"))...)
		if hidden.Undecided(seo.IndexName) || hidden.Undecided("hp_vendor") {
			t.Errorf("%s: the index of a private site is left to the site", name)
		}
	}
}

const masterstudy = "masterstudy-lms-learning-management-system/masterstudy-lms-learning-management-system.php"
