package objects

import (
	"context"
	"slices"

	"wpsitemapd/wp"
)

// TypesOfForums are the post types of bbPress.
var TypesOfForums = []string{"forum", "topic", "reply"}

// sqlBelowForums uses the index post_parent.
const sqlBelowForums = `SELECT ID FROM wp_posts WHERE post_parent IN (?) AND post_type IN (?)`

// InHiddenForums returns the ids of the forums, topics and replies below private or hidden forums, in ascending order.
func InHiddenForums(ctx context.Context, blog *wp.Blog) ([]int64, error) {
	var all []int64
	seen := map[int64]bool{}
	for level := blog.Settings().Exclusions.HiddenForums; len(level) > 0; {
		below, err := blog.IDsOf(ctx, "reading what is below hidden forums", sqlBelowForums, level, TypesOfForums)
		if err != nil {
			return nil, err
		}
		level = slices.DeleteFunc(below, func(id int64) bool { return seen[id] }) // parents may form a ring
		for _, id := range level {
			seen[id] = true
		}
		all = append(all, level...)
	}
	return wp.Distinct(all), nil
}
