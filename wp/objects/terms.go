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
	sqlTermRowsByID = `SELECT tt.term_taxonomy_id, tt.term_id, tt.parent, tt.count, tt.taxonomy FROM wp_term_taxonomy tt
WHERE tt.term_taxonomy_id IN (?)`
)

// TermRow holds the columns of a term that the catalog needs.
type TermRow struct {
	ID, TaxonomyID int64 // term_id, term_taxonomy_id
	Parent         int64 // term_id
	Count          int64 // how many objects have the term, as WordPress has stored it
	InUse          bool  // get_terms() lists the term if empty terms are hidden; set by ReadTerms and Tree.MarkInUse
}

// ReadTerms reads the terms of a taxonomy, ordered by name in the collation of the table, then by id. It also returns their tree,
// and marks which terms are in use.
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
	tree, err := treeOf(ctx, blog, t, terms)
	if err != nil {
		return nil, nil, err
	}
	tree.MarkInUse(byName)
	return terms, tree, nil
}

// treeOf returns the tree of a taxonomy, or nil if the taxonomy is no tree. Like core, it believes the option {taxonomy}_children,
// even a stale one. If the option is not stored or is broken, it makes the tree from the rows.
func treeOf(ctx context.Context, blog *wp.Blog, t *registry.Taxonomy, terms []TermRow) (Tree, error) {
	if !t.Hierarchical {
		return nil, nil
	}
	stored, err := blog.StoredArray(ctx, t.Name+"_children")
	if err != nil {
		return nil, err
	}
	tree := Tree{}
	if stored.Kind != php.Array {
		for _, r := range terms {
			if r.Parent > 0 {
				tree[r.Parent] = append(tree[r.Parent], r.ID)
			}
		}
	}
	for _, p := range stored.Pairs() {
		for _, child := range p.Value.Pairs() {
			tree[p.Key.Int] = append(tree[p.Key.Int], child.Value.Int())
		}
	}
	return tree, nil
}

// TermRows calls fn with the row of each term with one of the term_taxonomy_ids, for a delta. It does not set InUse, which depends on
// other rows.
func TermRows(ctx context.Context, blog *wp.Blog, taxonomyIDs []int64, fn func(taxonomy string, r TermRow)) error {
	var r TermRow
	var taxonomy string
	return blog.ByID(ctx, "reading rows of terms", sqlTermRowsByID, taxonomyIDs,
		db.Row(func() { fn(taxonomy, r) }, &r.TaxonomyID, &r.ID, &r.Parent, &r.Count, &taxonomy))
}

// TermLanguages returns the language of each term of a taxonomy that has one, by term_id. A language is an index in Languages.All.
// WPML knows terms by their term_taxonomy_id, see Languages.ObjectID.
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
