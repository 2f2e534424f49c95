package rankmath

import (
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/php"
)

// URLs is the address scheme of Rank Math: sitemap_index.xml, page-sitemap.xml of one page, post-sitemap1.xml of several;
// query strings on sites without a permalink structure.
type URLs struct{}

// Name implements URLs.
func (URLs) Name(k seo.Kind, of string) string {
	if k == seo.KindUser {
		return "author"
	}
	return of
}

// File implements URLs.
func (URLs) File(name string, page, pages int) string {
	switch {
	case name == seo.IndexName:
		return indexFile
	case page == 1 && pages <= 1:
		return name + "-sitemap.xml"
	}
	return name + "-sitemap" + strconv.Itoa(page) + ".xml"
}

// fileForm matches the names that File makes.
var fileForm = regexp.MustCompile(`^(.+)-sitemap([0-9]*)\.xml$`)

// URL implements URLs.
func (URLs) URL(b seo.Base, file string) string {
	if b.Pretty {
		return b.Front + file
	}
	if file == indexFile {
		return b.Home + "/?sitemap=1"
	}
	if m := fileForm.FindStringSubmatch(file); m != nil {
		return b.Home + "/?sitemap=" + m[1] + "&sitemap_n=" + m[2]
	}
	return b.Home + "/" + file
}

// XSL implements URLs: directly below home, also with index permalinks.
func (URLs) XSL(b seo.Base, _ urlset.Kind) string {
	if !b.Pretty {
		return b.Folder() + "/?xsl=main"
	}
	return b.Folder() + catalog.XSLPath
}

// What Rank Math's rewrite rules match: the path below home without slashes at its ends, as it came and then decoded.
var (
	indexForm   = regexp.MustCompile(`^sitemap_index\.xml$`)
	sitemapForm = regexp.MustCompile(`^([^/]+?)-sitemap([0-9]+)?\.xml$`)
	xslForm     = regexp.MustCompile(`^([a-z]+)?-?sitemap\.xsl$`)
)

// What Rank Math redirects of core's addresses, matched against the raw request.
var (
	coreTypeForm = regexp.MustCompile(`^/wp-sitemap-(?:posts|taxonomies)-(\w+)-(\d+)\.xml$`)
	coreUserForm = regexp.MustCompile(`^/wp-sitemap-users-(\d+)\.xml$`)
)

// Parse implements seo.URLs. A number that is not as the links have it redirects by the number of pages, which the
// address does not know: see renumber.
func (URLs) Parse(r seo.Request) seo.Resource {
	path, query, _ := strings.Cut(r.URI, "?")
	vars := pathVars(&r)
	byQuery := vars["sitemap"] == ""
	if r.ReachesWordPress() {
		for name, value := range queryVars(query) { // explicit ones win, also when empty
			vars[name] = value
		}
	}
	if xsl := vars["xsl"]; php.NewString(xsl).Truthy() {
		return seo.Resource{Kind: seo.Stylesheet, Name: xsl}
	}
	if name := vars["sitemap"]; catalog.IsOtherFormat(name) {
		return seo.Resource{} // those have addresses of their own
	} else if php.NewString(name).Truthy() {
		return sitemapOf(&r, path, name, vars["sitemap_n"], byQuery)
	}
	base := ""
	if r.Path != "" {
		base = "/" + r.Path
	}
	if r.URI == base+"/sitemap.xml" && !r.Plain {
		return seo.Resource{Kind: seo.Redirect, Location: "/" + indexFile}
	}
	if location := coreLocation(&r); location != "" && !r.Plain {
		return seo.Resource{Kind: seo.Redirect, Location: location}
	}
	return seo.Resource{}
}

