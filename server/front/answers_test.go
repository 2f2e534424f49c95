package front

import (
	"context"
	"encoding/xml"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/store/sqlite"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Every form of a sitemap has its own type. Only the XML is indexed as the plugin says, and only an answer with a coding varies.
func TestHeadersOfEveryForm(t *testing.T) {
	t.Parallel()
	ts := serveSite(t, config.Site{
		HTML: true, CacheControl: "max-age=60", Formats: config.Formats{Gzip: true, Text: true, Atom: true, RSS: true},
		IndexNow: config.IndexNow{Key: "0123456789abcdef"},
	}, sitetest.ThreePosts(t, "https://a.test"))
	const xmlType, policy = "text/xml; charset=UTF-8", "default-src 'none'; style-src 'self'"
	const view, back = `<https://a.test/post-sitemap.html>; rel="alternate"; type="text/html"`, `<https://a.test/post-sitemap.xml>; rel="alternate"; type="text/xml"`
	for _, tt := range []struct{ path, contentType, robots, cache, policy, link string }{
		{"/post-sitemap.xml", xmlType, "noindex, follow", "max-age=60", policy, view},
		{"/?sitemap=post", xmlType, "noindex, follow", "max-age=60", policy, view},
		{"/post-sitemap.xml.gz", "application/gzip", noindex, "max-age=60", "", ""},
		{"/sitemap.txt", textType, noindex, "max-age=60", "", ""},
		{"/sitemap.atom", "application/atom+xml; charset=utf-8", noindex, "max-age=60", "", ""},
		{"/sitemap.rss", "application/rss+xml; charset=utf-8", noindex, "max-age=60", "", ""},
		{"/post-sitemap.html", htmlType, noindex, "max-age=60", htmlCSP, back},
		{"/wpsitemapd.css", "text/css; charset=utf-8", noindex, "max-age=86400", "", ""},
		{"/main-sitemap.xsl", xmlType, "noindex, follow", "max-age=31536000", "", ""},
		{"/0123456789abcdef.txt", textType, noindex, "max-age=300", "", ""},
		{"/robots.txt", textType, noindex, "", "", ""},
	} {
		resp := ts.get("GET", "https://a.test"+tt.path, "Accept-Encoding", "gzip")
		h := resp.Header
		expect.Equal(t, resp.StatusCode, 200, tt.path)
		expect.Equal(t, h.Get("Content-Type"), tt.contentType, tt.path)
		expect.Equal(t, h.Get("X-Robots-Tag"), tt.robots, tt.path)
		expect.Equal(t, h.Get("Cache-Control"), tt.cache, tt.path)
		expect.Equal(t, h.Get("Content-Security-Policy"), tt.policy, tt.path)
		expect.Equal(t, h.Get("Link"), tt.link, tt.path)
		expect.Equal(t, h.Get("X-Content-Type-Options"), "nosniff", tt.path)
		expect.Equal(t, h.Get("Referrer-Policy"), map[bool]string{true: "no-referrer"}[tt.contentType == htmlType], tt.path)
		file := strings.HasSuffix(tt.path, ".gz")
		expect.Equal(t, h.Get("Vary"), map[bool]string{false: "Accept-Encoding"}[file], tt.path)
		text := body(t, resp)
		expect.Equal(t, h.Get("Content-Encoding") == "gzip" || file, strings.HasPrefix(text, "\x1f\x8b"), tt.path, "is packed:")
		expect.Equal(t, resp.ContentLength, int64(len(text)), tt.path)

		again := ts.get("GET", "https://a.test"+tt.path, "Accept-Encoding", "gzip", "If-None-Match", h.Get("ETag"))
		expect.Equal(t, again.StatusCode, 304, tt.path)
		expect.Equal(t, again.Header.Get("Cache-Control"), tt.cache, tt.path, "with 304")
		expect.Equal(t, again.Header.Get("ETag"), h.Get("ETag"), tt.path, "with 304")
		expect.Equal(t, again.Header.Get("Content-Type")+body(t, again), "", tt.path, "with 304")
		head := ts.get("HEAD", "https://a.test"+tt.path, "Accept-Encoding", "gzip")
		expect.Equal(t, body(t, head), "", tt.path, "HEAD")
		expect.Equal(t, head.Header.Get("Content-Length"), h.Get("Content-Length"), tt.path, "HEAD")
	}
	expect.Equal(t, body(t, ts.get("GET", "https://a.test/0123456789abcdef.txt")), "0123456789abcdef")
	resp := ts.get("POST", "https://a.test/0123456789abcdef.txt")
	expect.Equal(t, resp.StatusCode, 405)
	expect.Equal(t, resp.Header.Get("Allow"), "GET, HEAD")
	html := body(t, ts.get("GET", "https://a.test/wpsitemapd.css"))
	ts.installs[0].Config.HTML = false
	plain := body(t, ts.get("GET", "https://a.test/wpsitemapd.css"))
	expect.Equal(t, strings.HasPrefix(html, plain) && len(html) > len(plain), true, "HTML views have more styles:")
	expect.Equal(t, ts.get("GET", "https://a.test/post-sitemap.xml").Header.Get("Link"), view, "its header is remembered")
}

// The tag of the form that a client has in any coding is good. A gzip file is another document.
func TestTagsOfCodings(t *testing.T) {
	t.Parallel()
	ts, _ := onePage(t)
	ts.installs[0].Config.Formats.Gzip = true
	tag := func(path, accept string) string {
		return ts.get("GET", "https://a.test"+path, "Accept-Encoding", accept).Header.Get("ETag")
	}
	plain, zipped, file := tag("/post-sitemap.xml", "identity"), tag("/post-sitemap.xml", "gzip"), tag("/post-sitemap.xml.gz", "gzip")
	if plain == zipped || zipped == file || plain == file || plain == "" {
		t.Errorf("tags %s %s %s", plain, zipped, file)
	}
	for _, tt := range []struct {
		path, has string
		want      int
	}{
		{"/post-sitemap.xml", plain, 304}, {"/post-sitemap.xml", zipped, 304}, {"/post-sitemap.xml", file, 200},
		{"/post-sitemap.xml.gz", file, 304}, {"/post-sitemap.xml.gz", plain, 200},
	} {
		for _, accept := range []string{"gzip", "identity"} {
			expect.Equal(t, ts.get("GET", "https://a.test"+tt.path, "If-None-Match", tt.has, "Accept-Encoding", accept).StatusCode, tt.want, tt, accept)
		}
	}
}

// The index of a network names the indexes of all blogs. It waits until every blog is known, and keeps its tag if nothing changes.
func TestNetworkIndex(t *testing.T) {
	t.Parallel()
	w := sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/two")
	ts := serveSite(t, config.Site{NetworkIndex: true, CacheControl: "max-age=60"}, w)
	of := ts.installs[0].Site
	whole := of.Snapshot()
	get := func(path string) *http.Response { return ts.get("GET", "https://a.test"+path) }

	of.Publish(whole.With(2, []*site.Blog{site.Unread(site.Blog{ID: 2, Home: "https://a.test/two"}, nil)}))
	resp := get("/network-sitemap.xml")
	expect.Equal(t, resp.StatusCode, 503, "a blog is not known")
	expect.Equal(t, resp.Header.Get("Retry-After"), "30")
	of.Publish(whole)
	resp = get("/network-sitemap.xml")
	expect.Equal(t, resp.StatusCode, 200)
	expect.Equal(t, resp.Header.Get("Content-Type")+" "+resp.Header.Get("Cache-Control"), "text/xml; charset=UTF-8 max-age=60")
	var index struct {
		Locs []string `xml:"sitemap>loc"`
	}
	wptest.Must(t, xml.Unmarshal([]byte(body(t, resp)), &index))
	expect.Equal(t, strings.Contains(strings.Join(index.Locs, " "), "https://a.test/post-sitemap.xml"), true, index.Locs)
	expect.Equal(t, strings.Contains(strings.Join(index.Locs, " "), "https://a.test/two/post-sitemap.xml"), true, index.Locs)
	expect.Equal(t, get("/network-sitemap2.xml").StatusCode, 404)
	expect.Equal(t, get("/two/network-sitemap.xml").StatusCode, 404, "only the main blog has it")

	first := ts.networks.get(of)[0]
	same := *whole
	of.Publish(&same)
	expect.Equal(t, ts.networks.get(of)[0], first, "nothing has changed")
	of.Publish(whole.With(2, []*site.Blog{site.Unread(site.Blog{ID: 2, Home: "https://a.test/two"}, nil)}))
	expect.Equal(t, ts.networks.get(of)[0], first, "a blog is not known any more")
	of.Publish(whole.With(2, nil))
	expect.Equal(t, ts.networks.get(of)[0] != first, true, "a blog has gone")
	ts.Forget(of)
	of.Publish(whole.With(2, []*site.Blog{site.Unread(site.Blog{ID: 2, Home: "https://a.test/two"}, nil)}))
	expect.Equal(t, len(ts.networks.get(of)), 0, "it was forgotten")
}

// Without another site, www and the bare host are one site. The address at home is named with 301, or with 308 to keep a form.
func TestAnswersAtWWW(t *testing.T) {
	t.Parallel()
	w := sitetest.ThreePosts(t, "https://a.test")
	ts := newTestServer(t, map[string]*sitetest.WordPress{"a": w, "b": sitetest.ThreePosts(t, "https://b.test")}, config.Site{Name: "a"}, config.Site{Name: "b"})
	ts.rebuild()
	for method, want := range map[string]int{"GET": 301, "HEAD": 301, "POST": 308} {
		resp := ts.get(method, "http://www.a.test/post-sitemap.xml?x=1")
		expect.Equal(t, resp.StatusCode, want, method)
		expect.Equal(t, resp.Header.Get("Location"), "https://a.test/post-sitemap.xml?x=1", method)
		expect.Equal(t, resp.Header.Get("X-Redirect-By"), "wpsitemapd", method)
		expect.Equal(t, body(t, resp) != "", method != "HEAD", method)
	}
	resp := ts.get("GET", "http://c.test/post-sitemap.xml")
	expect.Equal(t, resp.StatusCode, 421)
	expect.Equal(t, ts.installs[0].Counted.Misses.Load(), 0)
}

// If the upstream is the public address of the site, a request comes back once and is then refused. That is logged at 1, 2, 4 … requests.
func TestRequestThatComesBack(t *testing.T) {
	t.Parallel()
	var daemon atomic.Pointer[url.URL]
	var asked atomic.Int32
	public := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		asked.Add(1)
		r.SetURL(daemon.Load())
		r.Out.Host = r.In.Host
	}})
	t.Cleanup(public.Close)
	var up proxy.Upstream
	wptest.Must(t, up.UnmarshalText([]byte(public.URL)))
	ts := serveSite(t, config.Site{Upstream: up}, sitetest.ThreePosts(t, "https://a.test"))
	srv := httptest.NewServer(ts)
	t.Cleanup(srv.Close)
	at, err := url.Parse(srv.URL)
	wptest.Must(t, err)
	daemon.Store(at)
	get := func(path string) int {
		asked.Store(0)
		resp, _, err := wptest.Get(t.Context(), http.DefaultClient, public.URL+path, "a.test")
		wptest.Must(t, err)
		return resp.StatusCode
	}
	for n, want := range []int{1, 2, 2, 3, 3} {
		expect.Equal(t, get([]string{"/about/", "/foo-sitemap.xml"}[n%2]), http.StatusLoopDetected)
		expect.Equal(t, asked.Load(), 2, "requests at the public address")
		expect.Equal(t, ts.installs[0].Counted.Loops.Load(), int64(n+1))
		expect.Equal(t, ts.log.Count("upstream leads back to this daemon"), want, n+1)
	}
	checked := ts.get("GET", "http://a.test/about/", "Via", "1.1 "+proxy.CheckVia)
	expect.Equal(t, checked.StatusCode, http.StatusLoopDetected, "a request of check")
	expect.Equal(t, ts.installs[0].Counted.Loops.Load(), 5, "a request of check is not counted")
	expect.Equal(t, ts.get("GET", "http://elsewhere.test/", "Via", "1.1 "+proxy.CheckVia).StatusCode, http.StatusLoopDetected)
	expect.Equal(t, get("/post-sitemap.xml"), 200)
	expect.Equal(t, get("/robots.txt"), 503, "the web server then asks PHP:")
}

