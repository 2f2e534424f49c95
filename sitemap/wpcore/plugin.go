// Package wpcore makes WordPress' own sitemaps.
package wpcore

import "wpsitemapd/sitemap/seo"

// Plugin is WordPress itself.
var Plugin = seo.Plugin{
	Name:         "WordPress",
	URLs:         URLs{},
	ContentType:  "application/xml; charset=UTF-8",
	IndexFile:    IndexFile,
	OtherIndex:   "sitemap_index.xml",
	RobotsAnchor: "# START YOAST BLOCK",
	RobotsGap:    "\n",
}
