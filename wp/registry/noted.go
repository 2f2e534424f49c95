package registry

import (
	"slices"
	"strings"

	"wpsitemapd/wp/php"
)

// noted returns the plugin that names a type as public, and where the plugin names it. ok is false if no plugin names
// the type. Noted.Seen does not tell the kind of a name. If a post type and a taxonomy share the name, the name in Seen
// means the post type.
func (d *decider) noted(k kind, name string) (by Noted, source FactSource, ok bool) {
	for _, n := range d.e.Plugins.Noted {
		switch {
		case slices.Contains(n.names(k), name):
			return n, n.Source, true
		case slices.Contains(n.Seen, name) && !isInternal(k, name) && (k == postTypes || d.rows[postTypes][name].Used == 0):
			return n, n.SeenIn, true
		}
	}
	return Noted{}, "", false
}

// whole reports whether the plugin names all public types of a kind.
func (n Noted) whole(k kind) bool { return pick(k, n.WholeTypes, n.WholeTaxonomies) }

func (n Noted) names(k kind) []string { return pick(k, n.PostTypes, n.Taxonomies) }

// readTitles returns the names for which wpseo_titles has a key that begins with noindex- or title-.
func readTitles(titles php.Value) map[kind][]string {
	names := map[kind][]string{}
	for _, p := range titles.Pairs() {
		what, name, ok := strings.Cut(p.Key.String(), "-")
		if !ok || what != "noindex" && what != "title" || strings.HasSuffix(name, "-wpseo") || strings.HasPrefix(name, "ptarchive-") {
			continue
		}
		k := postTypes
		if tax, ok := strings.CutPrefix(name, "tax-"); ok {
			k, name = taxonomies, tax
		}
		if !slices.Contains(names[k], name) {
			names[k] = append(names[k], name)
		}
	}
	return names
}

// titled reports whether wpseo_titles has the key that consists of noindex- and a name.
func (d *decider) titled(name string) bool {
	_, ok := d.e.Yoast.Titles.Lookup("noindex-" + name)
	return ok
}
