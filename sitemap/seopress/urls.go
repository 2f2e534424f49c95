package seopress

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
)

// scheme is the address scheme of SEOPress: sitemaps.xml, post-sitemap1.xml, author.xml.
type scheme struct{ catalog.TypeNames }

const (
	indexFile  = "sitemaps.xml"
	authors    = "author" // name of the sitemap of authors
	stylesheet = "main"
)

// Named implements seo.URLs. The name of the index never changes.
func (u scheme) Named(string) seo.URLs { return u }

func (scheme) File(name string, page, _ int) string {
	switch {
	case name == seo.IndexName:
		return indexFile
	case name == authors && page == 1:
		return "author.xml"
	case name == authors:
		return "author" + strconv.Itoa(page) + ".xml"
	}
	return catalog.NumberedFile(name, page)
}

// URL implements seo.URLs. Files are directly below home, even with index permalinks. Without
// permalinks these addresses do not work.
func (scheme) URL(b seo.Base, file string) string           { return b.Home + "/" + file }
func (scheme) XSL(b seo.Base, _ urlset.DocumentKind) string { return b.Folder() + "/sitemaps_xsl.xsl" }

// rules are the plugin's rewrite rules. A dot in them matches any character, as in the plugin.
var rules = catalog.Rewrites{
	catalog.Rule(`^sitemaps.xml$`, "seopress_sitemap=1"),
	catalog.Rule(`^sitemaps_xsl.xsl$`, "seopress_sitemap_xsl=1"),
	catalog.Rule(`^author[0-9]*.xml?$`, "seopress_author=1"),
	catalog.Rule(`^([^/]+?)-sitemap(?:[0-9]+)?.xml$`, "seopress_cpt=$1"),
}

// Parse implements seo.URLs. On a blog without permalinks WordPress has no rewrite rules, but the index
// names the same sitemaps as on any other blog. WordPress redirects each of their addresses to the address with a slash at its end. Parse
// accepts the address with the slash, so that the links of the index work.
func (scheme) Parse(r seo.Request) seo.Resource {
	asked, _, searched := strings.Cut(r.URI, "?")
	if !r.ReachesWordPress() {
		return seo.Resource{}
	}
	rest := r.Rest
	if r.Plain && !strings.HasSuffix(asked, "/") {
		rest = ""
	}
	vars, byQuery := rules.Vars(&r, rest)
	name := vars["seopress_cpt"]
	switch {
	case vars["seopress_sitemap"] == "1":
		name = seo.IndexName
	case vars["seopress_sitemap_xsl"] == "1":
		return seo.Resource{Kind: seo.Stylesheet, Name: stylesheet}
	case vars["seopress_author"] == "1":
		name = authors
	case name == authors, name == seo.IndexName, catalog.IsOtherFormat(name): // the index, authors and other formats have addresses of their own
		name = ""
	}
	if name != "" {
		return seo.Resource{Kind: seo.Sitemap, Name: name, Page: pageOf(rest), ByQuery: byQuery}
	}
	switch last := path.Base(r.Rest); last {
	case "sitemap.xml", "wp-sitemap.xml", "sitemap_index.xml":
		if !searched && (!r.Version.Before("7.9") || strings.Trim(asked, "/") == last) { // since 7.9 also in folders
			return seo.Resource{Kind: seo.Redirect, Location: "/" + indexFile}
		}
	}
	return seo.Resource{}
}

var lastNumber = regexp.MustCompile(`([0-9]+)[^0-9]*$`)

// pageOf returns the last number in a file name as the page, or 1.
func pageOf(file string) int {
	if m := lastNumber.FindStringSubmatch(path.Base(file)); m != nil {
		return catalog.PageOf(m[1])
	}
	return 1
}
