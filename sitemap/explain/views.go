package explain

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/content"
)

// A view is a URL that shows an object in another way: a part of a post, a page of an archive, a feed,
// comments or an embed.
type view struct {
	rule string
	n    int // number of the part or page
}

// These rules name the kinds of views.
const (
	ruleNoView      = ""
	rulePart        = "part of a post"
	rulePartNoindex = "noindex of later parts"
	rulePagination  = "pagination"
	ruleFeed        = "feed"
	ruleComments    = "page of comments"
	ruleEmbed       = "embed"
)

// An address is a view if its query has one of viewVars or its path ends like one of viewPaths.
var (
	viewVars  = map[string]string{"paged": rulePagination, "page": rulePart, "feed": ruleFeed, "cpage": ruleComments, "embed": ruleEmbed}
	viewPaths = []struct {
		rule string
		form *regexp.Regexp // the last group is the number of the view, if it has one
	}{
		{rulePagination, regexp.MustCompile(`/page/(\d+)/?$`)},
		{ruleFeed, regexp.MustCompile(`(?:/feed)?/(?:feed|rdf|rss2?|atom)/?$`)},
		{ruleComments, regexp.MustCompile(`/comment-page-(\d*)/?$`)},
		{ruleEmbed, regexp.MustCompile(`/(?:embed|trackback)/?$`)},
		{rulePart, regexp.MustCompile(`/([1-9]\d*)/?$`)},
	}
)

// cutView removes the marks of a view from an address. It returns the remaining address and the view.
func (s spelled) cutView() (spelled, view) {
	base := s
	for _, name := range slices.Sorted(maps.Keys(s.vars)) {
		if rule := viewVars[name]; rule != ruleNoView {
			base.vars = maps.Clone(s.vars)
			delete(base.vars, name)
			n, _ := strconv.Atoi(s.vars[name])
			return base, view{rule, n}
		}
	}
	for _, v := range viewPaths {
		if end := v.form.FindStringSubmatch(s.path); end != nil {
			base.path = strings.TrimSuffix(s.path, end[0]) + "/"
			n, _ := strconv.Atoi(end[len(end)-1])
			return base, view{v.rule, n}
		}
	}
	return s, view{}
}

// view explains a part of a post, a page of an archive, a feed or another view of t.
func (e *explainer) view(t *thing, v view) error {
	front := t.kind == seo.KindPost && e.Rules.Links.IsFrontPage(t.Post.ID)
	of := e.x.Object
	if v.rule != rulePart && !(front && v.rule == rulePagination) { // on a front page, /page/2/ is a part of it
		e.x.Object = v.rule + " of " + of
		e.outOf(v.rule, of)
		return nil
	}
	set, parts := e.Rules.Blog.Settings(), 1
	if t.kind == seo.KindPost && (set.ShowOnFront != "page" || t.Post.ID != set.PageForPosts) { // the posts page does not show its own content
		_, err := e.Rules.Book.Posts(e.ctx, []int64{t.Post.ID}, func(_ *address.Post, text string) { parts = max(1, len(content.Parts(text))) })
		if err != nil {
			return err
		}
	}
	if v.n < 2 || v.n > parts {
		e.outOf(ruleNothing, of)
		e.x.Object = ""
		e.note("%s has %s; its URL is %s.", of, plural(parts, "part"), t.Link)
		return nil
	}
	link := e.Rules.Links.Part(t.Link, v.n, front, t.Post.Status)
	e.x.Object, e.x.Address = fmt.Sprintf("%s, part %d of %d", of, v.n, parts), e.spelling(link)
	switch {
	case !e.x.In:
		return nil
	case !slices.ContainsFunc(e.Lists, func(l *catalog.List) bool { return l.Parts }):
		rule := rulePart
		if e.Rules.Decisions.WithoutParts(e.Rules) {
			rule = rulePartNoindex
		}
		e.outOf(rule, of)
		return nil
	}
	flags, err := e.Rules.Settings.Posts(e.ctx, []int64{t.Post.ID})
	if err != nil {
		return err
	}
	if v := e.Rules.JudgePart(t.Post, flags[t.Post.ID], link); v != seo.Listed {
		e.outOf(v.String(), of)
		s := t.Subject
		s.Link, s.Canonical = e.x.Address, flags[t.Post.ID].Canonical
		e.decideFor(e.verdict(v, &s))
		return nil
	}
	e.x.Places = slices.DeleteFunc(e.x.Places, func(p Place) bool {
		return !slices.ContainsFunc(e.Lists, func(l *catalog.List) bool { return l.Name == p.Sitemap && l.Kind == seo.KindPost })
	})
	e.note("Parts follow their post and do not count towards page_size.")
	return nil
}

// outOf records that a view is not listed. It adds a note that says whether the object of the view is
// listed; of names the object.
func (e *explainer) outOf(rule, of string) {
	if e.x.In {
		e.note("%s itself is listed, in %s.", of, e.x.File)
	} else {
		e.note("%s itself is not listed: %s.", of, e.x.Rule)
	}
	e.x.unlisted()
	e.x.Evidence = []seo.Evidence{}
	e.decide(rule)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
