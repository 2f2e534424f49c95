package seopress

import (
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

const (
	optionToggle   = "seopress_toggle"
	optionSitemaps = "seopress_xml_sitemap_option_name"
	optionTitles   = "seopress_titles_option_name"
	optionAdvanced = "seopress_advanced_option_name"

	keyTypes      = "seopress_xml_sitemap_post_types_list"
	keyTaxonomies = "seopress_xml_sitemap_taxonomies_list"
	keyAuthors    = "seopress_xml_sitemap_author_enable"
)

// These are meta keys. Posts and terms have the first two.
const (
	metaNoindex   = "_seopress_robots_index"
	metaCanonical = "_seopress_robots_canonical"
	metaPrimary   = "_seopress_robots_primary_cat"
)

// Inputs lists the stored data of SEOPress and of its paid add-on.
var Inputs = []wp.Inputs{{
	Name:     Plugin.Name,
	Plugins:  []string{"wp-seopress/seopress.php"},
	Options:  []string{optionToggle, optionSitemaps, optionTitles, optionAdvanced},
	PostMeta: []string{"_seopress_robots_*", metaGallery},
	TermMeta: []string{metaNoindex, metaCanonical},
	Tables:   []wp.Table{wp.TermMetaTable},
	Decisive: []string{metaNoindex, metaCanonical},
	Always:   true,
	Version:  func(*wp.Stored) (version, option string) { return "", "" }, // it stores no version; seopress_versions ends with 8.4.1
	Decode:   decode,
}, {Name: "SEOPress PRO", Plugins: []string{paid}}}

// paid is the file of the paid add-on.
const paid = "wp-seopress-pro/seopress-pro.php"

// options are SEOPress' stored settings. A setting is on only if its value is the text 1. There are no
// defaults, so a missing setting is off.
type options struct {
	folder          string // folder of the plugin; "" if it is not active
	module, enabled bool   // the two switches of its sitemaps
	authors, images bool
	types           list // post types
	taxonomies      list
	titles          php.Value
	speaks          bool   // the module of titles is on; without it, the plugin prints no robots tags
	redirects       string // the key of the setting that redirects the pages of attachments; "" if none does

	moduleSays, enabledSays string // the stored values of the two switches, as evidence
}

// list is the stored list of types with a sitemap. Each type has boxes that a person can tick.
type list struct {
	names []string
	on    map[string]bool // types with at least one ticked box
}

func of(blog *wp.Blog) *options { return seo.Decoded[options](blog, Plugin.Name) }

func decode(s *wp.Stored) wp.Decoded {
	toggle, set := s.Array(optionToggle), s.Array(optionSitemaps)
	module, enable := toggle.Get("toggle-xml-sitemap"), set.Get("seopress_xml_sitemap_general_enable")
	o := &options{
		folder: s.Folder, module: ticked(module), enabled: ticked(enable), moduleSays: seo.ValueText(module), enabledSays: seo.ValueText(enable),
		authors: ticked(set.Get(keyAuthors)), images: ticked(set.Get("seopress_xml_sitemap_img_enable")),
		types: listOf(set.Get(keyTypes)), taxonomies: listOf(set.Get(keyTaxonomies)), titles: s.Array(optionTitles),
		speaks: toggle.Get("toggle-titles").Int() == 1,
	}
	advanced, on := s.Array(optionAdvanced), ticked(toggle.Get("toggle-advanced"))
	for _, key := range []string{"seopress_advanced_advanced_attachments", "seopress_advanced_advanced_attachments_file"} {
		if on && ticked(advanced.Get(key)) {
			o.redirects = key
		}
	}
	if set.Kind != php.Array { // never saved: the state after the plugin is activated
		o.images = true
		o.types = list{[]string{"post", "page", "product"}, map[string]bool{"post": true, "page": true, "product": true}}
		o.taxonomies = list{[]string{"category"}, map[string]bool{"category": true}}
	}
	d := wp.Decoded{
		Value: o, Settings: *o, ReplacesCore: s.Active() && o.module,
		Types: registry.Noted{
			Source:     "option " + optionSitemaps,
			PostTypes:  slices.Concat(o.types.names, keys(o.titles.Get("seopress_titles_single_titles"))),
			Taxonomies: slices.Concat(o.taxonomies.names, keys(o.titles.Get("seopress_titles_tax_titles"))),
		},
	}
	if s.Active() {
		d.Links = wp.LinkRules{
			StripCategoryBase: on && ticked(advanced.Get("seopress_advanced_advanced_category_url")),
			PrimaryCategory:   metaPrimary,
			AnyPrimary:        true,
			AttachedPlain:     true,

			StripProductCategoryBase: on && ticked(advanced.Get("seopress_advanced_advanced_product_cat_url")),
			PrimaryProductCategory:   metaPrimary,
		}
	}
	return d
}

func keys(v php.Value) []string {
	var names []string
	for _, p := range v.Pairs() {
		names = append(names, p.Key.String())
	}
	return names
}

// ticked reports whether the value of a box is the text 1.
func ticked(v php.Value) bool { return v.Kind == php.String && v.Str() == "1" }

func listOf(v php.Value) list {
	l := list{on: map[string]bool{}}
	for _, p := range v.Pairs() {
		name := p.Key.String()
		l.names = append(l.names, name)
		l.on[name] = slices.ContainsFunc(p.Value.Pairs(), func(box php.Pair) bool { return ticked(box.Value) })
	}
	return l
}

func (l list) has(name string) bool {
	_, ok := l.on[name]
	return ok
}
