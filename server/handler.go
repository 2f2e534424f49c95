package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"wpsitemapd/sitemap"
)

// ServeHTTP answers a visitor's request and writes its line in the access log.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	rec := &record{ResponseWriter: w}
	defer func() {
		s.log.Debug("request", "site", rec.site, "method", r.Method, "host", r.Host, "uri", r.URL.RequestURI(),
			"status", rec.status, "bytes", rec.bytes, "took", time.Since(start).Round(time.Microsecond), slog.String("agent", r.UserAgent()))
	}()
	s.handle(rec, r)
}

// record remembers what was answered.
type record struct {
	http.ResponseWriter
	site   string
	status int
	bytes  int64
}

func (r *record) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *record) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach flushing, hijacking and deadlines.
func (r *record) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (s *Server) handle(w *record, r *http.Request) {
	path, uri := r.URL.EscapedPath(), requestURI(r)
	at, rest := s.find(r, path, uri)
	if at.worker != nil {
		w.site = at.worker.site.Name
	}
	switch {
	case at.gone:
		if at.worker.proxy == nil {
			sendText(w, r, http.StatusGone, "This site is gone.")
			return
		}
		at.worker.pass(w, r)
	case at.blog != nil && at.blog.catalog != nil:
		s.serveBlog(w, r, at, at.blog.address.route(uri, rest))
	case at.blog != nil || at.worker != nil && at.opening():
		// the database has not been read yet: what may be ours must not go to PHP or to 404
		if looksLikeSitemap(uri) || at.worker.proxy == nil {
			sendLater(w, r, http.StatusServiceUnavailable, retryLater, "The sitemaps of this site are not ready yet.")
			return
		}
		at.worker.pass(w, r)
	case at.worker == nil && len(s.routes.Load().opening) > 0:
		sendLater(w, r, http.StatusServiceUnavailable, retryLater, "It is not known yet which site this host belongs to.")
	default:
		at.worker.pass(w, r)
	}
}

// opening tells whether the database of the stand's site has never been read.
func (s stand) opening() bool { return !s.worker.state.Load().opened }

// requestURI is the request's path and query as they were sent, also where a client sent
// a whole address.
func requestURI(r *http.Request) string {
	if len(r.RequestURI) > 0 && r.RequestURI[0] == '/' {
		return r.RequestURI
	}
	return r.URL.RequestURI()
}

// find looks the request's blog up. Right after the start it waits a while for the first
// look at the database where a sitemap may be asked for.
func (s *Server) find(r *http.Request, path, uri string) (stand, string) {
	host := hostName(r.Host)
	at, rest := s.routes.Load().find(host, path)
	if at.gone || at.blog != nil && at.blog.catalog != nil || !looksLikeSitemap(uri) && path != "/robots.txt" {
		return at, rest
	}
	waiting := s.routes.Load().opening
	if at.worker != nil {
		waiting = []*worker{at.worker}
	}
	patience := time.NewTimer(firstPatience)
	defer patience.Stop()
	for _, w := range waiting {
		select {
		case <-w.first:
		case <-patience.C:
			return s.routes.Load().find(host, path)
		case <-r.Context().Done():
			return at, rest
		}
	}
	return s.routes.Load().find(host, path)
}

// serveBlog answers what is ours and passes on the rest.
func (s *Server) serveBlog(w http.ResponseWriter, r *http.Request, at stand, to route) {
	b := at.blog
	if !b.catalog.Active() {
		at.worker.pass(w, r)
		return
	}
	if to.name != "" && to.target != toXSL && !b.catalog.Owns(to.name) {
		if to.unowned == "" {
			at.worker.pass(w, r)
			return
		}
		to = route{target: toRedirect, location: to.unowned}
	}
	h := w.Header()
	switch to.target {
	case toUpstream:
		at.worker.pass(w, r)
	case toRobots:
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			at.worker.pass(w, r)
			return
		}
		at.worker.serveRobots(w, r, b)
	case toRedirect:
		if isRead(w, r) {
			sendRedirect(w, r, b.home+to.location)
		}
	case toXSL:
		if isRead(w, r) {
			at.blog.setType(h)
			if at.blog.address.core == noCore {
				h.Set("Cache-Control", "max-age=31536000")
			}
			sendCopy(w, r, xslCopy)
		}
	case toCSS:
		if isRead(w, r) {
			h.Set("Content-Type", "text/css; charset=utf-8")
			h.Set("X-Robots-Tag", noindex)
			h.Set("Cache-Control", "max-age=86400") // its address has no version in it
			sendCopy(w, r, cssCopy)
		}
	case toSitemap:
		if isRead(w, r) {
			s.serveSitemap(w, r, at, to)
		}
	}
}

