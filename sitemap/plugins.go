package sitemap

import (
	"slices"

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
