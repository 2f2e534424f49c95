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
	ts, c, _ := twinServer(t, config.Site{})
	c.owns = slices.DeleteFunc(c.owns, func(name string) bool { return name == "video" })
	if text := body(t, ts.get("GET", "http://a.test/sitemap_index.html")); strings.Contains(text, "video-sitemap.html") {
		t.Error("what the index names and the site itself answers for has a link to an HTML page")
	}
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
