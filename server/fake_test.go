package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/weburl"
	"wpsitemapd/wp/wptest"
)

type renderFunc = func(ctx context.Context, name string, page int) (*catalog.Document, error)

// fakeCatalog is a catalog whose pages tests write themselves.
type fakeCatalog struct {
	home         string // of BaseURL
	off, private bool
	owns         []string
	files        []catalog.File
	open         []string   // of Outline
	render       renderFunc // once a server runs, changed by renderWith only
	mu           sync.Mutex
	renders      atomic.Int32
	expires      time.Time
	print        atomic.Uint64
}

var fakePrints atomic.Uint64

// Fingerprint is that of the catalog, for all of its pages.
func (c *fakeCatalog) Fingerprint(string, int) uint64 {
	c.print.CompareAndSwap(0, fakePrints.Add(1))
	return c.print.Load()
}

// changed gives it other fingerprints, as what render returns is another page now.
func (c *fakeCatalog) changed() { c.print.Store(fakePrints.Add(1)) }

func (c *fakeCatalog) Expires() time.Time { return c.expires }
func (c *fakeCatalog) Due() (int64, bool) { return 0, false }

func (c *fakeCatalog) BaseURL(file string) string { return c.home + "/" + file }
func (c *fakeCatalog) URL(name string, page int) string {
	switch {
	case name == seo.IndexName:
		return c.BaseURL("sitemap_index.xml")
	case page == 1:
		return c.BaseURL(name + "-sitemap.xml")
	}
	return c.BaseURL(fmt.Sprintf("%s-sitemap%d.xml", name, page))
}
func (c *fakeCatalog) Outline() catalog.Outline {
	return catalog.Outline{
		Active: !c.off, Index: c.URL(seo.IndexName, 1), Base: seo.Base{Home: c.home, Front: c.home + "/", Pretty: true},
		Files: c.files, Owned: c.owns, Open: c.open, Private: c.off || c.private,
	}
}

func (c *fakeCatalog) Render(ctx context.Context, name string, page int) (*catalog.Document, error) {
	c.renders.Add(1)
	c.mu.Lock()
	render := c.render
	c.mu.Unlock()
	return render(ctx, name, page)
}

// renderWith has pages rendered by f from now on, by those that run beside the test too.
func (c *fakeCatalog) renderWith(f renderFunc) {
	c.mu.Lock()
	c.render = f
	c.mu.Unlock()
}

// hold has pages of a number, 0 for all, wait for goOn before they are rendered. Each that waits sends on begun.
func (c *fakeCatalog) hold(page int) (begun <-chan struct{}, goOn func()) {
	render, waiting, held := c.render, make(chan struct{}, 100), make(chan struct{})
	c.renderWith(func(ctx context.Context, name string, n int) (*catalog.Document, error) {
		if page == 0 || n == page {
			waiting <- struct{}{}
			<-held
		}
		return render(ctx, name, n)
	})
	return waiting, sync.OnceFunc(func() { close(held) })
}

var newest = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// newFakeCatalog has an index and the post sitemap with two pages. Every body names its page.
func newFakeCatalog(home string) *fakeCatalog {
	c := &fakeCatalog{
		home: home, owns: []string{"1", "post", "author"},
		files: []catalog.File{{Name: "1", Page: 1}, {Name: "post", Page: 1, Entries: 3}, {Name: "post", Page: 2, Entries: 1}},
	}
	c.render = func(_ context.Context, name string, page int) (*catalog.Document, error) {
		if name != "1" && name != "post" || page > 2 {
			return nil, catalog.ErrNotFound
		}
		return &catalog.Document{Body: fmt.Appendf(nil, "<%s-%d>%s", name, page, strings.Repeat(" filler", 100)), LastMod: newest, Entries: 1}, nil
	}
	return c
}

// fakeNetwork is a database: its blogs, which tests change while the server runs.
type fakeNetwork struct {
	mu     sync.Mutex
	err    error // of reading
	blogs  []site.Facts
	gone   []site.Gone
	reads  int
	closed int
	walk   func() (*site.Walk, error) // nil: the blogs, one after the other
}

// netOf is one with a blog at the home of each catalog.
func netOf(catalogs ...*fakeCatalog) *fakeNetwork {
	n := &fakeNetwork{}
	n.show(catalogs...)
	return n
}

// set changes the network under its lock.
func (n *fakeNetwork) set(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}

// show lets the network have these blogs, and be readable.
func (n *fakeNetwork) show(catalogs ...*fakeCatalog) {
	n.set(func() {
		n.err, n.blogs = nil, nil
		for i, c := range catalogs {
			n.blogs = append(n.blogs, fakeBlog(int64(i+1), c.home, c))
		}
	})
}

// fail lets nothing be read any more.
func (n *fakeNetwork) fail(err error) { n.set(func() { n.err, n.blogs = err, nil }) }

// open is an opener of databases that knows this one.
func (n *fakeNetwork) open(context.Context, config.Site, func() time.Time, *slog.Logger) (site.Database, error) {
	return n, nil
}

