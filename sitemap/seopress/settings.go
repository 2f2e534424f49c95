// Package seopress makes the sitemaps of SEOPress. options.go reads its options, settings.go decides by them, policy.go orders
// and dates its lists, and urls.go holds its addresses.
package seopress

import (
	"context"
	"strings"
	"time"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/release"
)

// Plugin describes SEOPress to the other packages.
var Plugin = seo.Plugin{
	Name:        "SEOPress",
	URLs:        scheme{},
	Compared:    [2]release.Version{"6.0", "10.0.2"},
	Eras:        []release.Version{"9.7.4", "9.3", "9.2", "8.8.1", "8.7", "8.4", "7.6", "7.3"},
	Past:        []seo.PastRule{{Differs: "images", Until: "9.0", Text: "SEOPress before 9.0 lists images of shortcodes"}},
	ContentType: "text/xml; charset=UTF-8",
	RobotsTag:   "noindex, follow",
	IndexFile:   indexFile,
	OtherIndex:  "wp-sitemap.xml", // the plugin redirects it to the index

	PrivateUnnamed: true,
}

// presence says whether SEOPress is active on a blog and answers for its sitemaps.
func presence(blog *wp.Blog) seo.Presence {
	o := of(blog)
	is := seo.Presence{Name: Plugin.Name, Folder: o.folder, Index: Plugin.URLs.URL(seo.BaseOf(blog), indexFile)}
	if blog.Settings().Permalinks.Structure == "" {
		is.Index = blog.Home() + "/" + rules.Link(indexFile) // without permalinks, paths do not work
	}
	switch {
	case !o.module:
		is.Off = seo.OffBy(blog, Plugin.Name, "seopress_toggle[toggle-xml-sitemap]", o.moduleSays)
	case !o.enabled:
		is.Off = seo.OffBy(blog, Plugin.Name, "seopress_xml_sitemap_option_name[seopress_xml_sitemap_general_enable]", o.enabledSays)
	case blog.Settings().ActivePlugins[paid]:
		is.Note = "SEOPress PRO is active. Its sitemaps of news and videos, and its robots.txt, are not read: " +
			"[site.news] and [site.video] make such sitemaps here"
	}
	return is
}

// settings holds the settings of SEOPress.
type settings struct {
	seo.Meta
	*options
	level seo.Level

	// The following fields are set only at level plugin.
	noted   map[string]string // options in which the plugin caches dates for an hour, by name
	orders  map[int64]int64   // stored sort numbers of terms, by term id
	byOrder map[string]bool   // taxonomies whose terms WooCommerce sorts by these numbers
}

func newSettings(blog *wp.Blog, level seo.Level) seo.PluginSettings {
	return &settings{
		Meta: seo.Meta{Blog: blog, Keys: []string{metaNoindex, metaCanonical}, Means: means}, options: of(blog), level: level,
	}
}

// before reports whether the installed version is known to be older than v, so that a rule that ended
// with v still applies.
func (s *settings) before(v release.Version) bool { return s.Blog.Version(Plugin.Name).Before(v) }

// from reports whether the installed version is known to be v or newer. For an unknown version it returns
// false.
func (s *settings) from(v release.Version) bool {
	have := s.Blog.Version(Plugin.Name)
	return have != "" && !have.Before(v)
}

func (s *settings) Load(ctx context.Context) error {
	if s.level == seo.PluginLevel {
		s.noted = map[string]string{}
		if err := s.Blog.Query(ctx, sqlNoted, nil, db.Rows2(func(name, value string) { s.noted[name] = value })); err != nil {
			return err
		}
		if err := s.loadOrders(ctx); err != nil {
			return err
		}
	}
	return s.Meta.Load(ctx)
}

// PostType implements seo.PluginSettings. The list of ticked types in the sitemap settings decides. At
// level spec, attachments are also left out if their pages redirect.
func (s *settings) PostType(t *registry.PostType) *seo.Reason {
	if t.Name == "attachment" && s.redirects != "" && s.level != seo.PluginLevel {
		return seo.Because(seo.RuleTypeHidden, "SEOPress redirects the pages of attachments.",
			"In SEO, Advanced, untick both redirections of attachment pages.", s.option(optionAdvanced+"["+s.redirects+"]", `"1"`))
	}
	return s.unlisted(s.types, keyTypes, t.Name)
}

func (s *settings) Taxonomy(t *registry.Taxonomy) *seo.Reason {
	return s.unlisted(s.taxonomies, keyTaxonomies, t.Name)
}

