package yoast

import (
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/php"
)

// URLs is the address scheme of Yoast SEO: sitemap_index.xml, post-sitemap.xml, post-sitemap2.xml.
type URLs struct{}

// Name implements URLs.
func (URLs) Name(k seo.Kind, of string) string {
	if k == seo.KindUser {
		return "author"
	}
	return of
}

// File implements URLs.
func (URLs) File(name string, page, _ int) string {
	switch {
	case name == seo.IndexName:
		return "sitemap_index.xml"
	case page == 1:
		return name + "-sitemap.xml"
	}
	return name + "-sitemap" + strconv.Itoa(page) + ".xml"
}

// URL implements URLs: below home and, with index permalinks, below index.php/.
func (URLs) URL(b seo.Base, file string) string { return b.Front + file }

// XSL implements URLs.
func (URLs) XSL(b seo.Base, _ urlset.Kind) string { return b.Folder() + catalog.XSLPath }

// What Yoast's rewrite rules match: the path below home without slashes at its ends, as it
// came and then decoded.
var (
	indexForm   = regexp.MustCompile(`^sitemap_index\.xml$`)
	sitemapForm = regexp.MustCompile(`^([^/]+?)-sitemap([0-9]+)?\.xml$`)
	xslForm     = regexp.MustCompile(`^([a-z]+)?-?sitemap\.xsl$`)
)

// What Yoast redirects of core's addresses, matched against the raw request.
var (
	coreTypeForm = regexp.MustCompile(`^/wp-sitemap-(?:posts|taxonomies)-(\w+)-(\d+)\.xml$`)
	coreUserForm = regexp.MustCompile(`^/wp-sitemap-users-(\d+)\.xml$`)
)

// Parse implements seo.URLs.
func (URLs) Parse(r seo.Request) seo.Resource {
	path, query, _ := strings.Cut(r.URI, "?")
	vars := pathVars(&r, strings.HasSuffix(path, "/"))
	byQuery := vars["sitemap"] == ""
	if r.ReachesWordPress() {
		for name, value := range queryVars(query) { // explicit ones win, also when empty
			vars[name] = value
		}
	}
	if xsl := vars["yoast-sitemap-xsl"]; php.NewString(xsl).Truthy() {
		switch xsl {
		case "main", "news", "video":
			return seo.Resource{Kind: seo.Stylesheet, Name: xsl}
		}
		return seo.Resource{}
	}
	if name := vars["sitemap"]; catalog.IsOtherFormat(name) {
		return seo.Resource{} // those have addresses of their own
	} else if php.NewString(name).Truthy() {
		number := vars["sitemap_n"]
		if number == "0" || number == "1" {
			return seo.Resource{Kind: seo.Redirect, Name: name, Location: "/" + name + "-sitemap.xml"}
		}
		return seo.Resource{Kind: seo.Sitemap, Name: name, Page: max(1, int(php.NewString(number).Int())), ByQuery: byQuery, Unowned: coreLocation(&r)}
	}
	base := ""
	if r.Path != "" {
		base = "/" + r.Path
	}
	if r.URI == base+"/sitemap.xml" && !r.Plain {
		return seo.Resource{Kind: seo.Redirect, Location: "/sitemap_index.xml"}
	}
	if location := coreLocation(&r); location != "" {
		return seo.Resource{Kind: seo.Redirect, Location: location}
	}
	return seo.Resource{}
}

// coreLocation is where Yoast sends an address of core's sitemaps, "" for others. Its
// numbers are one too low, and are here too: the next redirect mends page 1.
func coreLocation(r *seo.Request) string {
	if r.Path != "" {
		return ""
	}
	if r.URI == "/wp-sitemap.xml" { // by its form the sitemap of a type wp
		return "/sitemap_index.xml"
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

// pathVars are the query variables Yoast's rewrite rules make of a path. Without a permalink
// structure there are no such rules, and yet the index lists these addresses: WordPress
// redirects each to itself with a slash, and shows its front page there. With the slash they
// are ours, so that what the index lists leads to a sitemap after all.
func pathVars(r *seo.Request, slash bool) map[string]string {
	vars, rest := map[string]string{}, r.Rest
	switch {
	case r.Plain && !slash:
		return vars
	case r.Plain && rest == "sitemap.xml":
		vars["sitemap"] = "1"
		return vars
	}
	if rest == "index.php" {
		rest = ""
	} else if after, ok := strings.CutPrefix(rest, "index.php/"); ok {
		rest = strings.Trim(after, "/")
	}
	decoded := php.URLDecode(rest)
	match := func(form *regexp.Regexp) []string {
		if m := form.FindStringSubmatch(rest); m != nil {
			return m
		}
		return form.FindStringSubmatch(decoded)
	}
	if match(indexForm) != nil {
		vars["sitemap"] = "1"
	} else if m := match(sitemapForm); m != nil {
		vars["sitemap"], vars["sitemap_n"] = m[1], m[2]
	} else if m := match(xslForm); m != nil {
		vars["yoast-sitemap-xsl"] = m[1]
	}
	return vars
}

// queryVars picks Yoast's variables out of a query string as PHP reads it: the last one
// counts, and arrays are none.
func queryVars(query string) map[string]string {
	vars := map[string]string{}
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, value, _ := strings.Cut(pair, "=")
		switch name = php.URLDecode(name); name {
		case "sitemap", "sitemap_n", "yoast-sitemap-xsl":
			vars[name] = php.URLDecode(value)
		}
	}
	return vars
}