// Walk implements site.Database.
func (n *fakeNetwork) Walk(context.Context, *site.Walk) (*site.Walk, error) {
	if n.walk != nil {
		return n.walk()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.reads++
	if n.err != nil && len(n.blogs) == 0 {
		return nil, n.err
	}
	w := &site.Walk{Gone: n.gone}
	last := int64(0)
	for _, b := range n.blogs {
		last = max(last, b.ID)
		w.Stubs = append(w.Stubs, site.Stub{
			Facts: site.Facts{ID: b.ID}, Read: func(context.Context) ([]site.Facts, error) { return []site.Facts{b}, nil },
		})
	}
	if err := n.err; err != nil { // another blog, which cannot be read
		w.Stubs = append(w.Stubs, site.Stub{
			Facts: site.Facts{ID: last + 1}, Read: func(context.Context) ([]site.Facts, error) { return nil, err },
		})
	}
	return w, nil
}

// Network implements site.Database.
func (n *fakeNetwork) Network() *wp.Network { return nil }

// Close implements site.Database.
func (n *fakeNetwork) Close() error {
	n.set(func() { n.closed++ })
	return nil
}

// fakeReader builds the catalogs of a blog.
type fakeReader func(context.Context) (site.Catalog, error)

// Build implements site.Reader.
func (f fakeReader) Build(ctx context.Context, _ *site.Blog) (site.Catalog, error) {
	c, err := f(ctx)
	return c, err
}

// Delta implements site.Reader.
func (f fakeReader) Delta(context.Context, *site.Blog, rows.ChangeSet) (site.Catalog, int, error) {
	return nil, 0, rows.ErrDeclined
}

// Written implements site.Reader.
func (f fakeReader) Written(tables []string) []string { return tables }

// fakeBlog is a blog with that catalog.
func fakeBlog(id int64, home string, c site.Catalog) site.Facts {
	host, _ := weburl.Split(home)
	return site.Facts{
		ID:         id,
		Home:       home,
		Hosts:      []string{host},
		RobotsText: "User-agent: *\nDisallow:\n",
		Reader:     fakeReader(func(context.Context) (site.Catalog, error) { return c, nil }),
	}
}

// logText collects a log.
type logText struct{ wptest.Buffer }

// count is how often a text was logged.
func (l *logText) count(text string) int { return l.Count(text) }

// testServer is a server whose sites' databases are fakes, by the site's name. It is not
// running: rebuild has every database read.
type testServer struct {
	*Server
	t    testing.TB
	log  *logText
	nets map[string]*fakeNetwork
	now  time.Time
}

func newTestServer(t testing.TB, nets map[string]*fakeNetwork, sites ...config.Site) *testServer {
	for i := range sites {
		if sites[i].Refresh == 0 {
			sites[i].Refresh = time.Minute
		}
		if sites[i].Stylesheet == "" {
			sites[i].Stylesheet = "css"
		}
	}
	ts := newReal(t, config.Config{Sites: sites})
	ts.nets, ts.now = nets, newest.Add(time.Hour)
	ts.Now = func() time.Time { return ts.now }
	ts.open = func(_ context.Context, s config.Site, _ func() time.Time, _ *slog.Logger) (site.Database, error) {
		n := nets[s.Name]
		if n == nil {
			return nil, errors.New("no such database")
		}
		return n, nil
	}
	return ts
}

// newSite is a server of one site, a, that was not read yet.
func newSite(t testing.TB, install config.Site, n *fakeNetwork) *testServer {
	install.Name = "a"
	return newTestServer(t, map[string]*fakeNetwork{"a": n}, install)
}

// serveSite is a server of one site, a, that was read once.
func serveSite(t testing.TB, install config.Site, n *fakeNetwork) *testServer {
	t.Helper()
	ts := newSite(t, install, n)
	ts.rebuild()
	return ts
}

// testListening is a free port, and no long wait at the end.
func testListening() config.Listening {
	l := config.Default().Listening
	l.Listen, l.Drain = []config.Address{"127.0.0.1:0"}, 5*time.Second
	return l
}

// rebuild looks at the databases of all sites once.
func (ts *testServer) rebuild() {
	ts.t.Helper()
	for _, w := range ts.installs {
		w.refresher.ReadOnce(ts.t.Context())
		w.MarkTried()
	}
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.front.ServeHTTP(w, r) }

// get sends a request without a network in between. header holds names and values in turn.
func (ts *testServer) get(method, url string, header ...string) *http.Response {
	r := httptest.NewRequest(method, url, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	ts.ServeHTTP(rec, r)
	return rec.Result()
}

func body(t testing.TB, resp *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	wptest.Must(t, err)
	return string(b)
}

// onePage is a server with one site, one blog at https://a.test and its catalog.
func onePage(t *testing.T) (*testServer, *fakeCatalog, *fakeNetwork) {
	c := newFakeCatalog("https://a.test")
	n := netOf(c)
	ts := serveSite(t, config.Site{}, n)
	return ts, c, n
}

// startUpstream starts a PHP site.
func startUpstream(t *testing.T, h http.HandlerFunc) config.Upstream {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	var u config.Upstream
	wptest.Must(t, u.UnmarshalText([]byte(srv.URL)))
	return u
}

// siteStatus is how one site fares.
type siteStatus struct {
	Name, Error, Alarm string // Error and Alarm are "" where all is well
	Ready, Restored    bool
	Alarmed            time.Time
	Alarms, Failures   int
}

// Status says how every site fares, in the order of the configuration.
func (s *Server) Status() (all []siteStatus) {
	for _, w := range s.running() {
		now := w.Snapshot()
		is := siteStatus{Name: w.Config.Name, Ready: now.Ready(), Restored: now.FromStateOnly(), Failures: now.Failures}
		if is.Alarm, is.Alarmed, is.Alarms = w.refresher.Alarmed(); now.Err != nil {
			is.Error = now.Err.Error()
		}
		all = append(all, is)
	}
	return all
}