// unlisted returns why a type has no sitemap, or nil if it has one. Before 10.0 the plugin answered
// for every type in the list; only its index checked the boxes.
func (s *settings) unlisted(l list, key, name string) *seo.Reason {
	value := "not among them"
	switch {
	case l.on[name], s.level == seo.PluginLevel && l.has(name) && !s.from("10.0"):
		return nil
	case l.has(name):
		value = "without include"
	}
	return seo.Because(seo.RuleTypeHidden, "This type is not ticked in the sitemaps of SEOPress.",
		"In SEO, XML - HTML Sitemap, Post Types or Taxonomies, tick “Include” for this type.",
		s.option(optionSitemaps+"["+key+"]["+name+"]", value))
}

func (s *settings) Authors() *seo.Reason {
	disabled := s.speaks && ticked(s.titles.Get(keyAuthorsDisabled))
	switch {
	case s.level == seo.PluginLevel: // the sitemap still answers then, see IndexesAuthors
		return nil
	case s.authors && disabled:
		return seo.Because(seo.RuleAuthorsOff, "SEOPress redirects the archives of authors to home.",
			"In SEO, Titles & Metas, Archives, untick “Disable author archives”.", s.option(optionTitles+"["+keyAuthorsDisabled+"]", `"1"`))
	case s.authors:
		return nil
	}
	return seo.Because(seo.RuleAuthorsOff, "The sitemap of authors is not ticked in SEOPress.",
		"In SEO, XML - HTML Sitemap, General, tick “Enable Author Sitemap”.", s.option(optionSitemaps+"["+keyAuthors+"]", "off"))
}

func (*settings) AuthorTypes() []string { return []string{"post"} }

func (s *settings) Archive(postType string) *seo.Reason {
	if !ticked(s.titles.Get("seopress_titles_archive_titles").Get(postType).Get("noindex")) {
		return nil
	}
	return seo.Because(seo.ArchiveNoindex.String(), "The archive is set to noindex in SEOPress.",
		"In SEO, Titles & Metas, Archives, untick noindex of the archive.",
		s.option(optionTitles+"[seopress_titles_archive_titles]["+postType+"][noindex]", `"1"`))
}

func (s *settings) Posts(ctx context.Context, ids []int64) (map[int64]seo.Flags, error) {
	flags, err := s.Meta.Posts(ctx, ids)
	if err != nil {
		return nil, err
	}
	hidden, err := objects.MarkedProducts(ctx, s.Blog, seo.CatalogHidden, ids)
	for _, id := range hidden {
		f := flags[id]
		f.Against = seo.HiddenProduct
		flags[id] = f
	}
	return flags, err
}

// means returns the stored settings of a post or a term. A post is noindex only by the value yes; a
// term is noindex by any true value.
func means(k seo.ObjectKind, value func(key string) string) seo.Flags {
	noindex := value(metaNoindex)
	f := seo.Flags{Noindex: noindex == "yes" || k == seo.KindTerm && truthy(noindex)}
	if canonical := value(metaCanonical); truthy(canonical) {
		f.Canonical = canonical
	}
	return f
}

func truthy(value string) bool { return php.NewString(value).Truthy() }

func (s *settings) option(name, value string) seo.Evidence { return seo.OptionOf(s.Blog, name, value) }

const keyAuthorsDisabled = "seopress_titles_archives_author_disable"

// noindexed returns a title setting as evidence if it makes pages noindex. keys is the path to the
// setting. It returns nil if the setting is off, or if the module of titles is off.
func (s *settings) noindexed(keys ...string) []seo.Evidence {
	v, name := s.titles, optionTitles
	for _, key := range keys {
		v, name = v.Get(key), name+"["+key+"]"
	}
	if !s.speaks || !v.Truthy() {
		return nil
	}
	return []seo.Evidence{s.option(name, seo.ValueText(v))}
}

// siteNoindexed returns the evidence that the whole site is noindex, or nil if it is not. typeNoindexed
// does the same for a type; authors count as one type.
func (s *settings) siteNoindexed() []seo.Evidence { return s.noindexed("seopress_titles_noindex") }

func (s *settings) typeNoindexed(k seo.ObjectKind, of string) []seo.Evidence {
	switch k {
	case seo.KindPost, seo.KindFrontPage, seo.KindPart:
		return s.noindexed("seopress_titles_single_titles", of, "noindex")
	case seo.KindTerm:
		return s.noindexed("seopress_titles_tax_titles", of, "noindex")
	case seo.KindUser:
		return s.noindexed("seopress_titles_archives_author_noindex")
	}
	return nil
}

