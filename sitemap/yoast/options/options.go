// Package options decodes what Yoast SEO stores in its options.
package options

import (
	"fmt"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
)

// inputs lists what Yoast SEO has in the database.
var inputs = wp.Inputs{
	Name:           "Yoast SEO",
	Plugins:        []string{"wordpress-seo/wp-seo.php", "wordpress-seo-premium/wp-seo-premium.php"}, // premium needs the free one beside it
	Options:        []string{"wpseo", "wpseo_titles", "wpseo_taxonomy_meta"},
	NetworkOptions: []string{"wpseo_ms"},
	PostMeta:       []string{"_yoast_wpseo_*"},
	Decisive:       []string{"_yoast_wpseo_meta-robots-noindex", "_yoast_wpseo_canonical"},
	Always:         true,
	UserMeta:       []string{"_yoast_wpseo_profile_updated", "wpseo_noindex_author"},
	Version: func(o *wp.Stored) (version, option string) {
		return o.Array("wpseo").Get("version").Str(), "wpseo[version]"
	},
	Decode: decode,
}

// Inputs adds the add-on for WooCommerce.
var Inputs = []wp.Inputs{inputs, {Name: "Yoast SEO: WooCommerce", Plugins: []string{"wpseo-woocommerce/wpseo-woocommerce.php"}}}

// Of returns the options of a blog.
func Of(blog *wp.Blog) *Yoast { return seo.Decoded[Yoast](blog, inputs.Name) }

func decode(o *wp.Stored) wp.Decoded {
	y := &Yoast{
		Active: o.Active(), Folder: o.Folder,
		wpseo: o.Array("wpseo"), titles: o.Array("wpseo_titles"), taxonomyMeta: o.Array("wpseo_taxonomy_meta"),
	}
	allowed, restricted := o.Network("wpseo_ms").Lookup("allow_enable_xml_sitemap")
	y.forbidden = restricted && !allowed.Truthy()
	v, saved := y.wpseo.Lookup("enable_xml_sitemap")
	y.Sitemaps = (!saved || v.IsTrue()) && !y.forbidden
	y.Wanted = (!saved || v.Truthy()) && !y.forbidden
	d := wp.Decoded{
		Value:        y,
		Settings:     []any{y.Active, y.Sitemaps, y.Wanted, y.titles},
		OfObjects:    y.taxonomyMeta,
		ReplacesCore: y.Active && y.Wanted,
		NamesNetwork: y.Active,
		InNetwork:    y.Active && y.Wanted,
	}
	if y.Active {
		strip, _ := y.title("stripcategorybase")
		d.Links = wp.LinkRules{StripCategoryBase: strip.IsTrue(), PrimaryCategory: "_yoast_wpseo_primary_category"}
	}
	return d
}

// Yoast is what Yoast SEO's options say. Missing options and keys have Yoast's defaults;
// an option whose serialisation is broken counts as never saved, as in WordPress.
type Yoast struct {
	Active   bool   // the plugin is active on this blog or on its network
	Folder   string // its folder there
	Sitemaps bool   // wpseo[enable_xml_sitemap], strictly true, and the network allows it: Yoast's sitemaps answer
	Wanted   bool   // the same of any truth: WordPress' own are switched off, and robots.txt names Yoast's

	forbidden                   bool // wpseo_ms[allow_enable_xml_sitemap]
	wpseo, titles, taxonomyMeta php.Value
}

// SitemapsSetting is what wpseo[enable_xml_sitemap] holds, as text.
func (y *Yoast) SitemapsSetting() string { return seo.ValueText(y.wpseo.Get("enable_xml_sitemap")) }

// title returns the value of a wpseo_titles key.
func (y *Yoast) title(key string) (php.Value, bool) { return y.titles.Lookup(key) }

func (y *Yoast) truthy(key string, unsaved bool) bool {
	v, ok := y.title(key)
	return ok && v.Truthy() || !ok && unsaved
}

// PostTypeDisabled reports whether wpseo_titles[disable-TYPE] hides a post type; only
// attachments are hidden when the key was never saved.
func (y *Yoast) PostTypeDisabled(postType string) bool {
	return y.truthy("disable-"+postType, postType == "attachment")
}

