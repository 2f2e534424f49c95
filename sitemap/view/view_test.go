package view

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

const hostile = `</td></table><script>alert(1)</script>"' onmouseover="x" &lt;b&gt; {{.XML}}`

// parsed is what a browser makes of a page.
type parsed struct {
	rows      [][]string // text of the cells of the body of the table
	hrefs     []string
	elements  map[string]int
	attribute map[string]bool // names of all attributes
	text      string
}

func parse(t *testing.T, page []byte) parsed {
	t.Helper()
	root, err := html.Parse(strings.NewReader(string(page)))
	wptest.Must(t, err)
	p := parsed{elements: map[string]int{}, attribute: map[string]bool{}}
	for n := range root.Descendants() {
		switch n.Type {
		case html.ElementNode:
			p.elements[n.Data]++
			for _, a := range n.Attr {
				p.attribute[a.Key] = true
				if n.Data == "a" && a.Key == "href" {
					p.hrefs = append(p.hrefs, a.Val)
				}
			}
			switch {
			case n.Data == "tr" && n.Parent.Data == "tbody":
				p.rows = append(p.rows, nil)
			case (n.Data == "td" || n.Data == "th") && len(p.rows) > 0:
				last := len(p.rows) - 1
				p.rows[last] = append(p.rows[last], strings.Join(strings.Fields(textOf(n)), " "))
			}
		case html.TextNode:
			p.text += n.Data
		}
	}
	return p
}

func textOf(n *html.Node) string {
	text := ""
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			text += d.Data
		}
	}
	return text
}

func xmlOf(t testing.TB, w urlset.Writer, urls ...urlset.URL) []byte {
	t.Helper()
	w.Begin(urlset.URLSet)
	for _, u := range urls {
		wptest.Must(t, w.AppendURL(u))
	}
	w.End()
	return w.Bytes()
}

func indexOf(t testing.TB, locs ...string) []byte {
	t.Helper()
	var w urlset.Writer
	w.Begin(urlset.Index)
	for _, loc := range locs {
		wptest.Must(t, w.AppendSitemap(urlset.Sitemap{Loc: loc, LastMod: 0}))
	}
	w.End()
	return w.Bytes()
}

var around = Frame{
	Home: "https://a.test/blog", XML: "https://a.test/blog/post-sitemap2.xml", HTML: "https://a.test/blog/post-sitemap2.html",
	Index: "https://a.test/blog/sitemap_index.html", Prev: "https://a.test/blog/post-sitemap.html", Next: "https://a.test/blog/post-sitemap3.html",
	Number: 2, Of: 3, Stylesheet: "/blog/wpsitemapd.css", Part: 1,
}

func render(t *testing.T, xml []byte, p Frame) parsed {
	t.Helper()
	page, err := Render(t.Context(), xml, p)
	wptest.Must(t, err)
	return parse(t, page)
}

func TestRows(t *testing.T) {
	const home = "https://a.test/blog/"
	image := urlset.Image{Loc: home + "i.jpg", Title: "a title is not shown"}
	for _, tt := range []struct {
		name string
		w    urlset.Writer
		urls []urlset.URL
		want [][]string
		sum  string
	}{
		{"an entry has its number, address and date", urlset.Writer{}, []urlset.URL{{Loc: home + "a/", LastMod: 1e9}, {Loc: home + "b/", LastMod: 0}},
			[][]string{{"1", home + "a/", "modified 2001-09-09 01:46:40"}, {"2", home + "b/", "modified 1970-01-01 00:00:00"}},
			"2 URLs; last modified 2001-09-09 01:46:40 UTC."},
		{"what no entry has is no column", urlset.Writer{}, []urlset.URL{{Loc: home, LastMod: urlset.NoDate}}, [][]string{{"1", home}}, "1 URL."},
		{"images are counted", urlset.Writer{}, []urlset.URL{
			{Loc: home, LastMod: urlset.NoDate}, {Loc: home, Images: []urlset.Image{image, image}, LastMod: 0},
			{Loc: home, Images: []urlset.Image{image}, LastMod: urlset.NoDate},
		},
			[][]string{{"1", home, "0 images", ""}, {"2", home, "2 images", "modified 1970-01-01 00:00:00"}, {"3", home, "1 image", ""}},
			"3 URLs, 3 images; last modified 1970-01-01 00:00:00 UTC."},
		{"news", urlset.Writer{Extensions: urlset.NewsArticles},
			[]urlset.URL{{Loc: home, LastMod: urlset.NoDate, News: &urlset.News{Publication: "P", Language: "de", Date: 60, Title: "T", StockTickers: "X:Y"}}},
			[][]string{{"1", home, "T P, de, X:Y", "published 1970-01-01 00:01:00"}}, "1 URL."},
		{"videos", urlset.Writer{Extensions: urlset.Videos}, []urlset.URL{{Loc: home, LastMod: urlset.NoDate, Videos: []urlset.Video{
			{Title: "T", Description: "D", ThumbnailLoc: home, PlayerLoc: home + "p", Duration: 3723, Published: urlset.NoDate, Expires: urlset.NoDate},
			{Title: "U", Description: "D", ThumbnailLoc: home, ContentLoc: home + "f", Duration: 59, Published: urlset.NoDate, Expires: urlset.NoDate}}}},
			[][]string{{"1", home, "T 1:02:03 PlayerU 0:59 File"}}, "1 URL, 2 videos."},
		{"translations", urlset.Writer{Extensions: urlset.Alternates}, []urlset.URL{{
			Loc: home, LastMod: urlset.NoDate,
			Alternates: []urlset.Alternate{{Language: "fr-CA", Href: home + "fr"}, {Language: "x-default", Href: home}},
		}, {Loc: home, LastMod: urlset.NoDate}},
			[][]string{{"1", home, "fr-CA x-default"}, {"2", home, ""}}, "2 URLs."},
		{"nothing", urlset.Writer{}, nil, nil, "0 URLs."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := render(t, xmlOf(t, tt.w, tt.urls...), around)
			expect.Equal(t, fmt.Sprintf("%q", p.rows), fmt.Sprintf("%q", tt.want), "rows are")
			expect.Contains(t, strings.Join(strings.Fields(p.text), " "), " "+tt.sum+" ", tt.sum)
			for _, r := range p.rows {
				expect.Equal(t, len(r), p.elements["th"]-len(p.rows), "columns have a head", "a cell")
			}
		})
	}
}

