// Package redirects reads the rules of the site's redirect plugins and says which addresses they
// redirect. There is one file for each plugin. It describes what the plugin's source code stores and
// compares; uncertain rules are not used. The package knows nothing about sitemaps.
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

// A Rule is a rule of a redirect manager in the form that is shown to people.
type Rule struct {
	Manager  string // name of the plugin, such as "Redirection"
	Gone     bool   // the rule answers with an error, such as 410, and has no target
	From, To string // as stored
	Of       string // where the rule is stored, such as "row 17"; "" if it is in an option
	// InFrom and InTo say where From and To are stored: table.column, table.meta_key or
	// table.option[key]. The table has no prefix.
	InFrom, InTo string
}

// Address is an address of the site together with its object.
type Address struct {
	Link string
	Post int64 // id of the post; 0 if the object is no post
	Term int64
}

// Rules holds the rules of all active redirect managers of a blog. It is immutable. A nil *Rules has
// no rules.
type Rules struct{ managers []*manager }

// Of returns the rules that were read with the blog. It returns nil if there are none.
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

// Match returns the first rule that redirects an address or answers that the address is gone. It returns false if there
// is none.
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

// Patterns returns the number of rules with a pattern. Such rules are tried with every address.
func (r *Rules) Patterns() int {
	n := 0
	if r != nil {
		for _, m := range r.managers {
			n += len(m.each)
		}
	}
	return n
}

// WithoutPatterns returns a copy of r in which rules with a pattern are not tried.
func (r *Rules) WithoutPatterns() *Rules {
	plain := &Rules{}
	for _, m := range r.managers {
		m := *m
		m.each = nil
		plain.managers = append(plain.managers, &m)
	}
	return plain
}

// HasPost reports whether a manager has a rule for the post itself, whatever its address.
func (r *Rules) HasPost(id int64) bool {
	return r != nil && slices.ContainsFunc(r.managers, func(m *manager) bool { _, has := m.objects[object{post: id}]; return has })
}

// Means holds the slugs and ids of all objects that rules without a pattern can match.
type Means struct {
	Slugs        map[string]bool // of posts and terms, in each form in which the database may store a slug
	Posts, Terms map[int64]bool
	links        *permalink.Builder
}

// Means returns the objects that rules without a pattern can match. links builds the permalinks of the site.
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
			m.Posts[o.post], m.Terms[o.term] = true, true // an object has only one of the two ids; 0 is no object
		}
	}
	return m
}

// path adds the slugs and ids of objects whose link may have this path.
func (m *Means) path(path string) {
	names, ids := m.links.Named(strings.Split(path, "/"))
	for _, name := range names {
		m.text(name)
	}
	for _, id := range ids {
		m.id(id)
	}
}

// query adds each value of a query string to m, as a slug and, if the value is a number, as an id
// (plain permalinks: ?p=12).
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

// A request is an address in the form in which PHP receives it.
type request struct {
	host  string // as returned by plainHost
	uri   string // path and query, percent-encoded as in the request
	path  string // the part of uri before the query
	query string // "" if there is no query
}

// newRequest returns the request for a link of the site. ok is false if the link is not a web address.
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

// sent returns a path as clients send it: all bytes except printable ASCII are percent-encoded.
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

// keyOf removes from a path what at least one manager ignores: percent-encoding, letter case and outer
// slashes.
func keyOf(path string) string {
	path = strings.ReplaceAll(php.RawURLDecode(path), "+", " ")
	return strings.ToLower(strings.Trim(path, "/ "))
}

// below removes home, a path such as "/blog", from the start of path. ok is false if path is not below
// home.
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

// leadsTo reports whether a target leads to the requested address. It ignores differences in scheme,
// www., final slash and fragment. If the target has no host, home is put before its path.
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

// plainHost returns the host in the form in which hosts are compared: lower case, without www. and
// without a default port.
func plainHost(u php.URL) string {
	host := strings.TrimPrefix(strings.ToLower(u.Host), "www.")
	if u.Port == 0 || u.Port == 80 || u.Port == 443 {
		return host
	}
	return host + ":" + strconv.Itoa(u.Port)
}

// lowerASCII does what PHP's strtolower() does: it changes ASCII letters only.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
