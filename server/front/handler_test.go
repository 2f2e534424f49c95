package front

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/wp/wptest/expect"
)

// TestHeadersOfAnotherPlugin checks the headers that a plugin sends with sitemaps. If the operator uses XSLT, no
// content policy restricts it.
func TestHeadersOfAnotherPlugin(t *testing.T) {
	ts := serveSite(t, config.Site{Stylesheet: "xsl", Sitemaps: "core"}, sitetest.ThreePosts(t, "https://a.test"))
	for _, path := range []string{"/wp-sitemap.xml", "/wp-sitemap-index.xsl"} {
		h := ts.get("GET", "http://a.test"+path).Header
		expect.Equal(t, h.Get("Content-Type"), "application/xml; charset=UTF-8", path, h)
		expect.Equal(t, h.Get("X-Robots-Tag")+h.Get("Content-Security-Policy"), "", path, h)
	}
}

func TestAnswersWithoutUpstream(t *testing.T) {
	w := sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/old")
	w.Exec("UPDATE wp_blogs SET archived = 1 WHERE blog_id = 2")
	ts := serveSite(t, config.Site{}, w)
	for _, tt := range []struct {
		rule, request string
		status        int
		body          string
	}{
		{"a sitemap of ours that does not exist", "GET /author-sitemap.xml", 404, "There is no such sitemap.\n"},
		{"a name that is not ours", "GET /other-sitemap.xml", 404, "There is nothing here.\n"},
		{"other addresses", "GET /about/", 404, "There is nothing here.\n"},
		{"a blog that is gone", "GET /old/sitemap_index.xml", 410, "This site is gone.\n"},
		{"query variables at a blog that is gone", "GET /old/?sitemap=1", 410, ""},
		{"query variables at an unknown folder", "GET /never-made/?sitemap=1", 200, "<?xml"},
		{"page 1", "GET /post-sitemap1.xml", 301, "This sitemap is at https://a.test/post-sitemap.xml\n"},
		{"OPTIONS for a stylesheet", "OPTIONS /wpsitemapd.css", 405, ""},
		{"POST elsewhere is not ours", "POST /", 404, ""},
	} {
		method, path, _ := strings.Cut(tt.request, " ")
		resp := ts.get(method, "http://a.test"+path)
		if got := body(t, resp); resp.StatusCode != tt.status || !strings.HasPrefix(got, tt.body) ||
			(resp.Header.Get("X-Redirect-By") == "wpsitemapd") != (tt.status == 301) {
			t.Errorf("%s: %d %v %.100q", tt.rule, resp.StatusCode, resp.Header, got)
		}
	}
}

func TestRebuildFailureKeepsCatalogAndCopies(t *testing.T) {
	ts, w := onePage(t)
	ts.installs[0].Config.Formats.Gzip = true
	fresh := ts.get("GET", "http://a.test/post-sitemap.xml")
	want := body(t, fresh)
	expect.Equal(t, fresh.Header.Get("Age"), "", "a fresh copy has Age")
	w.Break("wp_options")
	ts.now = ts.now.Add(90 * time.Second)
	for range 3 {
		ts.rebuild()
	}
	resp := ts.get("GET", "http://a.test/post-sitemap.xml")
	if got := body(t, resp); resp.StatusCode != 200 || got != want || resp.Header.Get("Age") != "90" {
		t.Errorf("%d, Age %q", resp.StatusCode, resp.Header.Get("Age"))
	}
	for path, header := range map[string][]string{ // in every form, also with a 304
		"/post-sitemap2.xml": nil, "/post-sitemap.xml.gz": nil, "/post-sitemap.xml?x": {"If-None-Match", fresh.Header.Get("ETag")},
	} {
		resp := ts.get("GET", "http://a.test"+path, header...)
		if got := resp.Header.Get("Age"); got != "90" || resp.StatusCode != 200 && header == nil {
			t.Errorf("%s from the old catalog: %d, Age %q", path, resp.StatusCode, got)
		}
	}
	expect.Equal(t, ts.log.Count("site cannot be read"), 1, "logged", "times", &ts.log)
	if s := ts.installs[0].Snapshot(); !s.Ready() || !strings.Contains(s.Err.Error(), "no such table: wp_options") || s.Failures != 3 {
		t.Errorf("snapshot %+v", s)
	}

	w.Mend("wp_options")
	ts.rebuild()
	if resp := ts.get("GET", "http://a.test/post-sitemap.xml"); resp.StatusCode != 200 || resp.Header.Get("Age") != "" {
		t.Errorf("well again: %d, Age %q", resp.StatusCode, resp.Header.Get("Age"))
	}
	expect.Equal(t, ts.log.Count("site can be read again"), 1, "logged", "times")
}

