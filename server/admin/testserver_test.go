package admin

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/server/announce"
	"wpsitemapd/server/config"
	"wpsitemapd/server/crawler"
	"wpsitemapd/server/front"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/journal"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/owner"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/refresh"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/traffic"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/writes"
)

// testServer has the public handler and the admin handler of one site.
type testServer struct {
	View
	t       testing.TB
	config  *config.Config
	front   *front.Handler
	admin   http.Handler
	install Install
	owners  *owner.Owners
}

// These methods make a testServer the listener of its refresher.

func (ts *testServer) Moved() {
	ts.front.Route(ts.owners.Table([]*site.Site{ts.install.Site}, time.Now()))
}
func (ts *testServer) Changed()       {}
func (ts *testServer) PagesDue()      {}
func (ts *testServer) Replaced() bool { return false }

// openDatabase opens the database of a site.
type openDatabase func(ctx context.Context, of *site.Site, turn func(context.Context, string)) (*wp.Network, error)

// newTestServer returns the handlers of a site that was read once.
func newTestServer(t testing.TB, c config.Site, open openDatabase) *testServer {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	process, breaker, placed := metrics.NewProcess(), pages.NewBreaker(log), make(chan struct{})
	close(placed)
	ts := &testServer{t: t, config: &config.Config{Sites: []config.Site{c}}, owners: owner.New(log)}
	ts.View = View{
		Log: log, Now: time.Now, Started: time.Now(), Process: process, Owners: ts.owners, Journal: new(journal.Journal), Limiter: db.NewLimiter(10),
		Pages:  pages.New(pages.Options{Limit: 64 << 20, Now: time.Now, Breaker: breaker}),
		Config: func() *config.Config { return ts.config }, Reloaded: func() Reload { return Reload{} }, Store: func() *store.Store { return nil },
		Installs: func() []Install { return []Install{ts.install} },
	}
	ts.Explainer = &Explainer{
		Table: func(context.Context, string) (*route.Table, error) { return ts.front.Table(), nil },
		Sites: func() []*site.Site { return []*site.Site{ts.install.Site} }, Pages: ts.Pages,
	}
	ts.front = front.New(log, ts.Pages, process, time.Now)
	ts.front.Configure(ts.config)
	s := site.New(c, log)
	s.Counted, s.Process, s.Crawls, s.Traffic = new(metrics.SiteCounts), process, crawler.New(nil, nil).Site(c.Name), traffic.New(c.Name)
	s.InForce.Store(true)
	if c.Upstream.URL() != nil {
		s.Upstream = ts.front.NewProxy(s)
	}
	r := refresh.New(s, &refresh.Daemon{
		Open: open, Now: time.Now, Turns: new(writes.Turns), Slots: pages.NewSlots(8, 8), Placed: placed, Generations: new(atomic.Uint64), Pace: refresh.UsualPace,
		Feed: writes.NewFeed(writes.Options{
			Log: log, Counted: process, Breaker: breaker, Start: func(run func(context.Context)) { go run(t.Context()) },
		}),
	}, ts)
	t.Cleanup(r.Close)
	ts.install = Install{Site: s, Refresher: r, Announcer: announce.New()}
	ts.Pages.Add(s, r.ReadNow)
	ts.Moved()
	ts.read()
	s.MarkTried()
	ts.admin = Handler(&ts.View)
	return ts
}

// read reads the site.
func (ts *testServer) read() {
	ts.t.Helper()
	if _, ok := ts.install.Refresher.ReadOnce(ts.t.Context()); !ok {
		ts.t.Fatal(ts.install.Snapshot().Err)
	}
}

// readBasic returns the handlers of the site basic at example.test.
func readBasic(t testing.TB, upstream proxy.Upstream) *testServer {
	return readReal(t, "basic", wptest.Load(t, wptest.SQLite, "basic"), upstream, "example.test")
}

func readReal(t testing.TB, name, dsn string, upstream proxy.Upstream, hosts ...config.Host) *testServer {
	t.Helper()
	c := config.DefaultSite()
	c.Name, c.DSN, c.Hosts, c.Upstream = name, config.Secret(dsn), hosts, upstream
	return newTestServer(t, c, func(ctx context.Context, of *site.Site, turn func(context.Context, string)) (*wp.Network, error) {
		source := site.SourceOf(&of.Config)
		source.Observe, source.Now, source.Turn = of.Counted.Queried, time.Now, turn
		return wp.Open(ctx, source)
	})
}

// onePage returns the handlers of the site a, which has three posts at https://a.test, three on a page.
func onePage(t *testing.T) (*testServer, *sitetest.WordPress) {
	w := sitetest.ThreePosts(t, "https://a.test")
	c := config.Site{Name: "a"}
	sitetest.SetDefaults(&c)
	return newTestServer(t, c, func(ctx context.Context, of *site.Site, turn func(context.Context, string)) (*wp.Network, error) {
		return w.Open(ctx, of, time.Now, turn)
	}), w
}

func (ts *testServer) blog() *site.Blog { return ts.install.Snapshot().Blogs[0] }

// get sends a request of a visitor. header holds names and values in turn.
func (ts *testServer) get(url string, header ...string) {
	ts.front.ServeHTTP(httptest.NewRecorder(), withHeader(httptest.NewRequest("GET", url, nil), header))
}

// askAdmin sends a GET request to the admin listener from this machine.
func (ts *testServer) askAdmin(path string, header ...string) (int, string) {
	return ts.sendAdmin("GET", path, "", header...)
}

// sendAdmin sends a request to the admin listener from this machine.
func (ts *testServer) sendAdmin(method, path, body string, header ...string) (int, string) {
	r := withHeader(httptest.NewRequest(method, "http://127.0.0.1:9090"+path, strings.NewReader(body)), header)
	r.RemoteAddr = "127.0.0.1:4711"
	rec := httptest.NewRecorder()
	ts.admin.ServeHTTP(rec, r)
	return rec.Code, rec.Body.String()
}

func withHeader(r *http.Request, header []string) *http.Request {
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// startUpstream starts a PHP site and returns its address.
func startUpstream(t *testing.T, h http.HandlerFunc) (u proxy.Upstream) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	wptest.Must(t, u.UnmarshalText([]byte(srv.URL)))
	return u
}
