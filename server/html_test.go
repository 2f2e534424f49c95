package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/sitemap/view"
)

// twinServer is a site at https://a.test with its own pages behind it.
func twinServer(t *testing.T, install config.Site) (*testServer, *fakeCatalog, *fakeNetwork) {
	t.Helper()
	c := peopleCatalog("https://a.test", "css")
	n := netOf(c)
	install.Name, install.HTML = "a", true
	if install.Upstream.URL() == nil {
		install.Upstream = startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Upstream", "1")
			fmt.Fprint(w, "the site's own ", r.URL.Path)
		})
	}
	ts := serveSite(t, install, n)
	return ts, c, n
}

func TestTwinsAnswer(t *testing.T) {
	ts, _, _ := twinServer(t, config.Site{})
	for _, tt := range []struct {
		name, method, uri string
		status            int
		has               string // "" for upstream's answer
	}{
		{"the index", "GET", "/sitemap_index.html", 200, `<a href="https://a.test/post-sitemap2.html">`},
		{"the index to the XML", "GET", "/sitemap_index.html", 200, `<a href="https://a.test/post-sitemap2.xml">XML</a>`},
		{"a page to the index", "GET", "/post-sitemap.html", 200, `<a href="https://a.test/sitemap_index.html">All sitemaps</a>`},
		{"a page to the next", "GET", "/post-sitemap.html", 200, `<a rel="next" href="https://a.test/post-sitemap2.html">`},
		{"a page to the one before", "GET", "/post-sitemap2.html", 200, `<a rel="prev" href="https://a.test/post-sitemap.html">`},
		{"part 1 by its number", "GET", "/post-sitemap.html?part=1", 200, "<h1>post-sitemap.xml</h1>"},
		{"other queries mean nothing", "GET", "/post-sitemap.html?utm_source=x", 200, "<h1>post-sitemap.xml</h1>"},
		{"a part there is not", "GET", "/post-sitemap.html?part=2", 404, "no such part"},
		{"no number", "GET", "/post-sitemap.html?part=x", 404, "no such part"},
		{"another spelling of a number", "GET", "/post-sitemap.html?part=01", 404, "no such part"},
		{"part 0", "GET", "/post-sitemap.html?part=0", 404, "no such part"},
		{"a number beyond all", "GET", "/post-sitemap.html?part=99999999999999999999", 404, "no such part"},
		{"POST", "POST", "/post-sitemap.html", 405, "only be read"},
		{"a page there is not is the site's", "GET", "/post-sitemap3.html", 200, ""},
		{"a type nobody knows is the site's", "GET", "/foo-sitemap.html", 200, ""},
		{"and so is its own page", "GET", "/sitemap.html", 200, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp := ts.get(tt.method, "http://a.test"+tt.uri)
			text := body(t, resp)
			if resp.StatusCode != tt.status || (resp.Header.Get("X-Upstream") != "") != (tt.has == "") || !strings.Contains(text, tt.has) {
				t.Errorf("%d %v %.200q", resp.StatusCode, resp.Header, text)
			}
		})
	}
}

func TestTwinHeaders(t *testing.T) {
	ts, _, _ := twinServer(t, config.Site{CacheControl: "max-age=60"})
	h := ts.get("GET", "http://a.test/post-sitemap2.html").Header
	for name, want := range map[string]string{
		"Content-Type":            "text/html; charset=utf-8",
		"X-Robots-Tag":            "noindex, follow",
		"X-Content-Type-Options":  "nosniff",
		"Referrer-Policy":         "no-referrer",
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		"Link":                    `<https://a.test/post-sitemap2.xml>; rel="alternate"; type="text/xml"`,
		"Cache-Control":           "max-age=60", "Vary": "Accept-Encoding", "Age": "", "Last-Modified": "",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if h.Get("ETag") == "" {
		t.Error("no ETag")
	}
}

// A twin shows the copy of its sitemap: asking for both costs one look at the database.
func TestTwinCostsNoSecondRender(t *testing.T) {
	ts, c, _ := twinServer(t, config.Site{})
	before := c.renders.Load()
	for range 3 {
		body(t, ts.get("GET", "http://a.test/post-sitemap.xml"))
		body(t, ts.get("GET", "http://a.test/post-sitemap.html"))
	}
	if n := c.renders.Load() - before; n != 1 {
		t.Errorf("%d renders", n)
	}
}

func TestTwinFollowsItsSitemap(t *testing.T) {
	ts, c, _ := twinServer(t, config.Site{})
	first := ts.get("GET", "http://a.test/tour-sitemap.html")

	c.renderWith(func(context.Context, string, int) (*catalog.Document, error) {
		w := urlset.Writer{}
		w.Begin(urlset.URLSet)
		err := w.AppendURL(urlset.URL{Loc: "https://a.test/changed/", LastMod: urlset.NoDate})
		w.End()
		return &catalog.Document{Body: w.Bytes()}, err
	})
	c.changed()
	ts.rebuild()
	if text := body(t, ts.get("GET", "http://a.test/tour-sitemap.html", "If-None-Match", first.Header.Get("ETag"))); !strings.Contains(text,
		`href="https://a.test/changed/"`) {
		t.Errorf("the change is not seen: %.300q", text)
	}

	c.renderWith(func(context.Context, string, int) (*catalog.Document, error) {
		return nil, errors.New("database is gone")
	})
	c.changed()
	ts.rebuild()
	ts.now = ts.now.Add(time.Minute)
	resp := ts.get("GET", "http://a.test/tour-sitemap.html")
	if resp.StatusCode != 200 || resp.Header.Get("Age") != "60" || !strings.Contains(body(t, resp), "changed") {
		t.Errorf("an older copy is not shown: %d %v", resp.StatusCode, resp.Header)
	}
	if resp := ts.get("GET", "http://a.test/news-sitemap.html"); resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
		t.Errorf("without a copy: %d %v", resp.StatusCode, resp.Header)
	}
}

