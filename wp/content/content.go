// Package content finds in stored post content and term descriptions what a sitemap needs: img elements, [gallery]
// shortcodes and the parts of a post. It also computes the addresses of images. It uses no database and no clock. It
// does not check whether the addresses in the content are valid.
//
// Content is read raw, as wp_posts.post_content and wp_term_taxonomy.description hold it. Blocks and shortcodes
// are never rendered. Work and memory are proportional to the length of the content.
package content

import "strings"

// nextPage is the marker that separates the parts of a post. nextPageEnd is the end of the marker. A search for nextPageEnd is
// faster, because its first byte, x, is rarer in HTML than <.
const (
	nextPage    = "<!--nextpage-->"
	nextPageEnd = "xtpage-->"
)

// Parts cuts raw post_content into the parts that WP_Query::generate_postdata shows. It returns at least one part.
// It drops the line breaks next to a marker, the delimiters of the nextpage block and a marker at the very start.
//
// The parts share the memory of the content if nothing had to be dropped. Parts does not decide whether a post
// type or page shows parts at all.
func Parts(content string) []string {
	if !strings.Contains(content, nextPageEnd) || !strings.Contains(content, nextPage) {
		return []string{content}
	}
	return strings.Split(normalizeParts(content), nextPage)
}

// normalizeParts drops what does not belong to a part. The steps have the order of core, which matters. The first step
// drops one line break on each side of a marker; the next two drop one on a single side.
func normalizeParts(s string) string {
	s = strings.ReplaceAll(s, "\n"+nextPage+"\n", nextPage)
	s = strings.ReplaceAll(s, "\n"+nextPage, nextPage)
	s = strings.ReplaceAll(s, nextPage+"\n", nextPage)
	s = strings.ReplaceAll(s, "<!-- wp:nextpage -->", "")
	s = strings.ReplaceAll(s, "<!-- /wp:nextpage -->", "")
	return strings.TrimPrefix(s, nextPage)
}
