package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/store/sqlite"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A held loss is an alarm, on the page and for machines, until an operator accepts it. A browser is led back to the page.
func TestLossIsAccepted(t *testing.T) {
	ts := readBasic(t, proxy.Upstream{})
	var log bytes.Buffer
	ts.Log = slog.New(slog.NewTextHandler(&log, nil))
	wptest.Exec(t, ts.install.Config.DSN.Reveal(), "UPDATE wp_posts SET post_status = 'draft' WHERE post_type = 'post'")
	ts.read()
	s := ts.summary(ts.install)
	expect.Equal(t, s.Alarm != "" && s.Alarms == 1 && time.Since(s.Alarmed) < time.Minute, true, s.Alarm, s.Alarms, s.Alarmed)
	expect.Equal(t, ts.metrics().Sites[0].Alarmed, true)
	_, page := ts.askAdmin("/")
	expect.Contains(t, page, "most of its URLs are missing")
	status, text := ts.sendAdmin("POST", "/sites/basic/accept", "")
	expect.Equal(t, status, 202)
	expect.Equal(t, text, "Site basic is read again, and the loss is accepted.\n")
	expect.Contains(t, log.String(), "an operator accepted the loss")
	ts.read()
	expect.Equal(t, ts.summary(ts.install).Alarm, "")

	r := withHeader(httptest.NewRequest("POST", "http://127.0.0.1:9090/sites/basic/read", nil), []string{"Accept", "text/html,*/*"})
	r.RemoteAddr = "127.0.0.1:4711"
	rec := httptest.NewRecorder()
	ts.admin.ServeHTTP(rec, r)
	expect.Equal(t, rec.Code, http.StatusSeeOther)
	expect.Equal(t, rec.Header().Get("Location"), "/sites/basic")
}

// Orders need POST. The token is for the requests of check --public.
func TestOrders(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	for _, order := range []string{"accept", "read", "public", "token"} {
		status, _ := ts.askAdmin("/sites/basic/" + order)
		expect.Equal(t, status, 405, order)
		status, _ = ts.sendAdmin("POST", "/sites/none/"+order, "")
		expect.Equal(t, status, 404, order)
	}
	_, text := ts.sendAdmin("POST", "/sites/basic/token", "")
	expect.Equal(t, ts.install.Crawls.Own(strings.TrimSpace(text)), true, "the token is good:")
}

// The report of check --public is shown until the next one, with a bounded number of problems.
func TestPublicReport(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ts.Now = func() time.Time { return now }
	send := func(problems int) (int, string) {
		report := PublicCheck{At: now.Add(-time.Hour), Requests: 7}
		for i := range problems {
			report.Problems = append(report.Problems, fmt.Sprintf("problem <%d>", i))
		}
		text, err := json.Marshal(report)
		wptest.Must(t, err)
		return ts.sendAdmin("POST", "/sites/basic/public", string(text))
	}
	status, text := send(120)
	expect.Equal(t, status, 202)
	expect.Equal(t, text, "The report is shown on the status page.\n")
	p := ts.summary(ts.install).Public
	expect.Equal(t, fmt.Sprint(len(p.Problems), p.Requests, p.At == now), "100 7 true")
	_, page := ts.askAdmin("/sites/basic")
	expect.Parts(t, page, "Crawlers may not get the sitemaps of this site", "problem &lt;99&gt;")
	status, _ = send(0)
	expect.Equal(t, status, 202)
	expect.Equal(t, len(ts.summary(ts.install).Public.Problems), 0)
	for _, body := range []string{"", "no JSON", `{"problems": ["` + strings.Repeat("x", maxPublic) + `"]}`} {
		status, text = ts.sendAdmin("POST", "/sites/basic/public", body)
		expect.Equal(t, status, 400, len(body))
		expect.Contains(t, text, "not a report")
	}
}

// A refusal is logged at most once a minute, so that nobody can fill the log.
func TestRefusalsAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		h := &handler{View: &View{Log: slog.New(slog.NewTextHandler(&log, nil))}}
		refuse := func() int {
			h.noteRefusal(asked("GET", nil), 403)
			return strings.Count(log.String(), "refused a request")
		}
		expect.Equal(t, refuse(), 1)
		time.Sleep(refusedEvery - time.Second)
		expect.Equal(t, refuse(), 1)
		time.Sleep(time.Second)
		expect.Equal(t, refuse(), 2)
	})
}

// While sites are not ready, load balancers come again. Only those who may see the status page learn the names of the sites.
func TestReadyIsDiscreet(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	ts.install.Publish(new(site.Snapshot))
	for remote, want := range map[string]string{"127.0.0.1:4711": "site basic is not ready\n", "192.0.2.7:4711": "1 sites are not ready\n"} {
		r := httptest.NewRequest("GET", "http://127.0.0.1:9090/readyz", nil)
		r.RemoteAddr = remote
		rec := httptest.NewRecorder()
		ts.admin.ServeHTTP(rec, r)
		expect.Equal(t, rec.Code, 503, remote)
		expect.Equal(t, rec.Header().Get("Retry-After"), "30", remote)
		expect.Equal(t, rec.Body.String(), want, remote)
	}
}

