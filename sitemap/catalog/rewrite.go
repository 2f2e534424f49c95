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

// TypeNames gives each sitemap the name of its type. Posts and Taxonomies are prefixes; Users is the
// name for authors, and "" means author.
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

// Renumber implements seo.URLs. Page numbers are never redirected.
func (TypeNames) Renumber(seo.Resource, int, int) (string, bool) { return "", false }

// PageFile returns the file name that most plugins use: post-sitemap.xml for page 1, post-sitemap2.xml
// for page 2.
func PageFile(name string, page int) string {
	if page == 1 {
		return name + "-sitemap.xml"
	}
	return NumberedFile(name, page)
}

// NumberedFile is like PageFile, but the first page has a number, too.
func NumberedFile(name string, page int) string {
	return name + "-sitemap" + strconv.Itoa(page) + ".xml"
}

// PageOf returns the page that the digits in an address select. It converts number as PHP does, and
// returns at least 1.
func PageOf(number string) int { return max(1, int(php.NewString(number).Int())) }

// A Rewrite is a rewrite rule that a plugin adds to WordPress.
type Rewrite struct {
	form  *regexp.Regexp
	query string
}

// Rule returns a rewrite rule. The regular expression form matches a path below home, without outer
// slashes. query sets query variables from the groups of form, such as sitemap=$1&sitemap_n=$2.
func Rule(form, query string) Rewrite { return Rewrite{regexp.MustCompile(form), query} }

// Rewrites are the rules of a plugin. The first rule that matches wins.
type Rewrites []Rewrite

// A variable is a query variable and its value.
type variable struct{ name, value string }

// match returns the query variables that the first matching rule makes from a path. It returns nil if
// no rule matches.
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

// Has reports whether any rule sets the named query variable.
func (all Rewrites) Has(name string) bool {
	return slices.ContainsFunc(all, func(rule Rewrite) bool { return strings.Contains("&"+rule.query, "&"+name+"=") })
}

// Vars returns the query variables of a request. The rules make them from the path, or from the
// decoded path if the raw one does not match. Variables in the request's own query win, even if empty.
//
// byQuery reports whether no rule matches the path.
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

// Link returns the query string that leads to a file if the blog has no permalink structure.
func (all Rewrites) Link(file string) string {
	link, mark := "", "?"
	for _, v := range all.match(file) {
		link += mark + v.name + "=" + v.value
		mark = "&"
	}
	return cmp.Or(link, file)
}

// RuleIndex is the file name of the index in Yoast SEO and Rank Math.
const RuleIndex = "sitemap_index.xml"

// IndexRules returns the rewrite rules that Yoast SEO and Rank Math share. xsl is the plugin's query
// variable for stylesheets.
func IndexRules(xsl string) Rewrites {
	return Rewrites{
		Rule(`^sitemap_index\.xml$`, "sitemap="+seo.IndexName),
		Rule(`^([^/]+?)-sitemap([0-9]+)?\.xml$`, "sitemap=$1&sitemap_n=$2"),
		Rule(`^([a-z]+)?-?sitemap\.xsl$`, xsl+"=$1"),
	}
}

// These forms match core's sitemap addresses that Yoast SEO and Rank Math redirect. They apply to the
// raw request URI.
var (
	coreTypeForm = regexp.MustCompile(`^/wp-sitemap-(?:posts|taxonomies)-(\w+)-(\d+)\.xml$`)
	coreUserForm = regexp.MustCompile(`^/wp-sitemap-users-(\d+)\.xml$`)
)

// Alias returns the redirect of Yoast SEO and Rank Math for other sitemap addresses: sitemap.xml without a query, and
// the addresses of core's sitemaps. It returns the zero Resource for any other address.
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

// FromCore returns the path to which Yoast SEO and Rank Math redirect an address of core's sitemaps. Both
// plugins subtract one from the page number. FromCore returns "" for any other address.
func FromCore(r *seo.Request) string {
	if r.Path != "" {
		return ""
	}
	if r.URI == "/wp-sitemap.xml" { // the form below would take this for the sitemap of a type named wp
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