// sitemapOf is the resource of a sitemap that was asked for by a name and a number as it came. WordPress redirects numbers
// with leading zeros to those without.
func sitemapOf(r *seo.Request, path, name, number string, byQuery bool) seo.Resource {
	stripped := strings.TrimLeft(number, "0")
	if stem, ok := strings.CutSuffix(path, "-sitemap"+number+".xml"); ok && number != "0" && stripped != number && name != seo.IndexName {
		if r.Path != "" {
			stem = strings.TrimPrefix(stem, "/"+r.Path)
		}
		return seo.Resource{Kind: seo.Redirect, Name: name, Location: stem + "-sitemap" + stripped + ".xml", Found: true}
	}
	to := seo.Resource{
		Kind: seo.Sitemap, Name: name, Page: max(1, int(php.NewString(number).Int())), ByQuery: byQuery, Unowned: coreLocation(r), Number: number,
	}
	if !byQuery && strings.HasSuffix(r.URI, ".xml") {
		to.Location = strings.TrimPrefix(r.URI, "/"+r.Path)
		if r.Path == "" {
			to.Location = r.URI
		}
	}
	return to
}

// renumber is seo.Plugin.Renumber: links to the pages of a sitemap that has several have numbers, and those to an only page
// have none. Rank Math changes the end of the address that was asked for; any other form it redirects to itself without end.
// Of the authors it counts those of the page.
func renumber(asked seo.Resource, objects, size int) (location string, leads bool) {
	none := asked.Number == "" || asked.Number == "0"
	stem, isFile := strings.CutSuffix(asked.Location, ".xml")
	before := (asked.Page - 1) * size
	switch {
	case asked.Name == seo.IndexName, objects == 0 && asked.Name == "author":
	case !none && strings.HasPrefix(asked.Number, "0"): // Parse has redirected a file of that name
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

// coreLocation is where Rank Math sends an address of core's sitemaps, "" for others. Its numbers are one too low, and are
// here too.
func coreLocation(r *seo.Request) string {
	if r.Path != "" {
		return ""
	}
	if r.URI == "/wp-sitemap.xml" { // by its form the sitemap of a type wp
		return "/" + indexFile
	}
	name, n := "author", ""
	if m := coreTypeForm.FindStringSubmatch(r.URI); m != nil {
		name, n = m[1], m[2]
	} else if m := coreUserForm.FindStringSubmatch(r.URI); m != nil {
		n = m[1]
	} else {
		return ""
	}
	number := ""
	if i := int(php.NewString(n).Int()) - 1; i != 0 {
		number = strconv.Itoa(i)
	}
	return "/" + name + "-sitemap" + number + ".xml"
}

// pathVars are the query variables that Rank Math's rewrite rules make of a path. Without a permalink structure there are no
// rules, and no link has a path.
func pathVars(r *seo.Request) map[string]string {
	vars, rest := map[string]string{}, r.Rest
	if r.Plain {
		return vars
	}
	if rest == "index.php" {
		rest = ""
	} else if after, ok := strings.CutPrefix(rest, "index.php/"); ok {
		rest = strings.Trim(after, "/")
	} else if r.Index { // the rules begin with it
		return vars
	}
	decoded := php.URLDecode(rest)
	match := func(form *regexp.Regexp) []string {
		if m := form.FindStringSubmatch(rest); m != nil {
			return m
		}
		return form.FindStringSubmatch(decoded)
	}
	if match(indexForm) != nil {
		vars["sitemap"] = seo.IndexName
	} else if m := match(sitemapForm); m != nil {
		vars["sitemap"], vars["sitemap_n"] = m[1], m[2]
	} else if m := match(xslForm); m != nil {
		vars["xsl"] = m[1]
	}
	return vars
}

// queryVars picks Rank Math's variables out of a query string as PHP reads it: the last one counts, and arrays are none.
func queryVars(query string) map[string]string {
	vars := map[string]string{}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		switch name = php.URLDecode(name); name {
		case "sitemap", "sitemap_n", "xsl":
			vars[name] = php.URLDecode(value)
		}
	}
	return vars
}
