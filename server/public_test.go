package server

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// What check --public reports is on the status page, as text, until the next report.
func TestPublicReportIsShown(t *testing.T) {
	g := newGuarded(t, map[string]int{"post": 100})
	ask := func(method, path, body string, proxied bool) (int, string) {
		r := httptest.NewRequest(method, "http://127.0.0.1:9090"+path, strings.NewReader(body))
		r.RemoteAddr = "127.0.0.1:4711"
		if proxied {
			r.Header.Set("X-Forwarded-For", "192.0.2.1")
		}
		rec := httptest.NewRecorder()
		g.admin.ServeHTTP(rec, r)
		return rec.Code, rec.Body.String()
	}
	shown := func() string { _, body := ask("GET", "/sites/a", "", false); return body }
	if strings.Contains(shown(), "check --public") {
		t.Error("a report is shown before there is one")
	}
	for _, tt := range []struct {
		body string
		want int
	}{
		{`{"requests": 12, "problems": ["https://a.test/<b> answers 403: let it pass"]}`, 202}, {"nonsense", 400}, {strings.Repeat("x", 1<<20), 400},
	} {
		if got, _ := ask("POST", "/sites/a/public", tt.body, false); got != tt.want {
			t.Errorf("%.20s: %d", tt.body, got)
		}
	}
	if got, _ := ask("POST", "/sites/a/public", "{}", true); got != 403 {
		t.Errorf("through a proxy: %d", got)
	}
	if body := shown(); !strings.Contains(body, "https://a.test/&lt;b&gt; answers 403: let it pass") {
		t.Error(body)
	}
	ask("POST", "/sites/a/public", `{"requests": 12, "problems": []}`, false)
	if body := shown(); strings.Contains(body, "answers 403") || !strings.Contains(body, "no trouble") {
		t.Error(body)
	}
}
