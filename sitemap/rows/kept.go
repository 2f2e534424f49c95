package rows

import (
	"maps"
	"sync/atomic"
)

// Kept holds the rows of a catalog until Retire is called. It is safe for concurrent use: while a site's configuration changes,
// two catalogs may be made from a catalog that still serves.
type Kept struct {
	rows atomic.Pointer[Rows] // nil if the catalog takes no deltas or was retired
	// The next catalog takes over the following fields, so that unchanged cached pages stay valid.
	touched map[int64]uint16 // by post id
	changes map[string]uint32
	sizes   map[string]int // number of rows of post types, to reserve memory
}

// Keep returns the kept rows of a catalog. If the catalog takes no deltas, it keeps only what the next
// catalog takes over.
func (f *Rows) Keep(deltas bool) *Kept {
	k := &Kept{touched: f.Touched, changes: f.Changes, sizes: map[string]int{}}
	for name, rows := range f.Posts {
		k.sizes[name] = len(rows)
	}
	if deltas {
		rows := *f // a copy, because it must not keep the reader in memory
		k.rows.Store(&rows)
	}
	return k
}

// Start returns the rows from which deltas start, or nil if there are none.
func (k *Kept) Start() *Rows {
	if k == nil {
		return nil
	}
	return k.rows.Load()
}

// Retire drops the rows. The catalog still serves, but takes no more deltas.
func (k *Kept) Retire() {
	if k != nil {
		k.rows.Store(nil)
	}
}

// inherit takes over Changes from an earlier catalog, and Touched for posts that still exist.
func (f *Rows) inherit(k *Kept) {
	if k == nil {
		return
	}
	f.Changes = maps.Clone(k.changes)
	for id, n := range k.touched {
		for _, rows := range f.Posts {
			if _, ok := FindPost(rows, id); ok {
				f.Touched[id] = n
			}
		}
	}
}
