// Package yoast makes the sitemaps of Yoast SEO: what its settings say (settings.go), how it lays lists out (policy.go) and
// how they are addressed (urls.go).
package yoast

import (
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/release"
)

// Plugin is Yoast SEO.
var Plugin = seo.Plugin{
	Name:            "Yoast SEO",
	URLs:            scheme{},
	Compared:        [2]release.Version{"14.9", "28.4"},
	Past:            []seo.PastRule{{Differs: "image titles", Until: "18.8", Text: "Yoast SEO before 18.8 writes titles and captions of images"}},
	ContentType:     "text/xml; charset=UTF-8",
	RobotsTag:       "noindex, follow",
	StylesheetCache: "max-age=31536000",
	IndexFile:       "sitemap_index.xml",
	OtherIndex:      "wp-sitemap.xml", // it redirects to ours, or is not there
	RobotsAnchor:    "# ---------------------------\n# END YOAST BLOCK",
}
