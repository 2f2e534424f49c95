package server

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// hostileText is where people write titles.
const hostileText = `</td></table><script>document.title="hacked"</script> "Fish" & 'chips' <b onclick=x>`

// peopleSite is a site whose sitemaps have everything that is shown to people: an index, a
// full page, news, videos and translations. Its own pages are the upstream's, which has
// something at every address.
func peopleSite(t *testing.T, stylesheet string) (home string) {
	t.Helper()
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "a page of the site") })
	var ts *testServer
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ts.ServeHTTP(w, r) }))
	t.Cleanup(srv.Close)
	ts = serveSite(t, config.Site{Upstream: up, Stylesheet: stylesheet, HTML: true}, netOf(peopleCatalog(srv.URL, stylesheet)))
	return srv.URL
}

func peopleCatalog(home, stylesheet string) *fakeCatalog {
	c := &fakeCatalog{home: home}
	pages := map[string][][]urlset.URL{}
	add := func(name string, urls ...urlset.URL) {
		c.owns = append(c.owns, name)
		pages[name] = append(pages[name], urls)
		c.files = append(c.files, catalog.File{Name: name, Page: len(pages[name]), URL: c.URL(name, len(pages[name])), Entries: len(urls)})
	}
	at := newest.Unix()
	var posts []urlset.URL
	for i := range 1000 {
		u := urlset.URL{Loc: fmt.Sprintf("%s/2026/01/the-harbour-in-winter-and-what-%d-fishermen-told-us/", home, i), LastMod: at - int64(i)*4000}
		for n := range i % 4 {
			u.Images = append(u.Images, urlset.Image{Loc: fmt.Sprintf("%s/wp-content/uploads/%d-%d.jpg", home, i, n)})
		}
		posts = append(posts, u)
	}
	add("page", urlset.URL{Loc: home + "/", LastMod: at},
		urlset.URL{Loc: home + "/" + strings.Repeat("a-very-long-slug-without-an-end", 12) + "/", LastMod: urlset.NoDate})
	add("post", posts...)
	add("post", posts[:7]...)
	var news, videos, tours []urlset.URL
	for i := range 12 {
		news = append(news, urlset.URL{Loc: fmt.Sprintf("%s/news-%d/", home, i), LastMod: urlset.NoDate, News: &urlset.News{
			Publication:  "The Saltwick Gazette",
			Language:     "en",
			Date:         at - int64(i)*1000,
			Title:        fmt.Sprintf("Ferry number %d leaves on time for once %s", i, hostileText[:i*7]),
			StockTickers: "NASDAQ:SALT",
		}})
		videos = append(videos, urlset.URL{Loc: fmt.Sprintf("%s/video-%d/", home, i), LastMod: at, Videos: []urlset.Video{{
			Title: "How to mend a net, part " + strconv.Itoa(i+1) + hostileText[:i*7], Description: "d", Published: at, Duration: 754,
			PlayerLoc: home + "/player/" + strconv.Itoa(i), ContentLoc: home + "/net.mp4", ThumbnailLoc: home + "/net.jpg",
		}}})
		tours = append(tours, urlset.URL{Loc: fmt.Sprintf("%s/tours/%d/", home, i), LastMod: at, Alternates: []urlset.Alternate{
			{Language: "en", Href: fmt.Sprintf("%s/tours/%d/", home, i)}, {Language: "de-AT", Href: fmt.Sprintf("%s/de/touren/%d/", home, i)},
			{Language: "pt-BR", Href: fmt.Sprintf("%s/pt/passeios/%d/", home, i)}, {Language: "x-default", Href: fmt.Sprintf("%s/tours/%d/", home, i)},
		}})
	}
	add("news", news...)
	add("video", videos...)
	add("tour", tours...)
	c.owns = append(c.owns, seo.IndexName)
	c.render = func(_ context.Context, name string, page int) (*catalog.Document, error) {
		w := urlset.Writer{Encoding: urlset.Strict, Extensions: urlset.Images | urlset.NewsArticles | urlset.Videos | urlset.Alternates}
		w.Stylesheet = map[string]urlset.Stylesheet{
			"css": {Type: "text/css", Href: catalog.CSSPath}, "xsl": {Type: "text/xsl", Href: catalog.XSLPath},
		}[stylesheet]
		switch {
		case name == seo.IndexName:
			w.Begin(urlset.Index)
			for _, f := range c.files {
				if err := w.AppendSitemap(urlset.Sitemap{Loc: f.URL, LastMod: at}); err != nil {
					return nil, err
				}
			}
		case page > len(pages[name]):
			return nil, catalog.ErrNotFound
		default:
			if name != "video" {
				w.Extensions &^= urlset.Videos
			}
			w.Begin(urlset.URLSet)
			for _, u := range pages[name][page-1] {
				if err := w.AppendURL(u); err != nil {
					return nil, err
				}
			}
		}
		w.End()
		return &catalog.Document{Body: w.Bytes(), LastMod: newest, Entries: w.Entries()}, nil
	}
	return c
}

