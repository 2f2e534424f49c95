package registry

import "slices"

// objectTypes attaches taxonomies to post types by their definitions and by the definitions of the post types. For a
// taxonomy without a definition, it also uses the posts that have its terms.
func (d *decider) objectTypes() {
	for _, t := range d.reg.Taxonomies {
		src := t.Sources[keyObjectTypes]
		if src != sourceConfiguration {
			t.ObjectTypes = append(slices.Clone(t.ObjectTypes), d.attached[t.Name]...)
		}
		if src == sourceDefault || src == sourceCore {
			d.attachRows(t, d.rows[taxonomies][t.Name].ObjectTypes)
		}
		t.ObjectTypes = unique(t.ObjectTypes)
	}
}

// attachRows attaches t to post types. names are the post types whose posts have terms of t, registered or not. attachRows attaches t
// to the registered ones. If none is registered and t has no post type yet, it attaches t to every type in names.
func (d *decider) attachRows(t *Taxonomy, names []string) {
	var living []string
	for _, n := range names {
		if d.reg.PostType(n) != nil {
			living = append(living, n)
		}
	}
	if len(living) == 0 && len(t.ObjectTypes) == 0 {
		living = names
	}
	if len(living) == 0 {
		return
	}
	t.ObjectTypes = append(slices.Clone(t.ObjectTypes), living...)
	if t.Sources[keyObjectTypes] == sourceDefault {
		t.Sources[keyObjectTypes] = sourceRelationships
	}
}

// unique returns names without empty and repeated ones.
func unique(names []string) []string {
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		again := seen[n]
		seen[n] = true
		return again
	})
}
