// Package aioseo makes the sitemaps of All in One SEO: what its options say (options.go), what it has of posts
// (table.go), how it decides (settings.go, checks.go), the lists that only it has (lists.go), how it lays lists out
// (policy.go), and how they are addressed (urls.go).
package aioseo

import (
	"wpsitemapd/sitemap/seo"
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