// layout is what a browser makes of a page.
type layout struct {
	Root       string // name of the root element
	Title      string
	Rows       int    // entries that can be seen
	Heads      int    // heads of columns with a scope
	Generated  string // text the stylesheet puts before everything
	Shown      bool   // something of XHTML in the XML
	Stylesheet bool   // it came and applies
}

// seen tells whether an element of a page is seen, measure what is around it.
const (
	seen    = `e => { const r = e.getBoundingClientRect(); return r.height > 0 && r.width > 1; }`
	measure = `
		const root = document.documentElement, seen = ` + seen + `, all = selector => [...document.querySelectorAll(selector)];
		const rows = all("tbody tr").length ? all("tbody tr") : all("url, sitemap");
		return {
			root: root.localName, title: document.title, rows: rows.filter(seen).length, heads: all("thead th[scope=col]").length,
			generated: getComputedStyle(root, "::before").content,
			shown: [...document.getElementsByTagNameNS("http://www.w3.org/1999/xhtml", "link")].some(e => root.localName != "html" && seen(e)),
			stylesheet: document.styleSheets.length > 0,
		};`
)

// TestBrowsers looks at the sitemaps with a real browser, in the light and in the dark, on a
// telephone and on a desk, with XSLT and without.
func TestBrowsers(t *testing.T) {
	for _, xslt := range []bool{true, false} {
		t.Run(fmt.Sprintf("XSLT %v", xslt), func(t *testing.T) {
			t.Parallel()
			v := viewer{servertest.StartBrowser(t, servertest.BrowserOptions{NoXSLT: !xslt}), t}
			home := peopleSite(t, "css")
			if xslt {
				v.lookAtXML(home, "sitemap_index", "page-sitemap", "post-sitemap2", "news-sitemap", "video-sitemap", "tour-sitemap")
				v.lookAtTwins(home)
			} else {
				v.lookAtXML(home, "sitemap_index", "tour-sitemap")
			}
			v.lookAtXSL(peopleSite(t, "xsl"), xslt)
		})
	}
}

// peopleRows is how many entries the sitemaps of peopleSite have.
var peopleRows = map[string]int{
	"sitemap_index": 6,
	"page-sitemap":  2,
	"post-sitemap":  1000,
	"post-sitemap2": 7,
	"news-sitemap":  12,
	"video-sitemap": 12,
	"tour-sitemap":  12,
}

// viewer is a person with a browser.
type viewer struct {
	*servertest.Browser
	t *testing.T
}

// look checks what holds for everything that is shown, and returns what was measured last.
func (v viewer) look(address string, rows int) (l layout) {
	v.t.Helper()
	v.Open(address)
	elements := `[document.documentElement, ...document.querySelectorAll("body *, loc, lastmod")].slice(0, 300)`
	v.Look(address, elements, seen, func(at string) {
		if v.Eval(measure, &l); l.Rows != rows || !l.Stylesheet {
			v.t.Errorf("%s: %d rows are seen of %d, with a stylesheet: %t", at, l.Rows, rows, l.Stylesheet)
		}
	})
	return l
}

