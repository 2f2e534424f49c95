package slimseo_test

import (
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/slimseo"
)

func TestServedWhereActive(t *testing.T) {
	sitemaptest.ServedWhereActive(t, &slimseo.Plugin,
		sitemaptest.ServedCase{
			Statements: []string{
				sitemaptest.Activate("slim-seo/slim-seo.php"),
				sitemaptest.SetOption("slim_seo", `a:1:{s:8:"post_tag";a:1:{s:7:"noindex";s:1:"1";}}`),
				`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1002, 'slim_seo', 'a:1:{s:7:"noindex";i:1;}'),
					(1003, 'slim_seo', 'a:1:{s:7:"noin'), (1004, 'slim_seo', NULL)`,
				`INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (1022, 'slim_seo', 'a:1:{s:7:"noindex";i:1;}')`,
				sitemaptest.Picture(1099, "a.jpg"), `UPDATE wp_posts SET post_parent = 1001 WHERE ID = 1099`,
			},
			Files: map[string][]string{
				"post-type-post": {"/", "/odd/", "/plain/", "/sent/"}, "post-type-page": {"/open/", "/page/"}, "taxonomy-category": {"/category/plain-term/"},
			},
			Index: []string{"sitemap-post-type-post.xml", "sitemap-post-type-page.xml", "sitemap-taxonomy-category.xml"},
			Out: map[string]string{
				"/noindex/": "wp_postmeta.slim_seo", "/category/noindex-term/": "wp_termmeta.slim_seo", "/plain/file-1099/": "Slim SEO",
			},
		},
		sitemaptest.ServedCase{ // the posts page is a page, and noindexed as all of them are
			Statements: []string{
				sitemaptest.Activate("slim-seo/slim-seo.php"), sitemaptest.SetOption("slim_seo", `a:1:{s:4:"page";a:1:{s:7:"noindex";s:1:"1";}}`),
				sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_on_front", "1012"), sitemaptest.SetOption("page_for_posts", "1011"),
			},
			Files: map[string][]string{"post-type-post": {"/noindex/", "/odd/", "/plain/", "/sent/"}},
			Index: []string{"sitemap-post-type-post.xml", "sitemap-taxonomy-category.xml"},
			Out:   map[string]string{"/page/": "wp_options.slim_seo[page][noindex]"},
		},
	)
}

func TestAddresses(t *testing.T) {
	sitemaptest.AddressesOf(t, &slimseo.Plugin, []sitemaptest.Asked{
		{Base: "pretty", Address: "/sitemap-post-type-post-02.xml", Want: seo.Resource{Kind: seo.Sitemap, Name: "post-type-post", Page: 2}},
		{Base: "pretty", Address: "/?ss_sitemap=taxonomy-post_tag", Want: seo.Resource{Kind: seo.Sitemap, Name: "taxonomy-post_tag", Page: 1, ByQuery: true}},
		{Base: "pretty", Address: "/sitemap-users.xml", Want: seo.Resource{}},
	}...)
}
