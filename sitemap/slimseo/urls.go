package slimseo

import (
	"regexp"
	"strconv"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
)

// scheme is the address scheme of Slim SEO: sitemap.xml, sitemap-post-type-post.xml, sitemap-taxonomy-category-2.xml.
type scheme struct{ catalog.TypeNames }

// ownName matches the names of sitemaps that Slim SEO has; others, of news and videos, are beside them.
var ownName = regexp.MustCompile(`^(?:post-type-|taxonomy-|user$)`)

// numbered matches names whose end would be taken for a page.
var numbered = regexp.MustCompile(`-[0-9]+$`)

func (scheme) File(name string, page, _ int) string {
	number := ""
	if page > 1 || numbered.MatchString(name) {
		number = "-" + strconv.Itoa(page)
	}
	switch {
	case name == seo.IndexName:
		return Plugin.IndexFile
	case ownName.MatchString(name):
		return "sitemap-" + name + number + ".xml"
	}
	return name + "-sitemap" + number + ".xml"
}

// variable is the query variable of Slim SEO's rewrite rules.
const variable = "ss_sitemap"

var rules = catalog.Rewrites{
	catalog.Rule(`^sitemap\.xml$`, variable+"=index"),
	catalog.Rule(`^sitemap-((?:post-type|taxonomy)-[^/]+|user(?:-[0-9]+)?)\.xml$`, variable+"=$1"),
	catalog.Rule(`^([a-z-]+-sitemap(?:-[0-9]+)?)\.xml$`, variable+"=$1"), // beside Slim SEO's
}

// nameForms are what the variable may be: the name of a sitemap, and the number of a page.
var nameForms = []*regexp.Regexp{
	regexp.MustCompile(`^((?:post-type|taxonomy)-[^/]+?|user)(?:-([0-9]+))?$`),
	regexp.MustCompile(`^((?:google-)?(?:news|video)|extra-[a-z-]+)-sitemap(?:-([0-9]+))?$`),
}

// URL implements seo.URLs: directly below home, also with index permalinks, and a query on sites without a permalink
// structure, where Slim SEO's own links have paths that lead nowhere.
func (scheme) URL(b seo.Base, file string) string {
	if !b.Pretty {
		file = rules.Link(file)
	}
	return b.Home + "/" + file
}

func (scheme) XSL(b seo.Base, _ urlset.DocumentKind) string { return b.Folder() + catalog.XSLPath }

func (scheme) Parse(r seo.Request) seo.Resource {
	path := r.Rest
	switch {
	case r.Plain:
		path = ""
	case r.Pretty:
		path = r.BelowIndex()
	}
	if "/"+path == catalog.XSLPath {
		return seo.Resource{Kind: seo.Stylesheet, Name: "main"}
	}
	vars, byQuery := rules.Vars(&r, path)
	if vars[variable] == "index" {
		return seo.Resource{Kind: seo.Sitemap, Name: seo.IndexName, Page: 1, ByQuery: byQuery}
	}
	for _, form := range nameForms {
		if m := form.FindStringSubmatch(vars[variable]); m != nil {
			return seo.Resource{Kind: seo.Sitemap, Name: m[1], Page: catalog.PageOf(m[2]), ByQuery: byQuery}
		}
	}
	return seo.Resource{}
}
