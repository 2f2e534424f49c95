package address

import (
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/registry"
)

const (
	typeProduct     = "product"
	productCategory = "product_cat"
	productBrand    = "product_brand"
	// If many products of a site have no category or brand, the first 500 rows contain some of these products.
	sqlProductLinks = `SELECT object_id, permalink FROM wp_yoast_indexable
WHERE object_type = 'post' AND object_sub_type = 'product' AND permalink IS NOT NULL AND permalink <> '' ORDER BY id LIMIT 500`
)

// productTokens reports what the slug of a type contains if the type is WooCommerce's product. fills is true if the
// slug contains a token. category and brand are true if WooCommerce replaces a token by a category or by a brand. All
// are false for any other type and without WooCommerce.
func (b *Book) productTokens(t *registry.PostType) (fills, category, brand bool) {
	if t == nil || t.Name != typeProduct || !b.Blog.Settings().Woo.Active || !strings.Contains(t.Slug, "%") {
		return false, false, false
	}
	has := func(token string) bool { return strings.Contains(t.Slug, "%"+token+"%") }
	brand = has(productBrand) && b.Blog.Registry().Taxonomy(productBrand) != nil
	return true, has(productCategory) || has("category"), brand
}

// showsCategories reports whether addresses of posts show a category, or addresses of products show a category that a
// plugin chooses.
func (b *Book) showsCategories() bool {
	_, ofProducts, _ := b.productTokens(b.Blog.Registry().PostType(typeProduct))
	return b.Blog.Links().Needs("category") || ofProducts && b.Blog.LinkRules().PrimaryProductCategory != "" ||
		slices.ContainsFunc(b.Blog.Registry().PostTypes, func(t *registry.PostType) bool {
			return strings.Contains(t.Structure, "%category%") || strings.Contains(t.URL, "{term:category}")
		})
}

// productTerms returns the values of the tokens in the address of a product. It returns nil if tokens are not
// replaced. The product category also replaces %category%.
func (l *linker) productTerms(p *Post) map[string]string {
	fills, _, _ := l.book.productTokens(l.book.Blog.Registry().PostType(p.Type))
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
func (b *Book) secured(p *Post, link string) string {
	w := &b.Blog.Settings().Woo
	if w.ForceSSL && p.Type == "page" && (p.ID == w.Checkout || p.ID == w.Account) {
		return strings.ReplaceAll(link, "http:", "https:")
	}
	return link
}

// readNoTerm finds the word for a missing category or brand. WooCommerce translates the word, and only addresses that
// Yoast SEO has stored show it. readNoTerm builds the links with a mark in place of the word and compares them with
// the stored addresses. It takes the word that occurs most often.
func (b *Book) readNoTerm(ctx context.Context, e *registry.Evidence) error {
	_, category, brand := b.productTokens(b.Blog.Registry().PostType(typeProduct))
	if !category && !brand || b.Blog.Settings().Locale == "en_US" || !e.Yoast.HasIndexables || e.Yoast.Stale {
		return nil
	}
	stored := map[int64]string{}
	err := b.Blog.Query(ctx, sqlProductLinks, nil, db.Rows2(func(id int64, link string) { stored[id] = link }))
	if err != nil {
		return b.Blog.Wrap("reading permalinks of products", err)
	}
	const mark = "\x00"
	marked := *b
	marked.noTerm = mark
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
		if best := b.noTerm; found[word] > found[best] {
			b.noTerm = word
		}
	}
	return nil
}
