package announce

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest/expect"
)

const key = "0123456789abcdef"

func TestSubmitSendsWhatTheProtocolSays(t *testing.T) {
	for _, tt := range []struct {
		name, home string
		want       map[string]any
	}{
		{"a site at the root of its host", "https://www.example.com", map[string]any{
			"host": "www.example.com", "key": key, "urlList": []any{"https://www.example.com/a", "https://www.example.com/b"},
		}},
		{"a site in a folder names its key file", "https://www.example.com/blog", map[string]any{
			"host": "www.example.com", "key": key, "keyLocation": "https://www.example.com/blog/" + key + ".txt",
			"urlList": []any{"https://www.example.com/blog/a", "https://www.example.com/blog/b"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var method, kind string
			var got map[string]any
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				method, kind = r.Method, r.Header.Get("Content-Type")
				text, _ := io.ReadAll(r.Body)
				expect.Equal(t, json.Unmarshal(text, &got), nil)
			}))
			defer srv.Close()
			o := submit(t.Context(), config.IndexNow{Key: key, Endpoint: srv.URL + "/indexnow"}, tt.home, []string{tt.home + "/a", tt.home + "/b"})
			expect.Equal(t, o.Verdict, accepted, o)
			expect.Equal(t, o.Status, 200, o)
			expect.Equal(t, method, "POST")
			expect.Equal(t, kind, "application/json; charset=utf-8")
			expect.Same(t, tt.want, got)
		})
	}
}

func TestAnswers(t *testing.T) {
	for status, want := range map[int]verdict{
		200: accepted, 202: accepted, 400: refused, 403: refused, 422: refused, 404: refused, 301: refused, 429: retry, 503: retry, 500: retry, 408: retry,
	} {
		elsewhere := 0
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				elsewhere++
				return
			}
			w.Header().Set("Location", "/elsewhere")
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(status)
			io.WriteString(w, "{\"message\":\n  \"what is "+key+" \xff\"}"+strings.Repeat("x", 10_000))
		}))
		defer srv.Close()
		got := submit(t.Context(), config.IndexNow{Key: key, Endpoint: srv.URL + "/"}, "https://a.test", []string{"https://a.test/x"})
		if got.Verdict != want || got.Status != status || (want == retry) != (got.RetryAfter == 2*time.Minute) {
			t.Errorf("%d: %+v", status, got)
		}
		if fine := want == accepted; fine != (got.Reason == "") || fine != (got.Hint == "") {
			t.Errorf("%d: reason %q, hint %q", status, got.Reason, got.Hint)
		}
		if strings.Contains(got.Reason, key) || len(got.Reason) > maxAnswer+100 || strings.Contains(got.Reason, "\n") || !utf8.ValidString(got.Reason) {
			t.Errorf("%d: reason %q", status, got.Reason)
		}
		if elsewhere > 0 {
			t.Errorf("%d: a redirect was followed", status)
		}
	}
}

func TestNoAnswer(t *testing.T) {
	srv := httptest.NewServer(nil)
	srv.Close()
	o := submit(t.Context(), config.IndexNow{Key: key, Endpoint: srv.URL}, "https://a.test", []string{"https://a.test/x"})
	if o.Verdict != retry || o.Status != 0 || o.Reason == "" || strings.Contains(o.Reason, key) {
		t.Errorf("%+v", o)
	}
	hang := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer hang.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	expect.Equal(t, submit(ctx, config.IndexNow{Key: key, Endpoint: hang.URL}, "https://a.test", []string{"https://a.test/x"}).Verdict, retry)
}

// A reason has the status, and what the engine said without the key. Success is any status of 2xx.
func TestReasons(t *testing.T) {
	for _, tt := range []struct {
		status int
		said   string
		want   string
	}{
		{200, "ignored", ""}, {299, "", ""}, {300, "", "300 Multiple Choices"}, {403, "", "403 Forbidden"}, {403, " the key\n " + key + "\tis wrong ", "403 Forbidden: the key KEY is wrong"},
	} {
		var agent string
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			agent = r.UserAgent()
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.said)
		}))
		defer srv.Close()
		o := submit(t.Context(), config.IndexNow{Key: key, Endpoint: srv.URL}, "https://a.test", []string{"https://a.test/x"})
		expect.Equal(t, o.Reason, tt.want, tt.status)
		expect.Equal(t, agent, "wpsitemapd")
	}
}

