package catalog

import (
	"cmp"
	"regexp"
	"slices"
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

// Renumber implements seo.URLs: no number redirects.
func (TypeNames) Renumber(seo.Resource, int, int) (string, bool) { return "", false }

// PageFile is how most plugins name a page of a sitemap: post-sitemap.xml, post-sitemap2.xml.
func PageFile(name string, page int) string {
	if page == 1 {
		return name + "-sitemap.xml"
	}
	return NumberedFile(name, page)
}

// NumberedFile is PageFile with the number of the first page, too.
func NumberedFile(name string, page int) string {
	return name + "-sitemap" + strconv.Itoa(page) + ".xml"
}

// PageOf is the page that a number in an address means.
func PageOf(number string) int { return max(1, int(php.NewString(number).Int())) }

// Rewrite is a rewrite rule as a plugin adds it to WordPress.
type Rewrite struct {
	form  *regexp.Regexp
	query string
}

// Rule is a rule for paths of a form, below home and without slashes at their ends; query has the variables that it makes of
// its groups: sitemap=$1&sitemap_n=$2.
func Rule(form, query string) Rewrite { return Rewrite{regexp.MustCompile(form), query} }

// Rewrites are the rules of a plugin, of which the first that matches counts.
type Rewrites []Rewrite

// variable is a query variable and its value.
type variable struct{ name, value string }

// match returns what the first rule that matches makes of a path, nil where none does.
func (all Rewrites) match(path string) (vars []variable) {
	for _, rule := range all {
		groups := rule.form.FindStringSubmatchIndex(path)
		if groups == nil {
			continue
		}
		for pair := range strings.SplitSeq(rule.query, "&") {
			name, value, _ := strings.Cut(pair, "=")
			vars = append(vars, variable{name, string(rule.form.ExpandString(nil, value, path, groups))})
		}
		return vars
	}
	return nil
}

// Has reports whether rules make a query variable.
func (all Rewrites) Has(name string) bool {
	return slices.ContainsFunc(all, func(rule Rewrite) bool { return strings.Contains("&"+rule.query, "&"+name+"=") })
}

// Vars returns the query variables of a request: those that the rules make of a path, as it came or else decoded, and in their place
// those that its query has, also empty ones. byQuery reports whether no rule matches the path.
func (all Rewrites) Vars(r *seo.Request, path string) (vars map[string]string, byQuery bool) {
	vars = map[string]string{}
	if !r.ReachesWordPress() {
		return vars, true
	}
	made := all.match(path)
	if made == nil {
		made = all.match(php.URLDecode(path))
	}
	for _, v := range made {
		vars[v.name] = v.value
	}
	for name, value := range r.Vars() {
		if all.Has(name) {
			vars[name] = value
		}
	}
	return vars, made == nil
}

// Link is what leads to a file without a permalink structure: the query that the rules make of it.
func (all Rewrites) Link(file string) string {
	link, mark := "", "?"
	for _, v := range all.match(file) {
		link += mark + v.name + "=" + v.value
		mark = "&"
	}
	return cmp.Or(link, file)
}

// RuleIndex is the file of the index by the rules that Yoast SEO and Rank Math share.
const RuleIndex = "sitemap_index.xml"

// IndexRules are these rules, with the variable that the plugin has for its stylesheets.
func IndexRules(xsl string) Rewrites {
	return Rewrites{
		Rule(`^sitemap_index\.xml$`, "sitemap="+seo.IndexName),
		Rule(`^([^/]+?)-sitemap([0-9]+)?\.xml$`, "sitemap=$1&sitemap_n=$2"),
		Rule(`^([a-z]+)?-?sitemap\.xsl$`, xsl+"=$1"),
	}
}

// What both redirect of core's addresses, matched against the raw request.
var (
	coreTypeForm = regexp.MustCompile(`^/wp-sitemap-(?:posts|taxonomies)-(\w+)-(\d+)\.xml$`)
	coreUserForm = regexp.MustCompile(`^/wp-sitemap-users-(\d+)\.xml$`)
)

// Alias is where both plugins redirect other addresses of their sitemaps: sitemap.xml without a query, and core's.
func Alias(r *seo.Request) seo.Resource {
	location := FromCore(r)
	if !r.Plain && r.URI == r.Folder()+"/sitemap.xml" {
		location = "/" + RuleIndex
	}
	if location == "" {
		return seo.Resource{}
	}
	return seo.Resource{Kind: seo.Redirect, Location: location}
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
