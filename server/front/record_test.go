package front

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/crawler"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
)

const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

// answeredBy is a handler with an answer to a request for a sitemap.
func answeredBy(log *slog.Logger, agent string) (*Handler, *record, *http.Request) {
	h := New(log, nil, &metrics.Process{}, time.Now)
	h.Configure(&config.Config{})
	s := site.New(config.Site{Name: "a"}, log)
	s.Counted, s.Crawls = new(metrics.Sites).Site("a"), crawler.New(nil, nil).Site("a")
	r := httptest.NewRequest("GET", "https://a.test/post-sitemap.xml", nil)
	r.RemoteAddr = "127.0.0.1:4711"
	r.Header.Set("User-Agent", agent)
	r.Header.Set("X-Forwarded-For", "66.249.66.1")
	to := &route.Target{Visit: route.Visit{Mount: route.Mount{Site: s}, Blog: &site.Blog{}}, Resource: route.Resource{Name: "post", Page: 1}, Asked: "post"}
	return h, &record{site: s, kind: metrics.Sitemap, target: to, status: 200, bytes: 1000}, r
}

// Counting an answer allocates nothing.
func TestCountingDoesNotAllocate(t *testing.T) {
	h, w, r := answeredBy(slog.New(slog.DiscardHandler), googlebot)
	at := time.Now()
	if n := testing.AllocsPerRun(100, func() { h.answered(w, r, at) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkCounting is what counters and histograms add to a request; with the access log on, what its line does.
func BenchmarkCounting(b *testing.B) {
	for _, log := range []bool{false, true} {
		b.Run(fmt.Sprintf("access log %v", log), func(b *testing.B) {
			h, w, r := answeredBy(slog.New(slog.NewJSONHandler(io.Discard, nil)), googlebot)
			h.access.Store(log)
			at := time.Now()
			b.ReportAllocs()
			for b.Loop() {
				h.answered(w, r, at)
			}
		})
	}
}
