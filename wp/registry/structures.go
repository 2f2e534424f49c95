package registry

import (
	"strings"

	"wpsitemapd/wp/php"
)

// PluginStructures is Custom Post Type Permalinks, by which each public type has a permalink structure of its own.
const (
	PluginStructures = "custom-post-type-permalinks/custom-post-type-permalinks.php"
	NoTermStructures = "no_taxonomy_structure" // option: terms have none; so it is where it is not stored
	EndOfStructure   = "_structure"            // the end of the option of a type

	sourceStructures = FactSource("Custom Post Type Permalinks")
)

// structured reports whether the plugin has written rewrite rules for a type, which it does for public ones alone.
func (d *decider) structured(k kind, name string) bool {
	r, ok := d.route(k, name)
	return k == postTypes && ok && r.Structured && d.e.ActivePlugins[PluginStructures]
}

// structures gives types their permalink structures, and has the addresses of terms begin with the slug of their first post type.
func (d *decider) structures() {
	if !d.pretty || !d.e.ActivePlugins[PluginStructures] {
		return
	}
	for _, t := range d.reg.PostTypes {
		if t.BuiltIn || !t.Public || !t.Rewrite {
			continue
		}
		structure, stored := d.e.Structures[t.Name+EndOfStructure]
		if !stored {
			structure = "%postname%"
		}
		own := "%" + t.Name + "%"
		t.Structure = strings.NewReplacer("%postname%", own, "%"+t.Name+"_slug%", t.Slug).Replace("/" + strings.TrimLeft(structure, "/"))
		t.Sources[keyStructure] = sourceStructures
	}
	if none, stored := d.e.Structures[NoTermStructures]; !stored || php.NewString(none).Int() != 0 {
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
