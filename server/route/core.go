package route

import (
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/wp/php"
)

// What core's rewrite rules match, as Yoast's: raw and then decoded.
var (
	coreIndexRule   = regexp.MustCompile(`^wp-sitemap\.xml$`)
	coreXSLRule     = regexp.MustCompile(`^wp-sitemap(-index)?\.xsl$`)
	coreSubtypeRule = regexp.MustCompile(`^wp-sitemap-([a-z]+?)-([a-z\d_-]+?)-(\d+?)\.xml$`)
	coreListRule    = regexp.MustCompile(`^wp-sitemap-([a-z]+?)-(\d+?)\.xml$`)
	// Not anchored at its end, and only where home is at the root of its host.
	coreOldRule = regexp.MustCompile(`^sitemap\.xml`)
)

// wordpress is route where WordPress' own sitemaps answer. Each has one address, and every
// other way to ask for it redirects there (redirect_canonical), keeping the query string.
func (a Scheme) wordpress(uri, rest string) Resource {
	path, query, _ := strings.Cut(uri, "?")
	base := ""
	if a.Path != "" {
		base = "/" + a.Path
	}
	switch {
	case path == base+catalog.CSSPath:
		return Resource{Kind: CSS}
	case a.Path == "" && path == "/robots.txt":
		return Resource{Kind: Robots}
	case !reachesFrontController(rest):
		return Resource{}
	}
	vars := a.corePathVars(rest)
	explicit, others := coreQueryVars(query)
	for name, value := range explicit { // they win, also when empty
		vars[name] = value
	}
	name, location := coreName(vars)
	switch {
	case name == "" && (vars["sitemap-stylesheet"] == "index" || vars["sitemap-stylesheet"] == "sitemap"):
		return Resource{Kind: XSL}
	case name == "":
		return Resource{}
	case a.Core == site.CorePaths && path != base+location:
		if others != "" {
			location += "?" + others
		}
		return Resource{Kind: Redirect, Name: name, Location: location}
	}
	return Resource{Kind: Sitemap, Name: name, Page: corePage(vars)}
}

// corePathVars are the query variables that core's rewrite rules make of a path.
func (a Scheme) corePathVars(rest string) map[string]string {
	vars := map[string]string{}
	if a.Core == site.CoreQueries {
		return vars
	}
	if after, ok := strings.CutPrefix(rest, "index.php/"); ok {
		rest = strings.Trim(after, "/")
	}
	decoded := php.URLDecode(rest)
	match := func(rule *regexp.Regexp) []string {
		if m := rule.FindStringSubmatch(rest); m != nil {
			return m
		}
		return rule.FindStringSubmatch(decoded)
	}
	if match(coreIndexRule) != nil {
		vars["sitemap"] = "index"
	} else if m := match(coreXSLRule); m != nil {
		vars["sitemap-stylesheet"] = "sitemap"
		if m[1] != "" {
			vars["sitemap-stylesheet"] = "index"
		}
	} else if m := match(coreSubtypeRule); m != nil {
		vars["sitemap"], vars["sitemap-subtype"], vars["paged"] = m[1], m[2], m[3]
	} else if m := match(coreListRule); m != nil {
		vars["sitemap"], vars["paged"] = m[1], m[2]
	} else if a.Path == "" && a.Alone && match(coreOldRule) != nil {
		vars["sitemap"] = "index"
	}
	return vars
}

// coreQueryVars picks core's variables out of a query string, and returns what else is in it.
func coreQueryVars(query string) (vars map[string]string, others string) {
	vars = map[string]string{}
	var rest []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		switch name = php.URLDecode(name); name {
		case "sitemap", "sitemap-subtype", "paged", "sitemap-stylesheet":
			vars[name] = php.URLDecode(value)
		case "":
		default:
			rest = append(rest, pair)
		}
	}
	return vars, strings.Join(rest, "&")
}

// coreName is what the variables name, as the catalog knows it, and its address below home;
// "" for what is no sitemap of core's.
func coreName(vars map[string]string) (name, location string) {
	subtype := vars["sitemap-subtype"]
	switch provider := vars["sitemap"]; {
	case provider == "index":
		return seo.IndexName, "/" + wpcore.IndexFile
	case provider == wpcore.Users && subtype == "":
		name = wpcore.Users
	case provider+"-" == wpcore.Posts && subtype != "", provider+"-" == wpcore.Taxonomies && subtype != "":
		name = provider + "-" + subtype
	default:
		return "", ""
	}
	return name, "/wp-sitemap-" + name + "-" + strconv.Itoa(corePage(vars)) + ".xml"
}

// corePage is absint() of the page asked for; page 0 is the first.
func corePage(vars map[string]string) int {
	n := phpInt(vars["paged"])
	return max(1, n, -n)
}
