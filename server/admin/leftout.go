package admin

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/explain"
)

const (
	leftOutTimeout = 2 * time.Minute
	// leftOutRows is how many objects that are left out one page shows; the table in CSV has all.
	leftOutRows = 500
)

var (
	errLeftOutUnknown = errors.New("its database has not been read yet")
	errLeftOutFull    = errors.New("there are more than one page shows")
)

// leftOut is a page of what a blog leaves out.
type leftOut struct {
	head
	Site, Rule string // Rule is "" for every one
	Blog       int64
	Rows       []explain.LeftOut
	More       bool // than Rows
	Error      string
}

// serveLeftOut answers with a page of what a blog leaves out.
func serveLeftOut(w http.ResponseWriter, r *http.Request, i Install) {
	l := &leftOut{
		head: head{"Excluded from " + i.Config.Name + " – wpsitemapd", "", false},
		Site: i.Config.Name, Rule: r.URL.Query().Get("rule"), Blog: blogAsked(r),
	}
	err := eachLeftOut(r, i, func(o explain.LeftOut) error {
		if len(l.Rows) == leftOutRows {
			l.More = true
			return errLeftOutFull
		}
		l.Rows = append(l.Rows, o)
		return nil
	})
	status := http.StatusOK
	if err != nil && !l.More {
		status, l.Error = http.StatusServiceUnavailable, err.Error()
	}
	write(w, r, status, "left-out", l)
}

// serveLeftOutCSV answers with the whole table in CSV.
func serveLeftOutCSV(w http.ResponseWriter, r *http.Request, i Install) {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="left-out.csv"`)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	row := LeftOutCSV(w)
	if err := eachLeftOut(r, i, func(o explain.LeftOut) error { return row(i.Config.Name, o) }); err != nil {
		panic(http.ErrAbortHandler) // half a table must not look whole
	}
}

// eachLeftOut calls fn for what the blog that a request names leaves out, by the rule that it names.
func eachLeftOut(r *http.Request, i Install, fn func(explain.LeftOut) error) error {
	ctx, cancel := context.WithTimeout(r.Context(), leftOutTimeout)
	defer cancel()
	id, blogs := blogAsked(r), i.Snapshot().Blogs
	n := slices.IndexFunc(blogs, func(b *site.Blog) bool { return b.ID == id || id == 0 })
	if n < 0 || blogs[n].Read == nil {
		return errLeftOutUnknown
	}
	read := blogs[n].Read
	return i.Guard(func() error { return sitemap.EachLeftOut(ctx, read.Blog, read.Options, r.URL.Query().Get("rule"), fn) })
}

// LeftOutCSV returns a function that writes what is left out as rows of a table, the first one below a row of names.
func LeftOutCSV(w io.Writer) func(site string, l explain.LeftOut) error {
	table, began := csv.NewWriter(w), false
	return func(site string, l explain.LeftOut) error {
		if !began {
			began = true
			_ = table.Write([]string{"site", "url", "object", "title", "rule", "because", "do", "edit"})
		}
		_ = table.Write([]string{site, report.Cell(l.Address), l.Object, report.Cell(l.Title), l.Rule, report.Cell(l.Because), l.Do, l.Edit})
		table.Flush()
		return table.Error()
	}
}
