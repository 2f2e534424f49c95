package catalog

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/php"
)

// TypeNames is the part of an address scheme that gives sitemaps the names of their types, with what is before those of post types and
// of taxonomies. Users "" is author.
type TypeNames struct{ Posts, Taxonomies, Users string }

// Name implements seo.URLs.
func (n TypeNames) Name(k seo.ObjectKind, of string) string {
	switch k {
	case seo.KindUser:
		return cmp.Or(n.Users, "author")
	case seo.KindTerm:
		return n.Taxonomies + of
	}
	return n.Posts + of
}

// MatchPath matches a rewrite rule with a path below home as it came, or else decoded.
func MatchPath(rule *regexp.Regexp, path string) []string {
	if m := rule.FindStringSubmatch(path); m != nil {
		return m
	}
	return rule.FindStringSubmatch(php.URLDecode(path))
}

// RuleIndex is the file of the index by the rules that Yoast SEO and Rank Math share.
const RuleIndex = "sitemap_index.xml"

// What these rules match: the path below home without slashes at its ends.
var (
	ruleIndexForm = regexp.MustCompile(`^sitemap_index\.xml$`)
	ruleListForm  = regexp.MustCompile(`^([^/]+?)-sitemap([0-9]+)?\.xml$`)
	ruleXSLForm   = regexp.MustCompile(`^([a-z]+)?-?sitemap\.xsl$`)
)

// What both redirect of core's addresses, matched against the raw request.
var (
	coreTypeForm = regexp.MustCompile(`^/wp-sitemap-(?:posts|taxonomies)-(\w+)-(\d+)\.xml$`)
	coreUserForm = regexp.MustCompile(`^/wp-sitemap-users-(\d+)\.xml$`)
)

// RuleVars are the query variables that their rewrite rules make of a path: sitemap, sitemap_n, and xsl by the name that the
// plugin has for it.
func RuleVars(path, xsl string) map[string]string {
	vars := map[string]string{}
	if path == "index.php" {
		path = ""
	} else if after, ok := strings.CutPrefix(path, "index.php/"); ok {
		path = strings.Trim(after, "/")
	}
	if MatchPath(ruleIndexForm, path) != nil {
		vars["sitemap"] = seo.IndexName
	} else if m := MatchPath(ruleListForm, path); m != nil {
		vars["sitemap"], vars["sitemap_n"] = m[1], m[2]
	} else if m := MatchPath(ruleXSLForm, path); m != nil {
		vars[xsl] = m[1]
	}
	return vars
}

// AskedVars puts the variables of these names that the query of a request has in the place of those of its path, also
// empty ones. byQuery reports whether the path names no sitemap.
func AskedVars(r *seo.Request, vars map[string]string, names ...string) (byQuery bool) {
	byQuery = vars["sitemap"] == ""
	if r.ReachesWordPress() {
		asked := r.Vars()
		for _, name := range names {
			if value, ok := asked[name]; ok {
				vars[name] = value
			}
		}
	}
	return byQuery
}

// AsksPlainIndex reports whether a request is for sitemap.xml, which both redirect to their index.
func AsksPlainIndex(r *seo.Request) bool {
	return !r.Plain && r.URI == strings.TrimSuffix("/"+r.Path, "/")+"/sitemap.xml"
}

// FromCore is where both plugins redirect an address of core's sitemaps, "" for others. They count its pages one too low.
func FromCore(r *seo.Request) string {
	if r.Path != "" {
		return ""
	}
	if r.URI == "/wp-sitemap.xml" { // by its form the sitemap of a type wp
		return "/" + RuleIndex
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
