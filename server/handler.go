package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/sync/singleflight"

	"wpsitemapd/server/metrics"
	"wpsitemapd/wp/weburl"
)

// ServeHTTP answers a visitor's request and writes its line in the access log.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	rec := &record{ResponseWriter: w, server: s, draining: &s.draining}
	if r.ContentLength != 0 {
		// net/http reads on in a body nobody wants; the proxy sets limits of its own to those it passes on
		_ = http.NewResponseController(w).SetReadDeadline(start.Add(s.bodyPatience)) // not every writer has one
	}
	defer func() {
		s.noteFetch(rec, r, start)
		s.answered(rec, r, start)
	}()
	s.handle(rec, r)
}

// record remembers what was answered.
type record struct {
	http.ResponseWriter
	worker *worker // of the site; nil: of none
	kind   metrics.Kind
	status int
	bytes  int64
	fetch  fetch // what was asked for, see crawls.go

	server   *Server
	draining *atomic.Bool // the connection is not kept: the client must not send another request
}

func (r *record) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
		if r.draining.Load() {
			r.Header().Set("Connection", "close")
		}
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
	if r.ProtoMajor > 1 && (r.Host == "" || !httpguts.ValidHostHeader(r.Host)) { // net/http takes them
		sendText(w, r, http.StatusBadRequest, "The request names no host, or none that can be.")
		return
	}
	if s.serveKept(w, r) {
		return
	}
	path, uri := r.URL.EscapedPath(), requestURI(r)
	at, rest := s.find(r, path, uri)
	w.worker = at.worker
	switch {
	case at.isKeyFile(path):
		w.kind = metrics.KeyFile
		serveKeyFile(w, r, at.worker.Config.IndexNow.Key)
	case at.gone:
		if at.worker.Upstream == nil {
			sendText(w, r, http.StatusGone, "This site is gone.")
			return
		}
		at.worker.pass(w, r)
	case at.blog != nil && at.blog.Catalog != nil:
		s.serveBlog(w, r, at, at.scheme().route(uri, rest))
	case at.blog != nil || at.worker != nil && at.opening():
		// the database has not been read yet: what may be ours must not go to PHP or to 404
		if looksLikeOurs(at.worker, uri) || at.worker.Upstream == nil {
			w.kind = metrics.Sitemap
			w.fetch.of(at, "", 0)
			sendLater(w, r, http.StatusServiceUnavailable, retryLater, "The sitemaps of this site are not ready yet.")
			return
		}
		at.worker.pass(w, r)
	case at.contest != nil || at.worker == nil && len(s.routes.Load().opening) > 0:
		s.serveUnknown(w, r, at, uri)
	case at.worker == nil: // there are several sites, and none to prefer
		sendMisdirected(w, r)
	default:
		at.worker.pass(w, r)
	}
}

// serveUnknown answers for a host of which it is not known whose it is. What cannot be a sitemap goes
// to the upstream where there is only one that it can be for.
func (s *Server) serveUnknown(w *record, r *http.Request, at stand, uri string) {
	routes := s.routes.Load()
	may, later := routes.unplaced(), at.contest != nil
	if later {
		may = at.contest.workers
	} else {
		now := time.Now()
		later = slices.ContainsFunc(routes.opening, func(w *worker) bool { return w.Hopeful(now) })
	}
	ours := looksLikeOurs(nil, uri)
	switch {
	case !ours && shareUpstream(may):
		may[0].pass(w, r)
	case later:
		if ours {
			w.kind = metrics.Sitemap
		}
		sendLater(w, r, http.StatusServiceUnavailable, retryLater, "It is not known yet which site this host belongs to.")
	default: // everything was tried
		sendMisdirected(w, r)
	}
}

func sendMisdirected(w http.ResponseWriter, r *http.Request) {
	sendText(w, r, http.StatusMisdirectedRequest, "There is no site of this name here.")
}

