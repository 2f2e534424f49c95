package yoast

import (
	"cmp"
	"fmt"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/release"
)

// Inputs lists the stored data of Yoast SEO and of its add-on for WooCommerce.
var Inputs = []wp.Inputs{
	{
		Name:           Plugin.Name,
		Plugins:        []string{"wordpress-seo/wp-seo.php", "wordpress-seo-premium/wp-seo-premium.php"}, // the premium plugin needs the free one
		Options:        append([]string{"wpseo", "wpseo_titles", "wpseo_taxonomy_meta"}, formerOptions...),
		NetworkOptions: []string{"wpseo_ms"},
		PostMeta:       []string{"_yoast_wpseo_*"},
		Decisive:       []string{metaNoindex, metaCanonical},
		Always:         true,
		UserMeta:       []string{metaProfileUpdated, metaNoindexAuthor},
		Version: func(o *wp.Stored) (version, option string) {
			return o.Array("wpseo").Get("version").Str(), "wpseo[version]"
		},
		Decode: decode,
	},
	{Name: "Yoast SEO: WooCommerce", Plugins: []string{pluginWooCommerce}},
}

// formerOptions are options in which Yoast SEO before 7.0 stored settings of sitemaps. wpsitemapd does not follow them; it logs a
// warning.
var formerOptions = []string{"wpseo_xml", "wpseo_permalinks"}

func OptionsOf(blog *wp.Blog) *Options { return seo.Decoded[Options](blog, Plugin.Name) }

func decode(o *wp.Stored) wp.Decoded {
	y := &Options{
		Active: o.Active(), folder: o.Folder,
		wpseo: o.Array("wpseo"), titles: o.Array("wpseo_titles"), taxonomyMeta: o.Array("wpseo_taxonomy_meta"),
	}
	allowed, restricted := o.Network("wpseo_ms").Lookup("allow_enable_xml_sitemap")
	y.forbidden = restricted && !allowed.Truthy()
	v, saved := y.wpseo.Lookup("enable_xml_sitemap")
	y.Sitemaps = (!saved || v.IsTrue()) && !y.forbidden
	y.wanted = (!saved || v.Truthy()) && !y.forbidden
	d := wp.Decoded{
		Value:        y,
		Settings:     []any{y.Active, y.Sitemaps, y.wanted, y.titles},
		OfObjects:    y.taxonomyMeta,
		ReplacesCore: y.Active && y.wanted,
		NamesNetwork: y.Active,
		InNetwork:    y.Active && y.wanted,
	}
	if y.Active {
		if release.Version(y.wpseo.Get("version").Str()).Before("7.0") {
			for _, name := range formerOptions {
				if _, saved := o.Text(name); saved {
					o.Warn(fmt.Sprintf("option %s excludes objects from the sitemaps of Yoast SEO before 7.0. wpsitemapd does not "+
						"read it, and lists these objects. Update Yoast SEO, or exclude them in [site.exclude]", name))
				}
			}
		}
		d.Links = wp.LinkRules{StripCategoryBase: y.titles.Get("stripcategorybase").IsTrue(), PrimaryCategory: "_yoast_wpseo_primary_category"}
	}
	return d
}

// Options are the settings in Yoast SEO's options. Missing options and keys have Yoast's defaults. An option with a broken
// serialisation counts as never saved, as in WordPress.
type Options struct {
	Active   bool // the plugin is active on this blog or on its network
	Sitemaps bool // wpseo[enable_xml_sitemap] is exactly true, and the network allows it: Yoast's sitemaps answer

	folder                      string // of the plugin; "" if it is not active
	wanted                      bool   // wpseo[enable_xml_sitemap] is true in any form: Yoast replaces WordPress' own and is in robots.txt
	forbidden                   bool   // wpseo_ms[allow_enable_xml_sitemap] forbids sitemaps
	wpseo, titles, taxonomyMeta php.Value
}

