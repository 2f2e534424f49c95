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
	of := &Routed{Structure: structure, AuthorBase: r.AuthorBase}
	for _, t := range r.PostTypes {
		if routed(t.Sources) && !t.BuiltIn {
			of.PostTypes = append(of.PostTypes, t)
		}
	}
	for _, t := range r.Taxonomies {
		if routed(t.Sources) && !t.BuiltIn {
			of.Taxonomies = append(of.Taxonomies, t)
		}
	}
	return of
}

func routed(s Sources) bool { return s[keySlug] == sourceRules || s[keyPublic] == sourceRules }

// asBefore takes what the rewrite rules showed into the place of what is decided without them.
func (d *decider) asBefore() {
	if d.e.Before == nil {
		return
	}
	settle := func(k kind, name string) {
		d.reg.Unknown = slices.DeleteFunc(d.reg.Unknown, func(u Unknown) bool { return u.Kind == k.String() && u.Name == name })
	}
	for _, t := range d.e.Before.PostTypes {
		kept := *t
		kept.Sources = allPostTypeSources(sourceRouted)
		d.addPostType(&kept)
		settle(postTypes, t.Name)
	}
	for _, t := range d.e.Before.Taxonomies {
		kept := *t
		kept.Sources = allTaxonomySources(sourceRouted)
		d.addTaxonomy(&kept)
		settle(taxonomies, t.Name)
	}
}
