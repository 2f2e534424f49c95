package server

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// What check --public reports is on the status page, as text, until the next report.
func TestPublicReportIsShown(t *testing.T) {
	g := newGuarded(t, map[string]int{"post": 100})
	ask := func(method, body string) (int, string) {
		path := map[string]string{"GET": "/sites/a", "POST": "/sites/a/public"}[method]
		r := httptest.NewRequest(method, "http://127.0.0.1:9090"+path, strings.NewReader(body))
		r.RemoteAddr = "127.0.0.1:4711"
		rec := httptest.NewRecorder()
		g.admin.ServeHTTP(rec, r)
		return rec.Code, rec.Body.String()
	}
	shown := func() string { _, body := ask("GET", ""); return body }
	if strings.Contains(shown(), "check --public") {
		t.Error("a report is shown before there is one")
	}
	for body, want := range map[string]int{
		`{"requests": 12, "problems": ["https://a.test/<b> answers 403: let it pass"]}`: 202, "nonsense": 400, strings.Repeat("x", 1<<20): 400,
	} {
		if got, _ := ask("POST", body); got != want {
			t.Errorf("%.20s: %d", body, got)
		}
	}
	if body := shown(); !strings.Contains(body, "https://a.test/&lt;b&gt; answers 403: let it pass") {
		t.Error(body)
	}
	ask("POST", `{"requests": 12, "problems": []}`)
	if body := shown(); strings.Contains(body, "answers 403") || !strings.Contains(body, "no trouble") {
		t.Error(body)
	}
}
