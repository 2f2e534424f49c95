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

// does says what a rule does with a matching address.
type does uint8

const (
	leads does = iota // redirects the address
	gone              // answers with an error
	stops             // ends the search without a redirect; what the rule does is unknown or does not matter
)

// A rule is one redirect in the form in which its manager compares it.
type rule struct {
	id       int64  // id of its row; 0 if it is in an option
	in       string // where the rule is stored: table.option[key] or termmeta.key; "" for a rule in a row or a post
	from, to string // as stored
	does     does
	text     string         // the text that the manager compares; the source of pattern if there is one
	query    string         // the query part of from
	pattern  *regexp.Regexp // if not nil, it is matched instead of text

	ignoreCase, ignoreSlash, ignoreQuery bool
}

// An object is a post or a term; the other id is 0.
type object struct{ post, term int64 }

// A dialect describes how one manager stores rules and compares addresses.
type dialect interface {
	// read adds the rules of an active manager.
	read(r *reading) error
	// subject returns the text that rules are compared with. rest is the path and query of the request
	// below home. It returns false if the manager never redirects such an address.
	subject(m *manager, q *request, rest string) (string, bool)
	// means reports whether a rule without a pattern matches a subject.
	means(r *rule, subject string) bool
	// target returns where a rule leads if its pattern matches the subject.
	target(r *rule, subject string) string
}

// A manager is a redirect manager with its rules, in the order in which the plugin tries them.
type manager struct {
	name         string
	of           string // how rules are stored: "row" or "post"; "" for an option
	fromIn, toIn string // columns or meta keys of the source and the target
	below        bool   // a target without a host is relative to home
	passesOver   bool   // after a rule that leads an address to itself, the plugin tries the next rule; if false, it stops
	dialect      dialect

	home    string // path of home, such as "/blog"; "" if home is at the root
	rules   []rule
	byKey   map[string][]int // indexes of rules for a single address, by keyOf
	each    []int            // indexes of rules with a pattern, which are tried with every address
	objects map[object]rule  // rules for single posts and terms
}

// match returns the rule that redirects an address or answers with an error. It returns nil if there
// is none.
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

// tries reports whether a rule matches a subject, and returns the rule's target.
func (m *manager) tries(r *rule, subject string) (to string, ok bool) {
	switch {
	case r.pattern == nil:
		return r.to, m.dialect.means(r, subject)
	case !r.pattern.MatchString(subject):
		return "", false
	}
	return m.dialect.target(r, subject), true
}

// itself reports whether a target leads to the requested address. Such a redirect would never end, so it
// is not followed.
func (m *manager) itself(q *request, to string) bool {
	home := ""
	if m.below {
		home = m.home
	}
	return q.leadsTo(to, home)
}

// told converts a rule to the form that is shown to people.
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

// hash returns a hash of all rules.
func (m *manager) hash() uint64 {
	h := fnv.New64a()
	for _, r := range m.rules {
		r.pattern = nil // r.text has the source of the pattern
		fmt.Fprintf(h, "%+v\n", r)
	}
	fmt.Fprintf(h, "%+v %s", m.objects, m.home)
	return h.Sum64()
}

// replaced returns subject with every match of the pattern replaced by the target, like PHP's
// preg_replace().
func replaced(r *rule, subject string) string {
	return r.pattern.ReplaceAllString(subject, template(r.to))
}

// onlyFilled returns the target with the groups of the first match filled in. Text around the match is
// dropped.
func onlyFilled(r *rule, subject string) string {
	return string(r.pattern.ExpandString(nil, template(r.to), subject, r.pattern.FindStringSubmatchIndex(subject)))
}

// template converts a target to Go's syntax. In PHP a group is $1, ${1} or \1.
func template(target string) string {
	return references.ReplaceAllString(strings.ReplaceAll(target, "$", "$$"), "$${$1$2}")
}

var references = regexp.MustCompile(`(?:\$\$|\\)0?([0-9]{1,2})|\$\$\{0?([0-9]{1,2})\}`)

// These constants limit how many rules of one manager are used, and how long they may be. A warning counts
// the rules beyond a limit.
const (
	maxRules    = 50_000
	maxPatterns = 1_000
	maxSource   = 2_048 // maximum length in bytes of a source or a target
)

// reading is a manager whose rules are being read.
type reading struct {
	manager
	ctx      context.Context
	blog     *wp.Blog
	stored   *wp.Stored
	problems map[string][]string // ids or sources of unused rules, by the reason
}

// Inputs returns the inputs of all managers, in the order in which they handle a request.
func Inputs() []wp.Inputs {
	return []wp.Inputs{rankmathManager, redirectionManager, seopressManager, yoastManager}
}

// declare returns the inputs of a manager: its data in the database, and a function that reads its
// rules if it is active.
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

// wrong records that a rule is not used. what says why and completes the sentence "17 redirects …".
func (r *reading) wrong(it *rule, what string) {
	which := strconv.FormatInt(it.id, 10)
	if it.id == 0 {
		which = strconv.Quote(it.from[:min(len(it.from), 40)])
	}
	r.problems[what] = append(r.problems[what], which)
}

// warn logs how many rules are not used for each reason, with some examples.
func (r *reading) warn() {
	for _, what := range slices.Sorted(maps.Keys(r.problems)) {
		which, more := r.problems[what], ""
		if len(which) > 5 {
			which, more = which[:5], " …"
		}
		r.stored.Warn(fmt.Sprintf("%s: %d redirects %s, and are ignored: %s%s. Correct them in the plugin, or exclude their URLs",
			r.name, len(r.problems[what]), what, strings.Join(which, ", "), more))
	}
}

// fits reports whether a rule is within the limits. If not, it records the rule as unused.
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

// add adds a rule for one address below home.
func (r *reading) add(it rule, address string) {
	path, query, _ := strings.Cut(address, "?")
	if it.query = query; r.fits(&it) {
		key := keyOf(path)
		r.byKey[key] = append(r.byKey[key], len(r.rules))
		r.rules = append(r.rules, it)
	}
}

// addPattern adds a rule with a regular expression in PHP's syntax, without delimiters. modifiers are PHP's pattern
// modifiers. The rule is tried with every address.
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
		r.wrong(&it, "have a regular expression that wpsitemapd cannot evaluate")
	case r.fits(&it):
		r.each = append(r.each, len(r.rules))
		r.rules = append(r.rules, it)
	}
}
