package wp

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/wp/multilingual"
)

// Inputs is what WordPress or a plugin has in the database that sitemaps are made of. It is declared once: here for
// WordPress and for what shapes addresses and types, and with Declare for each SEO plugin by its own package. The query
// of options, the tables that are polled, what matters of the binlog and of new rows of meta, and the rights that an
// account needs are derived from it.
//
// A star at the end of a name matches any end, one at its beginning any beginning.
type Inputs struct {
	Name           string   // of the plugin
	Plugins        []string // its files, as active_plugins names them
	Options        []string
	NetworkOptions []string // of the table sitemeta
	MainOptions    []string // of the main blog, for all of its network; among Options
	PostMeta       []string
	UserMeta       []string
	TermMeta       []string
	Tables         []Table
	Decisive       []string // those of PostMeta that decide whether a post is listed
	Always         bool     // Decisive holds where the plugin is not active, too

	// Decode returns what the stored options mean; nil: they mean nothing that is not known here.
	Decode func(*Stored) Decoded
	// Read does the same and reads tables beside the options; nil: there are none to read. It has the site as it stands
	// when everything else of it was read.
	Read func(context.Context, *Site, *Stored) (Decoded, error)
	// SettingMeta are keys of post meta, among PostMeta: a post that has one holds what Read reads.
	SettingMeta []string
}

// Table is a table of the database.
type Table struct {
	Name     string   // without prefix
	Columns  []string // that are read; nil: all
	Network  bool     // one serves all blogs
	Edits    bool     // every edit of a post or a term, and every new or archived blog, is written to one of these
	Deltas   bool     // a delta can follow some of its writes
	Pages    bool     // pages are made of it, and catalogs are not, or not entirely
	Settings bool     // reading the settings shows whether anything that matters was written
	Watched  bool     // every poll checks it, as it checks those with Edits
	Counts   bool     // of Settings: visits are counted in it, so that most writes mean nothing
	Keys     []string // columns that show what a written row means; nil: nothing more than that it was written
}

// TermMetaTable is what plugins store of terms, for those with TermMeta.
var TermMetaTable = Table{Name: "termmeta", Settings: true, Watched: true, Keys: []string{"meta_key"}}

// inputs are those of all that is followed. WordPress comes first.
var inputs = []Inputs{
	{
		Name: "WordPress",
		Options: []string{
			"home", "siteurl", "permalink_structure", "category_base", "tag_base", "show_on_front", "page_on_front",
			"page_for_posts", "blog_public", "blogname", "blogdescription", "blog_charset", "WPLANG", "timezone_string",
			"gmt_offset", "date_format", "upload_path", "upload_url_path", "default_category", "active_plugins",
			"rewrite_rules", "posts_per_page", "sticky_posts", "db_version",
			"*user_roles", "*_children",
		},
		NetworkOptions: []string{"main_site", "active_sitewide_plugins", "ms_files_rewriting", "WPLANG"},
		PostMeta:       []string{metaThumbnail, metaAttachedFile, metaAttachment, metaTrashStatus, metaDesiredSlug, metaOldSlug},
		UserMeta:       []string{"*capabilities"},
		Tables: []Table{
			{Name: "posts", Edits: true, Deltas: true, Keys: []string{"id", "post_type", "post_parent"}},
			{Name: "postmeta", Deltas: true, Pages: true, Keys: []string{"post_id", "meta_key"}},
			{Name: "terms", Edits: true, Pages: true},
			{Name: "term_taxonomy", Edits: true, Deltas: true, Pages: true, Keys: []string{"term_taxonomy_id", "count"}},
			{Name: "term_relationships", Deltas: true, Pages: true, Keys: []string{"object_id"}},
			{Name: "options", Settings: true, Keys: []string{"option_name"}},
			{Name: "users", Network: true, Pages: true, Columns: []string{"ID", "user_nicename", "display_name", "user_registered"}},
			{Name: "usermeta", Network: true, Keys: []string{"meta_key"}},
			{Name: "blogs", Network: true, Edits: true},
			{Name: "site", Network: true, Settings: true},
			{Name: "sitemeta", Network: true, Settings: true, Keys: []string{"meta_key"}},
		},
	},
	{
		Name: "types that Yoast SEO has noted", Options: []string{"wpseo", "wpseo_titles"},
		Tables: []Table{{Name: "yoast_indexable", Pages: true}},
	},
	{Name: "Polylang", Plugins: multilingual.Polylang, Options: []string{"polylang"}},
	{
		Name: "WPML", Plugins: multilingual.WPML, Options: []string{"icl_sitepress_settings"},
		Tables: []Table{{Name: "icl_languages"}, {Name: "icl_translations", Pages: true}},
	},
	{
		Name:    "WooCommerce",
		Plugins: []string{pluginWooCommerce, "woocommerce-brands/woocommerce-brands.php"},
		Options: []string{
			"woocommerce_permalinks", "woocommerce_shop_page_id", "woocommerce_version", "current_theme_supports_woocommerce",
			"woocommerce_prepend_shop_page_to_urls", "woocommerce_brand_permalink", "woocommerce_db_version",
			"woocommerce_force_ssl_checkout", "woocommerce_cart_page_id", "woocommerce_checkout_page_id",
			"woocommerce_myaccount_page_id",
		},
		Tables: []Table{{Name: "woocommerce_attribute_taxonomies", Settings: true}},
	},
	{
		Name:    "types that are stored",
		Plugins: []string{"custom-post-type-ui/custom-post-type-ui.php", "advanced-custom-fields/acf.php", "secure-custom-fields/secure-custom-fields.php"},
		Options: []string{"cptui_post_types", "cptui_taxonomies"},
	},
	{
		Name: "WP Job Manager", Plugins: []string{pluginJobs}, Options: []string{"job_manager_hide_filled_positions"},
		PostMeta: []string{MetaFilled}, Decisive: []string{MetaFilled},
	},
	{Name: "Page Links To", Plugins: []string{pluginPageLinksTo}, PostMeta: []string{MetaLinksTo}, Decisive: []string{MetaLinksTo}},
	{Name: "Easy Digital Downloads", Plugins: pluginsDownloads, Options: []string{"edd_settings"}},
	{Name: "Bedrock", Options: []string{optionAutoloader}, NetworkOptions: []string{optionAutoloader}},
	{
		Name: "WordPress MU Domain Mapping", NetworkOptions: []string{"dm_no_primary_domain"},
		Tables: []Table{{Name: "domain_mapping", Network: true}},
	},
}

