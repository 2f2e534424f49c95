package registry

import "strings"

// FactSource names the source of a fact in words for an administrator: "configuration", "core", "option
// cptui_post_types", "option rewrite_rules", "default" and so on.
type FactSource string

// Sources holds the source of each fact about a type, by the name of the fact: "public", "viewable", "hierarchical",
// "slug", "with_front", "archive", "query_var", "object_types", "exclude", "url" and "structure".
type Sources map[string]FactSource

// The keys of Sources, which are also keys of the configuration.
const (
	keyPublic       = "public"
	keyViewable     = "viewable"
	keyHierarchical = "hierarchical"
	keySlug         = "slug"
	keyWithFront    = "with_front"
	keyArchive      = "archive"
	keyQueryVar     = "query_var"
	keyObjectTypes  = "object_types"
	keyExclude      = "exclude"
	keyURL          = "url"
	keyStructure    = "structure" // not a key of the configuration
)

// Sources that several files name. A plugin's sources are in the plugin's file.
const (
	sourceConfiguration = FactSource("configuration")
	sourceCore          = FactSource("core")
	sourceDefault       = FactSource("default")
	sourceRules         = FactSource("option rewrite_rules")
	sourceIndexables    = FactSource("table yoast_indexable")
	sourceTitles        = FactSource("option wpseo_titles")
	sourcePosts         = FactSource("table posts")
	sourceTerms         = FactSource("table term_taxonomy")
	sourceRelationships = FactSource("table term_relationships")
)

// rowSource returns the table whose rows contain names of this kind.
func (k kind) rowSource() FactSource { return pick(k, sourcePosts, sourceTerms) }

// listSource returns the option in which Yoast SEO stores the public types of this kind. Yoast SEO writes it on admin
// pages.
func (k kind) listSource() FactSource {
	return pick[FactSource](k, "option wpseo[last_known_public_post_types]", "option wpseo[last_known_public_taxonomies]")
}

// allFrom returns the sources of a type whose facts all come from one source.
func (k kind) allFrom(s FactSource) Sources {
	all := Sources{keyPublic: s, keyHierarchical: s, keySlug: s, keyWithFront: s, keyQueryVar: s}
	all.note(s, pick(k, []string{keyViewable, keyArchive}, []string{keyObjectTypes})...)
	return all
}

// note sets the source of some keys.
func (s Sources) note(from FactSource, keys ...string) {
	for _, key := range keys {
		s[key] = from
	}
}

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