// opening reports whether the database of the stand's site has never been read.
func (s stand) opening() bool { return !s.worker.Snapshot().Opened }

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
	host := weburl.Host(r.Host)
	at, rest := s.routes.Load().find(host, path)
	if at.blog != nil && at.worker.Snapshot().FromStateOnly() && looksLikeOurs(at.worker, uri) && s.awaitFresh(r, at.worker) {
		at, rest = s.routes.Load().find(host, path)
	}
	if at.gone || at.blog != nil && at.blog.Catalog != nil || !looksLikeOurs(at.worker, uri) && path != "/robots.txt" {
		return at, rest
	}
	waiting := s.routes.Load().opening
	switch {
	case at.contest != nil:
		waiting = at.contest.await
	case at.worker != nil:
		waiting = []*worker{at.worker}
	}
	patience := time.NewTimer(site.FirstPatience)
	defer patience.Stop()
	for _, w := range waiting {
		select {
		case <-w.FirstAttempt():
		case <-patience.C:
			return s.routes.Load().find(host, path)
		case <-r.Context().Done():
			return at, rest
		}
	}
	for { // a network is read blog by blog
		routes := s.routes.Load()
		at, rest := routes.find(host, path)
		if at.blog == nil || !errors.Is(at.blog.Err, site.ErrUnreadBlog) || time.Since(at.worker.Began) > site.FirstPatience {
			return at, rest
		}
		select {
		case <-routes.replaced:
		case <-patience.C:
			return at, rest
		case <-r.Context().Done():
			return at, rest
		}
	}
}

// serveBlog answers what is ours and passes on the rest.
func (s *Server) serveBlog(w *record, r *http.Request, at stand, to route) {
	b := at.blog
	if !b.Catalog.Active() {
		at.worker.pass(w, r)
		return
	}
	if to.target == toSitemap && b.Catalog.Undecided(to.name) && s.leave(w, r, at, to) {
		return
	}
	if to.name != "" && to.target != toXSL && !b.Catalog.Owns(to.name) {
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
		w.kind = metrics.Robots
		at.worker.serveRobots(w, r, b)
	case toRedirect:
		w.kind = metrics.Redirect
		if isRead(w, r) {
			sendRedirect(w, r, b.Home+to.location)
		}
	case toXSL:
		w.kind = metrics.Stylesheet
		if isRead(w, r) {
			setType(h, at.blog)
			if at.blog.Address.Core == site.NoCore {
				h.Set("Cache-Control", "max-age=31536000")
			}
			sendCopy(w, r, xslCopy)
		}
	case toCSS:
		w.kind = metrics.Stylesheet
		if isRead(w, r) {
			h.Set("Content-Type", "text/css; charset=utf-8")
			h.Set("X-Robots-Tag", noindex)
			h.Set("Cache-Control", "max-age=86400") // its address has no version in it
			sendCopy(w, r, at.scheme().css())
		}
	case toSitemap:
		w.kind = metrics.Sitemap
		if isRead(w, r) {
			w.fetch.of(at, to.name, to.page)
			s.serveSitemap(w, r, at, to)
		}
	case toTwin:
		w.kind = metrics.HTML
		if isRead(w, r) {
			s.serveTwin(w, r, at, to)
		}
	}
}

// leave leaves a sitemap to the site itself that the database cannot decide about. Where the site cannot be asked, it is not
// known whether the sitemap exists, and an index is ours, without what is not decided.
func (s *Server) leave(w *record, r *http.Request, at stand, to route) bool {
	switch {
	case at.worker.Upstream != nil:
		at.worker.pass(w, r)
	case to.name == seo.IndexName:
		return false
	default:
		w.kind = metrics.Sitemap
		sendLater(w, r, http.StatusServiceUnavailable, retryLater, "It is not known whether this sitemap exists.")
	}
	return true
}

// setType sets the headers that tell what a sitemap or its stylesheet is, as Yoast or
// WordPress itself sends them.
func setType(h http.Header, b *site.Blog) {
	h.Set("Content-Type", xmlTypeOf(b))
	if b.Address.Core == site.NoCore {
		h.Set("X-Robots-Tag", noindex)
	}
}

func xmlTypeOf(b *site.Blog) string {
	if b.Address.Core != site.NoCore {
		return coreXMLType
	}
	return xmlType
}

