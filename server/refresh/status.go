package refresh

import (
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/wp/writes"
)

// Other goroutines may call these methods. They are safe for concurrent use.

// FirstRead returns a channel that is closed after the first successful read of the site.
func (r *Refresher) FirstRead() <-chan struct{} { return r.signals.read }

// ReadNow starts a full scan of the site as soon as possible.
func (r *Refresher) ReadNow() { notify(r.signals.readNow) }

// SaveAgain saves the record and the pages of the site again, because the store has lost them.
func (r *Refresher) SaveAgain() { notify(r.signals.lost) }

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it has a signal already
	}
}

// Accept accepts the held losses of the site, and reports whether there were any.
func (r *Refresher) Accept() bool {
	if !r.guard.Accept() {
		return false
	}
	r.ReadNow()
	return true
}

// Alarmed returns the held losses in words, the time of the oldest one, and the number of alarms since the start. why is ""
// if no loss is held.
func (r *Refresher) Alarmed() (why string, since time.Time, times int) { return r.guard.Alarmed() }

// TrueAt returns the latest time at which everything served is known to agree with the database. If polls report writes
// and all were read, it is the time of the last poll. Else it is the time of the oldest reading. It is zero if the
// database was not read yet.
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

// SettledAt returns the time before which every write was reported and read. It is zero while something is to be read,
// or if no writes are reported.
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

// Poll returns the cost of a poll of the database in use.
func (r *Refresher) Poll() writes.Poll { return r.session.feed().Poll() }

// Connections returns how many connections to the database are in use, and how many are idle.
func (r *Refresher) Connections() (inUse, idle int) {
	if n := r.session.network(); n != nil {
		return n.Connections()
	}
	return 0, 0
}
