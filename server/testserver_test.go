package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/listen"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/site"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// newest is the date of every page until something is edited.
var newest = sitetest.Published

// logText collects a log.
type logText struct{ wptest.Buffer }

// count returns how often a text was logged.
func (l *logText) count(text string) int { return l.Count(text) }

// testServer is a server of small sites. The keys are the names of their installs. It does not run by itself: rebuild
// reads every database.
type testServer struct {
	*Server
	t    testing.TB
	log  *logText
	nets map[string]*sitetest.WordPress
	now  time.Time
}

func newTestServer(t testing.TB, nets map[string]*sitetest.WordPress, sites ...config.Site) *testServer {
	for i := range sites {
		sitetest.SetDefaults(&sites[i])
	}
	ts := newReal(t, config.Config{Sites: sites})
	ts.nets, ts.now = nets, newest.Add(time.Hour)
	ts.Now = func() time.Time { return ts.now }
	ts.refreshing.Open = func(ctx context.Context, of *site.Site, turn func(context.Context, string)) (*wp.Network, error) {
		w := nets[of.Config.Name]
		if w == nil {
			return nil, errors.New("no such database")
		}
		return w.Open(ctx, of, ts.Server.now, turn)
	}
	t.Cleanup(func() {
		for _, i := range ts.installs {
			i.refresher.Close()
		}
	})
	return ts
}

// newSite returns a server with one site, a, that was not read yet.
func newSite(t testing.TB, install config.Site, w *sitetest.WordPress) *testServer {
	install.Name = "a"
	return newTestServer(t, map[string]*sitetest.WordPress{"a": w}, install)
}

// serveSite returns a server with one site, a, that was read once.
func serveSite(t testing.TB, install config.Site, w *sitetest.WordPress) *testServer {
	t.Helper()
	ts := newSite(t, install, w)
	ts.rebuild()
	return ts
}

// onePage returns a server with the site a, which has three posts at https://a.test.
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

// renders returns how many renders of a site's pages there were, including failed ones.
func (ts *testServer) renders(name string) (n int) {
	ts.t.Helper()
	for series, value := range ts.scraped() {
		if strings.HasPrefix(series, `wpsitemapd_work_total{kind="render"`) && strings.Contains(series, `site="`+name+`"`) {
			count, err := strconv.Atoi(value)
			wptest.Must(ts.t, err)
			n += count
		}
	}
	return n
}

// waiting waits until a number of requests of the site a have found no page in memory.
func (ts *testServer) waiting(requests int) {
	ts.t.Helper()
	misses := &ts.installs[0].Counted.Misses
	wptest.Eventually(ts.t, "all requests wait", func() bool { return misses.Load() == int64(requests) }, misses)
}

// testListening returns a free port, and a short drain.
func testListening() config.Listening {
	l := config.Default().Listening
	l.Listen, l.Drain = []listen.Address{"127.0.0.1:0"}, 5*time.Second
	return l
}

// rebuild reads the databases of all sites once.
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

// startUpstream starts a PHP site and returns its address.
func startUpstream(t *testing.T, h http.HandlerFunc) proxy.Upstream {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	var u proxy.Upstream
	wptest.Must(t, u.UnmarshalText([]byte(srv.URL)))
	return u
}

// siteStatus is the state of one site.
type siteStatus struct {
	Name, Error, Alarm string // Error and Alarm are "" if all is well
	Ready, Restored    bool
	Alarmed            time.Time
	Alarms, Failures   int
}

// Status returns the state of every site, in the order of the configuration.
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
