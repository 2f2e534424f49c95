// Package framework makes the sitemaps of The SEO Framework at level spec: what its options say (options.go) and how it
// decides (settings.go). Its one file becomes an index, since it holds 250 entries of a kind and no more.
package framework

import (
	"regexp"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

// Plugin is The SEO Framework.
var Plugin = seo.Plugin{
	Name:        "The SEO Framework",
	URLs:        catalog.Files{Query: "tsf-sitemap", Bare: "base", Index: regexp.MustCompile(`(?i)^(?:sitemap(?:_index)?\.xml|index)$`)},
	ContentType: "text/xml; charset=utf-8",
	RobotsTag:   "noindex",
	IndexFile:   "sitemap.xml",
	OtherIndex:  "wp-sitemap.xml", // it is not there
}

// Presence is what The SEO Framework is on a blog.
func Presence(blog *wp.Blog, _ seo.Level) seo.Presence {
	o := of(blog)
	is := seo.Presence{Name: Plugin.Name, Folder: o.folder, Index: Plugin.URLs.URL(seo.BaseOf(blog), Plugin.IndexFile)}
	if !o.on(keyOutput, true) {
		is.Off = seo.OffBy(blog, Plugin.Name, option+"."+keyOutput, seo.ValueText(o.set.Get(keyOutput)))
	}
	return is
}
