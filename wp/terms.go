package wp

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/registry"
)

const (
	sqlTermDetails = `SELECT t.term_id, tt.term_taxonomy_id, t.slug, tt.parent, tt.description FROM wp_term_taxonomy tt
JOIN wp_terms t ON t.term_id = tt.term_id WHERE tt.term_id IN (?) AND tt.taxonomy = ?`
)

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
		return s.ByID(ctx, "reading terms of "+t.Name, query, ids, scan, t.Name)
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
		terms, err := s.TermsByID(ctx, t, Distinct(ids))
		if err != nil {
			return nil, err
		}
		byID := map[int64]*NamedTerm{}
		for _, term := range terms {
			byID[term.ID] = &NamedTerm{Term: *term, Taxonomy: t.Name}
			found = append(found, byID[term.ID])
		}
		err = s.ByID(ctx, "reading names of terms", sqlNamedTerms, ids, db.Rows3(func(id int64, name string, key []byte) {
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
