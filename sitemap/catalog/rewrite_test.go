package catalog_test

import (
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest/expect"
)

// The first rule that matches a path counts, also if the path has to be decoded first. Variables of the request win, if a rule sets
// them at all.
func TestRewrites(t *testing.T) {
	rules := catalog.Rewrites{
		catalog.Rule(`^([^/]+?)-sitemap([0-9]+)?\.xml$`, "sitemap=$1&n=$2"), catalog.Rule(`^any-sitemap\.xml$`, "sitemap=never"),
	}
	for _, tt := range []struct {
		uri, path string
		want      map[string]string
		byQuery   bool
	}{
		{"/post-sitemap2.xml", "post-sitemap2.xml", map[string]string{"sitemap": "post", "n": "2"}, false},
		{"/any-sitemap.xml", "any-sitemap.xml", map[string]string{"sitemap": "any", "n": ""}, false},
		{"/post%2Dsitemap.xml", "post%2Dsitemap.xml", map[string]string{"sitemap": "post", "n": ""}, false},
		{"/post-sitemap2.xml?sitemap=&x=1", "post-sitemap2.xml", map[string]string{"sitemap": "", "n": "2"}, false},
		{"/?n=3", "", map[string]string{"n": "3"}, true},
		{"/about/", "about", map[string]string{}, true},
	} {
		got, byQuery := rules.Vars(&seo.Request{URI: tt.uri, Rest: tt.path, Pretty: true}, tt.path)
		expect.Same(t, tt.want, got, tt.uri)
		expect.Equal(t, byQuery, tt.byQuery, tt.uri)
	}
	expect.Equal(t, rules.Link("post-sitemap2.xml"), "?sitemap=post&n=2")
}

// Yoast SEO and Rank Math send the addresses of core's sitemaps to their own. They count pages from the page before.
func TestFromCore(t *testing.T) {
	for _, tt := range []struct {
		r    seo.Request
		core string
		all  string // with the other addresses that they redirect
	}{
		{seo.Request{URI: "/wp-sitemap.xml"}, "/sitemap_index.xml", "/sitemap_index.xml"},
		{seo.Request{URI: "/wp-sitemap-posts-post-1.xml"}, "/post-sitemap.xml", "/post-sitemap.xml"},
		{seo.Request{URI: "/wp-sitemap-posts-post-2.xml"}, "/post-sitemap1.xml", "/post-sitemap1.xml"},
		{seo.Request{URI: "/wp-sitemap-taxonomies-post_tag-11.xml"}, "/post_tag-sitemap10.xml", "/post_tag-sitemap10.xml"},
		{seo.Request{URI: "/wp-sitemap-users-1.xml"}, "/author-sitemap.xml", "/author-sitemap.xml"},
		{seo.Request{URI: "/wp-sitemap-users-3.xml"}, "/author-sitemap2.xml", "/author-sitemap2.xml"},
		{seo.Request{URI: "/wp-sitemap-posts-post-0.xml"}, "/post-sitemap-1.xml", "/post-sitemap-1.xml"},
		{seo.Request{URI: "/wp-sitemap.xml?a=b"}, "", ""},
		{seo.Request{URI: "/wp-sitemap-posts-post.xml"}, "", ""},
		{seo.Request{URI: "/wp-sitemap-users.xml"}, "", ""},
		{seo.Request{URI: "/blog/wp-sitemap.xml", Path: "blog"}, "", ""},
		{seo.Request{URI: "/wp-sitemap.xml", Path: "blog"}, "", ""},
		{seo.Request{URI: "/sitemap.xml"}, "", "/sitemap_index.xml"},
		{seo.Request{URI: "/blog/sitemap.xml", Path: "blog"}, "", "/sitemap_index.xml"},
		{seo.Request{URI: "/sitemap.xml", Path: "blog"}, "", ""},
		{seo.Request{URI: "/sitemap.xml?a=b"}, "", ""},
		{seo.Request{URI: "/sitemap.xml", Plain: true}, "", ""},
		{seo.Request{URI: "/about/"}, "", ""},
	} {
		expect.Equal(t, catalog.FromCore(&tt.r), tt.core, tt.r.URI, "with home at", tt.r.Path)
		want := seo.Resource{}
		if tt.all != "" {
			want = seo.Resource{Kind: seo.Redirect, Location: tt.all}
		}
		expect.Equal(t, catalog.Alias(&tt.r), want, tt.r.URI, "with home at", tt.r.Path)
	}
}

// Digits select a page as PHP converts them.
func TestPageOf(t *testing.T) {
	for number, want := range map[string]int{"": 1, "0": 1, "1": 1, "2": 2, "007": 7, "10": 10} {
		expect.Equal(t, catalog.PageOf(number), want, number)
	}
}

// The path of a request counts only if WordPress sees it. Names of files follow the type.
func TestFileNames(t *testing.T) {
	rules := catalog.IndexRules("xsl")
	vars, byQuery := rules.Vars(&seo.Request{URI: "/wp-content/post-sitemap.xml?sitemap=post", Rest: "wp-content/post-sitemap.xml"},
		"post-sitemap.xml")
	expect.Equal(t, len(vars), 0, "a file of the server")
	expect.Equal(t, byQuery, true)
	expect.Equal(t, rules.Has("xsl"), true)
	expect.Equal(t, rules.Has("map"), false, "the end of a name")
	expect.Equal(t, rules.Link("main-sitemap.xsl"), "?xsl=main")
	expect.Equal(t, rules.Link("robots.txt"), "robots.txt", "no rule")
	expect.Equal(t, catalog.PageFile("post", 1)+" "+catalog.PageFile("post", 2)+" "+catalog.NumberedFile("post", 1),
		"post-sitemap.xml post-sitemap2.xml post-sitemap1.xml")
	names := catalog.TypeNames{Posts: "p-", Taxonomies: "t-"}
	expect.Equal(t, names.Name(seo.KindPost, "x")+" "+names.Name(seo.KindTerm, "x")+" "+names.Name(seo.KindUser, ""), "p-x t-x author")
	names.Users = "users"
	expect.Equal(t, names.Name(seo.KindUser, ""), "users")
}
