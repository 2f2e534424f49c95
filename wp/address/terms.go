package address

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp"
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

	Language   string         // code; "" without a language, or without a multilingual plugin
	Alternates []wp.Alternate // see TranslatedTerms

	taxonomyID int64
}

// TermsByID reads terms of a taxonomy with their links, in the order of ids.
func (b *Book) TermsByID(ctx context.Context, t *registry.Taxonomy, ids []int64) ([]*Term, error) {
	return b.TranslatedTerms(ctx, t, ids, nil)
}

// TranslatedTerms does what TermsByID does and sets Alternates to the translations for which keep is true. Without keep, no term has
// alternates.
func (b *Book) TranslatedTerms(ctx context.Context, t *registry.Taxonomy, ids []int64, keep func(id int64) bool) ([]*Term, error) {
	byID := make(map[int64]*Term, len(ids)) // the terms of ids, and translations for which keep is true
	var row Term
	scan := db.Row(func() {
		term := row
		byID[term.ID] = &term
	}, &row.ID, &row.taxonomyID, &row.Slug, &row.Parent, &row.Description)
	read := func(query string, ids []int64) error {
		return b.Blog.ByID(ctx, "reading terms of "+t.Name, query, ids, scan, t.Name)
	}
	if err := read(sqlTermDetails, ids); err != nil {
		return nil, err
	}
	found, err := b.translateTerms(ctx, t, byID, keep, read)
	if err != nil {
		return nil, err
	}
	if err := b.linkTerms(ctx, t, byID); err != nil {
		return nil, err
	}
	listed := map[int64]string{} // links of the terms that keep accepts, by the ids that the multilingual plugin uses
	for id, term := range byID {
		if keep != nil && keep(id) {
			listed[b.Blog.Languages().ObjectID(id, term.taxonomyID)] = term.Link
		}
	}
	terms := inOrder(byID, ids)
	for _, term := range terms {
		object := b.Blog.Languages().ObjectID(term.ID, term.taxonomyID)
		term.Alternates = b.Blog.Languages().Alternates(found[object].Members, object, listed)
	}
	return terms, nil
}

// linkTerms sets the links of terms in several steps. Each step overrules the steps before it. The steps are: the address that
// WordPress computes, an address set by hand, the form of the configuration, the language, and an address that the site has confirmed.
func (b *Book) linkTerms(ctx context.Context, t *registry.Taxonomy, byID map[int64]*Term) error {
	tree := wp.Tree{} // the terms with their ancestors, if addresses contain these
	deep := t.RewriteHierarchical || strings.Contains(t.URL, "{path}")
	if deep {
		var parents []int64
		for id, term := range byID {
			tree[id] = wp.Node{Slug: term.Slug, Parent: term.Parent}
			parents = append(parents, term.Parent)
		}
		if err := b.Blog.ReadTree(ctx, tree, parents, sqlTermNodes, t.Name); err != nil {
			return err
		}
	}
	links := b.Blog.Links()
	for id, term := range byID {
		path := term.Slug
		if deep {
			path = permalink.TermPath(id, tree.Get)
		}
		link := links.Term(t, id, term.Slug, path)
		own := b.termByHand(links, t, id)
		if t.URL != "" {
			own = termURL(t.URL, id, term.Slug, path)
		}
		if own != "" {
			link = b.Blog.LinksHome() + "/" + own
		}
		term.Link = b.Blog.Languages().Term(t.Name, link, term.Language)
	}
	corrected, err := b.corrected(ctx, wp.IndexedTerm, b.termObjects(t, slices.Collect(maps.Values(byID))))
	for id, link := range corrected {
		byID[id].Link = link
	}
	return err
}

// ArchiveLink returns the address of a post type's archive, or "" if it has none.
func (b *Book) ArchiveLink(ctx context.Context, t *registry.PostType) (string, error) {
	return b.ArchiveLinkIn(ctx, t, "")
}

const sqlNamedTerms = `SELECT t.term_id, t.name, WEIGHT_STRING(t.name) FROM wp_terms t WHERE t.term_id IN (?)`

type NamedTerm struct {
	Term
	Taxonomy string
	Name     string // HTML
	key      []byte
}

// NamedTerms reads terms of several taxonomies with their links, ordered by name in the
// collation of the table, then by id and taxonomy.
func (b *Book) NamedTerms(ctx context.Context, ids map[*registry.Taxonomy][]int64) ([]*NamedTerm, error) {
	var found []*NamedTerm
	for t, ids := range ids {
		terms, err := b.TermsByID(ctx, t, wp.Distinct(ids))
		if err != nil {
			return nil, err
		}
		byID := map[int64]*NamedTerm{}
		for _, term := range terms {
			byID[term.ID] = &NamedTerm{Term: *term, Taxonomy: t.Name}
			found = append(found, byID[term.ID])
		}
		err = b.Blog.ByID(ctx, "reading names of terms", sqlNamedTerms, ids, db.Rows3(func(id int64, name string, key []byte) {
			if term := byID[id]; term != nil {
				term.Name, term.key = name, key
			}
		}))
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(x, y *NamedTerm) int {
		return cmp.Or(slices.Compare(x.key, y.key), cmp.Compare(x.ID, y.ID), cmp.Compare(x.Taxonomy, y.Taxonomy))
	})
	return found, nil
}
