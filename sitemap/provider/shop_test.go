package provider_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
)

const (
	noWoo      = `UPDATE wp_options SET option_value = 'a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}' WHERE option_name = 'active_plugins'`
	staleRules = `UPDATE wp_options SET option_value = 'a:2:{s:36:"store/([^/]+)(?:/([0-9]+))?/?$";` +
		`s:47:"index.php?product=$matches[1]&page=$matches[2]";}' WHERE option_name = 'rewrite_rules'`
	listFiles = `UPDATE wp_options SET option_value = REPLACE(option_value, 's:18:"disable-attachment";` +
		`b:1;', 's:18:"disable-attachment";b:0;') WHERE option_name = 'wpseo_titles'`
)

func productBase(base string) string {
	return sitemaptest.SetOption("woocommerce_permalinks", fmt.Sprintf(`a:1:{s:12:"product_base";s:%d:"%s";}`, len(base), base))
}

// These shops have unusual settings.
func TestShops(t *testing.T) {
	type paths = []string
	const brands = `INSERT INTO wp_terms (term_id, name, slug) VALUES (80, 'Anchor', 'zz-anchor');
		INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (1080, 80, 'product_brand', '', 56, 1);
		INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (301, 1080)`
	indexed := func(id int, path string) string {
		return fmt.Sprintf("INSERT INTO wp_yoast_indexable (object_id, object_type, object_sub_type, permalink, version) VALUES (%d, "+
			"'post', 'product', 'https://example.test%s', 2)", id, path)
	}
	for _, tt := range []struct {
		name    string
		change  []string
		sitemap string // "": product
		missing bool   // there is none
		want    paths  // that are listed, in order
		with    paths  // among those listed
		not     paths  // that are not
	}{
		{name: "%category% is the product's category", change: []string{productBase("/shop/%category%")},
			want: paths{"/store/", "/shop/deck/lines/rope/", "/shop/light/lantern/", "/shop/uncategorized/mystery-box/"}},
		{name: "%post_id%", change: []string{productBase("/p/%post_id%")},
			want: paths{"/store/", "/p/301/rope/", "/p/302/lantern/", "/p/303/mystery-box/"}},
		{name: "dates", change: []string{productBase("/x/%year%/%monthnum%-%day%/%hour%%minute%%second%")},
			want: paths{"/store/", "/x/2024/08-22/120000/rope/", "/x/2024/08-23/120000/lantern/", "/x/2024/08-24/120000/mystery-box/"}},
		{name: "the first brand by name, its slug alone", change: []string{productBase("/b/%product_brand%"), brands},
			want: paths{"/store/", "/b/zz-anchor/rope/", "/b/uncategorized/lantern/", "/b/uncategorized/mystery-box/"}},
		{name: "brand and category", change: []string{productBase("/%product_brand%/%product_cat%")},
			want: paths{"/store/", "/knotty/deck/lines/rope/", "/uncategorized/light/lantern/", "/uncategorized/uncategorized/mystery-box/"}},
		{name: "brands are switched off: nothing fills their token",
			change: []string{productBase("/b/%product_brand%"), sitemaptest.SetOption("woocommerce_version", "9.5.0")},
			want:   paths{"/store/", "/b/%product_brand%/rope/", "/b/%product_brand%/lantern/", "/b/%product_brand%/mystery-box/"}},
		{name: "other tokens stay", change: []string{productBase("/a/%author%/%product_cat%")},
			want: paths{"/store/", "/a/%author%/deck/lines/rope/", "/a/%author%/light/lantern/", "/a/%author%/uncategorized/mystery-box/"}},
		{name: "the word of a translated site", change: []string{
			sitemaptest.SetOption("WPLANG", "nl_NL"), indexed(301, "/store/deck/lines/rope/"), indexed(303, "/store/geen-categorie/mystery-box/"),
		},
			want: paths{"/store/", "/store/deck/lines/rope/", "/store/light/lantern/", "/store/geen-categorie/mystery-box/"}},
		{name: "a stored address that was of another place shows no word", change: []string{
			sitemaptest.SetOption("WPLANG", "nl_NL"), indexed(303, "/winkel/geen-categorie/mystery-box/"),
		},
			want: paths{"/store/", "/store/deck/lines/rope/", "/store/light/lantern/", "/store/uncategorized/mystery-box/"}},

		{name: "what is attached to a product", change: []string{
			productBase("/goods"), listFiles, "UPDATE wp_posts SET post_parent = 301 WHERE ID = 50", "UPDATE wp_posts SET post_parent = 304 WHERE ID = 51",
		}, sitemap: "attachment", with: paths{"/?attachment_id=50", "/?attachment_id=51"}},
		{name: "switched off, with stale rules", change: []string{noWoo, staleRules}, missing: true},
		{name: "attribute_public is -1", change: []string{"UPDATE wp_woocommerce_attribute_taxonomies SET attribute_public = -1 WHERE attribute_id = 1"},
			sitemap: "pa_colour", want: paths{"/spec/colour/red/"}},
		{name: "attribute_public is 2", change: []string{"UPDATE wp_woocommerce_attribute_taxonomies SET attribute_public = 2 WHERE attribute_id = 1"},
			sitemap: "pa_colour", missing: true},
		{name: "attribute_public is 5, the rest is served", change: []string{"UPDATE wp_woocommerce_attribute_taxonomies SET attribute_public = 5"},
			sitemap: "page", with: paths{"/"}},
		{name: "a shop page that is gone", change: []string{"DELETE FROM wp_posts WHERE ID = 300"},
			want: paths{"/shop/", "/store/deck/lines/rope/", "/store/light/lantern/", "/store/uncategorized/mystery-box/"}},
		{name: "checkout and account at https:", change: []string{
			"UPDATE wp_options SET option_value = 'http://example.test' WHERE option_name IN ('home', 'siteurl')",
			sitemaptest.SetOption("woocommerce_force_ssl_checkout", "yes"), sitemaptest.SetOption("woocommerce_checkout_page_id", "300"), sitemaptest.SetOption("woocommerce_myaccount_page_id", "4"),
			"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (300, '_yoast_wpseo_canonical', 'https://example.test/store/')",
		}, sitemap: "page", with: paths{"https://example.test/store/"}, not: paths{"/store/"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := sitemaptest.Of(t, "basic woo", seo.Options{Compat: seo.PluginLevel, PageSize: 1000}, tt.change...)
			_, err := c.Render(t.Context(), cmp.Or(tt.sitemap, "product"), 1)
			if missing := errors.Is(err, catalog.ErrNotFound); missing != tt.missing || err != nil && !missing {
				t.Fatal(err)
			} else if missing {
				return
			}
			got := sitemaptest.Listed(t, c, cmp.Or(tt.sitemap, "product"))
			lists := func(path string) bool { return slices.Contains(got, path) }
			lacks := func(path string) bool { return !lists(path) }
			if tt.want != nil && !slices.Equal(got, tt.want) || slices.ContainsFunc(tt.with, lacks) || slices.ContainsFunc(tt.not, lists) {
				t.Errorf("it lists %q", got)
			}
		})
	}
}

