package registry

import "wpsitemapd/wp/registry/routes"

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
