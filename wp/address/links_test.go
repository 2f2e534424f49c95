package address

import (
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Permalink Manager ends the path before a language changes the host. HTTPS comes last. In another order, the address of the French
// checkout page would end in a slash or begin with http:.
func TestOrderOfSteps(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
	wptest.Exec(t, dsn, setOption("home", "http://small.test"), setOption("siteurl", "http://small.test"),
		setOption("active_plugins", phpList("polylang/polylang.php", wp.PluginPermalinkManager, "woocommerce/woocommerce.php")),
		`UPDATE wp_options SET option_value = REPLACE(option_value, 'force_lang";i:1', 'force_lang";i:2') WHERE option_name = 'polylang'`,
		setOption("permalink-manager", `a:1:{s:7:"general";a:1:{s:16:"trailing_slashes";`+phpText("2")+"}}"),
		setOption("woocommerce_force_ssl_checkout", "yes"), setOption("woocommerce_checkout_page_id", "1012"))
	posts, err := openSite(t, wp.Source{DSN: dsn}).Posts(t.Context(), []int64{1001, 1002, 1011, 1012}, nil)
	wptest.Must(t, err)
	var links []string
	for _, p := range posts {
		links = append(links, p.Link)
	}
	expect.List(t, links, []string{"http://small.test/hello", "http://fr.small.test/bonjour", "http://small.test/about", "https://fr.small.test/a-propos"})
}

// A post has no address if it has no value for a token of the operator's form, even if an editor has set an address.
func TestFormWithoutValue(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
	wptest.Exec(t, dsn, setOption("active_plugins", phpList(pluginCustomPermalinks)), "DELETE FROM wp_term_relationships WHERE object_id = 1001",
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1001, 'custom_permalink', 'by-hand/')")
	form := registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"post": {URL: new("/blog/{term:category}/{slug}")}}}
	got := pathsOf(t, openSite(t, wp.Source{DSN: dsn, Overrides: form}), "https://small.test/", []int64{1001, 1004}, nil)
	expect.Same(t, map[string]string{"1001": "", "1004": "blog/news/only-english"}, got)
}
