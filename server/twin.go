package server

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"wpsitemapd/server/route"

	"wpsitemapd/server/respond"

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
func (s *Server) serveTwin(w http.ResponseWriter, r *http.Request, at route.Mount, to route.Resource) {
	if to.Name == seo.IndexName {
		to.Page = 1
	}
	part, err := twinPart(r.URL.Query().Get("part"))
	if err != nil {
		respond.Text(w, r, http.StatusNotFound, "There is no such part of this sitemap.")
		return
	}
	xml := s.obtain(w, r, at, to, func() { pass(w, r, at.Site) })
	if xml == nil {
		return
	}
	c, err := s.pages.HTML(r.Context(), at.Site, at.Blog, to.Name, xml, viewPage(at, to, part))
	switch {
	case err == nil:
	case r.Context().Err() != nil:
		return // nobody is listening
	case errors.Is(err, view.ErrNoPart):
		respond.Text(w, r, http.StatusNotFound, "There is no such part of this sitemap.")
		return
	default:
		at.Site.Log.Error("page for people cannot be made", "blog", at.Blog.ID, "sitemap", to.Name, "page", to.Page, "reason", err, "hint", "report it with this log entry")
		respond.Later(w, r, http.StatusServiceUnavailable, retryLater, "This page cannot be made at the moment.")
		return
	}
	h := w.Header()
	h.Set("Content-Type", twinType)
	if v := at.Site.Config.CacheControl; v != "" {
		h.Set("Cache-Control", v)
	}
	h.Set("X-Robots-Tag", noindex)
	h.Set("Content-Security-Policy", twinCSP)
	h.Set("Referrer-Policy", "no-referrer")
	setLink(h, at.Blog.Catalog.URL(to.Name, to.Page), at.Blog.Address.Plugin.ContentType)
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
func viewPage(s route.Mount, to route.Resource, part int) view.Page {
	b := s.Blog
	p := view.Page{
		Home: b.Home, XML: b.Catalog.URL(to.Name, to.Page), HTML: s.HTMLOf(to.Name, to.Page),
		Number: to.Page, Of: 1, Stylesheet: catalog.CSSPath, Part: part, Twin: s.OwnHTML,
	}
	if b.Address.Path != "" {
		p.Stylesheet = "/" + b.Address.Path + catalog.CSSPath
	}
	if to.Name == seo.IndexName {
		return p
	}
	p.Index = s.HTMLOf(seo.IndexName, 1)
	for b.Lists(to.Name, p.Of+1) {
		p.Of++
	}
	if n := to.Page - 1; 1 <= n && n <= p.Of {
		p.Prev = s.HTMLOf(to.Name, n)
	}
	if n := to.Page + 1; n <= p.Of {
		p.Next = s.HTMLOf(to.Name, n)
	}
	return p
}
