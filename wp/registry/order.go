package registry

import (
	"cmp"
	"slices"
	"strings"
)

// recorded returns the names in the settings of active plugins, in Yoast SEO's list and in the keys of wpseo_titles.
// Each of these sources has its names in the order of registration.
func (d *decider) recorded(k kind) []string {
	var names []string
	for _, n := range d.e.Plugins.Noted {
		names = append(names, n.names(k)...)
	}
	return slices.Concat(names, d.lists[k], d.titles[k])
}

// order sorts the types of each kind by the order of their registration, as far as it is known. First come WordPress' own
// types, then the names from recorded, then types that the operator or a plugin defines, then types that have rewrite
// rules. All other types follow, sorted by name.
func (d *decider) order() {
	for _, k := range kinds {
		names := d.recorded(k)
		for _, t := range d.reg.of(k) {
			if defined(t.Sources) {
				names = append(names, t.Name)
			}
		}
		for _, r := range d.routes.All {
			if r.Shape == k.shape() {
				names = append(names, r.Key())
			}
		}
		places := map[string]int{}
		for i, name := range unique(names) {
			places[name] = i
		}
		place := func(t *Type) int {
			i, ok := places[t.Name]
			return either(t.BuiltIn, -1, either(ok, i, len(places)))
		}
		slices.SortStableFunc(d.reg.of(k), func(a, b *Type) int {
			i, j := place(a), place(b)
			if i == j && i == len(places) {
				return strings.Compare(a.Name, b.Name)
			}
			return cmp.Compare(i, j)
		})
	}
}

// defined reports whether WooCommerce or a stored definition of a plugin registered a type.
func defined(s Sources) bool {
	source := s[keyHierarchical]
	for _, of := range definedBy {
		if source == of[0] || source == of[1] {
			return true
		}
	}
	return source == sourceWoo || source == sourceWooAttributes
}
