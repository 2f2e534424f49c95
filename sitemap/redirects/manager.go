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
	text     string         // what the manager compares; of a pattern its source
	query    string         // the query of from
	pattern  *regexp.Regexp // instead of text

	ignoreCase, ignoreSlash, ignoreQuery bool
}

// object is a post or a term.
type object struct{ post, term int64 }

// dialect is how one manager stores its rules and compares addresses with them.
type dialect interface {
	// read adds the rules of an active manager.
	read(r *reading) error
	// subject returns what sources are compared with: a form of the request, or of rest, its path and query below home. It returns
	// false if the manager redirects no such address.
	subject(m *manager, q *request, rest string) (string, bool)
	// means reports whether a rule without a pattern applies to a subject.
	means(r *rule, subject string) bool
	// target returns where a rule leads whose pattern matches a subject.
	target(r *rule, subject string) string
}

// manager is a redirect manager with its rules, in the order in which it tries them.
type manager struct {
	name         string
	of           string // what its rules are kept as: "row" or "post"; "" for keys of an option
	fromIn, toIn string // columns of those, or keys of their meta
	below        bool   // targets without a host are below home
	passesOver   bool   // a rule that leads an address to itself does not keep the next one from it
	dialect      dialect

	home    string // folder of home: "/blog", or ""
	rules   []rule
	byKey   map[string][]int // of rules with one address, by keyOf
	each    []int            // of those with a pattern, which are tried with every address
	objects map[object]rule  // of single posts and terms
}

// match returns the rule that sends an address elsewhere, nil for none.
func (m *manager) match(q *request, a Address) *rule {
	if r, ok := m.objects[object{a.Post, a.Term}]; ok && !m.itself(q, r.to) {
		return &r
	}
	rest, ok := below(q.uri, m.home)
	if !ok {
		return nil
	}
	subject, ok := m.dialect.subject(m, q, rest)
	if !ok {
		return nil
	}
	path, _, _ := strings.Cut(rest, "?")
	candidates := m.each
	if one := m.byKey[keyOf(path)]; len(one) > 0 {
		candidates = slices.Sorted(slices.Values(slices.Concat(one, candidates)))
	}
	for _, i := range candidates {
		r := &m.rules[i]
		to, ok := m.tries(r, subject)
		switch {
		case !ok:
		case r.does == stops:
			return nil
		case r.does == gone:
			return r
		case !m.itself(q, to):
			return r
		case !m.passesOver:
			return nil
		}
	}
	return nil
}

// tries reports whether a rule means an address, and where it leads.
func (m *manager) tries(r *rule, subject string) (to string, ok bool) {
	switch {
	case r.pattern == nil:
		return r.to, m.dialect.means(r, subject)
	case !r.pattern.MatchString(subject):
		return "", false
	}
	return m.dialect.target(r, subject), true
}

// itself reports whether a target is the address itself.
func (m *manager) itself(q *request, to string) bool {
	home := ""
	if m.below {
		home = m.home
	}
	return q.leadsTo(to, home)
}

// told is a rule as people are told.
func (m *manager) told(r *rule) Rule {
	told := Rule{Manager: m.name, Gone: r.does == gone, From: r.from, To: r.to, InFrom: m.fromIn, InTo: m.toIn}
	of := m.of
	if r.in != "" {
		told.InFrom, told.InTo, of = r.in, r.in, "term"
	}
	if r.id != 0 {
		told.Of = of + " " + strconv.FormatInt(r.id, 10)
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
	fmt.Fprintf(h, "%+v %s", m.objects, m.home)
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
	return []wp.Inputs{rankmathManager, redirectionManager, seopressManager, yoastManager}
}

// declare returns the inputs of a manager: what it has in the database, and how its rules are read if it is active.
func declare(m manager, in wp.Inputs) wp.Inputs {
	in.Name = "redirects of " + m.name
	in.Read = func(ctx context.Context, blog *wp.Blog, stored *wp.Stored) (wp.Decoded, error) {
		if !stored.Active() {
			return wp.Decoded{}, nil
		}
		r := &reading{manager: m, ctx: ctx, blog: blog, stored: stored, problems: map[string][]string{}}
		r.byKey, r.objects = map[string][]int{}, map[object]rule{}
		if _, folder := weburl.Split(blog.Home()); folder != "" {
			r.home = "/" + folder
		}
		err := m.dialect.read(r)
		if db.Unreadable(err) {
			stored.Warn(fmt.Sprintf("the redirects of %s cannot be read, and are not followed: %v", m.name, err))
			return wp.Decoded{}, nil
		}
		if err != nil {
			return wp.Decoded{}, fmt.Errorf("reading the redirects of %s: %w", m.name, err)
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

// fits reports whether a rule is within the bounds, and notes it where it is not.
func (r *reading) fits(it *rule) bool {
	used, most := len(r.rules)-len(r.each)+len(r.objects), maxRules
	if it.pattern != nil {
		used, most = len(r.each), maxPatterns
	}
	switch {
	case max(len(it.from), len(it.to), len(it.text)) > maxSource:
		r.wrong(it, fmt.Sprintf("are longer than %d bytes", maxSource))
	case used >= most:
		r.wrong(it, fmt.Sprintf("are beyond the first %d", most))
	default:
		return true
	}
	return false
}

// add adds a rule on one address, below home.
func (r *reading) add(it rule, address string) {
	path, query, _ := strings.Cut(address, "?")
	if it.query = query; r.fits(&it) {
		key := keyOf(path)
		r.byKey[key] = append(r.byKey[key], len(r.rules))
		r.rules = append(r.rules, it)
	}
}

// addPattern adds a rule with a regular expression, in PHP's syntax without delimiters and modifiers. It is tried with every
// address.
func (r *reading) addPattern(it rule, pattern, modifiers string) {
	it.text = pattern
	if modifiers != "" {
		it.text = "(?" + modifiers + ")" + pattern
	}
	var err error
	if len(it.text) <= maxSource {
		it.pattern, err = regexp.Compile(it.text)
	}
	switch {
	case err != nil:
		r.wrong(&it, "have a regular expression that Go's linear engine does not take")
	case r.fits(&it):
		r.each = append(r.each, len(r.rules))
		r.rules = append(r.rules, it)
	}
}
