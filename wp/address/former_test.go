package address

import (
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A post that is no longer published had the address that its slug and its parents gave it. WordPress appends __trashed to the slugs of
// trashed posts, and keeps the slug before in post meta.
func TestFormerLinks(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addPost(1, "post", "trash", "one__trashed", 0), addPost(2, "post", "trash", "two__trashed-2", 0),
		addPost(3, "post", "draft", "three", 0),
		addPost(4, "post", "publish", "four", 0), addPost(5, "attachment", "inherit", "five", 0), addPost(6, "post", "private", "six__trashed", 0),
		addPost(7, "post", "draft", "", 0), addPost(8, "page", "trash", "above__trashed", 0), addPost(9, "page", "trash", "below__trashed", 8),
		addPost(10, "post", "Publish", "ten", 0), addPost(11, "post", "trash", "eleven", 0),
		addPost(12, "post", "trash", "twelve__trashed-2", 0), addPost(13, "post", "draft", "thirteen__trashed-2", 0),
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (2, '_wp_desired_post_slug', 'second'), (11, '_wp_desired_post_slug', ''), "+
			"(3, '_yoast_wpseo_primary_category', 'no-slug')")
	links, err := openSite(t, wp.Source{DSN: dsn}).FormerLinks(t.Context(), []int64{9, 8, 7, 6, 5, 4, 3, 2, 1, 10, 11, 12, 13, 99})
	wptest.Must(t, err)
	const site = "https://small.test/"
	expect.List(t, links, []FormerLink{
		{1, site + "one/"}, {2, site + "second/"}, {3, site + "three/"}, {6, site + "six/"}, {8, site + "above/"}, {9, site + "above/below/"},
		{11, site + "eleven/"}, {12, site + "twelve/"}, {13, site + "thirteen__trashed-2/"},
	})
	s := openSite(t, wp.Source{DSN: dsn})
	wptest.Exec(t, dsn, "DROP TABLE wp_postmeta")
	if _, err := s.FormerLinks(t.Context(), []int64{1}); err == nil {
		t.Error("without the table of post meta there is no error")
	}
	if none, err := s.FormerLinks(t.Context(), []int64{4}); none != nil || err != nil {
		t.Errorf("the former link of a published post is %v, %v", none, err)
	}
}

// The former address of a post shows the category that an editor had chosen as the main one.
func TestFormerLinkWithACategory(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, setOption("permalink_structure", "/%category%/%postname%/"), addPost(1, "post", "draft", "one", 0),
		"INSERT INTO wp_terms (term_id, name, slug) VALUES (7, 'A', 'a'), (8, 'B', 'b')",
		"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, count) VALUES (7, 7, 'category', '', 1), (8, 8, 'category', '', 1)",
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1, 7), (1, 8)",
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1, '_yoast_wpseo_primary_category', '8')")
	links, err := openSite(t, wp.Source{DSN: dsn}).FormerLinks(t.Context(), []int64{1})
	wptest.Must(t, err)
	expect.List(t, links, []FormerLink{{1, "https://small.test/b/one/"}})
}
