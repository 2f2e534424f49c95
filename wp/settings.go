package wp

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"wpsitemapd/wp/content"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
)

// Settings are the options of a blog that its sitemaps depend on, decoded.
type Settings struct {
	Home    string // public address without a slash at its end: option home, WP_HOME or the operator's
	SiteURL string // address of WordPress' own files: option siteurl or WP_SITEURL

	Permalinks   permalink.Settings
	ShowOnFront  string // "posts" or "page"
	PageOnFront  int64
	PageForPosts int64
	BlogPublic   bool
	// Environment is what wp_get_environment_type() returns; "" for production.
	Environment string

	AttachmentsRedirected bool // WordPress redirects the page of an attachment to the file

	Title           string // blogname, HTML
	Locale          string // locale of the site, such as nl_NL or de_DE_formal; never empty
	DefaultCategory int64
	Uploads         content.Uploads
	ActivePlugins   map[string]bool // by "folder/file.php": active on this blog or on its network
	Core            Core
	Woo             Woo
	Exclusions      Exclusions
	FormMeta        bool   // a separate table has the meta of GiveWP's forms
	Tagline         string // blogdescription, HTML
	DateFormat      string // date_format, for PHP's date()

	EditRoles []string // roles with the capability edit_posts
}

func (set *Settings) StaticFront() bool { return set.ShowOnFront == "page" }

const sqlOptions = `SELECT option_name, option_value FROM wp_options WHERE option_name IN (?)`

// options holds the stored text of options by name.
type options map[string]string

// tooLong returns the warning that an option is too long to be read.
func tooLong(name string) string {
	return fmt.Sprintf("option %s is longer than %d MiB and counts as never saved", name, db.MaxOption>>20)
}

// readOptions reads options by name. It leaves out an option that is too long and warns about it.
func readOptions(ctx context.Context, d *db.DB, t db.Tables, names []string, warn func(string)) (options, error) {
	found := options{}
	if len(names) == 0 {
		return found, nil
	}
	err := d.Query(ctx, t, sqlOptions, []any{names}, db.Rows2(func(name string, value db.Value) {
		if value.TooLong {
			warn(tooLong(name))
			return
		}
		found[name] = value.Text
	}))
	return found, err
}

// serialized decodes an option that holds a PHP array. It returns null if the option is missing. It also returns
// null, with a warning, if the option cannot be decoded.
func (o options) serialized(name string, warn func(string)) php.Value {
	text, ok := o[name]
	if !ok || text == "" {
		return php.Value{}
	}
	v, err := php.MaybeUnserialize(text)
	if err != nil {
		warn(fmt.Sprintf("option %s is corrupted and counts as never saved, as in WordPress: %v", name, err))
		return php.Value{}
	}
	if v.Kind != php.Array && v.Kind != php.Object {
		if strings.HasPrefix(text, "a:") { // the end of an array is missing, so that PHP reads a text
			warn(fmt.Sprintf("option %s is cut short and counts as never saved", name))
		}
		return php.Value{}
	}
	return v
}

func (o options) integer(name string) int64 { return php.NewString(o[name]).Int() }

// testEnvironments holds the environments that WordPress knows beside production. Any other value means
// production.
var testEnvironments = []string{"local", "development", "staging"}

// Moved replaces the database's home at the start of a stored address by the configured home. It does not change an
// address that is not below the database's home.
func (b *Blog) Moved(stored string) string {
	rest, below := strings.CutPrefix(stored, b.stored.home)
	if b.stored.home == "" || !below || rest != "" && rest[0] != '/' && rest[0] != '?' {
		return stored
	}
	return b.set.Home + rest
}

