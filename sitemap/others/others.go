// Package others recognises plugins whose sitemaps wpsitemapd does not make. The site itself answers for these sitemaps, and
// the operator sees the name of the plugin. If several of these plugins use the same address, the one that comes first in the
// variable all counts.
package others

import (
	"slices"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
)

// other is a plugin that makes its own sitemaps.
type other struct {
	name    string
	file    string // file of the plugin, as in active_plugins
	index   string // file name of its index below home
	plain   string // query of the index on a site without permalinks; "" if the index is a file there, too
	options []string
	meta    []string                  // keys of post meta that links needs
	off     func(o *wp.Stored) string // returns the option that switches the sitemaps off, or "" if they are on; nil if they are always on
	core    core

	links func(o *wp.Stored) wp.LinkRules // returns the plugin's changes to WordPress' permalinks; nil if it makes none
}

// core says what an active plugin does to WordPress' own sitemaps.
type core int

const (
	replaced core = iota // the plugin switches them off while its own sitemaps are on
	beside               // the plugin leaves them on
	changed              // the plugin always changes them, even while its own sitemaps are off
)

var all = []other{
	{name: "SmartCrawl", file: "smartcrawl-seo/wpmu-dev-seo.php", index: "sitemap.xml"},
	{
		name: "Jetpack", file: "jetpack/jetpack.php", index: "sitemap.xml", plain: "jetpack-sitemap=sitemap.xml",
		options: []string{optionModules}, off: jetpackOff,
	},
	{
		name: "The SEO Framework", file: "autodescription/autodescription.php", index: "sitemap.xml", plain: "tsf-sitemap=base",
		options: []string{optionFramework}, meta: []string{metaPrimary, metaPrimaryProduct}, off: frameworkOff, links: frameworkLinks, core: changed,
	},
	{name: "XML Sitemap & Google News", file: "xml-sitemap-feed/xml-sitemap.php", index: "sitemap.xml", plain: "feed=sitemap"},
	{name: "Google XML Sitemaps", file: "google-sitemap-generator/sitemap.php", index: "sitemap.xml"},
	{
		name: "Slim SEO", file: "slim-seo/slim-seo.php", index: "sitemap.xml", plain: "ss_sitemap=index", options: []string{optionSlim},
		off: slimOff, links: slimLinks,
	},
	{
		name: "Squirrly SEO", file: "squirrly-seo/squirrly.php", index: "sitemap.xml", options: []string{"sq_options"},
		off: squirrlyOff, core: beside,
	},
}

// found is the state of one plugin. folder is "" if the plugin is not active. off is the option that switches its
// sitemaps off, or "" if they are on.
type found struct{ folder, off string }

// Inputs returns the inputs of all plugins of this package.
func Inputs() []wp.Inputs {
	inputs := make([]wp.Inputs, len(all))
	for i, p := range all {
		inputs[i] = wp.Inputs{Name: p.name, Plugins: []string{p.file}, Options: p.options, PostMeta: p.meta, Decode: p.decode}
	}
	return inputs
}

func (p *other) decode(o *wp.Stored) wp.Decoded {
	f := found{folder: o.Folder}
	if o.Active() && p.off != nil {
		f.off = p.off(o)
	}
	d := wp.Decoded{Value: f, Settings: f, ReplacesCore: o.Active() && (p.core == changed || p.core == replaced && f.off == "")}
	if o.Active() && p.links != nil {
		d.Links = p.links(o)
	}
	return d
}

// Present returns the plugins of this package that are active on a blog.
func Present(blog *wp.Blog) []seo.Presence {
	var active []seo.Presence
	for _, p := range all {
		f, _ := blog.Decoded(p.name).(found)
		if f.folder == "" {
			continue
		}
		present := seo.Presence{Name: p.name, Folder: f.folder, Index: blog.Home() + "/" + p.index}
		if p.plain != "" && blog.Settings().Permalinks.Structure == "" {
			present.Index = blog.Home() + "/?" + p.plain
		}
		if f.off != "" {
			present.Off = seo.OffBy(blog, p.name, f.off, "off")
		}
		active = append(active, present)
	}
	return active
}

const optionSlim = "slim_seo"

// slimFeatures returns the features of Slim SEO that are on. If the option was never saved, all features are on, but
// slimFeatures returns none.
func slimFeatures(o *wp.Stored) []string { return o.Array(optionSlim).Get("features").Strings() }

func slimOff(o *wp.Stored) string {
	if features := slimFeatures(o); len(features) == 0 || slices.Contains(features, "sitemaps") {
		return ""
	}
	return optionSlim + ".features"
}

func slimLinks(o *wp.Stored) wp.LinkRules {
	strip := slices.Contains(slimFeatures(o), "no_category_base")
	return wp.LinkRules{StripCategoryBase: strip, StripCategoryFront: strip}
}

func squirrlyOff(o *wp.Stored) string {
	text, _ := o.Text("sq_options")
	if set, err := php.DecodeJSON(text); err == nil && set.Get("sq_auto_sitemap").Str() == "1" {
		return ""
	}
	return "sq_options.sq_auto_sitemap"
}

const optionModules = "jetpack_active_modules"

func jetpackOff(o *wp.Stored) string {
	switch {
	case !slices.Contains(o.Array(optionModules).Strings(), "sitemaps"):
		return optionModules
	case !o.Public():
		return "blog_public"
	}
	return ""
}

// Names of The SEO Framework: its option, and the meta keys of a post's primary category and product category.
const (
	optionFramework    = "autodescription-site-settings"
	metaPrimary        = "_primary_term_category"
	metaPrimaryProduct = "_primary_term_product_cat"
)

func frameworkOff(o *wp.Stored) string {
	if output, saved := o.Array(optionFramework).Lookup("sitemaps_output"); saved && !output.Truthy() {
		return optionFramework + ".sitemaps_output"
	}
	return ""
}

func frameworkLinks(*wp.Stored) wp.LinkRules {
	return wp.LinkRules{PrimaryCategory: metaPrimary, PrimaryProductCategory: metaPrimaryProduct}
}
