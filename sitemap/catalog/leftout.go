package catalog

import (
	"fmt"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
)

// LeftOut says how many objects are left out by which rule, in the words of check.
func LeftOut(counts map[seo.Verdict]int) string {
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
