package redirects

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/weburl"
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
	text     string         // what the manager compares, prepared by the manager's file; of a pattern its source
	query    string         // the query of from
	pattern  *regexp.Regexp // instead of text

	ignoreCase, ignoreSlash, ignoreQuery bool
	contains, begins, ends               bool // text is a part of the address
}

// manager is a redirect manager with its rules, in the order in which it tries them.
type manager struct {
	traits
	home  string // folder of home: "/blog", or ""
	rules []rule
	byKey map[string][]int32 // of rules with one address, by keyOf
	each  []int32            // of those that are tried with every address
	posts map[int64]rule     // of single posts
	terms map[int64]rule
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

	// subject is what sources are compared with, by a request and its path and query below home; false: it redirects no such address.
	subject func(m *manager, q *request, rest string) (string, bool)
	means   func(r *rule, subject string) bool   // whether a rule without a pattern means it
	target  func(r *rule, subject string) string // of a pattern that matches
}

// match returns the rule that sends an address elsewhere, nil for none.
func (m *manager) match(q *request, a Address) *rule {
	if r := m.ofObject(q, a); r != nil {
		return r
	}
	rest, ok := below(q.uri, m.home)
	if !ok {
		return nil
	}
	subject, ok := m.subject(m, q, rest)
	if !ok {
		return nil
	}
	path, _, _ := strings.Cut(rest, "?")
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
	switch {
	case r.pattern == nil:
		return r.to, m.means(r, subject)
	case !r.pattern.MatchString(subject):
		return "", false
	}
	return m.target(r, subject), true
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
	switch {
	case r.id == 0:
	case r.in != "":
		told.Of = "term " + strconv.FormatInt(r.id, 10)
	default:
		told.Of = m.of + " " + strconv.FormatInt(r.id, 10)
	}
	return told
}

// hash is a hash of all rules.
func (m *manager) hash() uint64 {
	h := fnv.New64a()
	for _, r := range m.rules {
		r.pattern = nil // text has it
		fmt.Fprintf(h, "%+v\n", r)
	}
	fmt.Fprintf(h, "%+v %+v %s", m.posts, m.terms, m.home)
	return h.Sum64()
}

// replaced is preg_replace(): every match of the pattern gives way to the target.
func replaced(r *rule, subject string) string {
	return r.pattern.ReplaceAllString(subject, template(r.to))
}

// onlyFilled is the target with the groups of the first match, without what is around that.
func onlyFilled(r *rule, subject string) string {
	return string(r.pattern.ExpandString(nil, template(r.to), subject, r.pattern.FindStringSubmatchIndex(subject)))
}

// template is a target in Go's syntax; PHP's groups are $1, ${1} and \1.
func template(target string) string {
	return references.ReplaceAllString(strings.ReplaceAll(target, "$", "$$"), "$${$1$2}")
}

var references = regexp.MustCompile(`(?:\$\$|\\)0?([0-9]{1,2})|\$\$\{0?([0-9]{1,2})\}`)

// Bounds of what is used of one manager; its statements read about as many rows. What is beyond them is counted in a warning.
const (
	maxRules    = 50_000
	maxPatterns = 1_000
	maxSource   = 2_048 // bytes of a source, and of a target
)

// reading is a manager whose rules are being read.
type reading struct {
	manager
	ctx      context.Context
	blog     *wp.Blog
	stored   *wp.Stored
	problems map[string][]string // which rules are not used, by what is wrong with them
}

// Inputs returns those of all managers, in the order in which they meet a request.
func Inputs() []wp.Inputs {
	return []wp.Inputs{
		aioseoManager, epsManager, rankmathManager, redirectionManager, safeManager,
		seopressManager, simpleManager, yoastManager,
	}
}

// declare returns the inputs of a manager: what it has in the database, and how its rules are read where it is active.
func declare(t traits, in wp.Inputs, read func(*reading) error) wp.Inputs {
	in.Name = "redirects of " + t.name
	in.Read = func(ctx context.Context, blog *wp.Blog, stored *wp.Stored) (wp.Decoded, error) {
		if !stored.Active() {
			return wp.Decoded{}, nil
		}
		home := ""
		if _, folder := weburl.Split(blog.Home()); folder != "" {
			home = "/" + folder
		}
		r := &reading{
			manager: manager{traits: t, home: home, byKey: map[string][]int32{}}, ctx: ctx, blog: blog, stored: stored, problems: map[string][]string{},
		}
		err := read(r)
		if db.Unreadable(err) {
			stored.Warn(fmt.Sprintf("the redirects of %s cannot be read, and are not followed: %v", t.name, err))
			return wp.Decoded{}, nil
		}
		if err != nil {
			return wp.Decoded{}, fmt.Errorf("reading the redirects of %s: %w", t.name, err)
		}
		r.warn()
		return wp.Decoded{Value: &r.manager, OfObjects: r.hash()}, nil
	}
	return in
}

// wrong notes a rule that is not used.
func (r *reading) wrong(it *rule, what string) {
	which := strconv.FormatInt(it.id, 10)
	if it.id == 0 {
		which = strconv.Quote(it.from[:min(len(it.from), 40)])
	}
	r.problems[what] = append(r.problems[what], which)
}

// warn says what is not used, and names some.
func (r *reading) warn() {
	for _, what := range slices.Sorted(maps.Keys(r.problems)) {
		which, more := r.problems[what], ""
		if len(which) > 5 {
			which, more = which[:5], " …"
		}
		r.stored.Warn(fmt.Sprintf("%s: %d redirects %s, and are not followed: %s%s", r.name, len(r.problems[what]), what, strings.Join(which, ", "), more))
	}
}

// fits reports whether a rule is within the bounds, where there are used of its kind.
func (r *reading) fits(it *rule, used, most int) bool {
	switch {
	case len(it.from) > maxSource || len(it.to) > maxSource || len(it.text) > maxSource:
		r.wrong(it, fmt.Sprintf("are longer than %d bytes", maxSource))
	case used >= most:
		r.wrong(it, fmt.Sprintf("are beyond the first %d", most))
	default:
		return true
	}
	return false
}

// fitsOne is fits for a rule on one address, or on one object.
func (r *reading) fitsOne(it *rule) bool {
	return r.fits(it, len(r.rules)-len(r.each)+len(r.posts)+len(r.terms), maxRules)
}

// add adds a rule on one address, below home.
func (r *reading) add(it rule, address string) {
	path, query, _ := strings.Cut(address, "?")
	if it.query = query; r.fitsOne(&it) {
		key := keyOf(path)
		r.byKey[key] = append(r.byKey[key], int32(len(r.rules)))
		r.rules = append(r.rules, it)
	}
}

// addEach adds a rule that is tried with every address: one with a pattern, or on a part of an address.
func (r *reading) addEach(it rule) {
	if r.fits(&it, len(r.each), maxPatterns) {
		r.each = append(r.each, int32(len(r.rules)))
		r.rules = append(r.rules, it)
	}
}

// addPattern adds a rule with a regular expression, in PHP's syntax without delimiters and modifiers.
func (r *reading) addPattern(it rule, pattern, modifiers string) {
	it.text = pattern
	if modifiers != "" {
		it.text = "(?" + modifiers + ")" + pattern
	}
	var err error
	if len(pattern) <= maxSource {
		it.pattern, err = regexp.Compile(it.text)
	}
	if err != nil {
		r.wrong(&it, "have a regular expression that Go's linear engine does not take")
		return
	}
	r.addEach(it)
}
