package registry

import "strings"

// Fact is one decision about a type.
type Fact struct {
	Key    string     `json:"key"` // as in the configuration
	Value  any        `json:"value"`
	Words  string     `json:"-"` // the value in words
	Source FactSource `json:"source"`
}

// Facts returns what was decided about a type. A fact without a source is left out.
func (t *Type) Facts() []Fact {
	var all []Fact
	add := func(key string, value any, words string) {
		if source, ok := t.Sources[key]; ok {
			all = append(all, Fact{key, value, words, source})
		}
	}
	add(keyPublic, t.Public, either(t.Public, "public", "not public"))
	add(keyViewable, t.Viewable, either(t.Viewable, "viewable", "not viewable"))
	add(keyHierarchical, t.Hierarchical, either(t.Hierarchical, "a tree", "flat"))
	add(keySlug, t.Slug, either(t.Rewrite, "slug "+t.Slug, "no rewriting"))
	if t.Rewrite {
		add(keyWithFront, t.WithFront, either(t.WithFront, "with front", "without front"))
	}
	add(keyStructure, t.Structure, "structure "+t.Structure)
	switch {
	case !t.HasArchive:
		add(keyArchive, false, "no archive")
	case t.ArchiveSlug != "":
		add(keyArchive, t.ArchiveSlug, "archive "+t.ArchiveSlug)
	default:
		add(keyArchive, true, "archive")
	}
	add(keyQueryVar, t.QueryVar, either(t.QueryVar != "", "query variable "+t.QueryVar, "no query variable"))
	add(keyURL, t.URL, "URLs "+t.URL)
	add(keyObjectTypes, t.ObjectTypes, either(len(t.ObjectTypes) > 0, "of "+strings.Join(t.ObjectTypes, ", "), "of no post type"))
	add(keyExclude, true, "taken out of the sitemaps of "+strings.Join(t.LeftOutOf, ", "))
	return all
}

func either[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}
