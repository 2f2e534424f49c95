// Package front is the way of a request, from the socket to the answer. Start with Handler.answer in handler.go and read down:
// route says what is asked for, pages has it, respond sends it.
package front

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"wpsitemapd/sitemap/catalog"

	"golang.org/x/net/http/httpguts"

	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/respond"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
)

const (
	retryLater  = 30 * time.Second // Retry-After on 503
	bodyTimeout = 2 * time.Minute  // for a body sent with a request that is answered here
)

const (
	gzipType = "application/gzip" // not XML in an encoding, which clients undo
	atomType = "application/atom+xml; charset=utf-8"
	noindex  = "noindex, follow" // on the other formats, our own stylesheet and robots.txt
)

// Options are what a handler needs to know of the daemon.
type Options struct {
	Log     *slog.Logger
	Pages   *pages.Pages
	Process *metrics.Process
	Now     func() time.Time // Now is the clock of the sites.
}

// A Handler answers the requests of the public listeners. Set its fields before the first.
type Handler struct {
	Options
	BodyPatience  time.Duration // BodyPatience is for a body sent with a request that is answered here.
	SendPatience  time.Duration // SendPatience is for an answer of our own; what is proxied may take as long as it likes.
	StallPatience time.Duration // StallPatience is for an answer on HTTP/2 of which the client takes nothing.
	// RobotsPatience is for an upstream's robots.txt; it is less than a crawler waits.
	RobotsPatience time.Duration

	table     atomic.Pointer[route.Table]
	trust     atomic.Pointer[proxy.Trust] // front servers
	access    atomic.Bool                 // an access log is wanted
	draining  atomic.Bool                 // the daemon is stopping: no connection is kept
	firstRead time.Time                   // until when a request waits for what is newer than the stored pages
	upstreams proxy.Pool
	robots    robotsTexts
	waiting   waiters // answers on HTTP/2
	unpacking waiters // answers that are unpacked while they are sent
}

// New returns a handler of no site.
func New(opt Options) *Handler {
	return &Handler{
		Options: opt, BodyPatience: bodyTimeout, SendPatience: sendTimeout, StallPatience: stallTimeout, RobotsPatience: robotsTimeout,
		waiting: waiters{ofOne: MaxWaiting}, unpacking: waiters{ofAll: MaxUnpacking},
	}
}

// Configure puts a configuration in force.
func (h *Handler) Configure(c *config.Config) {
	h.trust.Store(&c.Trusted)
	h.access.Store(c.AccessLog)
}

// Route puts a table in force.
func (h *Handler) Route(t *route.Table) {
	if before := h.table.Swap(t); before != nil {
		before.Retire()
	}
}

// Table is the one in force.
func (h *Handler) Table() *route.Table { return h.table.Load() }

// UseStore has robots.txt of upstreams outlive the process. It is for before the first request.
func (h *Handler) UseStore(s store.Store) { h.robots.store = s }

// Forget drops what is kept of a site that nothing asks for any more.
func (h *Handler) Forget(of *site.Site) { h.robots.forget(of) }

// Drain has every connection closed with the next answer.
func (h *Handler) Drain() { h.draining.Store(true) }

// Draining reports whether Drain was called.
func (h *Handler) Draining() bool { return h.draining.Load() }

// CloseIdle closes the connections to upstreams that are not in use.
func (h *Handler) CloseIdle() { h.upstreams.CloseIdle() }

// ServeHTTP answers a visitor's request and writes its line in the access log.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	rec := &record{ResponseWriter: w, handler: h}
	if r.ContentLength != 0 {
		// net/http reads on in a body nobody wants; the proxy sets limits of its own to those it passes on
		_ = http.NewResponseController(w).SetReadDeadline(start.Add(h.BodyPatience)) // not every writer has one
	}
	defer func() {
		h.noteFetch(rec, r, start)
		h.answered(rec, r, start)
	}()
	h.answer(rec, r)
}

// answer is the way of a request.
func (h *Handler) answer(w *record, r *http.Request) {
	if r.ProtoMajor > 1 && (r.Host == "" || !httpguts.ValidHostHeader(r.Host)) { // net/http takes them
		respond.Text(w, r, http.StatusBadRequest, "The request names no host, or none that can be.")
		return
	}
	to := h.find(r)
	w.site = to.Site
	switch {
	case to.Gone && to.Site.Upstream == nil:
		respond.Text(w, r, http.StatusGone, "This site is gone.")
	case to.Gone:
		pass(w, r, to.Site)
	case to.Kind == route.KeyFile || to.Blog != nil && to.Blog.Catalog != nil:
		h.serve(w, r, to)
	case to.Blog != nil || to.Site != nil && !to.Site.Snapshot().Opened:
		serveUnread(w, r, to)
	case to.Contest != nil || to.Site == nil && len(h.Table().Opening) > 0:
		h.serveUnknown(w, r, to)
	case to.Site == nil: // there are several sites, and none to prefer
		sendMisdirected(w, r)
	default:
		pass(w, r, to.Site)
	}
}

