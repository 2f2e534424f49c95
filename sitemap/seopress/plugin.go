// Package seopress makes the sitemaps of SEOPress: what its options say (options.go), how it decides (settings.go), how it
// lays lists out (policy.go) and how they are addressed (urls.go).
package seopress

import (
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/release"
)

// Plugin is SEOPress.
var Plugin = seo.Plugin{
	Name:        "SEOPress",
	URLs:        scheme{},
	Compared:    [2]release.Version{"6.0", "9.7.4"},
	Eras:        []release.Version{"9.3", "9.2", "8.9.0.2", "8.8.1", "8.7", "8.4", "7.6", "7.3"},
	Past:        []seo.PastRule{{Differs: "images", Until: "9.0", Text: "SEOPress before 9.0 lists images of shortcodes"}},
	ContentType: "text/xml; charset=UTF-8",
	RobotsTag:   "noindex, follow",
	IndexFile:   indexFile,
	OtherIndex:  "wp-sitemap.xml", // it redirects to ours

	PrivateUnnamed: true,
}

// Presence is what SEOPress is on a blog.
func Presence(blog *wp.Blog, _ seo.Level) seo.Presence {
	o := of(blog)
	is := seo.Presence{Name: Plugin.Name, Folder: o.folder, Index: Plugin.URLs.URL(seo.BaseOf(blog), indexFile)}
	if blog.Settings().Permalinks.Structure == "" {
		is.Index = blog.Home() + "/?" + varIndex + "=1" // paths lead nowhere
	}
	switch {
	case !o.module:
		is.Off = seo.OffBy(blog, Plugin.Name, "seopress_toggle[toggle-xml-sitemap]", o.moduleSays)
	case !o.enabled:
		is.Off = seo.OffBy(blog, Plugin.Name, "seopress_xml_sitemap_option_name[seopress_xml_sitemap_general_enable]", o.enabledSays)
	case blog.Settings().ActivePlugins[paid]:
		is.Note = "SEOPress PRO is active, whose sitemaps of news and videos, and whose robots.txt, are not read: " +
			"[site.news] and [site.video] make such sitemaps here"
	}
	return is
}
