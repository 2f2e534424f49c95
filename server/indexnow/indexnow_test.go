package indexnow

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
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
				if err := json.Unmarshal(text, &got); err != nil {
					t.Error(err)
				}
			}))
			defer srv.Close()
			o := (&Client{}).Submit(t.Context(), Options{Key: key, Endpoint: srv.URL + "/indexnow"}, tt.home, []string{tt.home + "/a", tt.home + "/b"})
			if o.Verdict != Accepted || o.Status != 200 || o.Pending {
				t.Errorf("%+v", o)
			}
			if method != "POST" || kind != "application/json; charset=utf-8" {
				t.Errorf("%s with %q", method, kind)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		status int
		header string // Retry-After
		want   Outcome
	}{
		{200, "", Outcome{Verdict: Accepted}},
		{202, "", Outcome{Verdict: Accepted, Pending: true}},
		{400, "", Outcome{Verdict: Refused}},
		{403, "", Outcome{Verdict: Refused}},
		{422, "", Outcome{Verdict: Refused}},
		{404, "", Outcome{Verdict: Refused}},
		{301, "", Outcome{Verdict: Refused}},
		{429, "", Outcome{Verdict: Later}},
		{429, "120", Outcome{Verdict: Later, RetryAfter: 2 * time.Minute}},
		{429, "99999999", Outcome{Verdict: Later, RetryAfter: maxRetryAfter}},
		{429, "soon", Outcome{Verdict: Later}},
		{429, "-5", Outcome{Verdict: Later}},
		{503, noon.Add(5 * time.Minute).Format(http.TimeFormat), Outcome{Verdict: Later, RetryAfter: 5 * time.Minute}},
		{503, noon.Add(-5 * time.Minute).Format(http.TimeFormat), Outcome{Verdict: Later}},
		{500, "", Outcome{Verdict: Later}},
		{408, "", Outcome{Verdict: Later}},
	} {
		t.Run(http.StatusText(tt.status)+" "+tt.header, func(t *testing.T) {
			elsewhere := 0
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/elsewhere" {
					elsewhere++
					return
				}
				w.Header().Set("Location", "/elsewhere")
				if tt.header != "" {
					w.Header().Set("Retry-After", tt.header)
				}
				w.WriteHeader(tt.status)
				io.WriteString(w, "{\"message\":\n  \"what is "+key+" \xff\"}"+strings.Repeat("x", 10_000))
			}))
			defer srv.Close()
			c := Client{Now: func() time.Time { return noon }}
			got := c.Submit(t.Context(), Options{Key: key, Endpoint: srv.URL + "/"}, "https://a.test", []string{"https://a.test/x"})
			if accepted := tt.want.Verdict == Accepted; accepted != (got.Reason == "") || accepted != (got.Hint == "") {
				t.Errorf("reason %q, hint %q", got.Reason, got.Hint)
			}
			if strings.Contains(got.Reason, key) || len(got.Reason) > maxAnswer+100 || strings.Contains(got.Reason, "\n") || !utf8.ValidString(got.Reason) {
				t.Errorf("reason %q", got.Reason)
			}
			if elsewhere > 0 {
				t.Error("a redirect was followed")
			}
			got.Reason, got.Hint = "", ""
			tt.want.Status = tt.status
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNoAnswer(t *testing.T) {
	srv := httptest.NewServer(nil)
	srv.Close()
	o := (&Client{}).Submit(t.Context(), Options{Key: key, Endpoint: srv.URL}, "https://a.test", []string{"https://a.test/x"})
	if o.Verdict != Later || o.Status != 0 || o.Reason == "" || strings.Contains(o.Reason, key) {
		t.Errorf("%+v", o)
	}
	hang := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer hang.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if o := (&Client{}).Submit(ctx, Options{Key: key, Endpoint: hang.URL}, "https://a.test", []string{"https://a.test/x"}); o.Verdict != Later {
		t.Errorf("%+v", o)
	}
}

// on is an address of a.test.
func on(path string) string { return "https://a.test" + path }

// next takes what is due and tells that it went so.
func next(q *Queue, at time.Time, rate int, o Outcome) []string {
	batch, _ := q.Next(at, rate)
	if len(batch) > 0 {
		q.Done(at, batch, rate, o)
	}
	return batch
}

func TestQueueWaitsForTheRestOfAnEdit(t *testing.T) {
	q := NewQueue("https://a.test/", nil)
	q.Add(noon, []string{on("/a"), on("/b")})
	if batch, wait := q.Next(noon.Add(settle/2), 100); batch != nil || wait != settle/2 {
		t.Errorf("%q, %v", batch, wait)
	}
	q.Add(noon.Add(settle/2), []string{on("/b"), on("/c")})
	at := noon.Add(settle)
	if got := next(q, at, 100, Outcome{}); !slices.Equal(got, []string{on("/a"), on("/b"), on("/c")}) {
		t.Errorf("%q", got)
	}
	if batch, wait := q.Next(at, 100); batch != nil || wait < time.Minute {
		t.Errorf("there is more: %q, %v", batch, wait)
	}
	if s := q.Stats(); s.Sent != 3 || s.Waiting != 0 || !s.Last.Equal(at) {
		t.Errorf("%+v", s)
	}
}

