package explain

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/formatting"
)

// name adds the title of an object, and where it is edited.
func (e *explainer) name(t *thing) error {
	titles, err := e.titles(t.kind, []int64{t.id})
	e.x.Title, e.x.Edit = formatting.PlainText(titles[t.id]), e.editor(t)
	return err
}

// titles reads the titles of objects of one kind, HTML.
func (e *explainer) titles(k seo.ObjectKind, ids []int64) (map[int64]string, error) {
	switch k {
	case seo.KindPost:
		return e.Blog.PostTitles(e.ctx, ids)
	case seo.KindTerm:
		return e.Blog.TermNames(e.ctx, ids)
	case seo.KindUser:
		return e.Blog.UserNames(e.ctx, ids)
	}
	return nil, nil
}

// editor is where an object is edited in WordPress; "" where that is not known.
func (e *explainer) editor(t *thing) string {
	root := e.Blog.Settings().SiteURL
	if root == "" {
		return ""
	}
	switch t.kind {
	case seo.KindPost:
		return fmt.Sprintf("%s/wp-admin/post.php?post=%d&action=edit", root, t.id)
	case seo.KindTerm:
		return fmt.Sprintf("%s/wp-admin/term.php?taxonomy=%s&tag_ID=%d", root, url.QueryEscape(t.of), t.id)
	case seo.KindUser:
		return fmt.Sprintf("%s/wp-admin/user-edit.php?user_id=%d", root, t.id)
	}
	return ""
}

// elsewhere ends a question about an address that is not below home, and says what is at the same path there.
func (e *explainer) elsewhere(asked spelled, rule string) error {
	if err := e.searchOr(asked, rule, e.Option("home", strconv.Quote(e.Blog.Home()))); err != nil || e.x.In || e.x.Unknown {
		return err
	}
	_, rest, _ := strings.Cut(strings.TrimSpace(e.x.URL), "://")
	if at := strings.IndexAny(rest, "/?#"); at >= 0 {
		rest = rest[at:]
	} else {
		rest = "/"
	}
	base := e.Blog.Home()
	if rule == ruleOtherHost && e.home.path != "/" && strings.HasPrefix(rest, strings.TrimSuffix(e.home.path, "/")+"/") {
		base = e.home.scheme + "://" + e.home.host
	}
	there := e.about(&Explanation{URL: base + rest, Evidence: []seo.Evidence{}})
	there.pages = e.pages
	own, err := spell(there.x.URL)
	if err != nil {
		return nil
	}
	if err := there.explain(own); err != nil || there.x.Address == "" {
		return err
	}
	e.x.Similar = append(e.x.Similar, there.x.Address)
	if there.x.In {
		e.note("The same at %s is listed.", there.x.Address)
	} else {
		e.note("The same at %s is not listed: %s.", there.x.Address, there.x.Rule)
	}
	return nil
}

// aboutRoute says what object a route of the REST API is about, such as wp/v2/posts/17.
func (e *explainer) aboutRoute() error {
	route := strings.Split(e.x.Title, "/")
	id, err := strconv.ParseInt(route[len(route)-1], 10, 64)
	if err != nil || len(route) < 4 || slices.Contains([]string{"categories", "tags", "users", "comments"}, route[len(route)-2]) {
		return nil
	}
	posts, err := e.Blog.Posts(e.ctx, []int64{id}, nil)
	if err != nil || len(posts) == 0 || posts[0].Status != "publish" {
		return err
	}
	e.note("It is about %s %d, %s.", posts[0].Type, id, posts[0].Link)
	e.x.Similar = append(e.x.Similar, posts[0].Link)
	return nil
}

// What is looked up for an address that leads to nothing: names that differ by one letter, and those that begin alike.
const (
	mostSuggested = 3
	mostAlike     = 50
	longestEdited = 24 // so that all edits of a name are two thousand at most
	shortestAlike = 4
)

// suggest names addresses that may be meant by one that leads to nothing.
func (e *explainer) suggest(name string) error {
	if name = strings.ToLower(name); len(name) < shortestAlike || strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
		return nil
	}
	var ids []int64
	for names := range slices.Chunk(edits(name), 1000) {
		found, err := e.Blog.PostsNamed(e.ctx, names)
		if err != nil {
			return err
		}
		ids = append(ids, found...)
	}
	alike, err := e.Blog.PostsBeginning(e.ctx, name[:max(shortestAlike, 2*len(name)/3)], mostAlike)
	if err != nil {
		return err
	}
	ids = append(ids[:min(len(ids), mostAlike)], alike...)
	slices.Sort(ids)
	posts, err := e.Blog.Posts(e.ctx, slices.Compact(ids), nil)
	if err != nil {
		return err
	}
	posts = slices.DeleteFunc(posts, func(p *wp.Post) bool { return p.Status != "publish" })
	distances := map[int64]int{}
	for _, p := range posts {
		distances[p.ID] = levenshtein.ComputeDistance(name, p.Name)
	}
	slices.SortStableFunc(posts, func(a, b *wp.Post) int {
		return cmp.Or(cmp.Compare(distances[a.ID], distances[b.ID]), cmp.Compare(a.ID, b.ID))
	})
	for _, p := range posts[:min(len(posts), mostSuggested)] {
		e.x.Similar = append(e.x.Similar, p.Link)
	}
	return nil
}

// edits returns the names that differ from one by a letter too many, too few, another or two in the wrong order. It returns
// none of a long name.
func edits(name string) []string {
	if len(name) > longestEdited {
		return nil
	}
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-"
	var all []string
	for i := range len(name) + 1 {
		if i < len(name) {
			all = append(all, name[:i]+name[i+1:])
		}
		if i+1 < len(name) {
			all = append(all, name[:i]+name[i+1:i+2]+name[i:i+1]+name[i+2:])
		}
		for _, c := range letters {
			if i < len(name) {
				all = append(all, name[:i]+string(c)+name[i+1:])
			}
			all = append(all, name[:i]+string(c)+name[i:])
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(s string) bool { return s == name || s == "" })
}
