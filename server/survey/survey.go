// Package survey reads all sitemaps of a blog as they are served, and says what is wrong with them.
package survey

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"wpsitemapd/server/live"
	"wpsitemapd/server/report"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
)

const (
	// shownProblems is how many problems a report names. It only counts further problems.
	shownProblems = 50
	// mostLinks is how many links between translations are kept, at some 200 bytes each. If a site has more, none are compared.
	mostLinks = 200_000
)

// URL is a listed URL.
type URL struct {
	Loc        string
	LastMod    live.Date
	File       *catalog.File // the first sitemap that lists it
	Images     int
	Alternates int
}

// Report is the result of checking the sitemaps of a blog.
type Report struct {
	At       time.Time `json:"at"`
	Files    int       `json:"files"`  // number of sitemaps without the index
	Unread   int       `json:"unread"` // number of sitemaps that cannot be read, or are not valid XML: their URLs are missing
	URLs     int       `json:"urls"`   // number of different URLs
	Problems []string  `json:"problems"`
	More     int       `json:"more"` // number of problems that Problems does not name
}

// Text returns the report in a sentence.
func (r *Report) Text() string {
	of := report.Count(r.Files, "sitemap") + " with " + report.Count(r.URLs, "URL")
	switch n := len(r.Problems) + r.More; {
	case n > 0:
		return report.Count(n, "problem") + " in " + of
	case r.Files == 0:
		return "There are no sitemaps"
	}
	return "No problem in " + of
}

func (r *Report) problem(format string, args ...any) {
	if len(r.Problems) == shownProblems {
		r.More++
		return
	}
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// survey is one reading of the sitemaps of a blog.
type survey struct {
	Report
	home   *url.URL
	now    time.Time
	visit  func(URL) error
	seed   maphash.Seed
	listed map[uint64]bool // hashes of the URLs
	links  map[link]bool
}

// link means that the URL from names the URL to as its translation (hreflang).
type link struct{ from, to string }

// Walk reads the files of a blog, calls visit for each URL the first time it is listed, and returns what is wrong. It
// stops at the first error of visit, or if ctx ends. home is the blog's home URL. now is the current time.
func Walk(ctx context.Context, home string, files []catalog.File, read explain.Pages, now time.Time, visit func(URL) error) (*Report, error) {
	at, err := url.Parse(home)
	if err != nil {
		return nil, fmt.Errorf("home %q: %w", home, err)
	}
	s := &survey{
		Report: Report{At: now, Problems: []string{}}, home: at, now: now, visit: visit, seed: maphash.MakeSeed(),
		listed: map[uint64]bool{}, links: map[link]bool{},
	}
	for i := range files {
		f := &files[i]
		if f.Name == seo.IndexName || f.Elsewhere {
			continue
		}
		if err := s.file(ctx, f, read); err != nil {
			return nil, err
		}
	}
	s.compareLinks()
	return &s.Report, nil
}

// file reads and checks one file. If the file cannot be read, that is a problem in the report, not an error.
func (s *survey) file(ctx context.Context, f *catalog.File, read explain.Pages) error {
	s.Files++
	body, err := read(ctx, *f)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.Unread++
		s.problem("%s cannot be read: %v", f.Filename, err)
		return nil
	}
	if len(body) > urlset.MaxBytes {
		s.problem("%s has %d bytes, more than the protocol allows", f.Filename, len(body))
	}
	parsed, err := live.Parse(body)
	if err != nil {
		s.Unread++
		s.problem("%s is not a valid sitemap, although wpsitemapd made it (%v): please report this", f.Filename, err)
		return nil
	}
	for _, note := range parsed.Notes {
		s.problem("%s: %s", f.Filename, note)
	}
	here := map[uint64]bool{}
	for i := range parsed.Entries {
		if err := s.entry(f, &parsed.Entries[i], here); err != nil {
			return err
		}
	}
	return nil
}

// entry checks one entry. here contains the hashes of the URLs that the file has listed so far.
func (s *survey) entry(f *catalog.File, e *live.Entry, here map[uint64]bool) error {
	key := maphash.String(s.seed, e.Loc)
	repeats := e.Extra != nil && len(e.Extra.News)+len(e.Extra.Videos) > 0 // sitemaps of news and videos repeat URLs of other sitemaps
	switch {
	case here[key], s.listed[key] && !repeats:
		s.problem("%s is listed twice, the second time in %s", e.Loc, f.Filename)
	case len(e.Loc) >= urlset.MaxLoc:
		s.problem("%s has a URL of %d characters: %s", f.Filename, len(e.Loc), live.Shorten(e.Loc, 80))
	}
	if at, err := url.Parse(e.Loc); err != nil || at.Scheme != s.home.Scheme || at.Host != s.home.Host {
		s.problem("%s lists %s, which is not on %s://%s", f.Filename, e.Loc, s.home.Scheme, s.home.Host)
	}
	if e.LastMod.Time().After(s.now.Add(time.Minute)) {
		s.problem("%s: the lastmod of %s is in the future, %s", f.Filename, e.Loc, e.LastMod)
	}
	here[key] = true
	alternates := 0
	if e.Extra != nil {
		alternates = len(e.Extra.Alternates)
		s.noteLinks(e)
	}
	if s.listed[key] {
		return nil
	}
	s.listed[key] = true
	s.URLs++
	u := URL{Loc: e.Loc, LastMod: e.LastMod, File: f, Alternates: alternates}
	if e.Extra != nil {
		u.Images = len(e.Extra.Images)
	}
	return s.visit(u)
}

// noteLinks records the translations of an entry that are on the same host.
func (s *survey) noteLinks(e *live.Entry) {
	for _, a := range e.Extra.Alternates {
		language, to, _ := strings.Cut(a, " ")
		at, err := url.Parse(to)
		if err == nil && at.Host == s.home.Host && language != "x-default" && to != e.Loc && len(s.links) <= mostLinks {
			s.links[link{e.Loc, to}] = true
		}
	}
}

// compareLinks reports translations that do not name the URL in return, and translations that no sitemap lists.
func (s *survey) compareLinks() {
	if len(s.links) > mostLinks {
		s.problem("there are more than %d links between translations (hreflang): they were not compared", mostLinks)
		return
	}
	inOrder := func(a, b link) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) }
	for _, l := range slices.SortedFunc(maps.Keys(s.links), inOrder) {
		switch {
		case !s.listed[maphash.String(s.seed, l.to)]:
			s.problem("%s names %s as a translation (hreflang), which no sitemap lists", l.from, l.to)
		case !s.links[link{l.to, l.from}]:
			s.problem("%s names %s as a translation (hreflang), which does not name it", l.from, l.to)
		}
	}
}
