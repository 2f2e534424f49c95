package view

import (
	"errors"
	"fmt"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// How values of a file are written for people.
func TestTexts(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 images", 1: "1 image", 2: "2 images", 999: "999 images", 1000: "1,000 images",
		1234567: "1,234,567 images"} {
		expect.Equal(t, count(n, "image", "images"), want)
	}
	expect.Equal(t, count(12345, "", ""), "12,345")
	expect.Equal(t, count(1, "", ""), "1")
	for seconds, want := range map[string]string{
		"0": "0:00", "59": "0:59", "60": "1:00", "3599": "59:59", "3600": "1:00:00", "3661": "1:01:01", "-1": "-1", "1.5": "1.5", "": "",
	} {
		expect.Equal(t, duration(seconds), want, seconds)
	}
	for date, want := range map[string]string{
		"2024-01-02T03:04:05+02:00": "2024-01-02 01:04:05", "2024-01-02": "2024-01-02", "soon": "soon",
	} {
		expect.Equal(t, utc(date), want)
	}
	for code, want := range map[string]string{
		"nl": "nl", "zh-Hant-TW": "zh-Hant-TW", "x-default": "", "X-Default": "", "n": "", "nl-": "", "nl_NL": "", `nl" x="`: "",
	} {
		expect.Equal(t, language(code), want, code)
	}
	for loc, want := range map[string]bool{"https://a.test/": true, "HTTP://a.test/": true, "javascript:alert(1)": false, "ftp://a.test/": false,
		"//a.test/": false} {
		expect.Equal(t, isLink(loc), want, loc)
	}
}

// The name of the site, the name of the file, and the addresses of the parts of a view.
func TestNames(t *testing.T) {
	t.Parallel()
	d := data{Frame: Frame{Home: "https://a.test/blog", XML: "https://a.test/blog/?sitemap=post", HTML: "https://a.test/blog/post.html", Part: 2},
		Parts: 3, First: 2000,
		document: &document{Rows: []row{{Loc: "https://a.test/1.xml"}, {Loc: "https://a.test/2.xml"}}}}
	d.Entries = map[string]int{"https://a.test/1.xml": 3, "https://a.test/2.xml": 4, "https://a.test/3.xml": 5}
	expect.Equal(t, d.Site(), "a.test/blog")
	expect.Equal(t, d.File(), "blog")
	expect.List(t, []string{d.PartURL(-2), d.PartURL(-1), d.PartURL(0), d.PartURL(1), d.PartURL(2)},
		[]string{"", "https://a.test/blog/post.html", "https://a.test/blog/post.html?part=2", "https://a.test/blog/post.html?part=3", ""})
	expect.Equal(t, d.Last(), 2002)
	expect.Equal(t, d.Row(0), 2001)
	expect.Equal(t, d.Addresses(), 7)
	d.XML = "https://a.test/post-sitemap2.xml"
	expect.Equal(t, d.File(), "post-sitemap2.xml")
	expect.Same(t, map[string]string{"loc": "https://a.test/blog/x/", "own": "https://a.test/blog", "rest": "/x/"},
		d.Address("https://a.test/blog/x/"))
	for _, loc := range []string{"https://a.test/blogs/", "https://b.test/", "https://a.test/blog"} {
		expect.Same(t, map[string]string{"loc": loc, "rest": loc}, d.Address(loc))
	}
}

// The figures are those of the whole file, the rows those of a part.
func TestRead(t *testing.T) {
	t.Parallel()
	const namespaces = `xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" ` +
		`xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"`
	url := func(n int, more string) string {
		return fmt.Sprintf("<url><loc>https://a.test/%d/</loc>%s</url>", n, more)
	}
	for _, tt := range []struct {
		rule, entries string
		want          document // without rows
	}{
		{"nothing but addresses", url(1, "") + url(2, ""), document{Total: 2}},
		{"images", url(1, "<image:image/><image:image/>") + url(2, "<image:image/>"), document{Total: 2, Images: 3}},
		{"videos in the last", url(1, "") + url(2, "<video:video/>"), document{Total: 2, Videos: 1}},
		{"news in the first", url(1, "<news:news/>") + url(2, ""), document{Total: 2, News: true}},
		{"alternates in the first", url(1, "<xhtml:link/>") + url(2, ""), document{Total: 2, Alternates: true}},
		{"the newest date in another zone", url(1, "<lastmod>2024-01-02T00:30:00+02:00</lastmod>") +
			url(2, "<lastmod>2024-01-01T23:00:00+00:00</lastmod>"),
			document{Total: 2, Dated: true, Newest: "2024-01-01T23:00:00+00:00"}},
		{"a date that is none", url(1, "<lastmod>soon</lastmod>"), document{Total: 1, Dated: true}},
	} {
		got, err := read(t.Context(), []byte("<urlset "+namespaces+">"+tt.entries+"</urlset>"), 1, 2)
		wptest.Must(t, err)
		var rows []string
		for _, r := range got.Rows {
			rows = append(rows, r.Loc)
		}
		expect.List(t, rows, []string{"https://a.test/2/"}[:min(1, tt.want.Total-1)], tt.rule)
		got.Rows = nil
		expect.Equal(t, fmt.Sprintf("%+v", *got), fmt.Sprintf("%+v", tt.want), tt.rule)
	}
	index, err := read(t.Context(), []byte("<sitemapindex><sitemap><loc>x</loc></sitemap></sitemapindex>"), 0, 10)
	wptest.Must(t, err)
	expect.Equal(t, index.IsIndex, true)
	expect.Equal(t, index.Total, 1)
	for _, text := range []string{"", "<html></html>", "<urlset>", "text", "<urlset><url></urlset>"} {
		if _, err := read(t.Context(), []byte(text), 0, 1); !errors.Is(err, errNoSitemap) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
