package server

import (
	"fmt"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
)

// Level plugin has the addresses of the version that is installed: before 7.9 SEOPress led to its index from no folder.
func TestAddressesOfVersions(t *testing.T) {
	var sites []config.Site
	cases := []struct {
		version, level string
		want           int
	}{{"7.8", "plugin", 404}, {"7.9", "plugin", 301}, {"7.8", "spec", 301}}
	for i, c := range cases {
		dsn := wptest.Load(t, wptest.MariaDB, "basic")
		wptest.Exec(t, dsn, `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:1:{i:0;s:24:"wp-seopress/seopress.php";}'),
			('seopress_toggle', 'a:1:{s:18:"toggle-xml-sitemap";s:1:"1";}'),
			('seopress_xml_sitemap_option_name', 'a:2:{s:35:"seopress_xml_sitemap_general_enable";s:1:"1";`+
			`s:36:"seopress_xml_sitemap_post_types_list";a:1:{s:4:"post";a:1:{s:7:"include";s:1:"1";}}}'),
			('_site_transient_update_plugins', 'O:8:"stdClass":1:{s:7:"checked";a:1:{s:24:"wp-seopress/seopress.php";s:3:"`+c.version+`";}}')`)
		s := realSite(fmt.Sprintf("s%d", i), wptest.ReadOnlyDSN(t, dsn))
		s.Compat = c.level
		sites = append(sites, s)
	}
	_, public := startReal(t, len(sites), sites...)
	for i, c := range cases {
		if status, _, err := ask(public, sites[i].Name+".test", "/some/sitemap.xml"); err != nil || status != c.want {
			t.Errorf("SEOPress %s at level %s: %d, want %d, %v", c.version, c.level, status, c.want, err)
		}
	}
}
