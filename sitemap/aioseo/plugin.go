// Package aioseo makes the sitemaps of All in One SEO: what its options say (options.go), what it has of posts
// (table.go), how it decides (settings.go, checks.go), the lists that only it has (lists.go), what else it emits (emitted.go), and how
// they are addressed (urls.go).
package aioseo

import (
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/release"
)

// Plugin is All in One SEO.
var Plugin = seo.Plugin{
	Name:     pluginName,
	URLs:     scheme{},
	Compared: [2]release.Version{"4.2.8", "4.9.9"},
	Past: []seo.PastRule{
		{Differs: "lastmod", Of: dateName, Until: "4.9.7.1", Text: "All in One SEO before 4.9.7.1 dates a month by any of its posts"},
		{Differs: "sitemap not in ours", Of: "attachment", Until: "4.4.0.3", Text: "All in One SEO before 4.4.0.3 names attachments without pages"},
		{Differs: "date in the index", Until: "4.4.0.3", Text: "All in One SEO before 4.4.0.3 dates a sitemap by any of its posts"},
	},
	Named:       named,
	ContentType: "text/xml; charset=UTF-8",
	RobotsTag:   "noindex, follow",
	Missing:     `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>` + "\n",
	IndexFile:   "sitemap.xml",
	OtherIndex:  "wp-sitemap.xml", // it redirects to ours, or is not there
}

// Presence is what All in One SEO is on a blog.
func Presence(blog *wp.Blog, level seo.Level) seo.Presence {
	o := optionsOf(blog)
	is := seo.Presence{Name: Plugin.Name, Folder: o.folder, Index: blog.Home() + "/" + NewURLs(blog).File(seo.IndexName, 1, 1)}
	switch {
	case o.folder == "":
	case !o.enabled():
		is.Off = seo.OffBy(blog, Plugin.Name, optionMain+".sitemap.general.enable", "false")
	case strings.HasSuffix(o.folder, "-pro"):
		is.Note = "All in One SEO Pro is active, whose sitemaps of news and videos, and whose boxes of terms, are not read: " +
			"[site.news] and [site.video] make such sitemaps here, and [site.exclude] term_ids leaves terms out"
	}
	return is
}
