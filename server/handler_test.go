package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/wp/wptest/expect"
)

// What a plugin says of its sitemaps, and where an operator has chosen XSLT no policy restricts it.
func TestHeadersOfAnotherPlugin(t *testing.T) {
	b := fakeBlog(1, "https://a.test", newFakeCatalog("https://a.test"))
	b.Plugin = &wpcore.Plugin
	ts := serveSite(t, config.Site{Stylesheet: "xsl"}, &fakeNetwork{blogs: []site.Facts{b}})
	for _, path := range []string{"/wp-sitemap.xml", "/wp-sitemap-index.xsl"} {
		h := ts.get("GET", "http://a.test"+path).Header
		expect.Equal(t, h.Get("Content-Type"), "application/xml; charset=UTF-8", path, h)
		expect.Equal(t, h.Get("X-Robots-Tag")+h.Get("Content-Security-Policy"), "", path, h)
	}
}

func TestAnswersWithoutUpstream(t *testing.T) {
	ts, _, n := onePage(t)
	n.set(func() { n.gone = []site.Gone{{Host: "a.test", Path: "old"}} })
	ts.rebuild()
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
		{"query variables at an unknown folder", "GET /never-made/?sitemap=1", 200, "<1-1>"},
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

// -- when things break --

func TestRebuildFailureKeepsCatalogAndCopies(t *testing.T) {
	ts, _, n := onePage(t)
	ts.running()[0].Config.Formats.Gzip = true
	fresh := ts.get("GET", "http://a.test/post-sitemap.xml")
	want := body(t, fresh)
	expect.Equal(t, fresh.Header.Get("Age"), "", "a fresh copy has Age")
	n.fail(errors.New("server has gone away"))
	ts.now = ts.now.Add(90 * time.Second)
	for range 3 {
		ts.rebuild()
	}
	resp := ts.get("GET", "http://a.test/post-sitemap.xml")
	if got := body(t, resp); resp.StatusCode != 200 || got != want || resp.Header.Get("Age") != "90" {
		t.Errorf("%d, Age %q", resp.StatusCode, resp.Header.Get("Age"))
	}
	for path, header := range map[string][]string{ // in every form, and a 304 too
		"/post-sitemap2.xml": nil, "/post-sitemap.xml.gz": nil, "/post-sitemap.xml?x": {"If-None-Match", fresh.Header.Get("ETag")},
	} {
		resp := ts.get("GET", "http://a.test"+path, header...)
		if got := resp.Header.Get("Age"); got != "90" || resp.StatusCode != 200 && header == nil {
			t.Errorf("%s from the old catalog: %d, Age %q", path, resp.StatusCode, got)
		}
	}
	expect.Equal(t, ts.log.count("site cannot be read"), 1, "logged", "times", ts.log)
	if s := ts.Status()[0]; !s.Ready || s.Error != "server has gone away" || s.Failures != 3 {
		t.Errorf("status %+v", s)
	}

	n.show(newFakeCatalog("https://a.test"))
	ts.rebuild()
	if resp := ts.get("GET", "http://a.test/post-sitemap.xml"); resp.StatusCode != 200 || resp.Header.Get("Age") != "" {
		t.Errorf("well again: %d, Age %q", resp.StatusCode, resp.Header.Get("Age"))
	}
	expect.Equal(t, ts.log.count("site can be read again"), 1, "logged", "times")
}

// A page that cannot be made is the one before it, with its age, or 503, and said once; one that has gone is 404.
func TestPageThatCannotBeMade(t *testing.T) {
	for name, tt := range map[string]struct {
		render      renderFunc
		old, never  int // answers with and without an older page
		told, again string
	}{
		"no database": {func(context.Context, string, int) (*catalog.Document, error) {
			return nil, errors.New("connection lost")
		},
			200, 503, "page cannot be built", "page can be built again"},
		"a panic":      {func(context.Context, string, int) (*catalog.Document, error) { panic("odd data") }, 200, 503, "internal error", ""},
		"a panic then": {func(context.Context, string, int) (*catalog.Document, error) { return nil, nil }, 200, 503, "internal error", ""},
		"it has gone":  {func(context.Context, string, int) (*catalog.Document, error) { return nil, catalog.ErrNotFound }, 404, 404, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			ts, c, n := onePage(t)
			good := body(t, ts.get("GET", "http://a.test/post-sitemap.xml"))
			broken := newFakeCatalog("https://a.test")
			broken.render = tt.render
			n.show(broken)
			ts.rebuild()
			ts.now = ts.now.Add(time.Minute)
			for range 2 {
				old, never := ts.get("GET", "http://a.test/post-sitemap.xml"), ts.get("GET", "http://a.test/post-sitemap2.xml")
				if got := body(t, old); old.StatusCode != tt.old || tt.old == 200 && (got != good || old.Header.Get("Age") != "60") {
					t.Errorf("with an older page: %d, Age %q", old.StatusCode, old.Header.Get("Age"))
				}
				expect.Equal(t, never.StatusCode, tt.never, never.Header)
				expect.Equal(t, never.Header.Get("Retry-After") != "", tt.never == 503, never.Header)
			}
			if got := ts.log.count(tt.told); tt.again != "" && got != 2 || got == 0 { // one for each page
				t.Errorf("logged %d times: %s", got, ts.log)
			}
			n.show(c)
			c.changed()
			ts.rebuild()
			if resp := ts.get("GET", "http://a.test/post-sitemap.xml"); resp.StatusCode != 200 || resp.Header.Get("Age") != "" {
				t.Errorf("well again: %d, Age %q", resp.StatusCode, resp.Header.Get("Age"))
			}
			if got := ts.log.count(tt.again); tt.again != "" && got != 1 {
				t.Errorf("logged %d times", got)
			}
		})
	}
}

