// Package wpcore makes WordPress' own sitemaps.
package wpcore

import (
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/release"
)

// Plugin is WordPress itself.
var Plugin = seo.Plugin{
	Name:         "WordPress",
	URLs:         scheme{},
	Compared:     [2]release.Version{"5.7", "7.1"},
	ContentType:  "application/xml; charset=UTF-8",
	IndexFile:    IndexFile,
	OtherIndex:   "sitemap_index.xml",
	RobotsAnchor: "# START YOAST BLOCK",
	RobotsGap:    "\n",
}
