package wp

import (
	"context"
	"slices"

	"wpsitemapd/wp/multilingual"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/writes"
)

// Inputs declares what WordPress or a plugin stores in the database that sitemaps depend on. WordPress and plugins
// that change addresses and types are declared in this package. Every other plugin is declared in the package that
// reads its settings, and package sitemap lists these.
//
// The declarations decide which options are queried, which tables are polled, which meta keys matter, and which rights
// an account needs.
//
// Names are as in writes.Names.
type Inputs struct {
	Name           string   // unique, because the results of Decode, Read and Version are kept by it; messages show it
	Plugins        []string // its files, as active_plugins names them
	Options        []string
	NetworkOptions []string // of the table sitemeta
	MainOptions    []string // options of the main blog that apply to its whole network; also among Options
	PostMeta       []string
	UserMeta       []string
	TermMeta       []string
	Tables         []Table
	Decisive       []string // keys of PostMeta that decide whether a post is listed
	Always         bool     // Decisive also applies if the plugin is not active

	// Version returns the version that the plugin itself has stored, or "", and the option that holds it. It is nil if
	// no rule depends on the version.
	Version func(*Stored) (version, option string)
	// Decode returns what the stored options mean, also if the plugin is not active. It is nil if sitemaps do not depend on them.
	Decode func(*Stored) Decoded
	// Types reads the plugin's tables, and adds to types what they show about the types in rows. types is Decoded.Types.
	// It is called only for an active plugin. Types is nil if the tables show nothing.
	Types func(ctx context.Context, blog *Blog, rows *registry.Evidence, types *registry.Noted) error
	// Read does what Decode does and also reads tables. Its result replaces that of Decode. It is nil if the plugin has no tables.
	// At the call only the languages and addresses of the blog are not read yet.
	Read func(context.Context, *Blog, *Stored) (Decoded, error)
	// SettingMeta are the keys of PostMeta whose values Read reads as settings.
	SettingMeta []string
}

// Keys of post meta that WordPress writes.
const (
	MetaAttachedFile = "_wp_attached_file"
	MetaTrashStatus  = "_wp_trash_meta_status" // the status of a post before it was put into the trash
	MetaDesiredSlug  = "_wp_desired_post_slug" // the slug of a post before it was put into the trash
	MetaThumbnail    = "_thumbnail_id"
	metaAttachment   = "_wp_attachment_metadata" // what WordPress has found in an attached file
	metaOldSlug      = "_wp_old_slug"
)

type Table = writes.Table

// TermMetaTable is the table in which plugins store data about terms.
var TermMetaTable = Table{Name: "termmeta", Settings: true, Watched: true}

