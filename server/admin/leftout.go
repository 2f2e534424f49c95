package admin

import (
	"context"
	"net/http"
	"strings"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/explain"
)

const (
	leftOutTimeout = 2 * time.Minute
	// leftOutRows is how many excluded objects one page shows. The command left-out prints all.
	leftOutRows = 500
)

// LeftOutColumns are the columns of excluded objects in CSV.
var LeftOutColumns = []string{"url", "object", "title", "rule", "because", "do", "edit"}

// LeftOutCells returns the row of an excluded object in CSV.
func LeftOutCells(o *explain.LeftOut) []string {
	return []string{o.Address, o.Object, o.Title, o.Rule, o.Because, o.Do, o.Edit}
}

// leftOut is a page of the objects that a blog excludes.
type leftOut struct {
	head
	Site, Rule string // Rule is "" for all rules
	Blog       int64
	Rows       []explain.LeftOut
	More       bool // there are more than Rows
	Error      string
}

// serveLeftOut answers with the objects that a blog excludes: as a page, or in CSV at left-out.csv.
func serveLeftOut(w http.ResponseWriter, r *http.Request, i Install) {
	if strings.HasSuffix(r.URL.Path, ".csv") {
		d := newDownload(w, "excluded.csv", LeftOutColumns)
		d.end(eachLeftOut(r.Context(), r, i, func(o explain.LeftOut) error { return d.row(LeftOutCells(&o)...) }))
		return
	}
	l := &leftOut{
		head: head{"Excluded from " + i.Config.Name + " – wpsitemapd", "", false},
		Site: i.Config.Name, Rule: r.URL.Query().Get("rule"), Blog: blogAsked(r),
	}
	ctx, cancel := context.WithTimeout(r.Context(), leftOutTimeout)
	defer cancel()
	err := eachLeftOut(ctx, r, i, func(o explain.LeftOut) error {
		if len(l.Rows) == leftOutRows {
			l.More = true
			return errEnough
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

// eachLeftOut calls fn for each excluded object of the blog that a request names. If the request also names a rule,
// eachLeftOut skips the objects that other rules exclude.
func eachLeftOut(ctx context.Context, r *http.Request, i Install, fn func(explain.LeftOut) error) error {
	b := blogOf(i, blogAsked(r))
	if b == nil || b.Catalog == nil {
		return ErrNotRead
	}
	read := b.Catalog
	return i.Guard(func() error {
		return sitemap.EachLeftOut(ctx, read.Rules.Book, read.Rules.Options, r.URL.Query().Get("rule"), fn)
	})
}
