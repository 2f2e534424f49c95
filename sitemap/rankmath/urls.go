package rankmath

import (
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/php"
)

// scheme is the address scheme of Rank Math. The index is sitemap_index.xml. A sitemap with one page
// is page-sitemap.xml; with several pages the first is post-sitemap1.xml. Without permalinks,
// addresses are query strings.
type scheme struct{ catalog.TypeNames }

func (u scheme) Named(string) seo.URLs { return u }

func (scheme) File(name string, page, pages int) string {
	switch {
	case name == seo.IndexName:
		return catalog.RuleIndex
	case pages <= 1:
		return catalog.PageFile(name, page)
	}
	return catalog.NumberedFile(name, page)
}

var rules = catalog.IndexRules("xsl")

func (scheme) URL(b seo.Base, file string) string {
	if !b.Pretty {
		return b.Home + "/" + rules.Link(file)
	}
	return b.Front + file
}

// XSL implements seo.URLs. The stylesheet is directly below home, even with index permalinks.
func (scheme) XSL(b seo.Base, _ urlset.DocumentKind) string {
	if !b.Pretty {
		return b.Folder() + "/?xsl=main"
	}
	return b.Folder() + catalog.XSLPath
}

// Parse implements seo.URLs. A page number that is not spelled as in links leads to a redirect. The
// redirect depends on the number of pages, so Renumber decides about it.
func (scheme) Parse(r seo.Request) seo.Resource {
	path := r.BelowIndex()
	if r.Plain || r.Index && path == r.Rest { // without permalinks there are no rewrite rules; with index permalinks all of them begin with index.php
		path = ""
	}
	vars, byQuery := rules.Vars(&r, path)
	if xsl := vars["xsl"]; php.NewString(xsl).Truthy() {
		return seo.Resource{Kind: seo.Stylesheet, Name: xsl}
	}
	if name := vars["sitemap"]; catalog.IsOtherFormat(name) {
		return seo.Resource{} // other formats have addresses of their own
	} else if php.NewString(name).Truthy() {
		return sitemapOf(&r, name, vars["sitemap_n"], byQuery)
	}
	if r.Plain {
		return seo.Resource{}
	}
	return catalog.Alias(&r)
}

// sitemapOf returns the sitemap page that a request names. It keeps the spelling of the page number.
// WordPress itself redirects numbers with leading zeros.
func sitemapOf(r *seo.Request, name, number string, byQuery bool) seo.Resource {
	path, _, _ := strings.Cut(r.URI, "?")
	stripped := strings.TrimLeft(number, "0")
	if stem, ok := strings.CutSuffix(path, "-sitemap"+number+".xml"); ok && number != "0" && stripped != number && name != seo.IndexName {
		stem = strings.TrimPrefix(stem, r.Folder())
		return seo.Resource{Kind: seo.Redirect, Name: name, Location: stem + "-sitemap" + stripped + ".xml", Found: true}
	}
	to := seo.Resource{
		Kind: seo.Sitemap, Name: name, Page: catalog.PageOf(number), ByQuery: byQuery, Unowned: catalog.FromCore(r), Number: number,
	}
	if !byQuery && strings.HasSuffix(r.URI, ".xml") {
		to.Location = strings.TrimPrefix(r.URI, r.Folder())
	}
	return to
}

// Renumber implements seo.URLs. In links, a page has a number only if the sitemap has several pages. If a
// request has a number where links have none, or none where links have one, Rank Math redirects to the
// address with the other form of the number.
//
// If the request does not end in .xml, Rank Math redirects it to itself without end; location is then "".
// For authors, Rank Math counts only the authors on the requested page.
func (scheme) Renumber(asked seo.Resource, objects, size int) (location string, leads bool) {
	none := asked.Number == "" || asked.Number == "0"
	stem, isFile := strings.CutSuffix(asked.Location, ".xml")
	before := (asked.Page - 1) * size
	switch {
	case asked.Name == seo.IndexName, objects == 0 && asked.Name == "author":
	case !none && strings.HasPrefix(asked.Number, "0"): // Parse redirects files with such a name
		return "", true
	case none && asked.Name == "author":
	case none:
		leads, stem = objects > size, stem+"1"
	case asked.Name == "author":
		leads, stem = before < objects && objects < before+size, strings.TrimSuffix(stem, asked.Number)
	default:
		leads, stem = objects < size, strings.TrimSuffix(stem, asked.Number)
	}
	if !isFile || !leads {
		return "", leads
	}
	return stem + ".xml", true
}
