// Package routes reads from the option rewrite_rules which post types and taxonomies are registered. The rules
// that WordPress generates for a type have one of a few shapes.
package routes

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Shape is what a rewrite rule routes to.
type Shape uint8

const (
	Archive Shape = iota + 1 // a post type's archive
	Single                   // one post of a custom type
	Term                     // a term's archive
)

// Rule is one entry of the option rewrite_rules.
type Rule struct{ Regex, Query string }

// Route is a rewrite rule of a shape that core generates for a registered type.
type Route struct {
	Shape        Shape
	Base         string // text before the object, without outer slashes; earlier groups as %taxonomy%
	Name         string // post type or taxonomy, if the query names it (post_type=, taxonomy=)
	QueryVar     string // query variable that takes the slug; "" if the query names the type
	Hierarchical bool   // the object's group may contain slashes: (.+?)
	Structured   bool   // the slug is a separate group, as in Custom Post Type Permalinks
	language     bool   // Polylang's language group precedes it
	foreign      bool   // begins with ^, which core never writes: somebody wrote it by hand
	Regex        string
}

// Key returns the name that the rule gives its type: the type itself, else the query variable. Core names the
// query variable after the type by default.
func (r Route) Key() string {
	if r.Name != "" {
		return r.Name
	}
	return r.QueryVar
}

// Routes holds what the option rewrite_rules tells about registered types.
type Routes struct {
	Present  bool // the option contains rules
	All      []Route
	Mentions map[string]bool // every type and query variable in the queries of rules, of any shape
	regexes  map[string]bool
}

// Read parses the rules and keeps their order.
func Read(rules []Rule) *Routes {
	rs := &Routes{Present: len(rules) > 0, Mentions: map[string]bool{}, regexes: map[string]bool{}}
	for _, rule := range rules {
		rs.regexes[rule.Regex] = true
		args := parseQuery(rule.Query)
		for _, a := range args {
			switch {
			case a.group > 0:
				rs.Mentions[a.name] = true
			case a.name == "post_type" || a.name == "taxonomy":
				rs.Mentions[a.value] = true
			}
		}
		if r, ok := parseRule(rule.Regex, args); ok {
			rs.All = append(rs.All, r)
		}
	}
	return rs
}

// best returns core's own rule for this shape, from the rules for which meant is true. It prefers rules that do
// not belong to another type's slug, then rules not written by hand, then rules without a language. Of equal rules
// it returns the first, which wins in WordPress, too.
func (rs *Routes) best(s Shape, meant func(r Route) bool) (found Route, ok bool) {
	rank := -1
	for _, r := range rs.All {
		if r.Shape != s || !meant(r) {
			continue
		}
		n := 0
		if !r.language {
			n++
		}
		if !r.foreign {
			n += 2
		}
		if !rs.walked(r) {
			n += 4
		}
		if n > rank {
			found, rank = r, n
		}
	}
	return found, rank >= 0
}

// Named returns the rule of this shape for the type with this name.
func (rs *Routes) Named(s Shape, name string) (Route, bool) {
	if r, ok := rs.best(s, func(r Route) bool { return r.Name != "" && r.Name == name }); ok {
		return r, true
	}
	return rs.best(s, func(r Route) bool { return r.Name == "" && r.QueryVar == name })
}

// At returns the rule of this shape with this base, with any query variable.
func (rs *Routes) At(s Shape, base string) (Route, bool) {
	return rs.best(s, func(r Route) bool { return r.Base == base })
}

// walked reports whether a term's rule comes from a post type with that taxonomy in its slug. For example, the
// slug shop/%product_cat% has both rules shop/(.+?)/?$ and shop/(.+?)/([^/]+)(?:/([0-9]+))?/?$.
func (rs *Routes) walked(t Route) bool {
	return t.Shape == Term && slices.ContainsFunc(rs.All, func(r Route) bool {
		return r.Shape == Single && r.Base == t.Base+"/%"+t.Key()+"%"
	})
}

// Generated reports whether core generated the rule of a term. Core writes a second rule for embeds beside each such
// rule. Plugins may add similar rules for their own query variables, but without a rule for embeds.
func (rs *Routes) Generated(regex string) bool {
	return rs.regexes[strings.TrimSuffix(regex, "/?$")+"/embed/?$"]
}

