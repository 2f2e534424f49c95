// Package rankmath makes the sitemaps of Rank Math: what its options say (options.go) and mean (settings.go), how they are
// addressed (urls.go), and how it lays lists out (policy.go).
package rankmath

import (
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/release"
)

// Plugin is Rank Math.
var Plugin = seo.Plugin{
	Name:            "Rank Math",
	URLs:            scheme{},
	Compared:        [2]release.Version{"1.0.201", "1.0.273"},
	ContentType:     "text/xml; charset=UTF-8",
	RobotsTag:       "noindex",
	StylesheetCache: "max-age=31536000",
	IndexFile:       catalog.RuleIndex,
	OtherIndex:      "wp-sitemap.xml", // it redirects to ours, or is not there
	Copies: "Rank Math answers from files in uploads/rank-math, which stay as they are when something is changed past WordPress' admin: " +
		"save its sitemap settings, which deletes them, and compare again",
	Renumber: renumber,
}
