package wp

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"wpsitemapd/wp/content"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
)

// Settings are the options of one blog that decide about its sitemaps, decoded once.
type Settings struct {
	Home    string // public address, without trailing slash; option home, WP_HOME or the operator's
	SiteURL string // where WordPress itself lives; option siteurl or WP_SITEURL

	Permalinks      permalink.Settings
	ShowOnFront     string // "posts" or "page"
	PageOnFront     int64
	PageForPosts    int64
	BlogPublic      bool
	Title           string // blogname, HTML
	Locale          string // of the site, such as nl_NL or de_DE_formal; never empty
	DefaultCategory int64
	Uploads         content.Uploads
	ActivePlugins   map[string]bool // "folder/file.php", this blog's and the network's
	Yoast           Yoast
	News            News
	Core            Core
	Video           Video
	Woo             Woo
	Exclusions      Exclusions
	Tagline         string // blogdescription, HTML
	DateFormat      string // date_format, of PHP's date()

	editRoles []string // roles with the capability edit_posts
}

// Yoast is what Yoast SEO's options say. Missing options and keys have Yoast's defaults;
// an option whose serialisation is broken counts as never saved, as in WordPress.
type Yoast struct {
	Active   bool // the plugin is active on this blog or on its network
	Sitemaps bool // wpseo[enable_xml_sitemap], strictly true, and the network allows it: Yoast's sitemaps answer
	Wanted   bool // the same of any truth: WordPress' own are switched off, and robots.txt names Yoast's

	wpseo, titles, taxonomyMeta php.Value
}

// yoastPlugins are the plugin files under which Yoast SEO is active; premium needs the free one beside it.
var yoastPlugins = []string{"wordpress-seo/wp-seo.php", "wordpress-seo-premium/wp-seo-premium.php"}

// SitemapsSetting is what wpseo[enable_xml_sitemap] holds, as text.
func (y Yoast) SitemapsSetting() string { return evident(y.wpseo.Get("enable_xml_sitemap")) }

// title returns the value of a wpseo_titles key.
func (y Yoast) title(key string) (php.Value, bool) { return y.titles.Lookup(key) }

func (y Yoast) truthy(key string, unsaved bool) bool {
	v, ok := y.title(key)
	if !ok {
		return unsaved
	}
	return v.Truthy()
}

// PostTypeDisabled reports whether wpseo_titles[disable-TYPE] hides a post type; only
// attachments are hidden when the key was never saved.
func (y Yoast) PostTypeDisabled(postType string) bool {
	return y.truthy("disable-"+postType, postType == "attachment")
}

// PostTypeNoindex reports whether wpseo_titles[noindex-TYPE] hides a post type: anything but boolean false does, on
// the posts' own pages too. NULL counts as never saved.
func (y Yoast) PostTypeNoindex(postType string) bool {
	v, ok := y.title("noindex-" + postType)
	return ok && !v.IsNull() && !v.IsFalse()
}

// ArchiveNoindex reports whether wpseo_titles[noindex-ptarchive-TYPE] hides the archive of a post type.
func (y Yoast) ArchiveNoindex(postType string) bool {
	return y.truthy("noindex-ptarchive-"+postType, false)
}

// TaxonomyNoindex reports whether wpseo_titles[noindex-tax-TAXONOMY] hides a taxonomy: only boolean true does. On the
// terms' own pages, and here where it is taken plainly, any truth says noindex.
func (y Yoast) TaxonomyNoindex(taxonomy string, plainly bool) bool {
	v, ok := y.title("noindex-tax-" + taxonomy)
	switch {
	case !ok:
		return taxonomy == "post_format"
	case plainly:
		return v.Truthy()
	}
	return v.IsTrue()
}

// FormatsDisabled reports whether wpseo_titles[disable-post_format] switches post format archives off.
func (y Yoast) FormatsDisabled() bool { return y.truthy("disable-post_format", false) }

// AuthorsDisabled reports whether author archives are off or noindexed, and which key says so.
func (y Yoast) AuthorsDisabled() (key string, off bool) {
	for _, key := range []string{"disable-author", "noindex-author-wpseo"} {
		if y.truthy(key, false) {
			return key, true
		}
	}
	return "", false
}

// Separator is what comes between the parts of a title: wpseo_titles[separator].
func (y Yoast) Separator() string {
	v, _ := y.title("separator")
	if s, ok := separators[v.Str()]; ok {
		return s
	}
	return "-"
}

var separators = map[string]string{
	"sc-dash": "-", "sc-ndash": "–", "sc-mdash": "—", "sc-colon": ":", "sc-middot": "·", "sc-bull": "•", "sc-star": "*", "sc-smstar": "⋆",
	"sc-pipe": "|", "sc-tilde": "~", "sc-laquo": "«", "sc-raquo": "»", "sc-lt": "&gt;", "sc-gt": "&lt;", // the last two as in Yoast
}

// AuthorsNeedPosts reports whether only users with a published post are listed: wpseo_titles[noindex-author-noposts-wpseo].
// NULL counts as never saved.
func (y Yoast) AuthorsNeedPosts() bool {
	v, _ := y.title("noindex-author-noposts-wpseo")
	return v.IsNull() || v.Truthy()
}

