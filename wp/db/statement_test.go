package db

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// A name that the prefix of a tenant brings into the statement is no column. The ids stand in the statement, and SQLite gets
// only words that it knows.
func TestPrepare(t *testing.T) {
	tables := NewTables("wp_posts ", "value_posts ", "wp_postmeta ", "value_postmeta ")
	const query = `SELECT ID FROM wp_posts FORCE INDEX (post_name) STRAIGHT_JOIN wp_postmeta ON post_id = ID WHERE ID IN (?) AND post_name = ?`
	for _, tt := range []struct {
		sqlite bool
		want   string
	}{
		{false, `SELECT ID FROM value_posts FORCE INDEX (post_name) STRAIGHT_JOIN value_postmeta ON post_id = ID WHERE (ID IN (1,2)) AND post_name = ?`},
		{true, `SELECT ID FROM value_posts CROSS JOIN value_postmeta ON post_id = ID WHERE (ID IN (1,2)) AND post_name = ?`},
	} {
		stmt, args, err := (&DB{SQLite: tt.sqlite}).prepare(tables, query, []any{[]int64{1, 2}, "a"})
		expect.Equal(t, err, nil)
		expect.Equal(t, stmt, tt.want)
		expect.Same(t, args, []any{"a"})
	}
}
