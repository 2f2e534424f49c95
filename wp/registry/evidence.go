package registry

import (
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry/routes"
)

// Evidence is everything in one blog's database that shows which types are registered. A zero field means that source
// is absent; Decide then falls through to the next one.
type Evidence struct {
	Home               string // without trailing slash
	PermalinkStructure string // option permalink_structure
	CategoryBase       string // option category_base, as stored
	TagBase            string // option tag_base, as stored
	ActivePlugins      map[string]bool
	Template           string // option template: the folder of the theme
	Stylesheet         string // option stylesheet: that of its child, where it has one
	Locale             string
	Options            map[string]php.Value // those of KnownOptions that are stored
	Structures         map[string]string    // options of Custom Post Type Permalinks, as stored

	RewriteRules []routes.Rule // option rewrite_rules, in order; nil when unset or waiting to be rebuilt
	Before       *Routed       // what they showed when they were read last; nil when that is not known

	HasIndexables     bool        // table {prefix}yoast_indexable exists
	Indexables        []Indexable // one for each object_type and sub type with rows
	RowsOfAll         bool        // types that are not public have rows there, too: Yoast before 19.11
	IndexablesPartial bool        // wpseo[indexables_indexing_completed] is not true: absent rows prove nothing
	IndexableStale    bool        // wpseo[permalink_structure] or [home_url] set and different from the options
	DynamicPermalinks bool        // wpseo[dynamic_permalinks]: stored permalinks are not to be trusted

	LastKnownPostTypes  []string  // wpseo[last_known_public_post_types]; nil when never written
	LastKnownTaxonomies []string  // wpseo[last_known_public_taxonomies]
	Titles              php.Value // option wpseo_titles, merged over nothing (as stored)

	Noted []Noted // by active plugins

	Definitions []Definition // in the order in which plugins register them

	Woo     *WooCommerce // nil unless WooCommerce is active
	WooGone bool         // WooCommerce is not active, and has left its options behind

	PostTypes  []Rows // every post_type with published rows
	Taxonomies []Rows // every taxonomy with rows

	Overrides Overrides
}

// Noted are names of public types that an active plugin has in its settings. It names those of the moment at which these
// were saved: there may be others, and some may be gone.
type Noted struct {
	Source                FactSource
	PostTypes, Taxonomies []string
	Archives              []string // those of PostTypes that have an archive

	// Seen are types of either kind that the plugin has treated as public since, by its tables; SeenIn says by which. A
	// post type (WholeTypes) or a taxonomy (WholeTaxonomies) that is nowhere among all these is not public.
	Seen                        []string
	SeenIn                      FactSource
	WholeTypes, WholeTaxonomies bool
}

// Indexable sums up the rows of {prefix}yoast_indexable with one object_type and sub type.
type Indexable struct {
	ObjectType string // post, term, post-type-archive
	SubType    string
	Rows       int
	Samples    []Sample // up to a few rows with a permalink to trust (not null, version >= 1)
}

// Sample is one indexable's permalink with the slug of its object.
type Sample struct {
	Permalink string
	Slug      string // posts.post_name or terms.slug; empty for archives
	Parent    bool   // the object has a parent
	Status    string // posts: post_status
}

// WooCommerce is what WooCommerce keeps of its own registrations.
type WooCommerce struct {
	Permalinks     php.Value      // option woocommerce_permalinks
	ShopPageID     int64          // option woocommerce_shop_page_id
	ShopPagePath   string         // page path of it; empty without one
	ShopPathEmpty  bool           // there is such a page, and its path is empty
	ThemeSupport   string         // option current_theme_supports_woocommerce
	Version        string         // option woocommerce_version
	PrependShop    bool           // option woocommerce_prepend_shop_page_to_urls is yes
	BrandPermalink string         // option woocommerce_brand_permalink
	Attributes     []WooAttribute // table {prefix}woocommerce_attribute_taxonomies, by name
	AttributesRead bool           // that table could be read, so that there are no others
}

// WooAttribute is a product attribute.
type WooAttribute struct {
	Name   string
	Public bool
}

// Rows counts what there is of one type.
type Rows struct {
	Name        string
	Used        int      // published posts, or terms with count > 0
	Parents     bool     // a published post has a post_parent > 0, or a term a parent
	Orphans     bool     // WordPress' own sitemaps have some posts at addresses that only PHP knows
	ObjectTypes []string // of a taxonomy: post types its terms are attached to
}

// Overrides is what the operator has configured, [site.post_type.NAME] and [site.taxonomy.NAME]. A nil pointer means
// the key was not given.
type Overrides struct {
	PostTypes  map[string]PostTypeOverride
	Taxonomies map[string]TaxonomyOverride
}

// PostTypeOverride holds the keys of [site.post_type.NAME].
type PostTypeOverride struct {
	Public       *bool    `toml:"public"`
	Viewable     *bool    `toml:"viewable"`
	Hierarchical *bool    `toml:"hierarchical"`
	Exclude      *bool    `toml:"exclude"`
	Slug         *string  `toml:"slug"` // "" means rewrite => false
	WithFront    *bool    `toml:"with_front"`
	Archive      *bool    // archive = true or false
	ArchiveSlug  *string  // archive = "slug"
	QueryVar     *string  `toml:"query_var"` // "" means none
	Statuses     []string // stored ones that count as publish
	URL          *string  `toml:"url" form:"post_url"` // form of addresses, see PostType.URL
}

// TaxonomyOverride holds the keys of [site.taxonomy.NAME].
type TaxonomyOverride struct {
	Public       *bool    `toml:"public"`
	Hierarchical *bool    `toml:"hierarchical"`
	Exclude      *bool    `toml:"exclude"`
	Slug         *string  `toml:"slug"` // "" means rewrite => false
	WithFront    *bool    `toml:"with_front"`
	ObjectTypes  []string `toml:"object_types" form:"post_type"` // nil when not given
	QueryVar     *string  `toml:"query_var"`                     // "" means none
	URL          *string  `toml:"url" form:"term_url"`
}
