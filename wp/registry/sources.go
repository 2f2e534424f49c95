package registry

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
