package admin

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"wpsitemapd/server/report"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/explain"
)

const (
	leftOutTimeout = 2 * time.Minute
	// leftOutRows is how many excluded objects one page shows. The command left-out prints all.
	leftOutRows = 500
)

var (
	errLeftOutUnknown = errors.New("its database has not been read yet")
	errLeftOutFull    = errors.New("there are more than one page shows")
)

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
		rows := newDownload(w, "excluded.csv", []string{"url", "object", "title", "rule", "because", "do", "edit"})
		rows.end(eachLeftOut(r, i, func(o explain.LeftOut) error {
			return rows.write(report.Cell(o.Address), o.Object, report.Cell(o.Title), o.Rule, report.Cell(o.Because), o.Do, o.Edit)
		}))
		return
	}
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

// eachLeftOut calls fn for each excluded object of the blog that a request names. If the request names a rule, other objects are
// skipped.
func eachLeftOut(r *http.Request, i Install, fn func(explain.LeftOut) error) error {
	ctx, cancel := context.WithTimeout(r.Context(), leftOutTimeout)
	defer cancel()
	b := blogOf(i, blogAsked(r))
	if b == nil || b.Catalog == nil {
		return errLeftOutUnknown
	}
	read := b.Catalog
	return i.Guard(func() error { return sitemap.EachLeftOut(ctx, read.Blog, read.Options, r.URL.Query().Get("rule"), fn) })
}
