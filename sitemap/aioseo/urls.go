package aioseo

import (
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/php"
)

// URLs is the address scheme of All in One SEO: sitemap.xml, post-sitemap.xml, post-sitemap2.xml.
type URLs struct{}

// Names of lists that are of no post type and no taxonomy.
const (
	extraName      = "addl"
	archiveName    = "post-archive"
	dateName       = "date"
	attributesName = "product_attributes"
	authorName     = "author"
)

// Name implements seo.URLs.
func (URLs) Name(k seo.Kind, of string) string {
	if k == seo.KindUser {
		return authorName
	}
	return of
}

// File implements seo.URLs. Of two kinds that have several pages the first is linked with its number, and redirects to the
// address without one.
func (URLs) File(name string, page, pages int) string {
	switch {
	case name == seo.IndexName, name == catalog.JoinedName:
		return Plugin.IndexFile
	case page > 1 || pages > 1 && (name == extraName || name == authorName):
		return name + "-sitemap" + strconv.Itoa(page) + ".xml"
	}
	return name + "-sitemap.xml"
}

// URL implements seo.URLs: directly below home, also with index permalinks.
func (URLs) URL(b seo.Base, file string) string { return b.Home + "/" + file }

// XSL implements seo.URLs.
func (URLs) XSL(b seo.Base, _ urlset.Kind) string { return b.Folder() + "/" + stylesheet }

const stylesheet = "default-sitemap.xsl"

// What the plugin looks for in the path below home. It knows no letter case but in names.
var (
	sitemapForm = regexp.MustCompile(`(?i)^(?:(.+)-)?sitemap([0-9]*)\.xml(\.gz)?$`)
	otherForm   = regexp.MustCompile(`(?i)^(?:sitemaps\.xml|sitemap-xml\.xml|sitemap[_-]?index[0-9]*\.xml|wp-sitemap\.xml)$`)
	slashForm   = regexp.MustCompile(`(?i)(?:sitemap[0-9]*\.xml|\.xml\.gz|\.rss)/$`)
	textForm    = regexp.MustCompile(`(?i)^sitemap\.txt$`)
	latestForm  = regexp.MustCompile(`(?i)^sitemap(?:\.latest)?\.rss$`)
	oldRSSForm  = regexp.MustCompile(`(?i)^rss[0-9]*\.xml$`)
)

// Parse implements seo.URLs. Requests are caught before WordPress looks at its query, so that there are no variables.
func (URLs) Parse(r seo.Request) seo.Resource {
	path, query, asked := strings.Cut(r.URI, "?")
	rest := r.Rest
	if r.Pretty {
		rest = strings.TrimPrefix(rest, "index.php/")
	}
	index := seo.Resource{Kind: seo.Redirect, Name: seo.IndexName, Location: "/" + Plugin.IndexFile, Found: true}
	switch {
	case rest == "" && r.Path == "" && oldQuery(query):
		return index
	case !r.ReachesWordPress(), asked && !r.Pretty: // without permalinks the query is taken for a part of the path
		return seo.Resource{}
	case otherForm.MatchString(rest):
		return index
	case textForm.MatchString(rest):
		return seo.Resource{Kind: seo.Sitemap, Name: catalog.TextName, Page: 1, Unowned: index.Location, Found: true}
	case latestForm.MatchString(rest) && !strings.HasSuffix(path, "/"):
		return seo.Resource{Kind: seo.Sitemap, Name: catalog.RSSName, Page: 1}
	case oldRSSForm.MatchString(rest):
		return seo.Resource{Kind: seo.Redirect, Name: catalog.RSSName, Location: "/" + catalog.RSSName, Found: true}
	case !asked && slashForm.MatchString(path):
		return redirect(&r, rest)
	case rest == stylesheet:
		return seo.Resource{Kind: seo.Stylesheet, Name: "default"}
	}
	m := sitemapForm.FindStringSubmatch(rest)
	if m == nil || m[3] != "" && r.Gzip {
		return seo.Resource{}
	}
	name, number := m[1], m[2]
	switch {
	case name == "" && number != "":
		return redirect(&r, Plugin.IndexFile)
	case name == "":
		return seo.Resource{Kind: seo.Sitemap, Name: seo.IndexName, Page: 1}
	case !asked && m[3] == "" && (number == "0" || number == "1"):
		return redirect(&r, name+"-sitemap.xml")
	case name == seo.IndexName, name == catalog.JoinedName, catalog.IsOtherFormat(name): // those have addresses of their own
		return seo.Resource{}
	case !r.Pretty:
		name = strings.ToLower(name)
	}
	return seo.Resource{Kind: seo.Sitemap, Name: name, Page: max(1, int(php.NewString(number).Int()))}
}

// redirect leads to another file. Where home has a path the plugin's own redirect has that twice and leads nowhere: it is
// left to the site, and mended where there is none.
func redirect(r *seo.Request, file string) seo.Resource {
	if r.Path != "" && !r.Alone {
		return seo.Resource{}
	}
	return seo.Resource{Kind: seo.Redirect, Name: seo.IndexName, Location: "/" + file, Found: true}
}

// oldQuery reports whether a query is that by which version 3 had its index without permalinks.
func oldQuery(query string) bool {
	for pair := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(pair, "="); name == "aiosp_sitemap_path" && value == "root" {
			return true
		}
	}
	return false
}
