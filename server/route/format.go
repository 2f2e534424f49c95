package route

import (
	"regexp"
	"slices"
	"strings"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/php"
)

// gzipEnd is the end of the address of a sitemap's compressed file.
const gzipEnd = ".gz"

// textForm matches the address of a text sitemap. Page 1 has no number.
var textForm = regexp.MustCompile(`^sitemap([2-9]|[1-9][0-9]{1,8})?\.txt$`)

// format returns the resource if the address means a sitemap in another format than plain XML. It ignores the query. For any other
// address, and for one with a slash at its end, format returns the zero Resource. A compressed file is ours exactly if its sitemap is.
func (a Scheme) format(uri, rest string) Resource {
	path, _, _ := strings.Cut(uri, "?")
	if path = php.URLDecode(path); strings.HasSuffix(path, "/") || strings.Contains(path, "?") {
		return Resource{}
	}
	rest = strings.Trim(strings.TrimPrefix(php.URLDecode(rest), "index.php/"), "/")
	if rest == catalog.AtomName || rest == catalog.RSSName {
		return Resource{Kind: Sitemap, Name: rest, Page: 1}
	}
	if m := textForm.FindStringSubmatch(rest); m != nil {
		return Resource{Kind: Sitemap, Name: catalog.TextName, Page: catalog.PageOf(m[1])}
	}
	path, ok := strings.CutSuffix(path, ".xml"+gzipEnd)
	if !ok || !a.Gzip || !a.paths() {
		return Resource{}
	}
	a.Plain = false // WordPress would not route this address, not even with a slash
	to := a.xml(path+".xml", strings.TrimSuffix(rest, gzipEnd))
	switch {
	case to.Kind == Sitemap && !to.ByQuery:
		to.Packed, to.Unowned = true, ""
		return to
	case to.Kind == Redirect && to.Name != "":
		to.Location += gzipEnd
		return to
	}
	return Resource{}
}

// MayBeOurs reports whether a request could be for a sitemap of any plugin, or for a stylesheet of one. It is for sites of which
// the home and the form of the links are not known yet.
func MayBeOurs(uri string) bool {
	path, query, _ := strings.Cut(uri, "?")
	name := lastOf(path) // other formats have no address with a slash at its end
	if name == catalog.AtomName || name == catalog.RSSName || textForm.MatchString(name) {
		return true
	}
	if xml, packed := strings.CutSuffix(name, gzipEnd); packed {
		return xml != "sitemap.xml" && mayBeXML(xml)
	}
	name = lastOf(strings.Trim(path, "/"))
	if stem, ok := strings.CutSuffix(name, ".html"); ok && query == "" {
		return stem != "sitemap" && mayBeXML(stem+".xml")
	}
	return mayBeXML(name) || query != "" && mayBeXML("?"+query)
}

func lastOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// mayBeXML reports whether name could be an XML sitemap or a stylesheet of any plugin. name is the last part of a path, or ? and
// a query.
func mayBeXML(name string) bool {
	if "/"+name == catalog.CSSPath {
		return true
	}
	rest, _, _ := strings.Cut(name, "?")
	return slices.ContainsFunc(sitemap.Plugins, func(p *seo.Plugin) bool {
		return p.URLs.Parse(seo.Request{URI: "/" + name, Rest: rest, Pretty: true}).Kind != seo.NoResource
	})
}