// These checks apply noindex of the whole site and of types. The plugin's own sitemaps ignore both.
var (
	siteCheck = seo.Check{
		Verdict:  seo.SiteNoindex,
		Sentence: "SEOPress keeps search engines from the whole site.",
		Do:       "In SEO, Titles & Metas, Advanced, untick noindex.",
		Applies:  func(c *seo.Rules, _ *seo.Object) bool { return c.Settings.(*settings).siteNoindexed() != nil },
		Evidence: func(s *seo.Subject) []seo.Evidence { return s.Rules.Settings.(*settings).siteNoindexed() },
	}
	typeCheck = seo.Check{
		Verdict:  seo.TypeNoindex,
		Sentence: "Its type is set to noindex in SEOPress.",
		Do:       "In SEO, Titles & Metas, untick noindex of the post type, the taxonomy or the author archives.",
		Applies: func(c *seo.Rules, o *seo.Object) bool {
			return c.Settings.(*settings).typeNoindexed(o.Kind, o.Type) != nil
		},
		Evidence: func(s *seo.Subject) []seo.Evidence { return s.Rules.Settings.(*settings).typeNoindexed(s.Kind()) },
	}
)

// own holds the checks of level spec on SEOPress' settings for single objects.
var own = seo.Own{
	Noindex: seo.NoindexCheck(Plugin.Name,
		"In SEOPress' Advanced tab, untick “Do not display this page in search engine results (noindex)”.", seo.StoredAs(metaNoindex)),
	More:      []seo.Check{siteCheck, typeCheck},
	Canonical: seo.CanonicalCheck("SEOPress'", seo.StoredAs(metaCanonical)),
}

// printed returns the address of an object in the form that SEOPress compares with the canonical URL. Since
// 9.4, the address of a term is the result of WordPress' esc_url. All other addresses are decoded, then
// escaped for HTML.
func (s *settings) printed(o *seo.Object) string {
	if o.Kind == seo.KindTerm && !s.before("9.4") {
		return formatting.DisplayURL(o.Link)
	}
	return escaped(php.URLDecode(o.Link))
}

const (
	sqlNoted = `SELECT option_name, option_value FROM wp_options
WHERE option_name LIKE '!_transient!_seopress!_sitemap!_lastmod!_all!_%' ESCAPE '!'
OR option_name LIKE '!_transient!_timeout!_seopress!_sitemap!_lastmod!_all!_%' ESCAPE '!'`
	// The stored sort numbers of terms, and the sort order of product attributes.
	sqlOrders     = `SELECT term_id, meta_value FROM wp_termmeta WHERE meta_key = ?`
	sqlAttributes = `SELECT attribute_name, attribute_orderby FROM wp_woocommerce_attribute_taxonomies`
)

// The plugin caches the dates of its index in transients for an hour. The index shows cached dates
// even if posts have changed. Since 9.3 each post type has one transient. Older versions have one for
// each page; these are not read.
const (
	notedPrefix   = "_transient_seopress_sitemap_lastmod_all_"
	timeoutPrefix = "_transient_timeout_seopress_sitemap_lastmod_all_"
	notedSuffix   = "_1000"
)

// notedDates returns the cached dates of a post type's first pages, by the site's clock. ok is false
// if nothing is cached or if the cache has expired.
func (s *settings) notedDates(postType string, now time.Time) (dates []int64, ok bool) {
	v, err := php.MaybeUnserialize(s.noted[notedPrefix+postType+notedSuffix])
	if err != nil || v.Kind != php.Array || php.NewString(s.noted[timeoutPrefix+postType+notedSuffix]).Int() < now.Unix() {
		return nil, false
	}
	for _, p := range v.Pairs() {
		dates = append(dates, wp.ParseDate(p.Value.Str()))
	}
	return dates, true
}

// loadOrders reads how WooCommerce sorts product categories and attributes.
func (s *settings) loadOrders(ctx context.Context) error {
	if !s.Blog.Settings().Woo.Active {
		return nil
	}
	s.orders, s.byOrder = map[int64]int64{}, map[string]bool{"product_cat": true}
	err := s.Blog.Query(ctx, sqlAttributes, nil, db.Rows2(func(name, by string) {
		s.byOrder["pa_"+name] = by == "menu_order" || strings.TrimSpace(by) == ""
	}))
	if err != nil && !db.Unreadable(err) {
		return err
	}
	return s.Blog.Query(ctx, sqlOrders, []any{"order"}, db.Rows2(func(id int64, value string) { s.orders[id] = php.NewString(value).Int() }))
}
