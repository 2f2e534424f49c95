// Package content finds in stored post content and term descriptions what a sitemap needs: img elements, [gallery]
// shortcodes and the parts of a post. It also computes the addresses of images. It uses no database and no clock. It
// does not check whether the addresses in the content are valid.
//
// Content is read raw, as wp_posts.post_content and wp_term_taxonomy.description hold it. Blocks and shortcodes
// are never rendered. Work and memory are proportional to the length of the content.
package content
