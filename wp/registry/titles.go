package registry

import (
	"slices"
	"strings"

	"wpsitemapd/wp/php"
)

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