func TestDateInAnotherZoneIsShownInUTC(t *testing.T) {
	xml := strings.Replace(string(xmlOf(t, urlset.Writer{}, urlset.URL{Loc: "https://a.test/", LastMod: 0})),
		"1970-01-01T00:00:00+00:00", "2026-07-01T01:30:00+02:00", 1)
	if p := render(t, []byte(xml), around); p.rows[0][2] != "modified 2026-06-30 23:30:00" {
		t.Errorf("%q", p.rows[0])
	}
}

func TestNeighbours(t *testing.T) {
	p := render(t, xmlOf(t, urlset.Writer{}, urlset.URL{Loc: "https://a.test/x", LastMod: urlset.NoDate}), around)
	want := []string{"#list", around.Index, around.Prev, around.Next, around.XML, "https://a.test/x"}
	expect.Equal(t, fmt.Sprint(p.hrefs), fmt.Sprint(want), "links are", p.hrefs, want)
	expect.Contains(t, p.text, "Page 2 of 3", "it does not say which page it is")
}

func TestIndexLinksToTwins(t *testing.T) {
	p := around
	p.Index, p.Prev, p.Next, p.Number, p.Of = "", "", "", 1, 1
	p.Twin = func(loc string) string {
		if strings.HasSuffix(loc, "/video-sitemap.xml") {
			return ""
		}
		return strings.TrimSuffix(loc, ".xml") + ".html"
	}
	got := render(t, indexOf(t, "https://a.test/post-sitemap.xml", "https://a.test/video-sitemap.xml"), p)
	want := []string{
		"#list", p.XML, "https://a.test/post-sitemap.html", "https://a.test/post-sitemap.xml", "https://a.test/video-sitemap.xml",
		"https://a.test/video-sitemap.xml",
	}
	expect.Equal(t, fmt.Sprint(got.hrefs), fmt.Sprint(want), "links are", got.hrefs, want)
}

func TestParts(t *testing.T) {
	urls := make([]urlset.URL, 2*maxRows+1)
	for i := range urls {
		urls[i] = urlset.URL{Loc: fmt.Sprintf("https://a.test/%d", i+1), LastMod: int64(i), Images: []urlset.Image{{Loc: "https://a.test/i.jpg"}}}
	}
	xml := xmlOf(t, urlset.Writer{}, urls...)
	for _, tt := range []struct {
		part, rows  int
		first, text string
		links       []string
	}{
		{1, maxRows, "https://a.test/1", "Rows 1 to 2,000 of 4,001", []string{"?part=2"}},
		{2, maxRows, "https://a.test/2001", "Rows 2,001 to 4,000 of 4,001", []string{"", "?part=3"}},
		{3, 1, "https://a.test/4001", "Rows 4,001 to 4,001 of 4,001", []string{"?part=2"}},
	} {
		p := around
		p.Part = tt.part
		got := render(t, xml, p)
		if len(got.rows) != tt.rows || got.rows[0][1] != tt.first || !strings.Contains(got.text, tt.text) || !strings.Contains(got.text, "4,001 images") {
			t.Errorf("part %d: %d rows from %q", tt.part, len(got.rows), got.rows[0])
		}
		for _, query := range tt.links {
			expect.Contains(t, " "+strings.Join(got.hrefs, " ")+" ", " "+around.HTML+query+" ", "part", tt.part, "no link to", query)
		}
	}
	for _, part := range []int{-1, 0, 4, 1 << 40} {
		p := around
		p.Part = part
		if _, err := Render(t.Context(), xml, p); !errors.Is(err, ErrNoPart) {
			t.Errorf("part %d: %v", part, err)
		}
	}
}

