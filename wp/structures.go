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
	"wpsitemapd/wp/registry"
)

// Custom Post Type Permalinks gives each post type a structure. Where it names a taxonomy, the first by name of the post's terms
// that are not above another of them stands there, with those above it.

const sqlNamedTermsOfPosts = `SELECT tr.object_id, t.term_id, tt.parent, WEIGHT_STRING(t.name) FROM wp_term_relationships tr
JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id JOIN wp_terms t ON t.term_id = tt.term_id
WHERE tr.object_id IN (?) AND tt.taxonomy = ?`

// readStructures reads the options of the plugin.
func (s *Blog) readStructures(ctx context.Context, e *registry.Evidence) error {
	if !e.ActivePlugins[registry.PluginStructures] {
		return nil
	}
	names := []string{registry.NoTermStructures}
	for _, t := range e.PostTypes {
		names = append(names, t.Name+registry.EndOfStructure)
	}
	o, err := readOptions(ctx, s.network.db, s.tables, names)
	e.Structures = o
	return s.wrap("reading the structures of post types", err)
}

// structureTaxonomies are the taxonomies in the structure of a type in which the plugin looks for them: in that of registration.
func (s *Blog) structureTaxonomies(t *registry.PostType) (names []string) {
	for _, taxonomy := range s.registry.Taxonomies {
		if taxonomy.Public && !taxonomy.BuiltIn && strings.Contains(t.Slug+t.Structure, "%"+taxonomy.Name+"%") {
			names = append(names, taxonomy.Name)
		}
	}
	return names
}

func (s *Blog) structureNeeds(t *registry.PostType, p *Post, need *linkNeeds) {
	if strings.Contains(t.Structure, "%author%") {
		need.authors = append(need.authors, p.Author)
	}
	if strings.Contains(t.Structure, "%category%") {
		need.term("category", p)
	}
	for _, name := range s.structureTaxonomies(t) {
		need.term(name, p)
	}
}

// structureTerms returns the text of a taxonomy for those of its posts that have a term.
func (s *Blog) structureTerms(ctx context.Context, posts map[string][]int64) (map[string]map[int64]string, error) {
	type term struct {
		id, parent int64
		key        []byte
	}
	found := map[string]map[int64]string{}
	for name, ids := range posts {
		terms := map[int64][]term{}
		err := s.byID(ctx, "reading the terms of posts", sqlNamedTermsOfPosts, ids, db.Rows4(func(post, id, parent int64, key []byte) {
			terms[post] = append(terms[post], term{id, parent, key})
		}), name)
		if err != nil {
			return nil, err
		}
		chosen := map[int64]int64{}
		for post, all := range terms {
			lowest := slices.DeleteFunc(slices.Clone(all), func(t term) bool {
				return slices.ContainsFunc(all, func(below term) bool { return below.parent == t.id })
			})
			if len(lowest) > 0 {
				chosen[post] = slices.MinFunc(lowest, func(a, b term) int { return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(a.id, b.id)) }).id
			}
		}
		tree := nodes{}
		if err := s.tree(ctx, tree, slices.Collect(maps.Values(chosen)), sqlTermNodes, name); err != nil {
			return nil, err
		}
		found[name] = map[int64]string{}
		for post, id := range chosen {
			found[name][post] = permalink.TermPath(id, tree.get)
		}
	}
	return found, nil
}

// structureValues are the texts of tokens in the address of a post. A taxonomy of which it has no term takes the term of the one
// before, as the plugin has it, and is else left as it is.
func (s *Blog) structureValues(p *permalink.Post, f linkFacts) map[string]string {
	values := map[string]string{"author": p.Author, "category": p.Category}
	before := ""
	for _, name := range s.structureTaxonomies(p.Type) {
		if before = cmp.Or(f.structured[name][p.ID], before); before != "" {
			values[name] = before
		}
	}
	return values
}