// own are the inputs of WordPress, and of plugins that matter whatever the SEO plugin is: they change addresses and types, or decide what
// visitors find. WordPress comes first.
var own = []Inputs{
	{
		Name: "WordPress",
		Options: []string{
			"home", "siteurl", "permalink_structure", "category_base", "tag_base", "show_on_front", "wp_attachment_pages_enabled", "page_on_front",
			"page_for_posts", "blog_public", "blogname", "blogdescription", "blog_charset", "WPLANG", "timezone_string",
			"gmt_offset", "date_format", "upload_path", "upload_url_path", "default_category", "active_plugins",
			"rewrite_rules", "template", "stylesheet", "posts_per_page", "sticky_posts", "db_version",
			"*user_roles", "*_children",
		},
		NetworkOptions: []string{"siteurl", "main_site", "active_sitewide_plugins", "ms_files_rewriting", "WPLANG"},
		PostMeta:       []string{MetaThumbnail, MetaAttachedFile, metaAttachment, MetaTrashStatus, MetaDesiredSlug, metaOldSlug},
		UserMeta:       []string{"*capabilities", "*user_level"},
		Tables: []Table{
			{Name: "posts", Edits: true, Deltas: true, Pages: true},
			{Name: "postmeta", Deltas: true, Pages: true},
			{Name: "terms", Edits: true, Pages: true},
			{Name: "term_taxonomy", Edits: true, Deltas: true, Pages: true},
			{Name: "term_relationships", Deltas: true, Pages: true},
			{Name: "options", Settings: true},
			{Name: "users", Network: true, Pages: true, Columns: []string{"ID", "user_nicename", "display_name", "user_registered"}},
			{Name: "usermeta", Network: true},
			{Name: "blogs", Network: true, Edits: true},
			{Name: "site", Network: true, Settings: true},
			{Name: "sitemeta", Network: true, Settings: true},
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
		Tables:   []Table{{Name: "woocommerce_attribute_taxonomies", Settings: true}, TermMetaTable},
		TermMeta: []string{MetaTermPicture},
	},
	{
		Name: "types that are stored",
		Plugins: append([]string{registry.PluginCPTUI, registry.PluginPods, registry.PluginMetaBox,
			registry.PluginJetEngine, registry.PluginToolset}, registry.PluginsACF...),
		Options: []string{"cptui_post_types", "cptui_taxonomies"},
		Tables:  []Table{{Name: "jet_post_types", Settings: true}, {Name: "jet_taxonomies", Settings: true}},
	},
	{
		Name: "Custom Post Type Permalinks", Plugins: []string{registry.PluginStructures},
		Options: []string{"*" + registry.EndOfStructure},
	},
	{Name: "known plugins", Plugins: registry.KnownPlugins(), Options: registry.KnownOptions()},
	{
		Name: "WP Job Manager", Plugins: []string{pluginJobs}, Options: []string{"job_manager_hide_filled_positions"},
		PostMeta: []string{MetaFilled}, Decisive: []string{MetaFilled},
	},
	offloadMedia,
	givewp,
	{Name: "bbPress", Plugins: []string{pluginForums}, Options: OptionsHiddenForums},
	{Name: "Page Links To", Plugins: []string{pluginPageLinksTo}, PostMeta: []string{MetaLinksTo}, Decisive: []string{MetaLinksTo}},
	{Name: "Easy Digital Downloads", Plugins: pluginsDownloads, Options: []string{"edd_settings"}},
	{Name: "Bedrock", Options: []string{optionAutoloader}, NetworkOptions: []string{optionAutoloader}},
}

// Declared lists what is read from the database. Declare derives it from the inputs of WordPress and of some plugins.
type Declared struct {
	*writes.Declared
	inputs                    []Inputs
	mainOptions               []string
	plugins                   map[string]string // see byFile
	tableNames, networkTables []string
}

// ownAlone declares only the inputs of this package.
var ownAlone = Declare()

// Declare derives from the inputs of WordPress and of plugins what is read from the database.
func Declare(plugins ...Inputs) *Declared {
	inputs := slices.Concat(own, plugins)
	names := func(of func(Inputs) []string) *writes.Names { return writes.NewNames(each(inputs, of)) }
	d := &Declared{
		inputs: inputs,
		Declared: writes.NewDeclared(writes.Declared{
			Tables:         each(inputs, func(in Inputs) []Table { return in.Tables }),
			Core:           inputs[0].Tables,
			Options:        names(func(in Inputs) []string { return in.Options }),
			NetworkOptions: names(func(in Inputs) []string { return in.NetworkOptions }),
			PostMeta:       names(func(in Inputs) []string { return in.PostMeta }),
			UserMeta:       names(func(in Inputs) []string { return in.UserMeta }),
		}),
		mainOptions: each(inputs, func(in Inputs) []string { return in.MainOptions }),
		plugins:     byFile(each(inputs, func(in Inputs) []string { return in.Plugins })),
	}
	d.tableNames = d.Names(func(Table) bool { return true })
	d.networkTables = d.Names(func(t Table) bool { return t.Network })
	return d
}

func each[T any](inputs []Inputs, of func(Inputs) []T) []T {
	var all []T
	for _, in := range inputs {
		all = append(all, of(in)...)
	}
	return all
}

// Edited reports whether people's edits are written to a table, given without prefix. It is false for tables that
// WordPress and its plugins write all the time.
func (d *Declared) Edited(table string) bool {
	return slices.ContainsFunc(d.Tables, func(t Table) bool { return t.Edits && t.Name == table })
}

// DecisiveMeta returns the meta keys that decide whether posts of the blog are listed.
func (b *Blog) DecisiveMeta() []string {
	var keys []string
	for _, in := range b.network.declared.inputs {
		if in.Always || b.folderOf(in) != "" {
			keys = append(keys, in.Decisive...)
		}
	}
	return keys
}
