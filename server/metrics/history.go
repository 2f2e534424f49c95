package metrics

import (
	"slices"
	"sync"
	"time"
)

// The bounds of the history: one point every ten minutes for a day. If there are too many sites, the history covers only a part
// of the day.
const (
	Every     = 10 * time.Minute
	day       = 24 * time.Hour
	dayPoints = int(day/Every) + 1 // both ends included
	maxPoints = 200_000            // of all sites together; a point takes 48 bytes
	minPoints = 7                  // one hour
)

// Point is the state of a site at one time.
type Point struct {
	At      time.Time
	URLs    int           // without later parts of posts
	Build   time.Duration // the longest read or render since the previous point
	Fetches int           // sitemaps requested since the previous point
}

// History remembers the last day of a site. The zero value is empty. It is safe for concurrent use.
type History struct {
	mu     sync.Mutex
	points []Point // the oldest first
}

// Begin sets the points of an earlier process if the history is empty.
func (h *History) Begin(points []Point) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.points) == 0 {
		h.points = points[max(0, len(points)-dayPoints):]
	}
}

// Add adds a point. sites is the number of sites that share the space for points.
func (h *History) Add(p Point, sites int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	limit := min(dayPoints, max(minPoints, maxPoints/max(1, sites)))
	// If the clock was set back, points from the future must not stay.
	kept := slices.DeleteFunc(h.points, func(o Point) bool { return !o.At.Before(p.At) || p.At.Sub(o.At) > day+Every/2 })
	h.points = slices.Concat(kept[max(0, len(kept)+1-limit):], []Point{p}) // append would reserve space for twice as many
}

// Points returns all points, the oldest first.
func (h *History) Points() []Point {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.points)
}

// First returns the oldest point, or the zero Point if there is none.
func (h *History) First() Point {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.points) == 0 {
		return Point{}
	}
	return h.points[0]
}
