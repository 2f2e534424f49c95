package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/crawler"
	"wpsitemapd/server/site"
	"wpsitemapd/server/survey"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
)

const (
	// listedRows is how many URLs one page shows.
	listedRows = 200
	// mostListed is how many matching URLs are kept for sorting, at some 200 bytes each. The CSV form contains all.
	mostListed = 200_000
)

// listed is a page of the URLs that a blog lists.
type listed struct {
	head
	Site                string
	Blog                int64
	Text, Sitemap, Sort string // the filters and the order in the request
	Sitemaps            []string
	Rows                []survey.URL
	Found               int // number of URLs that match
	Parts               []part
	Report              *survey.Report
	Error               string
	Now                 time.Time
	fetches             map[filePage]crawler.Fetch // the last fetch of each file by a search engine
	titles              map[string]string          // of the rows, by URL
}

// TitleOf returns the title of the object at a URL; "" if it is not known.
func (l *listed) TitleOf(url string) string { return l.titles[url] }

// readTitles reads the titles of URLs. It reads none if only cached pages are served. After an error the list is incomplete: the page
// says so with status 503, and the CSV ends.
func (l *listed) readTitles(ctx context.Context, i Install, b *site.Blog, urls []survey.URL) error {
	if b.Catalog == nil || len(urls) == 0 {
		return nil
	}
	var all []string
	for _, u := range urls {
		all = append(all, u.Loc)
	}
	ctx, cancel := context.WithTimeout(ctx, explainTimeout)
	defer cancel()
	return i.Guard(func() (err error) {
		if l.titles, err = explain.Titles(ctx, b.Catalog.Catalog, all); err != nil {
			return fmt.Errorf("the titles cannot be read: %w", err)
		}
		return nil
	})
}

// Crawled returns the last fetch of a sitemap by a search engine.
func (l *listed) Crawled(f *catalog.File) crawler.Fetch { return l.fetches[filePage{f.Name, f.Page}] }

// serveListed answers with the URLs that a blog lists, filtered and sorted as the request asks: as a page, or in CSV at listed.csv.
func (h *handler) serveListed(w http.ResponseWriter, r *http.Request, i Install) {
	query := r.URL.Query()
	l := &listed{
		head: head{"Listed by " + i.Config.Name + " – wpsitemapd", "", false},
		Site: i.Config.Name, Text: short(query.Get("q")), Sitemap: short(query.Get("sitemap")), Sort: short(query.Get("sort")), Now: h.Now(),
	}
	b := blogOf(i, blogAsked(r))
	if b == nil || !b.Known() {
		l.Error = ErrNotRead.Error()
		write(w, r, http.StatusServiceUnavailable, "listed", l)
		return
	}
	l.Blog, l.fetches = b.ID, lastFetches(b, i.Crawls.Report().Fetches)
	for _, f := range b.Outline.Files {
		if f.Name != seo.IndexName && !f.Elsewhere && !slices.Contains(l.Sitemaps, f.Name) {
			l.Sitemaps = append(l.Sitemaps, f.Name)
		}
	}
	if strings.HasSuffix(r.URL.Path, ".csv") {
		d := newDownload(w, "listed.csv", []string{"url", "title", "sitemap", "lastmod", "images", "translations", "crawled"})
		d.end(h.sendListed(r.Context(), d, i, b, l))
		return
	}
	h.showListed(w, r, i, b, l)
}

// showListed answers with one part of the URLs that match, as a page.
func (h *handler) showListed(w http.ResponseWriter, r *http.Request, i Install, b *site.Blog, l *listed) {
	ctx, cancel := context.WithTimeout(r.Context(), surveyTimeout)
	defer cancel()
	var all []survey.URL
	var err error
	l.Report, err = h.survey(ctx, i, b, func(u survey.URL) error {
		if !l.matches(&u) {
			return nil
		}
		if l.Found++; len(all) < mostListed {
			all = append(all, u)
		}
		return nil
	})
	if err != nil {
		l.Error = err.Error()
		write(w, r, http.StatusServiceUnavailable, "listed", l)
		return
	}
	known := l.parameters()
	known.Set("part", r.URL.Query().Get("part"))
	l.sort(all)
	l.Rows, l.Parts = inParts(all, listedRows, known, "part", "urls")
	status := http.StatusOK
	if err := errors.Join(missing(l.Report), l.readTitles(ctx, i, b, l.Rows)); err != nil {
		status, l.Error = http.StatusServiceUnavailable, err.Error()
	}
	write(w, r, status, "listed", l)
}

// matches reports whether a URL matches the filters of the request.
func (l *listed) matches(u *survey.URL) bool {
	return (l.Sitemap == "" || u.File.Name == l.Sitemap) && strings.Contains(strings.ToLower(u.Loc), strings.ToLower(l.Text))
}

// sort sorts URLs in the requested order. If none was requested, they stay in the order of the sitemaps.
func (l *listed) sort(all []survey.URL) {
	compare := map[string]func(a, b survey.URL) int{
		"url":    func(a, b survey.URL) int { return strings.Compare(a.Loc, b.Loc) },
		"newest": func(a, b survey.URL) int { return b.LastMod.Time().Compare(a.LastMod.Time()) },
		"oldest": func(a, b survey.URL) int { return a.LastMod.Time().Compare(b.LastMod.Time()) },
		"images": func(a, b survey.URL) int { return cmp.Compare(b.Images, a.Images) },
	}[l.Sort]
	if compare != nil {
		slices.SortStableFunc(all, compare)
	}
}

// Cut reports whether more URLs match than the list can sort. Most returns how many it can sort.
func (l *listed) Cut() bool { return l.Found > mostListed }
func (l *listed) Most() int { return mostListed }

// Orders returns the ways to sort the list, each with its name in the query string.
func (l *listed) Orders() [][2]string {
	return [][2]string{{"newest", "newest first"}, {"oldest", "oldest first"}, {"url", "by URL"}, {"images", "most images first"}}
}

// parameters returns the filters and the order of the request as parameters of a query string.
func (l *listed) parameters() url.Values {
	p := url.Values{"blog": {strconv.FormatInt(l.Blog, 10)}}
	for key, value := range map[string]string{"q": l.Text, "sitemap": l.Sitemap, "sort": l.Sort} {
		if value != "" {
			p.Set(key, value)
		}
	}
	return p
}

// Query returns the query string of the same list in CSV.
func (l *listed) Query() template.URL { return template.URL(l.parameters().Encode()) }

// sendListed sends all URLs that match, in the order of the sitemaps.
func (h *handler) sendListed(ctx context.Context, d *download, i Install, b *site.Blog, l *listed) error {
	var batch []survey.URL
	send := func() error {
		if err := l.readTitles(ctx, i, b, batch); err != nil {
			return err
		}
		for _, u := range batch {
			crawled := ""
			if f := l.Crawled(u.File); !f.At.IsZero() {
				crawled = f.At.UTC().Format(time.RFC3339)
			}
			err := d.row(u.Loc, l.TitleOf(u.Loc), u.File.Filename, u.LastMod.String(), strconv.Itoa(u.Images), strconv.Itoa(u.Alternates), crawled)
			if err != nil {
				return err
			}
		}
		batch = batch[:0]
		return nil
	}
	found, err := h.survey(ctx, i, b, func(u survey.URL) error {
		if !l.matches(&u) {
			return nil
		}
		if batch = append(batch, u); len(batch) < listedRows {
			return nil
		}
		return send()
	})
	if err != nil {
		return err
	}
	return errors.Join(send(), missing(found))
}