// settings decodes the options into the settings of the blog.
func (r *reading) settings() {
	b, n, set := r.blog, r.blog.network, &r.blog.set
	*set = Settings{
		Home:            strings.TrimRight(r.options["home"], `/\`),
		SiteURL:         strings.TrimRight(r.options["siteurl"], `/\`),
		ShowOnFront:     r.options["show_on_front"],
		PageOnFront:     r.options.integer("page_on_front"),
		PageForPosts:    r.options.integer("page_for_posts"),
		DefaultCategory: r.options.integer("default_category"),
		BlogPublic:      true,
		Title:           r.options["blogname"],
		Locale:          r.locale(),
		ActivePlugins:   r.activePlugins(),
		Tagline:         r.options["blogdescription"],
		DateFormat:      r.options["date_format"],
	}
	if v, ok := r.options["blog_public"]; ok {
		set.BlogPublic = php.NewString(v).Truthy()
	}
	if v, ok := r.options["wp_attachment_pages_enabled"]; ok { // stored since WordPress 6.4
		set.AttachmentsRedirected = !php.NewString(v).Truthy()
	}
	set.Home = cmp.Or(set.Home, set.SiteURL)
	if cfg := n.config; cfg != nil && !n.multisite {
		if v, ok := cfg.String("WP_HOME"); ok {
			set.Home = strings.TrimRight(v, `/\`)
		}
		if v, ok := cfg.String("WP_SITEURL"); ok {
			set.SiteURL = strings.TrimRight(v, `/\`)
		}
	}
	if n.source.Home != "" {
		b.stored.home, set.Home = set.Home, strings.TrimRight(n.source.Home, "/")
	}
	set.Uploads = r.uploads(set.Home, set.SiteURL)

	set.Environment = cmp.Or(n.source.Environment, n.constant("WP_ENVIRONMENT_TYPE"))
	if !slices.Contains(testEnvironments, set.Environment) {
		set.Environment = ""
	}
	if set.Environment != "" {
		b.Notice(fmt.Sprintf("the environment is %s, not production, so nothing is announced, and at level spec nothing is listed. "+
			"If the site is public, set environment = \"production\" in its [[site]]", set.Environment))
	}
	r.decode()
	set.Woo = r.woo()
	set.Exclusions = r.exclusions()
	set.Core = r.core()
	b.linked = r.linkRules()
	set.Permalinks = permalink.Settings{
		Home:              set.Home,
		Structure:         r.options["permalink_structure"],
		CategoryBase:      r.options["category_base"],
		TagBase:           r.options["tag_base"],
		StripCategoryBase: b.linked.StripCategoryBase, StripCategoryFront: b.linked.StripCategoryFront, AuthorRoot: b.linked.AuthorBase,
		StripProductBase: b.linked.StripProductBase && set.Woo.Active, StripProductCategoryBase: b.linked.StripProductCategoryBase && set.Woo.Active,
		FlatProductCategories: b.linked.FlatProductCategories && set.Woo.Active,
		ShowOnFront:           set.ShowOnFront,
		PageOnFront:           set.PageOnFront,
		PageForPosts:          set.PageForPosts,
		WooCommerce:           set.Woo.Active,
	}
	for _, role := range r.array(b.prefix + "user_roles").Pairs() {
		if role.Value.Get("capabilities").Get("edit_posts").Truthy() {
			set.EditRoles = append(set.EditRoles, role.Key.Str)
		}
	}
}

// uploads follows wp_upload_dir(): it returns the folder and the address of attached files. The folder only serves
// to recognise absolute paths in old rows.
func (r *reading) uploads(home, siteURL string) content.Uploads {
	n := r.blog.network
	constant := n.constant
	root := cmp.Or(strings.TrimRight(constant("ABSPATH"), "/"), n.root)
	contentDir, contentURL := constant("WP_CONTENT_DIR"), constant("WP_CONTENT_URL")
	contentDir = cmp.Or(contentDir, root+"/wp-content")
	if n.config != nil {
		path, ok := n.config.ContentPath() // a path on the host that visitors use
		if u, err := url.Parse(home); ok && err == nil {
			contentURL = u.Scheme + "://" + u.Host + path
		}
	}
	contentURL = cmp.Or(contentURL, siteURL+"/wp-content")
	path, urlPath := strings.TrimSpace(r.options["upload_path"]), r.options["upload_url_path"]
	var u content.Uploads
	switch {
	case path == "" || path == "wp-content/uploads":
		u.Dir = contentDir + "/uploads"
	case strings.HasPrefix(path, "/"):
		u.Dir = path
	default:
		u.Dir = root + "/" + path
	}
	switch {
	case urlPath != "":
		u.URL = urlPath
	case path == "" || path == "wp-content/uploads" || path == u.Dir:
		u.URL = contentURL + "/uploads"
	default:
		u.URL = strings.TrimRight(siteURL, "/") + "/" + strings.TrimLeft(path, "/")
	}
	msFiles := n.multisite && n.shared.msFiles
	if c := constant("UPLOADS"); c != "" && !msFiles {
		u.Dir, u.URL = root+"/"+c, siteURL+"/"+c
	}
	if n.multisite && !r.mainOfMainNetwork() {
		if msFiles {
			u.Dir, u.URL = fmt.Sprintf("%s/wp-content/blogs.dir/%d/files", root, r.blog.row.ID), siteURL+"/files"
		} else {
			folder := fmt.Sprintf("/sites/%d", r.blog.row.ID)
			u.Dir, u.URL = u.Dir+folder, u.URL+folder
		}
	}
	return u
}

// locale follows get_locale(). It takes the option WPLANG, even if that is empty, then the network's option, then
// the constant WPLANG. If the result is empty, the locale is en_US.
func (r *reading) locale() string {
	locale, ok := r.options["WPLANG"]
	if !ok {
		locale, ok = r.blog.network.shared.meta["WPLANG"]
	}
	if !ok {
		locale = r.blog.network.constant("WPLANG")
	}
	if locale == "" || locale == "0" {
		return "en_US"
	}
	return locale
}
