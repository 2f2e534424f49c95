package address

import (
	"cmp"
	"strings"

	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/registry"
)

// Custom Post Type Permalinks gives each post type its own permalink structure. See byStructure for the terms in a
// structure.

// structureTaxonomies returns the taxonomies that the structure of a type names, in the order of their registration.
// The plugin fills them in this order.
func (b *Book) structureTaxonomies(t *registry.PostType) (names []string) {
	for _, taxonomy := range b.Blog.Registry().Taxonomies {
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
	for _, name := range l.book.structureTaxonomies(t) {
		l.term(termOf(name), p)
	}
}

// structureValues returns the values of the tokens in the address of a post. If the post has no term of a taxonomy,
// the token gets the value of the taxonomy before, as in the plugin. Without such a value, the token stays as it is.
func (l *linker) structureValues(p *permalink.Post) map[string]string {
	values := map[string]string{"author": p.Author, "category": p.Category}
	before := ""
	for _, name := range l.book.structureTaxonomies(p.Type) {
		if before = cmp.Or(l.paths[termOf(name)][p.ID], before); before != "" {
			values[name] = before
		}
	}
	return values
}
