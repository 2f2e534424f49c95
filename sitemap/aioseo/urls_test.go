package aioseo

import (
	"strings"
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest/expect"
)

// If the files have another name, every address of the scheme has it and is recognised. Names that the plugin finds by the word
// sitemap do not change.
func TestOtherFilename(t *testing.T) {
	t.Parallel()
	sitemap := func(name string, page int) seo.Resource {
		return seo.Resource{Kind: seo.Sitemap, Name: name, Page: page}
	}
	redirect := func(to string) seo.Resource {
		return seo.Resource{Kind: seo.Redirect, Name: seo.IndexName, Location: to, Found: true}
	}
	for index, addresses := range map[string]map[string]seo.Resource{
		"map.xml": {
			"/map.xml": sitemap(seo.IndexName, 1), "/MAP.XML": sitemap(seo.IndexName, 1), "/post-map.xml": sitemap("post", 1),
			"/a-map-b-map12.xml": sitemap("a-map-b", 12), "/post-map1.xml": sitemap("post", 1), "/post-map2.xml.gz": sitemap("post", 2),
			"/sitemap.xml": {}, "/post-sitemap.xml": {}, "/map2.xml": {}, "/-map.xml": {}, "/xmap.xml": {}, "/1-map.xml": {},
			"/sitemap.txt-map.xml": {}, "/sitemap_index.xml": redirect("/map.xml"), "/sitemap3.xml": redirect("/map.xml"),
			"/post-sitemap.xml/": redirect("/post-sitemap.xml"), "/sitemap.rss": sitemap(catalog.RSSName, 1),
		},
		"my-sitemap.xml": {"/post-my-sitemap1.xml": redirect("/post-my-sitemap.xml"), "/my-sitemap.xml": sitemap(seo.IndexName, 1)},
		"sitemap2.xml": {
			"/sitemap2.xml": sitemap(seo.IndexName, 1), "/post-sitemap2.xml": sitemap("post", 1), "/post-sitemap23.xml": sitemap("post", 3),
			"/sitemap4.xml": redirect("/sitemap2.xml"),
		},
		"sitemap_index.xml": {"/sitemap_index.xml": sitemap(seo.IndexName, 1), "/sitemaps.xml": redirect("/sitemap_index.xml")},
		// These cannot be file names, so the plugin's default counts.
		"a b.xml": {"/sitemap.xml": sitemap(seo.IndexName, 1)}, "a/b.xml": {"/sitemap.xml": sitemap(seo.IndexName, 1)},
		"..xml": {"/sitemap.xml": sitemap(seo.IndexName, 1)}, ".htaccess": {"/sitemap.xml": sitemap(seo.IndexName, 1)},
	} {
		urls := named(index)
		for address, want := range addresses {
			expect.Equal(t, urls.Parse(seo.Request{URI: address, Rest: strings.Trim(address, "/"), Pretty: true}), want, index, address)
		}
		for _, name := range []string{seo.IndexName, "post", extraName, "a-map"} {
			for page := 1; page <= 2; page++ {
				file := urls.File(name, page, 2)
				want := sitemap(name, page)
				if name == seo.IndexName {
					want.Page = 1
				}
				to := urls.Parse(seo.Request{URI: "/" + file, Rest: file, Pretty: true})
				if to != want && to.Location != "/"+urls.File(name, page, 1) { // page 1 of these lists is linked by its number
					t.Errorf("%s: %s is %+v, want %+v", index, file, to, want)
				}
			}
		}
	}
}

// If authors or additional pages have several pages, the first page is linked with its number.
func TestFirstPageWithItsNumber(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		page, pages int
		want        string
	}{
		{seo.IndexName, 1, 1, "sitemap.xml"}, {"post", 1, 2, "post-sitemap.xml"}, {"post", 2, 2, "post-sitemap2.xml"},
		{authorName, 1, 1, "author-sitemap.xml"}, {authorName, 1, 2, "author-sitemap1.xml"}, {extraName, 1, 2, extraName + "-sitemap1.xml"},
	} {
		expect.Equal(t, (scheme{}).File(tt.name, tt.page, tt.pages), tt.want, tt.name, "page", tt.page, tt.pages)
	}
}

func TestDecoded(t *testing.T) {
	t.Parallel()
	for loc, want := range map[string]string{"https://a.test/x/": "https://a.test/x/", "/caf%C3%A9/": "/caf\u00e9/", "/%2525/": "/%/",
		"/100%": "/100%"} {
		expect.Equal(t, decoded(loc), want, loc)
	}
}

