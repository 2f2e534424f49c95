package redirects

import (
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Bounds of what is read of one manager. What is beyond them is not used, and counted in a warning.
const (
	maxRules    = 50_000
	maxPatterns = 1_000
	maxSource   = 2_048 // bytes of a source, and of a target
)

// does is what a rule does with an address that it means.
type does uint8

const (
	leads does = iota // sends it elsewhere
	gone              // answers with an error
	stops             // keeps later rules from it: what else it does does not matter here, or cannot be known
)

// rule is a rule as its manager tries it.
type rule struct {
	id       int64  // of its row; 0 in an option
	in       string // the key of the option it is in, or that of the meta of a term
	from, to string // as stored
	does     does
	text     string // what the manager compares, prepared by the manager's file
	query    string // the query of from
	flags    flags
	pattern  *regexp.Regexp // instead of text
}

type flags uint8

const (
	ignoreCase flags = 1 << iota
	ignoreSlash
	ignoreQuery
	contains
	begins
	ends
)

func (f flags) has(other flags) bool { return f&other != 0 }

// manager is a redirect manager with its rules, in the order in which it tries them.
type manager struct {
	traits
	home  string // folder of home: "/blog", or ""
	rules []rule
	byKey map[string][]int32 // of rules with one address, by keyOf
	each  []int32            // of those that are tried with every address
	posts map[int64]rule     // of single posts
	terms map[int64]rule
	print uint64
}

// traits are how a manager works.
type traits struct {
	name         string
	of           string // what its rules are kept as: "row" or "post"; "" for keys of an option
	fromIn, toIn string // columns of those, or keys of their meta
	below        bool   // targets without a host are below home
	toPosts      bool   // a target that is a number is the id of a post
	passesOver   bool   // a rule that leads an address to itself does not keep the next one from it
	direct       bool   // patterns are tried only where no rule has the path

	subject func(m *manager, q *request) (string, bool)    // what sources are compared with; false: it redirects no such address
	means   func(m *manager, r *rule, subject string) bool // whether a rule without a pattern means it
	target  func(r *rule, subject string) string           // of a pattern that matches; nil: replaced
}

// match returns the rule that sends an address elsewhere, nil for none.
func (m *manager) match(q *request, a Address) *rule {
	if r := m.ofObject(q, a); r != nil {
		return r
	}
	subject, ok := m.subject(m, q)
	if !ok {
		return nil
	}
	path, ok := below(q.path, m.home)
	if !ok {
		return nil
	}
	one, each := m.byKey[keyOf(path)], m.each
	if m.direct && len(one) > 0 {
		each = nil
	}
	for len(one) > 0 || len(each) > 0 {
		var i int32
		if len(each) == 0 || len(one) > 0 && one[0] < each[0] {
			i, one = one[0], one[1:]
		} else {
			i, each = each[0], each[1:]
		}
		r := &m.rules[i]
		to, ok := m.tries(r, subject)
		switch {
		case !ok:
		case r.does == stops:
			return nil
		case r.does == gone:
			return r
		case !m.itself(q, a, to):
			return r
		case !m.passesOver:
			return nil
		}
	}
	return nil
}

// ofObject returns the rule that a single object has.
func (m *manager) ofObject(q *request, a Address) *rule {
	r, ok := m.posts[a.Post]
	if !ok || a.Post == 0 {
		r, ok = m.terms[a.Term]
		ok = ok && a.Term != 0
	}
	if !ok || m.itself(q, a, r.to) {
		return nil
	}
	return &r
}

// tries reports whether a rule means an address, and where it leads.
func (m *manager) tries(r *rule, subject string) (to string, ok bool) {
	if r.pattern == nil {
		return r.to, m.means(m, r, subject)
	}
	if !r.pattern.MatchString(subject) {
		return "", false
	}
	if m.target != nil {
		return m.target(r, subject), true
	}
	return replaced(r, subject), true
}

// itself reports whether a target is the address itself.
func (m *manager) itself(q *request, a Address, to string) bool {
	if id, err := strconv.ParseInt(to, 10, 64); err == nil && m.toPosts {
		return id == a.Post && id != 0
	}
	home := ""
	if m.below {
		home = m.home
	}
	return q.leadsTo(to, home)
}

// told is a rule as people are told.
func (m *manager) told(r *rule) Rule {
	told := Rule{Manager: m.name, Gone: r.does == gone, From: r.from, To: r.to, InFrom: m.fromIn, InTo: m.toIn}
	if r.in != "" {
		told.InFrom, told.InTo = r.in, r.in
	}
	switch _, ofTerm := m.terms[r.id]; {
	case r.id == 0:
	case ofTerm && r.in != "":
		told.Of = "term " + strconv.FormatInt(r.id, 10)
	default:
		told.Of = m.of + " " + strconv.FormatInt(r.id, 10)
	}
	return told
}

// builder makes a manager of what was read, and counts what cannot be used.
type builder struct {
	manager
	plain    int
	patterns int
	problems map[string][]string // which rules, by what is wrong with them
	counts   map[string]int
	more     bool // there are more rows than were read
}

func newBuilder(t traits, home string) *builder {
	return &builder{
		manager:  manager{traits: t, home: home, byKey: map[string][]int32{}},
		problems: map[string][]string{}, counts: map[string]int{},
	}
}

// named is how many rules a warning names.
const named = 5

// wrong notes a rule that cannot be used.
func (b *builder) wrong(id int64, from, what string) {
	b.counts[what]++
	if len(b.problems[what]) < named {
		which := strconv.FormatInt(id, 10)
		if id == 0 {
			which = strconv.Quote(from[:min(len(from), 40)])
		}
		b.problems[what] = append(b.problems[what], which)
	}
}

// fits reports whether a rule is within the bounds.
func (b *builder) fits(r *rule, used *int, most int, what string) bool {
	if len(r.from) > maxSource || len(r.to) > maxSource {
		b.wrong(r.id, r.from, fmt.Sprintf("are longer than %d bytes", maxSource))
		return false
	}
	if *used++; *used > most {
		b.wrong(r.id, r.from, fmt.Sprintf("are beyond the first %d %s", most, what))
		return false
	}
	return true
}

// add adds a rule on one path, below home.
func (b *builder) add(r rule, path string) {
	if !b.fits(&r, &b.plain, maxRules, "rules") {
		return
	}
	key := keyOf(path)
	b.byKey[key] = append(b.byKey[key], int32(len(b.rules)))
	b.rules = append(b.rules, r)
}

// addEach adds a rule that is tried with every address: one with a pattern, or with flags of the same kind.
func (b *builder) addEach(r rule) {
	if b.fits(&r, &b.patterns, maxPatterns, "regular expressions") {
		b.each = append(b.each, int32(len(b.rules)))
		b.rules = append(b.rules, r)
	}
}

// addPattern adds a rule with a regular expression, in PHP's syntax without delimiters and modifiers.
func (b *builder) addPattern(r rule, pattern, modifiers string) {
	if len(pattern) > maxSource {
		b.wrong(r.id, r.from, fmt.Sprintf("are longer than %d bytes", maxSource))
		return
	}
	if modifiers != "" {
		pattern = "(?" + modifiers + ")" + pattern
	}
	var err error
	if r.pattern, err = regexp.Compile(pattern); err != nil {
		b.wrong(r.id, r.from, "have a regular expression that Go's linear engine does not take")
		return
	}
	b.addEach(r)
}

// finish returns the manager, with warnings of what is not used.
func (b *builder) finish(warn func(string)) *manager {
	for _, what := range slices.Sorted(maps.Keys(b.counts)) {
		which := strings.Join(b.problems[what], ", ")
		if b.counts[what] > named {
			which += " …"
		}
		warn(fmt.Sprintf("%s: %d redirects %s, and are not followed: %s", b.name, b.counts[what], what, which))
	}
	if b.more {
		warn(fmt.Sprintf("%s has more than %d redirects; the others are not followed", b.name, maxRules+maxPatterns))
	}
	m := b.manager
	h := fnv.New64a()
	for i := range m.rules {
		m.rules[i].hash(h)
	}
	io.WriteString(h, m.home)
	m.print = h.Sum64()
	for _, of := range []map[int64]rule{m.posts, m.terms} {
		for id, r := range of { // in any order
			one := fnv.New64a()
			fmt.Fprintf(one, "%d ", id)
			r.hash(one)
			m.print += one.Sum64()
		}
		m.print *= 31
	}
	return &m
}

func (r *rule) hash(w io.Writer) {
	fmt.Fprintf(w, "%d %q %q %d %q %q %d %v\n", r.id, r.from, r.to, r.does, r.text, r.query, r.flags, r.pattern)
}

// replaced is preg_replace(): every match of the pattern gives way to the target.
func replaced(r *rule, subject string) string {
	return string(replaceAll(r.pattern, subject, func(groups []string) string { return filled(r.to, groups) }))
}

func replaceAll(p *regexp.Regexp, subject string, with func(groups []string) string) []byte {
	var out []byte
	last := 0
	for _, at := range p.FindAllStringSubmatchIndex(subject, -1) {
		out = append(out, subject[last:at[0]]...)
		out = append(out, with(groupsAt(subject, at))...)
		last = at[1]
	}
	return append(out, subject[last:]...)
}

func groupsAt(subject string, at []int) []string {
	groups := make([]string, len(at)/2)
	for i := range groups {
		if at[2*i] >= 0 {
			groups[i] = subject[at[2*i]:at[2*i+1]]
		}
	}
	return groups
}

// filled puts groups into a target, for $1, ${1} and \1.
func filled(target string, groups []string) string {
	return string(replaceAll(references, target, func(found []string) string {
		n, _ := strconv.Atoi(found[1] + found[2])
		if n < len(groups) {
			return groups[n]
		}
		return ""
	}))
}

var references = regexp.MustCompile(`(?:\$|\\)([0-9]{1,2})|\$\{([0-9]{1,2})\}`)

// onlyFilled is the target with the groups of the first match, without what is around that.
func onlyFilled(r *rule, subject string) string {
	return filled(r.to, groupsAt(subject, r.pattern.FindStringSubmatchIndex(subject)))
}
