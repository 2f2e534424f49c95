package permalink

import (
	"slices"
	"strings"
)

// A Node looks up a row of a tree by its id. It returns the slug, the parent (0 for none) and whether the row
// exists. Without a row, the slug is "" and the parent is 0.
type Node func(id int64) (slug string, parent int64, ok bool)

// Path returns the path of a page or of a hierarchical custom post, as get_page_uri() does. The path joins the
// slugs of the ancestors, root first, and the own slug with "/".
//
// node must find rows of any type and status, because a trashed parent still lends its slug. Ancestors without a
// slug are left out. Path stops at a missing row, at a row that it has met before, and after 256 rows.
func Path(id int64, node Node) string {
	own, parent, _ := node(id)
	slugs, ids := []string{own}, []int64{id}
	for parent != 0 && !slices.Contains(ids, parent) && len(ids) < maxChain {
		slug, up, _ := node(parent)
		if !empty(slug) {
			slugs = append(slugs, slug)
		}
		ids = append(ids, parent)
		parent = up
	}
	return joinReversed(slugs)
}

// TermPath returns the path of a term: the slugs of its ancestors, root first, and its own slug, joined with "/".
// node must find only terms of one taxonomy.
//
// A missing parent leaves its slash ("category//child"), as in get_term_link(). In a loop of parents the walk ends
// at the first ancestor that comes a second time.
func TermPath(id int64, node Node) string {
	slug, parent, ok := node(id)
	slugs, ids := []string{slug}, []int64{}
	for ok && parent != 0 && !slices.Contains(ids, parent) && len(ids) < maxChain {
		ids = append(ids, parent)
		slug, parent, ok = node(parent)
		slugs = append(slugs, slug)
	}
	return joinReversed(slugs)
}

// CategoryPath returns the text of %category% for a category, as get_category_parents() does. It differs from
// TermPath only in a damaged tree: a missing parent adds no slash, and a loop of parents adds one more slug.
func CategoryPath(id int64, node Node) string {
	own, parent, _ := node(id)
	if _, _, ok := node(parent); !ok || parent == 0 {
		return own
	}
	return TermPath(parent, node) + "/" + own
}

// joinReversed joins slugs with "/", the last slug first. It changes the order in the caller's slice.
func joinReversed(slugs []string) string {
	slices.Reverse(slugs)
	return strings.Join(slugs, "/")
}

// CategoryChoice returns the id of the category that %category% shows. terms are the ids of the post's categories. If
// primary (post meta _yoast_wpseo_primary_category) is one of them, CategoryChoice returns primary. If not, it returns
// the smallest id.
//
// CategoryChoice returns 0 if the post has no category. The link then shows the slug of the option
// default_category, without ancestors.
func CategoryChoice(terms []int64, primary int64) int64 {
	if len(terms) == 0 {
		return 0
	}
	if slices.Contains(terms, primary) {
		return primary
	}
	return slices.Min(terms)
}