func TestTwinBeforeTheDatabaseIsRead(t *testing.T) {
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "the site's own") })
	for _, tt := range []struct {
		html   bool
		uri    string
		status int
	}{
		{true, "/post-sitemap.html", 503}, {true, "/sitemap_index.html", 503},
		{true, "/blog/wp-sitemap.html", 503}, {true, "/sitemap.html", 200}, {true, "/about.html", 200},
		{false, "/post-sitemap.html", 200},
	} {
		ts := newTestServer(t, nil, config.Site{Name: "a", Hosts: []config.Host{"a.test"}, Upstream: up, HTML: tt.html})
		ts.rebuild()
		if resp := ts.get("GET", "http://a.test"+tt.uri); resp.StatusCode != tt.status {
			t.Errorf("html = %v, %s: %d, want %d", tt.html, tt.uri, resp.StatusCode, tt.status)
		}
	}
}

func TestSitemapNamesItsTwin(t *testing.T) {
	ts, _, _ := twinServer(t, config.Site{})
	for uri, want := range map[string]string{
		"/sitemap_index.xml":             "https://a.test/sitemap_index.html",
		"/post-sitemap2.xml":             "https://a.test/post-sitemap2.html",
		"/post-sitemap.xml?x=1":          "https://a.test/post-sitemap.html",
		"/?sitemap=post&sitemap_n=2":     "https://a.test/post-sitemap2.html",
		"/index.php/page-sitemap.xml/":   "https://a.test/page-sitemap.html",
		"/post-sitemap9.xml":             "",
		"/wpsitemapd.css":                "",
		"/main-sitemap.xsl":              "",
		"/a-page-of-the-site-itself.xml": "",
	} {
		// what a visitor claims about the host must not matter
		h := ts.get("GET", "http://a.test:8443"+uri, "X-Forwarded-Host", "evil.test", "Forwarded", "host=evil.test").Header
		if want != "" {
			want = "<" + want + `>; rel="alternate"; type="text/html"`
		}
		if got := h.Get("Link"); got != want {
			t.Errorf("%s: Link is %q, want %q", uri, got, want)
		}
	}
}

func TestTwinsSwitchedOff(t *testing.T) {
	c := peopleCatalog("https://a.test", "css")
	ts := serveSite(t, config.Site{}, netOf(c))
	if resp := ts.get("GET", "http://a.test/post-sitemap.html"); resp.StatusCode != 404 {
		t.Errorf("twin: %d", resp.StatusCode)
	}
	if link := ts.get("GET", "http://a.test/post-sitemap.xml").Header.Get("Link"); link != "" {
		t.Errorf("Link: %s", link)
	}
	if text := body(t, ts.get("GET", "http://a.test/wpsitemapd.css")); strings.Contains(text, ".html") {
		t.Error("the stylesheet names a page that is not there")
	}
}

func TestStylesheetNamesTwin(t *testing.T) {
	ts, _, _ := twinServer(t, config.Site{})
	if text := body(t, ts.get("GET", "http://a.test/wpsitemapd.css")); strings.Count(text, "with .html at its end instead of .xml.") != 2 {
		t.Error("it does not name the twin for both kinds of sitemap")
	}
}

