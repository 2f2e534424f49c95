package live

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

const (
	begin = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	end   = `</urlset>`
)

func date(t testing.TB, s string) Date {
	t.Helper()
	d, ok := ParseDate(s)
	if !ok {
		t.Fatalf("%q is no date", s)
	}
	return d
}

func TestParse(t *testing.T) {
	one := func(loc string) []Entry { return []Entry{{Loc: loc}} }
	for _, test := range []struct {
		rule, text string
		want       File
	}{
		{"a loc alone", begin + `<url><loc>https://a.test/</loc></url>` + end, File{Entries: one("https://a.test/")}},
		{"no entries are no error", begin + end, File{}},
		{"what belongs to no entry's fields is passed over", begin +
			`<url><loc>https://a.test/</loc><changefreq>weekly</changefreq><priority>0.7</priority><x:y xmlns:x="urn:x">` +
			`<x:loc>https://b.test/</x:loc></x:y></url>` +
			end, File{Entries: one("https://a.test/")}},
		{"CDATA, as All in One SEO writes it", begin +
			"<url>\n<loc><![CDATA[https://a.test/?a=1&b=2]]></loc><lastmod><![CDATA[2026-01-02T03:04:05+00:00]]></lastmod></url>" + end,
			File{Entries: []Entry{{Loc: "https://a.test/?a=1&b=2", LastMod: date(t, "2026-01-02T03:04:05Z")}}}},
		{"references", begin + `<url><loc>https://a.test/?a=1&amp;b=&#50;&#x33;</loc></url>` + end, File{Entries: one("https://a.test/?a=1&b=23")}},
		{"space around an address", begin + "<url><loc>\n\thttps://a.test/ \n</loc></url>" + end, File{Entries: one("https://a.test/")}},
		{"a byte order mark", "\xEF\xBB\xBF" + `<?xml version="1.0" encoding="UTF-8"?>` + begin + end, File{}},
		{"space before the declaration is noted", "\n\n" + `<?xml version="1.0" encoding="UTF-8"?>` + begin +
			end, File{Notes: []string{"there is space before the XML declaration, which strict readers refuse"}}},
		{
			"any prefix",
			`<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>https://a.test/</s:loc></s:url></s:urlset>`,
			File{Entries: one("https://a.test/")},
		},
		{
			"an older version of the namespace",
			`<urlset xmlns="http://www.google.com/schemas/sitemap/0.84"><url><loc>https://a.test/</loc></url></urlset>`,
			File{Entries: one("https://a.test/")},
		},
		{"no namespace", `<urlset><url><loc>https://a.test/</loc></url></urlset>`, File{Entries: one("https://a.test/")}},
		{"an index",
			`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>https://a.test/post-sitemap.xml</loc>` +
				`<lastmod>2026-01-02</lastmod></sitemap></sitemapindex>`,
			File{Index: true, Entries: []Entry{{Loc: "https://a.test/post-sitemap.xml", LastMod: date(t, "2026-01-02")}}}},
		{"entries of an index do not stand in a urlset", begin + `<sitemap><loc>https://a.test/x.xml</loc></sitemap>` + end, File{}},
		{"images with and without a title", begin +
			`<url xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><loc>https://a.test/</loc><image:image>` +
			`<image:loc>https://a.test/1.jpg</image:loc><image:title>One &amp; only</image:title></image:image><image:image>` +
			`<image:loc>https://a.test/2.jpg</image:loc><image:caption>Two</image:caption></image:image><image:image/></url>` +
			end,
			File{Entries: []Entry{{
				Loc:   "https://a.test/",
				Extra: &Extra{Images: []Image{{"https://a.test/1.jpg", "One & only", ""}, {"https://a.test/2.jpg", "", "Two"}}},
			}}}},
		{"an extension whose prefix nobody declared",
			begin + `<url><loc>https://a.test/</loc><image:image><image:loc>https://a.test/1.jpg</image:loc></image:image></url>` + end,
			File{Entries: []Entry{{Loc: "https://a.test/", Extra: &Extra{Images: []Image{{Loc: "https://a.test/1.jpg"}}}}}}},
		{"the loc of an image is none of the entry", begin +
			`<url xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><i:image><i:loc>https://a.test/1.jpg</i:loc></i:image></url>` +
			end, File{Notes: []string{"1 entries have no absolute URL"}}},
		{"news, in any order", begin +
			`<url xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><loc>https://a.test/</loc><news:news><news:title>` +
			`<![CDATA[A &#038; B]]></news:title><news:publication><news:name>N</news:name><news:language>en</news:language>` +
			`</news:publication></news:news></url>` +
			end,
			File{Entries: []Entry{{
				Loc:   "https://a.test/",
				Extra: &Extra{News: []string{"publication/language: en", "publication/name: N", "title: A &#038; B"}},
			}}}},
		{"videos with attributes", begin +
			`<url xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"><loc>https://a.test/</loc><video:video>` +
			`<video:title>T</video:title><video:uploader info="https://a.test/u">U</video:uploader></video:video><video:video>` +
			`<video:tag>a</video:tag><video:tag>b</video:tag></video:video></url>` +
			end,
			File{Entries: []Entry{{
				Loc:   "https://a.test/",
				Extra: &Extra{Videos: []string{"tag: a\ntag: b", "title: T\nuploader[info=https://a.test/u]: U"}},
			}}}},
		{"alternates, in any order", begin +
			`<url xmlns:xhtml="http://www.w3.org/1999/xhtml"><loc>https://a.test/</loc>` +
			`<xhtml:link rel="alternate" hreflang="fr" href="https://a.test/fr/"/>` +
			`<xhtml:link rel="alternate" hreflang="en" href="https://a.test/"/><xhtml:link rel="amphtml" href="https://a.test/amp/"/>` +
			`</url>` +
			end,
			File{Entries: []Entry{{Loc: "https://a.test/", Extra: &Extra{Alternates: []string{"en https://a.test/", "fr https://a.test/fr/"}}}}}},
		{"a relative address is left out and noted", begin +
			`<url><loc>/a/</loc></url><url><loc/></url><url/><url><loc>https://a.test/</loc></url>` +
			end, File{Entries: one("https://a.test/"), Notes: []string{"3 entries have no absolute URL"}}},
		{"what is no date is noted", begin + `<url><loc>https://a.test/</loc><lastmod>yesterday</lastmod></url>` +
			end, File{Entries: one("https://a.test/"), Notes: []string{"1 values of lastmod are not dates"}}},
		{"a comment behind the root", begin + end + "\n<!-- XML Sitemap generated by Yoast SEO -->\n", File{Generator: "Yoast SEO"}},
		{"Rank Math's comment", begin + end + "<!-- XML Sitemap generated by Rank Math SEO Plugin -->", File{Generator: "Rank Math"}},
		{"All in One SEO's comment", "<!-- This sitemap was dynamically generated on May 1 by All in One SEO v4 -->" + begin + end,
			File{Generator: "All in One SEO"}},
		{"SEOPress' stylesheet", `<?xml-stylesheet type="text/xsl" href="//a.test/sitemaps_xsl.xsl"?>` + begin + end, File{Generator: "SEOPress"}},
		{"ours under Yoast's stylesheet",
			`<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="//a.test/wp-content/plugins/wordpress-seo/css/main-sitemap.xsl"?>` +
				begin + end + "<!-- XML Sitemap generated by wpsitemapd -->", File{Generator: Ours}},
		{
			"WordPress' own, by its stylesheet",
			`<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="https://a.test/wp-sitemap.xsl" ?>` + begin + end,
			File{Generator: "WordPress"},
		},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got, err := Parse([]byte(test.text))
			wptest.Must(t, err)
			if d := cmp.Diff(&test.want, got, cmp.AllowUnexported(Date{})); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	entry := `<url><loc>https://a.test/</loc></url>`
	for _, test := range []struct {
		rule, text string
		notASite   bool
	}{
		{"nothing", "", true},
		{"nothing but space", " \n", true},
		{"a page", "<!DOCTYPE html><html><head><title>Not found</title></head></html>", true},
		{"a feed", `<rss version="2.0"></rss>`, true},
		{"a root of another namespace", `<urlset xmlns="urn:x"></urlset>`, true},
		{"words", "Error establishing a database connection", true},
		{"a comment alone", "<!-- nothing -->", true},
		{"words before the root", "Warning: x in y.php" + begin + end, true},
		{"words behind the root", begin + end + "Warning: x in y.php", true},
		{"cut off behind an entry", begin + entry, false},
		{"cut off in an entry", begin + "<url><loc>https://a.test/", false},
		{"cut off in a tag", begin + entry + "</urls", false},
		{"elements that cross", begin + "<url><loc>https://a.test/</url></loc>" + end, false},
		{"an ampersand alone", begin + "<url><loc>https://a.test/?a&b</loc></url>" + end, false},
		{"a reference of HTML", begin + "<url><loc>https://a.test/&nbsp;</loc></url>" + end, false},
		{"control characters", begin + "<url><loc>https://a.test/\x01</loc></url>" + end, false},
		{"bytes that are no UTF-8", begin + "<url><loc>https://a.test/\xE9</loc></url>" + end, false},
		{"another charset", `<?xml version="1.0" encoding="ISO-8859-1"?>` + begin + end, false},
		{"two documents in one", begin + end + begin + end, false},
		{"nested without end", begin + strings.Repeat("<x>", 100), false},
		{"more entries than the protocol allows", begin + strings.Repeat(entry, urlset.MaxEntries+1) + end, false},
	} {
		t.Run(test.rule, func(t *testing.T) {
			f, err := Parse([]byte(test.text))
			if err == nil || f != nil {
				t.Fatalf("got %v, %v", f, err)
			}
			expect.Equal(t, errors.Is(err, errNotASitemap), test.notASite, err, "ErrNotASitemap", !test.notASite)
		})
	}
}

func TestDates(t *testing.T) {
	for _, test := range []struct {
		rule, a, b string
		same       bool
	}{
		{"one moment in two zones", "2026-01-02T03:04:05Z", "2026-01-02T04:04:05+01:00", true},
		{"fractions do not count", "2026-01-02T03:04:05.75Z", "2026-01-02T03:04:05Z", true},
		{"without seconds", "2026-01-02T03:04Z", "2026-01-02T03:04:00Z", true},
		{"another second", "2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z", false},
		{"a day is the same as any moment of it", "2026-01-02", "2026-01-02T23:59:59Z", true},
		{"and no other", "2026-01-02", "2026-01-03T00:00:00Z", false},
		{"before 1970 too", "1969-12-31", "1969-12-31T00:00:01Z", true},
		{"none is not the first of 1970", "", "1970-01-01", false},
		{"none and none", "", "", true},
	} {
		t.Run(test.rule, func(t *testing.T) {
			a, _ := ParseDate(test.a)
			b, _ := ParseDate(test.b)
			expect.Equal(t, a.Same(b), test.same, a, b)
			expect.Equal(t, b.Same(a), test.same, a, b)
		})
	}
}

// FuzzParse: every document is parsed within the bounds or refused.
func FuzzParse(f *testing.F) {
	f.Add([]byte(begin + `<url><loc>https://a.test/</loc><lastmod>2026-01-02</lastmod></url>` + end))
	f.Add([]byte(`<sitemapindex><sitemap><loc>https://a.test/x.xml</loc></sitemap></sitemapindex>`))
	f.Add([]byte(begin +
		`<url><loc>https://a.test/</loc><video:video><video:video/><video:a b="c">d</video:a></video:video><news:news/><image:image>` +
		`<image:loc>x</image:loc></image:image></url>` +
		end))
	f.Add([]byte("\xEF\xBB\xBF<?xml version='1.0' encoding='latin1'?><urlset/>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if (file == nil) != (err != nil) {
			t.Fatalf("%v, %v", file, err)
		}
		if err != nil {
			return
		}
		for _, e := range file.Entries {
			if !absolute(e.Loc) {
				t.Errorf("%q is no address", e.Loc)
			}
		}
	})
}

