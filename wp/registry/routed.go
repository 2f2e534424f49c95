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
		if routed(t.Sources) {
			of.Taxonomies = append(of.Taxonomies, t)
		}
	}
	return of
}

func routed(s Sources) bool { return s[keySlug] == sourceRules || s[keyPublic] == sourceRules }

// Keep takes what was shown before into a registry that was decided without rules. What the operator says stays.
func (r *Registry) Keep(before *Routed) {
	r.AuthorBase = before.AuthorBase
	for _, t := range before.PostTypes {
		kept := *t
		kept.Sources = allPostTypeSources(sourceRouted)
		if old := r.PostType(t.Name); old == nil {
			r.PostTypes = append(r.PostTypes, &kept)
		} else if !configured(old.Sources) {
			*old = kept
		}
		r.settle(postTypes, t.Name)
	}
	for _, t := range before.Taxonomies {
		kept := *t
		kept.Sources = allTaxonomySources(sourceRouted)
		if old := r.Taxonomy(t.Name); old == nil {
			r.Taxonomies = append(r.Taxonomies, &kept)
		} else if !configured(old.Sources) {
			*old = kept
		}
		r.settle(taxonomies, t.Name)
	}
}

func configured(s Sources) bool {
	for _, source := range s {
		if source == sourceConfiguration {
			return true
		}
	}
	return false
}

// settle takes a name out of those that are unknown.
func (r *Registry) settle(k kind, name string) {
	r.Unknown = slices.DeleteFunc(r.Unknown, func(u Unknown) bool { return u.Kind == k.String() && u.Name == name })
}
