package wp

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

const (
	// WEIGHT_STRING returns the sort key in the collation of the column. The program sorts terms by it, so that
	// the database does not sort.
	sqlTerms = `SELECT t.term_id, tt.term_taxonomy_id, tt.parent, tt.count, WEIGHT_STRING(t.name) FROM wp_term_taxonomy tt
JOIN wp_terms t ON t.term_id = tt.term_id WHERE tt.taxonomy = ?`
	sqlRelations   = `SELECT tr.term_taxonomy_id, tr.object_id FROM wp_term_relationships tr WHERE tr.term_taxonomy_id IN (?)`
	sqlTermDetails = `SELECT t.term_id, tt.term_taxonomy_id, t.slug, tt.parent, tt.description FROM wp_term_taxonomy tt
JOIN wp_terms t ON t.term_id = tt.term_id WHERE tt.term_id IN (?) AND tt.taxonomy = ?`
)

// TermRow holds the columns of a term that the catalog needs.
type TermRow struct {
	ID, TaxonomyID int64 // term_id, term_taxonomy_id
	Parent         int64 // term_id
	Count          int64 // how many objects have the term, as WordPress has stored it
}

// Terms are the terms of one taxonomy.
type Terms struct {
	Listed   []TermRow         // the terms of All that are in use, see InUse
	All      []TermRow         // every term, ordered by name
	Children map[int64][]int64 // term_ids of children by term_id; nil if the taxonomy is no tree
}

// Below returns the term_ids below id at any depth and adds them to seen. It skips terms that are in seen already,
// with the terms below them.
func (t *Terms) Below(id int64, seen map[int64]bool) []int64 {
	var below []int64
	for open := slices.Clone(t.Children[id]); len(open) > 0; {
		child := open[len(open)-1]
		open = open[:len(open)-1]
		if !seen[child] {
			seen[child] = true
			below = append(below, child)
			open = append(open, t.Children[child]...)
		}
	}
	return below
}

// Terms reads the terms of a taxonomy, ordered by name in the collation of the table, then by id. The tree comes
// from the option {taxonomy}_children if WordPress has stored it, as in core. Else it comes from the rows.
func (s *Blog) Terms(ctx context.Context, t *registry.Taxonomy) (*Terms, error) {
	type named struct {
		TermRow
		key []byte
	}
	var all []named
	var r named
	err := s.Query(ctx, sqlTerms, []any{t.Name},
		db.Row(func() { all = append(all, r) }, &r.ID, &r.TaxonomyID, &r.Parent, &r.Count, &r.key))
	if err != nil {
		return nil, s.Wrap("reading the terms of "+t.Name, err)
	}
	slices.SortFunc(all, func(a, b named) int {
		return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(a.ID, b.ID))
	})
	terms := &Terms{All: make([]TermRow, len(all))}
	for i, r := range all {
		terms.All[i] = r.TermRow
	}
	if t.Hierarchical {
		if terms.Children, err = s.termChildren(ctx, t.Name); err != nil {
			return nil, err
		}
		if terms.Children == nil {
			terms.Children = map[int64][]int64{}
			for _, r := range all {
				if r.Parent > 0 {
					terms.Children[r.Parent] = append(terms.Children[r.Parent], r.ID)
				}
			}
		}
	}
	for i, inUse := range terms.InUse() {
		if inUse {
			terms.Listed = append(terms.Listed, terms.All[i])
		}
	}
	return terms, nil
}

