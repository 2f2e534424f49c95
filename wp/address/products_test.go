package address

import (
	"fmt"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// productBase is a statement that stores WooCommerce's base of products.
func productBase(base string) string {
	return setOption("woocommerce_permalinks", "a:1:{"+phpText("product_base")+phpText(base)+"}")
}

// addTerm are statements that add a term, with its id as term_taxonomy_id.
func addTerm(id int, taxonomy, slug string, parent int) []string {
	return []string{
		fmt.Sprintf("INSERT INTO wp_terms (term_id, name, slug) VALUES (%d, '%s', '%[2]s')", id, slug),
		fmt.Sprintf("INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (%d, %[1]d, '%s', '', %d, 1)",
			id, taxonomy, parent),
	}
}

// shop is a site with WooCommerce: product 1 is in the categories goods and goods/ropes and of the brand acme, product 2 in nothing.
func shop(t *testing.T, statements ...string) string {
	t.Helper()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, setOption("active_plugins", phpList("woocommerce/woocommerce.php", "seo-by-rank-math/rank-math.php", wp.PluginYoast)),
		setOption("rank_math_registration_skip", "1"), setOption("woocommerce_version", "9.9.5"), addPost(1, "product", "publish", "rope", 0),
		addPost(2, "product", "publish", "box", 0), addPost(3, "post", "publish", "news", 0))
	wptest.Exec(t, dsn, addTerm(7, "product_cat", "goods", 0)...)
	wptest.Exec(t, dsn, addTerm(8, "product_cat", "ropes", 7)...)
	wptest.Exec(t, dsn, addTerm(9, "product_brand", "acme", 0)...)
	wptest.Exec(t, dsn, addTerm(10, "product_brand", "zenith", 9)...)
	wptest.Exec(t, dsn, "INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1, 7), (1, 8), (1, 9), (1, 10)")
	wptest.Exec(t, dsn, statements...)
	return dsn
}

// WooCommerce replaces %product_cat% and %category% by the category with the categories above it, and %product_brand% by the first
// brand by name alone.
func TestProductsBelowTheirTerms(t *testing.T) {
	for base, want := range map[string][]string{
		"/store":                                {"store/rope/", "store/box/"},
		"/store/%product_cat%":                  {"store/goods/ropes/rope/", "store/uncategorized/box/"},
		"/store/%category%":                     {"store/goods/ropes/rope/", "store/uncategorized/box/"},
		"/store/%product_brand%":                {"store/acme/rope/", "store/uncategorized/box/"},
		"/store/%product_brand%/%product_cat%/": {"store/acme/goods/ropes/rope/", "store/uncategorized/uncategorized/box/"},
	} {
		got := pathsOf(t, openSite(t, wp.Source{DSN: shop(t, productBase(base))}), "https://small.test/", []int64{1, 2, 3}, nil)
		expect.Same(t, map[string]string{"1": want[0], "2": want[1], "3": "news/"}, got, base)
	}
}

// The category that an editor has chosen for a product is in its address.
func TestPrimaryCategoryOfAProduct(t *testing.T) {
	dsn := shop(t, productBase("/store/%product_cat%"),
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1, 'rank_math_primary_product_cat', '7')")
	got := pathsOf(t, openSite(t, wp.Source{DSN: dsn}), "https://small.test/", []int64{1}, nil)
	expect.Same(t, map[string]string{"1": "store/goods/rope/"}, got)
}

// Without WooCommerce, or in the slug of another type, no token is replaced.
func TestProductTokens(t *testing.T) {
	b := openSite(t, wp.Source{DSN: shop(t)})
	product := func(slug string) *registry.PostType { return &registry.PostType{Name: "product", Slug: slug} }
	for _, tt := range []struct {
		of                     *registry.PostType
		fills, category, brand bool
	}{
		{nil, false, false, false}, {product("store"), false, false, false}, {product("%product_cat%"), true, true, false},
		{product("%category%"), true, true, false},
		{product("%product_brand%"), true, false, true}, {product("%other%"), true, false, false},
		{&registry.PostType{Name: "post", Slug: "%product_cat%"}, false, false, false},
	} {
		fills, category, brand := b.productTokens(tt.of)
		if fills != tt.fills || category != tt.category || brand != tt.brand {
			t.Errorf("%+v: fills %t, category %t, brand %t, want %t, %t, %t", tt.of, fills, category, brand, tt.fills, tt.category, tt.brand)
		}
	}
	plain := openSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "small")})
	if fills, _, _ := plain.productTokens(product("%product_cat%")); fills {
		t.Error("a token is replaced without WooCommerce")
	}
	expect.Equal(t, b.showsCategories(), false, "addresses show a category")
	expect.Equal(t, openSite(t, wp.Source{DSN: shop(t, productBase("/%product_cat%"))}).showsCategories(), true, "addresses of products show a category")
	expect.Equal(t, openSite(t, wp.Source{DSN: shop(t, setOption("permalink_structure", "/%category%/%postname%/"))}).showsCategories(), true,
		"addresses show a category")
}

// A translated WooCommerce has another word for products without a category. The addresses that Yoast SEO has stored show the word.
func TestWordForNoCategory(t *testing.T) {
	stored := func(id int, path string) string {
		return fmt.Sprintf("INSERT INTO wp_yoast_indexable (object_id, object_type, object_sub_type, permalink) VALUES (%d, 'post', 'product', 'https://small.test/%s')", id, path)
	}
	more := []string{addPost(4, "product", "publish", "chest", 0), addPost(5, "product", "publish", "crate", 0)}
	for _, tt := range []struct {
		rule string
		rows []string
		want string
	}{
		{"the word of most products", []string{stored(2, "store/ohne/box/"), stored(4, "store/ohne/chest/"), stored(5, "store/alt/crate/")}, "ohne"},
		{"the first word by alphabet of two", []string{stored(2, "store/ohne/box/"), stored(4, "store/alt/chest/")}, "alt"},
		{"nothing is stored", nil, "uncategorized"},
		{"stored below something else", []string{stored(2, "laden/ohne/box/")}, "uncategorized"},
		{"stored with another slug", []string{stored(2, "store/ohne/kiste/")}, "uncategorized"},
		{"stored with a category", []string{stored(1, "store/goods/ropes/rope/")}, "uncategorized"},
		{"stored without a word", []string{stored(2, "store//box/")}, "uncategorized"},
		{"a site in English", []string{stored(2, "store/ohne/box/"), setOption("WPLANG", "")}, "uncategorized"},
		{"a type without the token", []string{stored(2, "store/ohne/box/"), productBase("/store")}, "uncategorized"},
	} {
		dsn := shop(t, append(append([]string{productBase("/store/%product_cat%"), setOption("WPLANG", "de_DE")}, more...), tt.rows...)...)
		expect.Equal(t, openSite(t, wp.Source{DSN: dsn}).noTerm, tt.want, tt.rule)
	}
}
