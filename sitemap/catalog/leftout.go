package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
)

// LeftOut says how many objects each rule leaves out, in the words of the check command.
func LeftOut(counts map[seo.Verdict]int) string {
	var parts []string
	for _, rule := range slices.SortedFunc(maps.Keys(counts), func(a, b seo.Verdict) int { return strings.Compare(a.String(), b.String()) }) {
		if n := counts[rule]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, rule))
		}
	}
	if len(parts) == 0 {
		return "none excluded"
	}
	return "excluded: " + strings.Join(parts, ", ")
}
