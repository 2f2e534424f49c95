package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"wpsitemapd/server/config"
)

// sink is a ResponseWriter that needs no memory after the first answer.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header              { return s.header }
func (s *sink) WriteHeader(status int)           { s.status = status }
func (s *sink) SetWriteDeadline(time.Time) error { return nil }
func (s *sink) Write(b []byte) (int, error)      { return len(b), nil }

// BenchmarkCachedPage answers requests for cached pages, without net/http.
func BenchmarkCachedPage(b *testing.B) {
	ts := serveSite(b, config.Site{HTML: true, CacheControl: "max-age=60"}, threePosts(b, "https://a.test"))
	ask := func(header ...string) (*http.Request, *sink) {
		r, w := httptest.NewRequest(http.MethodGet, "/post-sitemap2.xml", nil), &sink{header: http.Header{}}
		r.Host = "a.test"
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		ts.ServeHTTP(w, r)
		return r, w
	}
	_, first := ask("Accept-Encoding", "gzip")
	for name, header := range map[string][]string{
		"gzip":           {"Accept-Encoding", "gzip, deflate, br"},
		"304 by its tag": {"Accept-Encoding", "gzip", "If-None-Match", first.header.Get("ETag")},
		"304 by date":    {"Accept-Encoding", "gzip", "If-Modified-Since", first.header.Get("Last-Modified")},
	} {
		b.Run(name, func(b *testing.B) {
			r, w := ask(header...)
			if want := map[bool]int{true: 200, false: 304}[name == "gzip"]; w.status != want {
				b.Fatalf("%d: %v", w.status, w.header)
			}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				ts.ServeHTTP(w, r)
			}
		})
	}
}