// lookAtXML looks at sitemaps with our CSS.
func (v viewer) lookAtXML(home string, names ...string) {
	for _, name := range names {
		l := v.look(home+"/"+name+".xml", peopleRows[name])
		if l.Root != "urlset" && l.Root != "sitemapindex" || !strings.Contains(l.Generated, ".html at its end") || l.Shown {
			v.t.Errorf("%s.xml: %+v", name, l)
		}
	}
}

func (v viewer) lookAtTwins(home string) {
	links := map[string]bool{}
	for name, rows := range peopleRows {
		l := v.look(home+"/"+name+".html", rows)
		if l.Root != "html" || !strings.HasPrefix(l.Title, name+".xml – ") || l.Heads < 2 {
			v.t.Errorf("%s.html: %+v", name, l)
		}
		var hrefs []string
		v.Eval(`return [...document.querySelectorAll("a")].map(a => a.href)`, &hrefs)
		if len(hrefs) < rows {
			v.t.Errorf("%s.html: %d links", name, len(hrefs))
		}
		for _, href := range hrefs[:min(len(hrefs), 60)] {
			links[href] = true
		}
	}
	v.follow(links)

	v.Open(home + "/post-sitemap.html")
	var skip struct {
		Before, After float64
		Outline       string
	}
	v.Eval(`
		const a = document.querySelector(".skip"), top = () => a.getBoundingClientRect().bottom;
		const before = top();
		a.focus({focusVisible: true});
		const outline = getComputedStyle(a).outlineStyle, after = top();
		a.click();
		return {before, after, outline};`, &skip)
	if skip.Before > 0 || skip.After <= 0 || skip.Outline != "solid" {
		v.t.Errorf("the link to skip to the list: %+v", skip)
	}
	focused := ""
	wptest.Eventually(v.t, "the link to skip to the list leads there", func() bool {
		v.Eval(`return document.activeElement.id`, &focused)
		return focused == "list"
	}, &focused)

	// a click leads where it says
	v.Open(home + "/sitemap_index.html")
	v.Click(`document.querySelectorAll("tbody th a")[1]`)
	v.Click(`document.querySelector("a[rel=next]")`)
	var at string
	if v.Eval(`return location.href`, &at); at != home+"/post-sitemap2.html" {
		v.t.Errorf("from the index to the next page of posts, and at %s", at)
	}
}

// follow asks for what is linked.
func (v viewer) follow(links map[string]bool) {
	for link := range links {
		resp, err := http.Get(link)
		if err != nil {
			v.t.Errorf("%s: %v", link, err)
			continue
		}
		resp.Body.Close()
		expect.Equal(v.t, resp.StatusCode, 200, link)
	}
}

// lookAtXSL looks at sitemaps of a site that has chosen XSLT. Without it a browser shows the XML in
// its own way, or nothing but text; the entries are there all the same.
func (v viewer) lookAtXSL(home string, xslt bool) {
	for _, name := range []string{"sitemap_index", "post-sitemap2", "news-sitemap", "video-sitemap"} {
		v.Open(home + "/" + name + ".xml")
		v.Size(360, 740, true)
		v.Dark(false)
		var l struct {
			Root                string
			Rows, Entries, Wide int
		}
		v.Eval(`
			const root = document.documentElement, scroller = document.scrollingElement || root;
			return {root: root.localName, rows: document.querySelectorAll("td:first-child a").length,
				entries: document.querySelectorAll("url, sitemap").length, wide: scroller.scrollWidth - scroller.clientWidth};`, &l)
		if rows := peopleRows[name]; xslt && (l.Root != "html" || l.Rows != rows || l.Wide > 0) || !xslt && (l.Rows > 0 || l.Entries != rows) {
			v.t.Errorf("%s.xml with XSLT %v: %+v", name, xslt, l)
		}
	}
}
