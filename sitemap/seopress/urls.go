package seopress

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/php"
)

// scheme is the address scheme of SEOPress: sitemaps.xml, post-sitemap1.xml, author.xml.
type scheme struct{ catalog.TypeNames }

const (
	indexFile = "sitemaps.xml"
	authors   = "author" // name of the sitemap of users

	varIndex      = "seopress_sitemap"
	varType       = "seopress_cpt"
	varAuthors    = "seopress_author"
	varStylesheet = "seopress_sitemap_xsl"
)

// File implements URLs. There is always a number, but for the authors, whose first file is the only one of the plugin's.
func (scheme) File(name string, page, _ int) string {
	switch {
	case name == seo.IndexName:
		return indexFile
	case name == authors && page == 1:
		return "author.xml"
	case name == authors:
		return "author" + strconv.Itoa(page) + ".xml"
	}
	return name + "-sitemap" + strconv.Itoa(page) + ".xml"
}

// URL implements URLs: directly below home, also where permalinks begin with index.php, and without any permalinks, where
// they lead nowhere.
func (scheme) URL(b seo.Base, file string) string           { return b.Home + "/" + file }
func (scheme) XSL(b seo.Base, _ urlset.DocumentKind) string { return b.Folder() + "/sitemaps_xsl.xsl" }

// What the plugin's rewrite rules match: the path below home, as it came and then decoded. A dot is any character there.
var (
	indexForm   = regexp.MustCompile(`^sitemaps.xml$`)
	typeForm    = regexp.MustCompile(`^([^/]+?)-sitemap(?:[0-9]+)?.xml$`)
	authorsForm = regexp.MustCompile(`^author[0-9]*.xml?$`)
	xslForm     = regexp.MustCompile(`^sitemaps_xsl.xsl$`)
	digitsForm  = regexp.MustCompile(`([0-9]+)[^0-9]*$`)
)

func (scheme) Parse(r seo.Request) seo.Resource {
	asked, _, searched := strings.Cut(r.URI, "?")
	if !r.ReachesWordPress() {
		return seo.Resource{}
	}
	is := queryResource(r.Vars())
	if is == (seo.Resource{}) {
		is = pathResource(&r, strings.HasSuffix(asked, "/"))
	}
	if is == (seo.Resource{}) && !searched {
		switch last := path.Base(r.Rest); last {
		case "sitemap.xml", "wp-sitemap.xml", "sitemap_index.xml":
			if !r.Version.Before("7.9") || strings.Trim(asked, "/") == last { // in folders since then
				return seo.Resource{Kind: seo.Redirect, Location: "/" + indexFile}
			}
		}
	}
	return is
}

// pathResource is what the rewrite rules make of a path. Without a permalink structure there are none, and yet the index
// lists these addresses: WordPress redirects each to itself with a slash. With the slash they are ours, so that what the
// index lists leads to a sitemap after all.
func pathResource(r *seo.Request, slash bool) seo.Resource {
	if r.Plain && !slash {
		return seo.Resource{}
	}
	is := func(form *regexp.Regexp) []string { return catalog.MatchPath(form, r.Rest) }
	switch {
	case is(indexForm) != nil:
		return seo.Resource{Kind: seo.Sitemap, Name: seo.IndexName, Page: 1}
	case is(xslForm) != nil:
		return seo.Resource{Kind: seo.Stylesheet, Name: stylesheet}
	case is(authorsForm) != nil:
		return seo.Resource{Kind: seo.Sitemap, Name: authors, Page: pageOf(r.Rest)}
	}
	if m := is(typeForm); m != nil && isType(m[1]) {
		return seo.Resource{Kind: seo.Sitemap, Name: m[1], Page: pageOf(r.Rest)}
	}
	return seo.Resource{}
}

// isType reports whether a name can be a type's, and no other sitemap here has it.
func isType(name string) bool {
	return name != "" && name != authors && name != seo.IndexName && !catalog.IsOtherFormat(name)
}

const stylesheet = "main"

// pageOf is the last number in a file name, wherever it is.
func pageOf(file string) int {
	if m := digitsForm.FindStringSubmatch(path.Base(file)); m != nil {
		return max(1, int(php.NewString(m[1]).Int()))
	}
	return 1
}

// queryResource is what the query variables ask for: always the first page.
func queryResource(vars map[string]string) seo.Resource {
	name := vars[varType]
	switch {
	case vars[varIndex] == "1":
		name = seo.IndexName
	case vars[varStylesheet] == "1":
		return seo.Resource{Kind: seo.Stylesheet, Name: stylesheet}
	case vars[varAuthors] == "1":
		name = authors
	case !isType(name):
		return seo.Resource{}
	}
	return seo.Resource{Kind: seo.Sitemap, Name: name, Page: 1, ByQuery: true}
}