// declarations is what is derived from all inputs.
type declarations struct {
	tables                                      []Table // each once
	options, network, postMeta, userMeta, terms *names
	mainOptions                                 []string
	plugins                                     map[string]string // see byFile
	tableNames, networkTables, blogTables       []string
	watched, others                             string         // alternatives of a pattern: tables that every poll checks, and others
	editedForm                                  *regexp.Regexp // of the full names of tables with Edits
}

var declared = derive()

// Declare adds what plugins have in the database. It is called while the program is initialised, by the packages of the
// plugins.
func Declare(more ...Inputs) {
	inputs = append(inputs, more...)
	declared = derive()
}

func derive() *declarations {
	d := &declarations{
		options:     newNames(each(func(in Inputs) []string { return in.Options })),
		network:     newNames(each(func(in Inputs) []string { return in.NetworkOptions })),
		mainOptions: each(func(in Inputs) []string { return in.MainOptions }),
		postMeta:    newNames(each(func(in Inputs) []string { return in.PostMeta })),
		userMeta:    newNames(each(func(in Inputs) []string { return in.UserMeta })),
		terms:       newNames(each(func(in Inputs) []string { return in.TermMeta })),
		plugins:     byFile(each(func(in Inputs) []string { return in.Plugins })),
	}
	for _, t := range each(func(in Inputs) []Table { return in.Tables }) {
		if !slices.ContainsFunc(d.tables, func(o Table) bool { return o.Name == t.Name }) {
			d.tables = append(d.tables, t)
		}
	}
	d.tableNames = d.names(func(Table) bool { return true })
	d.networkTables = d.names(func(t Table) bool { return t.Network })
	d.watched = strings.Join(d.names(func(t Table) bool { return t.Edits || t.Watched }), "|")
	d.others = strings.Join(d.names(func(t Table) bool { return !t.Edits && !t.Watched }), "|")
	for _, t := range inputs[0].Tables {
		if !t.Network {
			d.blogTables = append(d.blogTables, t.Name)
		}
	}
	d.editedForm = regexp.MustCompile(`_(` + strings.Join(d.names(func(t Table) bool { return t.Edits }), "|") + `)$`)
	return d
}

func each[T any](of func(Inputs) []T) []T {
	var all []T
	for _, in := range inputs {
		all = append(all, of(in)...)
	}
	return all
}

// names are those of the tables that are accepted.
func (d *declarations) names(accept func(Table) bool) []string {
	var accepted []string
	for _, t := range d.tables {
		if accept(t) {
			accepted = append(accepted, t.Name)
		}
	}
	return accepted
}

// Tables returns the names, without prefix, of those tables sitemaps are made of that are accepted.
func Tables(accept func(Table) bool) []string { return declared.names(accept) }

// Edited reports whether a table, without prefix, is one to which people's edits are written, and not just what WordPress
// and its plugins write all the time.
func Edited(table string) bool {
	return slices.ContainsFunc(declared.tables, func(t Table) bool { return t.Edits && t.Name == table })
}

// keyColumns are the columns of a table's rows that are looked at.
func keyColumns(table string) []string {
	for _, t := range declared.tables {
		if t.Name == table {
			return t.Keys
		}
	}
	return nil
}

// DecisiveMeta are the meta keys that decide whether posts of the site are listed.
func (s *Site) DecisiveMeta() []string {
	var keys []string
	for _, in := range inputs {
		if in.Always || slices.ContainsFunc(in.Plugins, func(plugin string) bool { return s.set.ActivePlugins[plugin] }) {
			keys = append(keys, in.Decisive...)
		}
	}
	return keys
}

// names are those of options or meta keys, as they are declared.
type names struct {
	plain            []string // without a star
	known            map[string]bool
	prefixes, suffix []string
}

func newNames(declared []string) *names {
	n := &names{known: map[string]bool{}}
	for _, name := range declared {
		lower := strings.ToLower(name)
		if prefix, ok := strings.CutSuffix(lower, "*"); ok {
			n.prefixes = append(n.prefixes, prefix)
		} else if suffix, ok := strings.CutPrefix(lower, "*"); ok {
			n.suffix = append(n.suffix, suffix)
		} else if !n.known[lower] {
			n.known[lower] = true
			n.plain = append(n.plain, name)
		}
	}
	return n
}

// has reports whether a name is declared. As for MySQL, letter case makes no difference.
func (n *names) has(name string) bool {
	name = strings.ToLower(name)
	return n.known[name] || slices.ContainsFunc(n.prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) ||
		slices.ContainsFunc(n.suffix, func(s string) bool { return strings.HasSuffix(name, s) })
}
