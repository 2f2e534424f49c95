package address

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
)

// sqlTermsOfPosts reads the sort key in the collation of the column, see sqlTerms in package objects.
const sqlTermsOfPosts = `SELECT tr.object_id, t.term_id, t.slug, tt.parent, WEIGHT_STRING(t.name) FROM wp_term_relationships tr
JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id JOIN wp_terms t ON t.term_id = tt.term_id
WHERE tr.object_id IN (?) AND tt.taxonomy = ?`

// shownTerm is a place for a term in the addresses of posts. It has a taxonomy, and the rule that chooses one of the
// post's terms: byCategory, byProduct, byBrand or byStructure. Maps use it as key, so rule must be one of these variables, not a copy.
type shownTerm struct {
	taxonomy string
	rule     *termRule
}

// termRule says which of a post's terms the address of the post shows, and with what text.
type termRule struct {
	choose  func(terms []termOfPost, primary int64) int64
	path    func(id int64, tree permalink.Node) string
	primary bool // a choice that a plugin has stored for the post counts
}

type termOfPost struct {
	permalink.ProductCategory
	key []byte // sort key of the name
}

var (
	// byCategory is WordPress' rule for %category%.
	byCategory = &termRule{choose: chooseCategory, path: permalink.CategoryPath, primary: true}
	// byProduct is WooCommerce's rule for %product_cat%.
	byProduct = &termRule{choose: chooseProductCategory, path: permalink.TermPath, primary: true}
	// byBrand is WooCommerce's rule for %product_brand%: the first term by name, without its ancestors.
	byBrand = &termRule{choose: func(terms []termOfPost, _ int64) int64 { return firstByName(terms) }, path: ownSlug}
	// byStructure is the rule of Custom Post Type Permalinks, and of forms in the configuration. Of the terms that are not the parent of
	// another one, it takes the first by name.
	byStructure = &termRule{choose: chooseLowest, path: permalink.TermPath}
)

func chooseCategory(terms []termOfPost, primary int64) int64 {
	ids := make([]int64, len(terms))
	for i, t := range terms {
		ids[i] = t.ID
	}
	return permalink.CategoryChoice(ids, primary)
}

func chooseProductCategory(terms []termOfPost, primary int64) int64 {
	categories := make([]permalink.ProductCategory, len(terms))
	for i, t := range terms {
		categories[i] = t.ProductCategory
	}
	return permalink.ProductCategoryChoice(categories, primary)
}

func chooseLowest(terms []termOfPost, _ int64) int64 {
	return firstByName(slices.DeleteFunc(slices.Clone(terms), func(t termOfPost) bool {
		return slices.ContainsFunc(terms, func(below termOfPost) bool { return below.Parent == t.ID })
	}))
}

func ownSlug(id int64, tree permalink.Node) string {
	slug, _, _ := tree(id)
	return slug
}

// firstByName returns the id of the first term by name, or 0 if there are no terms.
func firstByName(terms []termOfPost) int64 {
	if len(terms) == 0 {
		return 0
	}
	return slices.MinFunc(terms, func(a, b termOfPost) int { return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(a.ID, b.ID)) }).ID
}

// termOf returns the rule that chooses which term of a taxonomy the address of a post shows. It is not for products.
func termOf(taxonomy string) shownTerm {
	if taxonomy == "category" {
		return shownTerm{taxonomy, byCategory}
	}
	return shownTerm{taxonomy, byStructure}
}

// termPaths returns the text of the shown term for each post. primaries are the terms that were chosen for posts. A post without terms
// shows the default category by byCategory, and noTerm by the rules of products. By byStructure, the result lacks it.
func (b *Book) termPaths(ctx context.Context, of shownTerm, posts []int64, primaries map[int64]int64) (map[int64]string, error) {
	terms, tree := map[int64][]termOfPost{}, wp.Tree{}
	var post int64
	var t termOfPost
	var slug string
	err := b.Blog.ByID(ctx, "reading the terms of posts", sqlTermsOfPosts, posts, db.Row(func() {
		terms[post] = append(terms[post], t)
		tree[t.ID] = wp.Node{Slug: slug, Parent: t.Parent}
	}, &post, &t.ID, &slug, &t.Parent, &t.key), of.taxonomy)
	if err != nil {
		return nil, err
	}
	var more []int64 // further terms that the addresses show
	for _, n := range tree {
		more = append(more, n.Parent)
	}
	if of.rule == byCategory && len(terms) < len(posts) {
		more = append(more, b.Blog.Settings().DefaultCategory)
	}
	anyPrimary := of.rule.primary && b.Blog.LinkRules().AnyPrimary
	if anyPrimary {
		more = slices.AppendSeq(more, maps.Values(primaries))
	}
	if err := b.Blog.ReadTree(ctx, tree, more, sqlTermNodes, of.taxonomy); err != nil {
		return nil, err
	}
	paths := make(map[int64]string, len(posts))
	for _, post := range posts {
		id := primaries[post]
		if _, exists := tree[id]; !exists || !anyPrimary {
			id = of.rule.choose(terms[post], id)
		}
		switch {
		case len(terms[post]) > 0 && id != 0:
			paths[post] = of.rule.path(id, tree.Get)
		case of.rule == byCategory:
			paths[post] = tree[b.Blog.Settings().DefaultCategory].Slug // without its ancestors, as core does
		case of.rule != byStructure:
			paths[post] = b.noTerm
		}
	}
	return paths, nil
}
