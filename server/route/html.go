package route

import (
	"strings"
)

// For people every sitemap has an HTML page at the same address with .html at its end. Its address is ours exactly when that of
// its sitemap is, by its path and as a sitemap that exists; all others are the site's own, such as /sitemap.html, a page many
// sites have.

// HasHTML reports whether a blog's sitemaps have HTML pages: those that are addressed by queries alone have no name that .html
// could be behind.
func (a Scheme) HasHTML() bool { return a.HTML && a.paths() }

// html reads the URL of an HTML view, which is the URL of its sitemap with another end.
func (a Scheme) html(uri, rest string) Resource {
	path, query, asked := strings.Cut(uri, "?")
	sitemapPath, ok := htmlToXML(path)
	if !ok || !a.HasHTML() || isCommon(sitemapPath) {
		return Resource{}
	}
	rest, _ = htmlToXML(rest)
	if asked {
		sitemapPath += "?" + query
	}
	to := a.xml(sitemapPath, rest)
	if to.Kind != Sitemap || to.ByQuery {
		return Resource{}
	}
	return Resource{Kind: HTML, Name: to.Name, Page: to.Page}
}

// isCommon reports whether a sitemap is /sitemap.xml, whose page for people would be one that many sites have of their own.
func isCommon(loc string) bool { return strings.HasSuffix(strings.TrimRight(loc, "/"), "/sitemap.xml") }

// htmlToXML turns the path of an HTML page into that of its sitemap.
func htmlToXML(path string) (string, bool) {
	name := strings.TrimRight(path, "/")
	stem, ok := strings.CutSuffix(name, ".html")
	return stem + ".xml" + path[len(name):], ok
}

// HTMLAt is the address of the HTML page of the sitemap at an address, "" where it has none.
func (a Scheme) HTMLAt(loc string) string {
	if !a.HasHTML() {
		return ""
	}
	stem, ok := strings.CutSuffix(loc, ".xml")
	if !ok || isCommon(loc) {
		return ""
	}
	if a.Plain { // only with a slash such addresses are the plugin's
		return stem + ".html/"
	}
	return stem + ".html"
}

// HTMLOf is the address of the HTML page of a sitemap's page, "" where there is none.
func (v Visit) HTMLOf(name string, page int) string {
	return v.Scheme().HTMLAt(v.Blog.URL(name, page))
}

// OwnHTML is the address of the HTML page of a sitemap that the index names; "" where it has none, or where the site itself
// answers for it.
func (v Visit) OwnHTML(loc string) string {
	a := v.Scheme()
	_, after, _ := strings.Cut(loc, "://")
	_, path, _ := strings.Cut(after, "/")
	rest, ok := cutHomePath(strings.Trim(path, "/"), a.Path)
	if a.Plain {
		path += "/"
	}
	if to := a.xml("/"+path, rest); !ok || to.Kind != Sitemap || !v.Blog.Owns(to.Name) {
		return ""
	}
	return a.HTMLAt(loc)
}