// DeniesCrawling reports whether wpseo[deny_NAME_crawling] adds rules to robots.txt.
func (y Yoast) DeniesCrawling(name string) bool {
	v, _ := y.wpseo.Lookup("deny_" + name + "_crawling")
	return v.Truthy()
}

// TermNoindex reports whether wpseo_taxonomy_meta marks a term noindex.
func (y Yoast) TermNoindex(taxonomy string, termID int64) bool {
	return y.termMeta(taxonomy, termID).Get("wpseo_noindex").Str() == "noindex"
}

// TermCanonical returns the canonical address wpseo_taxonomy_meta sets for a term, or "".
func (y Yoast) TermCanonical(taxonomy string, termID int64) string {
	v := y.termMeta(taxonomy, termID).Get("wpseo_canonical")
	if v.Kind != php.String {
		return ""
	}
	return v.Str()
}

func (y Yoast) termMeta(taxonomy string, termID int64) php.Value {
	return y.taxonomyMeta.Get(taxonomy).Get(fmt.Sprint(termID))
}

// TermsWithMeta reports whether wpseo_taxonomy_meta holds anything for a taxonomy.
func (y Yoast) TermsWithMeta(taxonomy string) bool { return y.taxonomyMeta.Get(taxonomy).Len() > 0 }

const sqlOptions = `SELECT option_name, option_value FROM wp_options WHERE option_name IN (?)`

// options holds the stored text of options by name.
type options map[string]string

func readOptions(ctx context.Context, d *db.DB, t db.Tables, names []string) (options, error) {
	found := options{}
	err := d.Query(ctx, t, sqlOptions, []any{names}, func(rows *sql.Rows) error {
		var name, value string
		if err := rows.Scan(&name, db.Text(&value)); err != nil {
			return err
		}
		found[name] = value
		return nil
	})
	return found, err
}

// serialized decodes an option that holds a PHP array. A missing option is null; one that cannot be read is null,
// too, with a warning.
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
		return php.Value{}
	}
	return v
}

func (o options) integer(name string) int64 { return php.NewString(o[name]).Int() }

// settings decodes the options of a blog.
func (s *Site) settings(o options) Settings {
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
	if set.Home == "" {
		set.Home = set.SiteURL
	}
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
		set.Home = strings.TrimRight(s.network.source.Home, "/")
	}
	set.Uploads = s.uploads(o, set.SiteURL)
	set.Home, set.SiteURL = s.mapHome(set.Home), s.mapHome(set.SiteURL)

	y := &set.Yoast
	y.wpseo = o.serialized("wpseo", s.warn)
	y.titles = o.serialized("wpseo_titles", s.warn)
	y.taxonomyMeta = o.serialized("wpseo_taxonomy_meta", s.warn)
	for _, p := range yoastPlugins {
		y.Active = y.Active || set.ActivePlugins[p]
	}
	v, saved := y.wpseo.Lookup("enable_xml_sitemap")
	y.Sitemaps = (!saved || v.IsTrue()) && s.network.sitemapsAllowed
	y.Wanted = (!saved || v.Truthy()) && s.network.sitemapsAllowed
	set.Woo = o.woo(set.ActivePlugins)
	set.Exclusions = s.exclusions(o, set.ActivePlugins, set.Woo)
	set.Core = s.core(o, set.ActivePlugins)
	set.Video = s.video(o, set.ActivePlugins[videoPlugin])
	set.News = s.news(o, set.ActivePlugins[newsPlugin])
	strip, _ := y.title("stripcategorybase")

	set.Permalinks = permalink.Settings{
		Home:              set.Home,
		Structure:         o["permalink_structure"],
		CategoryBase:      o["category_base"],
		TagBase:           o["tag_base"],
		StripCategoryBase: y.Active && strip.IsTrue(),
		ShowOnFront:       set.ShowOnFront,
		PageOnFront:       set.PageOnFront,
		PageForPosts:      set.PageForPosts,
		WooCommerce:       set.Woo.Active,
	}
	for _, role := range o.serialized(s.prefix+"user_roles", s.warn).Pairs() {
		if role.Value.Get("capabilities").Get("edit_posts").Truthy() {
			set.editRoles = append(set.editRoles, role.Key.Str)
		}
	}
	return set
}

// uploads computes wp_upload_dir(): where attachment files live on disk (only to recognise
// absolute paths in old rows) and under which address.
func (s *Site) uploads(o options, siteURL string) content.Uploads {
	constant := func(name string) string {
		if s.network.config == nil {
			return ""
		}
		v, _ := s.network.config.String(name)
		return v
	}
	root := strings.TrimRight(constant("ABSPATH"), "/")
	if root == "" {
		root = s.network.root
	}
	contentDir, contentURL := constant("WP_CONTENT_DIR"), constant("WP_CONTENT_URL")
	if contentDir == "" {
		contentDir = root + "/wp-content"
	}
	if contentURL == "" {
		contentURL = siteURL + "/wp-content"
	}
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
		switch {
		case !msFiles:
			folder := fmt.Sprintf("/sites/%d", s.blogID)
			if !s.network.multisiteConstant() {
				folder = fmt.Sprintf("/%d", s.blogID)
			}
			u.Dir, u.URL = u.Dir+folder, u.URL+folder
		default:
			u.Dir, u.URL = fmt.Sprintf("%s/wp-content/blogs.dir/%d/files", root, s.blogID), siteURL+"/files"
		}
	}
	return u
}
