package seopress_test

import (
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

var box = sitemaptest.Array("include", "1")

// lists returns the statement that ticks types and taxonomies, and images. The names of taxonomies begin with "+".
func lists(names ...string) string {
	var types, taxonomies []any
	for _, name := range names {
		if taxonomy, ok := strings.CutPrefix(name, "+"); ok {
			taxonomies = append(taxonomies, taxonomy, box)
		} else {
			types = append(types, name, box)
		}
	}
	return sitemaptest.SetOption("seopress_xml_sitemap_option_name", sitemaptest.Array("seopress_xml_sitemap_general_enable", "1",
		"seopress_xml_sitemap_img_enable", "1", "seopress_xml_sitemap_post_types_list", sitemaptest.Array(types...),
		"seopress_xml_sitemap_taxonomies_list", sitemaptest.Array(taxonomies...)))
}

// What the sitemaps of SEOPress contain at level plugin: images, the order of terms, archives, and what the query leaves out.
func TestListsOfThePlugin(t *testing.T) {
	t.Parallel()
	const none = "DELETE FROM wp_postmeta WHERE meta_key = '_thumbnail_id'"
	plain := "/plain/ 2024-02-01T11:00:00+00:00\n"
	shop := []string{sitemaptest.Activate("woocommerce/woocommerce.php", "wp-seopress/seopress.php"),
		sitemaptest.SetOption("seopress_toggle", sitemaptest.Array("toggle-xml-sitemap", "1", "toggle-advanced", "1"))}
	order := func(pairs string) string {
		return "INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES " + pairs
	}
	advanced := func(key string) string {
		return sitemaptest.SetOption("seopress_advanced_option_name", sitemaptest.Array(key, "1"))
	}
	attributes := func(by string) []string {
		return []string{lists("product", "+pa_colour"), order("(54, 'order', '1'), (90, 'order', '2')"),
			"UPDATE wp_woocommerce_attribute_taxonomies SET attribute_orderby = '" + by + "'",
			"INSERT INTO wp_terms (term_id, name, slug) VALUES (90, 'Blue', 'blue')",
			"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (1090, 90, 'pa_colour', '', 0, 1)",
			"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (302, 1090)"}
	}
	for _, tt := range []struct {
		rule, seeds string
		sql         []string
		name        string
		want        string // the end of the sitemap
	}{
		{"images of the content, then the featured one", "small",
			[]string{none, sitemaptest.Picture(2051, "2024/01/a.jpg"), sitemaptest.MetaRow(1001, "_thumbnail_id", "2051"),
				`UPDATE wp_posts SET post_content = '<img src="/x.jpg?q=1"><img src="rel.jpg"><img src="https://cdn.test/y.jpg?z=1#f"><img src="data:image/png;base64,AA">'
				WHERE ID = 1001`}, "post", plain + "\t//x.jpg\n\t/rel.jpg\n\thttps://cdn.test/y.jpg\n\t/wp-content/uploads/2024/01/a.jpg\n"},
		{"no images if they are not ticked", "small", []string{none, sitemaptest.Picture(2051, "2024/01/a.jpg"),
			sitemaptest.MetaRow(1001, "_thumbnail_id", "2051"),
			strings.Replace(lists("post"), `img_enable";s:1:"1"`, `img_enable";s:1:"0"`, 1),
			`UPDATE wp_posts SET post_content = '<img src="/x.jpg">'`}, "post", plain},
		{"the gallery of a product in its order, then the featured image", "basic woo",
			append(slices.Clip(shop), lists("product"), sitemaptest.Picture(2051, "2024/01/a.jpg"),
				sitemaptest.Picture(2052, "2024/01/b.jpg"), sitemaptest.Picture(2053, "2024/01/c.jpg"),
				sitemaptest.MetaRow(301, "_product_image_gallery", "2052, 2051,,x,-3,9999"),
				sitemaptest.MetaRow(301, "_thumbnail_id", "2053")), "product",
			"/store/deck/lines/rope/ 2024-08-22T12:00:00+02:00\n\t/wp-content/uploads/2024/01/b.jpg\n" +
				"\t/wp-content/uploads/2024/01/a.jpg\n\t/wp-content/uploads/2024/01/c.jpg\n"},
		{"the gallery of another type does not count", "small", []string{none, sitemaptest.Picture(2051, "2024/01/a.jpg"),
			sitemaptest.MetaRow(1001, "_product_image_gallery", "2051")}, "post", plain},
		{"terms of products by name", "basic woo", append(slices.Clip(shop), lists("product", "+product_cat")), "product_cat",
			"/aisle/deck/ \n/aisle/light/ \n/aisle/deck/lines/ \n"},
		{"terms of products by their number, those without one first", "basic woo", append(slices.Clip(shop), lists("product", "+product_cat"),
			order("(50, 'order', '2'), (52, 'order', '1')")), "product_cat", "/aisle/deck/lines/ \n/aisle/light/ \n/aisle/deck/ \n"},
		{"attributes that are sorted by hand", "basic woo", append(slices.Clip(shop), attributes("menu_order")...), "pa_colour",
			"/spec/colour/red/ \n/spec/colour/blue/ \n"},
		{"so are those without an order", "basic woo", append(slices.Clip(shop), attributes(" ")...), "pa_colour",
			"/spec/colour/red/ \n/spec/colour/blue/ \n"},
		{"attributes that are sorted by name", "basic woo", append(slices.Clip(shop), attributes("name")...), "pa_colour",
			"/spec/colour/blue/ \n/spec/colour/red/ \n"},
		{"numbers of other terms do not count", "small", []string{order("(1021, 'order', '9'), (1024, 'order', '1')"),
			`INSERT INTO wp_terms (term_id, name, slug) VALUES (1024, 'Quite', 'quite')`,
			`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (1024, 1024, 'category', '', 0, 1)`}, "category",
			"/category/plain-term/ \n/category/quite/ \n"},
		{"categories without their base", "small", []string{advanced("seopress_advanced_advanced_category_url")}, "category", "/plain-term/ \n"},
		{"categories of products without their base", "basic woo", append(slices.Clip(shop), lists("product", "+product_cat"),
			advanced("seopress_advanced_advanced_product_cat_url")), "product_cat", "/deck/ \n/light/ \n/deck/lines/ \n"},
		{"advanced settings without their module", "small", []string{advanced("seopress_advanced_advanced_category_url"),
			sitemaptest.SetOption("seopress_toggle", sitemaptest.Array("toggle-xml-sitemap", "1"))}, "category", "/category/plain-term/ \n"},
		{"attachments of any parent with the status inherit", "small",
			append(slices.Clip(sitemaptest.TreeRows), lists("attachment"), sitemaptest.Insert(
				sitemaptest.Row{ID: 9020, Type: "attachment", Status: "publish", Name: "published"},
				sitemaptest.Row{ID: 9021, Type: "attachment", Status: "inherit", Name: "alone"})),
			"attachment", "/two-parts/picture/ 2024-01-01T10:00:00+00:00\n/alone/ 2024-01-01T10:00:00+00:00\n"},
		{"the index has no date of attachments", "small", append(slices.Clip(sitemaptest.TreeRows), lists("attachment")), seo.IndexName,
			"/attachment-sitemap1.xml \n"},
		{"dates before 8.9 are those of the UTC column", "small", []string{versioned("8.8"), lists("post"),
			"UPDATE wp_posts SET post_modified_gmt = '2024-02-20 10:00:00' WHERE ID = 1001"}, seo.IndexName,
			"/post-sitemap1.xml 2024-02-20T10:00:00+00:00\n"},
		{"before 8.9 posts that are noindex count for the date", "small", []string{versioned("8.8"), lists("post"),
			"UPDATE wp_posts SET post_modified_gmt = '2024-02-21 10:00:00' WHERE ID = 1002"}, seo.IndexName,
			"/post-sitemap1.xml 2024-02-21T10:00:00+00:00\n"},
		{"since 8.9 they do not, nor do those with a canonical URL", "small", []string{versioned("8.9"), lists("post"),
			"UPDATE wp_posts SET post_modified = '2024-02-21 10:00:00' WHERE ID IN (1002, 1005)"}, seo.IndexName,
			"/post-sitemap1.xml 2024-02-08T11:00:00+00:00\n"},
		{"drafts never do", "small", []string{lists("post"), "UPDATE wp_posts SET post_status = 'draft' WHERE ID = 1008"}, seo.IndexName,
			"/post-sitemap1.xml 2024-02-06T11:00:00+00:00\n"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			sql := tt.sql
			if tt.seeds == "small" {
				sql = append(slices.Clip(sitemaptest.SeopressSite), tt.sql...)
			}
			got := sitemaptest.Text(t, sitemaptest.Of(t, tt.seeds, seo.Options{Compat: seo.PluginLevel}, sql...), tt.name)
			if !strings.HasSuffix(got, tt.want) {
				t.Errorf("it ends in\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// The archives of a type are listed in each visible language, and so are the translations of the posts page. Home is listed once.
func TestArchivesOfLanguages(t *testing.T) {
	t.Parallel()
	yes, slug := true, "songs"
	o := registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"song": {Public: &yes, Slug: &slug, Archive: &yes}}}
	const polylang, wpml = "polylang/polylang.php", "sitepress-multilingual-cms/sitepress.php"
	posts := []string{sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_for_posts", "1011")}
	noindex := sitemaptest.SetOption("seopress_titles_option_name", sitemaptest.Array("seopress_titles_archive_titles",
		sitemaptest.Array("song", sitemaptest.Array("noindex", "1"))))
	hideGerman := `UPDATE wp_term_taxonomy SET description = 'a:2:{s:6:"locale";s:5:"de_DE";s:6:"active";b:0;}' WHERE term_taxonomy_id = 2033`
	domains := `UPDATE wp_options SET option_value = REPLACE(REPLACE(option_value, 's:10:"force_lang";i:1', 's:10:"force_lang";i:2'), 'x', 'x') WHERE option_name = 'polylang'`
	for _, tt := range []struct {
		rule, seed, plugin string
		sql                []string
		songs, posts       string // the addresses without a date
	}{
		{"Polylang", "small-polylang", polylang, nil, "/songs/ /fr/songs/ /de/songs/", "/"},
		{"Polylang, a hidden language", "small-polylang", polylang, []string{hideGerman}, "/songs/ /fr/songs/", "/"},
		{"Polylang, a host for each language", "small-polylang", polylang, []string{domains}, "/songs/", "/"},
		{"Polylang, a posts page", "small-polylang", polylang, posts, "/songs/ /fr/songs/ /de/songs/", "/about/ /fr/a-propos/"},
		{"Polylang, an archive that is noindex", "small-polylang", polylang, []string{noindex}, "", "/"},
		{"WPML", "small-wpml", wpml, nil, "/songs/ /de/songs/ /fr/songs/", "/"},
		{"WPML, a posts page", "small-wpml", wpml, posts, "/songs/ /de/songs/ /fr/songs/", "/about/ /fr/a-propos/"},
		{"WPML, a posts page that is gone", "small-wpml", wpml, []string{posts[0], sitemaptest.SetOption("page_for_posts", "999")},
			"/songs/ /de/songs/ /fr/songs/", ""},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small", tt.seed)
		wptest.Exec(t, dsn, append([]string{sitemaptest.SeopressSite[0], sitemaptest.Activate("wp-seopress/seopress.php", tt.plugin),
			lists("song", "post"),
			sitemaptest.Insert(sitemaptest.Row{ID: 3001, Type: "song", Name: "hey"}),
			`UPDATE wp_options SET option_value = REPLACE(option_value, 's:10:"post_types";a:0:{}', 's:10:"post_types";a:1:{i:0;s:4:"song";}') WHERE option_name = 'polylang'`,
			`UPDATE wp_options SET option_value = REPLACE(option_value, 's:10:"attachment";i:0;', 's:4:"song";i:1;') WHERE option_name = 'icl_sitepress_settings'`,
		}, tt.sql...)...)
		c := sitemaptest.Build(t, sitemaptest.Open(t, wp.Source{DSN: dsn, Overrides: o})[0], seo.Options{Compat: seo.PluginLevel})
		for name, want := range map[string]string{"song": tt.songs, "post": tt.posts} {
			var undated []string
			for line := range strings.Lines(sitemaptest.Text(t, c, name)) {
				if path, date, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); date == "" {
					undated = append(undated, path)
				}
			}
			expect.Equal(t, strings.Join(undated, " "), want, tt.rule, name)
		}
	}
}

// The sitemaps answer if both switches are on. SEOPress PRO is named, because its settings are not read.
func TestSwitchesOfSEOPress(t *testing.T) {
	t.Parallel()
	site := func(more ...string) *sitemap.Catalog {
		return sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel}, append(slices.Clone(sitemaptest.SeopressSite), more...)...)
	}
	for _, tt := range []struct{ rule, sql, plugin, why, warning, index string }{
		{"on", "", "SEOPress", "SEOPress is active", "", "https://small.test/sitemaps.xml"},
		{"the module is off", sitemaptest.SetOption("seopress_toggle", "a:0:{}"), "WordPress", "switched off (seopress_toggle[toggle-xml-sitemap])",
			"",
			"https://small.test/wp-sitemap.xml"},
		{"the sitemaps are off", sitemaptest.SetOption("seopress_xml_sitemap_option_name",
			sitemaptest.Array("seopress_xml_sitemap_general_enable", "0")), "SEOPress",
			"switched off (seopress_xml_sitemap_option_name[seopress_xml_sitemap_general_enable])", "", ""},
		{"a number is not the text 1", sitemaptest.SetOption("seopress_xml_sitemap_option_name",
			sitemaptest.Array("seopress_xml_sitemap_general_enable", 1)), "SEOPress",
			"switched off", "", ""},
		{"PRO", sitemaptest.Activate("wp-seopress/seopress.php", "wp-seopress-pro/seopress-pro.php"), "SEOPress", "SEOPress is active",
			"SEOPress PRO is active.",
			"https://small.test/sitemaps.xml"},
	} {
		c := site(tt.sql)
		expect.Equal(t, c.Plugin(), tt.plugin, tt.rule)
		expect.Contains(t, c.Whose.Why(), tt.why, tt.rule)
		expect.Equal(t, strings.HasPrefix(c.Whose.Warning(), tt.warning) && (tt.warning != "" || c.Whose.Warning() == ""), true, tt.rule,
			c.Whose.Warning())
		index := ""
		if files := c.Files(); len(files) > 0 {
			index = files[0].URL
		}
		expect.Equal(t, index, tt.index, tt.rule)
	}
	authors := site(lists("post"))
	expect.Equal(t, authors.List("author").Indexed, false, "authors that are not ticked")
	expect.Equal(t, sitemaptest.Text(t, authors, "author"), "", "authors that are not ticked")
	expect.Equal(t, sitemaptest.Text(t, authors, "?author"), "/author/ann/ \n/author/bo/ \n", "by the query variable")
}
