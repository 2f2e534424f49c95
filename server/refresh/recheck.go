package refresh

import (
	"time"

	"wpsitemapd/server/site"
)

// If a network is large, or its server has many databases, a poll sees little more than publications. A blog of such a
// network is read again if visitors have asked for it since its last reading, but at most once every recheckAfter. The blog
// that was read longest ago comes first. Sites take turns at a server: after each reading, the server rests Pace.ScanRest
// times as long.

// recheckAfter is the shortest time between two readings of a blog that visitors ask for.
const recheckAfter = 5 * time.Second

// stalest looks at the blogs that visitors have asked for since their last reading. It returns the one that was read longest
// ago. It returns nil if there is none, or if polls see every write.
func (r *Refresher) stalest() (stalest *site.Blog) {
	if !r.session.feed().Partial() || r.list.rows == nil && !r.plan.Idle() {
		return nil
	}
	for _, b := range r.site.Snapshot().Blogs {
		if b.Resident() && b.HeldBy == "" && b.Asked() > b.Scanned.UnixNano() && (stalest == nil || b.Scanned.Before(stalest.Scanned)) {
			stalest = b
		}
	}
	return stalest
}

// planRecheck sets the time at which the stalest blog is read again, unless a time is set. By that time, the server has
// rested after the readings of other sites, and recheckAfter has passed since the last reading of the blog.
func (r *Refresher) planRecheck() {
	stalest := r.stalest()
	if stalest == nil || !r.list.recheck.IsZero() {
		return
	}
	last, _ := stalest.LastFullScan()
	turn := time.Now().Add(r.daemon.Turns.Take("recheck "+r.site.DatabaseServer(), r.daemon.Pace.ScanRest*last.Took))
	r.list.recheck = later(turn, stalest.Scanned.Add(recheckAfter))
}

// dueRecheck returns the blog to read again now, and clears the planned time. It returns nil before that time. Another blog may
// be the stalest by now, or none.
func (r *Refresher) dueRecheck() *site.Blog {
	if r.list.recheck.IsZero() || time.Now().Before(r.list.recheck) {
		return nil
	}
	r.list.recheck = time.Time{}
	return r.stalest()
}
