package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/wptest/expect"
)

// twinServer is a site at https://a.test with its own pages behind it.
func twinServer(t *testing.T) (*testServer, *fakeCatalog) {
	t.Helper()
	c := peopleCatalog("https://a.test", "css")
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Upstream", "1") })
	return serveSite(t, config.Site{HTML: true, Upstream: up}, netOf(c)), c
}

func TestTwinsAnswer(t *testing.T) {
	ts, c := twinServer(t)
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

func TestTwinFollowsItsSitemap(t *testing.T) {
	ts, c := twinServer(t)
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

// Blogs of a network have their HTML pages below their own homes, those without permalinks with the slash of their sitemaps.
func TestTwinsOfANetwork(t *testing.T) {
	n := &fakeNetwork{}
	for i, home := range []string{"https://a.test", "https://a.test/wales", "https://b.test"} {
		n.blogs = append(n.blogs, fakeBlog(int64(i+1), home, peopleCatalog(home, "css")))
	}
	n.blogs[2].Plain = true
	ts := serveSite(t, config.Site{HTML: true, Upstream: startUpstream(t, http.NotFound)}, n)
	for address, want := range map[string][]string{
		"https://a.test/sitemap_index.html":       {`href="/wpsitemapd.css"`, `<a href="https://a.test/post-sitemap2.html">`, "<p>a.test</p>"},
		"https://a.test/wales/sitemap_index.html": {`href="/wales/wpsitemapd.css"`, `<a href="https://a.test/wales/post-sitemap2.html">`, "<p>a.test/wales</p>"},
		"https://a.test/wales/post-sitemap2.html": {"https://a.test/wales/post-sitemap.html"},
		"https://b.test/sitemap_index.html/":      {`<a href="https://b.test/post-sitemap2.html/">`},
	} {
		resp := ts.get("GET", address)
		text := body(t, resp)
		for _, part := range want {
			expect.Equal(t, resp.StatusCode, 200, address)
			expect.Contains(t, text, part, address)
		}
	}
	if got := ts.get("GET", "http://b.test/post-sitemap.xml/").Header.Get("Link"); !strings.HasPrefix(got, "<https://b.test/post-sitemap.html/>") {
		t.Errorf("Link: %s", got)
	}
	expect.Equal(t, ts.get("GET", "http://b.test/post-sitemap.html").StatusCode, 404, "without the slash")
}
