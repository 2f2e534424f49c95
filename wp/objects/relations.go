package objects

import (
	"context"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// A relation is a row of wp_term_relationships: an object, which is nearly always a post, has a term. The table names the term by
// its term_taxonomy_id.

const (
	sqlRelations   = `SELECT tr.term_taxonomy_id, tr.object_id FROM wp_term_relationships tr WHERE tr.term_taxonomy_id IN (?)`
	sqlRelationsOf = `SELECT tr.object_id, tr.term_taxonomy_id FROM wp_term_relationships tr WHERE tr.object_id IN (?)`
	// The terms may be of any taxonomy.
	sqlPostsWithTerms = `SELECT tr.object_id, tt.term_id FROM wp_term_relationships tr
JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id WHERE tr.object_id IN (?) AND tt.term_id IN (?)`
	sqlPostsOfTerm = `SELECT tr.object_id FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id
JOIN wp_term_relationships tr ON tr.term_taxonomy_id = tt.term_taxonomy_id WHERE t.slug = ? AND tt.taxonomy = ?`
	sqlPostsOfTermAmong = `SELECT tr.object_id FROM wp_term_relationships tr JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id
JOIN wp_terms t ON t.term_id = tt.term_id WHERE tr.object_id IN (?) AND t.slug = ? AND tt.taxonomy = ?`
)

// Relations calls fn for every object of the given term_taxonomy_ids.
func Relations(ctx context.Context, blog *wp.Blog, termTaxonomyIDs []int64, fn func(termTaxonomyID, object int64)) error {
	return blog.ByID(ctx, "reading the objects of terms", sqlRelations, termTaxonomyIDs, db.Rows2(fn))
}

// RelationsOf calls fn for every term_taxonomy_id of each object.
func RelationsOf(ctx context.Context, blog *wp.Blog, objects []int64, fn func(object, termTaxonomyID int64)) error {
	return blog.ByID(ctx, "reading the terms of objects", sqlRelationsOf, objects, db.Rows2(fn))
}

// PostsWithTerms calls fn for each pair of one of the posts and one of the terms that the post itself has.
func PostsWithTerms(ctx context.Context, blog *wp.Blog, posts, terms []int64, fn func(post, term int64)) error {
	if len(terms) == 0 {
		return nil
	}
	return blog.ByID(ctx, "reading which posts have terms", sqlPostsWithTerms, posts, db.Rows2(fn), wp.Distinct(terms))
}

// PostsOfTerm returns the posts among ids that have the term. A post that has only a term below it does not count. If
// ids is nil, all posts are searched.
func PostsOfTerm(ctx context.Context, blog *wp.Blog, taxonomy, slug string, ids []int64) ([]int64, error) {
	const what = "reading which posts have a term"
	if ids == nil {
		return blog.IDs(ctx, what, sqlPostsOfTerm, slug, taxonomy)
	}
	return blog.IDsOf(ctx, what, sqlPostsOfTermAmong, ids, slug, taxonomy)
}

// MarkedProducts returns the products that have a term of product_visibility, such as exclude-from-catalog. It looks
// only at the products ids, or at all products if ids is nil. Without WooCommerce it returns nil.
func MarkedProducts(ctx context.Context, blog *wp.Blog, term string, ids []int64) ([]int64, error) {
	if !blog.Settings().Woo.Active {
		return nil, nil
	}
	return PostsOfTerm(ctx, blog, "product_visibility", term, ids)
}

// A term has two ids: term_id in wp_terms, and term_taxonomy_id in wp_term_taxonomy. Some plugins take one for the other, or
// forget that two terms may share a term_id. Their sitemaps then differ from ours. diff asks here if that may be the reason
// (server/diff/run.go).

const sqlMistakenTerms = `SELECT COUNT(*) FROM (SELECT 1 FROM wp_term_taxonomy a JOIN wp_term_taxonomy b ON b.term_taxonomy_id = a.term_id
WHERE a.taxonomy = ? AND b.taxonomy <> ? LIMIT 1) found`

// MeetsTaxonomyIDs reports whether a term of a taxonomy has a term_id that another taxonomy uses as term_taxonomy_id.
func MeetsTaxonomyIDs(ctx context.Context, blog *wp.Blog, taxonomy string) (meets bool, err error) {
	err = blog.Query(ctx, sqlMistakenTerms, []any{taxonomy, taxonomy}, db.Rows1(func(n int) { meets = n > 0 }))
	return meets, blog.Wrap("reading whose term_taxonomy_id are term_id of "+taxonomy, err)
}

const (
	sqlSharedTerms = `SELECT a.taxonomy, a.term_id FROM wp_term_taxonomy a
JOIN wp_term_taxonomy b ON b.term_id = a.term_id AND b.taxonomy <> a.taxonomy LIMIT ?`
	mostShared = 10_000
)

// SharedTerms returns at most mostShared terms that share their term_id with a term of another taxonomy, in no order. A term comes once
// for each term that it shares its id with. WordPress before 4.2 created such terms.
func SharedTerms(ctx context.Context, blog *wp.Blog) (all []TermKey, err error) {
	err = blog.Query(ctx, sqlSharedTerms, []any{mostShared}, db.Rows2(func(taxonomy string, id int64) { all = append(all, TermKey{taxonomy, id}) }))
	return all, blog.Wrap("looking for terms that taxonomies share", err)
}
