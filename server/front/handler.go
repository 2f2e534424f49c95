// Package front answers the requests of the public listeners. Start with Handler.answer in handler.go and read down. Package
// route says what a request asks for, package pages returns the page, and respond.go sends it.
package front

import (
	"errors"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"golang.org/x/net/http/httpguts"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/route"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
)

const (
	gzipType = "application/gzip" // of compressed files: clients would unpack XML that has a content coding
	atomType = "application/atom+xml; charset=utf-8"
	rssType  = "application/rss+xml; charset=utf-8"
	noindex  = "noindex, follow" // for the other formats, our own stylesheet and robots.txt
)

// ServeHTTP answers a visitor's request and writes its line in the access log.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	rec := &record{ResponseWriter: w}
	if r.ContentLength != 0 {
		// net/http reads the rest of a body that nobody reads. The proxy sets its own limits for requests that it passes on.
		_ = http.NewResponseController(w).SetReadDeadline(start.Add(h.BodyTimeout)) // some writers have no deadline
	}
	defer func() {
		h.noteFetch(rec, r, start)
		h.answered(rec, r, start)
	}()
	defer h.recovered(rec, r)
	h.answer(rec, r)
}

// recovered limits a panic to one request. It logs the panic, then answers 503 or aborts an answer that has begun.
func (h *Handler) recovered(w *record, r *http.Request) {
	v := recover()
	switch {
	case v == nil:
		return
	case v == http.ErrAbortHandler:
		panic(v)
	}
	h.Log.Error("internal error", "panic", v, "stack", string(debug.Stack()), "hint", "report it with this log entry")
	if w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	clear(w.Header())
	sendLater(w, r, http.StatusServiceUnavailable, retryLater, "This cannot be answered at the moment.")
}

// answer answers a request: it finds the site and the blog, and calls what serves them.
func (h *Handler) answer(w *record, r *http.Request) {
	if r.ProtoMajor > 1 && (r.Host == "" || !httpguts.ValidHostHeader(r.Host)) { // net/http accepts such hosts
		sendText(w, r, http.StatusBadRequest, "The request names no valid host.")
		return
	}
	if h.hasComeBack(r) {
		h.refuseLoop(w, r)
		return
	}
	to := h.find(r)
	w.site = to.Site
	switch {
	case to.Moved && to.Unnamed && passesUnnamed(to.Site, r):
		pass(w, r, to.Site)
	case to.Moved:
		sendHome(w, r, to.Blog.Home)
	case to.Gone && to.Site.Upstream == nil:
		sendText(w, r, http.StatusGone, "This site is gone.")
	case to.Gone:
		pass(w, r, to.Site)
	case to.Kind == route.KeyFile || to.Blog != nil && to.Blog.Known():
		h.serve(w, r, to)
	case to.Blog != nil || to.Key != "" || to.Site != nil && !to.Site.Snapshot().Opened:
		serveUnread(w, r, to)
	case to.Contest != nil || to.Site == nil && len(h.Table().Opening) > 0:
		h.serveUnknown(w, r, to)
	case to.Site == nil: // there are several sites, and none has this host
		sendMisdirected(w, r)
	case to.Unnamed && !passesUnnamed(to.Site, r):
		sendMisdirected(w, r)
	default:
		pass(w, r, to.Site)
	}
}

// passesUnnamed reports whether a request for a host that no site has goes to the upstream of the only site. WordPress may
// redirect such a request, or show another blog of a network. If the configuration lists the hosts of the site, requests that
// may be for a sitemap do not go to the upstream.
func passesUnnamed(s *site.Site, r *http.Request) bool {
	return s.Upstream != nil && (s.Config.Hosts == nil || !mayBeSitemap(r))
}