// reserved holds core's query variables. A rule that sets one of them is not a rule of a custom type.
var reserved = map[string]bool{
	"attachment": true, "attachment_id": true, "author": true, "author_name": true, "cat": true,
	"category_name": true, "cpage": true, "day": true, "embed": true, "error": true, "favicon": true,
	"feed": true, "hour": true, "lang": true, "m": true, "minute": true, "monthnum": true, "name": true,
	"p": true, "page": true, "page_id": true, "paged": true, "pagename": true, "post_type": true,
	"register": true, "rest_route": true, "robots": true, "s": true, "search": true, "second": true,
	"sitemap": true, "sitemap-stylesheet": true, "sitemap-subtype": true, "subpost": true,
	"subpost_id": true, "tag": true, "tag_id": true, "taxonomy": true, "tb": true, "term": true,
	"w": true, "year": true,
}

// tokens maps core's query variables to their structure tags, if these have another name.
var tokens = map[string]string{
	"category_name": "category", "tag": "post_tag", "author_name": "author", "name": "postname", "p": "post_id",
}

// arg is one variable of a rule's query. If its value is $matches[n], group is n. If not, group is 0.
type arg struct {
	name, value string
	group       int
}

func parseQuery(query string) []arg {
	rest, ok := strings.CutPrefix(query, "index.php?")
	if !ok {
		return nil
	}
	var args []arg
	for _, pair := range strings.Split(rest, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name == "" {
			continue
		}
		a := arg{name: name, value: value}
		if n, ok := strings.CutPrefix(value, "$matches["); ok {
			if n, ok = strings.CutSuffix(n, "]"); ok {
				a.group, _ = strconv.Atoi(n)
			}
		}
		args = append(args, a)
	}
	return args
}

// The ends of core's rules for single posts: the present one, and the one before WordPress 4.4.
const (
	pageTail    = "(?:/([0-9]+))?/?$"
	oldPageTail = "(/[0-9]+)?/?$"
)

// parseRule parses one rule. It returns false if the rule has none of core's shapes.
func parseRule(regex string, args []arg) (Route, bool) {
	text, foreign := strings.CutPrefix(regex, "^")
	r := Route{foreign: foreign, Regex: regex}
	text, paged, ended := withoutEnd(text)
	parts, ok := splitPattern(text)
	if !ended || !ok {
		return r, false
	}
	parts, args, r.language = withoutLanguage(parts, args)
	if paged { // the last variable is the page of a post cut in parts
		if len(args) == 0 || args[len(args)-1].name != "page" || args[len(args)-1].group == 0 {
			return r, false
		}
		args = args[:len(args)-1]
	}
	switch {
	case len(args) == 0:
		return r, false
	case len(args) > 1 && args[0].name == "post_type" && args[1].name == "slug":
		return structured(r, parts, args, paged)
	case len(parts) > 0 && parts[len(parts)-1].group > 0:
		return object(r, parts, args, paged)
	}
	return archive(r, parts, args, paged)
}

// withoutEnd removes the end of a rule's pattern. paged reports whether the end has a group for the page of a post. ok is
// false if the pattern has no end that core writes.
func withoutEnd(text string) (rest string, paged, ok bool) {
	for _, tail := range []string{pageTail, oldPageTail} {
		if rest, ok = strings.CutSuffix(text, tail); ok {
			return rest, true, true
		}
	}
	rest, ok = strings.CutSuffix(text, "/?$")
	return rest, false, ok
}

// archive parses the rule of a post type's archive, which has no object. It returns false for any other rule.
func archive(r Route, parts []part, args []arg, paged bool) (Route, bool) {
	if of := args[0]; paged || len(args) != 1 || of.name != "post_type" || of.group != 0 || of.value == "" {
		return r, false
	}
	r.Shape, r.Name = Archive, args[0].value
	r.Base, _ = baseOf(parts, nil)
	return r, r.Base != ""
}

// object parses the rule of a single post, or of a term. The last part of the pattern is the object. Only rules of posts are
// paged, because terms are not cut in parts.
func object(r Route, parts []part, args []arg, paged bool) (_ Route, ok bool) {
	slug, last := parts[len(parts)-1], args[len(args)-1]
	r.Hierarchical = slug.text == ".+?"
	if !r.Hierarchical && slug.text != "[^/]+" || last.group != slug.group {
		return r, false
	}
	args = args[:len(args)-1]
	// If a type has no query variable, the query names the type, and one of core's variables takes the slug.
	r.Shape = Term
	typeKey, coreTakes := "taxonomy", last.name == "term"
	if paged {
		r.Shape = Single
		typeKey, coreTakes = "post_type", last.name == "name" || last.name == "pagename"
	}
	if n := len(args) - 1; coreTakes && n >= 0 && args[n].name == typeKey && args[n].group == 0 {
		r.Name, args = args[n].value, args[:n]
		ok = r.Name != ""
	} else {
		r.QueryVar = last.name
		ok = !reserved[last.name]
	}
	if !ok {
		return r, false
	}
	r.Base, ok = baseOf(parts[:len(parts)-1], args)
	return r, ok && (r.Base != "" || paged)
}