func (s *Server) serveSitemap(w *record, r *http.Request, at stand, to route) {
	if to.name == seo.IndexName {
		to.page = 1 // the index has but one
	}
	twin := at.twinOf(to.name, to.page)
	if to.byQuery {
		if name := at.blog.Catalog.QueryName(to.name); name != to.name {
			to.name, twin = name, "" // another sitemap than the one by its own address
		}
	}
	c := s.obtain(w, r, at, to, func() { sendText(w, r, http.StatusNotFound, "There is no such sitemap.") })
	if c == nil {
		return
	}
	h := w.Header()
	if v := at.worker.Config.CacheControl; v != "" {
		h.Set("Cache-Control", v)
	}
	if to.setFormat(h) {
		if to.packed {
			sendGzip(w, r, c)
		} else {
			sendCopy(w, r, c)
		}
		return
	}
	setType(h, at.blog)
	if at.worker.Config.Stylesheet != "xsl" { // what browsers ask of XSLT differs
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'")
	}
	if twin != "" {
		setLink(h, twin, twinType)
	}
	s.rememberAnswer(w, r, at, to.name, to.page)
	sendCopy(w, r, c)
}

// obtain returns the copy of a sitemap to answer with, and sets Age where it is an old one. If
// there is none it has answered; missing does so where the sitemap does not exist.
func (s *Server) obtain(w http.ResponseWriter, r *http.Request, at stand, to route, missing func()) *pageCopy {
	c, stale, err := s.page(r.Context(), at.worker, at.blog, to.name, to.page)
	switch {
	case c != nil:
	case r.Context().Err() != nil:
		return nil // nobody is listening
	case errors.Is(err, catalog.ErrNotFound):
		missing()
		return nil
	default:
		sendLater(w, r, http.StatusServiceUnavailable, retryLater, "This sitemap cannot be made at the moment.")
		return nil
	}
	if stale || at.blog.Err != nil || s.outages.down(at.worker) { // a blog that is held is always stale
		since := c.built
		if !stale && at.blog.Built.Before(since) {
			since = at.blog.Built // the copy is young, what it was made of is not
		}
		at.worker.Counted.Stale.Add(1)
		w.Header().Set("Age", strconv.Itoa(max(0, int(s.now().Sub(since)/time.Second))))
	}
	return c
}

