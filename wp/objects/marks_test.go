package objects

import (
	"fmt"
	"slices"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// What new rows concern, and what a delta reads of it.
func TestTouched(t *testing.T) {
	ctx := t.Context()
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	s := openSite(t, wp.Source{DSN: dsn})
	before, err := ReadMarks(ctx, s)
	wptest.Must(t, err)
	touched := func(limit int) string {
		ids, _, more, err := Touched(ctx, s, before, limit)
		return result(fmt.Sprint(ids, more), err)
	}
	expect.Equal(t, touched(100), "[] false", "nothing was written")
	wptest.Exec(t, dsn, addPost(9001, "revision", "inherit", "4-revision-v1", 4), addPost(9002, "post", "publish", "new", 0), addPost(9003, "attachment", "inherit", "photo", 101),
		addPost(9004, "page", "draft", "", 0), addPost(9005, "page", "publish", "child", 9004), addPost(9006, "page", "publish", "grandchild", 9005),
		"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (102, '_thumbnail_id', '52'), (103, '_edit_last', '1')",
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (9002, 1002)")
	ids := func(ids []int64, err error) string { slices.Sort(ids); return result(ids, err) }
	var rows, relations, terms []string
	wptest.Must(t, PostRows(ctx, s, []int64{9001, 9004, 9005, 1}, func(p PostRow) {
		rows = append(rows, fmt.Sprint(p.ID, " ", p.Type, " ", p.Status, " ", p.Slug))
	}))
	slices.Sort(rows)
	wptest.Must(t, RelationsOf(ctx, s, []int64{9002, 9003}, func(object, id int64) { relations = append(relations, fmt.Sprint(object, " ", id)) }))
	wptest.Must(t, TermRows(ctx, s, []int64{1003}, func(taxonomy string, r TermRow) { terms = append(terms, fmt.Sprintf("%s %+v", taxonomy, r)) }))
	for i, tt := range []struct{ got, want string }{
		{touched(100), "[4 101 102 9002 9003 9004 9005 9006] false"},
		{touched(-markOverlap), "[] true"},
		{fmt.Sprint(rows), "[9001 revision inherit 4-revision-v1 9004 page draft  9005 page publish child]"},
		{fmt.Sprint(relations), "[9002 1002]"},
		{fmt.Sprint(terms), "[category {ID:3 TaxonomyID:1003 Parent:2 Count:2 InUse:false}]"},
		{ids(AttachedTo(ctx, s, []int64{101})), "[9003]"},
		{result(HasBelow(ctx, s, []string{"page"}, []int64{9005})), "true"},
		{result(HasBelow(ctx, s, []string{"page"}, []int64{9006})), "false"},
		{result(HasPageNamed(ctx, s, []string{"new", "child"})), "true"},
		{result(HasPageNamed(ctx, s, []string{"new", "4-revision-v1", "photo"})), "false"},
		{result(s.MetaOf(ctx, []int64{102, 103}, "_thumbnail_id", "none")), "map[_thumbnail_id:map[102:52] none:map[]]"},
		{result(NextScheduled(ctx, s, "post", 0)), fmt.Sprint(wp.ParseDate("2024-07-07 12:00:00"))},
		{result(NextScheduled(ctx, s, "post", wp.ParseDate("2024-07-07 12:00:00"))), fmt.Sprint(wp.ParseDate("2099-01-01 11:00:00"))},
	} {
		expect.Equal(t, tt.got, tt.want, "row", i)
	}
}
