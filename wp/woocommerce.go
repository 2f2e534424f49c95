package wp

import (
	"context"
	"database/sql"
	"slices"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

const pluginWooCommerce = "woocommerce/woocommerce.php"

// Woo holds what WooCommerce's options say about addresses. It is the zero value if WooCommerce is not active.
type Woo struct {
	Active   bool
	ForceSSL bool  // option woocommerce_force_ssl_checkout: the pages Checkout and Account use https:
	Cart     int64 // page id, by option woocommerce_cart_page_id; 0: none
	Checkout int64 // page id, by option woocommerce_checkout_page_id; 0: none
	Account  int64 // page id, by option woocommerce_myaccount_page_id; 0: none
}

// wooTraces are options that remain after WooCommerce is switched off.
var wooTraces = []string{"woocommerce_version", "woocommerce_db_version", "woocommerce_permalinks", "current_theme_supports_woocommerce"}

// woo decodes WooCommerce's options.
func (r *reading) woo() Woo {
	o := r.options
	if !r.blog.set.ActivePlugins[pluginWooCommerce] {
		return Woo{}
	}
	page := func(name string) int64 { return max(o.integer("woocommerce_"+name+"_page_id"), 0) }
	return Woo{
		Active: true, ForceSSL: o["woocommerce_force_ssl_checkout"] == "yes",
		Cart: page("cart"), Checkout: page("checkout"), Account: page("myaccount"),
	}
}

const sqlWooAttributes = `SELECT attribute_name, attribute_public FROM wp_woocommerce_attribute_taxonomies ORDER BY attribute_name`

// readWooCommerce reads what shows the types of WooCommerce: products, their attributes, and the shop page.
func (r *reading) readWooCommerce(ctx context.Context) error {
	if !r.blog.set.Woo.Active {
		r.evidence.Plugins.WooGone = slices.ContainsFunc(wooTraces, func(option string) bool { _, stored := r.options[option]; return stored })
		return nil
	}
	w := &registry.WooCommerce{
		Permalinks:     r.array("woocommerce_permalinks"),
		ShopPageID:     r.options.integer("woocommerce_shop_page_id"),
		ThemeSupport:   r.options["current_theme_supports_woocommerce"],
		Version:        r.options["woocommerce_version"],
		PrependShop:    r.options["woocommerce_prepend_shop_page_to_urls"] == "yes",
		BrandPermalink: r.options["woocommerce_brand_permalink"],
	}
	if w.ShopPageID > 0 {
		tree := Tree{}
		if err := r.blog.ReadAncestors(ctx, tree, []int64{w.ShopPageID}); err != nil {
			return err
		}
		w.ShopPagePath = tree.Path(w.ShopPageID)
		_, exists := tree[w.ShopPageID]
		w.ShopPathEmpty = exists && w.ShopPagePath == ""
	}
	err := r.blog.Query(ctx, sqlWooAttributes, nil, db.Rows2(func(name string, public sql.NullString) {
		w.Attributes = append(w.Attributes, registry.WooAttribute{Name: name, Public: attributePublic(public)})
	}))
	w.AttributesRead, err = r.readable("woocommerce_attribute_taxonomies", "attributes have no sitemap", err)
	r.evidence.Plugins.Woo = w
	return err
}

// attributePublic reports whether an attribute of WooCommerce is public: absint() of the column is 1, or the column is
// NULL.
func attributePublic(stored sql.NullString) bool {
	n := php.NewString(stored.String).Int()
	return !stored.Valid || n == 1 || n == -1
}