// An upstream that does not answer is a 502 with the time to come again, and is counted. A client that goes away is not.
func TestUpstreamDown(t *testing.T) {
	t.Parallel()
	var down proxy.Upstream
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	wptest.Must(t, down.UnmarshalText([]byte(closed.URL)))
	ts := serveSite(t, config.Site{Upstream: down}, sitetest.ThreePosts(t, "https://a.test"))
	resp := ts.get("GET", "http://a.test/about/")
	expect.Equal(t, resp.StatusCode, 502)
	expect.Equal(t, resp.Header.Get("Retry-After")+" "+resp.Header.Get("Cache-Control"), "10 no-store")
	expect.Equal(t, resp.Header.Get("Content-Type"), textType)
	expect.Equal(t, ts.installs[0].Counted.UpstreamErrors.Load(), 1)
	expect.Equal(t, ts.get("POST", "http://a.test/robots.txt").StatusCode, 502, "POST is not for us")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ts.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "http://a.test/about/", nil))
	expect.Equal(t, ts.installs[0].Counted.UpstreamErrors.Load(), 2, "after a client that went away")
}

// What visitors get from the upstream is counted only if the operator wants that.
func TestTrafficIsCounted(t *testing.T) {
	t.Parallel()
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<html>")
	})
	ts := serveSite(t, config.Site{Upstream: up}, sitetest.ThreePosts(t, "https://a.test"))
	seen := func() int {
		ts.get("GET", "https://a.test/about/")
		return len(ts.installs[0].Traffic.Report(ts.now).Read)
	}
	expect.Equal(t, seen(), 0)
	ts.Configure(&config.Config{CountTraffic: true})
	expect.Equal(t, seen(), 1)
}

