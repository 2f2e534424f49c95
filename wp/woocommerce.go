package wp

import (
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/registry"
)

const (
	pluginWooCommerce = "woocommerce/woocommerce.php"

	typeProduct     = "product"
	productCategory = "product_cat"
	productBrand    = "product_brand"

	// These are enough products to meet some without a category or brand, if a site has many of these.
	sqlProductLinks = `SELECT object_id, permalink FROM wp_yoast_indexable
WHERE object_type = 'post' AND object_sub_type = 'product' AND permalink IS NOT NULL AND permalink <> '' ORDER BY id LIMIT 500`
)

// Woo holds what WooCommerce's options say about addresses. It is the zero value if WooCommerce is not active.
type Woo struct {
	Active   bool
	ForceSSL bool   // option woocommerce_force_ssl_checkout: the pages Checkout and Account use https:
	Cart     int64  // page id, by option woocommerce_cart_page_id; 0: none
	Checkout int64  // page id, by option woocommerce_checkout_page_id; 0: none
	Account  int64  // page id, by option woocommerce_myaccount_page_id; 0: none
	NoTerm   string // translated word in the address of a product that has no category or no brand
}

// wooTraces are options that remain after WooCommerce is switched off.
var wooTraces = []string{"woocommerce_version", "woocommerce_db_version", "woocommerce_permalinks", "current_theme_supports_woocommerce"}

// woo decodes WooCommerce's options.
func (o options) woo(plugins map[string]bool) Woo {
	if !plugins[pluginWooCommerce] {
		return Woo{}
	}
	page := func(name string) int64 { return max(o.integer("woocommerce_"+name+"_page_id"), 0) }
	return Woo{
		Active: true, ForceSSL: o["woocommerce_force_ssl_checkout"] == "yes", NoTerm: permalink.NoProductCategory,
		Cart: page("cart"), Checkout: page("checkout"), Account: page("myaccount"),
	}
}

// productTokens reports which terms the addresses of products show. fills is false if tokens are not replaced: for
// other types, and without WooCommerce.
func (s *Blog) productTokens(t *registry.PostType) (fills, category, brand bool) {
	if t == nil || t.Name != typeProduct || !s.set.Woo.Active || !strings.Contains(t.Slug, "%") {
		return false, false, false
	}
	has := func(token string) bool { return strings.Contains(t.Slug, "%"+token+"%") }
	brand = has(productBrand) && s.registry.Taxonomy(productBrand) != nil
	return true, has(productCategory) || has("category"), brand
}

// showsCategories reports whether addresses of posts show a category, or addresses of products show one that a plugin
// chooses.
func (s *Blog) showsCategories() bool {
	_, ofProducts, _ := s.productTokens(s.registry.PostType(typeProduct))
	return s.links().Needs("category") || ofProducts && s.linked.PrimaryProductCategory != "" ||
		slices.ContainsFunc(s.registry.PostTypes, func(t *registry.PostType) bool {
			return strings.Contains(t.Structure, "%category%") || strings.Contains(t.URL, "{term:category}")
		})
}

// productTerms returns the values of the tokens in the address of a product. It returns nil if tokens are not
// replaced. The product category also replaces %category%.
func (l *linker) productTerms(p *Post) map[string]string {
	fills, _, _ := l.productTokens(l.registry.PostType(p.Type))
	if !fills {
		return nil
	}
	terms := map[string]string{}
	if path, ok := l.paths[shownTerm{productCategory, byProduct}][p.ID]; ok {
		terms[productCategory], terms["category"] = path, path
	}
	if slug, ok := l.paths[shownTerm{productBrand, byBrand}][p.ID]; ok {
		terms[productBrand] = slug
	}
	return terms
}

// secured returns the link of a post. If WooCommerce forces HTTPS, the links of its checkout and account pages get
// https:.
func (s *Blog) secured(p *Post, link string) string {
	w := &s.set.Woo
	if w.ForceSSL && p.Type == "page" && (p.ID == w.Checkout || p.ID == w.Account) {
		return strings.ReplaceAll(link, "http:", "https:")
	}
	return link
}

// readNoTerm finds the word for a missing category or brand. WooCommerce translates the word, and only addresses that
// Yoast SEO has stored show it. readNoTerm builds the links with a mark instead of the word, and compares them with
// the stored addresses. The word that most of these have counts.
func (s *Blog) readNoTerm(ctx context.Context, e *registry.Evidence) error {
	_, category, brand := s.productTokens(s.registry.PostType(typeProduct))
	if !category && !brand || s.set.Locale == "en_US" || !e.HasIndexables || e.IndexableStale || e.DynamicPermalinks {
		return nil
	}
	stored := map[int64]string{}
	err := s.Query(ctx, sqlProductLinks, nil, db.Rows2(func(id int64, link string) { stored[id] = link }))
	if err != nil {
		return s.Wrap("reading permalinks of products", err)
	}
	const mark = "\x00"
	marked := *s
	marked.set.Woo.NoTerm = mark
	posts, err := marked.Posts(ctx, slices.Sorted(maps.Keys(stored)), nil)
	if err != nil {
		return err
	}
	found := map[string]int{}
	for _, p := range posts {
		before, after, ok := strings.Cut(p.Link, mark)
		if !ok || !strings.HasPrefix(stored[p.ID], before) {
			continue
		}
		word, _, _ := strings.Cut(stored[p.ID][len(before):], after[:min(len(after), 1)])
		if word != "" && strings.ReplaceAll(p.Link, mark, word) == stored[p.ID] {
			found[word]++
		}
	}
	for _, word := range slices.Sorted(maps.Keys(found)) {
		if best := s.set.Woo.NoTerm; found[word] > found[best] {
			s.set.Woo.NoTerm = word
		}
	}
	return nil
}
