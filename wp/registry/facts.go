package registry

import "strings"

// Fact is one decision about a type.
type Fact struct {
	Key    string     `json:"key"` // as in the configuration
	Value  any        `json:"value"`
	Words  string     `json:"-"` // the value for people
	Source FactSource `json:"source"`
}

// Facts returns what was decided about a post type.
func (t *PostType) Facts() []Fact {
	f := facts{sources: t.Sources}
	f.add("public", t.Public, either(t.Public, "public", "not public"))
	f.add("viewable", t.Viewable, either(t.Viewable, "viewable", "not viewable"))
	f.add("hierarchical", t.Hierarchical, either(t.Hierarchical, "a tree", "flat"))
	f.add("slug", t.Slug, either(t.Rewrite, "slug "+t.Slug, "no rewriting"))
	if t.Rewrite {
		f.add("with_front", t.WithFront, either(t.WithFront, "with front", "without front"))
	}
	f.add(keyStructure, t.Structure, "structure "+t.Structure)
	switch {
	case !t.HasArchive:
		f.add("archive", false, "no archive")
	case t.ArchiveSlug != "":
		f.add("archive", t.ArchiveSlug, "archive "+t.ArchiveSlug)
	default:
		f.add("archive", true, "archive")
	}
	f.add("query_var", t.QueryVar, either(t.QueryVar != "", "query variable "+t.QueryVar, "no query variable"))
	f.add("url", t.URL, "URLs "+t.URL)
	f.add(keyExclude, true, "taken out of the sitemaps of "+strings.Join(t.LeftOutOf, ", "))
	return f.all
}

// Facts returns what was decided about a taxonomy.
func (t *Taxonomy) Facts() []Fact {
	f := facts{sources: t.Sources}
	f.add("public", t.Public, either(t.Public, "public", "not public"))
	f.add("hierarchical", t.Hierarchical, either(t.Hierarchical, "a tree", "flat"))
	f.add("slug", t.Slug, either(t.Rewrite, "slug "+t.Slug, "no rewriting"))
	if t.Rewrite {
		f.add("with_front", t.WithFront, either(t.WithFront, "with front", "without front"))
	}
	f.add("query_var", t.QueryVar, either(t.QueryVar != "", "query variable "+t.QueryVar, "no query variable"))
	f.add("url", t.URL, "URLs "+t.URL)
	f.add("object_types", t.ObjectTypes, either(len(t.ObjectTypes) > 0, "of "+strings.Join(t.ObjectTypes, ", "), "of no post type"))
	return f.all
}

// facts collects facts, of which those without a source were not decided.
type facts struct {
	sources Sources
	all     []Fact
}

func (f *facts) add(key string, value any, words string) {
	if source, ok := f.sources[key]; ok {
		f.all = append(f.all, Fact{key, value, words, source})
	}
}

func either(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}
