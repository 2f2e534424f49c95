package server

import (
	"net/http"

	"wpsitemapd/server/route"
	"wpsitemapd/sitemap/catalog"

	"wpsitemapd/server/respond"
)

// The media types of the other formats. A file that ends in .gz is sent as what it is, not
// as XML in an encoding that clients undo.
const (
	gzipType = "application/gzip"
	atomType = "application/atom+xml; charset=utf-8"
)

// setFormat sets the headers of what is no XML sitemap; it is false for those.
func setFormat(to route.Resource, h http.Header) bool {
	switch {
	case to.Packed:
		h.Set("Content-Type", gzipType)
	case to.Name == catalog.TextName:
		h.Set("Content-Type", respond.TextType)
	case to.Name == catalog.AtomName:
		h.Set("Content-Type", atomType)
	default:
		return false
	}
	h.Set("X-Robots-Tag", noindex)
	return true
}
