package diff

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/server/live"
	"wpsitemapd/server/report"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/seo"
)

// target says where a crawl begins, and how addresses in the site's sitemaps are read.
type target struct {
	crawler    *live.Crawler
	start      string
	address    func(loc string) string // returns the address to request for loc; nil: loc itself
	from, to   string                  // the beginning of addresses to replace, and its replacement; "": replace nothing
	translated bool                    // an address of an entry was replaced
	where      string                  // the target for messages, with the key or flag that sets it
}

func (x *sitemaps) target(ours *sitemap.Catalog) *target {
	index, home := ours.URL(seo.IndexName, 1), x.blog.Home()
	t := &target{crawler: live.CrawlerOf(x.site, x.blog, x.Agent, x.Rate)}
	switch {
	case x.Live != nil:
		t.start, t.where = x.Live.String(), "--live "+x.Live.String()
		t.crawler.Transport, t.crawler.Through = nil, nil
		u, err := url.Parse(home)
		if err == nil && !slices.ContainsFunc(t.crawler.Hosts, func(h string) bool { return strings.EqualFold(h, x.Live.Host) }) {
			t.from, t.to = x.Live.Scheme+"://"+x.Live.Host+"/", u.Scheme+"://"+u.Host+"/"
			t.crawler.Through = x.Live
		}
	default:
		t.start = index
		if x.blog.Settings().Permalinks.Structure == "" && !strings.Contains(index, "?") { // no path leads to the index
			t.start = home + "/?sitemap=" + seo.IndexName
		}
		t.where = "the public URL of site " + x.site.Name + ", which has no upstream"
		if up := x.site.Upstream.URL(); up != nil {
			t.where = "upstream " + up.Redacted() + " of site " + x.site.Name
		}
	}
	if u, err := url.Parse(t.start); err == nil && u.Query().Get("sitemap") == seo.IndexName {
		// Without permalinks, the index names addresses that do not work.
		t.address = func(loc string) string {
			name, page := splitName(loc)
			q := url.Values{"sitemap": {name}}
			if page > 1 {
				q.Set("sitemap_n", strconv.Itoa(page))
			}
			at := *u
			at.RawQuery = q.Encode()
			return at.String()
		}
	}
	return t
}

// crawl reads the site's sitemaps. It fails if not even the first sitemap can be read.
func (x *sitemaps) crawl(t *target) error {
	r := x.served
	r.Live = t.start
	progress := report.NewProgress(x.Err)
	defer progress.Clear()
	t.crawler.Log = func(format string, args ...any) {
		progress.Clear()
		fmt.Fprintf(x.Err, "site %s: %s\n", x.site.Name, fmt.Sprintf(format, args...))
	}
	noted := map[string]bool{}
	visit := func(f live.CrawledFile, done, total int) error {
		progress.Show("%s: %d of %d sitemaps read", x.site.Name, done, total)
		loc := t.ours(f.URL)
		switch {
		case f.Err != nil && f.Parent == "":
			return t.startError(f)
		case f.Err != nil:
			r.Sitemaps++
			r.Failed = append(r.Failed, FailedFile{f.URL, f.Err.Error()})
			x.theirs.fail(loc, f.LastMod)
			return nil
		case f.File.Generator == live.Ours:
			return fmt.Errorf("wpsitemapd itself serves the sitemaps at %s: set upstream to where PHP answers, or give --live with that address",
				t.start)
		}
		r.Generator = cmp.Or(r.Generator, f.File.Generator)
		for _, n := range f.File.Notes {
			if !noted[n] {
				noted[n] = true
				r.Notes = append(r.Notes, f.URL+": "+n)
			}
		}
		if f.File.Index {
			return nil
		}
		r.Sitemaps++
		for i := range f.File.Entries {
			t.translate(&f.File.Entries[i])
		}
		if f.Parent != "" {
			x.theirs.addNamed(loc, f.LastMod)
		}
		x.theirs.add(loc, f.File.Entries)
		return nil
	}
	err := t.crawler.Crawl(x.ctx, t.start, t.address, visit)
	r.Requests, r.URLs = t.crawler.Requests, x.theirs.urls()
	if t.translated {
		r.Notes = append(r.Notes, fmt.Sprintf("URLs below %s are compared as if they were below %s", t.from, t.to))
	}
	return err
}

// startError returns the error of a crawl that could not begin, with what to do about it.
func (t *target) startError(f live.CrawledFile) error {
	_, silent := errors.AsType[net.Error](f.Err)
	if silent {
		return fmt.Errorf("%s: %s does not answer: %w; check that a web server listens there, or give --live URL", f.URL, t.where, f.Err)
	}
	return fmt.Errorf("%s: %w; check that the site answers there. If its index is elsewhere, give --live URL", f.URL, f.Err)
}

// ours replaces the prefix t.from of an address by t.to. It returns any other address unchanged.
func (t *target) ours(loc string) string {
	if rest, ok := strings.CutPrefix(loc, t.from); ok && t.from != "" {
		return t.to + rest
	}
	return loc
}

func (t *target) translate(e *live.Entry) {
	if t.from == "" {
		return
	}
	if loc := t.ours(e.Loc); loc != e.Loc {
		e.Loc, t.translated = loc, true
	}
	if x := e.Extra; x != nil {
		for i := range x.Images {
			x.Images[i].Loc = t.ours(x.Images[i].Loc)
		}
		for _, list := range [][]string{x.News, x.Videos, x.Alternates} {
			for i := range list {
				list[i] = strings.ReplaceAll(list[i], t.from, t.to)
			}
		}
	}
}