// If a page cannot be rendered, the earlier page is sent with its age, or 503. That is logged once.
func TestPageThatCannotBeMade(t *testing.T) {
	for name, tt := range map[string]struct {
		begin, end  func(*sitetest.WordPress)
		told, again string
	}{
		"no table": {
			func(w *sitetest.WordPress) { w.Break("wp_posts") }, func(w *sitetest.WordPress) { w.Mend("wp_posts") },
			"page cannot be built", "page can be built again",
		},
		"a panic": {
			func(w *sitetest.WordPress) { w.After(sitetest.Contents, func() { panic("odd data") }) },
			func(w *sitetest.WordPress) { w.After(sitetest.Contents, nil) }, "internal error", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			ts, w := onePage(t)
			good := body(t, ts.get("GET", "http://a.test/post-sitemap.xml"))
			ts.edited(w, "post-1", 1)
			tt.begin(w)
			ts.now = ts.now.Add(time.Minute)
			for range 2 {
				old, never := ts.get("GET", "http://a.test/post-sitemap.xml"), ts.get("GET", "http://a.test/post-sitemap2.xml")
				if got := body(t, old); old.StatusCode != 200 || got != good || old.Header.Get("Age") != "60" {
					t.Errorf("with an older page: %d, Age %q", old.StatusCode, old.Header.Get("Age"))
				}
				expect.Equal(t, never.StatusCode, 503, never.Header)
				expect.Equal(t, never.Header.Get("Retry-After") != "", true, never.Header)
			}
			if got := ts.log.Count(tt.told); tt.again != "" && got != 2 || got == 0 { // one for each page
				t.Errorf("logged %d times: %s", got, &ts.log)
			}
			tt.end(w)
			ts.edited(w, "post-1", 2)
			if resp := ts.get("GET", "http://a.test/post-sitemap.xml"); resp.StatusCode != 200 || resp.Header.Get("Age") != "" {
				t.Errorf("well again: %d, Age %q", resp.StatusCode, resp.Header.Get("Age"))
			}
			if got := ts.log.Count(tt.again); tt.again != "" && got != 1 {
				t.Errorf("logged %d times", got)
			}
		})
	}
}

// A panic in the goroutine of a request is answered with 503. If the answer has begun, the connection ends.
func TestPanicCostsOneRequest(t *testing.T) {
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "half")
		w.(http.Flusher).Flush()
	})
	ts := serveSite(t, config.Site{Upstream: up}, sitetest.ThreePosts(t, "https://a.test"))
	public := httptest.NewServer(ts)
	defer public.Close()
	pages := ts.Pages
	ts.Pages = nil
	expect.Equal(t, ts.get("GET", "http://a.test/post-sitemap.xml").StatusCode, 503, "a panic")
	ts.Pages = pages
	expect.Equal(t, ts.get("GET", "http://a.test/post-sitemap.xml").StatusCode, 200, "the next request")
	expect.Contains(t, ts.log.String(), "internal error", "the panic is not in the log")
	resp, err := http.Get(public.URL + "/half")
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	if err == nil {
		t.Error("a half answer seems to be a whole one")
	}
}

func TestBeforeTheFirstCatalog(t *testing.T) {
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "upstream") })
	refused := sitetest.ThreePosts(t, "https://a.test")
	refused.Refuse(errors.New("connection refused"))
	ts := newTestServer(t, map[string]*sitetest.WordPress{"a": refused, "b": sitetest.ThreePosts(t, "https://b.test")},
		config.Site{Name: "a", Hosts: []config.Host{"a.test"}, Upstream: up}, config.Site{Name: "b"},
		config.Site{Name: "c", Hosts: []config.Host{"c.test"}}, config.Site{Name: "d"})
	if resp := ts.get("GET", "http://e.test/about/"); resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
		t.Errorf("a host that may be of a site not tried yet: %d", resp.StatusCode)
	}
	ts.rebuild()
	for _, test := range []struct {
		rule, url string
		status    int
		body      string
	}{
		{"a sitemap", "http://a.test/post-sitemap.xml", 503, ""},
		{"a sitemap in a folder, since home is not known", "http://a.test/blog/sitemap_index.xml", 503, ""},
		{"a sitemap by query variable", "http://a.test/?sitemap=post", 503, ""},
		{"anything else goes to the upstream", "http://a.test/about/", 200, "upstream"},
		{"robots.txt too", "http://a.test/robots.txt", 200, "upstream"},
		{"another site is not concerned", "http://b.test/post-sitemap.xml", 200, "<?xml"},
		{"without an upstream nothing can be told", "http://c.test/about/", 503, ""},
		{"a host that may be of a site that cannot be read", "http://e.test/about/", 503, ""},
	} {
		t.Run(test.rule, func(t *testing.T) {
			resp := ts.get("GET", test.url)
			if resp.StatusCode != test.status || !strings.HasPrefix(body(t, resp), test.body) {
				t.Errorf("%d", resp.StatusCode)
			}
			if test.status == 503 && resp.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		})
	}
	if ts.installs[0].Snapshot().Ready() || !ts.installs[1].Snapshot().Ready() {
		t.Error("the site that cannot be read is ready, or the other one is not")
	}
	expect.Equal(t, ts.log.Count("site=a"), 1, "logged", "times", &ts.log)
}

