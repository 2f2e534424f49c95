// Package seopress makes the sitemaps of SEOPress. options.go reads its options. settings.go decides by them, and checks.go says why.
// policy.go orders and dates its lists, with noted.go and images.go. urls.go holds its addresses.
package seopress

import (
	"context"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
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
	p := seo.Presence{Name: Plugin.Name, Folder: o.folder, Index: Plugin.URLs.URL(seo.BaseOf(blog), indexFile)}
	if blog.Settings().Permalinks.Structure == "" {
		p.Index = blog.Home() + "/" + rules.Link(indexFile) // without permalinks, paths do not work
	}
	switch {
	case !o.module:
		p.Off = seo.OffBy(blog, Plugin.Name, "seopress_toggle[toggle-xml-sitemap]", o.moduleSays)
	case !o.enabled:
		p.Off = seo.OffBy(blog, Plugin.Name, "seopress_xml_sitemap_option_name[seopress_xml_sitemap_general_enable]", o.enabledSays)
	case blog.Settings().ActivePlugins[paid]:
		p.Note = "SEOPress PRO is active. wpsitemapd does not read its settings of news, videos and robots.txt. For sitemaps of " +
			"news and videos set [site.news] and [site.video]"
	}
	return p
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

// unlisted returns why a type has no sitemap, or nil if it has one. Before 10.0, the plugin served the
// sitemap of every type in the stored list, ticked or not. Only its index left out the types that were
// not ticked.
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