func TestQueueAnnouncesAnAddressOnceInAWhile(t *testing.T) {
	q := NewQueue("https://a.test", nil)
	q.Add(noon, []string{on("/a")})
	sent := noon.Add(settle)
	next(q, sent, 100, Outcome{})
	q.Add(sent.Add(time.Minute), []string{on("/a"), on("/b")})
	at := sent.Add(2 * time.Minute)
	if got := next(q, at, 100, Outcome{}); !slices.Equal(got, []string{on("/b")}) {
		t.Errorf("%q", got)
	}
	at = at.Add(leastPause)
	if batch, wait := q.Next(at, 100); batch != nil || !at.Add(wait).Equal(sent.Add(again)) {
		t.Errorf("%q, %v", batch, wait)
	}
	if got := next(q, sent.Add(again), 100, Outcome{}); !slices.Equal(got, []string{on("/a")}) {
		t.Errorf("the second change is lost: %q", got)
	}
}

func TestQueueKeepsToItsRate(t *testing.T) {
	q := NewQueue("https://a.test", nil)
	var urls []string
	for i := range 250 {
		urls = append(urls, on("/"+strings.Repeat("x", i+1)))
	}
	q.Add(noon, urls)
	at := noon.Add(settle)
	for _, want := range []int{100, 100, 50} {
		if got := next(q, at, 100, Outcome{}); len(got) != want {
			t.Fatalf("%d addresses, want %d", len(got), want)
		}
		if batch, _ := q.Next(at.Add(29*time.Second), 100); len(batch) > 0 {
			t.Fatal("more than the rate")
		}
		at = at.Add(time.Minute)
	}
	big := NewQueue("https://a.test", nil)
	for i := range MaxBatch + 5 {
		big.put(on("/" + string(rune('a'+i%26)) + strings.Repeat("y", i/26)))
	}
	if batch, _ := big.Next(noon, 1_000_000); len(batch) != MaxBatch {
		t.Errorf("a batch of %d", len(batch))
	}
}

func TestQueueTriesAgain(t *testing.T) {
	q := NewQueue("https://a.test", nil)
	q.Add(noon, []string{on("/a")})
	at := noon.Add(settle)
	least := firstRetry
	for i := range 12 {
		if got := next(q, at, 100, Outcome{Verdict: Later, Status: 503, Reason: "503"}); len(got) != 1 {
			t.Fatalf("attempt %d: %q", i, got)
		}
		_, wait := q.Next(at, 100)
		if wait < least || wait > least+time.Duration(jitter*float64(least)) {
			t.Fatalf("attempt %d is followed by a pause of %v, want about %v", i, wait, least)
		}
		at, least = at.Add(wait), min(2*least, lastRetry)
	}
	next(q, at, 100, Outcome{Verdict: Later, Status: 429, RetryAfter: 5 * time.Hour})
	if _, wait := q.Next(at, 100); wait != 5*time.Hour {
		t.Errorf("Retry-After is not heeded: %v", wait)
	}
	q.Add(at, []string{on("/b")})
	if batch, _ := q.Next(at.Add(4*time.Hour), 100); batch != nil {
		t.Error("another address brings the pause to an end")
	}
	at = at.Add(5 * time.Hour)
	if got := next(q, at, 100, Outcome{}); len(got) != 2 {
		t.Errorf("%q", got)
	}
	if s := q.Stats(); s.Sent != 2 || s.Reason != "" {
		t.Errorf("%+v", s)
	}
}

func TestQueueDoesNotRepeatWhatWasRefused(t *testing.T) {
	q := NewQueue("https://a.test", nil)
	q.Add(noon, []string{on("/a")})
	at := noon.Add(settle)
	next(q, at, 100, Outcome{Verdict: Refused, Status: 403, Reason: "403 Forbidden"})
	if s := q.Stats(); s.Waiting != 0 || s.Refused != 1 || s.Sent != 0 || s.Status != 403 || s.Reason == "" {
		t.Errorf("%+v", s)
	}
	q.Add(at.Add(time.Second), []string{on("/a")})
	if batch, wait := q.Next(at.Add(time.Minute), 100); batch != nil || wait != refusal-time.Minute {
		t.Errorf("%q, %v", batch, wait)
	}
	if got := next(q, at.Add(refusal), 100, Outcome{}); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

func TestQueueTakesAddressesBelowHome(t *testing.T) {
	q := NewQueue("https://a.test/blog", nil)
	q.Add(noon, []string{
		"https://a.test/blog", "https://a.test/blog/", "https://a.test/blog/x", "https://a.test/blog?p=1", "https://a.test/blogs/x",
		"https://a.test/", "https://b.test/blog/x", "http://a.test/blog/x",
	})
	want := []string{"https://a.test/blog", "https://a.test/blog/", "https://a.test/blog/x", "https://a.test/blog?p=1"}
	if got := q.Waiting(); !slices.Equal(got, want) || q.Stats().Foreign != 4 {
		t.Errorf("%q, %+v", got, q.Stats())
	}
	if got := NewQueue("https://a.test/blog", want).Waiting(); !slices.Equal(got, want) {
		t.Errorf("an earlier queue comes back as %q", got)
	}
}

func TestQueueIsBounded(t *testing.T) {
	q := NewQueue("https://a.test", nil)
	for i := range MaxQueue + 10 {
		q.put(on("/" + string(rune('a'+i%26)) + strings.Repeat("z", i/26)))
	}
	if q.Room() != 0 || q.Stats().Dropped != 10 {
		t.Errorf("room %d, %+v", q.Room(), q.Stats())
	}
}
