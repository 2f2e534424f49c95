package yoast

import (
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
)

// WP_User_Query leaves a user out who has the key and no row with another value; NULL is none.
func TestNoindexOfAuthors(t *testing.T) {
	cases := []struct {
		name, values string
		want         bool
	}{
		{"on", "('on')", true},
		{"in capitals, with a space behind", "('ON ')", true},
		{"empty", "('')", false},
		{"nothing at all", "(NULL)", true},
		{"two rows of which one is not on", "('on'), ('')", false},
		{"the same the other way round", "('off'), ('on')", false},
	}
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	s := blogOf(t, dsn)
	set := NewSettings(s, seo.SpecLevel)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			wptest.Exec(t, dsn, "DELETE FROM wp_usermeta WHERE meta_key = 'wpseo_noindex_author'",
				"WITH v (value) AS (VALUES "+c.values+") INSERT INTO wp_usermeta (user_id, meta_key, meta_value) SELECT 2, 'wpseo_noindex_author', value FROM v")
			authors, err := s.Authors(t.Context(), []int64{2})
			if err != nil || len(authors) != 1 || set.Author(authors[0]).Noindex != c.want {
				t.Errorf("%+v, %v, want noindex %v", authors, err, c.want)
			}
		})
	}
}
