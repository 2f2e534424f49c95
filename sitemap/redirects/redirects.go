// Package redirects reads the rules of the redirect managers of a site, and says which address they send elsewhere. Each
// manager has a file with what it stores and how it compares, from its source; what is not certain from there is not
// used. It knows nothing of sitemaps.
package redirects

import (
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
)

// A Rule is a rule of a redirect manager, as people are told.
type Rule struct {
	Manager  string // "Redirection"
	Gone     bool   // it answers with an error, such as 410, and leads nowhere
	From, To string // as they are stored
	Of       string // "row 17"; "" where both are in an option
	// InFrom and InTo say where they are: table.column, table.meta_key or table.option[key], the table without prefix.
	InFrom, InTo string
}

// Address is an address of the site, and the object that it is the address of.
type Address struct {
	Link string
	Post int64 // 0: it is no post's
	Term int64
}

// Rules holds the rules of all active redirect managers of a blog. It is immutable; nil has no rule.
type Rules struct{ managers []*manager }

// Of returns the rules of a blog as it was read, nil for none.
func Of(blog *wp.Blog) *Rules {
	r := &Rules{}
	for _, in := range Inputs() {
		if m, _ := blog.Decoded(in.Name).(*manager); m != nil && len(m.rules)+len(m.posts)+len(m.terms) > 0 {
			r.managers = append(r.managers, m)
		}
	}
	if len(r.managers) == 0 {
		return nil
	}
	return r
}

// Match returns the rule that sends an address elsewhere, or answers that it is gone.
func (r *Rules) Match(a Address) (Rule, bool) {
	if r == nil {
		return Rule{}, false
	}
	q, ok := newRequest(a.Link)
	if !ok {
		return Rule{}, false
	}
	for _, m := range r.managers {
		if found := m.match(q, a); found != nil {
			return m.told(found), true
		}
	}
	return Rule{}, false
}

// Patterns counts the rules that are tried with every address, so that all addresses have to be known.
func (r *Rules) Patterns() int {
	n := 0
	if r != nil {
		for _, m := range r.managers {
			n += len(m.each)
		}
	}
	return n
}

// WithoutPatterns returns the rules but those of Patterns.
func (r *Rules) WithoutPatterns() *Rules {
	plain := &Rules{}
	for _, m := range r.managers {
		m := *m
		m.each = nil
		plain.managers = append(plain.managers, &m)
	}
	return plain
}

// HasPost reports whether a post itself has a rule, wherever its address leads.
func (r *Rules) HasPost(id int64) bool {
	return r != nil && slices.ContainsFunc(r.managers, func(m *manager) bool { _, has := m.posts[id]; return has })
}

// Means is what the rules can mean, but those of Patterns: objects of these names and ids, and no others.
type Means struct {
	Slugs        map[string]bool // of posts and terms, in each form in which one may be stored
	Posts, Terms map[int64]bool
	links        *permalink.Builder
}

// Means returns what the rules can mean on a site with such links.
func (r *Rules) Means(links *permalink.Builder) *Means {
	m := &Means{map[string]bool{}, map[int64]bool{}, map[int64]bool{}, links}
	for _, manager := range r.managers {
		for key, rules := range manager.byKey {
			m.path(key)
			for _, i := range rules {
				m.query(manager.rules[i].query)
			}
		}
		for id := range manager.posts {
			m.Posts[id] = true
		}
		for id := range manager.terms {
			m.Terms[id] = true
		}
	}
	return m
}

// path notes what the path of an address can say of its object: the last part is its name or its id, and the structure
// of permalinks may have the name or the id of a post elsewhere.
func (m *Means) path(path string) {
	m.text(path[strings.LastIndexByte(path, '/')+1:])
	if f, ok := m.links.Parse(path); ok {
		m.text(f.Name)
		m.id(f.ID)
	}
}

// query notes the values of a query: the ids and names of plain permalinks.
func (m *Means) query(query string) {
	for pair := range strings.SplitSeq(query, "&") {
		_, value, _ := strings.Cut(pair, "=")
		m.text(strings.ToLower(php.URLDecode(value)))
	}
}

func (m *Means) text(text string) {
	if text == "" {
		return
	}
	m.Slugs[text] = true
	m.Slugs[formatting.StoredSlug(text)] = true
	if id, err := strconv.ParseInt(text, 10, 64); err == nil {
		m.id(id)
	}
}

func (m *Means) id(id int64) {
	if id > 0 {
		m.Posts[id], m.Terms[id] = true, true
	}
}
