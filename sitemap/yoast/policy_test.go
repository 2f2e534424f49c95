package yoast_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// versioned returns the statement that installs a version of Yoast SEO.
func versioned(version string) string {
	return sitemaptest.SetOption("wpseo", sitemaptest.Array("enable_xml_sitemap", true, "version", version))
}

// indexDates returns the dates that the index gives to the pages of a sitemap.
func indexDates(t *testing.T, c *sitemap.Catalog, name string) string {
	t.Helper()
	index := sitemaptest.Render(t, c, seo.IndexName, 1).Body
	var dates []string
	for _, f := range c.Files() {
		if f.Name == name {
			dates = append(dates, sitemaptest.IndexDate(t, index, f.URL))
		}
	}
	return strings.Join(dates, " ")
}

// The dates of pages in the index: of posts by the newest and by rows in the order of changes, of terms and authors by the page.
func TestDatesOfPages(t *testing.T) {
	t.Parallel()
	var changed []sitemaptest.Row
	for id, day := range []int{5, 1, 4, 2, 3, 6} {
		changed = append(changed, sitemaptest.Row{ID: 1001 + id, Name: fmt.Sprint("a", day), Date: fmt.Sprintf("2024-03-%02d 10:00:00", day)})
	}
	changed = append(changed, sitemaptest.Row{ID: 1010, Name: "draft", Status: "draft", Date: "2024-02-01 10:00:00"})
	for version, days := range map[string][]int{"18.4": {1, 2, 6}, "18.5": {6, 2, 6}, "21.3": {6, 2, 6}, "21.4": {6, 4, 6}, "28.4": {6, 4, 6}} {
		var want []string
		for _, day := range days {
			want = append(want, fmt.Sprintf("2024-03-%02dT10:00:00+00:00", day))
		}
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel, PageSize: 2}, versioned(version), sitemaptest.Insert(changed...),
			sitemaptest.MetaRow(1006, "_yoast_wpseo_meta-robots-noindex", "1"))
		expect.Equal(t, indexDates(t, c, "post"), strings.Join(want, " "), version)
	}
	c := sitemaptest.Of(t, "small small-order", seo.Options{Compat: seo.PluginLevel, PageSize: 1},
		`INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES (1003, 'cem', '!', 'cem', '', 'Cem')`,
		`INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (1003, '_yoast_wpseo_profile_updated', '')`,
		`UPDATE wp_posts SET post_author = 1003 WHERE ID = 1003`)
	expect.Equal(t, indexDates(t, c, "category"), "2024-03-04T10:00:00+00:00 2024-03-03T10:00:00+00:00", "in the order of names")
	expect.Equal(t, indexDates(t, c, "author"), "2024-03-09T16:00:00+00:00 2023-11-14T22:13:20+00:00 ", "the last one has no date")
}

// The homes of other languages follow the posts. The home of the default language is among them unless its addresses have no
// language.
func TestHomesOfOtherLanguages(t *testing.T) {
	t.Parallel()
	for hidden, want := range map[bool]string{
		true:  "/ /hello/ /fr/bonjour/ /de/hallo/ /only-english/ /english-side/ /fr/ /de/",
		false: "/ /en/hello/ /fr/bonjour/ /de/hallo/ /en/only-english/ /en/english-side/ /en/ /fr/ /de/",
	} {
		c := sitemaptest.Of(t, "small small-polylang", seo.Options{Compat: seo.PluginLevel}, sitemaptest.SetOption("polylang",
			sitemaptest.Array("hide_default", hidden, "rewrite", true, "redirect_lang", false, "force_lang", 1, "default_lang", "en")))
		expect.Equal(t, strings.Join(sitemaptest.Listed(t, c, "post"), " "), want, hidden)
	}
}

// At the domain of another language, the query variable lists what is below the home of the default language: that home without a
// date in place of a front page, and no post of the language.
func TestPagesByQuery(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
	wptest.Exec(t, dsn, sitemaptest.SetOption("polylang", sitemaptest.Array("hide_default", true, "rewrite", true, "redirect_lang", false,
		"force_lang", 3, "default_lang", "en", "domains", sitemaptest.Array("en", "https://small.test", "fr", "https://petit.test"))))
	const posts, home = "https://petit.test/bonjour/ 2024-01-02T10:00:00+00:00\n", "https://small.test/ "
	for show, want := range map[string]map[string]string{
		"posts": {
			"page": "https://petit.test/ \nhttps://petit.test/a-propos/ 2024-01-12T10:00:00+00:00\n", "?page": home + "\n",
			"post": "https://petit.test/ 2024-01-07T10:00:00+00:00\n" + posts, "?post": home + "2024-01-07T10:00:00+00:00\n",
		},
		"page": {"page": "https://petit.test/ 2024-01-12T10:00:00+00:00\n", "?page": home + "\n", "post": posts, "?post": ""},
	} {
		front := map[string]string{"posts": "0", "page": "1012"}[show]
		wptest.Exec(t, dsn, sitemaptest.SetOption("show_on_front", show), sitemaptest.SetOption("page_on_front", front))
		french := sitemaptest.Open(t, wp.Source{DSN: dsn})[1]
		c := sitemaptest.Build(t, french, seo.Options{Compat: seo.PluginLevel})
		for name, text := range want {
			expect.Equal(t, sitemaptest.Parse(t, sitemaptest.Render(t, c, name, 1).Body).String(), text, show, name)
		}
	}
}

