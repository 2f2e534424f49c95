package registry

import (
	"net/url"
	"strings"

	"wpsitemapd/wp/registry/routes"
	"wpsitemapd/wp/release"
)

const (
	pluginWooCommerce = "woocommerce/woocommerce.php"
	prefixAttribute   = "pa_"
	pluginWooBrands   = "woocommerce-brands/woocommerce-brands.php"

	sourceWoo           = FactSource("WooCommerce")
	sourceWooPermalinks = FactSource("option woocommerce_permalinks")
	sourceWooBrand      = FactSource("option woocommerce_brand_permalink")
	sourceWooShop       = FactSource("option woocommerce_shop_page_id")
	sourceWooTheme      = FactSource("option current_theme_supports_woocommerce")
	sourceWooAttributes = FactSource("table woocommerce_attribute_taxonomies")
)

// wooCommerce registers the types of an active WooCommerce in WooCommerce's order: brands, other taxonomies, attributes, post types.
// The addresses of its types do not begin with the front of the permalink structure, so WithFront stays false.
func (d *decider) wooCommerce() {
	w := d.woo()
	if w == nil {
		return
	}
	d.wooTaxonomies(w)
	d.wooAttributes(w)
	slug, from := d.wooBase(w, "product_base", routes.Single, "product", "product")
	t := &PostType{
		Name: "product", Public: true, Viewable: true, QueryVar: "product",
		Rewrite: slug != "", Slug: slug, Sources: postTypes.allFrom(sourceWoo),
	}
	t.Sources[keySlug] = from
	d.wooShop(w, t)
	d.add(postTypes, t)
	for _, name := range []string{"product_variation", "shop_order", "shop_order_refund", "shop_coupon"} {
		d.add(postTypes, &PostType{Name: name, Sources: postTypes.allFrom(sourceWoo)})
	}
}

// wooTaxonomies registers all taxonomies of WooCommerce except attributes.
func (d *decider) wooTaxonomies(w *WooCommerce) {
	hidden := func(name string, objects ...string) {
		d.add(taxonomies, &Taxonomy{Name: name, ObjectTypes: objects, Sources: taxonomies.allFrom(sourceWoo)})
	}
	public := func(t *Taxonomy, slug string, from FactSource) {
		t.Public, t.Rewrite, t.Slug, t.QueryVar = true, slug != "", slug, t.Name
		t.ObjectTypes = []string{"product"}
		t.Sources = taxonomies.allFrom(sourceWoo)
		t.Sources[keySlug] = from
		d.add(taxonomies, t)
	}
	if d.wooBrands(w) {
		slug, from := d.wooBrandBase(w)
		public(&Taxonomy{Name: "product_brand", Hierarchical: true, RewriteHierarchical: true}, slug, from)
	}
	hidden("product_type", "product")
	hidden("product_visibility", "product", "product_variation")
	slug, from := d.wooBase(w, "category_base", routes.Term, "product_cat", "product-category")
	public(&Taxonomy{Name: "product_cat", Hierarchical: true, RewriteHierarchical: true}, slug, from)
	slug, from = d.wooBase(w, "tag_base", routes.Term, "product_tag", "product-tag")
	public(&Taxonomy{Name: "product_tag"}, slug, from)
	d.add(taxonomies, &Taxonomy{ // public, but without addresses
		Name: "product_shipping_class", Public: true, ObjectTypes: []string{"product", "product_variation"},
		Sources: taxonomies.allFrom(sourceWoo),
	})
}

