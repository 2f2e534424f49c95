package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

const (
	indexOf = `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">%s</sitemapindex>`
	entryOf = `<sitemap><loc>https://a.test/%s</loc><lastmod>2026-01-02T03:04:05+00:00</lastmod></sitemap>`
)

func urls(names ...string) string {
	text := begin
	for _, n := range names {
		text += "<url><loc>https://a.test/" + n + "/</loc></url>"
	}
	return text + end
}

func zip(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	wptest.Must(t, z.Close())
	return b.Bytes()
}

// site is an upstream of https://a.test with a handler for each path, and a crawler of it. The crawler does not wait but records
// its pauses.
type site struct {
	crawler *Crawler
	waited  []time.Duration

	mu       sync.Mutex
	requests []string // method, host and path
}

// asked returns the requests so far. If nobody waited for the answer of a request, its handler may still run.
func (s *site) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func newSite(t *testing.T, paths map[string]http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.Header.Get("X-Forwarded-Proto")+"://"+r.Host+r.URL.RequestURI())
		s.mu.Unlock()
		if h := paths[r.URL.RequestURI()]; h != nil {
			h(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	upstream, err := url.Parse(server.URL)
	wptest.Must(t, err)
	s.crawler = &Crawler{UserAgent: "tester/1", Rate: 4, Hosts: []string{"a.test"}, Through: upstream}
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.crawler.now = func() time.Time { return clock }
	s.crawler.sleep = func(ctx context.Context, d time.Duration) error {
		s.waited = append(s.waited, d)
		clock = clock.Add(d)
		return ctx.Err()
	}
	return s
}

func (s *site) crawl(t *testing.T) []CrawledFile {
	t.Helper()
	var all []CrawledFile
	err := s.crawler.Crawl(t.Context(), "https://a.test/sitemap_index.xml", nil, func(f CrawledFile, done, known int) error {
		if done > known {
			t.Errorf("%d of %d", done, known)
		}
		all = append(all, f)
		return nil
	})
	wptest.Must(t, err)
	return all
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
}

func index(names ...string) http.HandlerFunc {
	entries := ""
	for _, n := range names {
		entries += fmt.Sprintf(entryOf, n)
	}
	return text(fmt.Sprintf(indexOf, entries))
}

func TestCrawl(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{
		"/sitemap_index.xml": index("post-sitemap.xml", "page-sitemap.xml", "post-sitemap.xml"),
		"/post-sitemap.xml":  text(urls("one", "two")),
		"/page-sitemap.xml": func(w http.ResponseWriter, r *http.Request) {
			expect.Equal(t, r.UserAgent(), "tester/1", "headers", r.Header)
			expect.Equal(t, r.Header.Get("X-Forwarded-Host"), "a.test", "headers", r.Header)
			fmt.Fprint(w, urls("about"))
		},
	})
	all := s.crawl(t)
	if len(all) != 3 || !all[0].File.Index || len(all[1].File.Entries) != 2 || len(all[2].File.Entries) != 1 {
		t.Fatalf("%+v", all)
	}
	if all[1].URL != "https://a.test/post-sitemap.xml" || all[1].LastMod != date(t, "2026-01-02T03:04:05Z") ||
		all[1].Parent != "https://a.test/sitemap_index.xml" {
		t.Errorf("%+v", all[1])
	}
	want := []string{"GET https://a.test/sitemap_index.xml", "GET https://a.test/post-sitemap.xml", "GET https://a.test/page-sitemap.xml"}
	expect.List(t, s.asked(), want)
	expect.Equal(t, s.crawler.Requests, 3)
	expect.List(t, s.waited, []time.Duration{time.Second / 4, time.Second / 4}, "waited", "between three requests at 4 a second")
}

