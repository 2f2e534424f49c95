package wpcore

import (
	"strings"
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest/expect"
)

// A page holds 2,000 posts and home.
func TestPages(t *testing.T) {
	home := []catalog.FirstLink{{Loc: "H", LastMod: wp.NoTime}}
	for _, tt := range []struct {
		first         []catalog.FirstLink
		entries, want int
	}{{nil, 2000, 1}, {nil, 2001, 2}, {nil, 0, 0}, {home, 0, 1}, {home, 2000, 1}} {
		l := &catalog.List{First: tt.first, Places: make(catalog.Places, tt.entries), Size: PluginLevel{}.PageSize(nil, 0)}
		expect.Equal(t, pages(l), tt.want, len(tt.first), "first links", tt.entries, "entries", "pages")
	}
}

// The addresses of WordPress' own sitemaps, by WP_Sitemaps::register_rewrites() and redirect_canonical().
func TestParse(t *testing.T) {
	index := seo.Resource{Kind: seo.Sitemap, Name: seo.IndexName, Page: 1}
	page := func(name string, n int) seo.Resource { return seo.Resource{Kind: seo.Sitemap, Name: name, Page: n} }
	to := func(name, location string) seo.Resource {
		return seo.Resource{Kind: seo.Redirect, Name: name, Location: location}
	}
	toIndex := to(seo.IndexName, "/wp-sitemap.xml")
	xsl := seo.Resource{Kind: seo.Stylesheet}
	upstream := seo.Resource{}

	pretty, folder, plain := seo.Request{Pretty: true}, seo.Request{Pretty: true, Path: "blog"}, seo.Request{Plain: true}
	alone, aloneFolder := seo.Request{Pretty: true, Alone: true}, seo.Request{Pretty: true, Path: "blog", Alone: true}
	for _, tt := range []struct {
		rule string
		r    seo.Request
		uri  string
		want seo.Resource
	}{
		{"the index", pretty, "/wp-sitemap.xml", index},
		{"the index with a query string", pretty, "/wp-sitemap.xml?x=1", index},
		{"a slash at the end redirects", pretty, "/wp-sitemap.xml/", toIndex},
		{"and keeps the query string", pretty, "/wp-sitemap.xml/?x=1&y", to(seo.IndexName, "/wp-sitemap.xml?x=1&y")},
		{"upper case is another address", pretty, "/WP-SITEMAP.XML", upstream},
		{"anchored at the end", pretty, "/wp-sitemap.xml.gz", upstream},
		{"below index.php redirects", pretty, "/index.php/wp-sitemap.xml", toIndex},
		{"encoded redirects", pretty, "/wp%2Dsitemap.xml", toIndex},

		{"a post type", pretty, "/wp-sitemap-posts-post-1.xml", page("posts-post", 1)},
		{"a page of it", pretty, "/wp-sitemap-posts-post-12.xml", page("posts-post", 12)},
		{"a post type with a hyphen and digits", pretty, "/wp-sitemap-posts-my-type-2-3.xml", page("posts-my-type-2", 3)},
		{"a taxonomy", pretty, "/wp-sitemap-taxonomies-post_tag-1.xml", page("taxonomies-post_tag", 1)},
		{"users", pretty, "/wp-sitemap-users-1.xml", page("users", 1)},
		{"page 0 redirects", pretty, "/wp-sitemap-users-0.xml", to("users", "/wp-sitemap-users-1.xml")},
		{"leading zeros redirect", pretty, "/wp-sitemap-posts-post-02.xml", to("posts-post", "/wp-sitemap-posts-post-2.xml")},
		{"a page has a number", pretty, "/wp-sitemap-users.xml", upstream},
		{"a post type has a name", pretty, "/wp-sitemap-posts-1.xml", upstream},
		{"users have no types", pretty, "/wp-sitemap-users-x-1.xml", upstream},
		{"nobody's provider", pretty, "/wp-sitemap-comments-x-1.xml", upstream},
		{"a folder before", pretty, "/some/wp-sitemap.xml", upstream},

		{"the stylesheet", pretty, "/wp-sitemap.xsl", xsl},
		{"the stylesheet of the index", pretty, "/wp-sitemap-index.xsl", xsl},
		{"the stylesheet as a query variable", pretty, "/?sitemap-stylesheet=index", xsl},
		{"no such stylesheet", pretty, "/?sitemap-stylesheet=news", upstream},
		{"query variables redirect: the index", pretty, "/?sitemap=index", toIndex},
		{"query variables redirect: a page", pretty, "/?x=1&sitemap=posts&sitemap-subtype=post&paged=2", to("posts-post",
			"/wp-sitemap-posts-post-2.xml?x=1")},
		{"query variables redirect: without a number", pretty, "/?sitemap=users", to("users", "/wp-sitemap-users-1.xml")},
		{"query variables beat the path", pretty, "/wp-sitemap-users-1.xml?paged=2", to("users", "/wp-sitemap-users-2.xml")},
		{"Yoast's variables are not theirs", pretty, "/?sitemap=1", upstream},
		{"nor are Yoast's addresses", pretty, "/sitemap_index.xml", upstream},
		{"nor its stylesheet", pretty, "/main-sitemap.xsl", upstream},
		{"not at a file", pretty, "/wp-content/x.xml?sitemap=index", upstream},

		{"sitemap.xml is the upstream's", pretty, "/sitemap.xml", upstream},
		{"without an upstream it redirects", alone, "/sitemap.xml?x=1", to(seo.IndexName, "/wp-sitemap.xml?x=1")},
		{"with a slash too", alone, "/sitemap.xml/", toIndex},
		{"but not below a folder", aloneFolder, "/blog/sitemap.xml", upstream},

		{"home in a folder", folder, "/blog/wp-sitemap.xml", index},
		{"home in a folder, in another letter case", folder, "/Blog/wp-sitemap.xml", toIndex},
		{"home in a folder: its pages", folder, "/blog/wp-sitemap-users-2.xml", page("users", 2)},
		{"news", pretty, "/news-sitemap.xml", page("news", 1)},
		{"further news", pretty, "/news-sitemap2.xml?x=1", page("news", 2)},
		{"videos", folder, "/blog/video-sitemap.xml", page("video", 1)},
		{"news where a type is called so", pretty, "/google-news-sitemap.xml", page("google-news", 1)},
		{"news by another address redirect", pretty, "/index.php/news-sitemap1.xml", to("news", "/news-sitemap.xml")},
		{"news by the query variable redirect", pretty, "/?sitemap=news&paged=2", to("news", "/news-sitemap2.xml")},
		{"news have no types", pretty, "/?sitemap=news&sitemap-subtype=post", upstream},
		{"what only ends like news", pretty, "/good-news-sitemap.xml", upstream},
		{"without permalinks: videos", plain, "/?sitemap=video&paged=1", page("video", 1)},
		{"without permalinks: no path of videos", plain, "/video-sitemap.xml", upstream},

		{"without permalinks: the index", plain, "/?sitemap=index", index},
		{"without permalinks: a page", plain, "/?sitemap=taxonomies&sitemap-subtype=post_tag&paged=2", page("taxonomies-post_tag", 2)},
		{"without permalinks: users", plain, "/index.php?sitemap=users&paged=3", page("users", 3)},
		{"without permalinks: page 0 is page 1", plain, "/?sitemap=users&paged=0", page("users", 1)},
		{"without permalinks: a negative page", plain, "/?sitemap=users&paged=-2", page("users", 2)},
		{"without permalinks: the stylesheet", plain, "/?sitemap-stylesheet=sitemap", xsl},
		{"without permalinks: no paths", plain, "/wp-sitemap.xml", upstream},
	} {
		path, _, _ := strings.Cut(tt.uri, "?")
		tt.r.URI, tt.r.Rest = tt.uri, strings.Trim(strings.Trim(path, "/")[len(tt.r.Path):], "/")
		expect.Equal(t, Plugin.URLs.Parse(tt.r), tt.want, tt.rule, tt.uri)
	}
}

// Without permalinks the address of a taxonomy is a query with any name. With permalinks, no rewrite rule accepts some names.
func TestAddressOfAnyTaxonomy(t *testing.T) {
	plain := seo.Base{Home: "https://example.test"}
	for name, want := range map[string]string{
		"taxonomies-post_tag": "https://example.test/?sitemap=taxonomies&sitemap-subtype=post_tag&paged=2",
		"taxonomies-цвет-3":   "https://example.test/?sitemap=taxonomies&sitemap-subtype=цвет-3&paged=2",
	} {
		expect.Equal(t, Plugin.URLs.URL(plain, Plugin.URLs.File(name, 2, 2)), want, name)
	}
	upper := seo.Request{URI: "/wp-sitemap-taxonomies-Era-1.xml", Rest: "wp-sitemap-taxonomies-Era-1.xml", Pretty: true}
	expect.Equal(t, Plugin.URLs.Parse(upper), seo.Resource{})
}
