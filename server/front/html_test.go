package front

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest/expect"
)

func TestTwinsAnswer(t *testing.T) {
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Upstream", "1") })
	install := peopleSite
	install.Upstream = up
	ts := serveSite(t, install, people(t, "https://a.test"))
	sitetest.Alter(ts.installs[0].Site, 1, func(b *site.Blog) {
		b.Outline.Owned = slices.DeleteFunc(slices.Clone(b.Outline.Owned), func(name string) bool { return name == "video" })
	})
	if text := body(t, ts.get("GET", "http://a.test/sitemap_index.html")); strings.Contains(text, "video-sitemap.html") {
		t.Error("what the index names and the site itself answers for has a link to an HTML page")
	}
	for _, tt := range []struct {
		name, method, uri string
		status            int
		has               string // text in the answer; "": the upstream answers
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
	w := sitetest.ThreePosts(t, "https://a.test")
	ts := serveSite(t, config.Site{HTML: true}, w)
	first := ts.get("GET", "http://a.test/post-sitemap.html")
	w.Exec("UPDATE wp_posts SET post_name = 'changed' WHERE post_name = 'post-1'")
	ts.edited(w, "changed", 1)
	if text := body(t, ts.get("GET", "http://a.test/post-sitemap.html", "If-None-Match", first.Header.Get("ETag"))); !strings.Contains(text,
		`href="https://a.test/changed/"`) {
		t.Errorf("the change is not seen: %.300q", text)
	}
	ts.edited(w, "changed", 2)
	w.Break("wp_posts")
	ts.now = ts.now.Add(time.Minute)
	resp := ts.get("GET", "http://a.test/post-sitemap.html")
	if resp.StatusCode != 200 || resp.Header.Get("Age") != "60" || !strings.Contains(body(t, resp), "changed") {
		t.Errorf("an older copy is not shown: %d %v", resp.StatusCode, resp.Header)
	}
	if resp := ts.get("GET", "http://a.test/post-sitemap2.html"); resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
		t.Errorf("without a copy: %d %v", resp.StatusCode, resp.Header)
	}
}

// Blogs of a network have their HTML pages below their own homes. Those of blogs without permalinks end with a slash,
// like their sitemaps.
func TestTwinsOfANetwork(t *testing.T) {
	w := sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/wales", "https://b.test")
	ts := serveSite(t, config.Site{HTML: true, Upstream: startUpstream(t, http.NotFound)}, w)
	sitetest.Alter(ts.installs[0].Site, 3, func(b *site.Blog) { b.Address.Plain = true })
	for address, want := range map[string][]string{
		"https://a.test/sitemap_index.html": {`href="/wpsitemapd.css"`, `<a href="https://a.test/post-sitemap2.html">`, "</b> a.test</p>"},
		"https://a.test/wales/sitemap_index.html": {`href="/wales/wpsitemapd.css"`,
			`<a href="https://a.test/wales/post-sitemap2.html">`, "</b> a.test/wales</p>"},
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
