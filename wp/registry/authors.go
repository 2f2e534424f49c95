package registry

import (
	"strings"

	"wpsitemapd/wp/registry/routes"
)

// defaultAuthorBase is WP_Rewrite::$author_base before anybody changes it.
const defaultAuthorBase = "author"

// authors finds the base of author archives. It is no option: plugins and themes set it in code, so that only the
// rewrite rules show it. A base counts that core has generated rules for, behind the front, without anything else: a
// permalink structure or a type's slug with %author% makes rules like it, but leaves those of the real base beside
// them.
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
		case !ok: // behind a front of the past
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
