package sitemap

import (
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp"
)

// Robots returns the text of /robots.txt without the lines for sitemaps, if no other PHP code changes
// it. network reports whether the blog is part of a multisite network.
func Robots(blog *wp.Blog, network bool) string {
	text := wpcore.Robots(blog)
	if yoast.OptionsOf(blog).Active {
		return yoast.Robots(blog, text, network)
	}
	return text
}