func TestPartOfANetworkFails(t *testing.T) {
	w := sitetest.NewNetwork(t, 3, "https://a.test", "https://b.test")
	ts := serveSite(t, config.Site{}, w)
	for _, url := range []string{"http://a.test/post-sitemap.xml", "http://b.test/post-sitemap.xml"} {
		expect.Equal(t, ts.get("GET", url).StatusCode, 200, url)
	}
	w.Break("wp_2_options")
	ts.rebuild()
	if resp := ts.get("GET", "http://b.test/post-sitemap.xml"); resp.StatusCode != 200 || resp.Header.Get("Age") == "" {
		t.Errorf("the blog that cannot be read: %d, %v", resp.StatusCode, resp.Header)
	}
	if resp := ts.get("GET", "http://a.test/post-sitemap.xml"); resp.StatusCode != 200 || resp.Header.Get("Age") != "" {
		t.Errorf("the other blog: %d, %v", resp.StatusCode, resp.Header)
	}
	w.Mend("wp_2_options")
	w.Exec("DELETE FROM wp_blogs WHERE blog_id = 2")
	ts.rebuild()
	expect.Equal(t, ts.get("GET", "http://b.test/post-sitemap.xml").StatusCode, 421, "the blog is removed")
}

func TestNumbersThatMeanNoPageAreNotKept(t *testing.T) {
	ts, _ := onePage(t)
	for _, n := range []string{"77", "78", "79"} {
		expect.Equal(t, ts.get("GET", "http://a.test/post-sitemap"+n+".xml").StatusCode, 404)
	}
	expect.Equal(t, ts.Pages.Stats().Count, 0, "pages are kept")
}

// Over HTTP/2 too, a request must name its host.
func TestRequestWithoutItsHost(t *testing.T) {
	ts, _ := onePage(t)
	for _, tt := range []struct {
		host, path string
		want       int
	}{
		{"", "/about/", 400}, {"", "/post-sitemap.xml", 400}, {"", "/robots.txt", 400}, {"a.test/x", "/post-sitemap.xml", 400},
		{"a.test", "/post-sitemap.xml", 200},
	} {
		r := httptest.NewRequest("GET", tt.path, nil)
		r.Host, r.Proto, r.ProtoMajor, r.ProtoMinor = tt.host, "HTTP/2.0", 2, 0
		w := httptest.NewRecorder()
		ts.ServeHTTP(w, r)
		expect.Equal(t, w.Code, tt.want, tt.host, tt.path)
	}
}

// The routing table is rebuilt if hosts or paths change, and only then. Requests see every change.
func TestRoutesOutliveEdits(t *testing.T) {
	home := "https://a.test"
	w := sitetest.NewNetwork(t, 3, home)
	ts := serveSite(t, config.Site{}, w)
	ts.get("GET", home+"/post-sitemap.xml")
	table := ts.Table()
	for _, tt := range []struct {
		change, path string
		do           func()
		moves        bool
		want         int
	}{
		{"nothing", "/post-sitemap.xml", func() {}, false, 200},
		{"an edit", "/post-sitemap.xml", func() { w.Edit("post-1", 1) }, false, 200},
		{"another path", "/blog/post-sitemap.xml", func() { w.Move(home + "/blog") }, true, 200},
		{"another blog", "/two/post-sitemap.xml", func() { w.AddBlog(home + "/two") }, true, 200},
		{
			"no sitemaps any more", "/blog/post-sitemap.xml",
			func() {
				w.Exec(`UPDATE wp_options SET option_value = 'a:1:{s:18:"enable_xml_sitemap";b:0;}' WHERE option_name = 'wpseo'`)
			},
			false, 404,
		},
	} {
		tt.do()
		ts.rebuild()
		expect.Equal(t, ts.Table() != table, tt.moves, tt.change, "the table is another one")
		table = ts.Table()
		expect.Equal(t, ts.get("GET", home+tt.path).StatusCode, tt.want, tt.change, tt.path)
	}
}
