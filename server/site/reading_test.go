package site

import (
	"slices"
	"testing"
)

// The last readings of a blog are kept, and no more.
func TestReadings(t *testing.T) {
	b := &Blog{}
	for i := range 40 {
		b.Readings = b.Noted(Reading{Touched: i})
	}
	if got := len(b.Readings); got != keptReadings || b.Readings[0].Touched != 39 ||
		slices.ContainsFunc(b.Readings, func(r Reading) bool { return r.Touched < 24 }) {
		t.Errorf("%+v", b.Readings)
	}
}
