package objects

import (
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest/expect"
)

// WordPress finds a post by its path only if every post above it is there and has a slug, up to one without a parent.
func TestPostTree(t *testing.T) {
	tree := PostTree{
		published: []int64{1, 2, 3, 5, 6, 7, 8, 9},
		nodes: wp.Tree{
			1: {Slug: "top"}, 2: {Slug: "below", Parent: 1}, 3: {Slug: "further", Parent: 2},
			4: {}, 5: {Slug: "below-a-draft", Parent: 4}, // 4 is a draft without a slug
			6: {Slug: "below-nothing", Parent: 99}, 7: {Slug: "ring", Parent: 8}, 8: {Slug: "ring", Parent: 7},
			9: {Slug: "other-top"},
		},
	}
	expect.List(t, tree.Lost(), []int64{5, 6, 7, 8}, "lost")
	expect.List(t, tree.BelowTops(func(slug string) bool { return slug == "top" }), []int64{2, 3}, "below top")
	expect.List(t, tree.bySlug()["ring"], []int64{7, 8}, "by slug")
}
