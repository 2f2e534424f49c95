package slimseo

import (
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/php"
)

// scheme is the address scheme of Slim SEO: sitemap.xml, sitemap-post-type-post.xml, sitemap-taxonomy-category-2.xml.
type scheme struct{ catalog.TypeNames }

const variable = "ss_sitemap"

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

// URL implements seo.URLs: directly below home, also with index permalinks, and a query on sites without a permalink
// structure, where Slim SEO's own links have paths that lead nowhere.
func (scheme) URL(b seo.Base, file string) string {
	if b.Pretty {
		return b.Home + "/" + file
	}
	name := strings.TrimSuffix(file, ".xml")
	if name == "sitemap" {
		name = "index"
	}
	return b.Home + "/?" + variable + "=" + strings.TrimPrefix(name, "sitemap-")
}

func (scheme) XSL(b seo.Base, _ urlset.DocumentKind) string { return b.Folder() + catalog.XSLPath }

// What may be behind sitemap- or in the variable, and the sitemaps beside Slim SEO's.
var (
	listForm   = regexp.MustCompile(`^((?:post-type|taxonomy)-[^/]+?|user)(?:-([0-9]+))?$`)
	besideForm = regexp.MustCompile(`^((?:google-)?(?:news|video)|extra-[a-z-]+)-sitemap(?:-([0-9]+))?$`)
)

func (scheme) Parse(r seo.Request) seo.Resource {
	if !r.ReachesWordPress() {
		return seo.Resource{}
	}
	name, byQuery := "", false
	switch rest := php.URLDecode(r.Rest); {
	case rest == "" || rest == "index.php":
		name, byQuery = r.Vars()[variable], true
	case r.Plain:
		return seo.Resource{}
	case rest == strings.TrimPrefix(catalog.XSLPath, "/"):
		return seo.Resource{Kind: seo.Stylesheet, Name: "main"}
	default:
		file := rest
		if r.Pretty {
			file = strings.TrimPrefix(rest, "index.php/")
		}
		name = named(file)
	}
	if name == "index" {
		return seo.Resource{Kind: seo.Sitemap, Name: seo.IndexName, Page: 1, ByQuery: byQuery}
	}
	m := listForm.FindStringSubmatch(name)
	if m == nil {
		m = besideForm.FindStringSubmatch(name)
	}
	if m == nil {
		return seo.Resource{}
	}
	return seo.Resource{Kind: seo.Sitemap, Name: m[1], Page: max(1, int(php.NewString(m[2]).Int())), ByQuery: byQuery}
}

// named is the value of the variable that the rewrite rules make of a file.
func named(file string) string {
	name, ok := strings.CutSuffix(file, ".xml")
	rest, own := strings.CutPrefix(name, "sitemap-")
	switch {
	case file == Plugin.IndexFile:
		return "index"
	case ok && own && listForm.MatchString(rest):
		return rest
	case ok && besideForm.MatchString(name):
		return name
	}
	return ""
}
