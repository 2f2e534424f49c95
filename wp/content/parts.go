package content

import "strings"

// nextPage is the marker that cuts a post into parts.
const nextPage = "<!--nextpage-->"

// Parts cuts raw post_content into the parts that WP_Query::generate_postdata shows, always at least one. The line
// breaks next to a marker, the delimiters of the nextpage block and a marker at the very start are dropped. Parts
// share the memory of the content as far as nothing had to be dropped. Whether a post type or page shows parts at all
// is not decided here. (wordpress-permalinks.md 10)
func Parts(content string) []string {
	if !strings.Contains(content, nextPage) {
		return []string{content}
	}
	return strings.Split(normalizeParts(content), nextPage)
}

// normalizeParts replaces in core's order, which matters: a blank line on both sides of a marker goes altogether, on
// one side only half of it.
func normalizeParts(s string) string {
	s = strings.ReplaceAll(s, "\n"+nextPage+"\n", nextPage)
	s = strings.ReplaceAll(s, "\n"+nextPage, nextPage)
	s = strings.ReplaceAll(s, nextPage+"\n", nextPage)
	s = strings.ReplaceAll(s, "<!-- wp:nextpage -->", "")
	s = strings.ReplaceAll(s, "<!-- /wp:nextpage -->", "")
	return strings.TrimPrefix(s, nextPage)
}
