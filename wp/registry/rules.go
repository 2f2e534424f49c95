package registry

import (
	"slices"

	"wpsitemapd/wp/registry/routes"
)

// routed reports whether a rewrite rule is for a type. A rule is for the type if it contains the type's name. A rule with a query
// variable of another name is for the type if it stands at an address that the type is known to have.
func (d *decider) routed(k kind, name string) bool {
	if d.routes.Mentions[name] {
		return true
	}
	_, ok := d.route(k, name)
	return ok
}

// route returns the rule for single posts or terms of a type.
func (d *decider) route(k kind, name string) (routes.Route, bool) {
	s := k.shape()
	if r, ok := d.routes.Named(s, name); ok {
		return r, true
	}
	// The query variable may have another name: try the addresses that the type is known to have.
	var bases []string
	if l := d.linksOf(k.objectTypes()[0], name); l.known {
		bases = append(bases, l.base)
	}
	if r, ok := d.routes.Named(routes.Archive, name); ok && k == postTypes {
		bases = append(bases, r.Base)
	}
	bases = append(bases, d.front+name, d.root+name)
	for _, base := range bases {
		if r, ok := d.routes.At(s, base); ok && r.Name == "" && !d.taken(k, r.QueryVar) {
			return r, true
		}
	}
	return routes.Route{}, false
}

// taken reports whether a query variable is the name of another type, by any source of names.
func (d *decider) taken(k kind, queryVar string) bool {
	if d.registered(k, queryVar) || slices.Contains(d.lists[k], queryVar) || slices.Contains(d.titles[k], queryVar) || d.indexRows(k, queryVar) > 0 {
		return true
	}
	_, ok := d.rows[k][queryVar]
	return ok
}

// claimed reports whether a registered type has the query variable of a rule.
func (d *decider) claimed(k kind, r routes.Route) bool {
	return r.QueryVar != "" && slices.ContainsFunc(d.reg.of(k), func(t *Type) bool { return t.QueryVar == r.QueryVar })
}

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
