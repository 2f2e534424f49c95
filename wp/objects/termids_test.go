package objects

import (
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The IDs of terms and of term_taxonomy drift apart on old sites, so that one of a menu may be that of a category.
func TestMeetsTaxonomyIDs(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		wptest.Exec(t, dsn, `DELETE FROM wp_term_taxonomy`, `INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
VALUES (11, 12, 'category', '', 0, 1), (12, 13, 'nav_menu', '', 0, 1), (13, 14, 'nav_menu', '', 0, 1)`)
		s := openSite(t, wp.Source{DSN: dsn})
		for taxonomy, want := range map[string]bool{"category": true, "nav_menu": false, "post_tag": false} {
			got, err := MeetsTaxonomyIDs(t.Context(), s, taxonomy)
			wptest.Must(t, err)
			expect.Equal(t, got, want, taxonomy)
		}
	})
}

// Before WordPress 4.2 a tag that had the name of a category had its term_id.
func TestSharedTerms(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		wptest.Exec(t, dsn, `DELETE FROM wp_term_taxonomy`, `INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
VALUES (11, 1, 'category', '', 0, 1), (12, 2, 'category', '', 0, 1), (13, 2, 'post_tag', '', 0, 1), (14, 3, 'post_tag', '', 0, 1)`)
		got, err := SharedTerms(t.Context(), openSite(t, wp.Source{DSN: dsn}))
		wptest.Must(t, err)
		slices.SortFunc(got, func(a, b TermKey) int { return strings.Compare(a.Taxonomy, b.Taxonomy) })
		expect.Same(t, []TermKey{{"category", 2}, {"post_tag", 2}}, got)
	})
}
