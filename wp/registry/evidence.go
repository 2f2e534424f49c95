package registry

import (
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry/routes"
)

// Evidence is everything in the database of one blog that shows which types are registered, and what the operator has configured
// about types. If a source is missing, its field is zero, and Decide uses the next source.
type Evidence struct {
	Overrides Overrides

	Home               string // without trailing slash
	Locale             string
	Template           string // option template: the folder of the theme
	Stylesheet         string // option stylesheet: the folder of the child theme, if there is one
	PermalinkStructure string // option permalink_structure
	CategoryBase       string // option category_base, as stored
	TagBase            string // option tag_base, as stored

	RewriteRules []routes.Rule // option rewrite_rules, in order; nil if it is empty or waits to be rebuilt
	Before       *Routed       // what the rewrite rules showed when they were last read; nil if that is not known

	PostTypes  []Rows // every post_type with published rows
	Taxonomies []Rows // every taxonomy with rows

	Plugins PluginTraces
	Yoast   YoastTraces
}

// PluginTraces are what plugins have stored about types.
type PluginTraces struct {
	Active      map[string]bool      // the active plugins, by file
	Options     map[string]php.Value // the stored options among KnownOptions
	Structures  map[string]string    // options of Custom Post Type Permalinks, as stored
	Noted       []Noted              // by active plugins
	Definitions []Definition         // in the order in which plugins register them
	Woo         *WooCommerce         // nil unless WooCommerce is active
	WooGone     bool                 // WooCommerce is not active, but its options remain
}

// YoastTraces are what Yoast SEO has stored about types, whether or not it is active.
type YoastTraces struct {
	PostTypes  []string  // wpseo[last_known_public_post_types]; nil if never written
	Taxonomies []string  // wpseo[last_known_public_taxonomies]
	Titles     php.Value // option wpseo_titles, as stored

	HasIndexables bool        // table {prefix}yoast_indexable exists
	Indexables    []Indexable // one for each object_type and object_sub_type with rows
	RowsOfAll     bool        // types that are not public have rows too, as in Yoast SEO before 19.11
	Partial       bool        // wpseo[indexables_indexing_completed] is not true: a missing row proves nothing
	// Stale means that stored permalinks may not follow today's settings: wpseo[permalink_structure] or [home_url] is set
	// and differs from the options, or links change all the time by wpseo[dynamic_permalinks].
	Stale bool
}

// Noted are names of public types in the settings of an active plugin. The settings may be old: new types may be
// missing, and old types may be gone.
type Noted struct {
	Source                FactSource
	PostTypes, Taxonomies []string
	Archives              []string // the PostTypes that have an archive

	// Seen are types of either kind that the plugin has since treated as public, according to its tables. SeenIn names
	// these tables. If WholeTypes is set, a post type that is in none of these lists is not public. WholeTaxonomies
	// says the same of taxonomies.
	Seen                        []string
	SeenIn                      FactSource
	WholeTypes, WholeTaxonomies bool
}

// Indexable sums up the rows of {prefix}yoast_indexable with one object_type and object_sub_type.
type Indexable struct {
	ObjectType string // post, term, post-type-archive
	SubType    string
	Rows       int
	Samples    []Sample // a few rows that have a permalink
}

// Sample is the permalink of one index row, with the slug of its object.
type Sample struct {
	Permalink string
	Slug      string // post_name or slug of the term; "" for archives
	Parent    bool   // the object has a parent
	Status    string // post_status, for posts
}

// WooCommerce holds the options and rows by which WooCommerce registers its types.
type WooCommerce struct {
	Permalinks     php.Value      // option woocommerce_permalinks
	ShopPageID     int64          // option woocommerce_shop_page_id
	ShopPagePath   string         // path of the shop page; "" if there is no such page
	ShopPathEmpty  bool           // the shop page exists, but its path is empty
	ThemeSupport   string         // option current_theme_supports_woocommerce
	Version        string         // option woocommerce_version
	PrependShop    bool           // option woocommerce_prepend_shop_page_to_urls is yes
	BrandPermalink string         // option woocommerce_brand_permalink
	Attributes     []WooAttribute // table {prefix}woocommerce_attribute_taxonomies, by name
	AttributesRead bool           // the table could be read, so that Attributes is complete
}

// WooAttribute is a product attribute.
type WooAttribute struct {
	Name   string
	Public bool
}

// Rows counts the rows of one type.
type Rows struct {
	Name        string
	Used        int      // published posts, or terms with count > 0
	Parents     bool     // a published post has a parent, or a term has one
	Orphans     bool     // WordPress' own sitemaps show some posts at addresses that only PHP knows
	ObjectTypes []string // of a taxonomy: the post types that have its terms
}

// Overrides is what the operator has configured in [site.post_type.NAME] and [site.taxonomy.NAME]. A nil pointer means
// that the key is missing.
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
	Statuses     []string // further values of post_status that count as publish
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
