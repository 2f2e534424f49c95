package server

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"wpsitemapd/server/route"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"

	"wpsitemapd/server/respond"

	"wpsitemapd/server/pages"
	"wpsitemapd/server/site"

	"golang.org/x/net/http/httpguts"

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
	site   *site.Site // nil: of none
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

// Unpacking bounds the answers that are unpacked while they are sent.
func (r *record) Unpacking(req *http.Request) (done func()) {
	return waits(&r.server.unpacking, r.server.clientOf(req), r.ResponseWriter, req).leave
}

// Unwrap lets http.ResponseController reach flushing, hijacking and deadlines.
func (r *record) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (s *Server) handle(w *record, r *http.Request) {
	if r.ProtoMajor > 1 && (r.Host == "" || !httpguts.ValidHostHeader(r.Host)) { // net/http takes them
		respond.Text(w, r, http.StatusBadRequest, "The request names no host, or none that can be.")
		return
	}
	if s.serveKept(w, r) {
		return
	}
	path, uri := r.URL.EscapedPath(), requestURI(r)
	at, rest := s.find(r, path, uri)
	w.site = at.Site
	switch {
	case isKeyFile(at, path):
		w.kind = metrics.KeyFile
		serveKeyFile(w, r, at.Site.Config.IndexNow.Key)
	case at.Gone:
		if at.Site.Upstream == nil {
			respond.Text(w, r, http.StatusGone, "This site is gone.")
			return
		}
		pass(w, r, at.Site)
	case at.Blog != nil && at.Blog.Catalog != nil:
		s.serveBlog(w, r, at, at.Scheme().Resource(uri, rest))
	case at.Blog != nil || at.Site != nil && !at.Site.Snapshot().Opened:
		// the database has not been read yet: what may be ours must not go to PHP or to 404
		if route.MayBeOurs(at.Site, uri) || at.Site.Upstream == nil {
			w.kind = metrics.Sitemap
			w.fetch.of(at, "", 0)
			respond.Later(w, r, http.StatusServiceUnavailable, retryLater, "The sitemaps of this site are not ready yet.")
			return
		}
		pass(w, r, at.Site)
	case at.Contest != nil || at.Site == nil && len(s.routes.Load().Opening) > 0:
		s.serveUnknown(w, r, at, uri)
	case at.Site == nil: // there are several sites, and none to prefer
		sendMisdirected(w, r)
	default:
		pass(w, r, at.Site)
	}
}

// serveUnknown answers for a host of which it is not known whose it is. What cannot be a sitemap goes
// to the upstream where there is only one that it can be for.
func (s *Server) serveUnknown(w *record, r *http.Request, at route.Mount, uri string) {
	routes := s.routes.Load()
	may, later := routes.Unplaced(), at.Contest != nil
	if later {
		may = at.Contest.Sites
	} else {
		now := time.Now()
		later = slices.ContainsFunc(routes.Opening, func(w *site.Site) bool { return w.Hopeful(now) })
	}
	ours := route.MayBeOurs(nil, uri)
	switch {
	case !ours && route.ShareUpstream(may):
		pass(w, r, may[0])
	case later:
		if ours {
			w.kind = metrics.Sitemap
		}
		respond.Later(w, r, http.StatusServiceUnavailable, retryLater, "It is not known yet which site this host belongs to.")
	default: // everything was tried
		sendMisdirected(w, r)
	}
}

func sendMisdirected(w http.ResponseWriter, r *http.Request) {
	respond.Text(w, r, http.StatusMisdirectedRequest, "There is no site of this name here.")
}

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
func (s *Server) find(r *http.Request, path, uri string) (route.Mount, string) {
	host := weburl.Host(r.Host)
	at, rest := s.routes.Load().Find(host, path)
	if at.Blog != nil && at.Site.Snapshot().FromStateOnly() && route.MayBeOurs(at.Site, uri) && s.awaitFresh(r, at.Site) {
		at, rest = s.routes.Load().Find(host, path)
	}
	if at.Gone || at.Blog != nil && at.Blog.Catalog != nil || !route.MayBeOurs(at.Site, uri) && path != "/robots.txt" {
		return at, rest
	}
	waiting := s.routes.Load().Opening
	switch {
	case at.Contest != nil:
		waiting = at.Contest.Await
	case at.Site != nil:
		waiting = []*site.Site{at.Site}
	}
	patience := time.NewTimer(site.FirstPatience)
	defer patience.Stop()
	for _, w := range waiting {
		select {
		case <-w.FirstAttempt():
		case <-patience.C:
			return s.routes.Load().Find(host, path)
		case <-r.Context().Done():
			return at, rest
		}
	}
	for { // a network is read blog by blog
		routes := s.routes.Load()
		at, rest := routes.Find(host, path)
		if at.Blog == nil || !errors.Is(at.Blog.Err, site.ErrUnreadBlog) || time.Since(at.Site.Began) > site.FirstPatience {
			return at, rest
		}
		select {
		case <-routes.Replaced:
		case <-patience.C:
			return at, rest
		case <-r.Context().Done():
			return at, rest
		}
	}
}

