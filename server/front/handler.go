// Package front is the way of a request, from the socket to the answer. Start with Handler.answer in handler.go and read down:
// route says what is asked for, pages has it, respond.go sends it.
package front

import (
	"errors"
	"maps"
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
	gzipType = "application/gzip" // not XML in an encoding, which clients undo
	atomType = "application/atom+xml; charset=utf-8"
	rssType  = "application/rss+xml; charset=utf-8"
	noindex  = "noindex, follow" // on the other formats, our own stylesheet and robots.txt
)

// ServeHTTP answers a visitor's request and writes its line in the access log.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	rec := &record{ResponseWriter: w}
	if r.ContentLength != 0 {
		// net/http reads on in a body nobody wants; the proxy sets limits of its own to those it passes on
		_ = http.NewResponseController(w).SetReadDeadline(start.Add(h.BodyTimeout)) // not every writer has one
	}
	defer func() {
		h.noteFetch(rec, r, start)
		h.answered(rec, r, start)
	}()
	defer h.recovered(rec, r)
	h.answer(rec, r)
}

// recovered has a panic cost one request: it is logged and answered with 503, or ends an answer that has begun.
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

// answer is the way of a request.
func (h *Handler) answer(w *record, r *http.Request) {
	if r.ProtoMajor > 1 && (r.Host == "" || !httpguts.ValidHostHeader(r.Host)) { // net/http takes them
		sendText(w, r, http.StatusBadRequest, "The request names no host, or none that can be.")
		return
	}
	if h.hasComeBack(r) {
		h.refuseLoop(w, r)
		return
	}
	to := h.find(r)
	w.site = to.Site
	switch {
	case to.Moved:
		sendHome(w, r, to.Blog.Home)
	case to.Gone && to.Site.Upstream == nil:
		sendText(w, r, http.StatusGone, "This site is gone.")
	case to.Gone:
		pass(w, r, to.Site)
	case to.Kind == route.KeyFile || to.Blog != nil && to.Blog.Catalog != nil:
		h.serve(w, r, to)
	case to.Blog != nil || to.Key != "" || to.Site != nil && !to.Site.Snapshot().Opened:
		serveUnread(w, r, to)
	case to.Contest != nil || to.Site == nil && len(h.Table().Opening) > 0:
		h.serveUnknown(w, r, to)
	case to.Site == nil: // there are several sites, and none to prefer
		sendMisdirected(w, r)
	case to.Unnamed && (to.Site.Upstream == nil || to.Site.Config.Hosts != nil && mayBeSitemap(r)):
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
		sendLater(w, r, http.StatusServiceUnavailable, retryLater, "It is not known whether this sitemap exists.")
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

// kindOf is what metrics count a resource as.
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
	maps.Copy(w.Header(), to.Header(func() http.Header { return sitemapHeader(to) }))
	if to.Packed {
		sendFile(w, r, page)
		return
	}
	sendPage(w, r, page)
}

// sendMissing answers for a sitemap that does not exist, in the form that its plugin has for that.
func sendMissing(w http.ResponseWriter, r *http.Request, to *route.Target) {
	body := to.Blog.Address.Plugin.Missing
	if body == "" || to.Packed || catalog.IsOtherFormat(to.Name) {
		sendText(w, r, http.StatusNotFound, "There is no such sitemap.")
		return
	}
	setXMLType(w.Header(), to.Blog)
	sendBody(w, r, http.StatusNotFound, body)
}

// sitemapHeader is what a header says of a sitemap beside its representation.
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
		sendLater(w, r, http.StatusServiceUnavailable, retryLater, "This sitemap cannot be made at the moment.")
	}
	if a.Stale {
		w.Header().Set("Age", strconv.Itoa(int(a.Age/time.Second)))
	}
	return a.Page
}
