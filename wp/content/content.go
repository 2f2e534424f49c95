// Package content finds in stored post content and term descriptions what a sitemap needs to know:
// img elements, [gallery] shortcodes and the parts a post is cut into. It also turns what it finds into
// addresses. It is pure: no database, no clock; nothing it returns is validated or looked up.
//
// Content is read raw, as wp_posts.post_content and wp_term_taxonomy.description hold it. Blocks and shortcodes are
// never rendered. Work and memory stay in proportion to the content, whatever it holds.
package content
