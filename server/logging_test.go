package server

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/report"
)

// injected is where clients, databases and files write.
var injected = "a\r\nlevel=ERROR msg=forged\x1b[2J\x9b31m\u202egnp\u2066\x00\x7f\u0085\u2028\"} {\xff\U000e0041"

func TestAccessLogByConfiguration(t *testing.T) {
	tests := []struct {
		rule   string
		config config.Config
		lines  int
		level  string
	}{
		{"none by default", config.Config{}, 0, ""},
		{"at level info where it is wanted", config.Config{AccessLog: true}, 1, "INFO"},
		{"at level debug", config.Config{LogLevel: slog.LevelDebug}, 1, "DEBUG"},
		{"once where both hold", config.Config{LogLevel: slog.LevelDebug, AccessLog: true}, 1, "INFO"},
	}
	for _, test := range tests {
		for _, form := range []string{"text", "json"} {
			c := test.config
			c.Log, c.Listening = form, testListening()
			c.Sites = []config.Site{{Name: "a", Hosts: []config.Host{"a.test"}}}
			var b bytes.Buffer
			s := New(&c, report.NewLogger(&c, &b))
			r := httptest.NewRequest("GET", "/x", nil)
			r.RequestURI = "/post%20\x1b[2J\nsitemap" + strings.Repeat("x", 10_000)
			r.Host = "nobody.test\n" + strings.Repeat("h", 1000)
			r.Method = "GET" + strings.Repeat("T", 500)
			r.Header.Set("User-Agent", injected+strings.Repeat("x", 10_000))
			s.ServeHTTP(httptest.NewRecorder(), r)
			text := b.String()
			if n := strings.Count(text, "\n"); n != test.lines || n != strings.Count(text, "request") {
				t.Errorf("%s, %s: %d lines: %q", test.rule, form, n, text)
				continue
			}
			if test.lines > 0 &&
				(!strings.Contains(text, test.level) || len(text) > 4000 || !strings.Contains(text, "421") && !strings.Contains(text, "503")) {
				t.Errorf("%s, %s: %d bytes: %q", test.rule, form, len(text), text)
			}
		}
	}
}

// Every line is counted, also those of levels that are not written.
func TestWarningsAreCounted(t *testing.T) {
	var b bytes.Buffer
	c := config.Config{Listening: testListening(), LogLevel: slog.LevelError, Sites: []config.Site{{Name: "a"}, {Name: "b"}}}
	s := New(&c, report.NewLogger(&c, &b))
	s.log.Warn("of nobody")
	s.installs[0].Log.Warn("of a site", "x", 1)
	s.installs[0].Log.With("blog", 2).WithGroup("g").Error("of its blog", "y", 2)
	s.installs[1].Log.Info("of another")
	got := []int64{
		s.counted.Warnings.Load(), s.counted.Errors.Load(), s.installs[0].Counted.Warnings.Load(), s.installs[0].Counted.Errors.Load(),
		s.installs[1].Counted.Warnings.Load(),
	}
	for i, want := range []int64{2, 1, 1, 1, 0} {
		if got[i] != want {
			t.Errorf("counted %v", got)
			break
		}
	}
	if text := b.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "site=a blog=2 g.y=2") {
		t.Errorf("log: %s", text)
	}
}
