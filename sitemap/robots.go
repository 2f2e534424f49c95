package sitemap

import (
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp"
)

// Robots is what a blog answers for /robots.txt where nothing else in PHP has its say, without the lines for sitemaps.
// network says that it is one of a multisite network.
func Robots(blog *wp.Blog, network bool) string {
	text := wpcore.Robots(blog)
	if yoast.OptionsOf(blog).Active {
		return yoast.Robots(blog, text, network)
	}
	return text
}
