package site

import (
	"slices"
	"time"
)

// A Reading is one time that a blog was read.
type Reading struct {
	At      time.Time
	Kind    ReadingKind
	Reason  string // Reason says for people why the blog was read.
	Took    time.Duration
	Queries int64
	Touched int // Touched is how many posts changed, as far as a delta shows.
	Before  int // Before is how many objects the blog listed before.
	After   int
	Err     string
}

// ReadingKind is how a blog was read.
type ReadingKind string

// The kinds of reading. Reading only the settings does not count.
const (
	Delta    ReadingKind = "delta"
	FullScan ReadingKind = "full scan"
)

// keptReadings is how many readings of a blog are kept.
const keptReadings = 16

// Noted returns the last keptReadings readings of the blog: r first, then the earlier ones.
func (b *Blog) Noted(r Reading) []Reading {
	return append([]Reading{r}, b.Readings[:min(len(b.Readings), keptReadings-1)]...)
}

// LastFullScan returns the last full scan of the blog by this process. ok is false if there was none.
func (b *Blog) LastFullScan() (r Reading, ok bool) {
	i := slices.IndexFunc(b.Readings, func(r Reading) bool { return r.Kind == FullScan })
	if i < 0 {
		return Reading{}, false
	}
	return b.Readings[i], true
}
