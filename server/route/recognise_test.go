package route

import (
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest/expect"
)

func TestMayBeOurs(t *testing.T) {
	xmlAlone := site.New(config.Site{}, nil)
	for uri, want := range map[string]bool{
		"/sitemap_index.xml": true, "/post-sitemap3.xml": true, "/any/folder/post-sitemap.xml/": true, "/?sitemap=1": true,
		"/a/?x=1&sitemap=post": true, "/sitemap.xml": true, "/blog/sitemap.xml": true, "/wp-sitemap.xml": true, "/main-sitemap.xsl": true,
		"/wpsitemapd.css": true, "/?yoast-sitemap-xsl=main": true, "/sitemaps.xml": true, "/author.xml": true, "/sitemap.txt/": true,
		"/": false, "/about/": false, "/?s=sitemap": false, "/?sitemap=": false, "/robots.txt": false, "/sitemap/": false, "/post-sitemap.xml.gz": false,
	} {
		expect.Equal(t, MayBeOurs(xmlAlone, uri), want, "MayBeOurs", uri)
	}
}

func TestHTMLThatMayBeOurs(t *testing.T) {
	for uri, want := range map[string]bool{"/post-sitemap.html": true, "/blog/wp-sitemap.html": true, "/sitemap.html": false, "/about.html": false} {
		for _, on := range []bool{true, false} {
			expect.Equal(t, MayBeOurs(site.New(config.Site{HTML: on}, nil), uri), want && on, uri, "html =", on)
		}
	}
}

// While the database has not been read, only what is switched on may be ours.
func TestFormatsThatMayBeOurs(t *testing.T) {
	mayBeOurs := func(f config.Formats, uri string) bool { return MayBeOurs(site.New(config.Site{Formats: f}, nil), uri) }
	all := config.Formats{Gzip: true, Text: true, Atom: true}
	for uri, f := range map[string]config.Formats{
		"/post-sitemap.xml.gz": {Gzip: true}, "/a/sitemap_index.xml.gz?x": {Gzip: true}, "/a-sitemap2.xml.gz": {Gzip: true},
		"/sitemap.txt": {Text: true}, "/blog/sitemap3.txt": {Text: true}, "/sitemap.atom?x=1": {Atom: true},
	} {
		others := config.Formats{Gzip: !f.Gzip, Text: !f.Text, Atom: !f.Atom}
		if !mayBeOurs(f, uri) || !mayBeOurs(all, uri) || mayBeOurs(others, uri) {
			t.Errorf("%s is not %+v alone", uri, f)
		}
	}
	for _, uri := range []string{
		"/", "/sitemap.xml.gz", "/backup.gz", "/sitemap1.txt", "/robots.txt", "/feed.atom", "/?x=/sitemap.txt",
	} {
		if mayBeOurs(all, uri) {
			t.Errorf("%s is no format of ours", uri)
		}
	}
}

func TestCoreAddressesMayBeOurs(t *testing.T) {
	for _, uri := range []string{
		"/wp-sitemap.xml", "/blog/wp-sitemap-posts-post-1.xml", "/wp-sitemap-users-1.xml/", "/wp-sitemap-index.xsl", "/?sitemap=index",
		"/wp-sitemap-users-1.xml.gz",
	} {
		if !MayBeOurs(nil, uri) {
			t.Errorf("%s may be a sitemap's while home is not known", uri)
		}
	}
}