// An answer without a status is 200. Answers of status 1xx come before the answer.
func TestRecordOfAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule   string
		answer func(http.ResponseWriter)
		status int
		bytes  int64
	}{
		{"nothing", func(http.ResponseWriter) {}, 0, 0},
		{"a body alone", func(w http.ResponseWriter) { io.WriteString(w, "abc"); io.WriteString(w, "de") }, 200, 5},
		{"a status alone", func(w http.ResponseWriter) { w.WriteHeader(204) }, 204, 0},
		{"early hints", func(w http.ResponseWriter) { w.WriteHeader(103); w.WriteHeader(404); io.WriteString(w, "abc") }, 404, 3},
		{"200 after a hint", func(w http.ResponseWriter) { w.WriteHeader(199); w.WriteHeader(200) }, 200, 0},
		{"two of them", func(w http.ResponseWriter) { w.WriteHeader(404); w.WriteHeader(500) }, 404, 0},
	} {
		r := &record{ResponseWriter: &sink{header: http.Header{}}}
		tt.answer(r)
		expect.Equal(t, r.status, tt.status, tt.rule)
		expect.Equal(t, r.bytes, tt.bytes, tt.rule)
	}
}

// The access log has a line for each request, also for a host of no site.
func TestAccessLog(t *testing.T) {
	t.Parallel()
	w := sitetest.ThreePosts(t, "https://a.test")
	ts := newTestServer(t, map[string]*sitetest.WordPress{"a": w, "b": sitetest.ThreePosts(t, "https://b.test")}, config.Site{Name: "a"}, config.Site{Name: "b"})
	ts.rebuild()
	ts.Log = slog.New(slog.NewTextHandler(&ts.log, nil))
	ts.get("GET", "https://a.test/post-sitemap.xml")
	expect.Equal(t, ts.log.Count("msg=request"), 0, "the access log is off")
	ts.Configure(&config.Config{AccessLog: true})
	ts.get("GET", "https://a.test/post-sitemap.xml?x=1", "User-Agent", "Googlebot")
	ts.get("GET", "https://elsewhere.test/")
	expect.Equal(t, ts.log.Count("level=INFO msg=request site=a kind=sitemap method=GET host=a.test uri=\"/post-sitemap.xml?x=1\" status=200"), 1, &ts.log)
	expect.Equal(t, ts.log.Count("agent=Googlebot"), 1, &ts.log)
	expect.Equal(t, ts.log.Count(`level=INFO msg=request site="" kind=other method=GET host=elsewhere.test uri=/ status=421`), 1, &ts.log)
}

