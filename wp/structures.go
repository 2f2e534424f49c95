package wp

import (
	"context"

	"wpsitemapd/wp/registry"
)

// Custom Post Type Permalinks gives each post type its own permalink structure. Package address fills
// them.

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
