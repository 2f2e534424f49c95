package permalink

import (
	"slices"
	"strings"

	"wpsitemapd/wp/registry"
)

const productCategory = "product_cat"

// productSlug returns the slug of a post type as the links of its posts contain it. A plugin may remove the stored
// base from the links of products. productSlug then puts one slash in place of the base and of the slashes around it.
// It does not replace tokens.
func (b *Builder) productSlug(t *registry.PostType, slug string) string {
	if t.Name != "product" || !b.set.StripProductBase {
		return slug
	}
	base := strings.Trim(strings.ReplaceAll(slug, "%"+productCategory+"%", ""), "/")
	if base == "" {
		return slug
	}
	return strings.Trim(strings.ReplaceAll("/"+strings.Trim(slug, "/")+"/", "/"+base+"/", "/"), "/")
}

// productCategory returns the link of a product category, as plugins change it. path is WordPress' own link without
// home.
func (b *Builder) productCategory(path string, t *registry.Taxonomy, slug string) string {
	base := strings.TrimRight(t.Slug, `/\`) + "/"
	strip := b.set.StripProductCategoryBase
	switch {
	case b.set.FlatProductCategories && strip:
		return b.link(slug)
	case b.set.FlatProductCategories:
		return b.link(base + slug)
	case strip && base != "/":
		path = strings.ReplaceAll(path, base, "")
	}
	return b.home + path
}

// ProductCategory is a category of a product, with the id of its parent.
type ProductCategory struct{ ID, Parent int64 }

// NoProductCategory is the text of WooCommerce's %product_cat% for a product without categories. WooCommerce
// translates it; this is the English text.
const NoProductCategory = "uncategorized"

// ProductCategoryChoice returns the id of the category whose TermPath replaces %product_cat%. terms are the categories
// of the product. If primary, which a plugin stores, is one of them, ProductCategoryChoice returns primary. If not, it
// returns the category with the highest parent id. If several have this parent, it returns the lowest id of these.
//
// ProductCategoryChoice returns 0 if the product has no category, see NoProductCategory.
func ProductCategoryChoice(terms []ProductCategory, primary int64) int64 {
	if len(terms) == 0 {
		return 0
	}
	if slices.ContainsFunc(terms, func(t ProductCategory) bool { return t.ID == primary }) {
		return primary
	}
	best := terms[0]
	for _, t := range terms[1:] {
		if t.Parent > best.Parent || t.Parent == best.Parent && t.ID < best.ID {
			best = t
		}
	}
	return best.ID
}
