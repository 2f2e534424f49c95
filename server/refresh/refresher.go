// Package refresh follows the edits of a site. It keeps the snapshot of a site true to its database, and reads as
// little as possible. A Refresher follows one site in one loop: it waits for change sets, its plan decides what to
// read, its lossGuard holds losses that are not confirmed, and it publishes a snapshot. Start reading at Refresher.Run;
// plan.go says what is read and when.
package refresh

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/writes"
)

// A Refresher keeps the snapshot of one site true to its database. Nothing else publishes snapshots of that site.
type Refresher struct {
	site    *site.Site
	daemon  *Daemon
	tell    Listener
	session session // opens and closes the database
	plan    plan
	guard   *lossGuard
	memory  memory
	signals signals

	reads     reads
	list      blogList // the blogs of a network
	inquiries inquiries
}

// signals carries messages between other goroutines and a refresher.
type signals struct {
	readNow chan struct{} // a value in it means: read the site
	lost    chan struct{} // a value in it means: the store has lost what was saved
	idle    atomic.Bool   // nothing is to be read until a signal comes
	read    chan struct{} // closed after the first successful read of the site
	reading sync.Once
}

// reads is what the refresher remembers of a site's full scans.
type reads struct {
	took     time.Duration // duration of the last full scan, without waiting for its slot
	last     result
	failed   int           // failed full scans in a row
	interval time.Duration // the time between full scans that only the clock asks for, if writes are reported
	all      bool          // the next full scan reads every blog in memory
	lost     bool          // it is unknown what was written since the last full scan
}

// New returns a refresher of a site. tell is told what the refresher does.
func New(s *site.Site, d *Daemon, tell Listener) *Refresher {
	r := &Refresher{
		site: s, daemon: d, tell: tell,
		session:   session{site: s, daemon: d},
		guard:     newLossGuard(s, d),
		memory:    memory{blogs: map[string]kept{}},
		signals:   signals{readNow: make(chan struct{}, 1), lost: make(chan struct{}, 1), read: make(chan struct{})},
		inquiries: inquiries{heard: make(chan heard, 1)},
	}
	return r
}

// Inherit takes over the held losses from the refresher of the site's previous configuration.
func (r *Refresher) Inherit(before *Refresher) { r.guard.Inherit(before.guard) }

// Restore publishes what the store contains of the site, and reports whether there was anything.
func (r *Refresher) Restore() bool {
	if r.daemon.Store == nil {
		return false
	}
	restored, configChanged := r.memory.Restore(r.site, r.daemon.Store)
	r.guard.Expect(configChanged)
	if restored == nil {
		return false
	}
	r.site.Publish(restored)
	return true
}

// Run keeps the snapshot true to the database until ctx ends.
func (r *Refresher) Run(ctx context.Context) {
	defer r.session.close()
	r.plan.scanRest = r.daemon.Pace.ScanRest
	r.plan.ScanBy(time.Now())
	for ctx.Err() == nil {
		switch action, wait := r.plan.Next(); action {
		case readDelta:
			r.readDelta(ctx)
		case readDates:
			r.readDates(ctx)
		case fullScan:
			r.fullScan(ctx)
		case takeTurn:
			r.plan.Postpone(r.turn())
		case keepWaiting:
			r.wait(ctx, wait)
		}
	}
}

