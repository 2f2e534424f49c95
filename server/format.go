package server

import (
	"net/http"
	"regexp"
	"strings"

	"wpsitemapd/server/respond"
	"wpsitemapd/sitemap/catalog"

	"wpsitemapd/server/site"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/php"
)

// The media types of the other formats. A file that ends in .gz is sent as what it is, not
// as XML in an encoding that clients undo.
const (
	gzipType = "application/gzip"
	atomType = "application/atom+xml; charset=utf-8"
)

// gzipEnd is what stands behind the address of a sitemap whose compressed file is asked for.
const gzipEnd = ".gz"

// textForm is the address of a text sitemap; page 1 has no number.
var textForm = regexp.MustCompile(`^sitemap([2-9]|[1-9][0-9]{1,8})?\.txt$`)

// formatRoute is the route of a sitemap in another format, of which there is no form by query
// variables and none with a slash at its end. A compressed file is ours
// exactly when its sitemap is.
func (a address) formatRoute(uri, rest string) route {
	path, _, _ := strings.Cut(uri, "?")
	if path = php.URLDecode(path); strings.HasSuffix(path, "/") || strings.Contains(path, "?") {
		return route{}
	}
	rest = strings.Trim(strings.TrimPrefix(php.URLDecode(rest), "index.php/"), "/")
	if rest == catalog.AtomName {
		return route{target: toSitemap, name: catalog.AtomName, page: 1}
	}
	if m := textForm.FindStringSubmatch(rest); m != nil {
		return route{target: toSitemap, name: catalog.TextName, page: max(1, phpInt(m[1]))}
	}
	path, ok := strings.CutSuffix(path, ".xml"+gzipEnd)
	if !ok || !a.gzip || a.core == site.CoreQueries {
		return route{}
	}
	a.plain = false // WordPress would not know this address with a slash either
	to := a.xmlRoute(path+".xml", strings.TrimSuffix(rest, gzipEnd))
	switch {
	case to.target == toSitemap && !to.byQuery:
		to.packed, to.unowned = true, ""
		return to
	case to.target == toRedirect && to.name != "":
		to.location += gzipEnd
		return to
	}
	return route{}
}

// mayBeFormat reports whether a request could be for a sitemap in another format, while the
// database has not been read.
func mayBeFormat(f config.Formats, uri string) bool {
	path, _, _ := strings.Cut(uri, "?")
	last := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case last == catalog.AtomName:
		return f.Atom
	case textForm.MatchString(last):
		return f.Text
	}
	xml, ok := strings.CutSuffix(last, gzipEnd)
	return ok && f.Gzip && xml != "sitemap.xml" && looksLikeSitemap("/"+xml)
}

// setFormat sets the headers of what is no XML sitemap; it is false for those.
func (to route) setFormat(h http.Header) bool {
	switch {
	case to.packed:
		h.Set("Content-Type", gzipType)
	case to.name == catalog.TextName:
		h.Set("Content-Type", respond.TextType)
	case to.name == catalog.AtomName:
		h.Set("Content-Type", atomType)
	default:
		return false
	}
	h.Set("X-Robots-Tag", noindex)
	return true
}
