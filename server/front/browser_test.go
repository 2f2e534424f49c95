package front

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// hostileText is used as the text that people write into titles.
const hostileText = `</td></table><script>document.title="hacked"</script> "Fish" & 'chips' <b onclick=x>`

// startPeople serves the site people. Its upstream has a page at every address.
func startPeople(t *testing.T, stylesheet string) (home string) {
	t.Helper()
	install := peopleSite
	install.Stylesheet = stylesheet
	install.Upstream = startUpstream(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "a page of the site") })
	var ts *testServer
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ts.ServeHTTP(w, r) }))
	t.Cleanup(srv.Close)
	ts = serveSite(t, install, people(t, srv.URL))
	return srv.URL
}

var peopleSite = config.Site{HTML: true, PageSize: 1000, Hreflang: true,
	News: seo.News{Enabled: seo.SwitchedOn}, Video: seo.Video{Enabled: seo.SwitchedOn}}

// people returns a site whose sitemaps contain everything that is shown to visitors: an index, a full page, news,
// videos and translations.
func people(t *testing.T, home string) *sitetest.WordPress {
	t.Helper()
	w := sitetest.NewWordPress(t, home, 12, "small-polylang")
	const rows = `INSERT INTO wp_posts
(post_type, post_status, post_name, post_date, post_date_gmt, post_modified, post_modified_gmt, post_title, post_content)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
SELECT '%s', 'publish', %s, '2025-01-01 00:00:00', '2025-01-01 00:00:00', '2025-01-01 00:00:00', '2025-01-01 00:00:00', %s, %s FROM n`
	quoted := "'" + strings.ReplaceAll(hostileText, "'", "''") + "'"
	w.Exec(
		"DELETE FROM wp_users", "DELETE FROM wp_term_taxonomy WHERE taxonomy = 'category'",
		fmt.Sprintf(rows, 992, "post", "'the-harbour-in-winter-and-what-' || i || '-fishermen-told-us'", "'T'",
			"'<img src=\"/wp-content/uploads/' || i || '.jpg\"><img src=\"/wp-content/uploads/' || i || '-2.jpg\">'"),
		fmt.Sprintf(rows, 1, "page", "'"+strings.Repeat("a-very-long-slug-without-an-end", 6)+"'", "'T'", "''"),
		fmt.Sprintf(rows, 12, "page", "'net-' || i", "'How to mend a net, part ' || i || substr("+quoted+", 1, i * 7)",
			"'<video src=\"/net-' || i || '.mp4\" poster=\"/net.jpg\"></video>'"),
		"UPDATE wp_posts SET post_title = 'Ferry number ' || post_name || ' leaves on time for once ' || substr("+quoted+", 1, (ID - 10000) * 7) "+
			"WHERE post_name LIKE 'post-%'",
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) SELECT ID, 2031 FROM wp_posts WHERE ID > 1012", // in English
	)
	return w
}

// layout is what a browser shows of a page.
type layout struct {
	Root       string // name of the root element
	Title      string
	Rows       int    // number of visible entries
	Heads      int    // number of column heads with a scope
	Generated  string // text that the stylesheet puts before everything else
	Shown      bool   // an XHTML element in the XML is visible
	Stylesheet bool   // the stylesheet was loaded and applies
}

// seen and measure are JavaScript: seen tells whether an element is visible, and measure measures a page.
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

// TestBrowsers checks the sitemaps in a real browser: in light and dark colours, on a phone and on a desktop, with XSLT and without.
func TestBrowsers(t *testing.T) {
	t.Parallel()
	for _, xslt := range []bool{true, false} {
		t.Run(fmt.Sprintf("XSLT %v", xslt), func(t *testing.T) {
			t.Parallel()
			v := viewer{servertest.StartBrowser(t, servertest.BrowserOptions{NoXSLT: !xslt}), t}
			home := startPeople(t, "css")
			if xslt {
				v.lookAtXML(home, "sitemap_index", "page-sitemap", "post-sitemap2", "news-sitemap", "video-sitemap")
				v.lookAtTwins(home)
			} else {
				v.lookAtXML(home, "sitemap_index", "page-sitemap")
			}
			v.lookAtXSL(startPeople(t, "xsl"), xslt)
		})
	}
}

// peopleRows is how many entries each sitemap of people has.
var peopleRows = map[string]int{
	"sitemap_index": 5,
	"page-sitemap":  15,
	"post-sitemap":  1000,
	"post-sitemap2": 7,
	"news-sitemap":  12,
	"video-sitemap": 12,
}

// viewer is a user with a browser.
type viewer struct {
	*servertest.Browser
	t *testing.T
}

// look checks what must hold for every address that a browser shows. It returns the last measurement.
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

// lookAtXML checks sitemaps with our CSS.
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

	// A click leads to the address of the link.
	v.Open(home + "/sitemap_index.html")
	v.Click(`document.querySelectorAll("tbody th a")[0]`)
	v.Click(`document.querySelector("a[rel=next]")`)
	var at string
	if v.Eval(`return location.href`, &at); at != home+"/post-sitemap2.html" {
		v.t.Errorf("from the index to the next page of posts, and at %s", at)
	}
}

// follow requests the linked addresses.
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

// lookAtXSL checks the sitemaps of a site that uses XSLT. A browser without XSLT shows the XML in its own way, or only
// text. The entries must be there in any case.
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