// wait waits for work, at most for the given duration, and does or plans that work.
func (r *Refresher) wait(ctx context.Context, wait time.Duration) {
	r.inquire(ctx)
	feed := r.session.feed()
	var changed <-chan struct{}
	if feed != nil {
		changed = feed.Changed()
	}
	r.signals.idle.Store(feed != nil && r.plan.Idle())
	defer r.signals.idle.Store(false)
	due, expiry := r.timers()
	background := r.untilReadSome()
	timer := time.NewTimer(max(0, min(wait, due, expiry, background)))
	defer timer.Stop()
	suspicions := time.NewTimer(inquiryCheck)
	defer suspicions.Stop()
	select {
	case <-ctx.Done():
	case <-r.site.Wants():
		r.readSome(ctx)
	case <-r.site.Visits(): // another blog may be the stalest now
	case <-suspicions.C: // rendering pages may raise questions to the site
	case h := <-r.inquiries.heard:
		r.hear(h)
	case <-timer.C:
		if background <= min(wait, due, expiry) {
			r.readSome(ctx)
		} else if due <= wait && due <= expiry {
			r.plan.Tell(&writes.Set{MaybeRepeat: true, Settled: time.Now()}, false)
		} else if expiry < wait {
			r.tell.PagesDue()
		}
	case <-r.signals.lost:
		r.keep(r.site.Snapshot())
	case <-r.signals.readNow:
		r.reads.all = true
		r.plan.ScanSoon()
	case <-changed:
		// Unset idle before Take, so that SettledAt never misses a write.
		r.signals.idle.Store(false)
		set := feed.Take()
		if set == nil {
			return
		}
		for _, id := range set.Blogs {
			if r.site.Config.IndexNow.Key != "" { // without IndexNow, such blogs are read when somebody asks for them
				r.site.Want(id)
			}
		}
		if set.Nothing() {
			return
		}
		if r.plan.Tell(set, r.settingsAlone(set)); r.reads.last != allRead { // the cause of an earlier failure may be gone
			r.plan.ScanSoon()
		}
	}
}

// timers returns the time until the next scheduled post is due, and until a page changes because of the time alone.
func (r *Refresher) timers() (due, expiry time.Duration) {
	due, expiry = never, never
	now := r.daemon.Now()
	for _, b := range r.site.Snapshot().Blogs {
		if b.Catalog == nil || b.HeldBy != "" {
			continue
		}
		if at, ok := b.Catalog.Due(); ok {
			// WordPress publishes the post with the first request after that second
			due = min(due, max(time.Second, time.Unix(at, 0).Sub(now)+time.Second))
		}
		if at := b.Catalog.Expires(); at.After(now) {
			expiry = min(expiry, at.Sub(now)+time.Millisecond)
		}
	}
	return due, expiry
}

// turn returns how long a full scan by the clock must wait for this site's turn. Turns spread the scans of hundreds of
// sites over time.
func (r *Refresher) turn() time.Duration {
	if !r.session.feed().Watched() {
		return 0
	}
	return r.daemon.Turns.Take("full scan "+r.site.DatabaseServer(), r.daemon.Pace.ScanTurn)
}

// fullScan runs a full scan, and plans the next one.
func (r *Refresher) fullScan(ctx context.Context) {
	began := time.Now()
	got, whole := r.read(ctx, r.plan.BeginFullScan())
	if ctx.Err() != nil {
		return
	}
	r.site.MarkTried()
	r.reads.last = got
	scanned := r.scanned(began)
	scanned.Partial = !whole
	r.plan.EndFullScan(scanned)
	if got != allRead {
		err := r.site.Snapshot().Err
		retry := retryDelay(r.reads.failed, err)
		if got == someRead && !db.Unreachable(err) {
			retry = max(retry, r.plan.Rest()) // the trouble of one blog must not cause scans of the other blogs without a rest
		}
		r.plan.RetryIn(retry)
	}
	if due, any := r.guard.NextConfirmation(); any && got != nothingRead {
		r.plan.ScanBy(time.Now().Add(max(due, r.plan.Rest())))
	}
}

// scanned returns the description of a full scan that has ended, with the longest time until the next one.
func (r *Refresher) scanned(began time.Time) scanEnd {
	s := scanEnd{Began: began, Took: r.reads.took, Next: r.site.Config.Refresh}
	if r.reads.last == allRead && r.session.feed().Watched() {
		pace := r.daemon.Pace
		r.reads.interval = min(max(pace.FirstScan, 2*r.reads.interval), pace.LastScan)
		s.Next = r.reads.interval
	}
	s.Next += time.Duration(rand.Int64N(int64(s.Next)/8 + 1)) // spreads the scans of sites that started together
	return s
}

// ReadOnce reads the whole site and publishes it. read reports whether anything could be read; ok reports whether
// everything was. A caller must not call Run, and must call Close at the end.
func (r *Refresher) ReadOnce(ctx context.Context) (read, ok bool) {
	r.site.Hurry()
	got, _ := r.read(ctx, extent{all: true})
	read, ok = got != nothingRead, got == allRead
	for answers := true; answers && len(r.list.unread) > 0; {
		r.list.nextUnread = time.Time{}
		answers = r.readSome(ctx)
		ok = ok && answers && r.site.Snapshot().Err == nil
	}
	return read, ok
}