// TestFetch: which answers are accepted, how often a file is requested, and how long the crawler waits.
func TestFetch(t *testing.T) {
	file := urls("one")
	status := func(codes ...int) http.HandlerFunc {
		n := 0
		return func(w http.ResponseWriter, _ *http.Request) {
			code := codes[min(n, len(codes)-1)]
			n++
			w.WriteHeader(code)
			if code == 200 {
				fmt.Fprint(w, file)
			}
		}
	}
	headers := func(code int, h http.Handler, pairs ...string) http.HandlerFunc {
		n := 0
		return func(w http.ResponseWriter, r *http.Request) {
			if n++; n > 1 && code != 200 {
				h.ServeHTTP(w, r)
				return
			}
			for i := 0; i < len(pairs); i += 2 {
				w.Header().Set(pairs[i], pairs[i+1])
			}
			if code != 200 {
				w.WriteHeader(code)
				return
			}
			h.ServeHTTP(w, r)
		}
	}
	bytes := func(b []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.Write(b) }
	}
	for _, test := range []struct {
		rule     string
		answer   http.HandlerFunc
		err      string // part of it; "" for none
		requests int
		pauses   []time.Duration // beside those of the rate
	}{
		{"200", text(file), "", 1, nil},
		{"compressed in transfer", headers(200, bytes(zip(t, file)), "Content-Encoding", "gzip"), "", 1, nil},
		{"a .gz without a word about it", bytes(zip(t, file)), "", 1, nil},
		{"a .gz compressed once more", headers(200, bytes(zip(t, string(zip(t, file)))), "Content-Encoding", "gzip"), "", 1, nil},
		{"a body that is cut off", headers(200, text(file), "Content-Length", "10000"), "unexpected EOF", 3, []time.Duration{retryAfter, 2 * retryAfter}},
		{"too many bytes", text(strings.Repeat(" ", urlset.MaxBytes+1)), "larger than 50 MiB", 1, nil},
		{"too many bytes, compressed", bytes(zip(t, strings.Repeat(" ", urlset.MaxBytes+1))), "larger than 50 MiB", 1, nil},
		{"404 is final", status(404), "404 Not Found", 1, nil},
		{"500 may pass", status(500, 200), "", 2, []time.Duration{retryAfter}},
		{"500 may stay", status(500), "500 Internal Server Error", 3, []time.Duration{retryAfter, 2 * retryAfter}},
		{"a redirect is followed, at the rate", headers(301, text(file), "Location", "/x-sitemap.xml?again"), "", 2, []time.Duration{time.Second / 4}},
		{"Retry-After in seconds", headers(503, text(file), "Retry-After", "17"), "", 2, []time.Duration{17 * time.Second}},
		{"a Retry-After in the past", headers(503, text(file), "Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT"), "", 2, []time.Duration{0, time.Second / 4}},
		{"a Retry-After longer than patience", headers(503, text(file), "Retry-After", "86400"), "asks to wait 24h0m0s", 1, nil},
		{"not to another host", headers(302, text(file), "Location", "https://b.test/"), "another host, b.test", 1, nil},
		{"not to another protocol", headers(302, text(file), "Location", "file:///etc/passwd"), "not a URL", 1, nil},
	} {
		t.Run(test.rule, func(t *testing.T) {
			s := newSite(t, map[string]http.HandlerFunc{
				"/sitemap_index.xml": index("x-sitemap.xml"), "/x-sitemap.xml": test.answer, "/x-sitemap.xml?again": test.answer,
			})
			all := s.crawl(t)
			got := all[1]
			if (got.File == nil) != (got.Err != nil) {
				t.Fatalf("%+v", got)
			}
			switch {
			case test.err == "" && (got.Err != nil || len(got.File.Entries) != 1):
				t.Errorf("%+v", got)
			case test.err != "" && (got.Err == nil || !strings.Contains(got.Err.Error(), test.err)):
				t.Errorf("error %v, want %q", got.Err, test.err)
			}
			expect.Equal(t, len(s.asked())-1, test.requests, "requests", s.asked())
			pauses := s.waited[1:] // the first request follows that for the index
			expect.List(t, pauses, test.pauses, "waited")
		})
	}
}

// What a crawl does not follow: in each case the last file has an error.
func TestWhereACrawlEnds(t *testing.T) {
	elsewhere := text(fmt.Sprintf(indexOf, "<sitemap><loc>https://b.test/post-sitemap.xml</loc></sitemap>"))
	for _, test := range []struct {
		rule            string
		paths           map[string]http.HandlerFunc
		files, requests int
		err             string
	}{
		{"redirects without end", map[string]http.HandlerFunc{"/sitemap_index.xml": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/sitemap_index.xml", http.StatusFound)
		}}, 1, maxRedirects + 1, "redirects"},
		{"indexes in indexes", map[string]http.HandlerFunc{
			"/sitemap_index.xml": index("one.xml"),
			"/one.xml":           index("two.xml"),
			"/two.xml":           text(urls("one")),
		}, 2, 2, "an index in an index"},
		{"a sitemap elsewhere is not asked for", map[string]http.HandlerFunc{"/sitemap_index.xml": elsewhere}, 2, 1, "another host"},
	} {
		s := newSite(t, test.paths)
		all := s.crawl(t)
		if len(all) != test.files || len(s.asked()) != test.requests {
			t.Fatalf("%s: %+v after %q", test.rule, all, s.asked())
		}
		for i, f := range all {
			if (f.Err != nil) != (i == len(all)-1) || f.Err != nil && !strings.Contains(f.Err.Error(), test.err) {
				t.Errorf("%s: %+v", test.rule, f)
			}
		}
	}
}

func TestCrawlEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newSite(t, map[string]http.HandlerFunc{"/sitemap_index.xml": func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}})
	err := s.crawler.Crawl(ctx, "https://a.test/sitemap_index.xml", nil, func(f CrawledFile, _, _ int) error {
		t.Errorf("visited %+v", f)
		return nil
	})
	if !errors.Is(err, context.Canceled) || len(s.asked()) != 1 {
		t.Errorf("%v after %d requests", err, len(s.asked()))
	}
}

func TestAnAnswerThatNeverComes(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/sitemap_index.xml": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }})
	s.crawler.Timeout = 20 * time.Millisecond
	all := s.crawl(t)
	if len(all) != 1 || !errors.Is(all[0].Err, context.DeadlineExceeded) || s.crawler.Requests != maxTries {
		t.Errorf("%+v after %d requests", all, s.crawler.Requests)
	}
}
