package wp

import (
	"context"

	"wpsitemapd/wp/registry"
)

// Custom Post Type Permalinks gives each post type its own permalink structure. Package address replaces the tokens in
// a structure.

// readStructures reads the options of the plugin.
func (r *reading) readStructures(ctx context.Context) error {
	if !r.evidence.Plugins.Active[registry.PluginStructures] {
		return nil
	}
	names := []string{registry.NoTermStructures}
	for _, t := range r.evidence.PostTypes {
		names = append(names, t.Name+registry.EndOfStructure)
	}
	o, err := readOptions(ctx, r.blog.network.db, r.blog.tables, names, r.blog.Notice)
	r.evidence.Plugins.Structures = o
	return r.blog.Wrap("reading the structures of post types", err)
}
