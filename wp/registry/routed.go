package registry

import "slices"

// Routed is what the rewrite rules have shown of a site. WordPress empties them where something is registered or gone, and
// makes them anew at its next request: until then they are no fact, and what they showed before holds.
type Routed struct {
	Structure  string // option permalink_structure, as they were made for it
	AuthorBase string
	PostTypes  []*PostType
	Taxonomies []*Taxonomy
}

// sourceRouted is the source of all that is known of a type from rules of before.
const sourceRouted = sourceRules + ", before it was emptied"

// Routed returns what the rewrite rules show of a registry that was decided with them.
func (r *Registry) Routed(structure string) *Routed {
	shown := func(types []*Type) []*Type {
		return slices.DeleteFunc(slices.Clone(types), func(t *Type) bool {
			return t.BuiltIn || t.Sources[keySlug] != sourceRules && t.Sources[keyPublic] != sourceRules
		})
	}
	return &Routed{structure, r.AuthorBase, shown(r.PostTypes), shown(r.Taxonomies)}
}

// asBefore takes what the rewrite rules showed into the place of what is decided without them.
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