// A small file is refused early if it decompresses to a document that would take far more memory.
func TestHostileDocuments(t *testing.T) {
	entry := func(within string) string { return begin + "<url><loc>https://a.test/</loc>" + within + "</url>" + end }
	nested := func(n int, name, within string) string {
		return strings.Repeat("<"+name+">", n) + within + strings.Repeat("</"+name+">", n)
	}
	name := strings.Repeat("n", 2500)
	for _, test := range []struct{ rule, text, want string }{
		{"empty elements", entry(strings.Repeat("<a/>", 400_000)), "more than 20000 elements in one entry"},
		{"empty images", entry(strings.Repeat("<image/>", 400_000)), "more than 20000 elements in one entry"},
		{"elements in an unknown element", begin + "<x>" + strings.Repeat("<a/>", 400_000) + "</x>" + end, "more than 20000 elements in one entry"},
		{"elements of many entries", begin + strings.Repeat("<url>"+strings.Repeat("<a/>", 1000)+"</url>", 2100) + end, "more than 2000000 elements"},
		{"nested elements", entry(nested(100_000, "a", "")), "more than 16 nested elements"},
		{"nested news", entry("<news>" + nested(100_000, "a", "") + "</news>"), "more than 16 nested elements"},
		{"long names of many", entry("<video><" + name + ">" + strings.Repeat("<a/>", 15_000) + "</" + name + "></video>"), errTooMuch.Error()},
		{"long nested names of many entries", begin + strings.Repeat("<url><loc>https://a.test/</loc><news>"+
			nested(10, name[:500], strings.Repeat("<a/>", 1000))+"</news></url>", 500) + end, errTooMuch.Error()},
		{"a tag of attributes", entry("<a " + strings.Repeat(`b=""`+" ", 500_000) + "/>"), errTag.Error()},
		{"an attribute with what ends a tag", entry(`<a b=">` + strings.Repeat(`" c=">`, 500_000) + `"/>`), errTag.Error()},
		{"a long name", entry("<" + strings.Repeat("a", 500_000) + "/>"), errTag.Error()},
	} {
		t.Run(test.rule, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Parse([]byte(test.text))
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 600<<20 {
				t.Errorf("%d MiB were allocated", took>>20)
			}
		})
	}
	for _, within := range []string{
		`<x a="it's > that"/>`, "<!-- it's " + strings.Repeat("-x", 100_000) + " -->", "<x>" + strings.Repeat("text ' ", 100_000) + "</x>",
		"<x><![CDATA[" + strings.Repeat("it's > ", 100_000) + "]]></x>",
	} {
		if f, err := Parse([]byte(entry(within))); err != nil || len(f.Entries) != 1 {
			t.Errorf("%s: %v", Shorten(within, 50), err)
		}
	}
}