// An https address below an http home is internal at level plugin only. An address of another host never is.
func TestSchemeOfHome(t *testing.T) {
	t.Parallel()
	for level, want := range map[seo.Level]bool{seo.SpecLevel: false, seo.PluginLevel: true} {
		rules := sitemaptest.Of(t, "small", seo.Options{Compat: level}, sitemaptest.SetOption("home", "http://small.test")).Rules
		expect.Equal(t, rules.IsInternal("https://small.test/a/", ""), want, level)
		expect.Equal(t, rules.IsInternal("https://other.test/a/", ""), false, level)
	}
}

// An editor is sent to the page of WordPress that has the setting.
func TestWhereToChange(t *testing.T) {
	t.Parallel()
	rules := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel},
		sitemaptest.SetOption("wpseo_titles", sitemaptest.Array("noindex-tax-post_format", true, "noindex-tax-mood", true))).Rules
	for name, want := range map[string]string{"post_format": "Format archives", "mood": "Content types"} {
		expect.Contains(t, rules.Settings.Taxonomy(&registry.Taxonomy{Name: name}).Do, want, name)
	}
	for want, s := range map[string]seo.Subject{"user's profile": {Author: new(address.Author)}, "Advanced tab": {Post: new(address.Post)}} {
		s.Rules = rules
		_, do := s.Words(seo.MetaNoindex)
		expect.Contains(t, do, want)
	}
}

// Rules that changed follow the installed version at level plugin.
func TestRulesByVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{"15.3": true, "15.4": false} {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel}, versioned(version), sitemaptest.Picture(1051, "2024/01/a.jpg"),
			sitemaptest.SetOption("wpseo_titles", sitemaptest.Array("disable-attachment", false)),
			sitemaptest.Insert(sitemaptest.Row{ID: 1001, Name: "a"}),
			`UPDATE wp_posts SET post_parent = 1001 WHERE ID = 1051`)
		expect.Equal(t, slices.Contains(sitemaptest.Images(t, c, "attachment", ""), "https://small.test/wp-content/uploads/2024/01/a.jpg"), want,
			version)
		expect.List(t, sitemaptest.Images(t, c, "post", ""), nil, version)
	}
	for version, want := range map[string]int{"27.7": 2, "27.8": 0} {
		for _, level := range sitemaptest.Levels {
			c := sitemaptest.Of(t, "small small-order", seo.Options{Compat: level}, versioned(version))
			expect.Equal(t, c.LeftOut[seo.NoUserLevel], want, version, level)
		}
	}
}

// If Yoast WooCommerce SEO is active, the archive of products is listed only if the shop page is set and not noindex.
func TestShopPage(t *testing.T) {
	t.Parallel()
	addOn := sitemaptest.With(true, "woocommerce/woocommerce.php", "wpseo-woocommerce/wpseo-woocommerce.php")
	const noindex = `INSERT INTO wp_postmeta (post_id, meta_key, meta_value)
		SELECT option_value, '_yoast_wpseo_meta-robots-noindex', '1' FROM wp_options WHERE option_name = 'woocommerce_shop_page_id'`
	for change, want := range map[string]bool{addOn: true, noindex: false, sitemaptest.SetOption("woocommerce_shop_page_id", "0"): false} {
		c := sitemaptest.Of(t, strings.Join(sitemaptest.Seeds(t)["woo"], " "), seo.Options{Compat: seo.PluginLevel}, addOn, change)
		expect.Equal(t, slices.Contains(sitemaptest.Listed(t, c, "product"), "/store/"), want, change)
	}
}

// The settings of terms: noindex and a canonical URL are explained by the option that holds them, and categories can lose their base.
func TestSettingsOfTerms(t *testing.T) {
	t.Parallel()
	meta := func(key, value string) string {
		return sitemaptest.SetOption("wpseo_taxonomy_meta", sitemaptest.Array("category", sitemaptest.Array(2011, sitemaptest.Array(key, value))))
	}
	for _, tt := range []struct{ sql, rule, option, value string }{
		{meta("wpseo_noindex", "noindex"), "noindex", "[wpseo_noindex]", `"noindex"`},
		{meta("wpseo_canonical", "https://elsewhere.test/"), "canonical elsewhere", "[wpseo_canonical]", `"https://elsewhere.test/"`},
	} {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel},
			append(slices.Clip(sitemaptest.AioseoSite), sitemaptest.YoastActive, tt.sql)...)
		x := sitemaptest.Explain(t, c, "https://small.test/category/out/")
		if x.In || x.Rule != tt.rule || !slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool {
			return strings.HasSuffix(e.Source, "wpseo_taxonomy_meta[category][2011]"+tt.option) && e.Value == tt.value
		}) {
			t.Errorf("%s: %+v", tt.rule, x)
		}
	}
	for _, level := range sitemaptest.Levels {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: level}, append(slices.Clip(sitemaptest.AioseoSite), sitemaptest.YoastActive,
			sitemaptest.SetOption("wpseo_titles", sitemaptest.Array("stripcategorybase", true)),
			sitemaptest.SetOption("permalink_structure", "/%category%/%postname%/"),
			"INSERT INTO wp_terms (term_id, name, slug) VALUES (2012, 'In', 'in')",
			"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (2012, 2012, 'category', '', 0, 1)",
			"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (2004, 2012)",
			sitemaptest.MetaRow(2004, "_yoast_wpseo_primary_category", "2012"))...)
		expect.List(t, sitemaptest.PathsIn(t, c, "category"), []string{"/in/", "/out/"}, level)
		if posts := sitemaptest.Listed(t, c, "post"); !slices.Contains(posts, "/in/by-term/") {
			t.Errorf("%s: %s", level, posts)
		}
	}
}
