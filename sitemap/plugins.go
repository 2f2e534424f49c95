package sitemap

import (
	"slices"
	"strings"

	"wpsitemapd/sitemap/aioseo"
	"wpsitemapd/sitemap/news"
	"wpsitemapd/sitemap/others"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rankmath"
	"wpsitemapd/sitemap/redirects"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/seopress"
	"wpsitemapd/sitemap/video"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/sitemap/yoast"
	yoastnews "wpsitemapd/sitemap/yoast/news"
	yoastvideo "wpsitemapd/sitemap/yoast/video"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
)

// This file is the table of plugins: their keys in the configuration, their levels, and the lists of each level, in the order of the
// index. docs/developer/add-a-plugin.md says how to add one.

// A plugin is a plugin whose sitemaps this package makes, with its levels.
type plugin struct {
	facts  *seo.Plugin
	key    string // the value of the configuration key sitemaps
	levels map[seo.Level]level
}

// A level is a plugin at one level, with its lists in index order.
type level struct {
	plugin    provider.Plugin
	providers []provider.Provider
}

// plugins are the plugins whose sitemaps this package makes. If several are active, the first one in
// this order serves.
var plugins = []*plugin{
	&aioseoPlugin, &rankMathPlugin, &yoastPlugin, &seopressPlugin, &corePlugin,
}

var (
	rankMathPlugin = plugin{
		facts: &rankmath.Plugin, key: "rankmath",
		levels: both(rankmath.SpecLevel{}, rankmath.PluginLevel{}, usual...),
	}
	yoastPlugin = plugin{
		facts: &yoast.Plugin, key: "yoast",
		levels: both(yoast.SpecLevel{}, yoast.PluginLevel{}, postTypes, taxonomies, authors, yoastvideo.Provider, yoastnews.Provider),
	}
	seopressPlugin = plugin{
		facts: &seopress.Plugin, key: "seopress",
		levels: both(seopress.SpecLevel{}, seopress.PluginLevel{}, usual...),
	}
	aioseoPlugin = plugin{
		facts: &aioseo.Plugin, key: "aioseo",
		levels: map[seo.Level]level{
			seo.SpecLevel: {aioseo.SpecLevel{}, []provider.Provider{
				postTypes, aioseo.Extra{}, provider.Lister(aioseo.Archives), taxonomies, authors, provider.Lister(aioseo.Dates),
				provider.Lister(aioseo.Attributes), googleVideos, googleNews,
			}},
			seo.PluginLevel: {aioseo.PluginLevel{}, []provider.Provider{
				aioseo.Extra{}, postTypes, provider.Lister(aioseo.Archives), aioseo.Terms{}, provider.Lister(aioseo.Authors),
				provider.Lister(aioseo.Dates), provider.Lister(aioseo.Attributes), provider.Lister(aioseo.Enabled), googleVideos, googleNews,
			}},
		},
	}
	corePlugin = plugin{
		facts: &wpcore.Plugin, key: "core",
		levels: both(wpcore.SpecLevel{}, wpcore.PluginLevel{}, usual...),
	}
)

// both returns the two levels of a plugin that has the same lists at both.
func both(spec, own provider.Plugin, lists ...provider.Provider) map[seo.Level]level {
	return map[seo.Level]level{seo.SpecLevel: {spec, lists}, seo.PluginLevel: {own, lists}}
}

// usual are the list providers of most plugins, in index order.
var usual = []provider.Provider{postTypes, taxonomies, authors, googleVideos, googleNews}

// Several plugins share these providers. googleVideos and googleNews are for plugins without add-ons for
// videos and news.
var (
	postTypes    = provider.Lister(provider.PostTypes)
	taxonomies   = provider.Lister(provider.Taxonomies)
	authors      = provider.Lister(provider.Authors)
	googleVideos = video.Provider{AddOn: video.NoAddOn{}}
	googleNews   = news.Provider{AddOn: news.NoAddOn{}}
)

// Declared lists what is read from the database: for WordPress, for plugins that change sitemaps, and
// for redirect managers. Every database's Source contains it.
var Declared = wp.Declare(slices.Concat(address.Inputs, yoast.Inputs, yoastnews.Inputs, yoastvideo.Inputs, rankmath.Inputs, aioseo.Inputs,
	seopress.Inputs, others.Inputs(), redirects.Inputs())...)

// Plugins are the plugins whose sitemaps this package makes. DefaultPlugin is used while nothing
// tells which plugin serves.
var (
	Plugins       = pluginsOf(plugins)
	DefaultPlugin = fallback.facts
)

func pluginsOf(all []*plugin) []*seo.Plugin {
	var of []*seo.Plugin
	for _, p := range all {
		of = append(of, p.facts)
	}
	return of
}

// fallback is the plugin whose names of sitemaps count if no sitemaps are served and no known plugin is active.
var fallback = &yoastPlugin

// ChoiceOf returns the value of the configuration key sitemaps that chooses the named plugin. It
// returns "" for an unknown plugin.
func ChoiceOf(name string) string {
	for _, p := range plugins {
		if p.facts.Name == name {
			return p.key
		}
	}
	return ""
}

// PluginNamed returns the plugin with this name, or nil.
func PluginNamed(name string) *seo.Plugin {
	for _, p := range Plugins {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// VersionText lists the installed versions for people. It marks each version that this release was not
// compared with.
func VersionText(installed []wp.Installed) string {
	texts := make([]string, len(installed))
	for i, v := range installed {
		texts[i] = v.String()
		if note := VersionNote(v); note != "" {
			texts[i] += " (" + note + ")"
		}
	}
	return strings.Join(texts, ", ")
}

// VersionNote returns a remark about a version, or "". For an unknown version it says that the newest
// rules apply.
func VersionNote(v wp.Installed) string {
	p := PluginNamed(v.Name)
	switch {
	case v.Version == "":
		return "the newest rules apply"
	case p != nil && p.Compared[1].Before(v.Version):
		return "newer than what this release was compared with (" + string(p.Compared[1]) + ")"
	case p != nil && v.Version.Before(p.Compared[0]):
		return "older than what this release was compared with (" + string(p.Compared[0]) + ")"
	}
	return ""
}

// generators are texts by which the sitemaps of known programs can be recognised: a comment or the
// address of the stylesheet.
var generators = [...]struct{ mark, name string }{
	{"generated by Yoast SEO", "Yoast SEO"},
	{"/plugins/wordpress-seo/", "Yoast SEO"},
	{"Rank Math", "Rank Math"},
	{"All in One SEO", "All in One SEO"},
	{"/sitemaps_xsl.xsl", "SEOPress"},
	{"generator='jetpack-", "Jetpack"},
	{"<!-- Sitemap is generated on ", "The SEO Framework"},
	{"<!-- Sitemap is prerendered on ", "The SEO Framework"},
	{"/wp-sitemap.xsl", "WordPress"},
	{"/wp-sitemap-index.xsl", "WordPress"},
}

// GeneratorOf returns the name of the program that made a sitemap with this text, or "" if unknown.
func GeneratorOf(text string) string {
	for _, g := range generators {
		if strings.Contains(text, g.mark) {
			return g.name
		}
	}
	return ""
}

// Robots returns the text of /robots.txt without the lines for sitemaps. It knows only the changes of Yoast SEO and
// WooCommerce, and not the changes of other PHP code. network reports whether the blog is part of a multisite network.
func Robots(blog *wp.Blog, network bool) string {
	text := wpcore.Robots(blog)
	if yoast.OptionsOf(blog).Active {
		return yoast.Robots(blog, text, network)
	}
	return text
}
