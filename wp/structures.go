package wp

import (
	"cmp"
	"context"
	"strings"

	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/registry"
)

// Custom Post Type Permalinks gives each post type its own permalink structure. See byStructure for the terms in a
// structure.

// readStructures reads the options of the plugin.
func (s *Blog) readStructures(ctx context.Context, e *registry.Evidence) error {
	if !e.ActivePlugins[registry.PluginStructures] {
		return nil
	}
	names := []string{registry.NoTermStructures}
	for _, t := range e.PostTypes {
		names = append(names, t.Name+registry.EndOfStructure)
	}
	o, err := readOptions(ctx, s.network.db, s.tables, names, s.Notice)
	e.Structures = o
	return s.Wrap("reading the structures of post types", err)
}

// structureTaxonomies returns the taxonomies that the structure of a type names, in the order of their registration.
// The plugin fills them in this order.
func (s *Blog) structureTaxonomies(t *registry.PostType) (names []string) {
	for _, taxonomy := range s.registry.Taxonomies {
		if taxonomy.Public && !taxonomy.BuiltIn && strings.Contains(t.Slug+t.Structure, "%"+taxonomy.Name+"%") {
			names = append(names, taxonomy.Name)
		}
	}
	return names
}

func (l *linker) needStructure(t *registry.PostType, p *Post) {
	if strings.Contains(t.Structure, "%author%") {
		l.authors = append(l.authors, p.Author)
	}
	if strings.Contains(t.Structure, "%category%") {
		l.term(termOf("category"), p)
	}
	for _, name := range l.structureTaxonomies(t) {
		l.term(termOf(name), p)
	}
}

// structureValues returns the values of the tokens in the address of a post. If the post has no term of a taxonomy,
// the token gets the value of the taxonomy before, as in the plugin. Without such a value, the token stays as it is.
func (l *linker) structureValues(p *permalink.Post) map[string]string {
	values := map[string]string{"author": p.Author, "category": p.Category}
	before := ""
	for _, name := range l.structureTaxonomies(p.Type) {
		if before = cmp.Or(l.paths[termOf(name)][p.ID], before); before != "" {
			values[name] = before
		}
	}
	return values
}
