package seopress

import (
	"strings"
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/release"
	"wpsitemapd/wp/wptest/expect"
)

func TestParse(t *testing.T) {
	sitemap := func(name string, page int, byQuery bool) seo.Resource {
		return seo.Resource{Kind: seo.Sitemap, Name: name, Page: page, ByQuery: byQuery}
	}
	home := seo.Resource{Kind: seo.Redirect, Location: "/sitemaps.xml"}
	for _, tt := range []struct {
		uri, rest string
		plain     bool
		want      seo.Resource
	}{
		{"/sitemaps.xml", "sitemaps.xml", false, sitemap(seo.IndexName, 1, false)},
		{"/sitemaps.xml?x=2", "sitemaps.xml", false, sitemap(seo.IndexName, 1, false)},
		{"/post-sitemap.xml", "post-sitemap.xml", false, sitemap("post", 1, false)},
		{"/post-sitemap02.xml", "post-sitemap02.xml", false, sitemap("post", 2, false)},
		{"/top10-sitemap.xml", "top10-sitemap.xml", false, sitemap("top10", 10, false)},
		{"/author.xml", "author.xml", false, sitemap("author", 1, false)},
		{"/author-sitemap1.xml", "author-sitemap1.xml", false, seo.Resource{}},
		{"/1-sitemap.xml", "1-sitemap.xml", false, seo.Resource{}},
		{"/some/post-sitemap.xml", "some/post-sitemap.xml", false, seo.Resource{}},
		{"/some/sitemap.xml", "some/sitemap.xml", false, home},
		{"/sitemap.xml?x", "sitemap.xml", false, seo.Resource{}},
		{"/wp-sitemap-users-1.xml", "wp-sitemap-users-1.xml", false, seo.Resource{}},
		{"/?seopress_cpt=post&seopress_paged=2", "", false, sitemap("post", 1, true)},
		{"/?seopress_author=1", "", true, sitemap("author", 1, true)},
		{"/post-sitemap1.xml", "post-sitemap1.xml", true, seo.Resource{}},
		{"/post-sitemap1.xml/", "post-sitemap1.xml", true, sitemap("post", 1, false)},
		{"/wp-sitemap.xml", "wp-sitemap.xml", true, home},
		{"/sitemaps_xsl.xsl", "sitemaps_xsl.xsl", false, seo.Resource{Kind: seo.Stylesheet, Name: "main"}},
	} {
		expect.Equal(t, (scheme{}).Parse(seo.Request{URI: tt.uri, Rest: tt.rest, Pretty: !tt.plain, Plain: tt.plain}), tt.want, tt.uri)
	}
}

// Since 7.9 the index files of other plugins lead to this index from every folder.
func TestIndexesOfOthersInFolders(t *testing.T) {
	for uri, want := range map[string]map[release.Version]bool{
		"/sitemap.xml": {"7.8": true, "7.9": true}, "/sitemap.xml/": {"7.8": true, "": true},
		"/some/sitemap.xml": {"7.8": false, "7.9": true, "": true},
	} {
		for version, leads := range want {
			to := (scheme{}).Parse(seo.Request{URI: uri, Rest: strings.Trim(uri, "/"), Pretty: true, Version: version})
			expect.Equal(t, to.Kind == seo.Redirect, leads, "SEOPress", version, "leads from", uri, "to its index")
		}
	}
}

// Every file name that the scheme returns is recognised again.
func TestFilesAreParsed(t *testing.T) {
	for _, name := range []string{seo.IndexName, "author", "post", "pa_colour", "news"} {
		file := scheme{}.File(name, 1, 3)
		if got := (scheme{}).Parse(seo.Request{URI: "/" + file, Rest: file, Pretty: true}); got.Name != name || got.Page != 1 {
			t.Errorf("%s: %+v", file, got)
		}
	}
}

// The pages of authors are numbered without a word, and the stylesheet is in the folder of home.
func TestFiles(t *testing.T) {
	for _, tt := range []struct {
		name string
		page int
		want string
	}{
		{seo.IndexName, 1, "sitemaps.xml"}, {"author", 1, "author.xml"}, {"author", 2, "author2.xml"}, {"post", 1, "post-sitemap1.xml"},
		{"post", 12, "post-sitemap12.xml"},
	} {
		expect.Equal(t, (scheme{}).File(tt.name, tt.page, 20), tt.want)
	}
	base := seo.Base{Home: "https://a.test/blog", Front: "https://a.test/blog/index.php/"}
	expect.Equal(t, (scheme{}).URL(base, "x.xml")+" "+(scheme{}).XSL(base, 0), "https://a.test/blog/x.xml /blog/sitemaps_xsl.xsl")
	got := (scheme{}).Parse(seo.Request{URI: "/wp-content/sitemaps.xml?seopress_sitemap=1", Rest: "wp-content/sitemaps.xml", Pretty: true})
	expect.Equal(t, got, seo.Resource{}, "a file of the server")
}

// The address of an image ends with its path, and without a path stays as it is.
func TestPrintedImage(t *testing.T) {
	for src, want := range map[string]string{
		"b.jpg": "https://a.test/b.jpg", "https://b.test/c.jpg?x=1#y": "https://b.test/c.jpg", "https://b.test?x=1": "https://b.test?x=1",
		"https://b.test/%C3%A9<i>.jpg": "https://b.test/é.jpg", "data:image/png;base64,AA": "", "": "",
	} {
		expect.Equal(t, printedImage("https://a.test", src), want, src)
	}
}
