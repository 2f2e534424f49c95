package aioseo

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp"
)

// scheme is the address scheme of All in One SEO: sitemap.xml, post-sitemap.xml, post-sitemap2.xml.
type scheme struct {
	catalog.TypeNames
	stem string         // the word that replaces "sitemap" in file names; "" if none does
	form *regexp.Regexp // matches file names with the stem
}

const stem = "sitemap"

func (u scheme) index() string { return cmp.Or(u.stem, stem) + ".xml" }

// schemeOf returns the address scheme of a blog.
func schemeOf(blog *wp.Blog) scheme { return named(optionsOf(blog).filename() + ".xml") }

func (scheme) Named(index string) seo.URLs { return named(index) }

// named returns the address scheme of a blog whose index has this file name.
func named(index string) scheme {
	if own, ok := strings.CutSuffix(index, ".xml"); ok && own != stem && stemForm.MatchString(own) {
		return scheme{stem: own, form: formOf(own)}
	}
	return scheme{}
}

// stemForm matches a word that may replace "sitemap": at most 100 characters that need no escaping in
// a URL.
var stemForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._~-]{0,99}$`)

// These are the names of lists that belong to no post type and no taxonomy.
const (
	extraName      = "addl"
	archiveName    = "post-archive"
	dateName       = "date"
	attributesName = "product_attributes"
	authorName     = "author"
)

// File implements seo.URLs. If the list of authors or of additional pages has several pages, links to
// its first page have the number 1. That address redirects to the address without a number.
func (u scheme) File(name string, page, pages int) string {
	switch {
	case name == seo.IndexName:
		return u.index()
	case page > 1 || pages > 1 && (name == extraName || name == authorName):
		return name + "-" + cmp.Or(u.stem, stem) + strconv.Itoa(page) + ".xml"
	}
	return name + "-" + u.index()
}

// URL implements seo.URLs. Files are directly below home, even with index permalinks.
func (scheme) URL(b seo.Base, file string) string           { return b.Home + "/" + file }
func (scheme) XSL(b seo.Base, _ urlset.DocumentKind) string { return b.Folder() + "/" + stylesheet }

const stylesheet = "default-sitemap.xsl"

// The plugin looks for these names in the path below home, even if its files have another name. It
// ignores letter case, except in the names of lists.
var (
	otherForm  = regexp.MustCompile(`(?i)^(?:sitemaps\.xml|sitemap-xml\.xml|sitemap[_-]?index[0-9]*\.xml|wp-sitemap\.xml)$`)
	numberForm = regexp.MustCompile(`(?i)^sitemap[0-9]+\.xml(?:\.gz)?$`)
	firstForm  = regexp.MustCompile(`(?i)sitemap[01]\.xml$`)
	slashForm  = regexp.MustCompile(`(?i)(?:sitemap[0-9]*\.xml|\.xml\.gz|\.rss)/$`)
	textForm   = regexp.MustCompile(`(?i)^sitemap\.txt$`)
	latestForm = regexp.MustCompile(`(?i)^sitemap(?:\.latest)?\.rss$`)
	oldRSSForm = regexp.MustCompile(`(?i)^rss[0-9]*\.xml$`)
)

// Parse implements seo.URLs. The plugin handles requests before WordPress reads the query, so there are no query variables.
func (u scheme) Parse(r seo.Request) seo.Resource {
	path, _, asked := strings.Cut(r.URI, "?")
	rest := r.Rest
	if r.Pretty {
		rest = r.BelowIndex()
	}
	index := seo.Resource{Kind: seo.Redirect, Name: seo.IndexName, Location: "/" + u.index(), Found: true}
	f, ok := u.split(rest)
	switch {
	case rest == "" && r.Path == "" && r.Vars()["aiosp_sitemap_path"] == "root": // the address of the index in version 3
		return index
	case !r.ReachesWordPress(), asked && !r.Pretty: // without permalinks the plugin treats the query as part of the path
		return seo.Resource{}
	case otherForm.MatchString(rest) && !f.index: // the index itself would redirect to itself
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
	case !ok && numberForm.MatchString(rest):
		return redirect(&r, u.index())
	case !ok, f.packed && r.Gzip:
		return seo.Resource{}
	case f.index:
		return seo.Resource{Kind: seo.Sitemap, Name: seo.IndexName, Page: 1}
	case !asked && firstForm.MatchString(path):
		return redirect(&r, f.name+"-"+u.index())
	case f.name == seo.IndexName, catalog.IsOtherFormat(f.name): // the index and other formats have addresses of their own
		return seo.Resource{}
	case !r.Pretty:
		f.name = strings.ToLower(f.name)
	}
	return seo.Resource{Kind: seo.Sitemap, Name: f.name, Page: catalog.PageOf(f.number)}
}

// file holds the parts of a file name, such as NAME-sitemap2.xml.gz.
type file struct {
	index        bool
	name, number string // "" for the index
	packed       bool   // the name ends in .gz
}

// split returns the parts of a file name. If the name of the list also contains the stem, the last
// occurrence separates them.
func (u scheme) split(rest string) (f file, ok bool) {
	m := cmp.Or(u.form, usualForm).FindStringSubmatch(rest)
	if m == nil || m[1] == "" && m[2] != "" {
		return file{}, false
	}
	return file{index: m[1] == "", name: m[1], number: m[2], packed: m[3] != ""}, true
}

// formOf returns the expression that matches the files of a scheme, in any letter case.
func formOf(stem string) *regexp.Regexp {
	return regexp.MustCompile(`(?is)^(?:(.+)-)?` + regexp.QuoteMeta(stem) + `([0-9]*)\.xml(\.gz)?$`)
}

var usualForm = formOf(stem)

// redirect returns a redirect to another file. If home has a path, the plugin's own redirect repeats
// that path and fails. Then redirect passes the request to the site behind the daemon. If there is no such
// site, redirect returns the correct redirect.
func redirect(r *seo.Request, file string) seo.Resource {
	if r.Path != "" && !r.Alone {
		return seo.Resource{}
	}
	return seo.Resource{Kind: seo.Redirect, Name: seo.IndexName, Location: "/" + file, Found: true}
}
