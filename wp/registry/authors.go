package registry

import (
	"strings"

	"wpsitemapd/wp/registry/routes"
)

// defaultAuthorBase is the initial value of WP_Rewrite::$author_base.
const defaultAuthorBase = "author"

// authors finds the base of author archives. Plugins and themes set the base in code, so that only the rewrite rules
// show it.
//
// A base counts if a rewrite rule that core generated is the front, the base and the author's name, and nothing else.
// If the rules contain the base "author", or two other bases, the default stays. (A permalink structure with %author%
// also makes such rules, beside the rules of the real base.)
func (d *decider) authors() {
	d.reg.AuthorBase = defaultAuthorBase
	if d.e.Before != nil {
		d.reg.AuthorBase = d.e.Before.AuthorBase
	}
	found := ""
	for _, rule := range d.e.RewriteRules {
		text, ok := strings.CutSuffix(rule.Regex, "/([^/]+)/?$")
		if !ok || rule.Query != "index.php?author_name=$matches[1]" || !d.routes.Generated(rule.Regex) {
			continue
		}
		literal, ok := routes.Literal(text)
		if !ok {
			continue
		}
		base, ok := strings.CutPrefix(literal, d.front)
		switch {
		case !ok: // behind an earlier front
		case base == defaultAuthorBase, found != "" && found != base:
			return
		default:
			found = base
		}
	}
	if found != "" {
		d.reg.AuthorBase = found
	}
}
