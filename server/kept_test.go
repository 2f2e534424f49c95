package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
)

// sink is a ResponseWriter that costs nothing from the second answer on.
type sink struct {
	header http.Header
	status int
	bytes  int
}

func (s *sink) Header() http.Header              { return s.header }
func (s *sink) WriteHeader(status int)           { s.status = status }
func (s *sink) SetWriteDeadline(time.Time) error { return nil }
func (s *sink) Write(b []byte) (int, error) {
	s.bytes += len(b)
	return len(b), nil
}

func (s *sink) reset() {
	clear(s.header)
	s.status, s.bytes = 0, 0
}

// keptPage is a server with one page of a thousand entries that was asked for before.
func keptPage(t testing.TB) *Server {
	c := newFakeCatalog("https://site.test")
	var page bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&page, "<url><loc>https://site.test/2026/01/post-%d/</loc><lastmod>2026-01-01T00:00:00+00:00</lastmod></url>\n", i)
	}
	c.render = func(context.Context, string, int) (*catalog.Document, error) {
		return &catalog.Document{Body: page.Bytes(), LastMod: newest, Entries: 1000}, nil
	}
	install := config.DefaultSite()
	install.Name = "site"
	s := New(&config.Config{Listening: testListening(), Sites: []config.Site{install}}, slog.New(slog.DiscardHandler))
	n := netOf(c)
	s.open = n.open
	w := s.installs[0]
	w.refresher.ReadOnce(t.Context())
	w.MarkTried()
	return s
}

// keptRequests are what crawlers ask for again and again.
func keptRequests(t testing.TB, s *Server) map[string]*http.Request {
	ask := func(header ...string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/post-sitemap2.xml", nil)
		r.Host = "site.test"
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return r
	}
	zipped := ask("Accept-Encoding", "gzip, deflate, br")
	w := &sink{header: http.Header{}}
	s.ServeHTTP(w, zipped)
	if w.status != http.StatusOK || w.header.Get("Content-Encoding") != "gzip" || fmt.Sprint(w.bytes) != w.header.Get("Content-Length") {
		t.Fatalf("%d, %v", w.status, w.header)
	}
	return map[string]*http.Request{
		"gzip":           zipped,
		"304 by its tag": ask("Accept-Encoding", "gzip", "If-None-Match", w.header.Get("ETag")),
		"304 by date":    ask("Accept-Encoding", "gzip", "If-Modified-Since", w.header.Get("Last-Modified")),
	}
}

// A kept page costs two allocations beside what net/http does, whatever the client asks.
func TestKeptPageAllocations(t *testing.T) {
	s := keptPage(t)
	for name, r := range keptRequests(t, s) {
		w := &sink{header: http.Header{}}
		if n := testing.AllocsPerRun(100, func() {
			w.reset()
			s.ServeHTTP(w, r)
		}); n > 2 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkServeKeptPage(b *testing.B) {
	s := keptPage(b)
	for name, r := range keptRequests(b, s) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			w := &sink{header: http.Header{}}
			for b.Loop() {
				w.reset()
				s.ServeHTTP(w, r)
			}
		})
	}
}

// An answer that was given before is given again in every form, but not once anything about
// the page, its site or the request is another.
func TestKeptAnswers(t *testing.T) {
	c := newFakeCatalog("https://a.test")
	n := netOf(c)
	ts := serveSite(t, config.Site{CacheControl: "max-age=60", HTML: true}, n)
	ask := func(method, host, uri string, header ...string) *http.Response {
		return ts.get(method, "http://"+host+uri, header...)
	}
	remembered := func(uri string) bool {
		r := httptest.NewRequest(http.MethodGet, uri, nil)
		r.Host = "a.test"
		first, again := ts.front.Table().Target(r), ts.front.Table().Target(r)
		return first == again
	}
	forget := ts.route

	for _, header := range [][]string{
		nil, {"Accept-Encoding", "gzip"}, {"Accept-Encoding", "br"}, {"Accept-Encoding", "identity;q=0"}, {"Accept-Encoding", "identity;q=0, *;q=0"},
		{"If-None-Match", "*"}, {"If-Match", `"x"`}, {"If-Modified-Since", newest.Add(time.Hour).Format(http.TimeFormat)},
	} {
		for _, uri := range []string{"/post-sitemap.xml", "/post-sitemap2.xml", "/sitemap_index.xml", "/post-sitemap2.xml?x=1"} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				forget()
				first := ask(method, "a.test", uri, header...)
				if !remembered(uri) {
					t.Fatalf("%s %s %v: not remembered", method, uri, header)
				}
				renders := c.renders.Load()
				again := ask(method, "a.test", uri, header...)
				if first.StatusCode != again.StatusCode ||
					!maps.EqualFunc(first.Header, again.Header, func(a, b []string) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) ||
					body(t, first) != body(t, again) {
					t.Errorf("%s %s %v:\nfirst %d %v\nagain %d %v", method, uri, header, first.StatusCode, first.Header, again.StatusCode, again.Header)
				}
				if c.renders.Load() != renders {
					t.Errorf("%s %s: rendered again", method, uri)
				}
			}
		}
	}

	const uri = "/post-sitemap2.xml"
	ask("GET", "a.test", uri)
	if got := ask("POST", "a.test", uri).StatusCode; got != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", got)
	}
	for _, refused := range []string{"/post-sitemap7.xml", "/nothing-sitemap.xml", "/post-sitemap2.xml?" + string(bytes.Repeat([]byte("x"), 200))} {
		forget()
		ask("GET", "a.test", refused)
		if remembered(refused) {
			t.Errorf("%.40s is remembered", refused)
		}
	}

	ask("GET", "a.test", uri)
	c.renderWith(func(context.Context, string, int) (*catalog.Document, error) {
		return &catalog.Document{Body: []byte("another page"), LastMod: newest, Entries: 1}, nil
	})
	c.changed()
	if got := body(t, ask("GET", "a.test", uri)); got != "another page" {
		t.Errorf("after a change: %q", got)
	}
	c.renderWith(func(context.Context, string, int) (*catalog.Document, error) { return nil, errors.New("broken") })
	c.changed()
	for range 2 {
		if got := ask("GET", "a.test", uri); body(t, got) != "another page" || got.Header.Get("Age") == "" {
			t.Errorf("while it cannot be made anew: %v", got.Header)
		}
	}
	other := newFakeCatalog("https://b.test")
	n.set(func() { n.blogs = []site.Facts{fakeBlog(1, "https://b.test", other)} })
	ts.rebuild()
	if got := body(t, ask("GET", "b.test", uri)); !bytes.HasPrefix([]byte(got), []byte("<post-2>")) {
		t.Errorf("at another address: %.40q", got)
	}
}
