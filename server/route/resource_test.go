package route

import (
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/sitemap/yoast"
	"wpsitemapd/wp"
	"wpsitemapd/wp/release"
	"wpsitemapd/wp/wptest/expect"
)

// The plugin decides what an address means, except for files of our own.
func TestResource(t *testing.T) {
	for _, tt := range []struct {
		rule, path, uri string
		want            Resource
	}{
		{"a sitemap", "", "/post-sitemap2.xml", Resource{Kind: Sitemap, Name: "post", Page: 2}},
		{"by the query", "", "/?sitemap=post", Resource{Kind: Sitemap, Name: "post", Page: 1, ByQuery: true}},
		{"a redirect", "blog", "/blog/post-sitemap1.xml", Resource{Kind: Redirect, Name: "post", Location: "/post-sitemap.xml"}},
		{
			"a redirect unless wp is a type", "", "/wp-sitemap.xml",
			Resource{Kind: Sitemap, Name: "wp", Page: 1, Unowned: "/sitemap_index.xml"},
		},
		{"a stylesheet of the plugin's", "", "/main-sitemap.xsl", Resource{Kind: XSL, Name: "main"}},
		{"our stylesheet", "", "/wpsitemapd.css", Resource{Kind: CSS}},
		{"our stylesheet with a version", "", "/wpsitemapd.css?v=1", Resource{Kind: CSS}},
		{"home in a folder: our stylesheet", "blog", "/blog/wpsitemapd.css", Resource{Kind: CSS}},
		{"robots.txt", "", "/robots.txt", Resource{Kind: Robots}},
		{"robots.txt with a query string", "", "/robots.txt?x", Resource{Kind: Robots}},
		{"home in a folder: robots.txt is none", "blog", "/blog/robots.txt", Resource{}},
		{"in another letter case", "blog", "/BLOG/sitemap_index.xml", Resource{Kind: Sitemap, Name: "1", Page: 1}},
		{"a page", "", "/about/", Resource{}},
	} {
		path, _, _ := strings.Cut(tt.uri, "?")
		rest, ok := cutHomePath(strings.Trim(path, "/"), tt.path)
		if got := (Scheme{URLs: yoast.Plugin.URLs, Path: tt.path}).Resource(tt.uri, rest); !ok || got != tt.want {
			t.Errorf("%s: %s is %+v, want %+v", tt.rule, tt.uri, got, tt.want)
		}
	}
	chosen := Scheme{URLs: wpcore.Plugin.URLs, Pretty: true, Path: "blog", Chosen: true}
	for uri, want := range map[string]Resource{
		"/blog/sitemap_index.xml": {Kind: Redirect, Name: "1", Location: "/wp-sitemap.xml"},
		"/blog/about.xml":         {},
		"/sitemap_index.xml":      {},
	} {
		rest, _ := cutHomePath(strings.Trim(uri, "/"), chosen.Path)
		expect.Equal(t, chosen.Resource(uri, rest), want, "the operator has chosen the plugin, so the index of another leads to its own:", uri)
	}
	core := Scheme{URLs: wpcore.Plugin.URLs, Plain: true}
	expect.Equal(t, core.Resource("/wpsitemapd.css", "wpsitemapd.css"), Resource{Kind: CSS}, "without permalinks")
}

// Level plugin uses the addresses of the installed version. Every other level uses those of the newest version.
func TestSchemeOfVersions(t *testing.T) {
	b := site.Unread(site.Blog{ID: 1, Home: "https://a.test", Plugin: &yoast.Plugin}, nil)
	b.Outline.Installed = []wp.Installed{{Name: yoast.Plugin.Name, Version: "7.8"}}
	for compat, want := range map[seo.Level]release.Version{seo.PluginLevel: "7.8", seo.SpecLevel: ""} {
		expect.Equal(t, SchemeOf(site.New(config.Site{Compat: string(compat)}, nil), b).Version, want, compat)
	}
}

func TestMayBeOurs(t *testing.T) {
	for uri, want := range map[string]bool{
		"/sitemap_index.xml": true, "/post-sitemap3.xml": true, "/any/folder/post-sitemap.xml/": true, "/?sitemap=1": true,
		"/a/?x=1&sitemap=post": true, "/sitemap.xml": true, "/blog/sitemap.xml": true, "/wp-sitemap.xml": true, "/main-sitemap.xsl": true,
		"/wpsitemapd.css": true, "/?yoast-sitemap-xsl=main": true, "/sitemaps.xml": true, "/author.xml": true, "/sitemap.txt/": true,
		"/": false, "/about/": false, "/?s=sitemap": false, "/?sitemap=": false, "/robots.txt": false, "/sitemap/": false,
		"/blog/wp-sitemap-posts-post-1.xml": true, "/wp-sitemap-users-1.xml/": true, "/wp-sitemap-index.xsl": true, "/?sitemap=index": true,
		"/wp-sitemap-users-1.xml.gz": true, "/post-sitemap.html": true, "/blog/wp-sitemap.html": true, "/sitemap.html": false, "/about.html": false,
		"/post-sitemap.xml.gz": true, "/a/sitemap_index.xml.gz?x": true, "/a-sitemap2.xml.gz": true, "/sitemap.txt": true,
		"/blog/sitemap3.txt": true, "/sitemap.atom?x=1": true, "/sitemap.rss": true,
		"/sitemap.xml.gz": false, "/backup.gz": false, "/sitemap1.txt": false, "/feed.atom": false, "/?x=/sitemap.txt": false,
	} {
		expect.Equal(t, MayBeOurs(uri), want, uri)
	}
}
