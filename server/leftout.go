package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"wpsitemapd/server/admin"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/explain"
)

// leftOutTimeout bounds how long what a site leaves out is looked for.
const leftOutTimeout = 2 * time.Minute

var (
	errLeftOutUnknown = errors.New("its database has not been read yet")
	errLeftOutFull    = errors.New("there are more than one page shows")
)

// leftOut answers what a blog leaves out: a page, or the whole table in CSV.
func (s *Server) leftOut(w http.ResponseWriter, r *http.Request) {
	install := named(s.running(), r.PathValue("name"))
	if install == nil {
		admin.Text(w, http.StatusNotFound, "There is no site of this name.")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), leftOutTimeout)
	defer cancel()
	query := r.URL.Query()
	page := &admin.LeftOut{Site: install.Config.Name, Rule: query.Get("rule")}
	page.Blog, _ = strconv.ParseInt(query.Get("blog"), 10, 64) // 0: the first
	if strings.HasSuffix(r.URL.Path, ".csv") {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="left-out.csv"`)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		table := admin.NewLeftOutCSV(w)
		err := install.eachLeftOut(ctx, page.Blog, page.Rule, func(l explain.LeftOut) error { return table.Write(page.Site, l) })
		if err != nil {
			panic(http.ErrAbortHandler) // half a table must not look whole
		}
		return
	}
	err := install.eachLeftOut(ctx, page.Blog, page.Rule, func(l explain.LeftOut) error {
		if len(page.Rows) == admin.LeftOutRows {
			page.More = true
			return errLeftOutFull
		}
		page.Rows = append(page.Rows, l)
		return nil
	})
	status := http.StatusOK
	if err != nil && !errors.Is(err, errLeftOutFull) {
		status, page.Error = http.StatusServiceUnavailable, err.Error()
	}
	admin.WriteLeftOut(w, r, status, page)
}

// eachLeftOut calls fn for what one of the blogs leaves out, the first where id is 0.
func (w *install) eachLeftOut(ctx context.Context, id int64, rule string, fn func(explain.LeftOut) error) error {
	blogs := w.Snapshot().Blogs
	i := slices.IndexFunc(blogs, func(b *site.Blog) bool { return b.ID == id || id == 0 })
	if i < 0 {
		return errLeftOutUnknown
	}
	c, ok := blogs[i].Catalog.(interface {
		EachLeftOut(ctx context.Context, rule string, fn func(explain.LeftOut) error) error
	})
	if !ok {
		return errLeftOutUnknown
	}
	return w.Guard(func() error { return c.EachLeftOut(ctx, rule, fn) })
}