// serve answers for what the daemon serves itself, and passes everything else to the upstream.
func (h *Handler) serve(w *record, r *http.Request, to *route.Target) {
	w.kind = kindOf[to.Kind]
	switch to.Kind {
	case route.Upstream:
		pass(w, r, to.Site)
		if h.traffic.Load() {
			to.Site.Traffic.Answered(to.Blog.ID, r, w.status, w.Header(), h.Now())
		}
		return
	case route.Robots:
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			pass(w, r, to.Site)
			return
		}
		h.serveRobots(w, r, to.Site, to.Blog)
		return
	case route.Undecided:
		sendLater(w, r, http.StatusServiceUnavailable, retryLater, "The database does not show whether this sitemap exists. To "+
			"settle this, set public of its type in the configuration of wpsitemapd, or set upstream.")
		return
	}
	if !isRead(w, r) {
		return
	}
	switch to.Kind {
	case route.Sitemap:
		h.serveSitemap(w, r, to)
	case route.HTML:
		h.serveHTML(w, r, to)
	case route.Redirect:
		sendRedirect(w, r, to.Blog.Home+to.Location, to.Found)
	case route.XSL:
		serveXSL(w, r, to)
	case route.CSS:
		serveCSS(w, r, to)
	case route.KeyFile:
		serveKeyFile(w, r, to.Site.Config.IndexNow.Key)
	case route.Network:
		h.serveNetwork(w, r, to)
	}
}

// kindOf is the kind under which the metrics count each resource.
var kindOf = [...]metrics.AnswerKind{
	route.Sitemap:   metrics.Sitemap,
	route.Redirect:  metrics.Redirect,
	route.XSL:       metrics.Stylesheet,
	route.CSS:       metrics.Stylesheet,
	route.Robots:    metrics.Robots,
	route.HTML:      metrics.HTML,
	route.Undecided: metrics.Sitemap,
	route.KeyFile:   metrics.KeyFile,
	route.Network:   metrics.Sitemap,
}

func (h *Handler) serveSitemap(w *record, r *http.Request, to *route.Target) {
	w.target = to
	page := h.obtain(w, r, to, func() { sendMissing(w, r, to) })
	if page == nil {
		return
	}
	fields := to.Header(func() http.Header { return sitemapHeader(to) })
	if to.Packed {
		sendFile(w, r, page, fields)
		return
	}
	sendPage(w, r, page, fields)
}

// sendMissing answers 404 for a sitemap that does not exist, with the text of its plugin if there is one.
func sendMissing(w http.ResponseWriter, r *http.Request, to *route.Target) {
	body := to.Blog.Address.Plugin.Missing
	if body == "" || to.Packed || catalog.IsOtherFormat(to.Name) {
		sendText(w, r, http.StatusNotFound, "There is no such sitemap.")
		return
	}
	setXMLType(w.Header(), to.Blog)
	sendBody(w, r, http.StatusNotFound, body)
}

// sitemapHeader returns the header fields of a sitemap that do not depend on its encoding.
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
		other = textType
	case to.Name == catalog.AtomName:
		other = atomType
	case to.Name == catalog.RSSName:
		other = rssType
	}
	if other != "" {
		header.Set("Content-Type", other)
		header.Set("X-Robots-Tag", noindex)
		return header
	}
	setXMLType(header, to.Blog)
	if to.Site.Config.Stylesheet != "xsl" { // browsers apply different rules to XSLT
		header.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'")
	}
	if html := to.HTMLOf(to.Name, to.Page); html != "" && to.Name == to.Asked { // a sitemap that only a query names has no view
		setLink(header, html, htmlType)
	}
	return header
}

// setXMLType sets the content type and the robots tag that the blog's plugin sends for a sitemap or its stylesheet.
func setXMLType(header http.Header, b *site.Blog) {
	plugin := b.Address.Plugin
	header.Set("Content-Type", plugin.ContentType)
	if plugin.RobotsTag != "" {
		header.Set("X-Robots-Tag", plugin.RobotsTag)
	}
}

// obtain returns the page of a sitemap, and sets Age if the page is stale. If there is no page, it answers the request itself
// and returns nil. It calls missing to answer for a sitemap that does not exist.
func (h *Handler) obtain(w http.ResponseWriter, r *http.Request, to *route.Target, missing func()) *pages.Page {
	a, err := h.Pages.Get(r.Context(), to.Site, to.Blog, to.Name, to.Page)
	switch {
	case a.Page != nil:
	case r.Context().Err() != nil: // the client has gone away
	case errors.Is(err, catalog.ErrNotFound):
		missing()
	default:
		sendLater(w, r, http.StatusServiceUnavailable, retryLater, "This sitemap cannot be made at the moment.")
	}
	if a.Stale {
		w.Header().Set("Age", strconv.Itoa(int(a.Age/time.Second)))
	}
	return a.Page
}
