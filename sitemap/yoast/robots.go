package yoast

import (
	"strings"

	"wpsitemapd/sitemap/yoast/options"
	"wpsitemapd/wp"
)

// ownRobots are WordPress' rules in the only form in which Yoast SEO knows and replaces them.
const ownRobots = "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n"

// Robots is what Yoast SEO makes of WordPress' robots.txt, without the lines for sitemaps. On a blog of a network it adds no
// rules.
func Robots(blog *wp.Blog, wordpress string, network bool) string {
	if wordpress == ownRobots {
		wordpress = ""
	} else {
		wordpress += "\n"
	}
	y := options.Of(blog)
	var b strings.Builder
	b.WriteString(wordpress + "# START YOAST BLOCK\n# ---------------------------\nUser-agent: *\n")
	denied := false
	deny := func(option string, paths ...string) {
		if network || !y.DeniesCrawling(option) {
			return
		}
		for _, p := range paths {
			denied = true
			b.WriteString("Disallow: " + p + "\n")
		}
	}
	deny("search", "/?s=", "/page/*/?s=", "/search/")
	deny("wp_json", "/wp-json/", "/?rest_route=")
	if !denied {
		b.WriteString("Disallow:\n")
	}
	b.WriteString("\n")
	if !network && y.DeniesCrawling("adsbot") {
		b.WriteString("User-agent: AdsBot\nDisallow: /\n\n")
	}
	b.WriteString("# ---------------------------\n# END YOAST BLOCK")
	return b.String()
}
