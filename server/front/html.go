package front

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"wpsitemapd/server/route"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/view"
)

const (
	htmlCSP  = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	htmlType = "text/html; charset=utf-8"
)

// setLink adds a Link header that names another form of the answer by its address and content type.
func setLink(header http.Header, address, contentType string) {
	mediaType, _, _ := strings.Cut(contentType, ";")
	u, err := url.Parse(address)
	if err != nil {
		return
	}
	header.Add("Link", "<"+u.String()+`>; rel="alternate"; type="`+mediaType+`"`)
}

// serveHTML answers with the HTML view of a sitemap.
func (h *Handler) serveHTML(w http.ResponseWriter, r *http.Request, to *route.Target) {
	part, err := partOf(r.URL.Query().Get("part"))
	if err != nil {
		sendText(w, r, http.StatusNotFound, "There is no such part of this sitemap.")
		return
	}
	xml := h.obtain(w, r, to, func() { pass(w, r, to.Site) })
	if xml == nil {
		return
	}
	c, err := h.Pages.HTML(r.Context(), xml, viewOf(to, part))
	switch {
	case err == nil:
	case r.Context().Err() != nil:
		return // the client has gone away
	case errors.Is(err, view.ErrNoPart):
		sendText(w, r, http.StatusNotFound, "There is no such part of this sitemap.")
		return
	default:
		to.Site.Log.Error("HTML view cannot be made", "blog", to.Blog.ID, "sitemap", to.Name, "page", to.Page,
			"reason", err, "hint", "report it with this log entry")
		sendLater(w, r, http.StatusServiceUnavailable, retryLater, "This page cannot be made at the moment.")
		return
	}
	header := http.Header{}
	header.Set("Content-Type", htmlType)
	if v := to.Site.Config.CacheControl; v != "" {
		header.Set("Cache-Control", v)
	}
	header.Set("X-Robots-Tag", noindex)
	header.Set("Content-Security-Policy", htmlCSP)
	header.Set("Referrer-Policy", "no-referrer")
	setLink(header, to.Blog.URL(to.Name, to.Page), to.Blog.Address.Plugin.ContentType)
	sendPage(w, r, c, header)
}

// partOf parses the number of a part. Only one spelling is accepted, so that each part has one address.
func partOf(v string) (int, error) {
	if v == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || strconv.Itoa(n) != v || n < 1 || n > view.MaxParts {
		return 0, view.ErrNoPart
	}
	return n, nil
}

// viewOf returns what the HTML view of a page shows around its list.
func viewOf(to *route.Target, part int) view.Frame {
	b := to.Blog
	p := view.Frame{
		Home: b.Home, Title: b.Outline.Title, XML: b.URL(to.Name, to.Page), HTML: to.HTMLOf(to.Name, to.Page),
		Number: to.Page, Of: 1, Stylesheet: catalog.CSSPath, Part: part, Twin: to.OwnHTML,
	}
	if b.Address.Path != "" {
		p.Stylesheet = "/" + b.Address.Path + catalog.CSSPath
	}
	if to.Name == seo.IndexName {
		p.Entries = make(map[string]int, len(b.Outline.Files))
		for i := range b.Outline.Files {
			f := &b.Outline.Files[i]
			p.Entries[f.URL] = to.Site.URLs(b, f)
		}
		return p
	}
	p.Index = to.HTMLOf(seo.IndexName, 1)
	for b.Lists(to.Name, p.Of+1) {
		p.Of++
	}
	if n := to.Page - 1; 1 <= n && n <= p.Of {
		p.Prev = to.HTMLOf(to.Name, n)
	}
	if n := to.Page + 1; n <= p.Of {
		p.Next = to.HTMLOf(to.Name, n)
	}
	return p
}
