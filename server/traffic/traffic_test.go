package traffic

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/store"
	"wpsitemapd/server/store/sqlite"
	"wpsitemapd/wp/wptest/expect"
)

var at = time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)

func html() http.Header { return http.Header{"Content-Type": {"text/html; charset=UTF-8"}} }

func get(url string) *http.Request { return httptest.NewRequest("GET", url, nil) }

// told returns the counts of a list in short.
func told(list []Count) (all []string) {
	for _, c := range list {
		text := fmt.Sprintf("%d %s%s %d×%d", c.Page.Blog, c.Page.Host, c.Page.Path, c.Status, c.Times)
		if !c.Again.IsZero() {
			text += " then 200"
		}
		all = append(all, text)
	}
	return all
}

func TestAnswered(t *testing.T) {
	for _, c := range []struct {
		rule   string
		r      *http.Request
		status int
		answer http.Header
		read   string
		failed string
	}{
		{"a page", get("https://A.test:443/caf%C3%A9/"), 200, html(), "1 a.test/café/ 200×1", ""},
		{"a page with a query", get("https://a.test/a/?utm_source=x&email=me@b.test"), 200, html(), "1 a.test/a/ 200×1", ""},
		{"a page that is not there", get("https://a.test/a/"), 404, html(), "", "1 a.test/a/ 404×1"},
		{"a page that fails", get("https://a.test/a/"), 503, http.Header{}, "", "1 a.test/a/ 503×1"},
		{"a redirect", get("https://a.test/a/"), 301, http.Header{"Location": {"https://a.test/b/"}}, "", "1 a.test/a/ 301×1"},
		{"to another site", get("https://a.test/a/"), 301, http.Header{"Location": {"https://b.test/a/"}}, "", "1 a.test/a/ 301×1"},
		{"a page that is old: .html", get("https://a.test/a.html"), 404, html(), "", "1 a.test/a.html 404×1"},
		{"a slug like a folder of WordPress", get("https://a.test/wp-hosting/page/"), 200, html(), "1 a.test/wp-hosting/page/ 200×1", ""},

		{"a failure with a query says nothing of the page", get("https://a.test/?p=7"), 301, http.Header{"Location": {"/a/"}}, "", ""},
		{"to https", get("http://a.test/a/"), 301, http.Header{"Location": {"https://www.a.test/a/"}}, "", ""},
		{"not modified", get("https://a.test/a/"), 304, http.Header{}, "", ""},
		{"no HTML", get("https://a.test/a/"), 200, http.Header{"Content-Type": {"application/json"}}, "", ""},
		{"no answer", get("https://a.test/a/"), 0, html(), "", ""},
		{"a part of an archive", get("https://a.test/news/page/2/"), 200, html(), "", ""},
		{"comments", get("https://a.test/a/comment-page-2/"), 200, html(), "", ""},
		{"a feed", get("https://a.test/a/feed/"), 404, html(), "", ""},
		{"a file", get("https://a.test/a/x.php"), 404, html(), "", ""},
		{"the login", get("https://a.test/wp-login.php"), 200, html(), "", ""},
		{"the desk", get("https://a.test/wp-admin/"), 302, http.Header{"Location": {"/wp-login.php"}}, "", ""},
		{"REST", get("https://a.test/wp-json/wp/v2/posts"), 404, http.Header{}, "", ""},
		{"a long path", get("https://a.test/" + strings.Repeat("a", mostPath)), 404, html(), "", ""},
		{"no text", get("https://a.test/%ff%00/"), 404, html(), "", ""},
		{"a line", get("https://a.test/a%0Ab/"), 404, html(), "", ""},
		{"a form", httptest.NewRequest("POST", "https://a.test/a/", nil), 200, html(), "", ""},
	} {
		l := New("a")
		l.Answered(1, c.r, c.status, c.answer, at)
		r := l.Report(at)
		expect.Equal(t, strings.Join(told(r.Read), " "), c.read, c.rule)
		expect.Equal(t, strings.Join(told(r.Failed), " "), c.failed, c.rule)
		expect.Equal(t, r.Since.IsZero(), c.read+c.failed == "", c.rule)
	}
	l := New("a")
	editor := get("https://a.test/draft/")
	editor.Header["Cookie"] = []string{"a=b; wordpress_logged_in_0a1b=editor"}
	l.Answered(1, editor, 200, html(), at)
	expect.Equal(t, len(l.Report(at).Read), 0, "somebody who is logged in")
}

func TestCounts(t *testing.T) {
	l := New("a")
	for n, status := range []int{404, 500, 200, 200} {
		l.Answered(1, get("https://a.test/a/"), status, html(), at.Add(time.Duration(n)*time.Hour))
	}
	l.Answered(2, get("https://a.test/a/"), 200, html(), at)
	expect.List(t, told(l.Report(at).Failed), []string{"1 a.test/a/ 500×2 then 200"})
	expect.List(t, told(l.Report(at).Read), []string{"1 a.test/a/ 200×2", "2 a.test/a/ 200×1"})
	expect.Equal(t, len(l.Report(at.Add(40*24*time.Hour)).Read), 0, "after 40 days")
}

// Visitors can ask for any number of URLs. Those that are asked for more often stay.
func TestManyURLs(t *testing.T) {
	l := New("a")
	var visitors sync.WaitGroup
	for v := range 4 {
		visitors.Go(func() {
			for n := range 3 * Most {
				if n%50 == 0 {
					l.Answered(1, get("https://a.test/known/"), 404, html(), at)
				}
				l.Answered(1, get(fmt.Sprintf("https://a.test/made-up-%d-%d/", v, n)), 404, html(), at)
			}
		})
	}
	visitors.Wait()
	if len(l.failed) > mostCounted {
		t.Errorf("%d URLs are counted", len(l.failed))
	}
	r := l.Report(at)
	expect.Equal(t, len(r.Failed), Most)
	expect.Equal(t, told(r.Failed)[0], "1 a.test/known/ 404×240")
}

// If all counted URLs are old, one more URL drops them all. Without a store, nothing drops them earlier.
func TestManyOldURLs(t *testing.T) {
	l := New("a")
	for n := range mostCounted {
		l.Answered(1, get(fmt.Sprintf("https://a.test/old-%d/", n)), 404, html(), at)
	}
	later := at.Add(kept + time.Hour)
	l.Answered(1, get("https://a.test/new/"), 404, html(), later)
	expect.List(t, told(l.Report(later).Failed), []string{"1 a.test/new/ 404×1"})
}

// The counts outlive the process.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	open := func() (*store.Store, func()) {
		return servertest.OpenStore(t, sqlite.Backend, dir, store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "a")
	}
	kept, closeStore := open()
	l := New("a")
	l.Answered(1, get("https://a.test/a/"), 200, html(), at)
	l.Answered(1, get("https://a.test/b/"), 410, html(), at)
	expect.Equal(t, kept.SaveNote(l.note, l.Report(at)), true)
	closeStore()
	kept, _ = open()
	next := New("a")
	next.Load(kept)
	next.Answered(1, get("https://a.test/a/"), 200, html(), at)
	expect.List(t, told(next.Report(at).Read), []string{"1 a.test/a/ 200×2"})
	expect.List(t, told(next.Report(at).Failed), []string{"1 a.test/b/ 410×1"})
}
