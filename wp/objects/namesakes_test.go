package objects

import (
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A page and another published object have the same slug. Slugs of drafts and of other types do not count.
func TestReadNamesakes(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, "DELETE FROM wp_posts", "DELETE FROM wp_terms", "DELETE FROM wp_term_taxonomy",
		addPost(1, "page", "publish", "as-term", 0), addPost(2, "page", "publish", "as-post", 0), addPost(3, "page", "publish", "as-archive", 0),
		addPost(4, "page", "publish", "alone", 0), addPost(5, "page", "publish", "as-term", 4), addPost(6, "page", "draft", "as-draft", 0),
		addPost(7, "book", "publish", "as-post", 0), addPost(8, "book", "draft", "alone", 0), addPost(9, "film", "publish", "alone", 0),
		"INSERT INTO wp_terms (term_id, name, slug) VALUES (7, 'T', 'as-term'), (8, 'D', 'as-draft')",
		"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, count) VALUES (17, 7, 'category', '', 0), (18, 8, 'category', '', 0)")
	blog := openSite(t, wp.Source{DSN: dsn})
	pages, err := ReadPostTree(t.Context(), blog, "page", 100)
	wptest.Must(t, err)
	expect.Equal(t, pages.Len(), 5)
	for _, c := range []struct {
		types, archives []string
		want            Namesakes
	}{
		{[]string{"book"}, []string{"as-archive"}, Namesakes{Pages: []int64{1, 2, 3, 5}, Posts: []int64{7}, Terms: []TermKey{{"category", 7}}}},
		{nil, nil, Namesakes{Pages: []int64{1, 5}, Terms: []TermKey{{"category", 7}}}},
	} {
		same, err := ReadNamesakes(t.Context(), blog, pages, c.types, c.archives)
		expect.Equal(t, result(same, err), result(c.want, nil), c.types, c.archives)
	}
}
