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

// scheme is the address scheme of Rank Math: sitemap_index.xml, page-sitemap.xml of one page, post-sitemap1.xml of several;
// query strings on sites without a permalink structure.
type scheme struct{ catalog.TypeNames }

func (scheme) File(name string, page, pages int) string {
	switch {
	case name == seo.IndexName:
		return catalog.RuleIndex
	case page == 1 && pages <= 1:
		return name + "-sitemap.xml"
	}
	return name + "-sitemap" + strconv.Itoa(page) + ".xml"
}

// fileForm matches the names that File makes.
var fileForm = regexp.MustCompile(`^(.+)-sitemap([0-9]*)\.xml$`)

func (scheme) URL(b seo.Base, file string) string {
	if b.Pretty {
		return b.Front + file
	}
	if file == catalog.RuleIndex {
		return b.Home + "/?sitemap=1"
	}
	if m := fileForm.FindStringSubmatch(file); m != nil {
		return b.Home + "/?sitemap=" + m[1] + "&sitemap_n=" + m[2]
	}
	return b.Home + "/" + file
}

// XSL implements URLs: directly below home, also with index permalinks.
func (scheme) XSL(b seo.Base, _ urlset.DocumentKind) string {
	if !b.Pretty {
		return b.Folder() + "/?xsl=main"
	}
	return b.Folder() + catalog.XSLPath
}

// Parse implements seo.URLs. A number that is not as the links have it redirects by the number of pages, which the
// address does not know: see renumber.
func (scheme) Parse(r seo.Request) seo.Resource {
	path, _, _ := strings.Cut(r.URI, "?")
	vars := map[string]string{}
	// Without a permalink structure there are no rules, and no link has a path; with index permalinks they begin with index.php.
	if first, _, _ := strings.Cut(r.Rest, "/"); !r.Plain && (!r.Index || first == "index.php") {
		vars = catalog.RuleVars(r.Rest, "xsl")
	}
	byQuery := catalog.AskedVars(&r, vars, "sitemap", "sitemap_n", "xsl")
	if xsl := vars["xsl"]; php.NewString(xsl).Truthy() {
		return seo.Resource{Kind: seo.Stylesheet, Name: xsl}
	}
	if name := vars["sitemap"]; catalog.IsOtherFormat(name) {
		return seo.Resource{} // those have addresses of their own
	} else if php.NewString(name).Truthy() {
		return sitemapOf(&r, path, name, vars["sitemap_n"], byQuery)
	}
	if catalog.AsksPlainIndex(&r) {
		return seo.Resource{Kind: seo.Redirect, Location: "/" + catalog.RuleIndex}
	}
	if location := catalog.FromCore(&r); location != "" && !r.Plain {
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
		Kind: seo.Sitemap, Name: name, Page: max(1, int(php.NewString(number).Int())), ByQuery: byQuery, Unowned: catalog.FromCore(r), Number: number,
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
