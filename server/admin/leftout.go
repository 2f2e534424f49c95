package admin

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/explain"
)

const (
	leftOutTimeout = 2 * time.Minute
	// leftOutRows is how many objects that are left out one page shows; the command left-out prints all.
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
