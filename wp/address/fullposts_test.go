package address

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The primary category names the post. Without one it is the first category by id.
func TestFullPosts(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, addUser(1, "ann"), addPost(1, "post", "publish", "one", 0), addPost(2, "post", "publish", "two", 0),
		addPost(3, "post", "publish", "three", 0),
		"UPDATE wp_posts SET post_title = 'Title ' || ID, post_excerpt = 'Excerpt ' || ID, post_content = 'Content ' || ID, post_modified = '2024-05-06 07:08:09'",
		"UPDATE wp_posts SET post_author = 99 WHERE ID = 3",
		"INSERT INTO wp_terms (term_id, name, slug) VALUES (7, 'Seven', 'a'), (8, 'Eight', 'b'), (9, 'Zebra', 'c'), (10, 'Apple', 'd'), (11, 'Format', 'e')",
		"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, count) VALUES (7, 7, 'category', '', 1), (8, 8, 'category', '', 1), "+
			"(9, 9, 'post_tag', '', 1), (10, 10, 'post_tag', '', 1), (11, 11, 'post_format', '', 1)",
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1, 8), (1, 7), (1, 9), (1, 10), (1, 11), (2, 8), (2, 7)",
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1, '_yoast_wpseo_primary_category', '8'), (1, '_thumbnail_id', '77'), (1, 'k', 'v'), "+
			"(1, 'not asked for', 'x')")
	b := openSite(t, wp.Source{DSN: dsn})
	contents := map[int64]string{}
	posts, err := b.FullPosts(t.Context(), []int64{2, 1, 99, 3}, []string{"k"}, func(p *FullPost, text string) { contents[p.ID] = strings.Clone(text) })
	wptest.Must(t, err)
	var got []string
	for _, p := range posts {
		got = append(got, fmt.Sprintf("%d %s|%s|%s|%s|%s|tags %s|%s of %s, primary %q|%d|%s", p.ID, p.Link, p.Title, p.Excerpt, p.AuthorName, p.AuthorLink,
			p.Tags, p.Category, p.Categories, p.Primary, p.Thumbnail, p.Meta("k")))
		expect.Equal(t, p.Modified, "2024-05-06 07:08:09", "post_modified")
		expect.Equal(t, p.Meta("not asked for"), "")
	}
	const site = "https://small.test/"
	expect.Same(t, []string{
		"2 " + site + "two/|Title 2|Excerpt 2|ann|" + site + `author/ann/|tags []|Seven of [Seven Eight], primary ""|0|`,
		"1 " + site + "one/|Title 1|Excerpt 1|ann|" + site + `author/ann/|tags [Apple Zebra]|Eight of [Seven Eight], primary "Eight"|77|v`,
		"3 " + site + "three/|Title 3|Excerpt 3||" + site + `author/|tags []| of [], primary ""|0|`,
	}, got)
	expect.Same(t, map[int64]string{1: "Content 1", 2: "Content 2", 3: "Content 3"}, contents)

	posts, err = b.FullPosts(t.Context(), []int64{1}, nil, nil)
	wptest.Must(t, err)
	expect.Equal(t, posts[0].Meta("k"), "", "meta that nobody asked for")
}
