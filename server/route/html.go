package route

import (
	"strings"
)

// Every sitemap has an HTML view for people, at the same address with .html at its end. The address of a view is ours exactly
// if the address of its sitemap is, and if that sitemap exists. Any other address with this ending belongs to the site, such as
// /sitemap.html, a page that many sites have.

// HasHTML reports whether the sitemaps of a blog have HTML views. Sitemaps that are addressed by a query alone have none.
func (a Scheme) HasHTML() bool { return a.HTML && a.paths() }

// html returns the resource if the address belongs to an HTML view. For any other address, it returns the zero Resource.
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

// isCommon reports whether a sitemap is /sitemap.xml. Such a sitemap has no HTML view, because many sites have a page at
// /sitemap.html.
func isCommon(loc string) bool { return strings.HasSuffix(strings.TrimRight(loc, "/"), "/sitemap.xml") }

// htmlToXML turns the path of an HTML view into the path of its sitemap. It returns false if the path does not end in .html.
func htmlToXML(path string) (string, bool) {
	name := strings.TrimRight(path, "/")
	stem, ok := strings.CutSuffix(name, ".html")
	return stem + ".xml" + path[len(name):], ok
}

// htmlAt returns the address of the HTML view of the sitemap at loc, "" if it has none.
func (a Scheme) htmlAt(loc string) string {
	if !a.HasHTML() {
		return ""
	}
	stem, ok := strings.CutSuffix(loc, ".xml")
	if !ok || isCommon(loc) {
		return ""
	}
	if a.Plain { // the plugin has such addresses only with a slash
		return stem + ".html/"
	}
	return stem + ".html"
}

// HTMLOf returns the address of the HTML view of a sitemap page, "" if there is none.
func (v Visit) HTMLOf(name string, page int) string {
	return v.Scheme().htmlAt(v.Blog.URL(name, page))
}

// OwnHTML returns the address of the HTML view of a sitemap that the index names. It is "" if there is no view, or if the site
// itself serves the sitemap.
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
	return a.htmlAt(loc)
}
