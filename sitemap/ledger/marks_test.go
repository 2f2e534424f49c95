package ledger

import (
	"maps"
	"testing"
)

// Marks survive packing; a ledger that somebody has cut or changed is read as far as it makes sense.
func FuzzMarks(f *testing.F) {
	f.Add(packMarks(map[int64]uint32{1: 2, 300: 4, 1 << 62: 1}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 1, 2, 3, 4, 1, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, packed []byte) {
		sums := unpackMarks(packed)
		if again := unpackMarks(packMarks(sums)); !maps.Equal(again, sums) {
			t.Fatalf("%v became %v", sums, again)
		}
	})
}
