package front

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/wp/wptest/expect"
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

// cachedPage returns requests for a cached page by name, each with what must answer it, and a function that answers a request
// without net/http.
func cachedPage(t testing.TB) (map[string]cachedRequest, func(*http.Request, *sink)) {
	ts := serveSite(t, config.Site{HTML: true, CacheControl: "max-age=60"}, sitetest.ThreePosts(t, "https://a.test"))
	request := func(header ...string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/post-sitemap2.xml", nil)
		r.Host = "a.test"
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return r
	}
	answer := func(r *http.Request, w *sink) {
		clear(w.header)
		ts.ServeHTTP(w, r)
	}
	first := &sink{header: http.Header{}}
	answer(request("Accept-Encoding", "gzip"), first)
	return map[string]cachedRequest{
		"gzip":           {request("Accept-Encoding", "gzip, deflate, br"), http.StatusOK},
		"304 by its tag": {request("Accept-Encoding", "gzip", "If-None-Match", first.header.Get("ETag")), http.StatusNotModified},
		"304 by date":    {request("Accept-Encoding", "gzip", "If-Modified-Since", first.header.Get("Last-Modified")), http.StatusNotModified},
	}, answer
}

type cachedRequest struct {
	*http.Request
	want int
}

// What an answer needs beside the values of its header fields was made with the page.
func TestCachedPageAllocatesLittle(t *testing.T) {
	requests, answer := cachedPage(t)
	for name, r := range requests {
		w := &sink{header: http.Header{}}
		answer(r.Request, w)
		expect.Equal(t, w.status, r.want, name, w.header)
		if n := testing.AllocsPerRun(100, func() { answer(r.Request, w) }); n > 11 {
			t.Errorf("%s: %v allocations an answer", name, n)
		}
	}
}

// BenchmarkCachedPage answers requests for cached pages, without net/http.
func BenchmarkCachedPage(b *testing.B) {
	requests, answer := cachedPage(b)
	for name, r := range requests {
		b.Run(name, func(b *testing.B) {
			w := &sink{header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				answer(r.Request, w)
			}
			expect.Equal(b, w.status, r.want)
		})
	}
}
