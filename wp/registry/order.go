package registry

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/wp/registry/routes"
)

// order sorts what is not core's by registration as far as it is recorded: what active plugins have
// noted, Yoast's list and the keys of wpseo_titles are in that order, then the definitions' own, then
// that of the rewrite rules, then the alphabet.
func (d *decider) order() {
	sortTypes(d.reg.PostTypes, d.places(postTypes), func(t *PostType) (string, bool, Sources) { return t.Name, t.BuiltIn, t.Sources })
	sortTypes(d.reg.Taxonomies, d.places(taxonomies), func(t *Taxonomy) (string, bool, Sources) { return t.Name, t.BuiltIn, t.Sources })
}

// places are the recorded orders of names, best first.
func (d *decider) places(k kind) [3]map[string]int {
	recorded, routed := map[string]int{}, map[string]int{}
	put := func(m map[string]int, name string) {
		if _, ok := m[name]; !ok {
			m[name] = len(m)
		}
	}
	for _, n := range d.e.Noted {
		for _, name := range n.names(k) {
			put(recorded, name)
		}
	}
	for _, name := range d.lists[k] {
		put(recorded, name)
	}
	for _, name := range d.titles[k] {
		put(recorded, name)
	}
	s := routes.Single
	if k == taxonomies {
		s = routes.Term
	}
	for _, r := range d.routes.All {
		if r.Shape == s {
			put(routed, r.Key())
		}
	}
	return [3]map[string]int{recorded, nil, routed}
}

func sortTypes[T any](list []T, places [3]map[string]int, read func(T) (name string, core bool, s Sources)) {
	definitions := map[string]int{}
	for i, t := range list {
		if name, _, s := read(t); defined(s) {
			definitions[name] = i
		}
	}
	places[1] = definitions
	slices.SortStableFunc(list, func(x, y T) int {
		a, coreA, _ := read(x)
		b, coreB, _ := read(y)
		switch {
		case coreA && coreB:
			return 0
		case coreA:
			return -1
		case coreB:
			return 1
		}
		for _, place := range places {
			i, ok := place[a]
			j, ok2 := place[b]
			switch {
			case ok && ok2:
				return cmp.Compare(i, j)
			case ok:
				return -1
			case ok2:
				return 1
			}
		}
		return strings.Compare(a, b)
	})
}

// defined reports whether a plugin's stored definition or WooCommerce registered a type.
func defined(s Sources) bool {
	switch source := s[keyHierarchical]; source {
	case sourceWoo, sourceWooAttributes, sourceACFPostType, sourceACFTaxonomy, sourceCPTUIPostTypes, sourceCPTUITaxonomies:
		return true
	default:
		return slices.Contains(slices.Collect(maps.Values(definedBy)), source)
	}
}
