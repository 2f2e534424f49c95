package sitemap

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// tally notes what was left out of a list: what was counted since the list before it was made.
func (b *build) tally(l *list) {
	l.left = map[Rule]int{}
	for rule, n := range b.skipped {
		if more := n - b.tallied[rule]; more > 0 {
			l.left[rule] = more
		}
	}
	b.tallied = maps.Clone(b.skipped)
}

// leftOut says how many objects are left out by which rule, in the words of check.
func leftOut(counts map[Rule]int) string {
	var parts []string
	for rule, n := range counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, rule))
		}
	}
	if len(parts) == 0 {
		return "none left out"
	}
	slices.SortFunc(parts, func(a, b string) int {
		return strings.Compare(strings.TrimLeft(a, "0123456789 "), strings.TrimLeft(b, "0123456789 "))
	})
	return "left out: " + strings.Join(parts, ", ")
}
