package routes

import (
	"regexp"
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

// Match returns the first rule that matches a path below home, which must not be escaped. Rules for pages match nearly every path, but count
// only if the page exists. Match skips them unless pages is set. It also skips rules that Go cannot compile.
func (m *Matcher) Match(path string, pages bool) (Match, bool) {
	path = strings.Trim(path, "/")
	unsure := false
	for i, rule := range m.rules {
		if !pages && strings.HasPrefix(rule.Query, "index.php?pagename=$matches[") {
			continue
		}
		re, known := m.compiled[i]
		if !known {
			re, _ = regexp.Compile("^" + rule.Regex) // in a|b the ^ belongs to a only, as in WordPress
			m.compiled[i] = re
		}
		if re == nil {
			unsure = true
			continue
		}
		if groups := re.FindStringSubmatch(path); groups != nil {
			return Match{i, setVars(rule.Query, groups), unsure}, true
		}
	}
	return Match{}, false
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

// Names reports whether the match asks for the object with this slug or id. names are the names of its type. The match
// asks for it in one of two ways: a variable with one of the names has the slug or the id as its value; or post_type or
// taxonomy has one of the names as its value, and any variable has the slug or the id.
//
// If slug is "" and id is 0, Names reports whether the match asks for the type's archive. It then compares only names.
func (m Match) Names(names []string, slug string, id int64) bool {
	named, found, archive := false, false, slug == "" && id == 0
	for key, value := range m.Vars {
		last := strings.Trim(value[strings.LastIndexByte(strings.TrimRight(value, "/"), '/')+1:], "/")
		is := archive || slug != "" && strings.EqualFold(last, slug) || id != 0 && last == strconv.FormatInt(id, 10)
		for _, name := range names {
			if name != "" && key == name && is {
				return true
			}
			named = named || name != "" && value == name && (key == "post_type" || key == "taxonomy")
		}
		found = found || is
	}
	return named && (found || archive)
}
