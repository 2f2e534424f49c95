package db

import (
	"slices"
	"testing"
)

func TestExpand(t *testing.T) {
	ids := func(from, n int64) (ids []int64) {
		for i := range n {
			ids = append(ids, from+i)
		}
		return ids
	}
	for _, tt := range []struct {
		rule, query string
		args        []any
		want        string // "": an error
		rest        []any
	}{
		{"ids stand as they are", "WHERE p.ID IN (?)", []any{[]int64{3, 9}}, "WHERE (p.ID IN (3,9))", nil},
		{"beside other arguments", "WHERE a = ? AND b IN (?) AND c = ?", []any{"x", []int64{1}, 2}, "WHERE a = ? AND (b IN (1)) AND c = ?", []any{"x", 2}},
		{
			"beside a list of texts", "WHERE a IN (?) AND b IN (?)", []any{[]int64{1}, []string{"x", "y"}},
			"WHERE (a IN (1)) AND b IN (?, ?)", []any{"x", "y"},
		},
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
		{"NOT IN is an error", "WHERE a NOT IN (?)", []any{[]int64{1}}, "", nil},
		{"more arguments than places are an error", "WHERE a IN (?)", []any{[]int64{1}, 2}, "", nil},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			got, rest, err := new(DB).expand(tt.query, tt.args)
			if (err != nil) != (tt.want == "") || err == nil && (got != tt.want || !slices.Equal(rest, tt.rest)) {
				t.Errorf("%q, %v, %v; want %q, %v", got, rest, err, tt.want, tt.rest)
			}
		})
	}
	t.Run("SQLite gets lists", func(t *testing.T) {
		if got, _, err := (&DB{SQLite: true}).expand("a IN (?)", []any{ids(1, 9)}); err != nil || got != "(a IN (1,2,3,4,5,6,7,8,9))" {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("at most maxRanges ranges", func(t *testing.T) {
		var many []int64
		for i := range int64(maxRanges + 1) {
			many = append(many, ids(100*i, 8)...)
		}
		if got := appendIDs(nil, "a", many, maxRanges); slices.Contains(got, '?') || len(got) == 0 ||
			string(got[len(got)-len("20003,20004,20005,20006,20007))"):]) != "20003,20004,20005,20006,20007))" {
			t.Errorf("%.100s … %s", got, got[max(0, len(got)-60):])
		}
	})
}