// wooAttributes registers a taxonomy for each attribute of products. An attribute has addresses only if the shop has switched on its
// archives.
func (d *decider) wooAttributes(w *WooCommerce) {
	base := strings.TrimRight(textOr(w.Permalinks.Get("attribute_base"), ""), `/\`)
	for _, a := range w.Attributes {
		t := &Taxonomy{Name: prefixAttribute + a.Name, ObjectTypes: []string{"product"}, Sources: taxonomies.allFrom(sourceWooAttributes)}
		if a.Name == "" || !taxonomies.valid(t.Name) {
			continue
		}
		if a.Public { // addresses are hierarchical although the terms are not
			t.Public, t.Rewrite, t.RewriteHierarchical, t.QueryVar = true, true, true, t.Name
			t.Slug = base + "/" + a.Name
			t.Sources[keySlug] = sourceWooPermalinks
		}
		d.add(taxonomies, t)
	}
}

// wooBase returns the base of a type, and its source. The base is the value under key in woocommerce_permalinks. If
// there is none, it is the base in the rewrite rules of the type, because WooCommerce translates its default base and
// does not store it. Without a rule, the base is english, the default in English.
func (d *decider) wooBase(w *WooCommerce, key string, s routes.Shape, name, english string) (string, FactSource) {
	if v := textOr(w.Permalinks.Get(key), ""); v != "" {
		return strings.TrimRight(v, `/\`), sourceWooPermalinks
	}
	if r, ok := d.routes.Named(s, name); ok {
		return strings.TrimPrefix(r.Base, d.root), sourceRules
	}
	return english, sourceDefault
}

// wooShop sets the archive of products. The theme must support WooCommerce. If the database does not show whether it
// does, rewrite rules and other traces decide. The address of the archive is the decoded path of the shop page, or
// shop if there is no such page.
//
// If the path of the shop page is empty, there is no archive, because WordPress reads "" as false.
func (d *decider) wooShop(w *WooCommerce, t *PostType) {
	t.Sources[keyArchive] = sourceWooTheme
	switch w.ThemeSupport {
	case "yes":
		t.HasArchive = true
	case "":
		_, routed := d.routes.Named(routes.Archive, t.Name)
		switch {
		case routed:
			t.HasArchive, t.Sources[keyArchive] = true, sourceRules
		case d.linksOf(typeArchive, t.Name).rows > 0:
			t.HasArchive, t.Sources[keyArchive] = true, sourceIndexables
		case !d.routes.Present && w.ShopPagePath != "":
			t.HasArchive, t.Sources[keyArchive] = true, sourceWooShop
		}
	}
	t.HasArchive = t.HasArchive && !w.ShopPathEmpty
	if !t.HasArchive {
		return
	}
	path := "shop"
	if w.ShopPageID > 0 && w.ShopPagePath != "" {
		path = w.ShopPagePath
		if p, err := url.PathUnescape(path); err == nil {
			path = p
		}
		t.ArchivePage, t.Sources[keyArchive] = w.ShopPageID, sourceWooShop
	}
	if t.Rewrite {
		t.ArchiveSlug = path
	}
}

// wooBrands reports whether product_brand is registered, by WooCommerce 9.6 or later or by the older plugin for
// brands. If products have rewrite rules and brands have none, brands are switched off.
func (d *decider) wooBrands(w *WooCommerce) bool {
	if d.routes.Mentions["product_brand"] {
		return true
	}
	if d.routes.Mentions["product"] {
		return false
	}
	version := release.Valid(w.Version)
	return version != "" && !version.Before("9.6") || d.e.Plugins.Active[pluginWooBrands]
}

// wooBrandBase returns the base of brands, and its source. If woocommerce_prepend_shop_page_to_urls is on, the base is
// the path of the shop page, or shop without such a page, and the word brand. If it is off, the base is the stored option or, if none is stored, the
// word alone. WooCommerce translates the word, so a base with another word in the rewrite rules replaces it.
func (d *decider) wooBrandBase(w *WooCommerce) (string, FactSource) {
	prefix := ""
	if w.PrependShop {
		prefix = "shop/"
		if w.ShopPageID > 0 && (w.ShopPagePath != "" || w.ShopPathEmpty) {
			prefix = w.ShopPagePath + "/"
		}
	} else if w.BrandPermalink != "" {
		return w.BrandPermalink, sourceWooBrand
	}
	if r, ok := d.routes.Named(routes.Term, "product_brand"); ok {
		base := strings.TrimPrefix(r.Base, d.root)
		if strings.HasPrefix(base, prefix) && base != prefix {
			return base, sourceRules
		}
	}
	return prefix + "brand", sourceDefault
}

// wooNames are the types that WooCommerce registers, except attributes.
var wooNames = map[kind]map[string]bool{
	postTypes:  set("product", "product_variation", "shop_order", "shop_order_refund", "shop_order_placehold", "shop_coupon"),
	taxonomies: set("product_cat", "product_tag", "product_brand", "product_type", "product_visibility", "product_shipping_class"),
}

// wooLeft returns a doubt about a name that is not registered and that WooCommerce has left in the database. The caller has looked whether
// it is registered. If WooCommerce is not active but its options are there, the doubt is about all its types. If it is active and its
// table of attributes was read, the doubt is about attributes. wooLeft returns none for any other name.
func (d *decider) wooLeft(k kind, name string) doubt {
	attribute := k == taxonomies && strings.HasPrefix(name, prefixAttribute)
	w := d.woo()
	switch {
	case w != nil && attribute && w.AttributesRead:
		return noAttribute
	case w == nil && d.e.Plugins.WooGone && (attribute || wooNames[k][name]):
		return wooInactive
	}
	return none
}

// woo returns the evidence about WooCommerce, or nil if WooCommerce is not active.
func (d *decider) woo() *WooCommerce {
	if !d.e.Plugins.Active[pluginWooCommerce] {
		return nil
	}
	return d.e.Plugins.Woo
}
