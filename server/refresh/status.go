package refresh

import (
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/site"
)

// These methods are for other goroutines. They are safe for concurrent use.

// FirstRead is closed after the first read of the site that went well.
func (r *Refresher) FirstRead() <-chan struct{} { return r.signals.read }

// ReadNow reads the site without waiting for its time.
func (r *Refresher) ReadNow() { notify(r.signals.readNow) }

// SaveAgain saves the record and the pages of the site again, after the store has lost them.
func (r *Refresher) SaveAgain() { notify(r.signals.lost) }

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it has a signal already
	}
}

// Accept confirms the losses of the site, and reports whether there was one.
func (r *Refresher) Accept() bool {
	if !r.guard.Accept() {
		return false
	}
	r.ReadNow()
	return true
}

// Alarmed returns the losses that are held, since when, and how many there were since the start; "" if none is held.
func (r *Refresher) Alarmed() (why string, since time.Time, times int) { return r.guard.Alarmed() }

// TrueAt returns the latest moment at which all that is served is known to agree with the database: the last poll if that reports writes
// and none waits, else the oldest reading. It is zero if the database was not read yet.
func (r *Refresher) TrueAt(now *site.Snapshot) (at time.Time) {
	if !now.Opened || len(now.Blogs) == 0 {
		return time.Time{}
	}
	for _, b := range now.Blogs {
		if !b.Known() {
			return time.Time{}
		}
		if at.IsZero() || b.Built.Before(at) {
			at = b.Built
		}
	}
	if now.Err == nil && !now.Held() {
		at = later(at, r.SettledAt())
	}
	return at
}

// SettledAt returns the moment before which every write was reported and read. It is zero while something is to be read, or if nothing
// reports writes.
func (r *Refresher) SettledAt() time.Time {
	feed := r.session.feed()
	if !feed.Watched() {
		return time.Time{}
	}
	if seen := feed.Current(); !feed.Waits() && r.signals.idle.Load() {
		return seen
	}
	return time.Time{}
}

// Poll returns what a poll of the database in use costs.
func (r *Refresher) Poll() changes.Poll { return r.session.feed().Poll() }

// Connections returns how many connections to the database are in use, and how many idle.
func (r *Refresher) Connections() (inUse, idle int) {
	if n := r.session.network(); n != nil {
		return n.Connections()
	}
	return 0, 0
}
