package announce

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"wpsitemapd/server/config"
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
