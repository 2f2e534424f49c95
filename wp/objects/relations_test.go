package objects

import (
	"fmt"
	"slices"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A post counts only for a term that it has itself. A term with the same slug in another taxonomy is another term.
func TestPostsOfTerm(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, "DELETE FROM wp_terms", "DELETE FROM wp_term_taxonomy", "DELETE FROM wp_term_relationships",
		"INSERT INTO wp_terms (term_id, name, slug) VALUES (1, 'A', 'a'), (2, 'B', 'b'), (3, 'A', 'a')",
		`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
VALUES (11, 1, 'category', '', 0, 0), (12, 2, 'category', '', 1, 0), (13, 3, 'post_tag', '', 0, 0)`,
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (101, 11), (102, 11), (103, 12), (104, 13)")
	blog := openSite(t, wp.Source{DSN: dsn})
	of := func(ids []int64) string {
		found, err := PostsOfTerm(t.Context(), blog, "category", "a", ids)
		slices.Sort(found)
		return result(found, err)
	}
	expect.Equal(t, of(nil), "[101 102]", "of all posts")
	expect.Equal(t, of([]int64{102, 103, 104}), "[102]", "of three posts")
	var pairs []string
	wptest.Must(t, PostsWithTerms(t.Context(), blog, []int64{101, 103, 104}, []int64{2, 3}, func(post, term int64) {
		pairs = append(pairs, fmt.Sprint(post, " has ", term))
	}))
	slices.Sort(pairs)
	expect.List(t, pairs, []string{"103 has 2", "104 has 3"}, "of two terms")
}