// The archive of products has the address of the shop page. What excludes that page excludes the
// archive.
func TestShopPageOut(t *testing.T) {
	const shop = "/store/"
	meta := func(key, value string) []string { return []string{sitemaptest.MetaRow(300, key, value)} }
	add := func(plugin string) string { return sitemaptest.Activate("woocommerce/woocommerce.php", plugin) }
	yoast, rankmath, seopress := add("wordpress-seo/wp-seo.php"), add("seo-by-rank-math/rank-math.php"), add("wp-seopress/seopress.php")
	addOn := sitemaptest.Activate("woocommerce/woocommerce.php", "wordpress-seo/wp-seo.php", "wpseo-woocommerce/wpseo-woocommerce.php")
	byID := seo.Options{Exclude: seo.Exclude{PostIDs: []int64{300}}}
	for _, tt := range []struct {
		name, sitemaps, plugins string
		change                  []string
		opt                     seo.Options
		at                      []seo.Level // where it is left out
	}{
		{"nothing", "yoast", yoast, nil, seo.Options{}, nil},
		{"nothing, add-on", "yoast", addOn, nil, seo.Options{}, nil},
		{"noindex", "yoast", yoast, meta("_yoast_wpseo_meta-robots-noindex", "1"), seo.Options{}, []seo.Level{seo.SpecLevel}},
		{"noindex, add-on", "yoast", addOn, meta("_yoast_wpseo_meta-robots-noindex", "1"), seo.Options{}, sitemaptest.Levels},
		{"canonical", "yoast", yoast, meta("_yoast_wpseo_canonical", "https://example.test/x/"), seo.Options{}, []seo.Level{seo.SpecLevel}},
		{"by id", "yoast", yoast, nil, byID, sitemaptest.Levels},
		{"in the trash", "yoast", yoast, []string{"UPDATE wp_posts SET post_status = 'trash', post_name = 'store__trashed' WHERE ID = 300"},
			seo.Options{}, sitemaptest.Levels},
		{"front page, add-on", "yoast", addOn, []string{sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_on_front", "300")},
			seo.Options{}, sitemaptest.Levels},
		{"nothing", "rankmath", rankmath, nil, seo.Options{}, nil},
		{"noindex", "rankmath", rankmath, meta("rank_math_robots", sitemaptest.Array(0, "noindex")), seo.Options{}, sitemaptest.Levels},
		{"canonical", "rankmath", rankmath, meta("rank_math_canonical_url", "https://example.test/x/"), seo.Options{}, []seo.Level{seo.SpecLevel}},
		{"by id", "rankmath", rankmath, nil, byID, sitemaptest.Levels},
		{"nothing", "seopress", seopress, nil, seo.Options{}, nil},
		{"noindex", "seopress", seopress, meta("_seopress_robots_index", "yes"), seo.Options{}, []seo.Level{seo.SpecLevel}},
		{"canonical", "seopress", seopress, meta("_seopress_robots_canonical", "https://example.test/x/"), seo.Options{}, []seo.Level{seo.SpecLevel}},
		{"by id", "seopress", seopress, nil, byID, sitemaptest.Levels},
		{"in the trash", "seopress", seopress, []string{"UPDATE wp_posts SET post_status = 'trash', post_name = 'store__trashed' WHERE ID = 300"},
			seo.Options{}, sitemaptest.Levels},
		{"a draft", "seopress", seopress, []string{"UPDATE wp_posts SET post_status = 'draft' WHERE ID = 300"}, seo.Options{}, nil},
	} {
		for _, level := range sitemaptest.Levels {
			t.Run(fmt.Sprint(tt.sitemaps, " ", tt.name, " ", level), func(t *testing.T) {
				t.Parallel()
				opt := tt.opt
				opt.Compat, opt.PageSize, opt.Sitemaps = level, 1000, tt.sitemaps
				lists := `a:1:{s:36:"seopress_xml_sitemap_post_types_list";` + "a:1:{s:7:\"product\";a:1:{s:7:\"include\";s:1:\"1\";}}}"
				c := sitemaptest.Of(t, "basic woo", opt, append(tt.change, tt.plugins, sitemaptest.SetOption("seopress_xml_sitemap_option_name", lists))...)
				in := !slices.Contains(tt.at, level)
				got := sitemaptest.Listed(t, c, "product")
				if c.List("page") != nil {
					got = append(got, sitemaptest.Listed(t, c, "page")...)
				}
				if slices.Contains(got, shop) != in {
					t.Errorf("it lists %q", got)
				}
				if level == seo.SpecLevel && slices.Contains(got, "/store__trashed/") {
					t.Errorf("it lists an address of the trash: %q", got)
				}
				// WooCommerce registers the archive with the page's slug, and SEOPress lists that archive.
				if tt.name == "in the trash" && tt.sitemaps == "seopress" && level == seo.PluginLevel && !slices.Contains(got, "/store__trashed/") {
					t.Errorf("it does not list the archive: %q", got)
				}
				if x := sitemaptest.Explain(t, c, "https://example.test"+shop); x.In && !in {
					t.Errorf("explained: %+v", x)
				}
			})
		}
	}
}
