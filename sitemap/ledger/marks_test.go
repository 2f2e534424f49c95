package ledger

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Marks survive packing and merging: what was told is as it is now, all else as it was before.
func TestMergeMarks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() map[int64]uint32 {
		m := map[int64]uint32{}
		for range r.IntN(40) {
			m[r.Int64N(60)+1] = uint32(r.IntN(3))
		}
		if r.IntN(4) == 0 {
			m[1<<62] = 5
		}
		return m
	}
	sorted := func(m map[int64]uint32) []mark {
		var all []mark
		for id, sum := range m {
			all = append(all, mark{ID: id, sum: sum})
		}
		slices.SortFunc(all, func(a, b mark) int { return int(min(max(a.ID-b.ID, -1), 1)) })
		return all
	}
	for range 2000 {
		before, now := draw(), draw()
		n, c := &comparison{limit: 1000}, &compared{before: LedgerList{Marks: packMarks(sorted(before))}, now: sorted(now)}
		n.compareMarks(c)
		want := map[int64]uint32{}
		for id, sum := range before {
			want[id] = sum
		}
		for _, d := range n.different {
			if r.IntN(2) == 0 {
				continue
			}
			c.told[d.id()] = true
			if d.is {
				want[d.id()] = d.now.sum
			} else {
				delete(want, d.id())
			}
		}
		got := map[int64]uint32{}
		c.merge()
		for m, rest, ok := nextMark(c.Marks, 0); ok; m, rest, ok = nextMark(rest, m.ID) {
			got[m.ID] = m.sum
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("before %v, now %v, told %v:\n%s", before, now, c.told, diff)
		}
	}
}

// A ledger that somebody has cut or changed is read as far as it makes sense.
func FuzzMarks(f *testing.F) {
	f.Add(packMarks([]mark{{ID: 1, sum: 2}, {ID: 300, sum: 4}, {ID: 1 << 62, sum: 1}}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 1, 2, 3, 4, 1, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, marks []byte) {
		before := int64(0)
		for m, rest, ok := nextMark(marks, 0); ok; m, rest, ok = nextMark(rest, m.ID) {
			if m.ID < before {
				t.Fatalf("%d comes after %d", m.ID, before)
			}
			before = m.ID
		}
		(&compared{before: LedgerList{Marks: marks}, now: []mark{{ID: 5, sum: 1}}, told: map[int64]bool{5: true}}).merge()
	})
}
