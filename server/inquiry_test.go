package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
)

// phpSite answers as WordPress with a plugin that may filter the addresses of books.
type phpSite struct {
	mu       sync.Mutex
	filtered bool
	answers  map[string]http.HandlerFunc // of some paths
	asked    []string
}

func (s *phpSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	filtered, own := s.filtered, s.answers[r.URL.Path]
	s.asked = append(s.asked, r.URL.Path)
	s.mu.Unlock()
	name, book := strings.CutPrefix(r.URL.Path, "/library/")
	shelved, _ := strings.CutPrefix(r.URL.Path, "/by/ann/")
	canonical := "https://example.test" + r.URL.Path
	switch {
	case own != nil:
		own(w, r)
		return
	case strings.HasSuffix(r.URL.Path, ".xml"):
		w.WriteHeader(299)
	case filtered && book && name != "":
		http.Redirect(w, r, "/by/ann/"+name, http.StatusMovedPermanently)
		return
	case !filtered && shelved != r.URL.Path:
		http.NotFound(w, r)
		return
	}
	fmt.Fprintf(w, `<!DOCTYPE html><html><head><link rel="canonical" href="%s"></head><body>`, canonical)
}

func (s *phpSite) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// Where no table has PHP's word on addresses, a filter that a plugin adds is noticed by asking the site, and that it is gone, too. What
// somebody has set for a single page is no filter, and of a site that is closed nothing is learnt. It is known after a restart.
func TestFiltersThatNoTableShows(t *testing.T) {
	t.Parallel()
	php := &phpSite{answers: map[string]http.HandlerFunc{
		"/library/the-knot-book/": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `<html><head><link rel="canonical" href="https://example.test/the-best-knots/"></head>`)
		},
	}}
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "types")
	plugins := func(names ...string) {
		t.Helper()
		var list strings.Builder
		names = append(names, "advanced-custom-fields/acf.php", "custom-post-type-ui/custom-post-type-ui.php")
		for i, name := range names {
			fmt.Fprintf(&list, `i:%d;s:%d:"%s";`, i, len(name), name)
		}
		wptest.Exec(t, dsn, fmt.Sprintf("REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:%d:{%s}')", len(names), &list))
	}
	plugins()
	site, dir, public := realSite("a", dsn), t.TempDir(), true
	site.Hosts, site.Sitemaps, site.Upstream = []config.Host{"example.test"}, "core", startUpstream(t, php.ServeHTTP)
	site.Overrides.PostTypes = map[string]registry.PostTypeOverride{"book": {Public: &public}}
	s := startState(t, dir, site)
	is := func(when string, want int) {
		t.Helper()
		wptest.Eventually(t, when, func() bool {
			return s.ask("example.test", "/wp-sitemap-posts-book-1.xml").status == want && s.ask("example.test", "/wp-sitemap.xml").status == want
		}, func() any { return s.ask("example.test", "/wp-sitemap-posts-book-1.xml") }, s.log)
	}
	asked := func(when string) {
		t.Helper()
		php.set(func() { php.asked = nil })
		plugins(when)
		wptest.Eventually(t, when, func() bool {
			php.mu.Lock()
			defer php.mu.Unlock()
			return slices.Contains(php.asked, "/library/the-tide-table/") && len(php.asked) > 5
		}, s.log)
		s.rested()
	}
	asked("plain/plain.php")
	is("all but one are as computed", 200)
	closed := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/login/", http.StatusMovedPermanently)
	}
	php.set(func() {
		php.filtered = true
		delete(php.answers, "/library/the-knot-book/")
		php.answers["/"] = closed
	})
	asked("closed/closed.php")
	is("the site is closed", 200)
	php.set(func() { delete(php.answers, "/") })
	plugins("shelves/shelves.php")
	is("the filter is noticed", 299)
	if got := s.ask("example.test", "/wp-sitemap-posts-post-1.xml").status; got != 200 {
		t.Errorf("posts: %d", got)
	}
	s.written()
	s.stop()
	s = startState(t, dir, site).read()
	is("after a restart", 299)
	php.set(func() { php.filtered = false })
	plugins()
	is("it is noticed that the filter is gone", 200)
}
