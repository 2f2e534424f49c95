package permalink

import (
	"slices"
	"strings"
)

// Node looks up a row of a tree: its slug, its parent (0 for none), and whether it exists.
type Node func(id int64) (slug string, parent int64, ok bool)

// Path is the path of a page or hierarchical custom post, as get_page_uri(): the slugs of
// its ancestors, root first, and its own, joined with "/". node must find rows of any type
// and status, since a trashed parent still lends its slug; ancestors without a slug are
// left out. The walk ends at a missing row, on coming round to a row again, and after 256
// steps.
func Path(id int64, node Node) string {
	own, parent, _ := node(id)
	slugs, ids := []string{own}, []int64{id}
	for parent != 0 && !slices.Contains(ids, parent) && len(ids) < maxChain {
		slug, up, ok := node(parent)
		if !ok {
			break
		}
		if !empty(slug) {
			slugs = append(slugs, slug)
		}
		ids = append(ids, parent)
		parent = up
	}
	return joinReversed(slugs)
}

// TermPath is the path of a term: its ancestors' slugs, root first, and its own, joined
// with "/". node must find the terms of one taxonomy only. As in get_term_link() a parent
// that is missing leaves its slash ("category//child"), and in a loop of parents the walk
// ends only when an ancestor comes again.
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

// CategoryPath is the text of %category% for the chosen category, by the rules of
// get_category_parents(). It differs from TermPath only where the tree is damaged: a
// missing parent leaves nothing, and a loop is gone round once more.
func CategoryPath(id int64, node Node) string {
	own, parent, _ := node(id)
	if _, _, ok := node(parent); !ok || parent == 0 {
		return own
	}
	return TermPath(parent, node) + "/" + own
}

// joinReversed joins slugs, last one first, with "/".
func joinReversed(slugs []string) string {
	slices.Reverse(slugs)
	return strings.Join(slugs, "/")
}

// CategoryChoice returns the category that stands for %category%, of those assigned to the
// post: primary (postmeta _yoast_wpseo_primary_category) if it is among them, else the
// smallest term id. It returns 0 without categories: then the slug of option
// default_category is there, without ancestors.
func CategoryChoice(terms []int64, primary int64) int64 {
	if len(terms) == 0 {
		return 0
	}
	if primary != 0 && slices.Contains(terms, primary) {
		return primary
	}
	return slices.Min(terms)
}