// setType sets the headers that tell what a sitemap or its stylesheet is, as Yoast or
// WordPress itself sends them.
func (b *blogState) setType(h http.Header) {
	if b.address.core != noCore {
		h.Set("Content-Type", coreXMLType)
		return
	}
	h.Set("Content-Type", xmlType)
	h.Set("X-Robots-Tag", noindex)
}

func (s *Server) serveSitemap(w http.ResponseWriter, r *http.Request, at stand, to route) {
	if to.name == sitemap.IndexName {
		to.page = 1 // the index has but one
	}
	if to.byQuery {
		to.name = at.blog.catalog.QueryName(to.name)
	}
	c, stale, err := s.page(r.Context(), at.worker, at.blog, to.name, to.page)
	switch {
	case c != nil:
	case r.Context().Err() != nil:
		return // nobody is listening
	case errors.Is(err, sitemap.ErrNotFound):
		sendText(w, r, http.StatusNotFound, "There is no such sitemap.")
		return
	default:
		sendLater(w, r, http.StatusServiceUnavailable, retryLater, "This sitemap cannot be made at the moment.")
		return
	}
	h := w.Header()
	at.blog.setType(h)
	if at.worker.site.Stylesheet != "xsl" { // what browsers ask of XSLT differs
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'")
	}
	if stale || at.blog.err != nil {
		since := c.built
		if !stale && at.blog.built.Before(since) {
			since = at.blog.built // the copy is young, what it was made of is not
		}
		h.Set("Age", strconv.Itoa(max(0, int(s.now().Sub(since)/time.Second))))
	}
	sendCopy(w, r, c)
}

// page returns a copy of a page: that of the present catalog, rendered now if need be, or
// an older one (stale) where that fails or takes long.
func (s *Server) page(ctx context.Context, w *worker, b *blogState, name string, page int) (c *pageCopy, stale bool, err error) {
	key := pageKey{w.site.Name, b.key(), name, page}
	kept := s.cache.get(key)
	if kept != nil && kept.fresh(b.generation, s.now()) {
		return kept, false, nil
	}
	done := s.flights.DoChan(fmt.Sprintf("%v %d", key, b.generation), func() (any, error) {
		return s.render(w, b, key, kept)
	})
	var late <-chan time.Time
	if kept != nil {
		timer := time.NewTimer(stalePatience)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case result := <-done:
		if result.Err == nil {
			return result.Val.(*pageCopy), false, nil
		}
		if kept == nil || errors.Is(result.Err, sitemap.ErrNotFound) {
			return nil, false, result.Err
		}
		return kept, true, nil
	case <-late:
		return kept, true, nil
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

// render makes a copy of a page. It works for everybody who waits for the page, so it does
// not end with one request.
func (s *Server) render(w *worker, b *blogState, key pageKey, previous *pageCopy) (*pageCopy, error) {
	ctx, cancel := context.WithTimeout(s.work, renderTimeout)
	defer cancel()
	if !acquire(ctx, w.renders) {
		return nil, ctx.Err()
	}
	defer release(w.renders)
	done, ok := s.renders.acquire(ctx, w.databaseServer())
	if !ok {
		return nil, ctx.Err()
	}
	defer done()
	var doc *sitemap.Document
	err := w.guard(func() (err error) {
		doc, err = b.catalog.Render(ctx, key.name, key.page)
		return err
	})
	switch {
	case errors.Is(err, sitemap.ErrNotFound):
		s.cache.remove(key)
		return nil, err
	case s.work.Err() != nil:
		return nil, s.work.Err()
	}
	// Only pages with a fixed address are remembered, so that nobody can fill the memory with
	// numbers that all mean one page.
	fixed := key.page == 1 || b.listed[listedPage{key.name, key.page}]
	if fixed {
		w.pageChanged(key, err)
	}
	if err != nil {
		return nil, err
	}
	c := newCopy(doc.Body, doc.LastMod, b.generation, s.now(), previous)
	c.expires = doc.Expires
	if fixed {
		s.cache.put(key, c)
	}
	return c, nil
}
