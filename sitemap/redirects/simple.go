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
	name: "Simple 301 Redirects", below: true, passesOver: true, target: replaced,
	subject: func(_ *manager, _ *request, rest string) (string, bool) {
		path, _, _ := strings.Cut(rest, "?")
		return path, true
	},
	means: func(r *rule, subject string) bool { return php.URLDecode(strings.Trim(subject, "/")) == r.text },
}, wp.Inputs{
	Plugins: []string{"simple-301-redirects/wp-simple-301-redirects.php"},
	Options: []string{optionSimple, "301_redirects_wildcard"},
}, readSimple)

const optionSimple = "301_redirects"

func readSimple(r *reading) error {
	wildcard, _ := r.stored.Text("301_redirects_wildcard")
	for _, p := range r.stored.Array(optionSimple).Pairs() {
		it := rule{from: p.Key.String(), to: p.Value.Str(), in: "options." + optionSimple + "[" + p.Key.String() + "]"}
		switch {
		case it.to == "":
		case wildcard == "true" && strings.Contains(it.from, "*"):
			it.to = strings.ReplaceAll(it.to, "*", "$1")
			r.addPattern(it, "^"+strings.TrimRight(strings.ReplaceAll(it.from, "*", "(.*)"), "/"), "")
		default:
			it.text = strings.Trim(it.from, "/")
			r.add(it, it.from)
		}
	}
	return nil
}
