package site

import (
	"slices"
	"time"
)

// A Reading is one time a blog was read.
type Reading struct {
	At      time.Time
	Kind    ReadingKind
	Reason  string // Reason is what was written.
	Took    time.Duration
	Queries int64
	Touched int // Touched are the posts that changed, as far as a delta sees.
	Before  int // Before are the addresses there were.
	After   int
	Err     string
}

// ReadingKind is how a blog was read.
type ReadingKind string

// The kinds of reading. Reading the settings alone is no reading of a blog.
const (
	Delta    ReadingKind = "delta"
	FullScan ReadingKind = "full scan"
)

// keptReadings is how many readings of a blog are kept.
const keptReadings = 16

// Noted returns the readings with another one.
func (b *Blog) Noted(r Reading) []Reading {
	return append([]Reading{r}, b.Readings[:min(len(b.Readings), keptReadings-1)]...)
}

// LastFullScan returns the last full scan of the blog by this process; ok is false where there was none.
func (b *Blog) LastFullScan() (r Reading, ok bool) {
	i := slices.IndexFunc(b.Readings, func(r Reading) bool { return r.Kind == FullScan })
	if i < 0 {
		return Reading{}, false
	}
	return b.Readings[i], true
}