// PostTypeNoindex reports whether wpseo_titles[noindex-TYPE] hides a post type: anything but boolean false does, on
// the posts' own pages too. NULL counts as never saved.
func (y *Yoast) PostTypeNoindex(postType string) bool {
	v, ok := y.title("noindex-" + postType)
	return ok && !v.IsNull() && !v.IsFalse()
}

// ArchiveNoindex reports whether wpseo_titles[noindex-ptarchive-TYPE] hides the archive of a post type.
func (y *Yoast) ArchiveNoindex(postType string) bool {
	return y.truthy("noindex-ptarchive-"+postType, false)
}

// TaxonomyNoindex reports whether wpseo_titles[noindex-tax-TAXONOMY] hides a taxonomy: only boolean true does. On the
// terms' own pages, and here where it is taken plainly, any truth says noindex.
func (y *Yoast) TaxonomyNoindex(taxonomy string, plainly bool) bool {
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
func (y *Yoast) FormatsDisabled() bool { return y.truthy("disable-post_format", false) }

// AuthorsDisabled reports whether author archives are off or noindexed, and which key says so.
func (y *Yoast) AuthorsDisabled() (key string, off bool) {
	for _, key := range []string{"disable-author", "noindex-author-wpseo"} {
		if y.truthy(key, false) {
			return key, true
		}
	}
	return "", false
}

// Separator is what comes between the parts of a title: wpseo_titles[separator].
func (y *Yoast) Separator() string {
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
func (y *Yoast) AuthorsNeedPosts() bool {
	v, _ := y.title("noindex-author-noposts-wpseo")
	return v.IsNull() || v.Truthy()
}

// DeniesCrawling reports whether wpseo[deny_NAME_crawling] adds rules to robots.txt.
func (y *Yoast) DeniesCrawling(name string) bool {
	v, _ := y.wpseo.Lookup("deny_" + name + "_crawling")
	return v.Truthy()
}

// TermNoindex reports whether wpseo_taxonomy_meta marks a term noindex.
func (y *Yoast) TermNoindex(taxonomy string, termID int64) bool {
	return y.termMeta(taxonomy, termID).Get("wpseo_noindex").Str() == "noindex"
}

// TermCanonical returns the canonical address wpseo_taxonomy_meta sets for a term, or "".
func (y *Yoast) TermCanonical(taxonomy string, termID int64) string {
	v := y.termMeta(taxonomy, termID).Get("wpseo_canonical")
	if v.Kind != php.String {
		return ""
	}
	return v.Str()
}

func (y *Yoast) termMeta(taxonomy string, termID int64) php.Value {
	return y.taxonomyMeta.Get(taxonomy).Get(fmt.Sprint(termID))
}

// Title returns what wpseo_titles holds under a key, as text, and whether it holds the key at all.
func (y *Yoast) Title(key string) (value string, saved bool) {
	v, saved := y.title(key)
	return seo.ValueText(v), saved
}

// TermSetting returns what wpseo_taxonomy_meta holds of a term under a key, "" for nothing.
func (y *Yoast) TermSetting(taxonomy string, termID int64, key string) string {
	v := y.termMeta(taxonomy, termID).Get(key)
	if v.IsNull() {
		return ""
	}
	return seo.ValueText(v)
}

// TermVideo returns the record of a term's video, wpseo_taxonomy_meta[TAXONOMY][_video][ID];
// it is an array only where there is one.
func (y *Yoast) TermVideo(taxonomy string, termID int64) php.Value {
	return y.taxonomyMeta.Get(taxonomy).Get("_video").Index(termID)
}

// TermsWithVideo returns the term_ids of a taxonomy with a record.
func (y *Yoast) TermsWithVideo(taxonomy string) []int64 {
	var ids []int64
	for _, p := range y.taxonomyMeta.Get(taxonomy).Get("_video").Pairs() {
		if !p.Key.IsString && p.Key.Int > 0 && p.Value.Kind == php.Array {
			ids = append(ids, p.Key.Int)
		}
	}
	return ids
}

// Switch returns the option that switches the sitemaps off, and its value.
func (y *Yoast) Switch() (option, value string) {
	if y.forbidden {
		return "wpseo_ms.allow_enable_xml_sitemap", "off"
	}
	return "wpseo.enable_xml_sitemap", y.SitemapsSetting()
}
