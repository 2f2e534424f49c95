package rankmath_test

import (
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/rankmath"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest/expect"
)

// What the sitemaps of Rank Math contain by its settings: images, orders, dates, types, terms and users.
func TestListsOfThePlugin(t *testing.T) {
	t.Parallel()
	array := sitemaptest.Array
	const spec, plugin = seo.SpecLevel, seo.PluginLevel
	options := func(more ...any) string {
		return sitemaptest.SetOption("rank-math-options-sitemap",
			array(append([]any{"items_per_page", "200", "authors_sitemap", "on", "include_images", "on",
				"pt_post_sitemap", "on", "pt_page_sitemap", "on", "tax_category_sitemap", "on"}, more...)...))
	}
	titles := func(pairs ...any) string { return sitemaptest.SetOption("rank-math-options-titles", array(pairs...)) }
	general := func(pairs ...any) string { return sitemaptest.SetOption("rank-math-options-general", array(pairs...)) }
	version := func(v string) string { return sitemaptest.SetOption("rank_math_version", v) }
	userMeta := func(rows string) string {
		return "INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES " + rows
	}
	term := func(rows, taxonomies string) []string {
		return []string{"INSERT INTO wp_terms (term_id, name, slug) VALUES " + rows,
			"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES " + taxonomies}
	}
	pictures := []string{
		"DELETE FROM wp_postmeta WHERE meta_key = '_thumbnail_id'", sitemaptest.Picture(2051, "2024/01/a.jpg"),
		sitemaptest.Picture(2052, "2024/01/b.jpg"),
		sitemaptest.MetaRow(1001, "_thumbnail_id", "2051"), sitemaptest.MetaRow(1003, "_thumbnail_id", "2052"),
		sitemaptest.MetaRow(2052, "rank_math_exclude_sitemap", "1"),
		`UPDATE wp_posts SET post_content = '<img src="/x.jpg"><img src="/y.jpg?a=1&amp;b=2">' WHERE ID = 1001`,
		sitemaptest.MetaRow(1001, "hero", "https://small.test/hero.PNG"), sitemaptest.MetaRow(1001, "other", "https://small.test/other.pdf"),
		sitemaptest.MetaRow(1003, "hero", "hero.jpg"),
	}
	empty := term("(1030, 'E', 'e')", "(1030, 1030, 'category', '', 0, 0)")
	tags := append(term("(1040, 'T1', 't1'), (1041, 'T2', 't2')", "(1040, 1040, 'post_tag', '', 0, 1), (1041, 1041, 'post_tag', '', 0, 1)"),
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1003, 1040), (1005, 1041)",
		"INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (1040, 'rank_math_robots', '"+array(0, "index")+"')")
	users := []string{"UPDATE wp_users SET user_registered = '2020-02-02 10:00:00'", userMeta("(1001, 'last_update', '1600000000')"),
		"DELETE FROM wp_usermeta WHERE user_id IN (1002, 1003) AND meta_key = 'rank_math_robots'", options("exclude_roles", "a:0:{}")}
	static := []string{sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_on_front", "1011"),
		sitemaptest.SetOption("page_for_posts", "1012"),
		titles("x", "y"), sitemaptest.Insert(sitemaptest.Row{ID: 1013, Type: "page", Name: "third", Date: "2024-03-01 10:00:00"},
			sitemaptest.Row{ID: 1014, Type: "page", Name: "fourth", Date: "2024-01-02 10:00:00"})}
	attachments := func(more ...string) []string {
		return append(append(slices.Clip(sitemaptest.TreeRows), options("pt_attachment_sitemap", "on")), more...)
	}
	const files = "/two-parts/picture/ 2024-01-01T10:00:00+00:00\n"
	for _, tt := range []struct {
		rule  string
		level seo.Level
		sql   []string
		name  string
		want  string // the end of the sitemap; "" if it does not exist
	}{
		{"featured image, images without &, custom fields", plugin, append(slices.Clip(pictures), options("include_featured_image", "on",
			"pt_post_image_customfields", "hero\n other \n\nnone")), "post",
			"/nofollow/ 2024-02-03T10:00:00+00:00\n/plain/ 2024-02-01T10:00:00+00:00\n\t/wp-content/uploads/2024/01/a.jpg\n\t/x.jpg\n\t/hero.PNG\n"},
		{"no featured images", plugin, append(slices.Clip(pictures), options("include_featured_image", "off")), "post",
			"/plain/ 2024-02-01T10:00:00+00:00\n\t/x.jpg\n"},
		{"no images", plugin, append(slices.Clip(pictures), options("include_images", "off", "include_featured_image", "on")), "post",
			"/plain/ 2024-02-01T10:00:00+00:00\n"},
		{"pages of the stored size, the index with the dates of single posts", plugin, []string{options("items_per_page", "2")}, seo.IndexName,
			"/post-sitemap1.xml 2024-02-09T10:00:00+00:00\n/post-sitemap2.xml 2024-02-08T10:00:00+00:00\n" +
				"/post-sitemap3.xml 2024-02-07T10:00:00+00:00\n" +
				"/post-sitemap4.xml 2024-02-06T10:00:00+00:00\n/page-sitemap.xml 2024-02-12T10:00:00+00:00\n" +
				"/category-sitemap.xml 2024-02-01T10:00:00+00:00\n/author-sitemap.xml \n"},
		{"no size is a hundred", plugin, []string{options("items_per_page", "0")}, seo.IndexName, "/page-sitemap.xml 2024-02-12T10:00:00+00:00\n" +
			"/category-sitemap.xml 2024-02-01T10:00:00+00:00\n/author-sitemap.xml \n"},
		{"the front page is the first of its page", plugin, append(slices.Clip(static), options("items_per_page", "9")), "page",
			"/ 2024-02-11T10:00:00+00:00\n/third/ 2024-03-01T10:00:00+00:00\n/fourth/ 2024-01-02T10:00:00+00:00\n"},
		{"but not of another page", plugin, append(slices.Clip(static), options("items_per_page", "1")), "page",
			"/third/ 2024-03-01T10:00:00+00:00\n"},
		{"the posts page with the date of its own", plugin, append(slices.Clip(static), options("items_per_page", "1")), "post",
			"/with-index/ 2024-02-12T10:00:00+00:00\n/by-id/ 2024-02-09T10:00:00+00:00\n"},
		{"never saved: no tags", plugin, []string{"DELETE FROM wp_options WHERE option_name LIKE 'rank-math-options-%'"}, seo.IndexName,
			"/post-sitemap.xml 2024-02-09T10:00:00+00:00\n/page-sitemap.xml 2024-02-12T10:00:00+00:00\n" +
				"/category-sitemap.xml 2024-02-01T10:00:00+00:00\n"},
		{"excluded terms, and empty ones", plugin, append(slices.Clip(empty), options("exclude_terms", "1021", "tax_category_include_empty", "on")),
			"category",
			"/category/e/ \n"},
		{"empty terms that are noindex", spec, append(slices.Clip(empty), options("exclude_terms", "1021", "tax_category_include_empty", "on"),
			titles("noindex_empty_taxonomies", "on")), "category", ""},
		{"empty terms that are not", spec, append(slices.Clip(empty), options("exclude_terms", "1021", "tax_category_include_empty", "on"),
			titles("noindex_empty_taxonomies", "off")), "category", "/category/e/ \n"},
		{"empty terms that are not included", spec, append(slices.Clip(empty), options("exclude_terms", "1021")), "category", ""},
		{"a noindex taxonomy lists terms that are index", plugin, append(slices.Clip(tags), options("tax_post_tag_sitemap", "on"),
			titles("tax_post_tag_custom_robots", "on", "tax_post_tag_robots", array(0, "noindex"))), "post_tag",
			"/tag/t1/ 2024-02-03T10:00:00+00:00\n"},
		{"and has their date in the index", plugin, append(slices.Clip(tags), options("tax_post_tag_sitemap", "on"),
			titles("tax_post_tag_custom_robots", "on", "tax_post_tag_robots", array(0, "noindex"))), seo.IndexName,
			"/post_tag-sitemap.xml 2024-02-03T10:00:00+00:00\n/author-sitemap.xml \n"},
		{"terms by id", plugin, append(slices.Clip(tags), options("tax_post_tag_sitemap", "on"),
			"UPDATE wp_terms SET name = 'A' WHERE term_id = 1041"), "post_tag",
			"/tag/t1/ 2024-02-03T10:00:00+00:00\n/tag/t2/ 2024-02-05T10:00:00+00:00\n"},
		{"categories without their base", plugin, []string{general("strip_category_base", "on")}, "category",
			"/plain-term/ 2024-02-01T10:00:00+00:00\n"},
		{"authors with a base and a slug", plugin, []string{titles("url_author_base", "Our Team!"),
			userMeta("(1001, 'rank_math_permalink', 'annie')")}, "author",
			"/our-team/annie/ \n"},
		{"archives of authors are off", plugin, []string{titles("disable_author_archives", "on")}, "author", ""},
		{"authors are noindex", plugin, []string{titles("author_custom_robots", "on", "author_robots", array(0, "noindex"))}, "author", ""},
		{"authors have robots of their own", plugin, []string{titles("author_custom_robots", "on", "author_robots", array(0, "index"))}, "author",
			"/author/ann/ \n"},
		{"authors have no sitemap", plugin, []string{options("authors_sitemap", "off")}, "author", ""},
		{"authors by their last update, then by their registration", plugin, users, "author",
			"/author/ann/ 2020-09-13T12:26:40+00:00\n/author/bo/ 2020-02-02T10:00:00+00:00\n/author/cy/ 2020-02-02T10:00:00+00:00\n"},
		{"the index has the last update", plugin, users, seo.IndexName, "/author-sitemap.xml 2020-09-13T12:26:40+00:00\n"},
		{"before 1.0.210, that of the first author", plugin, append(slices.Clip(users), version("1.0.209"),
			userMeta("(1003, 'last_update', '1700000000')")), seo.IndexName,
			"/author-sitemap.xml 2023-11-14T22:13:20+00:00\n"},
		{"global noindex of types without robots", plugin, []string{titles("robots_global", array(0, "noindex"))}, "category", ""},
		{"the date of a type without noindex posts", plugin,
			[]string{"UPDATE wp_posts SET post_modified_gmt = '2024-05-05 10:00:00' WHERE ID = 1002"}, seo.IndexName,
			"/post-sitemap.xml 2024-02-09T10:00:00+00:00\n/page-sitemap.xml 2024-02-12T10:00:00+00:00\n" +
				"/category-sitemap.xml 2024-02-01T10:00:00+00:00\n/author-sitemap.xml \n"},
		{"before 1.0.208, with them", plugin, []string{version("1.0.207"),
			"UPDATE wp_posts SET post_modified_gmt = '2024-05-05 10:00:00' WHERE ID = 1002"}, seo.IndexName,
			"/post-sitemap.xml 2024-05-05T10:00:00+00:00\n/page-sitemap.xml 2024-02-12T10:00:00+00:00\n" +
				"/category-sitemap.xml 2024-02-01T10:00:00+00:00\n/author-sitemap.xml \n"},
		{"attachments", plugin, attachments(general("attachment_redirect_urls", "off")), "attachment", files},
		{"the newest date of attachments with the status inherit", plugin, attachments(general("attachment_redirect_urls", "off"), version("1.0.202"),
			"UPDATE wp_posts SET post_modified_gmt = '2024-04-04 10:00:00', post_modified = '2024-04-04 10:00:00' WHERE ID = 9006"), seo.IndexName,
			"/attachment-sitemap.xml 2024-04-04T10:00:00+00:00\n/category-sitemap.xml 2024-02-01T10:00:00+00:00\n/author-sitemap.xml \n"},
		{"the changes of attachments, page by page", plugin, attachments(general("attachment_redirect_urls", "off"), version("1.0.202"),
			options("pt_attachment_sitemap", "on", "items_per_page", "1", "pt_post_sitemap", "off", "pt_page_sitemap", "off", "tax_category_sitemap",
				"off"),
			"UPDATE wp_posts SET post_modified_gmt = '2024-04-04 10:00:00', post_modified = '2024-04-04 10:00:00' WHERE ID = 9006"), seo.IndexName,
			"/attachment-sitemap.xml 2024-04-04T10:00:00+00:00\n/author-sitemap1.xml \n/author-sitemap2.xml \n"},
		{"attachments redirect", plugin, attachments(general("attachment_redirect_urls", "on")), "attachment", ""},
		{"attachments redirect if nothing is stored", plugin, attachments(), "attachment", ""},
		{"attachments with the status inherit, from 1.0.203 to 1.0.210", plugin,
			attachments(general("attachment_redirect_urls", "off"), version("1.0.204")), "attachment", ""},
		{"attachments that are published, from 1.0.203", plugin, attachments(general("attachment_redirect_urls", "off"), version("1.0.204"),
			"UPDATE wp_posts SET post_status = 'publish' WHERE ID = 9006"), "attachment", files},
		{"attachments before 1.0.203", plugin, attachments(general("attachment_redirect_urls", "off"), version("1.0.202")), "attachment", files},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			c := sitemaptest.Of(t, "small", seo.Options{Compat: tt.level}, append(slices.Clip(sitemaptest.RankMathSite), tt.sql...)...)
			got := sitemaptest.Text(t, c, tt.name)
			if !strings.HasSuffix(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("it ends in\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// A shop has the archive of products at its shop page, the galleries of products, and bases that can be removed.
func TestShopOfRankMath(t *testing.T) {
	t.Parallel()
	array := sitemaptest.Array
	site := func(modules string, pairs ...any) []string {
		return []string{sitemaptest.Activate("woocommerce/woocommerce.php", "seo-by-rank-math/rank-math.php"),
			sitemaptest.SetOption("rank_math_registration_skip", "1"),
			sitemaptest.SetOption("rank_math_modules", modules), sitemaptest.SetOption("rank-math-options-general", array(pairs...)),
			sitemaptest.SetOption("rank-math-options-sitemap",
				array("include_images", "on", "pt_product_sitemap", "on", "tax_product_cat_sitemap", "on")),
			sitemaptest.Picture(2051, "2024/01/a.jpg"), sitemaptest.Picture(2052, "2024/01/b.jpg"),
			sitemaptest.MetaRow(301, "_product_image_gallery", "2052,x, 2051")}
	}
	shop, alone := array(0, "sitemap", 1, "woocommerce"), array(0, "sitemap")
	const home, rope = "/store/ 2024-08-24T10:00:00+00:00\n", " 2024-08-22T10:00:00+00:00\n"
	const gallery = "\t/wp-content/uploads/2024/01/b.jpg\n\t/wp-content/uploads/2024/01/a.jpg\n"
	for _, tt := range []struct {
		rule     string
		sql      []string
		archive  string
		products string // the last one
		terms    string
	}{
		{"as WooCommerce has them", site(shop), home, "/store/deck/lines/rope/" + rope + gallery, "/aisle/deck/lines/"},
		{"without the module of shops", site(alone, "wc_remove_product_base", "on", "wc_remove_category_base", "on"), home,
			"/store/deck/lines/rope/" + rope, "/aisle/deck/lines/"},
		{"products without their base", site(shop, "wc_remove_product_base", "on"), home, "/rope/" + rope + gallery, "/aisle/deck/lines/"},
		{"categories without their base", site(shop, "wc_remove_category_base", "on"), home, "/store/deck/lines/rope/" + rope + gallery,
			"/deck/lines/"},
		{"categories without those above", site(shop, "wc_remove_category_parent_slugs", "on"), home, "", "/aisle/lines/"},
		{"a draft as shop page", append(site(shop), "UPDATE wp_posts SET post_status = 'draft' WHERE ID = 300"), "", "/store/deck/lines/rope/" +
			rope + gallery, ""},
		{"the shop page as front page", append(site(shop), sitemaptest.SetOption("show_on_front", "page"),
			sitemaptest.SetOption("page_on_front", "300")), "",
			"/store/deck/lines/rope/" + rope + gallery, ""},
	} {
		c := sitemaptest.Of(t, "basic woo", seo.Options{Compat: seo.PluginLevel}, tt.sql...)
		products := sitemaptest.Text(t, c, "product")
		expect.Equal(t, strings.HasPrefix(products, home), tt.archive != "", tt.rule, products)
		if !strings.HasSuffix(products, tt.products) {
			t.Errorf("%s: the products end in\n%s\nwant\n%s", tt.rule, products, tt.products)
		}
		expect.Contains(t, sitemaptest.Text(t, c, "product_cat"), tt.terms+" ", tt.rule)
	}
}

// The plugin takes a link for its own if the host is the same and home's path is in its path.
func TestInternal(t *testing.T) {
	t.Parallel()
	for home, links := range map[string]map[string]bool{
		"https://small.test": {"/x/": true, "https://small.test/x/": true, "https://SMALL.test": true, "https://small.test?x=1": true,
			"http://small.test/":      true,
			"https://www.small.test/": false, "https://other.test/small.test/": false},
		"https://small.test/blog": {"https://small.test/blog/x/": true, "https://small.test/x/": false, "https://small.test/x/blog/": true,
			"https://small.test/blogs/": true, "https://small.test?x": false},
	} {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel},
			append(slices.Clip(sitemaptest.RankMathSite), sitemaptest.SetOption("home", home))...)
		for link, want := range links {
			expect.Equal(t, rankmath.PluginLevel{}.Internal(c.Rules, link, ""), want, home, link)
		}
	}
}

// A user that is left out because of its role is explained by that role. Without the set-up the plugin makes no sitemaps.
func TestReasonsOfRankMath(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel}, append(slices.Clip(sitemaptest.RankMathSite), sitemaptest.SetOption(
		"rank-math-options-sitemap", sitemaptest.Array("authors_sitemap", "on", "include_authors_without_posts", "on", "exclude_roles",
			sitemaptest.Array(0, "subscriber"))))...)
	x := sitemaptest.Explain(t, c, "https://small.test/author/bo/")
	stored := ""
	for _, e := range x.Evidence {
		stored += e.Source + "=" + e.Value + " " + e.Of + "\n"
	}
	expect.Equal(t, x.Rule, "role excluded")
	expect.Equal(t, stored,
		"wp_options.rank-math-options-sitemap[exclude_roles]=\"subscriber\" \nwp_usermeta.capabilities of this site=\"subscriber\" author 1002\n")
	c = sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel}, append(slices.Clip(sitemaptest.RankMathSite),
		"DELETE FROM wp_options WHERE option_name = 'rank_math_registration_skip'")...)
	expect.Equal(t, c.Plugin(), "WordPress")
	expect.Contains(t, c.Whose.Why(), "set-up of Rank Math is not done")
}
