package sitemap

import (
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/sitemap/yoast/options"
	"wpsitemapd/wp"
)

// Robots is what a blog answers for /robots.txt where nothing else in PHP has its say, without the lines for sitemaps.
// network says that it is one of a multisite network.
func Robots(site *wp.Site, network bool) string {
	text := wpcore.Robots(site)
	if options.Of(site).Active {
		return yoast.Robots(site, text, network)
	}
	return text
}
