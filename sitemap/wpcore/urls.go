package wpcore

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/php"
)

// IndexFile is the file name of the index of WordPress' own sitemaps.
const IndexFile = "wp-sitemap.xml"

// The name of the list of users, and what is before the name of a post type or a taxonomy.
const (
	users      = "users"
	posts      = "posts-"
	taxonomies = "taxonomies-"
)

// scheme is the address scheme of WordPress' own sitemaps: wp-sitemap.xml, wp-sitemap-posts-page-1.xml.
type scheme struct{ catalog.TypeNames }

// beside matches the names of sitemaps that WordPress itself has not: of news, of videos and of what the operator adds. Their files have the names
// under which they are known.
const beside = `(?:(?:google-)?(?:news|video)|extra-[a-z-]+)`

var besideName = regexp.MustCompile(`^` + beside + `$`)

func (scheme) File(name string, page, _ int) string {
	switch {
	case name == seo.IndexName:
		return IndexFile
	case besideName.MatchString(name) && page == 1:
		return name + "-sitemap.xml"
	case besideName.MatchString(name):
		return name + "-sitemap" + strconv.Itoa(page) + ".xml"
	}
	return "wp-sitemap-" + name + "-" + strconv.Itoa(page) + ".xml"
}

// URL implements URLs: always directly below home, and a query string on sites without a permalink structure.
func (scheme) URL(b seo.Base, file string) string {
	rest, sitemap := strings.CutPrefix(strings.TrimSuffix(file, ".xml"), "wp-sitemap")
	if m := besideRule.FindStringSubmatch(file); m != nil && !b.Pretty {
		return b.Home + "/?sitemap=" + m[1] + "&paged=" + cmp.Or(m[2], "1")
	}
	switch {
	case b.Pretty || !sitemap:
		return b.Home + "/" + file
	case rest == "":
		return b.Home + "/?sitemap=index"
	}
	rest = strings.TrimPrefix(rest, "-")
	last := strings.LastIndexByte(rest, '-')
	provider, subtype, typed := strings.Cut(rest[:max(last, 0)], "-")
	query := "/?sitemap=" + provider
	if typed {
		query += "&sitemap-subtype=" + subtype
	}
	return b.Home + query + "&paged=" + rest[last+1:]
}

func (scheme) XSL(b seo.Base, kind urlset.DocumentKind) string {
	name, file := "sitemap", "wp-sitemap.xsl"
	if kind == urlset.Index {
		name, file = "index", "wp-sitemap-index.xsl"
	}
	if !b.Pretty {
		return b.Folder() + "/?sitemap-stylesheet=" + name
	}
	return b.Folder() + "/" + file
}

// What core's rewrite rules match, as Yoast's: raw and then decoded.
var (
	indexRule   = regexp.MustCompile(`^wp-sitemap\.xml$`)
	xslRule     = regexp.MustCompile(`^wp-sitemap(-index)?\.xsl$`)
	subtypeRule = regexp.MustCompile(`^wp-sitemap-([a-z]+?)-([a-z\d_-]+?)-(\d+?)\.xml$`)
	besideRule  = regexp.MustCompile(`^(` + beside + `)-sitemap(\d*)\.xml$`)
	listRule    = regexp.MustCompile(`^wp-sitemap-([a-z]+?)-(\d+?)\.xml$`)
	// Not anchored at its end, and only where home is at the root of its host.
	oldRule = regexp.MustCompile(`^sitemap\.xml`)
)

// Parse implements seo.URLs. Each sitemap has one address, and every
// other way to ask for it redirects there (redirect_canonical), keeping the query string.
func (scheme) Parse(r seo.Request) seo.Resource {
	path, query, _ := strings.Cut(r.URI, "?")
	base := ""
	if r.Path != "" {
		base = "/" + r.Path
	}
	if !r.ReachesWordPress() || r.Path == "" && path == "/robots.txt" {
		return seo.Resource{}
	}
	vars := pathVars(&r)
	explicit, others := queryVars(query)
	for name, value := range explicit { // they win, also when empty
		vars[name] = value
	}
	name, location := nameOf(vars)
	switch {
	case name == "" && (vars["sitemap-stylesheet"] == "index" || vars["sitemap-stylesheet"] == "sitemap"):
		return seo.Resource{Kind: seo.Stylesheet}
	case name == "":
		return seo.Resource{}
	case r.Pretty && path != base+location:
		if others != "" {
			location += "?" + others
		}
		return seo.Resource{Kind: seo.Redirect, Name: name, Location: location}
	}
	return seo.Resource{Kind: seo.Sitemap, Name: name, Page: pageOf(vars)}
}

// pathVars are the query variables that core's rewrite rules make of a path.
func pathVars(r *seo.Request) map[string]string {
	vars, rest := map[string]string{}, r.Rest
	if !r.Pretty {
		return vars
	}
	if after, ok := strings.CutPrefix(rest, "index.php/"); ok {
		rest = strings.Trim(after, "/")
	}
	match := func(rule *regexp.Regexp) []string { return catalog.MatchPath(rule, rest) }
	if match(indexRule) != nil {
		vars["sitemap"] = "index"
	} else if m := match(xslRule); m != nil {
		vars["sitemap-stylesheet"] = "sitemap"
		if m[1] != "" {
			vars["sitemap-stylesheet"] = "index"
		}
	} else if m := match(subtypeRule); m != nil {
		vars["sitemap"], vars["sitemap-subtype"], vars["paged"] = m[1], m[2], m[3]
	} else if m := match(besideRule); m != nil {
		vars["sitemap"], vars["paged"] = m[1], m[2]
	} else if m := match(listRule); m != nil {
		vars["sitemap"], vars["paged"] = m[1], m[2]
	} else if r.Path == "" && r.Alone && match(oldRule) != nil {
		vars["sitemap"] = "index"
	}
	return vars
}

// queryVars picks core's variables out of a query string, and returns what else is in it.
func queryVars(query string) (vars map[string]string, others string) {
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

// nameOf is what the variables name, as the catalog knows it, and its address below home;
// "" for what is no sitemap of core's.
func nameOf(vars map[string]string) (name, location string) {
	subtype := vars["sitemap-subtype"]
	switch provider := vars["sitemap"]; {
	case provider == "index":
		return seo.IndexName, "/" + IndexFile
	case besideName.MatchString(provider) && subtype == "":
		return provider, "/" + scheme{}.File(provider, pageOf(vars), 0)
	case provider == users && subtype == "":
		name = users
	case provider+"-" == posts && subtype != "", provider+"-" == taxonomies && subtype != "":
		name = provider + "-" + subtype
	default:
		return "", ""
	}
	return name, "/wp-sitemap-" + name + "-" + strconv.Itoa(pageOf(vars)) + ".xml"
}

// pageOf is absint() of the page asked for; page 0 is the first.
func pageOf(vars map[string]string) int {
	n := int(php.NewString(vars["paged"]).Int())
	return max(1, n, -n)
}
