package server

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"wpsitemapd/server/respond"

	"wpsitemapd/server/site"

	"wpsitemapd/server/config"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/view"
)

// For people every sitemap has a twin, an HTML page at the same address with .html at its
// end. A twin's address is ours exactly when that of its sitemap is, by its path and as a
// sitemap that exists; all others are the site's own, such as /sitemap.html, a page many
// sites have.

const (
	twinCSP  = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	twinType = "text/html; charset=utf-8"
)

// hasTwins reports whether a blog's sitemaps have twins: those that are addressed by queries
// alone have no name an .html could stand behind.
func (a address) hasTwins() bool { return a.html && a.core != site.CoreQueries }

// twinRoute is the route of a twin, which is that of its sitemap but for the target.
func (a address) twinRoute(uri, rest string) route {
	path, query, asked := strings.Cut(uri, "?")
	sitemapPath, ok := twinToXML(path)
	if !ok || !a.hasTwins() {
		return route{}
	}
	rest, _ = twinToXML(rest)
	if asked {
		sitemapPath += "?" + query
	}
	to := a.xmlRoute(sitemapPath, rest)
	if to.target != toSitemap || to.byQuery {
		return route{}
	}
	return route{target: toTwin, name: to.name, page: to.page}
}

// twinToXML turns the path of a twin into that of its sitemap.
func twinToXML(path string) (string, bool) {
	name := strings.TrimRight(path, "/")
	stem, ok := strings.CutSuffix(name, ".html")
	return stem + ".xml" + path[len(name):], ok
}

// looksLikeOurs reports whether a request to a site, if it is known, could be for a sitemap
// or its twin, while the database has not been read.
func looksLikeOurs(w *worker, uri string) bool {
	formats := config.Formats{Gzip: true, Text: true, Atom: true}
	if w != nil {
		formats = w.Config.Formats
	}
	if looksLikeSitemap(uri) || mayBeFormat(formats, uri) {
		return true
	}
	if w != nil && !w.Config.HTML {
		return false
	}
	path, _, _ := strings.Cut(uri, "?")
	path, ok := twinToXML(path)
	return ok && !strings.HasSuffix(strings.TrimRight(path, "/"), "/sitemap.xml") && looksLikeSitemap(path)
}

// twinURL is the address of the twin of the sitemap at an address, "" where it has none.
func (a address) twinURL(loc string) string {
	if !a.hasTwins() {
		return ""
	}
	stem, ok := strings.CutSuffix(loc, ".xml")
	if !ok {
		return ""
	}
	if a.plain { // see pathVars
		return stem + ".html/"
	}
	return stem + ".html"
}

// twinOf is the address of a page's twin, "" where there is none.
func (s stand) twinOf(name string, page int) string {
	return s.scheme().twinURL(s.blog.Catalog.URL(name, page))
}

// ownTwin is the address of the twin of a sitemap the index names; "" where it has none, or
// where the site itself answers for it.
func (s stand) ownTwin(loc string) string {
	a := s.scheme()
	_, after, _ := strings.Cut(loc, "://")
	_, path, _ := strings.Cut(after, "/")
	rest, ok := cutHomePath(strings.Trim(path, "/"), a.path)
	if a.plain {
		path += "/"
	}
	if to := a.xmlRoute("/"+path, rest); !ok || to.target != toSitemap || !s.blog.Catalog.Owns(to.name) {
		return ""
	}
	return a.twinURL(loc)
}

// setLink announces another form of what is sent, by its address and its content type.
func setLink(h http.Header, address, contentType string) {
	mediaType, _, _ := strings.Cut(contentType, ";")
	u, err := url.Parse(address)
	if err != nil {
		return
	}
	h.Add("Link", fmt.Sprintf("<%s>; rel=\"alternate\"; type=\"%s\"", u, mediaType))
}

// serveTwin answers with the HTML of what serveSitemap would answer with.
func (s *Server) serveTwin(w http.ResponseWriter, r *http.Request, at stand, to route) {
	if to.name == seo.IndexName {
		to.page = 1
	}
	part, err := twinPart(r.URL.Query().Get("part"))
	if err != nil {
		respond.Text(w, r, http.StatusNotFound, "There is no such part of this sitemap.")
		return
	}
	xml := s.obtain(w, r, at, to, func() { at.worker.pass(w, r) })
	if xml == nil {
		return
	}
	c, err := s.pages.HTML(r.Context(), at.worker.Site, at.blog, to.name, xml, at.viewPage(to, part))
	switch {
	case err == nil:
	case r.Context().Err() != nil:
		return // nobody is listening
	case errors.Is(err, view.ErrNoPart):
		respond.Text(w, r, http.StatusNotFound, "There is no such part of this sitemap.")
		return
	default:
		at.worker.Log.Error("page for people cannot be made", "blog", at.blog.ID, "sitemap", to.name, "page", to.page, "reason", err, "hint", "report it with this log entry")
		respond.Later(w, r, http.StatusServiceUnavailable, retryLater, "This page cannot be made at the moment.")
		return
	}
	h := w.Header()
	h.Set("Content-Type", twinType)
	if v := at.worker.Config.CacheControl; v != "" {
		h.Set("Cache-Control", v)
	}
	h.Set("X-Robots-Tag", noindex)
	h.Set("Content-Security-Policy", twinCSP)
	h.Set("Referrer-Policy", "no-referrer")
	setLink(h, at.blog.Catalog.URL(to.name, to.page), xmlTypeOf(at.blog))
	respond.Page(w, r, c)
}

// twinPart reads the part asked for. There is one spelling, so that a part has one address.
func twinPart(v string) (int, error) {
	if v == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || strconv.Itoa(n) != v || n < 1 || n > view.MaxParts {
		return 0, view.ErrNoPart
	}
	return n, nil
}

// viewPage is what stands around the list of a page.
func (s stand) viewPage(to route, part int) view.Page {
	b := s.blog
	p := view.Page{
		Home: b.Home, XML: b.Catalog.URL(to.name, to.page), HTML: s.twinOf(to.name, to.page),
		Number: to.page, Of: 1, Stylesheet: catalog.CSSPath, Part: part, Twin: s.ownTwin,
	}
	if b.Address.Path != "" {
		p.Stylesheet = "/" + b.Address.Path + catalog.CSSPath
	}
	if to.name == seo.IndexName {
		return p
	}
	p.Index = s.twinOf(seo.IndexName, 1)
	for b.Lists(to.name, p.Of+1) {
		p.Of++
	}
	if n := to.page - 1; 1 <= n && n <= p.Of {
		p.Prev = s.twinOf(to.name, n)
	}
	if n := to.page + 1; n <= p.Of {
		p.Next = s.twinOf(to.name, n)
	}
	return p
}
