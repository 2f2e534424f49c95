package wpcore

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/php"
)

const IndexFile = "wp-sitemap.xml"

// These are the name of the list of authors, and the prefixes of the names of other lists.
const (
	users      = "users"
	posts      = "posts-"
	taxonomies = "taxonomies-"
)

// scheme is the address scheme of WordPress' own sitemaps: wp-sitemap.xml, wp-sitemap-posts-page-1.xml.
type scheme struct{ catalog.TypeNames }

// beside matches the names of sitemaps that WordPress itself does not have: news, videos, and the sitemaps of
// [[site.extra]]. Their files are named as in most plugins: NAME-sitemap.xml.
const beside = `(?:(?:google-)?(?:news|video)|extra-[a-z-]+)`

var besideName = regexp.MustCompile(`^` + beside + `$`)

func (u scheme) Named(string) seo.URLs { return u }

func (scheme) File(name string, page, _ int) string {
	switch {
	case name == seo.IndexName:
		return IndexFile
	case besideName.MatchString(name):
		return catalog.PageFile(name, page)
	}
	return "wp-sitemap-" + name + "-" + strconv.Itoa(page) + ".xml"
}

// rules are the rewrite rules of WP_Sitemaps::register_rewrites(), and two more for the sitemaps that
// match beside.
var rules = catalog.Rewrites{
	catalog.Rule(`^wp-sitemap\.xml$`, "sitemap=index"),
	catalog.Rule(`^wp-sitemap\.xsl$`, "sitemap-stylesheet=sitemap"),
	catalog.Rule(`^wp-sitemap-index\.xsl$`, "sitemap-stylesheet=index"),
	catalog.Rule(`^wp-sitemap-([a-z]+?)-([a-z\d_-]+?)-(\d+?)\.xml$`, "sitemap=$1&sitemap-subtype=$2&paged=$3"),
	catalog.Rule(`^wp-sitemap-([a-z]+?)-(\d+?)\.xml$`, "sitemap=$1&paged=$2"),
	catalog.Rule(`^(`+beside+`)-sitemap\.xml$`, "sitemap=$1&paged=1"),
	catalog.Rule(`^(`+beside+`)-sitemap(\d+)\.xml$`, "sitemap=$1&paged=$2"),
}

// links are the rules that make the addresses of a site without permalinks. They contain one more rule for
// taxonomy names that the rewrite rules do not accept, because a query string may hold any name.
var links = append(slices.Clip(rules), catalog.Rule(`^wp-sitemap-(taxonomies)-(.+)-(\d+)\.xml$`, "sitemap=$1&sitemap-subtype=$2&paged=$3"))

// URL implements seo.URLs. Files are directly below home, even with index permalinks. Without
// permalinks, addresses are query strings.
func (scheme) URL(b seo.Base, file string) string { return join(b, b.Home, file) }

func (scheme) XSL(b seo.Base, kind urlset.DocumentKind) string {
	if kind == urlset.Index {
		return join(b, b.Folder(), "wp-sitemap-index.xsl")
	}
	return join(b, b.Folder(), "wp-sitemap.xsl")
}

// join returns the address of a file below home.
func join(b seo.Base, home, file string) string {
	if !b.Pretty {
		file = links.Link(file)
	}
	return home + "/" + file
}

// Parse implements seo.URLs. Each sitemap has one address. Like WordPress' redirect_canonical(), Parse
// redirects every other address of the sitemap to this one, and keeps other query variables.
func (s scheme) Parse(r seo.Request) seo.Resource {
	asked, query, _ := strings.Cut(r.URI, "?")
	if r.Path == "" && asked == "/robots.txt" {
		return seo.Resource{}
	}
	path := ""
	if r.Pretty {
		path = r.BelowIndex()
	}
	if r.Path == "" && r.Alone && strings.HasPrefix(path, "sitemap.xml") { // the rule is not anchored at its end
		path = IndexFile
	}
	vars, _ := rules.Vars(&r, path)
	name, page := nameOf(vars), pageOf(vars)
	if name == "" {
		if style := vars["sitemap-stylesheet"]; style == "index" || style == "sitemap" {
			return seo.Resource{Kind: seo.Stylesheet}
		}
		return seo.Resource{}
	}
	location := "/" + s.File(name, page, 0)
	if r.Pretty && asked != r.Folder()+location {
		if others := othersOf(query); others != "" {
			location += "?" + others
		}
		return seo.Resource{Kind: seo.Redirect, Name: name, Location: location}
	}
	return seo.Resource{Kind: seo.Sitemap, Name: name, Page: page}
}

// othersOf returns a query string without WordPress' own sitemap variables.
func othersOf(query string) string {
	pairs := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return name == "" || rules.Has(php.URLDecode(name))
	})
	return strings.Join(pairs, "&")
}

// nameOf returns the name of the sitemap that the query variables request, or "".
func nameOf(vars map[string]string) string {
	switch provider, subtype := vars["sitemap"], vars["sitemap-subtype"]; {
	case provider == "index":
		return seo.IndexName
	case subtype == "" && (provider == users || besideName.MatchString(provider)):
		return provider
	case subtype != "" && (provider+"-" == posts || provider+"-" == taxonomies):
		return provider + "-" + subtype
	}
	return ""
}

// pageOf returns the requested page, converted by absint(). Page 0 means the first page.
func pageOf(vars map[string]string) int {
	n := int(php.NewString(vars["paged"]).Int())
	return max(1, n, -n)
}
