package front

import (
	"context"
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
func answeredBy(log *slog.Logger, agent string) (*Handler, *crawler.Log, *record, *http.Request) {
	crawlers := crawler.New(nil, nil)
	h := New(log, nil, &metrics.Process{}, time.Now)
	h.Configure(&config.Config{})
	s := site.New(config.Site{Name: "a"}, log)
	s.Counted, s.Crawls = new(metrics.Sites).Site("a"), crawlers.Site("a")
	r := httptest.NewRequest("GET", "https://a.test/post-sitemap.xml", nil)
	r.RemoteAddr = "127.0.0.1:4711"
	r.Header.Set("User-Agent", agent)
	r.Header.Set("X-Forwarded-For", "66.249.66.1")
	to := &route.Target{Visit: route.Visit{Mount: route.Mount{Site: s}, Blog: &site.Blog{}}, Resource: route.Resource{Name: "post", Page: 1}, Asked: "post"}
	return h, crawlers, &record{site: s, kind: metrics.Sitemap, target: to, status: 200, bytes: 1000}, r
}

// The crawler log costs a request no memory.
func TestNoteFetchDoesNotAllocate(t *testing.T) {
	h, crawlers, w, r := answeredBy(slog.New(slog.DiscardHandler), googlebot)
	go crawlers.Run(t.Context())
	at := time.Now()
	// the log itself does, beside the request; so the least of some attempts counts
	least := 1.0
	for range 5 {
		least = min(least, testing.AllocsPerRun(10, func() {
			h.noteFetch(w, r, at)
			time.Sleep(time.Microsecond)
		}))
	}
	if least > 0 {
		t.Errorf("%v allocations", least)
	}
}

func BenchmarkNoteFetch(b *testing.B) {
	for name, agent := range map[string]string{
		"crawler": googlebot, "browser": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
	} {
		b.Run(name, func(b *testing.B) {
			h, crawlers, w, r := answeredBy(slog.New(slog.DiscardHandler), agent)
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			go crawlers.Run(ctx)
			at := time.Now()
			b.ReportAllocs()
			for b.Loop() {
				h.noteFetch(w, r, at)
			}
		})
	}
}

// Counting an answer allocates nothing.
func TestCountingDoesNotAllocate(t *testing.T) {
	h, _, w, r := answeredBy(slog.New(slog.DiscardHandler), googlebot)
	at := time.Now()
	if n := testing.AllocsPerRun(100, func() { h.answered(w, r, at) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkCounting is what counters and histograms add to a request; with the access log on, what its line does.
func BenchmarkCounting(b *testing.B) {
	for _, log := range []bool{false, true} {
		b.Run(fmt.Sprintf("access log %v", log), func(b *testing.B) {
			h, _, w, r := answeredBy(slog.New(slog.NewJSONHandler(io.Discard, nil)), googlebot)
			h.access.Store(log)
			at := time.Now()
			b.ReportAllocs()
			for b.Loop() {
				h.answered(w, r, at)
			}
		})
	}
}
