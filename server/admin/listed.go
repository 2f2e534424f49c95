package admin

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/crawler"
	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
	"wpsitemapd/server/survey"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/seo"
)

const (
	listedTimeout = 2 * time.Minute
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

// readTitles reads the titles of URLs. It reads none if only cached pages are served.
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
		l.titles, err = explain.Titles(ctx, b.Catalog.Catalog, all)
		return err
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
		h.sendListed(w, r, i, b, l)
		return
	}
	var all []survey.URL
	var err error
	l.Report, err = h.survey(r.Context(), i, b, func(u survey.URL) error {
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
	known.Set("part", query.Get("part"))
	l.sort(all)
	l.Rows, l.Parts = inParts(all, listedRows, known, "part", "urls")
	if err := l.readTitles(r.Context(), i, b, l.Rows); err != nil {
		l.Error = "The titles cannot be read: " + err.Error()
	}
	write(w, r, http.StatusOK, "listed", l)
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

// sendListed sends all URLs that match as CSV, in the order of the sitemaps.
func (h *handler) sendListed(w http.ResponseWriter, r *http.Request, i Install, b *site.Blog, l *listed) {
	rows := startDownload(w, "listed.csv", []string{"url", "title", "sitemap", "lastmod", "images", "translations", "crawled"})
	var batch []survey.URL
	send := func() error {
		err := l.readTitles(r.Context(), i, b, batch)
		for _, u := range batch {
			crawled := ""
			if f := l.Crawled(u.File); !f.At.IsZero() {
				crawled = f.At.UTC().Format(time.RFC3339)
			}
			err = errors.Join(err, rows.Row(u.Loc, l.TitleOf(u.Loc), u.File.Filename, u.LastMod.String(), strconv.Itoa(u.Images),
				strconv.Itoa(u.Alternates), crawled))
		}
		batch = batch[:0]
		return err
	}
	_, err := h.survey(r.Context(), i, b, func(u survey.URL) error {
		if !l.matches(&u) {
			return nil
		}
		if batch = append(batch, u); len(batch) < listedRows {
			return nil
		}
		return send()
	})
	if err == nil {
		err = send()
	}
	endDownload(rows, err)
}

// serveValid answers with the report about the sitemaps of a blog, in JSON.
func (h *handler) serveValid(w http.ResponseWriter, r *http.Request, i Install) {
	b := blogOf(i, blogAsked(r))
	if b == nil || !b.Known() {
		writeJSON(w, r, http.StatusServiceUnavailable, map[string]string{"error": ErrNotRead.Error()})
		return
	}
	found, err := h.survey(r.Context(), i, b, func(survey.URL) error { return nil })
	if err != nil {
		writeJSON(w, r, http.StatusServiceUnavailable, map[string]string{"error": err.Error()})
		return
	}
	writeJSON(w, r, http.StatusOK, found)
}

// blogOf returns the blog of a site with an id; 0 means the first blog. It returns nil if there is none.
func blogOf(i Install, id int64) *site.Blog {
	blogs := i.Snapshot().Blogs
	n := slices.IndexFunc(blogs, func(b *site.Blog) bool { return b.ID == id || id == 0 })
	if n < 0 {
		return nil
	}
	return blogs[n]
}

// survey reads the sitemaps of a blog as they are served and calls visit for each URL. It keeps the report, which the page of
// the site shows.
func (h *handler) survey(ctx context.Context, i Install, b *site.Blog, visit func(survey.URL) error) (*survey.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, listedTimeout)
	defer cancel()
	found, err := survey.Walk(ctx, b.Home, b.Outline.Files, h.Explainer.servedPages(i.Site, b), h.Now(), visit)
	if err == nil {
		h.surveys.Store(i.Config.Name+"\n"+b.Key(), found)
	}
	return found, err
}

// lastSurvey returns the last report about the sitemaps of a blog. It returns nil if there was none since the start.
func (v *View) lastSurvey(i Install, b *site.Blog) *survey.Report {
	last, _ := v.surveys.Load(i.Config.Name + "\n" + b.Key())
	found, _ := last.(*survey.Report)
	return found
}

// startDownload begins an answer that is a table in CSV, sent while it is made.
func startDownload(w http.ResponseWriter, name string, columns []string) *report.CSV {
	secure(w.Header())
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	w.Header().Set("Cache-Control", "no-store")
	return report.NewCSV(w, columns...)
}

// endDownload ends the table. After an error, it aborts the connection, so that nobody takes the table for complete.
func endDownload(rows *report.CSV, err error) {
	if rows.Flush() != nil || err != nil {
		panic(http.ErrAbortHandler)
	}
}
