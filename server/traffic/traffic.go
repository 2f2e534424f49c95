// Package traffic counts which pages of a site visitors get, and which URLs they ask for and do not get. It sees the requests
// that the daemon passes to the upstream. If the web server passes only requests for sitemaps to the daemon, it sees nearly
// none. It keeps hosts, paths, numbers and dates: no query strings, no addresses and nothing else about visitors.
package traffic

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"wpsitemapd/server/store"
	"wpsitemapd/wp/weburl"
)

const (
	// Most is how many pages, and how many failed URLs, of a site are reported: those that were asked for most often.
	Most = 1000
	// mostCounted is how many pages, and how many failed URLs, are counted. If one more comes, the rarest are dropped until
	// Most are left.
	mostCounted = 2 * Most
	// mostPath is the length of the longest path that is counted, in bytes.
	mostPath = 300
	// kept is how long a page or URL stays counted after the last request for it.
	kept      = 30 * 24 * time.Hour
	saveEvery = 10 * time.Minute // a log is written as a whole
)

// Page is a page of a site, without its query string.
type Page struct {
	Blog       int64
	Host, Path string // Path is not escaped
}

// Count says how often a page was asked for.
type Count struct {
	Page   Page
	Times  int
	Status int // of the last answer that was counted
	Last   time.Time
	Again  time.Time // of a failed URL: the last answer with the page; zero: none
}

// Report is what was counted of a site. The pages that were asked for most often come first.
type Report struct {
	Since  time.Time // zero: nothing was counted
	Read   []Count   // HTML pages that were answered with 200
	Failed []Count   // URLs that were answered with 3xx, 4xx or 5xx
}

// Log counts the answers of one site. It is safe for concurrent use.
type Log struct {
	note    store.Note
	changed atomic.Bool // since it was last saved

	mu           sync.Mutex
	since        time.Time
	read, failed map[Page]*Count
}

// New returns an empty log of a site.
func New(site string) *Log { return &Log{note: store.Note{Site: site, Name: "traffic"}} }

// Answered counts the answer to a request for a URL of a blog. It does not count answers to people who are logged in, because
// they also see what other people cannot.
func (l *Log) Answered(blog int64, r *http.Request, status int, answer http.Header, at time.Time) {
	p := Page{blog, weburl.Host(r.Host), r.URL.Path}
	if r.Method != http.MethodGet || !isPage(p.Path) || isLoggedIn(r) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case status == http.StatusOK && strings.HasPrefix(answer.Get("Content-Type"), "text/html"):
		l.read = l.add(l.read, p, status, at)
		if failed := l.failed[p]; failed != nil {
			failed.Again = at
		}
	case status >= 300 && status != http.StatusNotModified && r.URL.RawQuery == "" && !staysHere(p, answer.Get("Location")):
		l.failed = l.add(l.failed, p, status, at)
	}
}

// add counts an answer for a page.
func (l *Log) add(all map[Page]*Count, p Page, status int, at time.Time) map[Page]*Count {
	c := all[p]
	if c == nil {
		if all == nil {
			all = map[Page]*Count{}
		}
		if len(all) == mostCounted {
			list := sorted(all, at)
			for _, rare := range list[min(len(list), Most-1):] {
				delete(all, rare.Page)
			}
		}
		p.Host, p.Path = strings.Clone(p.Host), strings.Clone(p.Path) // else the whole header of the request would stay in memory
		c = &Count{Page: p}
		all[p] = c
	}
	if l.since.IsZero() {
		l.since = at
	}
	c.Times, c.Status, c.Last = c.Times+1, status, at
	l.changed.Store(true)
	return all
}

// sorted drops what nobody has asked for in a long time, and returns the rest, the pages that were asked for most often first.
func sorted(all map[Page]*Count, now time.Time) []Count {
	list := make([]Count, 0, len(all))
	for p, c := range all {
		if now.Sub(c.Last) > kept {
			delete(all, p)
			continue
		}
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), b.Last.Compare(a.Last), cmp.Compare(a.Page.Path, b.Page.Path), cmp.Compare(a.Page.Host, b.Page.Host))
	})
	return list
}

// isPage reports whether a sitemap could list the page at a path. No sitemap lists feeds, files other than HTML, WordPress' own
// folders, or later parts of archives and of comments.
func isPage(path string) bool {
	if len(path) > mostPath || !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl) {
		return false
	}
	before := ""
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case part == "wp-admin", part == "wp-json", part == "wp-content", part == "wp-includes", part == "feed", part == "embed", part == "trackback",
			strings.HasPrefix(part, "comment-page-"),
			before == "page" && part != "" && strings.Trim(part, "0123456789") == "":
			return false
		}
		if dot := strings.LastIndexByte(part, '.'); dot >= 0 && part[dot:] != ".html" && part[dot:] != ".htm" {
			return false
		}
		before = part
	}
	return true
}

func isLoggedIn(r *http.Request) bool {
	return slices.ContainsFunc(r.Header["Cookie"], func(c string) bool { return strings.Contains(c, "wordpress_logged_in") })
}

// staysHere reports whether a redirect changes only the scheme, www or the query string.
func staysHere(p Page, location string) bool {
	to, err := url.Parse(location)
	if location == "" || err != nil || to.Path != p.Path {
		return false
	}
	return to.Host == "" || strings.TrimPrefix(weburl.Host(to.Host), "www.") == strings.TrimPrefix(p.Host, "www.")
}

// Report returns what was counted.
func (l *Log) Report(now time.Time) Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	read, failed := sorted(l.read, now), sorted(l.failed, now)
	return Report{l.since, read[:min(len(read), Most)], failed[:min(len(failed), Most)]}
}

// Load takes over what the store has of the log. Call it before the first answer. kept may be nil.
func (l *Log) Load(kept *store.Store) {
	var r Report
	if kept == nil || !kept.Note(l.note, &r) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.since, l.read, l.failed = r.Since, counts(r.Read), counts(r.Failed)
}

func counts(list []Count) map[Page]*Count {
	all := map[Page]*Count{}
	for i := range list[:min(len(list), Most)] {
		all[list[i].Page] = &list[i]
	}
	return all
}

// Keep saves the logs that have changed, every saveEvery and after ctx ends. now is the clock of the sites.
func Keep(ctx context.Context, logs func() []*Log, kept *store.Store, now func() time.Time) {
	if kept == nil {
		return
	}
	beat := time.NewTicker(saveEvery)
	defer beat.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-beat.C:
		}
		for _, l := range logs() {
			if l.changed.Swap(false) && !kept.SaveNote(l.note, l.Report(now())) {
				l.changed.Store(true)
			}
		}
	}
}
