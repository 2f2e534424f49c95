package route

import (
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/php"
)

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

// xml is route for everything but the other formats and twins.
func (a Scheme) xml(uri, rest string) Resource {
	if a.Core != site.NoCore {
		return a.wordpress(uri, rest)
	}
	path, query, _ := strings.Cut(uri, "?")
	vars := a.pathVars(rest, strings.HasSuffix(path, "/"))
	byQuery := vars["sitemap"] == ""
	if reachesFrontController(rest) {
		for name, value := range queryVars(query) { // explicit ones win, also when empty
			vars[name] = value
		}
	}
	if xsl := vars["yoast-sitemap-xsl"]; !empty(xsl) {
		switch xsl {
		case "main", "news", "video":
			return Resource{Kind: XSL, Name: xsl}
		}
		return Resource{}
	}
	if name := vars["sitemap"]; name == catalog.TextName || name == catalog.AtomName {
		return Resource{} // those have addresses of their own
	} else if !empty(name) {
		number := vars["sitemap_n"]
		if number == "0" || number == "1" {
			return Resource{Kind: Redirect, Name: name, Location: "/" + name + "-sitemap.xml"}
		}
		return Resource{Kind: Sitemap, Name: name, Page: max(1, phpInt(number)), ByQuery: byQuery, Unowned: a.coreLocation(uri)}
	}
	base := ""
	if a.Path != "" {
		base = "/" + a.Path
	}
	switch {
	case path == base+"/wpsitemapd.css":
		return Resource{Kind: CSS}
	case uri == base+"/sitemap.xml" && !a.Plain:
		return Resource{Kind: Redirect, Location: "/sitemap_index.xml"}
	case a.Path == "" && path == "/robots.txt":
		return Resource{Kind: Robots}
	}
	if location := a.coreLocation(uri); location != "" {
		return Resource{Kind: Redirect, Location: location}
	}
	return Resource{}
}

// coreLocation is where Yoast sends an address of core's sitemaps, "" for others. Its
// numbers are one too low, and are here too: the next redirect mends page 1.
func (a Scheme) coreLocation(uri string) string {
	if a.Path != "" {
		return ""
	}
	if uri == "/wp-sitemap.xml" { // by its form the sitemap of a type wp
		return "/sitemap_index.xml"
	}
	name, n := "author", ""
	if m := coreTypeForm.FindStringSubmatch(uri); m != nil {
		name, n = m[1], m[2]
	} else if m := coreUserForm.FindStringSubmatch(uri); m != nil {
		n = m[1]
	} else {
		return ""
	}
	number := ""
	if i := phpInt(n) - 1; i != 0 {
		number = strconv.Itoa(i)
	}
	return "/" + name + "-sitemap" + number + ".xml"
}

// pathVars are the query variables Yoast's rewrite rules make of a path. Without a permalink
// structure there are no such rules, and yet the index lists these addresses: WordPress
// redirects each to itself with a slash, and shows its front page there. With the slash they
// are ours, so that what the index lists leads to a sitemap after all.
func (a Scheme) pathVars(rest string, slash bool) map[string]string {
	vars := map[string]string{}
	switch {
	case a.Plain && !slash:
		return vars
	case a.Plain && rest == "sitemap.xml":
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
