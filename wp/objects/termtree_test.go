package objects

import (
	"slices"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

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
