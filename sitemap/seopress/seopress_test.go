package seopress

import (
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/release"
)

// A time that a clock shows twice is the second one where standard time is that of Greenwich or ahead of it; one that it
// never shows is later.
func TestInstant(t *testing.T) {
	for _, tt := range []struct{ zone, local, want string }{
		{"Europe/Berlin", "2024-07-01 12:00:00", "2024-07-01T12:00:00+02:00"},
		{"Europe/Berlin", "2024-10-27 02:30:00", "2024-10-27T02:30:00+01:00"},
		{"Europe/London", "2024-10-27 01:30:00", "2024-10-27T01:30:00+00:00"},
		{"America/St_Johns", "2024-11-03 01:30:00", "2024-11-03T01:30:00-02:30"},
		{"Europe/Berlin", "2024-03-31 02:30:00", "2024-03-31T03:30:00+02:00"},
		{"America/New_York", "2024-03-10 02:30:00", "2024-03-10T03:30:00-04:00"},
		{"Asia/Tokyo", "2024-10-27 02:30:00", "2024-10-27T02:30:00+09:00"},
	} {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := time.Unix(instant(wp.ParseDate(tt.local), zone), 0).In(zone).Format("2006-01-02T15:04:05-07:00"); got != tt.want {
			t.Errorf("%s in %s: %s, want %s", tt.local, tt.zone, got, tt.want)
		}
	}
	if got := instant(wp.NoTime, time.UTC); got != wp.NoTime {
		t.Errorf("no time is %d", got)
	}
}

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
		if got := (scheme{}).Parse(seo.Request{URI: tt.uri, Rest: tt.rest, Pretty: !tt.plain, Plain: tt.plain}); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.uri, got, tt.want)
		}
	}
}

// Since 7.9 the indexes of others lead to this one from every folder.
func TestIndexesOfOthersInFolders(t *testing.T) {
	for uri, want := range map[string]map[release.Version]bool{
		"/sitemap.xml": {"7.8": true, "7.9": true}, "/sitemap.xml/": {"7.8": true, "": true}, "/some/sitemap.xml": {"7.8": false, "7.9": true, "": true},
	} {
		for version, leads := range want {
			to := (scheme{}).Parse(seo.Request{URI: uri, Rest: strings.Trim(uri, "/"), Pretty: true, Version: version})
			if got := to.Kind == seo.Redirect; got != leads {
				t.Errorf("SEOPress %s leads from %s to its index: %t", version, uri, got)
			}
		}
	}
}

// Whatever file is named is recognised as that.
func TestFilesAreParsed(t *testing.T) {
	for _, name := range []string{seo.IndexName, "author", "post", "pa_colour", "news"} {
		file := scheme{}.File(name, 1, 3)
		if got := (scheme{}).Parse(seo.Request{URI: "/" + file, Rest: file, Pretty: true}); got.Name != name || got.Page != 1 {
			t.Errorf("%s: %+v", file, got)
		}
	}
}
