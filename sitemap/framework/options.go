package framework

import (
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
)

// option is The SEO Framework's option; the other constants are keys in it.
const (
	option          = "autodescription-site-settings"
	keyOutput       = "sitemaps_output"
	keySite         = "site_noindex"
	keyHome         = "homepage_noindex"
	keyHomeRedirect = "homepage_redirect"
	keyTypes        = "noindex_post_types"
	keyDisabled     = "disabled_post_types"
)

// Meta keys of posts.
const (
	metaNoindex    = "_genesis_noindex" // above 0: noindex, below 0: index, else as its type
	metaRedirect   = "redirect"
	metaPrimary    = "_primary_term_category"
	metaPrimaryCat = "_primary_term_product_cat"
)

// Inputs lists what The SEO Framework has in the database.
var Inputs = []wp.Inputs{{
	Name:     Plugin.Name,
	Plugins:  []string{"autodescription/autodescription.php"},
	Options:  []string{option},
	PostMeta: []string{metaNoindex, metaRedirect, metaPrimary, metaPrimaryCat},
	Decisive: []string{metaNoindex, metaRedirect},
	Decode:   decode,
}}

// options are what its option says. What is not stored has the plugin's defaults.
type options struct {
	folder string // where it is active, "" where not
	set    php.Value
}

func of(blog *wp.Blog) *options { return seo.Decoded[options](blog, Plugin.Name) }

// decode says that WordPress' own sitemaps are never as WordPress has them: switched off, the plugin leaves them less what it
// excludes.
func decode(s *wp.Stored) wp.Decoded {
	o := &options{folder: s.Folder, set: s.Array(option)}
	d := wp.Decoded{Value: o, Settings: *o, ReplacesCore: s.Active()}
	if s.Active() {
		d.Links = wp.LinkRules{PrimaryCategory: metaPrimary, PrimaryProductCategory: metaPrimaryCat}
	}
	return d
}

// on reports whether a setting is, or what it is by default where it is not stored.
func (o *options) on(key string, unsaved bool) bool {
	if v, saved := o.set.Lookup(key); saved {
		return v.Truthy()
	}
	return unsaved
}

// names reports whether a setting names a post type.
func (o *options) names(key, postType string) bool { return o.set.Get(key).Get(postType).Truthy() }
