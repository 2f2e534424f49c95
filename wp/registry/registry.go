// Package registry decides from the database of a WordPress site which post types and taxonomies are registered, and
// with which arguments.
//
// WordPress registers types in PHP, and no table says that a type is public. Decide weighs the traces of registration:
// the operator's configuration, WordPress' own types, definitions stored by plugins, Yoast SEO's lists and index, and
// the rewrite rules. It records the source of every decision for the commands check and explain.
//
// The package reads no database: package wp collects the Evidence. Start reading at Decide in decide.go.
package registry

import (
	"slices"

	"wpsitemapd/wp/registry/routes"
)

// Type is a registered post type or taxonomy. Its fields are the arguments of register_post_type() and
// register_taxonomy().
type Type struct {
	Name         string
	Taxonomy     bool // true for a taxonomy, false for a post type; each kind has names of its own
	BuiltIn      bool // registered by WordPress itself
	Public       bool // argument public
	Hierarchical bool
	Rewrite      bool   // has pretty addresses; false for rewrite => false and for WordPress' own post types
	Slug         string // rewrite slug, without the front; may begin with a slash and contain tokens such as %genre%
	WithFront    bool
	QueryVar     string  // "" if there is none
	URL          string  // form of the addresses of a front end, below home, such as blog/{slug}; "": WordPress' addresses
	Undecided    bool    // not Public, because no source says whether it is
	Filtered     bool    // a known plugin changes the addresses in a way that is not known here
	Sources      Sources `json:"-"`

	// Of post types:
	Viewable    bool   // is_post_type_viewable(): publicly_queryable, or built in and public; a sitemap also needs Public
	Structure   string // what follows the slug in addresses, with tokens, if a plugin lets people choose it; "": /%name%
	HasArchive  bool
	ArchiveSlug string   // without the front; set only with Rewrite
	ArchivePage int64    // page whose path is the archive slug, such as WooCommerce's shop; 0: none
	LeftOutOf   []string // SEO plugins whose sitemaps leave the type out, because its own plugin says so

	// Of taxonomies:
	RewriteHierarchical bool     // links contain the slugs of ancestors
	Unqueryable         bool     // public, but publicly_queryable is false: WordPress' own sitemaps leave it out, Yoast SEO's do not
	ObjectTypes         []string // post types that it is registered for
	Query               string   // query string that a plugin adds to addresses; {id} is the term's id
}

// PostType and Taxonomy show in a declaration which kind of Type is meant.
type (
	PostType = Type
	Taxonomy = Type
)

// Unknown is a name with rows in the database about which something is open: whether the type is public, or what its
// addresses are.
type Unknown struct {
	Kind string // "post type" or "taxonomy"
	Name string
	Rows int    // published posts, or terms in use
	Slug string // if the addresses are not known either: the slug that the type most likely has
	Why  string // a sentence for the operator: what is known, and what to configure

	ObjectTypes []string // of a taxonomy: the post types whose posts have its terms
	Elsewhere   bool     // the site has shown that the computed addresses are wrong
	ByPHP       bool     // how the addresses of the type are made is not known here, for example because a plugin changes them
}

// Registry lists the types that are registered on one site, in the order of registration as far as it is known.
// WordPress' own types come first.
//
// Types that are not public are included. A request for the sitemap of such a type gets 404, and such a type may have
// the name of a taxonomy.
type Registry struct {
	PostTypes  []*PostType
	Taxonomies []*Taxonomy
	Unknown    []Unknown
	AuthorBase string // what precedes the user's name in the address of an author archive, behind the front

	used map[*Type]bool
}

// Kind returns "post type" or "taxonomy".
func (t *Type) Kind() string { return either(t.Taxonomy, taxonomies, postTypes).String() }

// String returns kind and name, such as "post type book".
func (t *Type) String() string { return t.Kind() + " " + t.Name }

// Types returns the post types, followed by the taxonomies.
func (r *Registry) Types() []*Type { return slices.Concat(r.PostTypes, r.Taxonomies) }

// PostType returns the registered post type with a name, or nil.
func (r *Registry) PostType(name string) *PostType { return named(r.PostTypes, name) }

// Taxonomy returns the registered taxonomy with a name, or nil.
func (r *Registry) Taxonomy(name string) *Taxonomy { return named(r.Taxonomies, name) }

func named(types []*Type, name string) *Type {
	for _, t := range types {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// kind says whether a type is a post type or a taxonomy. Each kind has names of its own.
type kind uint8

const (
	postTypes kind = iota
	taxonomies
)

var kinds = []kind{postTypes, taxonomies}

// pick returns postType or taxonomy, whichever a kind is.
func pick[T any](k kind, postType, taxonomy T) T { return either(k == taxonomies, taxonomy, postType) }

func (k kind) String() string { return pick(k, "post type", "taxonomy") }

// objectTypes returns the values of object_type in index rows of this kind.
func (k kind) objectTypes() []string {
	return pick(k, []string{"post", typeArchive}, []string{"term"})
}

// shape returns the shape of rewrite rules for single objects of this kind.
func (k kind) shape() routes.Shape { return pick(k, routes.Single, routes.Term) }

// valid reports whether WordPress accepts a name of this length for a type.
func (k kind) valid(name string) bool { return name != "" && len(name) <= pick(k, 20, 32) }
