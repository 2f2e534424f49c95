package metrics

import (
	"slices"
	"sync"
	"time"
)

// These are the bounds of what is remembered of the past: a point every ten minutes for a day. With too many sites only a later
// part of the day.
const (
	Every     = 10 * time.Minute
	day       = 24 * time.Hour
	dayPoints = int(day/Every) + 1 // with both ends
	maxPoints = 200_000            // of all sites; a point takes 48 bytes
	minPoints = 7                  // an hour
)

// Point is the state of a site at one time.
type Point struct {
	At      time.Time
	URLs    int
	Build   time.Duration // the longest reading or rendering since the point before
	Fetches int           // sitemaps asked for since the point before
}

// History remembers the last day of a site. The zero value is empty; it is safe for concurrent use.
type History struct {
	mu     sync.Mutex
	points []Point // in the order of time
}

// Begin sets what was kept, if nothing is known yet.
func (h *History) Begin(points []Point) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.points) == 0 {
		h.points = points[max(0, len(points)-dayPoints):]
	}
}

// Add adds a point of one of so many sites.
func (h *History) Add(p Point, sites int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	limit := min(dayPoints, max(minPoints, maxPoints/max(1, sites)))
	// a clock that was set back must not leave points from the future
	kept := slices.DeleteFunc(h.points, func(o Point) bool { return !o.At.Before(p.At) || p.At.Sub(o.At) > day+Every/2 })
	h.points = slices.Concat(kept[max(0, len(kept)+1-limit):], []Point{p}) // append would make room for as many again
}

// Points returns what is known, the oldest first.
func (h *History) Points() []Point {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.points)
}

// First returns the oldest point, zero for none.
func (h *History) First() Point {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.points) == 0 {
		return Point{}
	}
	return h.points[0]
}