// What the plugin does with other addresses depends on permalinks, on the path of home and on what answers behind the daemon.
func TestOtherAddresses(t *testing.T) {
	t.Parallel()
	const index = "/sitemap.xml"
	to := func(name, location string) seo.Resource {
		return seo.Resource{Kind: seo.Redirect, Name: name, Location: location, Found: true}
	}
	sitemap := func(name string, page int) seo.Resource {
		return seo.Resource{Kind: seo.Sitemap, Name: name, Page: page}
	}
	for _, tt := range []struct {
		r    seo.Request
		want seo.Resource
	}{
		{seo.Request{URI: "/?aiosp_sitemap_path=root", Pretty: true}, to(seo.IndexName, index)},
		{seo.Request{URI: "/?aiosp_sitemap_path=post", Pretty: true}, seo.Resource{}},
		{seo.Request{URI: "/blog/?aiosp_sitemap_path=root", Path: "blog", Pretty: true}, seo.Resource{}},
		{seo.Request{URI: "/wp-content/sitemap.xml", Rest: "wp-content/sitemap.xml", Pretty: true}, seo.Resource{}},
		{seo.Request{URI: "/post-sitemap.xml?x=1", Rest: "post-sitemap.xml", Pretty: true}, sitemap("post", 1)},
		{seo.Request{URI: "/post-sitemap.xml?x=1", Rest: "post-sitemap.xml"}, seo.Resource{}},
		{seo.Request{URI: "/POST-sitemap.xml", Rest: "POST-sitemap.xml"}, sitemap("post", 1)},
		{seo.Request{URI: "/POST-sitemap.xml", Rest: "POST-sitemap.xml", Pretty: true}, sitemap("POST", 1)},
		{seo.Request{URI: "/Sitemap.TXT", Rest: "Sitemap.TXT", Pretty: true},
			seo.Resource{Kind: seo.Sitemap, Name: catalog.TextName, Page: 1, Unowned: index, Found: true}},
		{seo.Request{URI: "/sitemap.latest.rss", Rest: "sitemap.latest.rss", Pretty: true}, sitemap(catalog.RSSName, 1)},
		{seo.Request{URI: "/sitemap.rss/", Rest: "sitemap.rss", Pretty: true}, to(seo.IndexName, "/sitemap.rss")},
		{seo.Request{URI: "/rss2.xml", Rest: "rss2.xml", Pretty: true}, to(catalog.RSSName, "/sitemap.rss")},
		{seo.Request{URI: "/default-sitemap.xsl", Rest: "default-sitemap.xsl", Pretty: true}, seo.Resource{Kind: seo.Stylesheet, Name: "default"}},
		{seo.Request{URI: "/post-sitemap.xml/", Rest: "post-sitemap.xml", Pretty: true}, to(seo.IndexName, "/post-sitemap.xml")},
		{seo.Request{URI: "/post-sitemap.xml/?x=1", Rest: "post-sitemap.xml", Pretty: true}, sitemap("post", 1)},
		{seo.Request{URI: "/post-sitemap1.xml", Rest: "post-sitemap1.xml", Pretty: true}, to(seo.IndexName, "/post-sitemap.xml")},
		{seo.Request{URI: "/post-sitemap1.xml?x=1", Rest: "post-sitemap1.xml", Pretty: true}, sitemap("post", 1)},
		{seo.Request{URI: "/post-sitemap2.xml.gz", Rest: "post-sitemap2.xml.gz", Pretty: true}, sitemap("post", 2)},
		{seo.Request{URI: "/post-sitemap2.xml.gz", Rest: "post-sitemap2.xml.gz", Pretty: true, Gzip: true}, seo.Resource{}},
		{seo.Request{URI: "/blog/post-sitemap1.xml", Rest: "post-sitemap1.xml", Path: "blog", Pretty: true}, seo.Resource{}},
		{seo.Request{URI: "/blog/post-sitemap1.xml", Rest: "post-sitemap1.xml", Path: "blog", Pretty: true, Alone: true},
			to(seo.IndexName, "/post-sitemap.xml")},
	} {
		expect.Equal(t, (scheme{}).Parse(tt.r), tt.want, tt.r)
	}
	base := seo.Base{Home: "https://small.test/blog", Front: "https://small.test/blog/index.php/"}
	expect.Equal(t, (scheme{}).XSL(base, 0), "/blog/default-sitemap.xsl")
	expect.Equal(t, (scheme{}).URL(base, "sitemap.xml"), "https://small.test/blog/sitemap.xml")
}
