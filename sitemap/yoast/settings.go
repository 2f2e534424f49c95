// Package yoast makes the sitemaps of Yoast SEO. options.go reads its options. settings.go decides by them, and checks.go says why.
// policy.go orders and dates its lists, and urls.go holds its addresses.
package yoast

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/release"
)

// Plugin is Yoast SEO.
var Plugin = seo.Plugin{
	Name:            "Yoast SEO",
	URLs:            scheme{},
	Compared:        [2]release.Version{"14.9", "28.4"},
	Past:            []seo.PastRule{{Differs: "image titles", Until: "18.8", Text: "Yoast SEO before 18.8 writes titles and captions of images"}},
	ContentType:     "text/xml; charset=UTF-8",
	RobotsTag:       "noindex, follow",
	StylesheetCache: "max-age=31536000",
	IndexFile:       "sitemap_index.xml",
	OtherIndex:      "wp-sitemap.xml", // it redirects to ours, or does not exist
	RobotsAnchor:    "# ---------------------------\n# END YOAST BLOCK",
}

// settings holds the settings of Yoast SEO. Values that the plugin never writes mean what Yoast's own comparisons make of them.
// If plainly is set, they mean what they say: a switch with the value 1 is on.
type settings struct {
	seo.Meta // of posts
	*Options
	plainly bool
}

func newSettings(blog *wp.Blog, level seo.Level) seo.PluginSettings {
	return &settings{seo.Meta{Blog: blog, Keys: []string{metaNoindex, metaCanonical}, Means: means}, OptionsOf(blog), level == seo.SpecLevel}
}

// Load implements seo.PluginSettings. The settings of terms are in an option, which is read already.
func (s *settings) Load(context.Context) error { return nil }

// PostType implements seo.PluginSettings: it returns a reason if Yoast's settings disable the type or mark it noindex.
func (s *settings) PostType(t *registry.PostType) *seo.Reason {
	noindex := s.titles.Get("noindex-" + t.Name) // any value but false means noindex, also on the posts' own pages
	switch {
	case s.on("disable-"+t.Name, t.Name == "attachment"):
		return s.reason(seo.RuleTypeHidden, "This type is switched off in Yoast SEO.", "disable-"+t.Name, doMedia)
	case !noindex.IsNull() && !noindex.IsFalse():
		return s.reason(seo.RuleTypeNoindex, "This type is set to noindex in Yoast SEO.", "noindex-"+t.Name, doType)
	}
	return nil
}

// neverTaxonomies are taxonomies that are registered as public, but never have a sitemap.
var neverTaxonomies = []string{"link_category", "nav_menu", "wp_pattern_category"}

func (s *settings) Taxonomy(t *registry.Taxonomy) *seo.Reason {
	switch {
	case t.Name == "post_format" && s.on("disable-post_format", false):
		return s.reason(seo.RuleTypeHidden, "This type is switched off in Yoast SEO.", "disable-post_format", doFormats)
	case s.taxonomyNoindex(t.Name, s.plainly):
		do := doType
		if t.Name == "post_format" {
			do = doFormat
		}
		return s.reason(seo.RuleTypeNoindex, "This type is set to noindex in Yoast SEO.", "noindex-tax-"+t.Name, do)
	case slices.Contains(neverTaxonomies, t.Name):
		return seo.Never(Plugin.Name, "taxonomy "+t.Name)
	}
	return nil
}

func (s *settings) Authors() *seo.Reason {
	if key, off := s.authorsDisabled(); off {
		return s.reason(seo.RuleAuthorsOff, "Author archives are off or set to noindex in Yoast SEO.", key, doAuthors)
	}
	return nil
}

func (s *settings) AuthorTypes() []string {
	if s.authorsNeedPosts() {
		return []string{"post"}
	}
	return nil
}

func (s *settings) Archive(postType string) *seo.Reason {
	if key := "noindex-ptarchive-" + postType; s.on(key, false) {
		return s.reason(seo.ArchiveNoindex.String(), "The archive is set to noindex in Yoast SEO.", key, doArchive)
	}
	return nil
}

// Meta keys of posts and users. The keys of users have no blog prefix: all blogs of a network share them.
const (
	metaNoindex        = "_yoast_wpseo_meta-robots-noindex"
	metaCanonical      = "_yoast_wpseo_canonical"
	metaProfileUpdated = "_yoast_wpseo_profile_updated"
	metaNoindexAuthor  = "wpseo_noindex_author"
)

// means returns the stored settings of a post. As in Yoast's WPSEO_Meta::get_value, a value that looks serialized counts as
// missing.
func means(_ seo.ObjectKind, value func(key string) string) seo.Flags {
	f := seo.Flags{Noindex: value(metaNoindex) == "1"} // 2 means index
	if canonical := value(metaCanonical); !php.IsSerialized(canonical) {
		f.Canonical = canonical
	}
	return f
}