// Close closes the databases that ReadOnce has opened.
func (r *Refresher) Close() { r.session.close() }

// read opens the database if necessary, and scans the site. whole reports whether every blog was to be read.
func (r *Refresher) read(ctx context.Context, e extent) (got result, whole bool) {
	slot := &slot{daemon: r.daemon}
	defer slot.giveBack()
	if !r.site.Snapshot().Opened {
		slot.hurry = r.site.Hurried()
	}
	use, justOpened, err := r.session.use(ctx, r.reads.failed, slot)
	e = e.grown(justOpened, r.reads.all, r.reads.lost)
	switch {
	case use != nil:
		got = r.scan(ctx, use, slot, e)
		r.session.settle(use, got)
	case ctx.Err() == nil:
		r.fail(err)
	}
	if r.reads.failed++; got == allRead {
		r.reads.failed = 0
	}
	if r.session.unread++; got != nothingRead {
		r.session.unread = 0
		if ctx.Err() == nil {
			r.signals.reading.Do(func() { close(r.signals.read) })
		}
	}
	return got, e.all || r.list.rows == nil
}

const (
	firstRetry = time.Second
	lastRetry  = time.Minute
	// unreachableRetry bounds the pause while a server does not answer, because attempts cost such a server nothing.
	unreachableRetry = 3 * time.Second
)

// retryDelay returns the pause after a number of failures in a row. err is the last failure.
func retryDelay(failed int, err error) time.Duration {
	delay := min(firstRetry<<min(failed-1, 10), lastRetry)
	if db.Unreachable(err) {
		delay = min(delay, unreachableRetry)
	}
	return delay + time.Duration(rand.Int64N(int64(delay)/4)) // spreads sites that failed together
}

// fail publishes the error of a failed attempt. The catalogs stay as they are.
func (r *Refresher) fail(err error) {
	old := r.site.Snapshot()
	failed := *old
	failed.Err = err
	failed.Blogs = make([]*site.Blog, len(old.Blogs))
	for i, b := range old.Blogs {
		kept := *b
		if b.Resident() || !b.Network { // blogs of a network that are not in memory were not to be read
			kept.Err = err
		}
		failed.Blogs[i] = &kept
	}
	r.publish(old, &failed)
}

// publish publishes a snapshot and tells the listener. It logs if reading fails for a new reason, and if it works again. It does not
// log that a reading was canceled.
func (r *Refresher) publish(old, now *site.Snapshot) {
	now.Since = old.Since
	if now.Since.IsZero() || (old.Err == nil) != (now.Err == nil) {
		now.Since = r.daemon.Now()
	}
	if now.Err != nil {
		now.Failures++
	}
	switch {
	case errors.Is(now.Err, context.Canceled):
	case now.Err != nil && (old.Err == nil || old.Err.Error() != now.Err.Error()):
		r.site.Log.Error("site cannot be read", "reason", now.Err, "serving", now.Serving(),
			"hint", "fix what reason says; the daemon retries automatically")
	case now.Err == nil && old.Err != nil:
		r.site.Log.Info("site can be read again", "failing_for", r.daemon.Now().Sub(old.Since).Round(time.Second))
	}
	r.put(now)
	r.tell.Changed()
}

// put publishes a snapshot, and rebuilds the routes if they changed.
func (r *Refresher) put(now *site.Snapshot) {
	if r.site.Snapshot().SamePlaces(now) {
		r.site.Publish(now)
	} else {
		r.site.PublishMoved(now, r.tell.Moved)
	}
	r.session.watch(now)
}

// serve publishes a snapshot, and tells the listener. It does nothing if the snapshot is the current one.
func (r *Refresher) serve(now *site.Snapshot) {
	if now != r.site.Snapshot() {
		r.put(now)
		r.tell.Changed()
	}
}

// keep saves the record of the site, and starts the rendering of due pages.
func (r *Refresher) keep(now *site.Snapshot) {
	if kept := r.daemon.Store; kept != nil && !r.tell.Replaced() {
		r.memory.Remember(r.site, now, kept)
	}
	r.tell.PagesDue()
}