// Profiles may contain secrets, so that they need a token. The files of the pages do not.
func TestProfilesNeedToken(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	status, text := ts.askAdmin("/debug/pprof/")
	expect.Equal(t, status, 403)
	expect.Contains(t, text, "admin_token")
	for _, path := range []string{"/admin.css", "/admin.js", "/icon.svg"} {
		status, text = ts.askAdmin(path)
		expect.Equal(t, status, 200, path)
		expect.Equal(t, text != "", true, path)
	}
	ts.config.AdminToken = token
	status, text = ts.askAdmin("/debug/pprof/", "Authorization", "Bearer "+token)
	expect.Equal(t, status, 200)
	expect.Contains(t, text, "goroutine")
}

// Every answer tells its length, and must be neither cached nor found by search engines.
func TestAnswersAreNotCached(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	for path, contentType := range map[string]string{
		"/": "text/html; charset=utf-8", "/sites.json": "application/json", "/sites/basic/listed.csv": "text/csv; charset=utf-8",
		"/sites/basic/changes.atom": "application/atom+xml; charset=utf-8", "/healthz": "text/plain; charset=utf-8",
	} {
		r := httptest.NewRequest("GET", "http://127.0.0.1:9090"+path, nil)
		r.RemoteAddr = "127.0.0.1:4711"
		rec := httptest.NewRecorder()
		ts.admin.ServeHTTP(rec, r)
		h := rec.Header()
		expect.Equal(t, h.Get("Content-Type"), contentType, path)
		expect.Equal(t, h.Get("Cache-Control"), "no-store", path)
		if strings.Contains(contentType, "plain") {
			continue
		}
		expect.Equal(t, h.Get("X-Robots-Tag"), "noindex, nofollow", path)
		expect.Equal(t, h.Get("Cross-Origin-Opener-Policy")+" "+h.Get("Cross-Origin-Resource-Policy"), "same-origin same-origin", path)
		if n := h.Get("Content-Length"); !strings.Contains(contentType, "csv") {
			expect.Equal(t, n, strconv.Itoa(rec.Body.Len()), path)
		}
	}
}

// /explain.json tells an unknown host from an address that is none.
func TestExplainStatus(t *testing.T) {
	t.Parallel()
	ts := readBasic(t, proxy.Upstream{})
	ts.install.Publish(new(site.Snapshot))
	for address, want := range map[string]int{"nonsense": 400, "/hello/": 503} {
		status, _ := ts.askAdmin("/explain.json?url=" + address)
		expect.Equal(t, status, want, address)
	}
	status, page := ts.askAdmin("/explain")
	expect.Equal(t, status, 200)
	expect.Equal(t, strings.Contains(page, "answer"), false, "the form has no answer yet")
	for _, path := range []string{"listed", "valid.json", "left-out", "left-out.csv", "listed.csv", "changes", "visited"} {
		status, text := ts.askAdmin("/sites/basic/" + path)
		expect.Equal(t, status, 503, path)
		expect.Contains(t, text, "the site has not been read yet", path)
	}
}

// The history of a site gets a point every ten minutes. It is saved each hour and when the daemon stops, and read when it starts.
func TestHistoryIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := readBasic(t, proxy.Upstream{})
		ts.Now = time.Now
		kept, stop := servertest.OpenStore(t, sqlite.Backend, t.TempDir(), store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "basic")
		defer stop()
		saved := func() int {
			var points []metrics.Point
			kept.Note(store.Note{Site: "basic", Name: "history"}, &points)
			return len(points)
		}
		run := func(d time.Duration) {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); ts.KeepHistory(ctx) }()
			time.Sleep(d)
			cancel()
			<-ended
			synctest.Wait()
		}
		run(time.Second) // without a store, nothing is saved
		ts.install.Counted = new(metrics.SiteCounts)
		ts.Store = func() *store.Store { return kept }
		expect.Equal(t, ts.storeStats() != nil, true, "the page shows the store")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go ts.KeepHistory(ctx)
		time.Sleep(site.FirstTimeout + 4*metrics.Every + time.Second)
		expect.Equal(t, saved(), 0, "after five points")
		time.Sleep(metrics.Every)
		servertest.Written(t, kept)
		expect.Equal(t, saved(), 6, "after an hour")
		time.Sleep(metrics.Every)
		cancel()
		synctest.Wait()
		servertest.Written(t, kept)
		expect.Equal(t, saved(), 7, "at the end")

		ts.install.Counted = new(metrics.SiteCounts)
		run(time.Second)
		expect.Equal(t, len(ts.install.Counted.History.Points()), 8, "after the next start")
	})
}
