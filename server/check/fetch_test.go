package check

import (
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A sample is spread over all sitemaps, the same seed gives the same sample, and problems of its pages are reported.
func TestFetch(t *testing.T) {
	s := sitetest.StartLiveSite(t, wptest.Load(t, wptest.SQLite, "basic"))
	report := func(pages int) (*Report, *FetchReport) {
		t.Helper()
		s.Requests = nil
		cfg, err := config.Load(s.Config)
		wptest.Must(t, err)
		c := Check{Log: slog.New(slog.DiscardHandler), Err: io.Discard, Pages: pages, Rate: 1000, Agent: "wpsitemapd/1"}
		r, err := c.Run(t.Context(), cfg, cfg.Sites)
		wptest.Must(t, err)
		all := len(s.Requests)
		s.Requests = slices.DeleteFunc(s.Requests, func(r string) bool {
			return strings.Contains(r, "/wpsitemapd-check-sitemap.xml ") || strings.Contains(r, "/robots.txt ")
		})
		expect.Equal(t, all, len(s.Requests)+2, "the upstream is asked what it is, and for robots.txt, by", all-len(s.Requests), "requests")
		return r, r.Sites[0].Blogs[0].Fetch
	}
	if r, f := report(0); !r.OK || f != nil || len(s.Requests) > 0 {
		t.Errorf("no page: %+v, %d requests", f, len(s.Requests))
	}
	r, f := report(10)
	first := slices.Clone(s.Requests)
	if !r.OK || f.Fetched != 10 || len(f.Bad) > 0 || len(first) != 10 {
		t.Fatalf("%+v, requests %q", f, first)
	}
	for _, kind := range []string{"/category/", "/tag/", "/author/"} {
		if !slices.ContainsFunc(first, func(r string) bool { return strings.Contains(r, kind) }) {
			t.Errorf("nothing below %s in %q", kind, first)
		}
	}
	_, f = report(100_000)
	expect.Equal(t, f.Fetched, len(s.Requests))
	expect.Equal(t, len(slices.Compact(slices.Sorted(slices.Values(s.Requests)))), len(s.Requests))

	path := func(r string) string { return strings.TrimPrefix(strings.Fields(r)[0], "example.test") }
	s.Answers[path(first[0])] = func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Robots-Tag", "noindex") }
	s.Answers[path(first[1])] = func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/moved/", http.StatusMovedPermanently)
	}
	s.Answers[path(first[2])] = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	r, f = report(100_000)
	var kinds []string
	for _, b := range f.Bad {
		for _, p := range b.Problems {
			kinds = append(kinds, string(p.Kind))
		}
	}
	expect.Equal(t, r.OK, false)
	expect.List(t, slices.Sorted(slices.Values(kinds)), []string{"no answer", "noindex", "redirect"})
	expect.Parts(t, r.Text(), "pages of the sitemaps, trouble with 3\n", "it redirects with 301 to https://example.test/moved/\n")
}
