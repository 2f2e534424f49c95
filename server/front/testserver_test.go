package front

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/crawler"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/owner"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/refresh"
	"wpsitemapd/server/site"
	"wpsitemapd/server/traffic"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/writes"
)

// testServer is a handler of small sites. rebuild reads every database.
type testServer struct {
	*Handler
	t        testing.TB
	log      wptest.Buffer
	now      time.Time
	installs []*install
	owners   *owner.Owners
}

// install is a site with its refresher, whose listener it is.
type install struct {
	*site.Site
	refresher *refresh.Refresher
	server    *testServer
}

func (i *install) Moved()         { i.server.route() }
func (i *install) Changed()       {}
func (i *install) PagesDue()      {}
func (i *install) Replaced() bool { return false }

// newTestServer returns a handler of sites that were not read yet. The keys of nets are the names of the sites.
func newTestServer(t testing.TB, nets map[string]*sitetest.WordPress, sites ...config.Site) *testServer {
	ts := &testServer{t: t, now: sitetest.Published.Add(time.Hour)}
	log := slog.New(slog.NewTextHandler(&ts.log, nil))
	clock := func() time.Time { return ts.now }
	process, breaker, placed := metrics.NewProcess(), pages.NewBreaker(log), make(chan struct{})
	close(placed)
	ts.Handler = New(log, pages.New(pages.Options{Limit: 64 << 20, Now: clock, Breaker: breaker}), process, clock)
	ts.Configure(new(config.Config))
	ts.owners = owner.New(log)
	daemon := &refresh.Daemon{
		Now: clock, Turns: new(writes.Turns), Slots: pages.NewSlots(8, 8), Placed: placed, Generations: new(atomic.Uint64), Pace: refresh.UsualPace,
		Feed: writes.NewFeed(writes.Options{
			Log: log, Counted: process, Breaker: breaker, Start: func(run func(context.Context)) { go run(t.Context()) },
		}),
		Open: func(ctx context.Context, of *site.Site, turn func(context.Context, string)) (*wp.Network, error) {
			if w := nets[of.Config.Name]; w != nil {
				return w.Open(ctx, of, clock, turn)
			}
			return nil, errors.New("no such database")
		},
	}
	crawls := crawler.New(nil, nil)
	for rank, c := range sites {
		sitetest.SetDefaults(&c)
		i := &install{Site: site.New(c, log.With("site", c.Name)), server: ts}
		i.Counted, i.Process, i.Crawls, i.Traffic = new(metrics.SiteCounts), process, crawls.Site(c.Name), traffic.New(c.Name)
		i.Rank = uint64(rank)
		i.InForce.Store(true)
		if c.Upstream.URL() != nil {
			i.Upstream = ts.NewProxy(i.Site)
		}
		i.refresher = refresh.New(i.Site, daemon, i)
		t.Cleanup(i.refresher.Close)
		ts.Pages.Add(i.Site, i.refresher.ReadNow)
		ts.installs = append(ts.installs, i)
	}
	ts.route()
	return ts
}

// route puts a new routing table in force.
func (ts *testServer) route() {
	var sites []*site.Site
	for _, i := range ts.installs {
		sites = append(sites, i.Site)
	}
	ts.Route(ts.owners.Table(sites, time.Now()))
}

// serveSite returns a handler of one site, a, that was read once.
func serveSite(t testing.TB, install config.Site, w *sitetest.WordPress) *testServer {
	t.Helper()
	install.Name = "a"
	ts := newTestServer(t, map[string]*sitetest.WordPress{"a": w}, install)
	ts.rebuild()
	return ts
}

// onePage returns a handler of the site a, which has three posts at https://a.test.
func onePage(t *testing.T) (*testServer, *sitetest.WordPress) {
	w := sitetest.ThreePosts(t, "https://a.test")
	return serveSite(t, config.Site{}, w), w
}

// edited edits a post and reads the site.
func (ts *testServer) edited(w *sitetest.WordPress, slug string, minutes int) {
	ts.t.Helper()
	w.Edit(slug, minutes)
	ts.rebuild()
}

// rebuild reads the databases of all sites once.
func (ts *testServer) rebuild() {
	ts.t.Helper()
	for _, i := range ts.installs {
		i.refresher.ReadOnce(ts.t.Context())
		i.MarkTried()
	}
}

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

// startUpstream starts a PHP site and returns its address.
func startUpstream(t *testing.T, h http.HandlerFunc) proxy.Upstream {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	var u proxy.Upstream
	wptest.Must(t, u.UnmarshalText([]byte(srv.URL)))
	return u
}
