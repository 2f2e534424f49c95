package jetpack_test

import (
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/jetpack"
	"wpsitemapd/sitemap/seo"
)

func TestServedWhereActive(t *testing.T) {
	sitemaptest.ServedWhereActive(t, &jetpack.Plugin,
		sitemaptest.ServedCase{
			Statements: []string{
				sitemaptest.Activate("jetpack/jetpack.php"), sitemaptest.SetOption("jetpack_active_modules", `a:2:{i:0;s:8:"sitemaps";i:1;s:9:"seo-tools";}`),
				sitemaptest.SetOption("jetpack_sitemap_post_types", `a:1:{i:0;s:4:"post";}`),
				`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1002, 'jetpack_seo_noindex', '1'), (1003, 'jetpack_seo_noindex', NULL)`,
			},
			Files: map[string][]string{"post": {"/", "/odd/", "/plain/", "/sent/"}},
			Index: []string{"post-sitemap.xml"},
			Out:   map[string]string{"/noindex/": "wp_postmeta.jetpack_seo_noindex", "/page/": "wp_options.jetpack_sitemap_post_types"},
		},
	)
}

func TestAddresses(t *testing.T) {
	sitemaptest.AddressesOf(t, &jetpack.Plugin, []sitemaptest.Asked{
		{Base: "pretty", Address: "/sitemap_index.xml", Want: seo.Resource{}},
		{Base: "pretty", Address: "/image-sitemap-index-2.xml", Want: seo.Resource{Kind: seo.Redirect, Name: seo.IndexName, Location: "/sitemap.xml"}},
		{Base: "index", Address: "/index.php/sitemap-1.xml", Want: seo.Resource{Kind: seo.Redirect, Name: seo.IndexName, Location: "/index.php/sitemap.xml"}},
		{Base: "plain", Address: "/?jetpack-sitemap=sitemap-1.xml",
			Want: seo.Resource{Kind: seo.Redirect, Name: seo.IndexName, Location: "/?jetpack-sitemap=sitemap.xml"}},
	}...)
}
