// Package redirects reads the rules of the redirect managers of a site, and says which address they send elsewhere. Each
// manager has a file with what it stores and how it compares, from its source; what is not certain from there is not
// used. It knows nothing of sitemaps.
package redirects

import (
	"cmp"
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
		if m, _ := blog.Decoded(in.Name).(*manager); m != nil && len(m.rules)+len(m.objects) > 0 {
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
	return r != nil && slices.ContainsFunc(r.managers, func(m *manager) bool { _, has := m.objects[object{post: id}]; return has })
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
		for o := range manager.objects {
			m.Posts[o.post], m.Terms[o.term] = true, true // 0 is no object's
		}
	}
	return m
}

// path notes what the path of an address can say of its object: a segment is its name or its id, or has them in it.
func (m *Means) path(path string) {
	names, ids := m.links.Named(strings.Split(path, "/"))
	for _, name := range names {
		m.text(name)
	}
	for _, id := range ids {
		m.id(id)
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

// request is an address as PHP meets it when it is asked for.
type request struct {
	host  string // see plainHost
	uri   string // path and query, percent-encoded as they are sent
	path  string // the part of uri before the query
	query string // "" for none
}

// newRequest returns the request for a link of the site; ok is false for one that is no web address.
func newRequest(link string) (q *request, ok bool) {
	u, ok := php.ParseURL(link)
	if !ok || u.Host == "" {
		return nil, false
	}
	q = &request{host: plainHost(u), path: sent(cmp.Or(u.Path, "/")), query: sent(u.Query)}
	if q.uri = q.path; q.query != "" {
		q.uri += "?" + q.query
	}
	return q, true
}

// sent is a path as clients send it: what is no printable ASCII is percent-encoded.
func sent(path string) string {
	const hex = "0123456789ABCDEF"
	b := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		if c := path[i]; c <= ' ' || c >= 0x7F {
			b = append(b, '%', hex[c>>4], hex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// keyOf is a path below home without what no manager, or not every one, tells apart: percent-encoding, letter case,
// slashes at its ends.
func keyOf(path string) string {
	path = strings.ReplaceAll(php.RawURLDecode(path), "+", " ")
	return strings.ToLower(strings.Trim(path, "/ "))
}

// below cuts the folder of home off a path, as "/blog"; ok is false for a path that is not below it.
func below(path, home string) (rest string, ok bool) {
	if home == "" {
		return path, true
	}
	if len(path) < len(home) || !strings.EqualFold(path[:len(home)], home) {
		return "", false
	}
	switch rest = path[len(home):]; {
	case rest == "":
		return "/", true
	case rest[0] == '/', rest[0] == '?':
		return rest, true
	}
	return "", false
}

// leadsTo reports whether a target is the address that was asked for, however it is written: with or without scheme, the
// host of the site, www., a slash at the end or a fragment. home is put before targets without a host.
func (q *request) leadsTo(target, home string) bool {
	u, ok := php.ParseURL(strings.TrimSpace(target))
	switch {
	case !ok, u.Host != "" && plainHost(u) != q.host:
		return false
	case u.Host == "":
		u.Path = home + "/" + strings.TrimLeft(u.Path, "/")
	}
	same := func(a, b string) bool {
		return strings.Trim(php.RawURLDecode(a), "/") == strings.Trim(php.RawURLDecode(b), "/")
	}
	return same(u.Path, q.path) && php.RawURLDecode(u.Query) == php.RawURLDecode(q.query)
}

// plainHost is the host of an address as hosts are compared here: without www., with a port of its own.
func plainHost(u php.URL) string {
	host := strings.TrimPrefix(strings.ToLower(u.Host), "www.")
	if u.Port == 0 || u.Port == 80 || u.Port == 443 {
		return host
	}
	return host + ":" + strconv.Itoa(u.Port)
}

// lowerASCII is PHP's strtolower().
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
