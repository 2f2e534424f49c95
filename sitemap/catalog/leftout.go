package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wpsitemapd/sitemap/seo"
)

// Odd says what the plugin lists though search engines should not be sent there: URLs that they are told not to index, and
// sitemaps that are answered with 404.
func (c *Catalog) Odd() (sentences []string) {
	for _, l := range c.Current() {
		if !l.Indexed {
			continue
		}
		if why := c.WhyNoindexed(); why != nil && l.Listed() > 0 && l.Kind != seo.KindOther {
			urls := "1 URL"
			if n := l.Listed(); n > 1 {
				urls = fmt.Sprintf("%d URLs", n)
			}
			sentences = append(sentences, fmt.Sprintf("the sitemap %s lists %s that search engines are told not to index, as %s does: %s",
				l.Name, urls, c.Plugin(), strings.TrimSuffix(why.Sentence, ".")))
		}
		for page := range l.Dates {
			if _, _, exists := l.Slice(page + 1); !exists && l.Elsewhere == "" {
				sentences = append(sentences, fmt.Sprintf("the index names %s, as that of %s does, which has nothing to list and is answered with 404",
					c.URL(l.Name, page+1), c.Plugin()))
			}
		}
	}
	return sentences
}

// LeftOut says how many objects are left out by which rule, in the words of check.
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
