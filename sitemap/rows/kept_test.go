package rows

import (
	"testing"
	"time"
)

// A catalog that takes deltas hands its rows on once; one that takes none has what follows from them only, of posts that are there.
func TestRetire(t *testing.T) {
	f := &Rows{due: noDue, Posts: map[string][]PostRow{"post": {{ID: 1}, {ID: 2}}}, Touched: map[int64]uint16{2: 3, 9: 1}, Changes: map[string]uint32{"post": 4}}
	for _, deltas := range []bool{true, false} {
		k := f.Keep(deltas)
		if got := k.Start() != nil; got != deltas {
			t.Errorf("deltas %t: starts %t", deltas, got)
		}
		for range 2 {
			h := k.Retire()
			next := newRows()
			next.Posts = f.Posts
			next.inherit(h)
			if len(next.Touched) != 1 || next.Touched[2] != 3 || next.Changes["post"] != 4 || h.sizes["post"] != 2 {
				t.Fatalf("deltas %t: %+v, %+v", deltas, h, next)
			}
		}
		if k.Start() != nil {
			t.Errorf("deltas %t: rows are there after they were given up", deltas)
		}
	}
	if (*Kept)(nil).Retire() != nil || (*Kept)(nil).Start() != nil {
		t.Error("nothing was kept")
	}
}

// The next scheduled post is known where there is one.
func TestNextScheduled(t *testing.T) {
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	for _, tt := range []struct {
		rows *Rows
		at   int64
		ok   bool
	}{{nil, 0, false}, {&Rows{due: noDue}, 0, false}, {&Rows{due: at}, at, true}} {
		if got, ok := tt.rows.NextScheduled(); got != tt.at || ok != tt.ok {
			t.Errorf("%v: %d, %t", tt.rows, got, ok)
		}
	}
}
