package routes

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Matcher finds the rewrite rule that answers a path, as WP::parse_request() does. Its zero value has no rules. It is not safe for
// concurrent use.
type Matcher struct {
	rules    []Rule
	compiled map[int]*regexp.Regexp // by index in rules; nil if Go cannot compile the rule
}

// NewMatcher returns a Matcher that tries rules in their order.
func NewMatcher(rules []Rule) *Matcher {
	return &Matcher{rules: rules, compiled: map[int]*regexp.Regexp{}}
}

// Match is a rule that answers a path, with the query variables that the rule sets.
type Match struct {
	Rule   int // index of the rule
	Vars   map[string]string
	Unsure bool // Go cannot compile a rule before this one, which may be the one that WordPress follows
}

// Match returns the first rule that matches a path below home. The path must not be escaped. Rules that Go cannot compile are
// skipped.
func (m *Matcher) Match(path string) (Match, bool) {
	return m.first(path, func(Rule) bool { return true })
}

// MatchNoPage is like Match, but skips rules for pages. Such a rule matches nearly every path, but WordPress follows it only if
// the page exists, which the rules do not show.
func (m *Matcher) MatchNoPage(path string) (Match, bool) {
	return m.first(path, func(r Rule) bool { return !strings.HasPrefix(r.Query, "index.php?pagename=$matches[") })
}

// first returns the first rule that counts and matches a path.
func (m *Matcher) first(path string, counts func(Rule) bool) (Match, bool) {
	path = strings.Trim(path, "/")
	unsure := false
	for i, rule := range m.rules {
		if !counts(rule) {
			continue
		}
		re := m.compile(i)
		if re == nil {
			unsure = true
			continue
		}
		if groups := re.FindStringSubmatch(path); groups != nil {
			return Match{Rule: i, Vars: setVars(rule.Query, groups), Unsure: unsure}, true
		}
	}
	return Match{}, false
}

// compile compiles the rule with an index once. It returns nil if Go cannot compile the rule.
func (m *Matcher) compile(i int) *regexp.Regexp {
	re, known := m.compiled[i]
	if !known {
		re, _ = regexp.Compile("^" + m.rules[i].Regex) // in a|b the ^ belongs to a only, as in WordPress
		m.compiled[i] = re
	}
	return re
}

// setVars returns the query variables of a rule, with the groups of a match as values.
func setVars(query string, groups []string) map[string]string {
	vars := map[string]string{}
	for _, a := range parseQuery(query) {
		switch {
		case a.group == 0:
			vars[a.name] = a.value
		case a.group < len(groups):
			vars[a.name] = groups[a.group]
		}
	}
	return vars
}

// AsksForObject reports whether the match asks for the object of a type with a slug or an id. names are the type's name and its
// query variable; a name that is "" counts for nothing. There are two forms: one of the names is the variable that has slug or
// id (book=dune), or post_type or taxonomy has the name, and any variable has slug or id (post_type=book&name=dune).
func (m Match) AsksForObject(names []string, slug string, id int64) bool {
	named := m.hasType(names)
	for key, value := range m.Vars {
		if (named || slices.Contains(names, key)) && isObject(value, slug, id) {
			return true
		}
	}
	return false
}

// AsksForArchive reports whether the match has a type's name, in either of the forms of AsksForObject, and names no object. An address
// that names an object is never an archive: if there is no such object, WordPress answers 404.
func (m Match) AsksForArchive(names []string) bool {
	asks := m.hasType(names)
	for key, value := range m.Vars {
		named := slices.Contains(names, key)
		if value != "" && (named || key == "name" || key == "p") {
			return false
		}
		asks = asks || named
	}
	return asks
}

// hasType reports whether post_type or taxonomy has one of the names as its value.
func (m Match) hasType(names []string) bool {
	for _, key := range []string{"post_type", "taxonomy"} {
		if name := m.Vars[key]; name != "" && slices.Contains(names, name) {
			return true
		}
	}
	return false
}

// isObject reports whether the value of a variable is a slug or an id. Before the slug there may be the slugs of ancestors, as in
// parent/child.
func isObject(value, slug string, id int64) bool {
	value = strings.Trim(value, "/")
	last := value[strings.LastIndexByte(value, '/')+1:]
	return slug != "" && strings.EqualFold(last, slug) || id != 0 && last == strconv.FormatInt(id, 10)
}