// The fetches of crawlers are noted with the blog and what they got, except those of check --public.
func TestFetchesAreNoted(t *testing.T) {
	t.Parallel()
	ts, _ := onePage(t)
	crawls := ts.installs[0].Crawls
	const url, agent = "https://a.test/post-sitemap.xml", "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"
	ts.get("GET", url, "User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")
	ts.get("GET", url, "User-Agent", agent, "Wpsitemapd-Check", crawls.Token())
	ts.get("GET", "https://a.test/about/", "User-Agent", agent)
	expect.Equal(t, len(crawls.Report().Fetches), 0)
	length := ts.get("GET", url, "User-Agent", agent).ContentLength
	all := crawls.Report().Fetches
	if len(all) != 1 || all[0].Blog != 1 || all[0].Sitemap != "post" || all[0].Page != 1 || all[0].Status != 200 || all[0].Bytes != length {
		t.Errorf("%+v", all)
	}
}

// If the database does not show whether a sitemap exists, nobody is told that it does not.
func TestUndecidedSitemap(t *testing.T) {
	t.Parallel()
	ts, _ := onePage(t)
	sitetest.Alter(ts.installs[0].Site, 1, func(b *site.Blog) { b.Outline.Left = []string{"book"} })
	resp := ts.get("GET", "https://a.test/book-sitemap.xml")
	expect.Equal(t, resp.StatusCode, 503)
	expect.Equal(t, resp.Header.Get("Retry-After"), "30")
	expect.Contains(t, body(t, resp), "set public of its type")
}

// The last robots.txt of the upstream outlives the process. It is not written again if it has not changed.
func TestRobotsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	const rules, line = "User-agent: *\nDisallow: /x/\n", "\nSitemap: https://a.test/sitemap_index.xml\n"
	var down atomic.Bool
	answer := func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.WriteHeader(500)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, rules)
	}
	kept, _ := servertest.OpenStore(t, sqlite.Backend, t.TempDir(), store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "a")
	ts := robotsServer(t, answer)
	ts.UseStore(kept)
	expect.Equal(t, body(t, ts.get("GET", "http://a.test/robots.txt")), rules+line)
	servertest.Written(t, kept)
	down.Store(true)
	next := robotsServer(t, answer)
	expect.Equal(t, next.get("GET", "http://a.test/robots.txt").StatusCode, 503, "without a store")
	next.UseStore(kept)
	expect.Equal(t, body(t, next.get("GET", "http://a.test/robots.txt")), rules+line)
	next.Forget(next.installs[0].Site)
	expect.Equal(t, body(t, next.get("GET", "http://a.test/robots.txt")), rules+line, "from the store again")
}