// pluginWooCommerce is Yoast WooCommerce SEO. It takes the cart, checkout and account pages out of the sitemaps.
const pluginWooCommerce = "wpseo-woocommerce/wpseo-woocommerce.php"

func (s *settings) Term(taxonomy string, id int64) seo.Flags {
	return seo.Flags{Noindex: s.termNoindex(taxonomy, id), Canonical: s.termCanonical(taxonomy, id)}
}

func (s *settings) TermEvidence(taxonomy string, id int64) []seo.Evidence {
	var all []seo.Evidence
	for _, key := range []string{"wpseo_noindex", "wpseo_canonical"} {
		if !s.ofTerm(taxonomy, id, key).IsNull() {
			all = append(all, s.term(taxonomy, id, key))
		}
	}
	return all
}

func (s *settings) term(taxonomy string, id int64, key string) seo.Evidence {
	name := fmt.Sprintf("wpseo_taxonomy_meta[%s][%d][%s]", taxonomy, id, key)
	return seo.OptionOf(s.Blog, name, seo.ValueText(s.ofTerm(taxonomy, id, key)))
}

func (s *settings) Author(a *address.Author) seo.Flags {
	f := seo.Flags{Against: seo.NoProfileStamp}
	if stamps := a.Meta(metaProfileUpdated); len(stamps) > 0 {
		f.Against, f.Stamp = seo.Listed, php.NewString(stamps[0].String).Int()
	}
	says := a.Meta(metaNoindexAuthor)
	open := func(v sql.NullString) bool {
		return v.Valid && !strings.EqualFold(strings.TrimRight(v.String, " "), "on")
	}
	f.Noindex = len(says) > 0 && !slices.ContainsFunc(says, open) // every stored row says "on" or is NULL
	if !a.Level && before(s.Blog, "27.8") {
		f.Against = seo.NoUserLevel
	}
	return f
}

// reason returns the reason that a key of wpseo_titles gives.
func (s *settings) reason(rule, sentence, key, do string) *seo.Reason {
	return seo.Because(rule, sentence, do, seo.OptionOf(s.Blog, "wpseo_titles["+key+"]", seo.ValueText(s.titles.Get(key))))
}

// What an editor does to change a setting of Yoast SEO, in the words of Yoast's own pages.
const (
	doType    = "In Yoast SEO, Settings, Content types or Categories & tags, switch “Show … in search results” on for this type."
	doMedia   = "In Yoast SEO, Settings, Advanced, Media pages, switch “Enable media pages” on."
	doFormat  = "In Yoast SEO, Settings, Advanced, Format archives, switch “Show format archives in search results” on."
	doFormats = "In Yoast SEO, Settings, Advanced, Format archives, switch “Enable format-based archives” on."
	doAuthors = "In Yoast SEO, Settings, Advanced, Author archives, switch the archives and “Show author archives in search results” on."
	doArchive = "In Yoast SEO, Settings, Content types, switch “Show the archive in search results” on."
	doNoindex = "In Yoast SEO's Advanced tab, allow search engines to show it in search results."
	doUser    = "In the user's profile, below Yoast SEO settings, untick “Do not allow search engines to show this author's archives”."
)

// before reports whether the installed version of Yoast SEO is known to be older than version, so that an older rule holds. It
// returns false for versions older than Plugin.Compared[0], whose rules are unknown: the newest rules hold for them.
func before(blog *wp.Blog, version release.Version) bool {
	installed := blog.Version(Plugin.Name)
	return installed.Before(version) && !installed.Before(Plugin.Compared[0])
}

// termsElsewhere is the first version that leaves out terms with another canonical URL. Older versions list them at that URL.
const termsElsewhere = "20.10"

// presence returns whether Yoast SEO is active on a blog and answers for its sitemaps.
func presence(blog *wp.Blog, level seo.Level) seo.Presence {
	y := OptionsOf(blog)
	says := seo.ValueText(y.wpseo.Get("enable_xml_sitemap"))
	p := seo.Presence{Name: Plugin.Name, Folder: y.folder, Index: Plugin.URLs.URL(seo.BaseOf(blog), Plugin.IndexFile)}
	switch {
	case y.Sitemaps:
	case y.wanted:
		stored := "option wpseo[enable_xml_sitemap] is " + says +
			", not true. Therefore Yoast SEO itself serves no sitemaps, although it names them in robots.txt and switches WordPress' own off. "
		if level == seo.SpecLevel {
			p.Note = stored + "At level spec, wpsitemapd serves them. Save the setting in WordPress again"
			break
		}
		p.Off = seo.OffBy(blog, Plugin.Name, "wpseo[enable_xml_sitemap]", says)
		p.Off.Sentence = stored + `Save the setting in WordPress again, or set compat = "spec"`
	case y.forbidden:
		p.Off = seo.OffBy(blog, Plugin.Name, "wpseo_ms.allow_enable_xml_sitemap", "off")
	default:
		p.Off = seo.OffBy(blog, Plugin.Name, "wpseo.enable_xml_sitemap", says)
	}
	return p
}
