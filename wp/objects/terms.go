package objects

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/multilingual"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

const (
	// WEIGHT_STRING returns the sort key in the collation of the column. The program sorts terms by it, so that
	// the database does not sort.
	sqlTerms = `SELECT t.term_id, tt.term_taxonomy_id, tt.parent, tt.count, WEIGHT_STRING(t.name) FROM wp_term_taxonomy tt
JOIN wp_terms t ON t.term_id = tt.term_id WHERE tt.taxonomy = ?`
	sqlRelations = `SELECT tr.term_taxonomy_id, tr.object_id FROM wp_term_relationships tr WHERE tr.term_taxonomy_id IN (?)`
)

// TermRow holds the columns of a term that the catalog needs.
type TermRow struct {
	ID, TaxonomyID int64 // term_id, term_taxonomy_id
	Parent         int64 // term_id
	Count          int64 // how many objects have the term, as WordPress has stored it
	InUse          bool  // get_terms() lists the term if empty terms are hidden; set by ReadTerms and Tree.MarkInUse
}

// A Tree holds the term_ids of the children of terms, by term_id. It is nil if the taxonomy is no tree.
type Tree map[int64][]int64

// Below returns the term_ids below id at any depth and adds them to seen. It skips terms that are in seen already,
// with the terms below them.
func (t Tree) Below(id int64, seen map[int64]bool) []int64 {
	var below []int64
	for open := slices.Clone(t[id]); len(open) > 0; {
		child := open[len(open)-1]
		open = open[:len(open)-1]
		if !seen[child] {
			seen[child] = true
			below = append(below, child)
			open = append(open, t[child]...)
		}
	}
	return below
}

// ReadTerms reads the terms of a taxonomy, ordered by name in the collation of the table, then by id. The tree comes
// from the option {taxonomy}_children if WordPress has stored it, as in core. If not, the tree comes from the rows.
func ReadTerms(ctx context.Context, blog *wp.Blog, t *registry.Taxonomy) ([]TermRow, Tree, error) {
	type named struct {
		row TermRow
		key []byte
	}
	var all []named
	var r named
	err := blog.Query(ctx, sqlTerms, []any{t.Name},
		db.Row(func() { all = append(all, r) }, &r.row.ID, &r.row.TaxonomyID, &r.row.Parent, &r.row.Count, &r.key))
	if err != nil {
		return nil, nil, blog.Wrap("reading the terms of "+t.Name, err)
	}
	slices.SortFunc(all, func(a, b named) int {
		return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(a.row.ID, b.row.ID))
	})
	terms, byName := make([]TermRow, len(all)), make([]*TermRow, len(all))
	for i, r := range all {
		terms[i], byName[i] = r.row, &terms[i]
	}
	var tree Tree
	if t.Hierarchical {
		if tree, err = termChildren(ctx, blog, t.Name); err != nil {
			return nil, nil, err
		}
		if tree == nil {
			tree = Tree{}
			for _, r := range terms {
				if r.Parent > 0 {
					tree[r.Parent] = append(tree[r.Parent], r.ID)
				}
			}
		}
	}
	tree.MarkInUse(byName)
	return terms, tree, nil
}

// MarkInUse sets InUse of the terms of a taxonomy. A term is in use if it has objects or, in a tree, if a term below it
// has objects.
func (t Tree) MarkInUse(terms []*TermRow) {
	parents := map[int64][]int64{}
	for parent, children := range t {
		for _, child := range children {
			parents[child] = append(parents[child], parent)
		}
	}
	var open []int64
	for _, r := range terms {
		if r.Count > 0 && len(parents[r.ID]) > 0 {
			open = append(open, r.ID)
		}
	}
	above := map[int64]bool{} // the ancestors of terms with objects
	for len(open) > 0 {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		for _, parent := range parents[id] {
			if !above[parent] {
				above[parent] = true
				open = append(open, parent)
			}
		}
	}
	for _, r := range terms {
		r.InUse = r.Count > 0 || above[r.ID]
	}
}

// termChildren reads the option {taxonomy}_children. If the option is not stored or is broken, termChildren returns
// nil, and the caller must use the rows. Core does so, too.
func termChildren(ctx context.Context, blog *wp.Blog, taxonomy string) (Tree, error) {
	stored, err := blog.StoredArray(ctx, taxonomy+"_children")
	if err != nil || stored.Kind != php.Array {
		return nil, err
	}
	children := Tree{}
	for _, p := range stored.Pairs() {
		for _, c := range p.Value.Pairs() {
			children[p.Key.Int] = append(children[p.Key.Int], c.Value.Int())
		}
	}
	return children, nil
}

