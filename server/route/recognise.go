package route

import (
	"slices"
	"strings"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
)

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
