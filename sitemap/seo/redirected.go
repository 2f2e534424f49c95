package seo

import (
	"fmt"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/redirects"
)

// RedirectedCheck leaves out addresses that the site's redirect manager redirects, or answers with an error. Only level spec
// has this check: no plugin looks at the redirects of its site.
var RedirectedCheck = Check{
	Verdict:  Redirected,
	Sentence: "A redirect manager of the site redirects its URL, or answers that the page is gone.",
	Applies: func(c *Rules, o *Object) bool {
		if o.Link == "" || c.Redirects == nil {
			return false
		}
		_, ok := c.Redirects.Match(o.address())
		return ok
	},
	Do: "If it should be reached at its own URL, remove the redirect.",
	Say: func(s *Subject) string {
		switch r, ok := s.redirect(); {
		case !ok:
			return ""
		case r.Gone:
			return fmt.Sprintf("The redirect manager %s answers that the page is gone.", r.Manager)
		default:
			return fmt.Sprintf("The redirect manager %s redirects its URL to %s.", r.Manager, r.To)
		}
	},
	Evidence: func(s *Subject) []Evidence {
		r, ok := s.redirect()
		if !ok {
			return nil
		}
		place := func(in string) string {
			table, rest, _ := strings.Cut(in, ".")
			return s.Rules.Blog.Table(table) + "." + rest
		}
		var all []Evidence
		if r.From != "" && r.InFrom != r.InTo {
			all = append(all, Evidence{place(r.InFrom), strconv.Quote(r.From), r.Of})
		}
		return append(all, Evidence{place(r.InTo), strconv.Quote(r.To), r.Of}, s.permalink())
	},
}

// address returns the address and ids by which redirect managers know an object.
func (o *Object) address() redirects.Address {
	a := redirects.Address{Link: o.Link}
	switch o.Kind {
	case KindPost, KindFrontPage, KindPostsPage:
		a.Post = o.ID
	case KindTerm:
		a.Term = o.ID
	}
	return a
}

// redirect returns the rule that redirects the subject. It returns false if no rule does.
func (s *Subject) redirect() (redirects.Rule, bool) {
	o := s.object()
	return s.Rules.Redirects.Match(o.address())
}