// structured parses a rule of the plugin Custom Post Type Permalinks. For the type book, the rule contains
// (books)/([0-9]+)/([^/]+), and its query sets post_type=book, the slug, p and book. structured returns false for any
// other rule.
func structured(r Route, parts []part, args []arg, paged bool) (Route, bool) {
	r.Shape, r.Name, r.QueryVar, r.Structured = Single, args[0].value, args[0].value, true
	for _, a := range args[2:] {
		r.Hierarchical = r.Hierarchical || a.name == r.Name && slices.Contains(parts, part{".+?", a.group})
	}
	at := slices.IndexFunc(parts, func(p part) bool { return p.group == args[1].group })
	if !paged || at < 0 || at > 1 {
		return r, false
	}
	slug, ok := Literal(parts[at].text)
	if r.Base = slug; at == 1 { // the front
		r.Base = parts[0].text + slug
	}
	return r, ok && r.Name != ""
}

// part is a piece of a rule's pattern: literal text (group is 0), or the text inside its n-th group.
type part struct {
	text  string
	group int
}

// Literal returns the text that a pattern matches. It returns false if the pattern is not literal text as core
// writes it.
func Literal(pattern string) (string, bool) {
	parts, ok := splitPattern(pattern)
	if !ok || len(parts) != 1 || parts[0].group != 0 {
		return "", false
	}
	return parts[0].text, true
}

// pieceForm matches a group without groups in it, an escaped sign, or literal text.
var pieceForm = regexp.MustCompile(`^(?:\(([^()?][^()]*)\)|\\(\W)|([^()\[\]{}*+?|^$\\]+))`)

// splitPattern splits a pattern into literal text and groups. It returns false if the pattern has nested or
// repeated groups, or classes or repetitions outside of groups: core writes none of these into the rules read here.
func splitPattern(s string) ([]part, bool) {
	var parts []part
	groups := 0
	for s != "" {
		m := pieceForm.FindStringSubmatch(s)
		if m == nil {
			return nil, false
		}
		s = s[len(m[0]):]
		switch last := len(parts) - 1; {
		case m[1] != "":
			groups++
			parts = append(parts, part{m[1], groups})
		case last >= 0 && parts[last].group == 0:
			parts[last].text += m[2] + m[3]
		default:
			parts = append(parts, part{text: m[2] + m[3]})
		}
	}
	return parts, true
}

// withoutLanguage removes what Polylang adds to the rules of translated types. This is the argument lang and, if the address contains
// a language code, the group of codes. Such an address begins with index.php/ and "language/", each of which may be missing. Then come
// the group and $wp_rewrite->front. withoutLanguage returns true if it has removed a group.
func withoutLanguage(parts []part, args []arg) ([]part, []arg, bool) {
	at := slices.IndexFunc(args, func(a arg) bool { return a.name == "lang" })
	if at < 0 {
		return parts, args, false
	}
	group := args[at].group
	rest := slices.Concat(args[:at], args[at+1:])
	if group != 1 {
		return parts, rest, false
	}
	i := 0
	if len(parts) > 0 && parts[0].group == 0 {
		i = 1
	}
	if i >= len(parts) || parts[i].text == "[^/]+" || parts[i].text == ".+?" {
		return parts, rest, false
	}
	var before string
	if i == 1 {
		before = strings.TrimSuffix(parts[0].text, "language/")
	}
	parts = append([]part(nil), parts[i+1:]...)
	if len(parts) > 0 && parts[0].group == 0 {
		parts[0].text = before + strings.TrimPrefix(parts[0].text, "/")
	}
	return parts, rest, true
}

// baseOf returns the beginning of a rewrite rule up to the object, from the parts before the object. Each group becomes the structure
// tag of its query variable, such as %author%. baseOf returns false if the rule is not one that core writes.
func baseOf(parts []part, args []arg) (string, bool) {
	var b strings.Builder
	used := 0
	for _, p := range parts {
		if p.group == 0 {
			b.WriteString(p.text)
			continue
		}
		i := slices.IndexFunc(args, func(a arg) bool { return a.group == p.group })
		if i < 0 {
			return "", false
		}
		b.WriteString("%" + cmp.Or(tokens[args[i].name], args[i].name) + "%")
		used++
	}
	if used != len(args) { // the query has more variables than the address: this is not core's rule
		return "", false
	}
	return strings.Trim(b.String(), "/"), true
}