// Relations calls fn for every object of the given term_taxonomy_ids.
func Relations(ctx context.Context, blog *wp.Blog, taxonomyIDs []int64, fn func(taxonomyID, object int64)) error {
	return blog.ByID(ctx, "reading the objects of terms", sqlRelations, taxonomyIDs, db.Rows2(fn))
}

// sqlPostsWithTerms reads the relations of given posts. The terms may be of any taxonomy.
const sqlPostsWithTerms = `SELECT tr.object_id, tt.term_id FROM wp_term_relationships tr
JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id WHERE tr.object_id IN (?) AND tt.term_id IN (?)`

// PostsWithTerms calls fn for each pair of one of the posts and one of the terms that the post itself has.
func PostsWithTerms(ctx context.Context, blog *wp.Blog, posts, terms []int64, fn func(post, term int64)) error {
	if len(terms) == 0 {
		return nil
	}
	return blog.ByID(ctx, "reading which posts have terms", sqlPostsWithTerms, posts, db.Rows2(fn), wp.Distinct(terms))
}

const (
	sqlPostsOfTerm = `SELECT tr.object_id FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id
JOIN wp_term_relationships tr ON tr.term_taxonomy_id = tt.term_taxonomy_id WHERE t.slug = ? AND tt.taxonomy = ?`
	sqlOfTermAmong = `SELECT tr.object_id FROM wp_term_relationships tr JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id
JOIN wp_terms t ON t.term_id = tt.term_id WHERE tr.object_id IN (?) AND t.slug = ? AND tt.taxonomy = ?`
)

// PostsOfTerm returns the posts among ids that have the term. A post that has only a term below it does not count. If
// ids is nil, all posts are searched.
func PostsOfTerm(ctx context.Context, blog *wp.Blog, taxonomy, slug string, ids []int64) ([]int64, error) {
	const what = "reading which posts have a term"
	if ids == nil {
		return blog.IDs(ctx, what, sqlPostsOfTerm, slug, taxonomy)
	}
	return blog.IDsOf(ctx, what, sqlOfTermAmong, ids, slug, taxonomy)
}

const sqlMistakenTerms = `SELECT COUNT(*) FROM (SELECT 1 FROM wp_term_taxonomy a JOIN wp_term_taxonomy b ON b.term_taxonomy_id = a.term_id
WHERE a.taxonomy = ? AND b.taxonomy <> ? LIMIT 1) found`

// MeetsTaxonomyIDs reports whether a term of a taxonomy has a term_id that another taxonomy uses as term_taxonomy_id.
func MeetsTaxonomyIDs(ctx context.Context, blog *wp.Blog, taxonomy string) (meets bool, err error) {
	err = blog.Query(ctx, sqlMistakenTerms, []any{taxonomy, taxonomy}, db.Rows1(func(n int) { meets = n > 0 }))
	return meets, blog.Wrap("reading whose term_taxonomy_id are term_id of "+taxonomy, err)
}

// MarkedProducts returns the products that have a term of product_visibility, such as exclude-from-catalog. It looks
// only at the products ids, or at all products if ids is nil. Without WooCommerce it returns nil.
func MarkedProducts(ctx context.Context, blog *wp.Blog, term string, ids []int64) ([]int64, error) {
	if !blog.Settings().Woo.Active {
		return nil, nil
	}
	return PostsOfTerm(ctx, blog, "product_visibility", term, ids)
}

const (
	sqlSharedTerms = `SELECT a.taxonomy, a.term_id FROM wp_term_taxonomy a
JOIN wp_term_taxonomy b ON b.term_id = a.term_id AND b.taxonomy <> a.taxonomy LIMIT ?`
	mostShared = 10_000
)

// SharedTerms returns terms that share their term_id with a term of another taxonomy. WordPress before 4.2 created such
// terms.
func SharedTerms(ctx context.Context, blog *wp.Blog) (all []TermKey, err error) {
	err = blog.Query(ctx, sqlSharedTerms, []any{mostShared}, db.Rows2(func(taxonomy string, id int64) { all = append(all, TermKey{taxonomy, id}) }))
	return all, blog.Wrap("looking for terms that taxonomies share", err)
}

// TermLanguages returns the language of each term of a taxonomy that has one, as an index in Languages.All.
func TermLanguages(ctx context.Context, blog *wp.Blog, taxonomy string, terms []TermRow) (map[int64]int, error) {
	ids := make([]int64, len(terms))
	termOf := make(map[int64]int64, len(terms))
	for i, t := range terms {
		ids[i] = blog.Languages().ObjectID(t.ID, t.TaxonomyID)
		termOf[ids[i]] = t.ID
	}
	found, err := blog.Languages().Plugin.Translations(ctx, multilingual.TaxonomyKind+taxonomy, ids)
	langs := make(map[int64]int, len(found))
	for id, t := range found {
		langs[termOf[id]] = blog.Languages().Index(t.Language)
	}
	return langs, err
}
