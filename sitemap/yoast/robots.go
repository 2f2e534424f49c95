package yoast

import (
	"cmp"

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
	denies := func(what string) bool {
		return !network && OptionsOf(blog).wpseo.Get("deny_"+what+"_crawling").Truthy()
	}
	rules := ""
	if denies("search") {
		rules += "Disallow: /?s=\nDisallow: /page/*/?s=\nDisallow: /search/\n"
	}
	if denies("wp_json") {
		rules += "Disallow: /wp-json/\nDisallow: /?rest_route=\n"
	}
	rules = cmp.Or(rules, "Disallow:\n") + "\n"
	if denies("adsbot") {
		rules += "User-agent: AdsBot\nDisallow: /\n\n"
	}
	return wordpress + "# START YOAST BLOCK\n# ---------------------------\nUser-agent: *\n" + rules + "# ---------------------------\n# END YOAST BLOCK"
}
