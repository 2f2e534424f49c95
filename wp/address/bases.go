package address

import (
	"context"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/registry/routes"
)

// WordPress tries the rewrite rules of other types before those of pages. So /category/news/ shows the category
// "news", even if a page has this address.

// Above these limits, AskForOthers compares nothing and returns no ids.
const (
	mostRules   = 10_000
	mostMatches = 2_000_000 // pages times rules
)

// Bases returns a function that reports whether a segment may be the first one in addresses of custom posts, terms,
// authors or searches.
func (b *Book) Bases() func(segment string) bool {
	key := func(path string) string {
		first, _, _ := strings.Cut(strings.Trim(path, "/"), "/")
		return strings.ToLower(php.RawURLDecode(first))
	}
	s := b.Blog.Settings().Permalinks
	front, _, _ := strings.Cut(s.Structure, "%")
	bases := map[string]bool{key(front): true, key(s.AuthorBase): true, key(s.AuthorRoot): true, "search": true}
	for _, t := range b.Blog.Registry().Types() {
		if t.Rewrite {
			bases[key(t.Slug)] = true
		}
	}
	delete(bases, "")
	return func(segment string) bool { return bases[key(segment)] }
}

// Base returns the first segment of the path of an address if two things are true: the function of Bases accepts the
// segment, and more segments follow. If not, Base returns "".
func (b *Book) Base(address string) string {
	first, rest, _ := strings.Cut(strings.Trim(b.path(address), "/"), "/")
	if rest == "" || !b.Bases()(first) {
		return ""
	}
	return first
}

// AskForOthers returns the sorted ids of those pages at whose address WordPress answers with another object, by the
// option rewrite_rules. pages may contain posts too.
//
// If a plugin lets editors set addresses, AskForOthers returns none, because that plugin answers before the rules.
func (b *Book) AskForOthers(ctx context.Context, pages []int64) (ids []int64, err error) {
	if len(pages) == 0 || b.setsPosts() {
		return nil, nil
	}
	stored, err := b.Blog.StoredArray(ctx, "rewrite_rules")
	if err != nil {
		return nil, err
	}
	var rules []routes.Rule
	for _, r := range stored.Pairs() {
		rules = append(rules, routes.Rule{Regex: r.Key.String(), Query: r.Value.Str()})
	}
	if len(rules) == 0 || len(rules) > mostRules || len(rules)*len(pages) > mostMatches {
		return nil, nil
	}
	posts, err := b.Posts(ctx, pages, nil)
	if err != nil {
		return nil, err
	}
	matcher := routes.NewMatcher(rules)
	for _, p := range posts {
		if p.LinkStored || b.Base(p.Link) == "" {
			continue
		}
		if m, ok := matcher.Match(b.path(p.Link), true); ok && !m.Unsure && b.asksForOther(m) {
			ids = append(ids, p.ID)
		}
	}
	return wp.Distinct(ids), nil
}

// asksForOther reports whether a match asks for an attachment, an author, a search, the archive of a date, or an object of a
// registered type other than page.
func (b *Book) asksForOther(m routes.Match) bool {
	v := m.Vars
	switch {
	case v["pagename"] != "" || v["page_id"] != "":
		return false
	case v["attachment"] != "" || v["author_name"] != "" || v["s"] != "" || v["year"] != "" && v["name"] == "" && v["p"] == "":
		return true
	}
	known := func(t *registry.Type) bool {
		return !t.Filtered && (t.Viewable || t.Taxonomy && t.Public && !t.Unqueryable)
	}
	for _, t := range b.Blog.Registry().Types() {
		named := v["post_type"] == t.Name && v["name"] != "" || t.Taxonomy && v["taxonomy"] == t.Name && v["term"] != ""
		if known(t) && (named || t.QueryVar != "" && v[t.QueryVar] != "") {
			return true
		}
	}
	return false
}