// page returns a copy of a page: that of the present catalog, rendered now if need be, or
// an older one (stale) where that fails or takes long.
func (s *Server) page(ctx context.Context, w *worker, b *site.Blog, name string, page int) (c *pageCopy, stale bool, err error) {
	key := pageKey{w.Config.Name, b.Key(), name, page}
	kept := s.cache.get(key)
	if kept == nil && b.HasFixed(name, page) {
		kept = s.saved(w, key)
	}
	if b.HeldBy != "" {
		if kept == nil {
			w.Counted.Misses.Add(1)
			return nil, false, b.Unrendered(name, page)
		}
		return kept, true, nil
	}
	if kept != nil {
		stand := judge(b, name, page, kept, s.now())
		switch stand {
		case suspect:
			w.kick()
		case standIn:
			return kept, true, nil
		}
		if stand != wrong {
			if kept.unsaved.Load() {
				s.save(key, kept)
			}
			w.Counted.Hits.Add(1)
			return kept, false, nil
		}
	}
	w.Counted.Misses.Add(1)
	done := s.startFlight(w, b, key, kept)
	var late <-chan time.Time
	if kept != nil {
		timer := time.NewTimer(stalePatience)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case result := <-done:
		if result.Err == nil {
			c = result.Val.(*pageCopy)
			return c, c == kept, nil
		}
		if kept == nil || errors.Is(result.Err, catalog.ErrNotFound) {
			return nil, false, result.Err
		}
		return kept, true, nil
	case <-s.silence(w, name):
		if kept == nil {
			return nil, false, b.Unrendered(name, page)
		}
		return kept, true, nil
	case <-late:
		return kept, true, nil
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

// startFlight renders a page, once for all who want it at the time.
func (s *Server) startFlight(w *worker, b *site.Blog, key pageKey, kept *pageCopy) <-chan singleflight.Result {
	return s.startRender(w, b, key, kept, false)
}

// startRender is startFlight; ahead: nobody has asked for the page yet.
func (s *Server) startRender(w *worker, b *site.Blog, key pageKey, kept *pageCopy, ahead bool) <-chan singleflight.Result {
	return s.flights.DoChan(fmt.Sprintf("%d %v %d", w.Term, key, b.Catalog.Fingerprint(key.name, key.page)), func() (any, error) {
		return s.render(w, b, key, kept, ahead)
	})
}

// flight is startRender for who can wait.
func (s *Server) flight(ctx context.Context, w *worker, b *site.Blog, key pageKey, kept *pageCopy, ahead bool) (*pageCopy, error) {
	select {
	case result := <-s.startRender(w, b, key, kept, ahead):
		c, _ := result.Val.(*pageCopy)
		return c, result.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// render makes a copy of a page. It works for everybody who waits for the page, so it does
// not end with one request. ahead: nobody has asked for the page yet, so that it takes the place
// of no other one.
func (s *Server) render(w *worker, b *site.Blog, key pageKey, previous *pageCopy, ahead bool) (*pageCopy, error) {
	if asks(key.name) && s.outages.blocks(w.DatabaseServer()) {
		if err := b.Unrendered(key.name, key.page); errors.Is(err, catalog.ErrNotFound) {
			return nil, err
		}
		return nil, errOutage
	}
	ctx, cancel := context.WithTimeout(s.work, renderTimeout)
	defer cancel()
	if !acquire(ctx, w.renders) {
		return nil, ctx.Err()
	}
	defer release(w.renders)
	done, ok := s.renders.acquire(ctx, w.DatabaseServer())
	if !ok {
		return nil, ctx.Err()
	}
	defer done()
	if c := s.taken(w, b, key, ahead); c != nil {
		return c, nil
	}
	began := time.Now()
	earlier := earlierOf(b, previous)
	var doc *catalog.Document
	err := w.Guard(func() (err error) {
		doc, err = b.Catalog.Rerender(ctx, key.name, key.page, earlier)
		return err
	})
	if !errors.Is(err, catalog.ErrNotFound) {
		w.Worked(metrics.Render, time.Since(began), err)
	}
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		if s.inForce(w) {
			s.cache.remove(key)
		}
		return nil, err
	case s.work.Err() != nil:
		return nil, s.work.Err()
	}
	if err == nil && asks(key.name) {
		s.noteAnswer(w.DatabaseServer())
	}
	if err == nil && w.shrunk(b, key, doc.Entries) {
		err = errShort
	}
	fixed := b.HasFixed(key.name, key.page)
	if fixed {
		w.pageChanged(key, err)
	}
	if err != nil {
		return nil, err
	}
	print := b.Catalog.Fingerprint(key.name, key.page)
	if doc.Behind && previous.standIn(print, s.now()) {
		return previous, nil
	}
	w.Counted.LeftOut.Add(int64(doc.LeftOut))
	c := newCopy(doc.Body, doc.LastMod, b.Generation, s.now(), previous)
	c.setBrotli(w.Config.Brotli)
	c.term, c.print, c.asOf, c.expires, c.pieces = w.Term, print, began, doc.Expires, doc.Pieces
	if doc.Taken > 0 { // which are no younger
		c.asOf = previous.asOf
	}
	if s.shared != nil && !doc.Behind && !b.Catalog.Wider() {
		c.common = b.Catalog.Common(key.name, key.page)
	}
	if fixed {
		c.slim()
		s.keep(w, key, c, ahead)
	}
	return c, nil
}

// keep has a copy that was made just now stay in memory and in the store. One that was made ahead may
// have a place in either. A worker that has left the configuration keeps nothing: its successor
// makes another page of the same address.
func (s *Server) keep(w *worker, key pageKey, c *pageCopy, ahead bool) (kept bool) {
	switch {
	case !s.inForce(w):
		return false
	case ahead:
		kept = s.cache.putAhead(key, c)
		return s.saveAs(key, c, true) || kept
	case !s.cache.put(key, c):
		return false
	}
	s.save(key, c)
	return true
}

// inForce reports whether a worker is the one that has its site now.
func (s *Server) inForce(w *worker) bool {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	return slices.Contains(s.workers, w)
}

// earlierOf is what a page may take over of its copy: all that has not changed, as long as nothing was
// written that only another look at the rows shows.
func earlierOf(b *site.Blog, previous *pageCopy) catalog.Earlier {
	if previous == nil || previous.pieces == nil || previous.asOf.Before(b.RevalidateBefore) {
		return catalog.Earlier{}
	}
	return catalog.Earlier{Body: previous.plain, Pieces: previous.pieces}
}
