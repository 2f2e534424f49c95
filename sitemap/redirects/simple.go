package redirects

import (
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
)

// Simple 301 Redirects (github.com/WPDevelopers/simple-301-redirects 2.0: redirect()) compares the path below home, decoded and
// without slashes at its ends, and no query. With wildcards switched on a star stands for any text, and the rest of such
// a source is a regular expression.
var simpleManager = declare(traits{
	name: "Simple 301 Redirects", below: true, passesOver: true,
	subject: func(m *manager, q *request) (string, bool) { return below(q.path, m.home) },
	means: func(_ *manager, r *rule, subject string) bool {
		return php.URLDecode(strings.Trim(subject, "/")) == r.text
	},
}, wp.Inputs{
	Plugins: []string{"simple-301-redirects/wp-simple-301-redirects.php"},
	Options: []string{optionSimple, "301_redirects_wildcard"},
}, readSimple)

const optionSimple = "301_redirects"

func readSimple(r *reading) error {
	wildcard, _ := r.stored.Text("301_redirects_wildcard")
	for _, p := range r.array(optionSimple).Pairs() {
		it := rule{from: p.Key.String(), to: p.Value.Str(), in: "options." + optionSimple + "[" + p.Key.String() + "]"}
		switch {
		case it.to == "":
		case wildcard == "true" && strings.Contains(it.from, "*"):
			it.to = strings.ReplaceAll(it.to, "*", "$1")
			r.addPattern(it, "^"+strings.TrimRight(strings.ReplaceAll(it.from, "*", "(.*)"), "/"), "")
		default:
			it.text = strings.Trim(it.from, "/")
			path, query, _ := strings.Cut(it.from, "?")
			it.query = query
			r.add(it, path)
		}
	}
	return nil
}
