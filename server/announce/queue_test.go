package announce

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest/expect"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

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
	for value, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, "99999999": maxRetryAfter, "soon": 0, "-5": 0,
		noon.Add(5 * time.Minute).Format(http.TimeFormat): 5 * time.Minute, noon.Add(-5 * time.Minute).Format(http.TimeFormat): 0,
	} {
		expect.Equal(t, retryAfter(value, noon), want, "Retry-After", value)
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

// on is an address of a.test.
func on(path string) string { return "https://a.test" + path }

// next takes what is due and tells that it went so.
func next(q *queue, at time.Time, o outcome) []string {
	batch, _ := q.Next(at)
	if len(batch) > 0 {
		q.Done(at, batch, o)
	}
	return batch
}

func TestQueueWaitsForTheRestOfAnEdit(t *testing.T) {
	q := newQueue("https://a.test/", nil)
	q.Add(noon, []string{on("/a"), on("/b")})
	if batch, wait := q.Next(noon.Add(settle / 2)); batch != nil || wait != settle/2 {
		t.Errorf("%q, %v", batch, wait)
	}
	q.Add(noon.Add(settle/2), []string{on("/b"), on("/c")})
	at := noon.Add(settle)
	expect.List(t, next(q, at, outcome{}), []string{on("/a"), on("/b"), on("/c")})
	if batch, wait := q.Next(at); batch != nil || wait < time.Minute {
		t.Errorf("there is more: %q, %v", batch, wait)
	}
	if s := q.Stats(); s.Sent != 3 || s.Waiting != 0 || !s.Last.Equal(at) {
		t.Errorf("%+v", s)
	}
}

func TestQueueAnnouncesAnAddressOnceInAWhile(t *testing.T) {
	q := newQueue("https://a.test", nil)
	q.Add(noon, []string{on("/a")})
	sent := noon.Add(settle)
	next(q, sent, outcome{})
	q.Add(sent.Add(time.Minute), []string{on("/a"), on("/b")})
	at := sent.Add(2 * time.Minute)
	expect.List(t, next(q, at, outcome{}), []string{on("/b")})
	at = at.Add(leastPause)
	if batch, wait := q.Next(at); batch != nil || !at.Add(wait).Equal(sent.Add(again)) {
		t.Errorf("%q, %v", batch, wait)
	}
	expect.List(t, next(q, sent.Add(again), outcome{}), []string{on("/a")}, "the second change is lost")
}

func TestQueueKeepsToItsRate(t *testing.T) {
	q := newQueue("https://a.test", nil)
	var urls []string
	for i := range 2*rate + rate/2 {
		urls = append(urls, on("/"+strconv.Itoa(i)))
	}
	q.Add(noon, urls)
	at := noon.Add(settle)
	for _, want := range []int{rate, rate, rate / 2} {
		if got := next(q, at, outcome{}); len(got) != want {
			t.Fatalf("%d addresses, want %d", len(got), want)
		}
		if batch, _ := q.Next(at.Add(29 * time.Second)); len(batch) > 0 {
			t.Fatal("more than the rate")
		}
		at = at.Add(time.Minute)
	}
}

func TestQueueTriesAgain(t *testing.T) {
	q := newQueue("https://a.test", nil)
	q.Add(noon, []string{on("/a")})
	at := noon.Add(settle)
	least := firstRetry
	for i := range 12 {
		if got := next(q, at, outcome{Verdict: retry, Status: 503, Reason: "503"}); len(got) != 1 {
			t.Fatalf("attempt %d: %q", i, got)
		}
		_, wait := q.Next(at)
		if wait < least || wait > least+time.Duration(jitter*float64(least)) {
			t.Fatalf("attempt %d is followed by a pause of %v, want about %v", i, wait, least)
		}
		at, least = at.Add(wait), min(2*least, lastRetry)
	}
	next(q, at, outcome{Verdict: retry, Status: 429, RetryAfter: 5 * time.Hour})
	if _, wait := q.Next(at); wait != 5*time.Hour {
		t.Errorf("Retry-After is not heeded: %v", wait)
	}
	q.Add(at, []string{on("/b")})
	if batch, _ := q.Next(at.Add(4 * time.Hour)); batch != nil {
		t.Error("another address brings the pause to an end")
	}
	at = at.Add(5 * time.Hour)
	expect.Equal(t, len(next(q, at, outcome{})), 2)
	if s := q.Stats(); s.Sent != 2 || s.Reason != "" {
		t.Errorf("%+v", s)
	}
}

func TestQueueDoesNotRepeatWhatWasRefused(t *testing.T) {
	q := newQueue("https://a.test", nil)
	q.Add(noon, []string{on("/a")})
	at := noon.Add(settle)
	next(q, at, outcome{Verdict: refused, Status: 403, Reason: "403 Forbidden"})
	if s := q.Stats(); s.Waiting != 0 || s.Refused != 1 || s.Sent != 0 || s.Status != 403 || s.Reason == "" {
		t.Errorf("%+v", s)
	}
	q.Add(at.Add(time.Second), []string{on("/a")})
	if batch, wait := q.Next(at.Add(time.Minute)); batch != nil || wait != refusal-time.Minute {
		t.Errorf("%q, %v", batch, wait)
	}
	expect.Equal(t, len(next(q, at.Add(refusal), outcome{})), 1)
}

func TestQueueTakesAddressesBelowHome(t *testing.T) {
	q := newQueue("https://a.test/blog", nil)
	q.Add(noon, []string{
		"https://a.test/blog", "https://a.test/blog/", "https://a.test/blog/x", "https://a.test/blog?p=1", "https://a.test/blogs/x",
		"https://a.test/", "https://b.test/blog/x", "http://a.test/blog/x",
	})
	want := []string{"https://a.test/blog", "https://a.test/blog/", "https://a.test/blog/x", "https://a.test/blog?p=1"}
	if got := q.Waiting(); !slices.Equal(got, want) || q.Stats().Dropped != 4 {
		t.Errorf("%q, %+v", got, q.Stats())
	}
	expect.List(t, newQueue("https://a.test/blog", want).Waiting(), want, "an earlier queue comes back as")
}

func TestQueueIsBounded(t *testing.T) {
	q := newQueue("https://a.test", nil)
	for i := range maxQueue + 10 {
		q.put(on("/" + string(rune('a'+i%26)) + strings.Repeat("z", i/26)))
	}
	if q.Room() != 0 || q.Stats().Dropped != 10 {
		t.Errorf("room %d, %+v", q.Room(), q.Stats())
	}
}