// A panic in the request's own goroutine is answered with 503, and one in an answer that has begun ends the connection.
func TestPanicCostsOneRequest(t *testing.T) {
	up := startUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "half")
		w.(http.Flusher).Flush()
	})
	ts := newSite(t, config.Site{Upstream: up}, netOf(newFakeCatalog("https://a.test")))
	public := ts.start().public
	if got := status(t, public+"/post-sitemap.xml"); got != 200 { // and has been read: nothing else works with what is taken away
		t.Fatalf("the first request is answered with %d", got)
	}
	pages := ts.front.Pages
	ts.front.Pages = nil
	expect.Equal(t, status(t, public+"/post-sitemap.xml"), 503, "a panic")
	ts.front.Pages = pages
	expect.Equal(t, status(t, public+"/post-sitemap.xml"), 200, "the next request")
	expect.Contains(t, ts.log.String(), "internal error", "the panic is not in the log")
	resp, err := http.Get(public + "/half")
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
	n := &fakeNetwork{err: errors.New("connection refused")}
	good := &fakeNetwork{blogs: []site.Facts{fakeBlog(1, "https://b.test", newFakeCatalog("https://b.test"))}}
	ts := newTestServer(t, map[string]*fakeNetwork{"a": n, "b": good},
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
		{"another site is not concerned", "http://b.test/post-sitemap.xml", 200, "<post-1>"},
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
	if ts.Status()[0].Ready || !ts.Status()[1].Ready {
		t.Errorf("status %+v", ts.Status())
	}
	expect.Equal(t, ts.log.count("site=a"), 1, "logged", "times", ts.log)
}