// Blogs of a network have their twins below their own homes, and the index of each names its own.
func TestTwinsOfANetwork(t *testing.T) {
	n := &fakeNetwork{}
	for i, home := range []string{"https://a.test", "https://a.test/wales"} {
		n.blogs = append(n.blogs, fakeBlog(int64(i+1), home, peopleCatalog(home, "css")))
	}
	ts := serveSite(t, config.Site{HTML: true}, n)
	for uri, home := range map[string]string{"": "https://a.test", "/wales": "https://a.test/wales"} {
		text := body(t, ts.get("GET", "http://a.test"+uri+"/sitemap_index.html"))
		for _, want := range []string{`<link rel="stylesheet" href="` + uri + `/wpsitemapd.css">`, `<a href="` +
			home + `/post-sitemap2.html">`, "<p>" + strings.TrimPrefix(home, "https://") + "</p>"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s", home, want)
			}
		}
		if resp := ts.get("GET", "http://a.test"+uri+"/post-sitemap2.html"); resp.StatusCode != 200 ||
			!strings.Contains(body(t, resp), home+"/post-sitemap.html") {
			t.Errorf("%s: %d", home, resp.StatusCode)
		}
	}
}

// What the index names and the site itself answers for has no twin to link to.
func TestIndexLinksOnlyToOwnTwins(t *testing.T) {
	ts, c, _ := twinServer(t, config.Site{})
	c.owns = slices.DeleteFunc(c.owns, func(name string) bool { return name == "video" })
	text := body(t, ts.get("GET", "http://a.test/sitemap_index.html"))
	if strings.Contains(text, "video-sitemap.html") || !strings.Contains(text, `<a href="https://a.test/video-sitemap.xml">`) {
		t.Error("the twin of a sitemap that is not ours is linked")
	}
}

func TestTwinWithoutPermalinksHasItsSlash(t *testing.T) {
	c := peopleCatalog("https://a.test", "css")
	b := fakeBlog(1, "https://a.test", c)
	b.Plain = true
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
	ts := newTestServer(t, map[string]*fakeNetwork{"a": {blogs: []site.Facts{b}}}, config.Site{Name: "a", HTML: true, Upstream: up})
	ts.rebuild()
	if got := ts.get("GET", "http://a.test/post-sitemap.xml/").Header.Get("Link"); !strings.HasPrefix(got, "<https://a.test/post-sitemap.html/>") {
		t.Errorf("Link: %s", got)
	}
	if text := body(t, ts.get("GET", "http://a.test/sitemap_index.html/")); !strings.Contains(text, `<a href="https://a.test/post-sitemap2.html/">`) {
		t.Errorf("%.500q", text)
	}
	if resp := ts.get("GET", "http://a.test/post-sitemap.html"); resp.StatusCode != 404 {
		t.Errorf("without the slash: %d", resp.StatusCode)
	}
}

func TestTwinOfAFullFileHasParts(t *testing.T) {
	c := peopleCatalog("https://a.test", "css")
	ts := newSite(t, config.Site{HTML: true}, netOf(c))
	c.render = func(context.Context, string, int) (*catalog.Document, error) {
		w := urlset.Writer{}
		w.Begin(urlset.URLSet)
		for i := range urlset.MaxEntries {
			if err := w.AppendURL(urlset.URL{Loc: fmt.Sprintf("https://a.test/%d/", i), LastMod: 0}); err != nil {
				return nil, err
			}
		}
		w.End()
		return &catalog.Document{Body: w.Bytes()}, nil
	}
	ts.rebuild()
	last := urlset.MaxEntries / view.MaxRows
	text := body(t, ts.get("GET", fmt.Sprintf("http://a.test/post-sitemap.html?part=%d", last)))
	if rows := strings.Count(text, "<tr ") - 1; rows != view.MaxRows || !strings.Contains(text, `href="https://a.test/49999/"`) ||
		!strings.Contains(text, fmt.Sprintf(`href="https://a.test/post-sitemap.html?part=%d"`, last-1)) {
		t.Errorf("%d rows", rows)
	}
	if resp := ts.get("GET", fmt.Sprintf("http://a.test/post-sitemap.html?part=%d", last+1)); resp.StatusCode != 404 {
		t.Errorf("behind the last: %d", resp.StatusCode)
	}
	if html := ts.pages.Stats()["html"]; html.Bytes > html.Limit || html.Bytes == 0 {
		t.Errorf("%d bytes are kept", html.Bytes)
	}
}
