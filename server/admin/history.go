package admin

import (
	"context"
	"slices"
	"sync"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
)

// These are the bounds of what is remembered of the past: a point every ten minutes for a day. With too many sites
// the older half of every day is given up, and so on.
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

// History remembers the last day of every site. The zero value is empty; it is safe for
// concurrent use.
type History struct {
	mu    sync.Mutex
	sites map[string][]Point // in the order of time
}

// Begin sets what was kept of a site, if nothing is known of it yet.
func (h *History) Begin(site string, points []Point) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sites[site]) > 0 {
		return
	}
	if h.sites == nil {
		h.sites = map[string][]Point{}
	}
	h.sites[site] = points[max(0, len(points)-dayPoints):]
}

// Add adds a point of every site, and forgets the sites that are not there. A point without a
// time adds nothing.
func (h *History) Add(latest map[string]Point) {
	h.mu.Lock()
	defer h.mu.Unlock()
	limit := min(dayPoints, max(minPoints, maxPoints/max(1, len(latest))))
	next := make(map[string][]Point, len(latest))
	for name, p := range latest {
		kept := h.sites[name]
		if !p.At.IsZero() {
			// a clock that was set back must not leave points from the future
			kept = slices.DeleteFunc(kept, func(o Point) bool { return !o.At.Before(p.At) || p.At.Sub(o.At) > day+Every/2 })
			kept = slices.Concat(kept[max(0, len(kept)+1-limit):], []Point{p}) // append would make room for as many again
		}
		next[name] = kept
	}
	h.sites = next
}

// Of returns what is known of a site, the oldest first.
func (h *History) Of(site string) []Point {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.sites[site])
}

// First returns the oldest point of a site, zero for none.
func (h *History) First(site string) Point {
	h.mu.Lock()
	defer h.mu.Unlock()
	if points := h.sites[site]; len(points) > 0 {
		return points[0]
	}
	return Point{}
}

// historySave is how many points there are from one writing of the histories to the next.
const historySave = 6

func historyNote(site string) store.Note { return store.Note{Site: site, Name: "history"} }

// KeepHistory adds to the history of all sites until ctx ends, and keeps it in the store.
func (v *View) KeepHistory(ctx context.Context) {
	if kept := v.Store(); kept != nil {
		for _, i := range v.Installs() {
			var points []Point
			if kept.Note(historyNote(i.Config.Name), &points) {
				v.History.Begin(i.Config.Name, points)
			}
		}
	}
	// The first point comes as soon as there is something to count.
	soon, cancel := context.WithTimeout(ctx, site.FirstTimeout)
	defer cancel()
	for _, i := range v.Installs() {
		select {
		case <-i.FirstAttempt():
		case <-soon.Done():
		}
	}
	beat := time.NewTicker(Every)
	defer beat.Stop()
	for n := 1; ctx.Err() == nil; n++ {
		v.AddPoints()
		if n%historySave == 0 {
			v.saveHistory()
		}
		select {
		case <-beat.C:
		case <-ctx.Done():
			v.saveHistory()
		}
	}
}

func (v *View) saveHistory() {
	kept := v.Store()
	if kept == nil {
		return
	}
	for _, i := range v.Installs() {
		kept.SaveNote(historyNote(i.Config.Name), v.History.Of(i.Config.Name))
	}
}

// AddPoints adds a point of every site that was read to the history.
func (v *View) AddPoints() {
	at, points := v.Now(), map[string]Point{}
	for _, i := range v.Installs() {
		now := i.Snapshot()
		p := Point{At: at, Build: i.Slowest(), Fetches: i.Counted.Since()}
		p.URLs, _ = i.Size()
		if !now.Known() {
			p = Point{} // there is nothing to say
		}
		points[i.Config.Name] = p
	}
	v.History.Add(points)
}
