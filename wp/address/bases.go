package address

import (
	"context"
	"slices"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/registry/routes"
)

// WordPress tries the rewrite rules of other types before those of pages. So /category/news/ shows the category
// "news", even if a page has this address. A page can be hidden like that only if its address begins with a base of
// another type and goes on.

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
func (b *Book) Base(address string) string { return b.baseOf(address, b.Bases()) }

// baseOf does what Base does, with the function of Bases.
func (b *Book) baseOf(address string, isBase func(segment string) bool) string {
	first, rest, _ := strings.Cut(strings.Trim(b.path(address), "/"), "/")
	if rest == "" || !isBase(first) {
		return ""
	}
	return first
}

// Above these limits, ShadowedByRules matches nothing and returns no ids.
const (
	mostRules   = 10_000
	mostMatches = 2_000_000 // posts times rules
)

// ShadowedByRules returns the ids of those posts at whose address WordPress looks for another object, by the option
// rewrite_rules. The ids are sorted. The option is read again, because a blog does not keep so long a list.
//
// If a plugin lets editors set addresses, ShadowedByRules returns none, because that plugin answers before the rules.
func (b *Book) ShadowedByRules(ctx context.Context, ids []int64) (shadowed []int64, err error) {
	if len(ids) == 0 || b.setsPosts() {
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
	if len(rules) == 0 || len(rules) > mostRules || len(rules)*len(ids) > mostMatches {
		return nil, nil
	}
	posts, err := b.Posts(ctx, ids, nil)
	if err != nil {
		return nil, err
	}
	matcher, isBase := routes.NewMatcher(rules), b.Bases()
	for _, p := range posts {
		// Most addresses begin with no base, so that no rule need be tried. A stored address was changed by a plugin,
		// and the plugin answers there.
		if p.LinkStored || b.baseOf(p.Link, isBase) == "" {
			continue
		}
		if m, ok := matcher.Match(b.path(p.Link)); ok && !m.Unsure && b.findsOther(m.Vars) {
			shadowed = append(shadowed, p.ID)
		}
	}
	return wp.Distinct(shadowed), nil
}

// findsOther reports whether WordPress looks for something other than a page or a post by the query variables that a
// rule has set: an attachment, an author, a search, the archive of a date, a custom post or a term.
func (b *Book) findsOther(vars map[string]string) bool {
	switch {
	case vars["pagename"] != "" || vars["page_id"] != "":
		return false
	case vars["attachment"] != "" || vars["author_name"] != "" || vars["s"] != "":
		return true
	case vars["year"] != "" && vars["name"] == "" && vars["p"] == "": // with a name or an id, a post is found by its date
		return true
	}
	return slices.ContainsFunc(b.Blog.Registry().Types(), func(t *registry.Type) bool { return hasAddresses(t) && asksFor(vars, t) })
}

// hasAddresses reports whether visitors can open the objects of a type. It returns false for a type whose addresses a
// plugin changes, because the rules may not show the change.
func hasAddresses(t *registry.Type) bool {
	return !t.Filtered && (t.Viewable || t.Taxonomy && t.Public && !t.Unqueryable)
}

// asksFor reports whether query variables ask for one object of a type.
func asksFor(vars map[string]string, t *registry.Type) bool {
	return t.QueryVar != "" && vars[t.QueryVar] != "" ||
		vars["post_type"] == t.Name && vars["name"] != "" || t.Taxonomy && vars["taxonomy"] == t.Name && vars["term"] != ""
}
