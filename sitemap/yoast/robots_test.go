package yoast_test

import (
	"fmt"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

func TestRobots(t *testing.T) {
	t.Parallel()
	option := sitemaptest.SetOption
	const core = "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n"
	const start, end = "# START YOAST BLOCK\n# ---------------------------\n", "# ---------------------------\n# END YOAST BLOCK"
	const shop = `a:2:{i:0;s:27:"woocommerce/woocommerce.php";i:1;s:24:"wordpress-seo/wp-seo.php";}`
	for _, tt := range []struct {
		name    string
		changes []string
		network bool
		want    string
	}{
		{"WordPress alone", nil, false, core},
		{"below a folder", []string{option("siteurl", "https://example.test/wp/")}, false,
			"User-agent: *\nDisallow: /wp/wp-admin/\nAllow: /wp/wp-admin/admin-ajax.php\n"},
		{"Yoast replaces the rules", []string{sitemaptest.YoastActive}, false, start + "User-agent: *\nDisallow:\n\n" + end},
		{"Yoast does not know the rules of a folder", []string{sitemaptest.YoastActive, option("siteurl", "https://example.test/wp")}, false,
			"User-agent: *\nDisallow: /wp/wp-admin/\nAllow: /wp/wp-admin/admin-ajax.php\n\n" + start + "User-agent: *\nDisallow:\n\n" + end},
		{"nor those of WooCommerce", []string{option("active_plugins", shop)}, false,
			"User-agent: *\nDisallow: /wp-content/uploads/wc-logs/\nDisallow: /wp-content/uploads/woocommerce_transient_files/\nDisallow: " +
				"/wp-content/uploads/woocommerce_uploads/\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n\n" +
				start + "User-agent: *\nDisallow:\n\n" + end},
		{"search is denied", []string{sitemaptest.YoastActive, option("wpseo", `a:1:{s:20:"deny_search_crawling";b:1;}`)}, false,
			start + "User-agent: *\nDisallow: /?s=\nDisallow: /page/*/?s=\nDisallow: /search/\n\n" + end},
		{"everything is denied", []string{
			sitemaptest.YoastActive,
			option("wpseo", `a:3:{s:20:"deny_search_crawling";b:1;s:21:"deny_wp_json_crawling";b:1;s:20:"deny_adsbot_crawling";b:1;}`),
		}, false,
			start + "User-agent: *\nDisallow: /?s=\nDisallow: /page/*/?s=\nDisallow: /search/\nDisallow: /wp-json/\nDisallow: " +
				"/?rest_route=\n\nUser-agent: AdsBot\nDisallow: /\n\n" + end},
		{"AdsBot alone is denied", []string{sitemaptest.YoastActive, option("wpseo", `a:2:{s:20:"deny_search_crawling";b:0;s:20:"deny_adsbot_crawling";b:1;}`)}, false,
			start + "User-agent: *\nDisallow:\n\nUser-agent: AdsBot\nDisallow: /\n\n" + end},
		{"not in a network", []string{sitemaptest.YoastActive, option("wpseo", `a:1:{s:20:"deny_adsbot_crawling";b:1;}`)}, true, start +
			"User-agent: *\nDisallow:\n\n" + end},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, sitemaptest.Seeds(t)["small-core"]...)
			wptest.Exec(t, dsn, tt.changes...)
			if got := sitemap.Robots(sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), tt.network); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", fmt.Sprintf("%q", got), fmt.Sprintf("%q", tt.want))
			}
		})
	}
}