func TestPartOfANetworkFails(t *testing.T) {
	a, b := newFakeCatalog("https://a.test"), newFakeCatalog("https://b.test")
	n := &fakeNetwork{blogs: []site.Facts{fakeBlog(1, "https://a.test", a), fakeBlog(2, "https://b.test", b)}}
	for i := range n.blogs {
		n.blogs[i].Network = true
	}
	ts := serveSite(t, config.Site{}, n)
	n.set(func() { n.blogs, n.err = n.blogs[:1], errors.New("blog 2: table is marked as crashed") })
	ts.rebuild()
	if resp := ts.get("GET", "http://b.test/post-sitemap.xml"); resp.StatusCode != 200 || resp.Header.Get("Age") == "" {
		t.Errorf("the blog that cannot be read: %d, %v", resp.StatusCode, resp.Header)
	}
	if resp := ts.get("GET", "http://a.test/post-sitemap.xml"); resp.StatusCode != 200 || resp.Header.Get("Age") != "" {
		t.Errorf("the other blog: %d, %v", resp.StatusCode, resp.Header)
	}
	n.set(func() { n.err = nil })
	ts.rebuild()
	expect.Equal(t, ts.get("GET", "http://b.test/post-sitemap.xml").StatusCode, 421, "the blog is removed")
}

func TestOneBuildForAllWhoWait(t *testing.T) {
	ts, c, _ := onePage(t)
	started, finish := c.hold(0)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			expect.Equal(t, ts.get("GET", "http://a.test/post-sitemap.xml").StatusCode, 200)
		})
	}
	<-started
	time.Sleep(20 * time.Millisecond) // let the others join
	finish()
	wg.Wait()
	expect.Equal(t, c.renders.Load(), 1, "built", "times")
}

func TestBuildsAreBounded(t *testing.T) {
	ts, c, _ := onePage(t)
	var mu sync.Mutex
	now, most := 0, 0
	plain := c.render
	c.render = func(ctx context.Context, name string, page int) (*catalog.Document, error) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		mu.Lock()
		now--
		mu.Unlock()
		return plain(ctx, name, page)
	}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() { ts.get("GET", "http://a.test/?sitemap=post&sitemap_n="+strings.Repeat("0", i+2)+"2") })
		wg.Go(func() { ts.get("GET", "http://a.test/?sitemap=author&sitemap_n="+string(rune('2'+i%8))) })
	}
	wg.Wait()
	if most > 2 {
		t.Errorf("%d pages of one site were built at a time", most)
	}
}

// A build outlives the request that asked for it: others wait for it too.
func TestClientThatGoesAwayDoesNotStopTheBuild(t *testing.T) {
	ts, c, _ := onePage(t)
	plain := c.render
	started, finish, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	c.render = func(ctx context.Context, name string, page int) (*catalog.Document, error) {
		close(started)
		<-finish
		ended <- ctx.Err()
		return plain(ctx, name, page)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		ts.pages.Get(ctx, ts.installs[0].Site, ts.installs[0].Snapshot().Blogs[0], "post", 1)
	}()
	<-started
	cancel()
	<-left
	close(finish)
	expect.Equal(t, <-ended, nil, "the build was cancelled")
}

func TestNumbersThatMeanNoPageAreNotKept(t *testing.T) {
	ts, c, _ := onePage(t)
	c.render = func(context.Context, string, int) (*catalog.Document, error) { // as news: any number is the whole
		return &catalog.Document{Body: []byte("<news>")}, nil
	}
	for _, n := range []string{"77", "78", "79"} {
		expect.Equal(t, ts.get("GET", "http://a.test/post-sitemap"+n+".xml").StatusCode, 200)
	}
	expect.Equal(t, ts.pages.Stats().Count, 0, "pages are kept")
}

// Over HTTP/2, too, a request names its host.
func TestRequestWithoutItsHost(t *testing.T) {
	ts, _, _ := onePage(t)
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
		ts.front.ServeHTTP(w, r)
		expect.Equal(t, w.Code, tt.want, tt.host, tt.path)
	}
}

