package permalink

import (
	"slices"
	"strings"

	"wpsitemapd/wp/registry"
)

const productCategory = "product_cat"

// productSlug returns the slug of a post type for its links. A plugin removes that of products as it is stored, before
// terms are put into it, with a slash in the place of its slashes; tokens stay.
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

// productCategory turns the path of a product category into the link that plugins make of it.
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

// ProductCategory is a product category assigned to a product.
type ProductCategory struct{ ID, Parent int64 }

// NoProductCategory is the text of WooCommerce's %product_cat% for a product without
// categories (in English; the plugin translates it).
const NoProductCategory = "uncategorized"

// ProductCategoryChoice returns the category that stands for %product_cat%: primary if it is among them, as a plugin that
// stores one has it, else the one with the highest parent id, then the lowest id. Its text is its TermPath. It returns 0
// without categories, see NoProductCategory.
func ProductCategoryChoice(terms []ProductCategory, primary int64) int64 {
	if len(terms) == 0 {
		return 0
	}
	if primary != 0 && slices.ContainsFunc(terms, func(t ProductCategory) bool { return t.ID == primary }) {
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
