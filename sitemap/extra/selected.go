package extra

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

const (
	// longest is how long the rows of one SELECT may take, so that a site is read whatever they are.
	longest = 7 * time.Minute
	// firstKey is before the key of every row.
	firstKey = -1 << 62
	// spare places of the index are not taken by the rows of a SELECT.
	spare = 1000
)

// source reads the rows of a SELECT as URLs.
type source struct {
	*seo.Rules
	text string
	loc  []byte // as a sitemap would have it
}

// row is a row of a SELECT.
type row struct {
	urlset.URL
	Rule    seo.Verdict
	Refused bool // no URL that may be in a sitemap
	Undated bool // lastmod is no date
}

// each calls fn for the rows whose keys are above after, batch by batch. It asks for no more once fn has returned false.
func (s *source) each(ctx context.Context, after int64, fn func(*row) bool) error {
	read, more := db.ScanBatch, true
	batch := func(r *wp.SelectedRow) error {
		read++
		after = r.ID
		next := row{URL: urlset.URL{Loc: string(r.Loc), LastMod: wp.NoTime, Object: r.ID}}
		if len(r.Loc) > 0 && r.Loc[0] == '/' {
			next.Loc = s.Blog.Home() + next.Loc
		}
		next.LastMod, next.Undated = stamp(string(r.LastMod))
		var ok bool
		if s.loc, ok = urlset.Strict.AppendLoc(s.loc[:0], next.Loc); !ok {
			next.Refused = true
		} else {
			next.Rule = judge(s.Rules, next.Loc)
		}
		more = fn(&next)
		return nil
	}
	for more && read == db.ScanBatch {
		read = 0
		if err := s.Blog.Selected(ctx, s.text, after, db.ScanBatch, batch); err != nil {
			return err
		}
	}
	return nil
}

// stamp reads a date in UTC: of MySQL, as W3C Datetime, or in Unix seconds. It is wp.NoTime for any other text, and odd reports
// whether there is one.
func stamp(text string) (lastmod int64, odd bool) {
	if lastmod = wp.ParseDate(text); lastmod != wp.NoTime || text == "" || text[:min(4, len(text))] == "0000" {
		return lastmod, false
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds > 0 && seconds < 1<<32 {
		return seconds, false
	}
	lastmod, err := dateOf(text)
	return lastmod, err != nil
}

// read reads a page as its rows are now.
func (s *source) read(ctx context.Context, page catalog.KeyedPage) ([]urlset.URL, error) {
	var urls []urlset.URL
	err := s.each(ctx, page.After, func(r *row) bool {
		if r.Object <= page.Last && r.Rule == seo.Listed && !r.Refused {
			urls = append(urls, r.URL)
		}
		return r.Object < page.Last
	})
	return urls, err
}

// selected makes the pages of a list of the rows of a SELECT. A delta takes the pages of the catalog before.
func selected(ctx context.Context, b *provider.Build, e seo.Extra, l *catalog.List) error {
	if b.Before != nil {
		if before := b.Before.List(l.Name); before != nil {
			l.Keyed, l.Size, l.Indexed, l.Dates, l.Withheld = before.Keyed, before.Size, before.Indexed, before.Dates, before.Withheld
			for rule, n := range before.Explained.LeftOut {
				b.Catalog.LeftOut[rule] += n
			}
			return nil
		}
	}
	s := &source{Rules: b.Rules, text: e.Select}
	l.Keyed = &catalog.Keyed{Read: s.read}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if sorts, err := b.Blog.SelectedSorts(ctx, e.Select); sorts || err != nil {
		return cmp.Or(err, errors.New("the database would sort all rows for it: order by a column that has an index"))
	}
	var pages []catalog.KeyedPage
	last, onPage, refused, undated := int64(firstKey), 0, 0, 0
	page := catalog.KeyedPage{After: last, LastMod: wp.NoTime}
	end := func() {
		if page.URLs > 0 {
			pages = append(pages, page)
		}
		page, onPage = catalog.KeyedPage{After: last, LastMod: wp.NoTime}, 0
	}
	err := s.each(ctx, last, func(r *row) bool {
		if onPage == l.Size {
			end()
		}
		last = r.Object
		onPage++
		if r.Undated {
			undated++
		}
		switch {
		case r.Refused:
			refused++
		case r.Rule != seo.Listed:
			b.Leave(r.Rule, seo.Left{Kind: seo.KindArchive, Loc: r.Loc})
		default:
			page.Add(r.URL)
		}
		return true
	})
	if err != nil {
		return err
	}
	end()
	if refused+undated > 0 {
		b.Options.Log.Warn("rows of [[site.extra]] have no URL or date that may be in a sitemap", "home", b.Blog.Home(), "name", e.Name,
			"invalid_urls", refused, "invalid_dates", undated)
	}
	if len(pages) > room(b) {
		return fmt.Errorf("the index has no room for %d sitemaps: raise page_size", len(pages))
	}
	l.Keyed.Pages = pages
	for _, p := range l.Keyed.Pages {
		l.Dates = append(l.Dates, p.LastMod)
	}
	l.Indexed = len(l.Dates) > 0
	return nil
}

// room is how many sitemaps the index can name beside those it does.
func room(b *provider.Build) int {
	n := urlset.MaxEntries - spare
	for _, l := range b.Catalog.Lists {
		if l.Indexed {
			n -= len(l.Dates)
		}
	}
	return n
}
