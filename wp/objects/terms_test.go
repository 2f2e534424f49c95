package objects

import (
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// What get_terms() lists when empty terms are hidden, in the order of names.
func TestTerms(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		listed := func(taxonomy string) (ids []int64) {
			t.Helper()
			s := openSite(t, wp.Source{DSN: dsn})
			terms, _, err := ReadTerms(t.Context(), s, s.Registry().Taxonomy(taxonomy))
			wptest.Must(t, err)
			for _, r := range terms {
				if r.InUse {
					ids = append(ids, r.ID)
				}
			}
			return ids
		}
		tags := []int64{27, 25, 26, 24, 22, 20} // "É" is an "e"
		if e == wptest.SQLite {
			tags = []int64{27, 25, 26, 22, 20, 24} // what is not ASCII comes last
		}
		byName := slices.DeleteFunc(listed("post_tag"), func(id int64) bool { return id == 21 }) // a rocket, of which every version thinks otherwise
		expect.Same(t, tags, byName, "tags")
		// 6 has nothing itself, but its child has; 1, 5 and 11 have nothing.
		categories := []int64{2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16}
		got := listed("category")
		slices.Sort(got)
		expect.Same(t, categories, got, "categories")
		// The tree is the stored one even where it is stale; without one it is made of the rows.
		wptest.Exec(t, dsn, `UPDATE wp_options SET option_value = 'a:1:{i:5;a:1:{i:0;i:4;}}' WHERE option_name = 'category_children'`)
		if got := listed("category"); !slices.Contains(got, 5) || slices.Contains(got, 6) {
			t.Errorf("categories with a stale tree: %d", got)
		}
		wptest.Exec(t, dsn, `DELETE FROM wp_options WHERE option_name = 'category_children'`)
		if got := listed("category"); slices.Contains(got, 5) || !slices.Contains(got, 6) {
			t.Errorf("categories without a stored tree: %d", got)
		}
	})
}

func TestTermsBelow(t *testing.T) {
	tree := Tree{1: {2, 3}, 2: {4, 4}, 4: {1, 5}, 6: {6}}
	for id, want := range map[int64][]int64{1: {2, 3, 4, 5}, 2: {1, 3, 4, 5}, 3: nil, 6: nil, 7: nil} {
		got := tree.Below(id, map[int64]bool{id: true})
		slices.Sort(got)
		expect.Same(t, want, got, "below", id)
	}
}

// A term without objects is in use by any term below it, however deep, which has some.
func TestTermsInUse(t *testing.T) {
	t.Run("a loop and a child that is gone", func(t *testing.T) {
		terms := []*TermRow{{ID: 1}, {ID: 2}, {ID: 3, Count: 1}, {ID: 4, InUse: true}, {ID: 5}, {ID: 7}}
		Tree{1: {2}, 2: {1, 6}, 6: {3}, 4: {5}, 5: {4}, 7: {7}}.MarkInUse(terms)
		var inUse []bool
		for _, r := range terms {
			inUse = append(inUse, r.InUse)
		}
		expect.List(t, inUse, []bool{true, true, true, false, false, false})
	})
	t.Run("a chain is walked once", func(t *testing.T) {
		const n = 100_000
		tree, terms := Tree{}, make([]*TermRow, n)
		for id := range int64(n) {
			terms[id] = &TermRow{ID: id + 1}
			tree[id+1] = []int64{id + 2}
		}
		terms[n-1].Count = 1
		tree.MarkInUse(terms)
		if slices.ContainsFunc(terms, func(r *TermRow) bool { return !r.InUse }) {
			t.Error("not all are in use")
		}
	})
}

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
