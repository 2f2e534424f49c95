package framework_test

import (
	"testing"

	"wpsitemapd/sitemap/framework"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
)

func TestServedWhereActive(t *testing.T) {
	sitemaptest.ServedWhereActive(t, &framework.Plugin,
		sitemaptest.ServedCase{
			Statements: []string{
				sitemaptest.Activate("autodescription/autodescription.php"),
				sitemaptest.SetOption("autodescription-site-settings", `a:1:{s:18:"noindex_post_types";a:1:{s:4:"page";i:1;}}`),
				`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1002, '_genesis_noindex', '1'),
					(1003, '_genesis_noindex', 'a:1:{'), (1004, 'redirect', 'https://elsewhere.test/'), (1012, '_genesis_noindex', '-1')`,
			},
			Files: map[string][]string{"post": {"/", "/odd/", "/plain/"}, "page": {"/open/"}},
			Index: []string{"post-sitemap.xml", "page-sitemap.xml"},
			Out: map[string]string{
				"/noindex/": "wp_postmeta._genesis_noindex", "/sent/": "wp_postmeta.redirect",
				"/page/":                "wp_options.autodescription-site-settings[noindex_post_types][page]",
				"/category/plain-term/": "The SEO Framework",
			},
		},
		sitemaptest.ServedCase{
			Statements: []string{
				sitemaptest.Activate("autodescription/autodescription.php"),
				sitemaptest.SetOption("autodescription-site-settings", `a:1:{s:16:"homepage_noindex";i:1;}`),
			},
			Files: map[string][]string{"post": {"/noindex/", "/odd/", "/plain/", "/sent/"}},
			Index: []string{"post-sitemap.xml", "page-sitemap.xml"},
			Out:   map[string]string{"/": "wp_options.autodescription-site-settings[homepage_noindex]"},
		},
	)
}

func TestAddresses(t *testing.T) {
	sitemaptest.AddressesOf(t, &framework.Plugin, []sitemaptest.Asked{
		{Base: "pretty", Address: "/Sitemap_Index.xml", Want: seo.Resource{Kind: seo.Sitemap, Name: seo.IndexName, Page: 1}},
		{Base: "pretty", Address: "/post-sitemap1.xml", Want: seo.Resource{Kind: seo.Redirect, Name: "post", Location: "/post-sitemap.xml"}},
		{Base: "pretty", Address: "/sitemap.xsl", Want: seo.Resource{Kind: seo.Stylesheet, Name: "main"}},
		{Base: "pretty", Address: "/index", Want: seo.Resource{}},
		{Base: "plain", Address: "/sitemap.xml", Want: seo.Resource{}},
		{Base: "plain", Address: "/?tsf-sitemap=index", Want: seo.Resource{Kind: seo.Sitemap, Name: seo.IndexName, Page: 1, ByQuery: true}},
	}...)
}
