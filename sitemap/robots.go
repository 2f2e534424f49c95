package sitemap

import (
	"net/url"
	"strings"

	"wpsitemapd/wp"
)

// Robots is what a site answers for /robots.txt where nothing else in PHP has its say,
// without the lines for sitemaps: do_robots() of WordPress, what WooCommerce adds, and what
// Yoast SEO makes of it.
// network tells that the site is one of a multisite network, where Yoast adds no rules.
func Robots(site *wp.Site, network bool) string {
	set := site.Settings()
	path := ""
	if u, err := url.Parse(set.SiteURL); err == nil {
		path = strings.TrimRight(u.EscapedPath(), "/")
	}
	var shop string // what WooCommerce puts before the first rule
	if set.Woo.Active {
		for _, folder := range []string{"wc-logs", "woocommerce_transient_files", "woocommerce_uploads"} {
			shop += "Disallow: " + path + "/wp-content/uploads/" + folder + "/\n"
		}
	}
	core := "User-agent: *\n" + shop + "Disallow: " + path + "/wp-admin/\nAllow: " + path + "/wp-admin/admin-ajax.php\n"
	switch {
	case !set.Yoast.Active:
		return core
	case path == "" && shop == "": // Yoast knows them in this form only, and replaces them
		core = ""
	default:
		core += "\n"
	}
	var b strings.Builder
	b.WriteString(core + "# START YOAST BLOCK\n# ---------------------------\nUser-agent: *\n")
	denied := false
	deny := func(option string, paths ...string) {
		if network || !set.Yoast.DeniesCrawling(option) {
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
	if !network && set.Yoast.DeniesCrawling("adsbot") {
		b.WriteString("User-agent: AdsBot\nDisallow: /\n\n")
	}
	b.WriteString("# ---------------------------\n# END YOAST BLOCK")
	return b.String()
}
