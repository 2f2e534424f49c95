package wp

import (
	"context"
	"database/sql"
	"slices"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

const (
	sqlWooAttributes = `SELECT attribute_name, attribute_public FROM wp_woocommerce_attribute_taxonomies ORDER BY attribute_name`
)

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
