package wpcore

import (
	"net/url"
	"strings"

	"wpsitemapd/wp"
)

// Robots is what WordPress answers for /robots.txt where no plugin has its say but WooCommerce, without the lines for
// sitemaps: do_robots().
func Robots(blog *wp.Blog) string {
	set := blog.Settings()
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
	return "User-agent: *\n" + shop + "Disallow: " + path + "/wp-admin/\nAllow: " + path + "/wp-admin/admin-ajax.php\n"
}
