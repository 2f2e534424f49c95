package sitemap

import (
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp"
)

// Robots returns the text of /robots.txt without the lines for sitemaps. It knows only the changes of Yoast SEO and
// WooCommerce, and not the changes of other PHP code. network reports whether the blog is part of a multisite network.
func Robots(blog *wp.Blog, network bool) string {
	text := wpcore.Robots(blog)
	if yoast.OptionsOf(blog).Active {
		return yoast.Robots(blog, text, network)
	}
	return text
}
