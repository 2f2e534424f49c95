package server

import (
	"context"
	"errors"
	"net"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
)

// What is not kept is 503 at once while the database server does not answer, and who waits already
// waits no longer; what is kept is served, what does not exist stays 404, and the index needs nobody.
func TestOutage(t *testing.T) {
	c := newFakeCatalog("https://a.test")
	plain, hangs := c.render, make(chan struct{})
	c.render = func(ctx context.Context, name string, page int) (*catalog.Document, error) {
		if page == 2 {
			<-hangs
		}
		return plain(ctx, name, page)
	}
	ts := newTestServer(t, map[string]*fakeNetwork{"a": {blogs: []site.Settings{fakeBlog(1, "https://a.test", c)}}}, config.Site{Name: "a"})
	ts.rebuild()
	ask := func(path string) *httptest.ResponseRecorder {
		rec := httptest.NewRecorder()
		ts.ServeHTTP(rec, httptest.NewRequest("GET", "http://a.test"+path, nil))
		return rec
	}
	for range 2 { // the second time as it was answered before
		if got := ask("/post-sitemap.xml"); got.Code != 200 || got.Header().Get("Age") != "" {
			t.Fatal(got.Code, got.Header())
		}
	}
	waiting := make(chan *httptest.ResponseRecorder)
	go func() { waiting <- ask("/post-sitemap2.xml") }()
	for c.renders.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	ts.pages.Breaker.Trip("a", errors.New("no answer"))
	ts.pages.Breaker.Trip("a", errors.New("no answer"))
	if got := <-waiting; got.Code != 503 || got.Header().Get("Retry-After") == "" {
		t.Errorf("who waited: %d", got.Code)
	}
	for _, path := range []string{"/post-sitemap.xml", "/sitemap_index.xml"} { // true as far as anybody can know
		if got := ask(path); got.Code != 200 || got.Header().Get("Age") == "" {
			t.Errorf("%s, which has not changed: %d, Age %q", path, got.Code, got.Header().Get("Age"))
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
		if got := ask(tt.path); got.Code != tt.status || (got.Header().Get("Age") != "") != tt.old {
			t.Errorf("%s: %d, Age %q", tt.path, got.Code, got.Header().Get("Age"))
		}
	}
	if got := c.renders.Load(); got != renders {
		t.Errorf("%d pages were tried", got-renders)
	}
	if got := ask("/sitemap_index.xml"); got.Code != 200 {
		t.Errorf("the index: %d", got.Code)
	}
	close(hangs)
	ts.pages.Breaker.Reset("a")
	ts.pages.Breaker.Reset("a")
	for _, path := range []string{"/post-sitemap.xml", "/post-sitemap2.xml"} {
		if got := ask(path); got.Code != 200 || got.Header().Get("Age") != "" {
			t.Errorf("afterwards %s: %d, Age %q", path, got.Code, got.Header().Get("Age"))
		}
	}
	if ts.log.count("does not answer: pages") != 1 || ts.log.count("answers again") != 1 {
		t.Errorf("log: %s", ts.log)
	}
}

// blackHole sits before a database server over TCP and can swallow what is sent.
type blackHole struct {
	mu    sync.Mutex
	conns []net.Conn
	open  chan struct{} // closed: everything passes
}

// newBlackHole returns one that lets everything pass, and the DSN through it.
func newBlackHole(t *testing.T, dsn string) (*blackHole, string) {
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	network, address := cfg.Net, cfg.Addr
	at := "127.0.0.1:0"
	if network == "unix" { // which is a secret way for both ends, so that MySQL takes passwords in the clear
		at = filepath.Join(t.TempDir(), "hole.sock")
	}
	l, err := net.Listen(network, at)
	if err != nil {
		t.Fatal(err)
	}
	h := &blackHole{open: make(chan struct{})}
	close(h.open)
	t.Cleanup(func() {
		l.Close()
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, c := range h.conns {
			c.Close()
		}
	})
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial(network, address)
			if err != nil {
				in.Close()
				continue
			}
			h.mu.Lock()
			h.conns = append(h.conns, in, out)
			h.mu.Unlock()
			go h.pump(in, out)
			go h.pump(out, in)
		}
	}()
	cfg.Addr = l.Addr().String()
	return h, cfg.FormatDSN()
}

func (h *blackHole) pump(from, to net.Conn) {
	defer to.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		h.mu.Lock()
		open := h.open
		h.mu.Unlock()
		<-open
		if _, other := to.Write(b[:n]); err != nil || other != nil {
			return
		}
	}
}

func (h *blackHole) swallow() (pass func()) {
	open := make(chan struct{})
	h.mu.Lock()
	h.open = open
	h.mu.Unlock()
	return func() { close(open) }
}

// The same with a MariaDB that takes what is sent and says nothing: what would need it is 503
// soon, and within seconds of its return everything is there.
func TestOutageOfMariaDB(t *testing.T) {
	t.Parallel()
	hole, dsn := newBlackHole(t, wptest.ReadOnlyDSN(t, wptest.Load(t, wptest.MariaDB, "basic")))
	site := realSite("a", dsn)
	site.PageSize = 5
	s := startState(t, t.TempDir(), site)
	<-s.installs[0].refresher.FirstRead()
	var pages []string
	for _, f := range s.installs[0].Snapshot().Blogs[0].Outline.Files {
		if f.Name != seo.IndexName {
			pages = append(pages, "/"+f.Filename)
		}
	}
	if kept := s.ask("a.test", pages[0]); kept.status != 200 || len(pages) < 4 {
		t.Fatal(kept, pages)
	}
	pass := hole.swallow()
	pass = sync.OnceFunc(pass)
	defer pass()
	waitFor(t, s.log, "database server does not answer")
	for i, page := range slices.Concat(pages, []string{"/post-sitemap99.xml"}) {
		want := 503
		switch {
		case i == 0:
			want = 200
		case i == len(pages):
			want = 404
		}
		if got := s.ask("a.test", page); got.status != want {
			t.Errorf("%s: %d, want %d", page, got.status, want)
		}
	}
	pass()
	waitFor(t, s.log, "answers again")
	for _, page := range pages {
		if got := s.ask("a.test", page); got.status != 200 {
			t.Errorf("%s: %d", page, got.status)
		}
	}
}
