// Package registry decides which post types and taxonomies a WordPress site has registered, and with which arguments,
// from what its database holds.
//
// WordPress registers types in PHP; no table says "this type is public". Decide weighs the traces that registration
// leaves behind (the operator's configuration, core's own types, definitions stored by plugins, Yoast's lists, the
// index tables, the rewrite rules) and keeps the source of every single decision for check and explain. It reads no
// database itself: Evidence is collected by package wp. Start reading at Decide in decide.go.
package registry

import "slices"

// Type is one registered post type or taxonomy; the fields mirror register_post_type() and register_taxonomy().
type Type struct {
	Name         string
	Taxonomy     bool // it is a taxonomy, and else a post type; each kind has names of its own
	BuiltIn      bool // registered by WordPress itself
	Public       bool // argument public
	Hierarchical bool
	Rewrite      bool   // has a permastruct; false for rewrite => false and for core's own post types
	Slug         string // rewrite slug, without the front; may begin with a slash and hold tokens (%genre%)
	WithFront    bool
	QueryVar     string  // empty: none
	URL          string  // form of the addresses of a front end, below home, with tokens: blog/{slug}; "": they are WordPress'
	Undecided    bool    // not Public, as no source says whether it is
	Filtered     bool    // a known plugin changes its addresses in a way that is not known here
	Sources      Sources `json:"-"`

	// Of post types:
	Viewable    bool   // is_post_type_viewable(): publicly_queryable, or built in and public; a sitemap needs Public too
	Structure   string // what follows the slug in addresses, with tokens, where a plugin lets people choose it; "": /%name%
	HasArchive  bool
	ArchiveSlug string   // archive slug, without the front; only with Rewrite
	ArchivePage int64    // page whose path is the archive slug (WooCommerce shop); 0: none
	LeftOutOf   []string // plugins, as key sitemaps names them, out of whose sitemaps the plugin that registers it takes it

	// Of taxonomies:
	RewriteHierarchical bool     // ancestors' slugs are part of the link
	Unqueryable         bool     // publicly_queryable is false of a public one: WordPress' own sitemaps leave it out, Yoast's do not ask
	ObjectTypes         []string // post types it is registered for
	Query               string   // what a plugin adds to addresses behind the question mark; {id} is the term's
}

// PostType and Taxonomy say which kind of Type is meant.
type (
	PostType = Type
	Taxonomy = Type
)

// FactSource names where a fact is known from, in words an administrator can act on:
// "configuration", "core", "option cptui_post_types", "option rewrite_rules", "default" …
type FactSource string

// Sources maps a configuration key (public, viewable, hierarchical, slug, with_front,
// archive, query_var, object_types) to the source of that fact.
type Sources map[string]FactSource

// Unknown is a name that has rows in the database while nothing reports whether it is public, or what its addresses are.
type Unknown struct {
	Kind   string // "post type" or "taxonomy"
	Name   string
	Rows   int    // published posts, or terms in use
	NoSlug bool   // nothing tells the addresses either
	Why    string // one sentence for the operator: what is known, and what to configure

	ObjectTypes []string // of a taxonomy: the post types that its terms are on
	Elsewhere   bool     // the site has shown that the computed addresses are wrong
	ByPHP       bool     // a known plugin registers it, and changes its addresses in a way that is not known here
}

// Registry is what is registered on one site, in the order of registration as far as it is
// known (core's own first). Types that are not public are kept: a request for the sitemap of one
// that is known not to be is a 404 of ours, and they may carry the name of a taxonomy.
type Registry struct {
	PostTypes  []*PostType
	Taxonomies []*Taxonomy
	Unknown    []Unknown
	AuthorBase string // what comes before a user's name in the address of an author archive, behind the front

	used map[*Type]bool
}

// Kind is "post type" or "taxonomy".
func (t *Type) Kind() string { return either(t.Taxonomy, taxonomies, postTypes).String() }

// String names a type for people: post type book.
func (t *Type) String() string { return t.Kind() + " " + t.Name }

// Types are the post types, and behind them the taxonomies.
func (r *Registry) Types() []*Type { return slices.Concat(r.PostTypes, r.Taxonomies) }

// PostType returns the registered post type of that name, or nil.
func (r *Registry) PostType(name string) *PostType { return named(r.PostTypes, name) }

// Taxonomy returns the registered taxonomy of that name, or nil.
func (r *Registry) Taxonomy(name string) *Taxonomy { return named(r.Taxonomies, name) }

func named(types []*Type, name string) *Type {
	for _, t := range types {
		if t.Name == name {
			return t
		}
	}
	return nil
}