// What is not kept is 503 at once while the database server does not answer, and who waits already
// waits no longer; what is kept is served, what does not exist stays 404, and the index needs nobody.
func TestOutage(t *testing.T) {
	c := newFakeCatalog("https://a.test")
	hangs, goOn := c.hold(2)
	ts := serveSite(t, config.Site{}, netOf(c))
	ask := func(path string) *http.Response { return ts.get("GET", "http://a.test"+path) }
	for range 2 { // the second time as it was answered before
		if got := ask("/post-sitemap.xml"); got.StatusCode != 200 || got.Header.Get("Age") != "" {
			t.Fatal(got.StatusCode, got.Header)
		}
	}
	waiting := make(chan *http.Response)
	go func() { waiting <- ask("/post-sitemap2.xml") }()
	<-hangs
	ts.pages.Breaker.Trip("a", errors.New("no answer"))
	ts.pages.Breaker.Trip("a", errors.New("no answer"))
	if got := <-waiting; got.StatusCode != 503 || got.Header.Get("Retry-After") == "" {
		t.Errorf("who waited: %d", got.StatusCode)
	}
	for _, path := range []string{"/post-sitemap.xml", "/sitemap_index.xml"} { // true as far as anybody can know
		if got := ask(path); got.StatusCode != 200 || got.Header.Get("Age") == "" {
			t.Errorf("%s, which has not changed: %d, Age %q", path, got.StatusCode, got.Header.Get("Age"))
		}
	}
	c.changed() // the copy of the first page is old now
	renders := c.renders.Load()
	for _, tt := range []struct {
		path   string
		status int
		old    bool
	}{
		{"/post-sitemap.xml", 200, true},
		{"/post-sitemap3.xml", 404, false},
		{"/post-sitemap2.xml", 503, false},
	} {
		if got := ask(tt.path); got.StatusCode != tt.status || (got.Header.Get("Age") != "") != tt.old {
			t.Errorf("%s: %d, Age %q", tt.path, got.StatusCode, got.Header.Get("Age"))
		}
	}
	expect.Equal(t, c.renders.Load(), renders)
	expect.Equal(t, ask("/sitemap_index.xml").StatusCode, 200, "the index")
	goOn()
	ts.pages.Breaker.Reset("a")
	ts.pages.Breaker.Reset("a")
	for _, path := range []string{"/post-sitemap.xml", "/post-sitemap2.xml"} {
		if got := ask(path); got.StatusCode != 200 || got.Header.Get("Age") != "" {
			t.Errorf("afterwards %s: %d, Age %q", path, got.StatusCode, got.Header.Get("Age"))
		}
	}
	expect.Equal(t, ts.log.count("does not answer: pages"), 1, "log", ts.log)
	expect.Equal(t, ts.log.count("answers again"), 1, "log", ts.log)
}

// The routing table is built anew where hosts or paths change, and by no other change of a site; requests see every change.
func TestRoutesOutliveEdits(t *testing.T) {
	ts, c, n := onePage(t)
	home := "https://a.test"
	ts.get("GET", home+"/post-sitemap.xml")
	table := ts.front.Table()
	for _, tt := range []struct {
		change, path string
		blogs        []site.Facts
		moves        bool
		want         int
	}{
		{"nothing", "/post-sitemap.xml", []site.Facts{fakeBlog(1, home, c)}, false, 200},
		{"an edit", "/post-sitemap.xml", []site.Facts{fakeBlog(1, home, newFakeCatalog(home))}, false, 200},
		{"no sitemaps any more", "/post-sitemap.xml", []site.Facts{fakeBlog(1, home, &fakeCatalog{home: home, off: true})}, false, 404},
		{"another path", "/blog/post-sitemap.xml", []site.Facts{fakeBlog(1, home+"/blog", newFakeCatalog(home+"/blog"))}, true, 200},
		{
			"another blog", "/two/post-sitemap.xml",
			[]site.Facts{fakeBlog(1, home+"/blog", newFakeCatalog(home+"/blog")), fakeBlog(2, home+"/two", newFakeCatalog(home+"/two"))}, true, 200,
		},
	} {
		n.set(func() { n.blogs = tt.blogs })
		ts.rebuild()
		expect.Equal(t, ts.front.Table() != table, tt.moves, tt.change, "the table is another one")
		table = ts.front.Table()
		expect.Equal(t, ts.get("GET", home+tt.path).StatusCode, tt.want, tt.change, tt.path)
	}
}