// After a request there is a pause: five minutes, longer for many addresses, and growing after failures up to an hour. What another
// daemon sends is not counted here.
func TestPausesBetweenRequests(t *testing.T) {
	now := time.Unix(1e9, 0)
	s := &Session{Now: func() time.Time { return now }}
	for _, tt := range []struct {
		rule   string
		before announced
		urls   int
		o      outcome
		want   metrics.Announcements
		pause  time.Duration
		failed int
	}{
		{"few addresses", announced{}, 3, outcome{Status: 200}, metrics.Announcements{Status: 200, Last: now, Sent: 3}, rest, 0},
		{"many addresses", announced{}, 10_000, outcome{Status: 200}, metrics.Announcements{Status: 200, Last: now, Sent: 10_000}, 10 * time.Minute, 0},
		{"nothing to send", announced{failed: 2}, 0, outcome{}, metrics.Announcements{}, rest, 0},
		{"another daemon sends them", announced{failed: 1}, 3, outcome{Elsewhere: true}, metrics.Announcements{}, rest, 0},
		{"refused", announced{failed: 4}, 3, outcome{Verdict: refused, Status: 403, Reason: "x"}, metrics.Announcements{Status: 403, Last: now, Reason: "x", Refused: 3}, rest, 0},
		{"a first failure", announced{}, 3, outcome{Verdict: retry, Status: 503, Reason: "x"}, metrics.Announcements{Status: 503, Last: now, Reason: "x", Waiting: 3}, firstRetry, 1},
		{"a third failure", announced{failed: 2}, 3, outcome{Verdict: retry}, metrics.Announcements{Last: now, Waiting: 3}, 4 * firstRetry, 3},
		{"the hundredth failure", announced{failed: 99}, 3, outcome{Verdict: retry}, metrics.Announcements{Last: now, Waiting: 3}, lastRetry, 100},
		{"the engine asks to wait", announced{}, 3, outcome{Verdict: retry, RetryAfter: 2 * time.Hour}, metrics.Announcements{Last: now, Waiting: 3}, 2 * time.Hour, 1},
		{"success after failures", announced{failed: 3, stats: metrics.Announcements{Waiting: 7, Sent: 1}}, 2, outcome{Status: 200},
			metrics.Announcements{Status: 200, Last: now, Sent: 3}, rest, 0},
	} {
		k := tt.before
		s.count(&k, tt.urls, tt.o)
		expect.Equal(t, k.stats, tt.want, tt.rule)
		expect.Equal(t, k.due.Sub(now), tt.pause, tt.rule)
		expect.Equal(t, k.failed, tt.failed, tt.rule)
	}
}

// A refusal is an error, because the addresses are lost. A failure is a warning. Nothing is logged if there was nothing to announce.
func TestResultsAreLogged(t *testing.T) {
	for _, tt := range []struct {
		urls int
		o    outcome
		want string
	}{
		{3, outcome{}, "level=INFO msg=announced blog=7 urls=3 left=1"}, {0, outcome{}, ""}, {3, outcome{Elsewhere: true}, "level=DEBUG"},
		{3, outcome{Verdict: refused}, "level=ERROR"}, {3, outcome{Verdict: retry}, "level=WARN"}, {0, outcome{Verdict: retry}, "level=WARN"},
	} {
		var log bytes.Buffer
		s := &Session{Site: site.New(config.Site{}, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))}
		s.log(&site.Blog{ID: 7}, tt.urls, 1, tt.o)
		expect.Contains(t, log.String(), tt.want)
		expect.Equal(t, log.Len() > 0, tt.want != "", tt)
	}
}