// serve answers what is ours and passes on the rest.
func (h *Handler) serve(w *record, r *http.Request, to *route.Target) {
	w.kind = kindOf[to.Kind]
	switch to.Kind {
	case route.Upstream:
		pass(w, r, to.Site)
		return
	case route.Robots:
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			pass(w, r, to.Site)
			return
		}
		h.serveRobots(w, r, to.Site, to.Blog)
		return
	case route.Undecided:
		respond.Later(w, r, http.StatusServiceUnavailable, retryLater, "It is not known whether this sitemap exists.")
		return
	}
	if !respond.IsRead(w, r) {
		return
	}
	switch to.Kind {
	case route.Sitemap:
		h.serveSitemap(w, r, to)
	case route.HTML:
		h.serveHTML(w, r, to)
	case route.Redirect:
		respond.Redirect(w, r, to.Blog.Home+to.Location)
	case route.XSL:
		serveXSL(w, r, to)
	case route.CSS:
		serveCSS(w, r, to)
	case route.KeyFile:
		serveKeyFile(w, r, to.Site.Config.IndexNow.Key)
	}
}

// kindOf is what metrics count a resource as.
var kindOf = [...]metrics.Kind{
	route.Sitemap:   metrics.Sitemap,
	route.Redirect:  metrics.Redirect,
	route.XSL:       metrics.Stylesheet,
	route.CSS:       metrics.Stylesheet,
	route.Robots:    metrics.Robots,
	route.HTML:      metrics.HTML,
	route.Undecided: metrics.Sitemap,
	route.KeyFile:   metrics.KeyFile,
}

func (h *Handler) serveSitemap(w *record, r *http.Request, to *route.Target) {
	w.target = to
	page := h.obtain(w, r, to, func() { respond.Text(w, r, http.StatusNotFound, "There is no such sitemap.") })
	if page == nil {
		return
	}
	header := w.Header()
	for name, values := range to.Header(func() http.Header { return sitemapHeader(to) }) {
		header[name] = values
	}
	if to.Packed {
		respond.File(w, r, page)
		return
	}
	respond.Page(w, r, page)
}

// sitemapHeader is the part of a sitemap's header that is the same as long as the blog is.
func sitemapHeader(to *route.Target) http.Header {
	header := http.Header{}
	if v := to.Site.Config.CacheControl; v != "" {
		header.Set("Cache-Control", v)
	}
	other := ""
	switch {
	case to.Packed:
		other = gzipType
	case to.Name == catalog.TextName:
		other = respond.TextType
	case to.Name == catalog.AtomName:
		other = atomType
	}
	if other != "" {
		header.Set("Content-Type", other)
		header.Set("X-Robots-Tag", noindex)
		return header
	}
	setXMLType(header, to.Blog)
	if to.Site.Config.Stylesheet != "xsl" { // what browsers ask of XSLT differs
		header.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'")
	}
	if html := to.HTMLOf(to.Name, to.Page); html != "" && to.Name == to.Asked { // else it is another sitemap than the one by its own address
		setLink(header, html, htmlType)
	}
	return header
}

// setXMLType says what a sitemap or its stylesheet is, as its plugin does.
func setXMLType(header http.Header, b *site.Blog) {
	plugin := b.Address.Plugin
	header.Set("Content-Type", plugin.ContentType)
	if plugin.RobotsTag != "" {
		header.Set("X-Robots-Tag", plugin.RobotsTag)
	}
}

// obtain returns the page of a sitemap to answer with, and sets Age where it is an old one. If there is none it has answered;
// missing does so where the sitemap does not exist.
func (h *Handler) obtain(w http.ResponseWriter, r *http.Request, to *route.Target, missing func()) *pages.Page {
	a, err := h.Pages.Get(r.Context(), to.Site, to.Blog, to.Name, to.Page)
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

// serveUnread answers for a site whose database has not been read yet: what may be ours must not go to PHP or to 404.
func serveUnread(w *record, r *http.Request, to *route.Target) {
	if !route.MayBeOurs(to.Site, route.URI(r)) && to.Site.Upstream != nil {
		pass(w, r, to.Site)
		return
	}
	w.kind, w.target = metrics.Sitemap, to
	respond.Later(w, r, http.StatusServiceUnavailable, retryLater, "The sitemaps of this site are not ready yet.")
}

// serveUnknown answers for a host of which it is not known whose it is. What cannot be a sitemap goes to the upstream where
// there is only one that it can be for.
func (h *Handler) serveUnknown(w *record, r *http.Request, to *route.Target) {
	table := h.Table()
	may, later := table.Unplaced(), to.Contest != nil
	if later {
		may = to.Contest.Sites
	} else {
		now := time.Now()
		later = slices.ContainsFunc(table.Opening, func(s *site.Site) bool { return s.Hopeful(now) })
	}
	ours := route.MayBeOurs(nil, route.URI(r))
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
