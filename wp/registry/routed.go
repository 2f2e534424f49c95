package registry

import "slices"

// Routed holds what the rewrite rules of a site showed when they were last complete. WordPress empties the rules when
// a type is added or removed, and builds them again at its next request. Until then Routed is used.
type Routed struct {
	Structure  string // option permalink_structure, for which the rules were built
	AuthorBase string
	PostTypes  []*PostType
	Taxonomies []*Taxonomy
}

// sourceRouted is the source of facts that come from earlier rewrite rules.
const sourceRouted = sourceRules + ", before it was emptied"

// Routed returns the author base of a registry, and the types that the rewrite rules decided. structure is the
// permalink structure of these rules.
func (r *Registry) Routed(structure string) *Routed {
	shown := func(types []*Type) []*Type {
		return slices.DeleteFunc(slices.Clone(types), func(t *Type) bool {
			return t.BuiltIn || t.Sources[keySlug] != sourceRules && t.Sources[keyPublic] != sourceRules
		})
	}
	return &Routed{structure, r.AuthorBase, shown(r.PostTypes), shown(r.Taxonomies)}
}

// asBefore applies while there are no rewrite rules. It registers the types that the last rules showed, with the
// addresses from these rules.
func (d *decider) asBefore() {
	if d.e.Before == nil {
		return
	}
	for _, k := range kinds {
		for _, t := range pick(k, d.e.Before.PostTypes, d.e.Before.Taxonomies) {
			kept := *t
			kept.Sources = k.allFrom(sourceRouted)
			d.add(k, &kept)
			d.reg.Unknown = slices.DeleteFunc(d.reg.Unknown, func(u Unknown) bool { return u.Kind == k.String() && u.Name == t.Name })
		}
	}
}