// on reports whether a switch of wpseo_titles holds a value that PHP takes for true. It returns unsaved if the switch was never
// saved.
func (o *Options) on(key string, unsaved bool) bool {
	if v, saved := o.titles.Lookup(key); saved {
		return v.Truthy()
	}
	return unsaved
}

// taxonomyNoindex reports whether noindex-tax-TAXONOMY hides a taxonomy. In Yoast's sitemaps only the boolean true does. If
// plainly is set, any value that PHP takes for true counts, as on the terms' own pages.
func (o *Options) taxonomyNoindex(taxonomy string, plainly bool) bool {
	switch v, saved := o.titles.Lookup("noindex-tax-" + taxonomy); {
	case !saved:
		return taxonomy == "post_format"
	case plainly:
		return v.Truthy()
	default:
		return v.IsTrue()
	}
}

// authorsDisabled reports whether author archives are off or noindex, and returns the key that decides it.
func (o *Options) authorsDisabled() (key string, off bool) {
	for _, key := range []string{"disable-author", "noindex-author-wpseo"} {
		if o.on(key, false) {
			return key, true
		}
	}
	return "", false
}

// authorsNeedPosts reports whether only users with a published post are listed. NULL counts as never saved.
func (o *Options) authorsNeedPosts() bool {
	v := o.titles.Get("noindex-author-noposts-wpseo")
	return v.IsNull() || v.Truthy()
}

func (o *Options) termNoindex(taxonomy string, termID int64) bool {
	return o.ofTerm(taxonomy, termID, "wpseo_noindex").Str() == "noindex"
}

// termCanonical returns the stored canonical URL of a term, or "" if there is none.
func (o *Options) termCanonical(taxonomy string, termID int64) string {
	v := o.ofTerm(taxonomy, termID, "wpseo_canonical")
	if v.Kind != php.String {
		return ""
	}
	return v.Str()
}

// ofTerm returns the value of a term's key in wpseo_taxonomy_meta.
func (o *Options) ofTerm(taxonomy string, termID int64, key string) php.Value {
	return o.taxonomyMeta.Get(taxonomy).Index(termID).Get(key)
}

// TermVideo returns the record of a term's video. It is an array only if the term has a video.
func (o *Options) TermVideo(taxonomy string, termID int64) php.Value {
	return o.taxonomyMeta.Get(taxonomy).Get("_video").Index(termID)
}

// TermsWithVideo returns the term_ids of a taxonomy that have a video record.
func (o *Options) TermsWithVideo(taxonomy string) []int64 {
	var ids []int64
	for _, p := range o.taxonomyMeta.Get(taxonomy).Get("_video").Pairs() {
		if !p.Key.IsString && p.Key.Int > 0 && p.Value.Kind == php.Array {
			ids = append(ids, p.Key.Int)
		}
	}
	return ids
}

// ownRobots are WordPress' rules in robots.txt. Yoast SEO replaces them only in exactly this form.
const ownRobots = "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n"

// Robots returns WordPress' robots.txt as Yoast SEO changes it, without the lines for sitemaps. On a blog of a network, Yoast
// adds no rules.
func Robots(blog *wp.Blog, wordpress string, network bool) string {
	if wordpress == ownRobots {
		wordpress = ""
	} else {
		wordpress += "\n"
	}
	denies := func(what string) bool {
		return !network && OptionsOf(blog).wpseo.Get("deny_"+what+"_crawling").Truthy()
	}
	rules := ""
	if denies("search") {
		rules += "Disallow: /?s=\nDisallow: /page/*/?s=\nDisallow: /search/\n"
	}
	if denies("wp_json") {
		rules += "Disallow: /wp-json/\nDisallow: /?rest_route=\n"
	}
	rules = cmp.Or(rules, "Disallow:\n") + "\n"
	if denies("adsbot") {
		rules += "User-agent: AdsBot\nDisallow: /\n\n"
	}
	return wordpress + "# START YOAST BLOCK\n# ---------------------------\nUser-agent: *\n" + rules + "# ---------------------------\n# END YOAST BLOCK"
}