func TestHostileTextsStayTexts(t *testing.T) {
	for _, text := range []string{
		hostile, "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", " javascript://x", "https", "//a.test/",
		"\x00<script>", "JaVaScRiPt:http://x",
	} {
		p := around
		p.Prev, p.XML, p.Home = "https://a.test/?"+text, "https://a.test/x"+text+".xml", text
		xml := xmlOf(t, urlset.Writer{Encoding: urlset.Plugin, Extensions: urlset.NewsArticles | urlset.Images},
			urlset.URL{Loc: text, LastMod: 0, News: &urlset.News{Publication: text, Language: text, Title: text, StockTickers: text}})
		got := render(t, xml, p)
		if got.elements["script"] > 0 || got.attribute["onmouseover"] {
			t.Errorf("%q became a script", text)
		}
		for _, href := range got.hrefs {
			if !strings.HasPrefix(href, "#") && !strings.HasPrefix(href, "https://a.test/") {
				t.Errorf("%q became the link %q", text, href)
			}
		}
	}
}

func TestOnlyWebAddressesAreLinks(t *testing.T) {
	for loc, want := range map[string]bool{
		"https://a.test/": true, "http://a.test/": true, "HTTPS://a.test/": true,
		"javascript:alert(1)":             false,
		"javascript://a.test/%0aalert(1)": false,
		"":                                false,
		"/a":                              false,
		"https:a":                         false,
		" https://a.test/":                false,
		"data:,x":                         false,
	} {
		expect.Equal(t, isLink(loc), want, loc, "is a link", !want)
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	whole := string(xmlOf(t, urlset.Writer{}, urlset.URL{Loc: "https://a.test/", LastMod: 0}))
	for name, xml := range map[string]string{
		"nothing":             "",
		"text":                "no",
		"HTML":                "<html><body></body></html>",
		"cut in an entry":     whole[:strings.Index(whole, "</loc>")],
		"cut behind an entry": whole[:strings.Index(whole, "</urlset>")],
	} {
		if page, err := Render(t.Context(), []byte(xml), around); err == nil {
			t.Errorf("%s: %.80q", name, page)
		}
	}
}

func TestLongFileIsNotReadForNobody(t *testing.T) {
	urls := make([]urlset.URL, 2000)
	for i := range urls {
		urls[i] = urlset.URL{Loc: "https://a.test/", LastMod: urlset.NoDate}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Render(ctx, xmlOf(t, urlset.Writer{}, urls...), around); !errors.Is(err, context.Canceled) {
		t.Errorf("it was: %v", err)
	}
}

// FuzzRender: the view of any sitemap has the same elements as that of a sitemap with other texts.
func FuzzRender(f *testing.F) {
	f.Add("https://a.test/", "title", "en")
	f.Add(hostile, hostile, hostile)
	f.Add("javascript:alert(1)", "]]>", "x-default")
	f.Fuzz(func(t *testing.T, loc, title, language string) {
		w := urlset.Writer{Encoding: urlset.Plugin, Extensions: urlset.NewsArticles | urlset.Alternates}
		w.Begin(urlset.URLSet)
		err := w.AppendURL(urlset.URL{
			Loc: loc, LastMod: 0, News: &urlset.News{Title: title, Publication: title, Language: language, Date: 0},
			Alternates: []urlset.Alternate{{Language: language, Href: loc}},
		})
		if err != nil {
			t.Skip()
		}
		w.End()
		p := render(t, w.Bytes(), around)
		if len(p.rows) != 1 || len(p.rows[0]) < 5 || p.elements["script"] > 0 ||
			p.elements["table"] != 1 || p.elements["td"]+p.elements["th"] != 2*len(p.rows[0]) {
			t.Errorf("%q: %v", p.rows, p.elements)
		}
		for name := range p.attribute {
			if strings.HasPrefix(name, "on") {
				t.Errorf("attribute %s", name)
			}
		}
		for _, href := range p.hrefs {
			if href != "#list" && !isLink(href) {
				t.Errorf("link %q", href)
			}
		}
	})
}

func BenchmarkRender(b *testing.B) {
	urls := make([]urlset.URL, 1000)
	for i := range urls {
		urls[i] = urlset.URL{
			Loc: fmt.Sprintf("https://a.test/blog/2026/01/an-ordinary-post-%d/", i), LastMod: int64(i) * 1e6,
			Images: []urlset.Image{{Loc: "https://a.test/i.jpg"}},
		}
	}
	xml := xmlOf(b, urlset.Writer{}, urls...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Render(b.Context(), xml, around); err != nil {
			b.Fatal(err)
		}
	}
}
