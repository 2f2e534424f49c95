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

// StaticFront reports whether the front page is a static page.
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

// Moved moves a stored address from below the database's home to below the configured home. It returns any other
// address unchanged.
func (s *Blog) Moved(stored string) string {
	rest, below := strings.CutPrefix(stored, s.stored.home)
	if s.stored.home == "" || !below || rest != "" && rest[0] != '/' && rest[0] != '?' {
		return stored
	}
	return s.set.Home + rest
}

// settings decodes the options of a blog.
func (s *Blog) settings(o options) Settings {
	set := Settings{
		Home:            strings.TrimRight(o["home"], `/\`),
		SiteURL:         strings.TrimRight(o["siteurl"], `/\`),
		ShowOnFront:     o["show_on_front"],
		PageOnFront:     o.integer("page_on_front"),
		PageForPosts:    o.integer("page_for_posts"),
		DefaultCategory: o.integer("default_category"),
		BlogPublic:      true,
		Title:           o["blogname"],
		Locale:          s.locale(o),
		ActivePlugins:   s.activePlugins(o),
		Tagline:         o["blogdescription"],
		DateFormat:      o["date_format"],
	}
	if v, ok := o["blog_public"]; ok {
		set.BlogPublic = php.NewString(v).Truthy()
	}
	if v, ok := o["wp_attachment_pages_enabled"]; ok { // stored since WordPress 6.4
		set.AttachmentsRedirected = !php.NewString(v).Truthy()
	}
	set.Home = cmp.Or(set.Home, set.SiteURL)
	cfg := s.network.config
	if cfg != nil && !s.network.multisite {
		if v, ok := cfg.String("WP_HOME"); ok {
			set.Home = strings.TrimRight(v, `/\`)
		}
		if v, ok := cfg.String("WP_SITEURL"); ok {
			set.SiteURL = strings.TrimRight(v, `/\`)
		}
	}
	if s.network.source.Home != "" {
		s.stored.home, set.Home = set.Home, strings.TrimRight(s.network.source.Home, "/")
	}
	set.Uploads = s.uploads(o, set.Home, set.SiteURL)

	set.Environment = cmp.Or(s.network.source.Environment, s.network.constant("WP_ENVIRONMENT_TYPE"))
	if !slices.Contains(testEnvironments, set.Environment) {
		set.Environment = ""
	}
	if set.Environment != "" {
		s.Notice(fmt.Sprintf("the environment is %s, not production: at level spec nothing is listed, and nothing is announced; "+
			"environment = \"production\" in the [[site]] says otherwise", set.Environment))
	}
	s.decode(o, set.ActivePlugins)
	set.Woo = o.woo(set.ActivePlugins)
	set.Exclusions = s.exclusions(o, set.ActivePlugins, set.Woo)
	set.Core = s.core(o, set.ActivePlugins)
	s.linked = s.linkRules()
	set.Permalinks = permalink.Settings{
		Home:              set.Home,
		Structure:         o["permalink_structure"],
		CategoryBase:      o["category_base"],
		TagBase:           o["tag_base"],
		StripCategoryBase: s.linked.StripCategoryBase, StripCategoryFront: s.linked.StripCategoryFront, AuthorRoot: s.linked.AuthorBase,
		StripProductBase: s.linked.StripProductBase && set.Woo.Active, StripProductCategoryBase: s.linked.StripProductCategoryBase && set.Woo.Active,
		FlatProductCategories: s.linked.FlatProductCategories && set.Woo.Active,
		ShowOnFront:           set.ShowOnFront,
		PageOnFront:           set.PageOnFront,
		PageForPosts:          set.PageForPosts,
		WooCommerce:           set.Woo.Active,
	}
	for _, role := range o.serialized(s.prefix+"user_roles", s.Notice).Pairs() {
		if role.Value.Get("capabilities").Get("edit_posts").Truthy() {
			set.EditRoles = append(set.EditRoles, role.Key.Str)
		}
	}
	return set
}

// uploads follows wp_upload_dir(): it returns the folder and the address of attached files. The folder only serves
// to recognise absolute paths in old rows.
func (s *Blog) uploads(o options, home, siteURL string) content.Uploads {
	constant := s.network.constant
	root := cmp.Or(strings.TrimRight(constant("ABSPATH"), "/"), s.network.root)
	contentDir, contentURL := constant("WP_CONTENT_DIR"), constant("WP_CONTENT_URL")
	contentDir = cmp.Or(contentDir, root+"/wp-content")
	if s.network.config != nil {
		path, ok := s.network.config.ContentPath() // a path on the host that visitors use
		if u, err := url.Parse(home); ok && err == nil {
			contentURL = u.Scheme + "://" + u.Host + path
		}
	}
	contentURL = cmp.Or(contentURL, siteURL+"/wp-content")
	path, urlPath := strings.TrimSpace(o["upload_path"]), o["upload_url_path"]
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
	msFiles := s.network.multisite && s.network.msFiles
	if c := constant("UPLOADS"); c != "" && !msFiles {
		u.Dir, u.URL = root+"/"+c, siteURL+"/"+c
	}
	if s.network.multisite && !s.mainOfMainNetwork() {
		if msFiles {
			u.Dir, u.URL = fmt.Sprintf("%s/wp-content/blogs.dir/%d/files", root, s.row.ID), siteURL+"/files"
		} else {
			folder := fmt.Sprintf("/sites/%d", s.row.ID)
			u.Dir, u.URL = u.Dir+folder, u.URL+folder
		}
	}
	return u
}

// locale follows get_locale(). It takes the option WPLANG, even if that is empty, then the network's option, then
// the constant WPLANG. If the result is empty, the locale is en_US.
func (s *Blog) locale(o options) string {
	locale, ok := o["WPLANG"]
	if !ok {
		locale, ok = s.network.meta["WPLANG"]
	}
	if !ok {
		locale = s.network.constant("WPLANG")
	}
	if locale == "" || locale == "0" {
		return "en_US"
	}
	return locale
}
