package server

import (
	"fmt"
	"net/http"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wpsitemapd/server/crawler"
	"wpsitemapd/wp/wptest"
)

const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

// crawls waits for n fetches in a site's log, and returns what it says.
func crawls(t *testing.T, s *Server, site string, n int) (r crawler.LogSummary) {
	t.Helper()
	wptest.Eventually(t, fmt.Sprintf("%d fetches", n), func() bool {
		r = named(s.running(), site).Crawls.Report()
		return len(r.Fetches) >= n
	}, &r)
	return r
}

func TestCrawlerLog(t *testing.T) {
	ts, _, _ := onePage(t)
	wptest.Must(t, ts.config.Trusted.Add("192.0.2.1")) // from where httptest asks
	ts.front.Configure(ts.config)
	ask := func(url, agent, client string, header ...string) *http.Response {
		return ts.get("GET", url, append(header, "User-Agent", agent, "X-Forwarded-For", client)...)
	}
	first := ask("https://a.test/post-sitemap.xml", googlebot, "66.249.66.1")
	ask("https://a.test/post-sitemap.xml", googlebot, "66.249.66.1", "If-None-Match", first.Header.Get("ETag"))
	ask("https://a.test/sitemap_index.xml", googlebot, "203.0.114.9")
	ask("https://a.test/post-sitemap9.xml", "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)", "203.0.114.9")
	ask("https://a.test/post-sitemap2.xml", "SitemapCrawler/1.0", "203.0.114.9")
	// no crawlers, and no sitemaps
	ask("https://a.test/post-sitemap.xml", "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "203.0.114.10")
	ask("https://a.test/wpsitemapd.css", googlebot, "66.249.66.1")
	ask("https://a.test/a-page", googlebot, "66.249.66.1")

	google := netip.MustParseAddr("66.249.66.1")
	other := netip.MustParseAddr("203.0.114.9")
	r := crawls(t, ts.Server, "a", 5)
	if r.Visitors != 1 {
		t.Errorf("%d visitors", r.Visitors)
	}
	want := []crawler.Fetch{
		{Engine: crawler.Other, Blog: 1, Sitemap: "post", Page: 2, Status: 200},
		{Engine: crawler.DuckDuckGo, Blog: 1, Sitemap: "post", Page: 9, Status: 404, Address: other},
		{Engine: crawler.Google, Blog: 1, Sitemap: "1", Page: 1, Status: 200, Address: other},
		{Engine: crawler.Google, Blog: 1, Sitemap: "post", Page: 1, Status: 304, Address: google},
		{Engine: crawler.Google, Blog: 1, Sitemap: "post", Page: 1, Status: 200, Address: google},
	}
	for _, f := range r.Fetches {
		if f.At.IsZero() || (f.Status == 200) != (f.Bytes > 100) {
			t.Errorf("%+v", f)
		}
	}
	if diff := cmp.Diff(want, r.Fetches, cmpopts.IgnoreFields(crawler.Fetch{}, "At", "Bytes"), cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Error(diff)
	}
}
