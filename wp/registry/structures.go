package registry

import (
	"strings"

	"wpsitemapd/wp/php"
)

// PluginStructures is Custom Post Type Permalinks, which gives each public type a permalink structure of its own.
const (
	PluginStructures = "custom-post-type-permalinks/custom-post-type-permalinks.php"
	NoTermStructures = "no_taxonomy_structure" // option; if it is not 0, or not stored, terms have no structure
	EndOfStructure   = "_structure"            // end of the name of a type's option

	sourceStructures = FactSource("Custom Post Type Permalinks")
)

// structured reports whether the plugin has written rewrite rules for a post type. The plugin does so only for public
// types.
func (d *decider) structured(k kind, name string) bool {
	r, ok := d.route(k, name)
	return k == postTypes && ok && r.Structured && d.e.Plugins.Active[PluginStructures]
}

// structures sets the permalink structures of post types. It also puts the slug of a taxonomy's first post type before
// the addresses of its terms.
func (d *decider) structures() {
	if !d.pretty || !d.e.Plugins.Active[PluginStructures] {
		return
	}
	for _, t := range d.reg.PostTypes {
		if t.BuiltIn || !t.Public || !t.Rewrite {
			continue
		}
		structure, stored := d.e.Plugins.Structures[t.Name+EndOfStructure]
		if !stored {
			structure = "%postname%"
		}
		own := "%" + t.Name + "%"
		t.Structure = strings.NewReplacer("%postname%", own, "%"+t.Name+"_slug%", t.Slug).Replace("/" + strings.TrimLeft(structure, "/"))
		t.Sources[keyStructure] = sourceStructures
	}
	if none, stored := d.e.Plugins.Structures[NoTermStructures]; !stored || php.NewString(none).Int() != 0 {
		return
	}
	for _, t := range d.reg.Taxonomies {
		if t.BuiltIn || !t.Public || !t.Rewrite || len(t.ObjectTypes) == 0 || t.Sources[keySlug] == sourceConfiguration {
			continue
		}
		of := d.reg.PostType(t.ObjectTypes[0])
		if of == nil || !of.Rewrite {
			continue
		}
		base := of.Slug + "/" + t.Slug
		if of.WithFront {
			base = d.front + base
		}
		t.Slug, t.WithFront, t.RewriteHierarchical, t.Sources[keySlug] = base, false, true, sourceStructures
	}
}
