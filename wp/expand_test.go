package wp

import (
	"database/sql"
	"maps"
	"slices"
	"testing"

	"wpsitemapd/wp/wptest"
)

func TestExpand(t *testing.T) {
	ids := func(from, n int64) (ids []int64) {
		for i := range n {
			ids = append(ids, from+i)
		}
		return ids
	}
	tests := []struct {
		rule, query string
		args        []any
		want        string // "": an error
		rest        []any
	}{
		{"ids stand as they are", "WHERE p.ID IN (?)", []any{[]int64{3, 9}}, "WHERE (p.ID IN (3,9))", nil},
		{"beside other arguments", "WHERE a = ? AND b IN (?) AND c = ?", []any{"x", []int64{1}, 2}, "WHERE a = ? AND (b IN (1)) AND c = ?", []any{"x", 2}},
		{"beside a list of texts", "WHERE a IN (?) AND b IN (?)", []any{[]int64{1}, []string{"x", "y"}}, "WHERE (a IN (1)) AND b IN (?, ?)", []any{"x", "y"}},
		{"two lists of ids", "WHERE a IN (?) OR b IN (?)", []any{[]int64{1}, []int64{2}}, "WHERE (a IN (1)) OR (b IN (2))", nil},
		{"few neighbours stay a list", "WHERE a IN (?)", []any{ids(1, 7)}, "WHERE (a IN (1,2,3,4,5,6,7))", nil},
		{"more are a range", "WHERE a IN (?)", []any{ids(1, 8)}, "WHERE (a BETWEEN 1 AND 8)", nil},
		{"a range and a list", "WHERE a IN (?)", []any{append(ids(5, 9), 20)}, "WHERE (a BETWEEN 5 AND 13 OR a IN (20))", nil},
		{"two ranges", "WHERE a IN (?)", []any{append(ids(1, 8), ids(10, 8)...)}, "WHERE (a BETWEEN 1 AND 8 OR a BETWEEN 10 AND 17)", nil},
		{"in any order", "WHERE a IN (?)", []any{[]int64{8, 1, 7, 2, 6, 3, 5, 4}}, "WHERE (a BETWEEN 1 AND 8)", nil},
		{"negative ones", "WHERE a IN (?)", []any{[]int64{-1, 0}}, "WHERE (a IN (-1,0))", nil},
		{"without ids nothing changes", "WHERE a = ?", []any{1}, "WHERE a = ?", []any{1}},
		{"an empty list is an error", "WHERE a IN (?)", []any{[]int64{}}, "", nil},
		{"a place that is no list is an error", "WHERE a = ?", []any{[]int64{1}}, "", nil},
		{"more arguments than places are an error", "WHERE a IN (?)", []any{[]int64{1}, 2}, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			got, rest, err := new(db).expand(tt.query, tt.args)
			if (err != nil) != (tt.want == "") || err == nil && (got != tt.want || !slices.Equal(rest, tt.rest)) {
				t.Errorf("%q, %v, %v; want %q, %v", got, rest, err, tt.want, tt.rest)
			}
		})
	}
	t.Run("SQLite gets lists", func(t *testing.T) {
		if got, _, err := (&db{sqlite: true}).expand("a IN (?)", []any{ids(1, 9)}); err != nil || got != "(a IN (1,2,3,4,5,6,7,8,9))" {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("ranges are not without end", func(t *testing.T) {
		var many []int64
		for i := range int64(maxRanges + 1) {
			many = append(many, ids(100*i, 8)...)
		}
		if got := appendIDs(nil, "a", many, true); slices.Contains(got, '?') || len(got) == 0 || string(got[len(got)-len("20003,20004,20005,20006,20007))"):]) != "20003,20004,20005,20006,20007))" {
			t.Errorf("%.100s … %s", got, got[max(0, len(got)-60):])
		}
	})
}

// However ids are asked for, the rows are the same.
func TestLongListsFindTheSameRows(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		s := openSite(t, Source{DSN: wptest.Load(t, e, "basic")})
		read := func(ids []int64) map[int64]string {
			found := map[int64]string{}
			err := s.query(t.Context(), sqlNodes, []any{ids}, func(rows *sql.Rows) error {
				var n node
				var id int64
				err := rows.Scan(number(&id), &n.name, number(&n.parent))
				found[id] = n.name
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		all := make([]int64, 0, 300)
		want := map[int64]string{}
		for id := range int64(300) {
			if id%29 != 0 {
				all = append(all, id)
				maps.Copy(want, read([]int64{id}))
			}
		}
		if got := read(all); !maps.Equal(got, want) || len(got) < 50 {
			t.Errorf("%d rows together, %d one by one", len(got), len(want))
		}
	})
}

// All featured images at once are those the posts themselves have.
func TestThumbnails(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic", "hostile")
		wptest.Exec(t, dsn,
			"INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (6, '_thumbnail_id', '58'), (6, '_thumbnail_id', '59'), (106, '_thumbnail_id', ' 12abc'), (100, '_thumbnail_id', '')",
			"DELETE FROM wp_postmeta WHERE meta_key = '_thumbnail_id' AND meta_value NOT IN ('58', '59', ' 12abc', '') AND post_id IN (6, 106, 100)")
		s := openSite(t, Source{DSN: dsn})
		all, err := s.Thumbnails(t.Context())
		if err != nil || all == nil {
			t.Fatalf("%v, %v", all, err)
		}
		ids := make([]int64, 500)
		for i := range ids {
			ids[i] = int64(i)
		}
		posts, err := s.Posts(t.Context(), ids, nil)
		if err != nil {
			t.Fatal(err)
		}
		with := 0
		for _, p := range posts {
			if got := all.Of(p.ID); got != p.Thumbnail {
				t.Errorf("post %d: %d, by itself %d", p.ID, got, p.Thumbnail)
			}
			if p.Thumbnail != 0 {
				with++
			}
		}
		if with < 5 || all.Of(6) != 58 {
			t.Errorf("%d featured images; that of 6 is %d, want 58, its first", with, all.Of(6))
		}
		if all.Of(1<<40) != 0 || (*Thumbnails)(nil).Of(6) != 0 {
			t.Error("a post that does not exist has a featured image")
		}
	})
	t.Run("without the index they are not read at once", func(t *testing.T) {
		dsn := wptest.Load(t, wptest.MariaDB, "basic")
		wptest.Exec(t, dsn, "ALTER TABLE wp_postmeta DROP INDEX meta_key")
		if all, err := openSite(t, Source{DSN: dsn}).Thumbnails(t.Context()); all != nil || err != nil {
			t.Errorf("%v, %v", all, err)
		}
	})
}
