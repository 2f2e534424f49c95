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
	authors    = "author" // name of the sitemap of users
	stylesheet = "main"
)

// File implements URLs. Every file has a number, except the first file of authors. The plugin has only that one file of
// authors.
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

// URL implements URLs: files are directly below home, also with index permalinks. Without permalinks these addresses do not
// work.
func (scheme) URL(b seo.Base, file string) string           { return b.Home + "/" + file }
func (scheme) XSL(b seo.Base, _ urlset.DocumentKind) string { return b.Folder() + "/sitemaps_xsl.xsl" }

// rules are the plugin's rewrite rules; a dot in them matches any character.
var rules = catalog.Rewrites{
	catalog.Rule(`^sitemaps.xml$`, "seopress_sitemap=1"),
	catalog.Rule(`^sitemaps_xsl.xsl$`, "seopress_sitemap_xsl=1"),
	catalog.Rule(`^author[0-9]*.xml?$`, "seopress_author=1"),
	catalog.Rule(`^([^/]+?)-sitemap(?:[0-9]+)?.xml$`, "seopress_cpt=$1"),
}

// Parse implements URLs. The index names these addresses even on a blog without permalinks, which has no rewrite rules.
// WordPress then redirects each to the same address with a slash at its end. We answer the address with the slash, so links of
// the index lead to a sitemap.
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
	case name == authors, name == seo.IndexName, catalog.IsOtherFormat(name): // these have addresses of their own
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

// pageOf returns the last number in a file name.
func pageOf(file string) int {
	if m := lastNumber.FindStringSubmatch(path.Base(file)); m != nil {
		return catalog.PageOf(m[1])
	}
	return 1
}