// InUse reports for each term of All whether get_terms() lists it if empty terms are hidden. A term is in use if
// it has objects or, in a tree, if a term below it has objects.
func (t *Terms) InUse() []bool {
	parents := map[int64][]int64{}
	for parent, children := range t.Children {
		for _, child := range children {
			parents[child] = append(parents[child], parent)
		}
	}
	var open []int64
	for i := range t.All {
		if r := &t.All[i]; r.Count > 0 && len(parents[r.ID]) > 0 {
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
	inUse := make([]bool, len(t.All))
	for i := range t.All {
		inUse[i] = t.All[i].Count > 0 || above[t.All[i].ID]
	}
	return inUse
}

// termChildren reads the option {taxonomy}_children. It returns nil if the option is not stored or is broken. Core
// then silently rebuilds it from the rows.
func (s *Blog) termChildren(ctx context.Context, taxonomy string) (map[int64][]int64, error) {
	name := taxonomy + "_children"
	o, err := readOptions(ctx, s.network.db, s.tables, []string{name}, func(string) {})
	if err != nil {
		return nil, s.Wrap("reading option "+name, err)
	}
	stored := o.serialized(name, func(string) {})
	if stored.Kind != php.Array {
		return nil, nil
	}
	children := map[int64][]int64{}
	for _, p := range stored.Pairs() {
		for _, c := range p.Value.Pairs() {
			children[p.Key.Int] = append(children[p.Key.Int], c.Value.Int())
		}
	}
	return children, nil
}

// Relations calls fn for every object of the given term_taxonomy_ids.
func (s *Blog) Relations(ctx context.Context, taxonomyIDs []int64, fn func(taxonomyID, object int64)) error {
	return s.byID(ctx, "reading the objects of terms", sqlRelations, taxonomyIDs, db.Rows2(fn))
}

// Term is a term with its public address.
type Term struct {
	ID          int64
	Slug        string
	Parent      int64
	Description string
	Link        string

	Language   string      // code; "" without a language, or without a multilingual plugin
	Alternates []Alternate // see TranslatedTerms

	taxonomyID int64
}

// TermsByID reads terms of a taxonomy with their links, in the order of ids.
func (s *Blog) TermsByID(ctx context.Context, t *registry.Taxonomy, ids []int64) ([]*Term, error) {
	return s.TranslatedTerms(ctx, t, ids, nil)
}

// TranslatedTerms does what TermsByID does and sets Alternates to the translations for which keep is true.
func (s *Blog) TranslatedTerms(ctx context.Context, t *registry.Taxonomy, ids []int64, keep func(id int64) bool) ([]*Term, error) {
	byID := make(map[int64]*Term, len(ids))
	tree := nodes{}
	var parents []int64
	var row Term
	scan := db.Row(func() {
		term := row
		byID[term.ID] = &term
		tree[term.ID] = node{term.Slug, term.Parent}
		parents = append(parents, term.Parent)
	}, &row.ID, &row.taxonomyID, &row.Slug, &row.Parent, &row.Description)
	read := func(query string, ids []int64) error {
		return s.byID(ctx, "reading terms of "+t.Name, query, ids, scan, t.Name)
	}
	if err := read(sqlTermDetails, ids); err != nil {
		return nil, err
	}
	found, err := s.translateTerms(ctx, t, byID, keep, read)
	if err != nil {
		return nil, err
	}
	deep := t.RewriteHierarchical || strings.Contains(t.URL, "{path}")
	if deep {
		if err := s.tree(ctx, tree, parents, sqlTermNodes, t.Name); err != nil {
			return nil, err
		}
	}
	b := s.links()
	for id, term := range byID {
		path := term.Slug
		if deep {
			path = permalink.TermPath(id, tree.get)
		}
		link := b.Term(t, term.ID, term.Slug, path)
		own := s.termByHand(b, t, term.ID)
		if t.URL != "" {
			own = termURL(t.URL, term.ID, term.Slug, path)
		}
		if own != "" {
			link = s.home + "/" + own
		}
		term.Link = s.languages.Term(t.Name, link, term.Language)
	}
	corrected, err := s.corrected(ctx, indexedTerm, s.termObjects(t, slices.Collect(maps.Values(byID))))
	if err != nil {
		return nil, err
	}
	for id, link := range corrected {
		byID[id].Link = link
	}
	links := map[int64]string{} // by the ids of the plugin
	for id, term := range byID {
		if keep != nil && keep(id) {
			links[s.languages.ObjectID(id, term.taxonomyID)] = term.Link
		}
	}
	terms := inOrder(byID, ids)
	for _, term := range terms {
		object := s.languages.ObjectID(term.ID, term.taxonomyID)
		term.Alternates = s.languages.Alternates(found[object].Members, object, links)
	}
	return terms, nil
}

// ArchiveLink returns the address of a post type's archive, or "" if it has none.
func (s *Blog) ArchiveLink(ctx context.Context, t *registry.PostType) (string, error) {
	return s.ArchiveLinkIn(ctx, t, "")
}

// sqlPostsWithTerms reads the relations of given posts. The terms may be of any taxonomy.
const sqlPostsWithTerms = `SELECT tr.object_id, tt.term_id FROM wp_term_relationships tr
JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id WHERE tr.object_id IN (?) AND tt.term_id IN (?)`

// PostsWithTerms calls fn for each pair of a post and a term that the post itself has, out of the given posts and
// terms.
func (s *Blog) PostsWithTerms(ctx context.Context, posts, terms []int64, fn func(post, term int64)) error {
	if len(terms) == 0 {
		return nil
	}
	return s.byID(ctx, "reading which posts have terms", sqlPostsWithTerms, posts, db.Rows2(fn), distinct(terms))
}

const (
	sqlPostsOfTerm = `SELECT tr.object_id FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id
JOIN wp_term_relationships tr ON tr.term_taxonomy_id = tt.term_taxonomy_id WHERE t.slug = ? AND tt.taxonomy = ?`
	sqlOfTermAmong = `SELECT tr.object_id FROM wp_term_relationships tr JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id
JOIN wp_terms t ON t.term_id = tt.term_id WHERE tr.object_id IN (?) AND t.slug = ? AND tt.taxonomy = ?`
)

// PostsOfTerm returns those of the posts ids that have the term themselves. If ids is nil, it looks at all posts.
func (s *Blog) PostsOfTerm(ctx context.Context, taxonomy, slug string, ids []int64) ([]int64, error) {
	const what = "reading which posts have a term"
	if ids == nil {
		return s.ids(ctx, what, sqlPostsOfTerm, slug, taxonomy)
	}
	return s.idsOf(ctx, what, sqlOfTermAmong, ids, slug, taxonomy)
}

const sqlNamedTerms = `SELECT t.term_id, t.name, WEIGHT_STRING(t.name) FROM wp_terms t WHERE t.term_id IN (?)`

// NamedTerm is a term with its name.
type NamedTerm struct {
	Term
	Taxonomy string
	Name     string // HTML
	key      []byte
}

// NamedTerms reads terms of several taxonomies with their links, ordered by name in the
// collation of the table, then by id.
func (s *Blog) NamedTerms(ctx context.Context, ids map[*registry.Taxonomy][]int64) ([]*NamedTerm, error) {
	var found []*NamedTerm
	for t, ids := range ids {
		terms, err := s.TermsByID(ctx, t, distinct(ids))
		if err != nil {
			return nil, err
		}
		byID := map[int64]*NamedTerm{}
		for _, term := range terms {
			byID[term.ID] = &NamedTerm{Term: *term, Taxonomy: t.Name}
			found = append(found, byID[term.ID])
		}
		err = s.byID(ctx, "reading names of terms", sqlNamedTerms, ids, db.Rows3(func(id int64, name string, key []byte) {
			if term := byID[id]; term != nil {
				term.Name, term.key = name, key
			}
		}))
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(x, y *NamedTerm) int {
		return cmp.Or(slices.Compare(x.key, y.key), cmp.Compare(x.ID, y.ID))
	})
	return found, nil
}

const sqlMistakenTerms = `SELECT COUNT(*) FROM (SELECT 1 FROM wp_term_taxonomy a JOIN wp_term_taxonomy b ON b.term_taxonomy_id = a.term_id
WHERE a.taxonomy = ? AND b.taxonomy <> ? LIMIT 1) found`

// MeetsTaxonomyIDs reports whether the term_id of a term of a taxonomy is the term_taxonomy_id of another taxonomy's term.
func (s *Blog) MeetsTaxonomyIDs(ctx context.Context, taxonomy string) (meets bool, err error) {
	err = s.Query(ctx, sqlMistakenTerms, []any{taxonomy, taxonomy}, db.Rows1(func(n int) { meets = n > 0 }))
	return meets, s.Wrap("reading whose term_taxonomy_id are term_id of "+taxonomy, err)
}

const (
	sqlSharedTerms = `SELECT a.taxonomy, a.term_id FROM wp_term_taxonomy a
JOIN wp_term_taxonomy b ON b.term_id = a.term_id AND b.taxonomy <> a.taxonomy LIMIT ?`
	mostShared = 10_000
)

// SharedTerms returns terms whose term_id a term of another taxonomy has, too, as WordPress before 4.2 gave them out.
func (s *Blog) SharedTerms(ctx context.Context) (all []TermKey, err error) {
	err = s.Query(ctx, sqlSharedTerms, []any{mostShared}, db.Rows2(func(taxonomy string, id int64) { all = append(all, TermKey{taxonomy, id}) }))
	return all, s.Wrap("looking for terms that taxonomies share", err)
}