// serveBlog answers what is ours and passes on the rest.
func (s *Server) serveBlog(w *record, r *http.Request, at route.Mount, to route.Resource) {
	b := at.Blog
	if !b.Catalog.Active() {
		pass(w, r, at.Site)
		return
	}
	if to.Kind == route.Sitemap && b.Catalog.Undecided(to.Name) && s.leave(w, r, at, to) {
		return
	}
	if to.Name != "" && to.Kind != route.XSL && !b.Catalog.Owns(to.Name) {
		if to.Unowned == "" {
			pass(w, r, at.Site)
			return
		}
		to = route.Resource{Kind: route.Redirect, Location: to.Unowned}
	}
	h := w.Header()
	switch to.Kind {
	case route.Upstream:
		pass(w, r, at.Site)
	case route.Robots:
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			pass(w, r, at.Site)
			return
		}
		w.kind = metrics.Robots
		s.serveRobots(w, r, at.Site, b)
	case route.Redirect:
		w.kind = metrics.Redirect
		if respond.IsRead(w, r) {
			respond.Redirect(w, r, b.Home+to.Location)
		}
	case route.XSL:
		w.kind = metrics.Stylesheet
		if respond.IsRead(w, r) {
			setType(h, at.Blog)
			if cache := at.Blog.Address.Plugin.StylesheetCache; cache != "" {
				h.Set("Cache-Control", cache)
			}
			respond.Page(w, r, xslCopy)
		}
	case route.CSS:
		w.kind = metrics.Stylesheet
		if respond.IsRead(w, r) {
			h.Set("Content-Type", "text/css; charset=utf-8")
			h.Set("X-Robots-Tag", noindex)
			h.Set("Cache-Control", "max-age=86400") // its address has no version in it
			respond.Page(w, r, cssOf(at.Scheme()))
		}
	case route.Sitemap:
		w.kind = metrics.Sitemap
		if respond.IsRead(w, r) {
			w.fetch.of(at, to.Name, to.Page)
			s.serveSitemap(w, r, at, to)
		}
	case route.HTML:
		w.kind = metrics.HTML
		if respond.IsRead(w, r) {
			s.serveTwin(w, r, at, to)
		}
	}
}

// leave leaves a sitemap to the site itself that the database cannot decide about. Where the site cannot be asked, it is not
// known whether the sitemap exists, and an index is ours, without what is not decided.
func (s *Server) leave(w *record, r *http.Request, at route.Mount, to route.Resource) bool {
	switch {
	case at.Site.Upstream != nil:
		pass(w, r, at.Site)
	case to.Name == seo.IndexName:
		return false
	default:
		w.kind = metrics.Sitemap
		respond.Later(w, r, http.StatusServiceUnavailable, retryLater, "It is not known whether this sitemap exists.")
	}
	return true
}

const (
	noindex = "noindex, follow" // on our own stylesheet, and robots.txt
)

// setType sets the headers that tell what a sitemap or its stylesheet is, as its plugin sends them.
func setType(h http.Header, b *site.Blog) {
	h.Set("Content-Type", b.Address.Plugin.ContentType)
	if tag := b.Address.Plugin.RobotsTag; tag != "" {
		h.Set("X-Robots-Tag", tag)
	}
}

func (s *Server) serveSitemap(w *record, r *http.Request, at route.Mount, to route.Resource) {
	if to.Name == seo.IndexName {
		to.Page = 1 // the index has but one
	}
	twin := at.HTMLOf(to.Name, to.Page)
	if to.ByQuery {
		if name := at.Blog.Catalog.QueryName(to.Name); name != to.Name {
			to.Name, twin = name, "" // another sitemap than the one by its own address
		}
	}
	c := s.obtain(w, r, at, to, func() { respond.Text(w, r, http.StatusNotFound, "There is no such sitemap.") })
	if c == nil {
		return
	}
	h := w.Header()
	if v := at.Site.Config.CacheControl; v != "" {
		h.Set("Cache-Control", v)
	}
	if setFormat(to, h) {
		if to.Packed {
			respond.File(w, r, c)
		} else {
			respond.Page(w, r, c)
		}
		return
	}
	setType(h, at.Blog)
	if at.Site.Config.Stylesheet != "xsl" { // what browsers ask of XSLT differs
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'")
	}
	if twin != "" {
		setLink(h, twin, twinType)
	}
	s.rememberAnswer(w, r, at, to.Name, to.Page)
	respond.Page(w, r, c)
}

// obtain returns the page of a sitemap to answer with, and sets Age where it is an old one. If there is none it has answered;
// missing does so where the sitemap does not exist.
func (s *Server) obtain(w http.ResponseWriter, r *http.Request, at route.Mount, to route.Resource, missing func()) *pages.Page {
	a, err := s.pages.Get(r.Context(), at.Site, at.Blog, to.Name, to.Page)
	switch {
	case a.Page != nil:
	case r.Context().Err() != nil: // nobody is listening
	case errors.Is(err, catalog.ErrNotFound):
		missing()
	default:
		respond.Later(w, r, http.StatusServiceUnavailable, retryLater, "This sitemap cannot be made at the moment.")
	}
	if a.Stale {
		w.Header().Set("Age", strconv.Itoa(int(a.Age/time.Second)))
	}
	return a.Page
}

// inForce reports whether a site is the one of its name in the configuration.
func (s *Server) inForce(install *site.Site) bool {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	return slices.ContainsFunc(s.workers, func(w *worker) bool { return w.Site == install })
}
