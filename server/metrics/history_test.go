package metrics

import (
	"testing"
	"time"

	"wpsitemapd/wp/wptest/expect"
)

func TestHistory(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)
	var h History
	expect.Equal(t, h.First(), Point{}, "there is something at the beginning")
	expect.Equal(t, len(h.Points()), 0, "there is something at the beginning")
	var kept []Point
	for i := range 3 * dayPoints {
		kept = append(kept, Point{At: at.Add(time.Duration(i) * Every), URLs: i, Build: time.Duration(i) * time.Millisecond, Fetches: i * 2})
		h.Add(kept[i], 1)
	}
	points := h.Points()
	if last := points[len(points)-1]; len(points) != dayPoints || last != kept[len(kept)-1] || last.At.Sub(points[0].At) != day || h.First() != points[0] {
		t.Errorf("%d points from %v to %v, first %v", len(points), points[0], last, h.First())
	}
	var again History // begun with what was kept
	again.Begin(kept)
	if got := again.Points(); len(got) != dayPoints || got[dayPoints-1] != kept[len(kept)-1] {
		t.Errorf("begun with %d points", len(got))
	}
	if again.Begin(kept[:1]); len(again.Points()) != dayPoints {
		t.Error("what is there is given up")
	}
	h.Add(Point{At: at.Add(30 * Every), URLs: 7}, 1)
	if points = h.Points(); len(points) != 1 || points[0].URLs != 7 {
		t.Errorf("the clock was set back, and points from the future stay: %v", points)
	}
}

// Very many sites remember less each, and not more together.
func TestHistoryIsBounded(t *testing.T) {
	for sites, want := range map[int]int{0: dayPoints, 1000: dayPoints, 10_000: 20, 1_000_000: minPoints} {
		var h History
		for i := range 2 * dayPoints {
			h.Add(Point{At: time.Unix(0, 0).Add(time.Duration(i) * Every)}, sites)
		}
		if got := h.Points(); len(got) != want || cap(h.points) > want*5/4 {
			t.Errorf("%d sites: %d points, room for %d, want %d", sites, len(got), cap(h.points), want)
		}
	}
}
