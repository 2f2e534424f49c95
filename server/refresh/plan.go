package refresh

import (
	"time"

	"wpsitemapd/wp/writes"
)

// Two kinds of reading keep a site up to date. A delta comes at once after a write. It reads changes that are cheap to
// find. If only options were written, it reads the settings alone. A full scan reads a short row for every object.
//
// Three bounds hold:
//
//   - The share of the database's time. After a delta comes a rest deltaRest times as long as the delta. After reading
//     settings alone, or a full scan for a write, the rest is Pace.ScanRest times as long. Full scans may take scanCredit
//     of their rest in advance.
//   - The longest wait for an edit. A delta is planned at once. So is a full scan for what a delta does not see, unless
//     full scans have used up their credit. A full scan that confirms a delta comes at most latestRest times its own
//     duration after the first edit.
//   - The longest time without a full scan, which EndFullScan gets as scanEnd.Next.
//
// What follows a delta:
//
//	change set                      delta                        full scan
//	any                             has found something          when edits pause
//	of tables people do not edit    has found nothing            when edits pause
//	may repeat the last one         has found nothing            when edits pause
//	of an edit                      has found nothing            at once
//	of options alone                settings are as before       none
//	of options alone                settings have changed        at once
//	any                             failed, or cannot tell       at once
//
// On a large site, a delta may leave the index of dates unread (sitemap.Catalog.DatesUnread). It is then read when edits pause.
// Edits do not have to wait for a rest after it, because it comes rarely.
const (
	deltaRest = 2
	// scanCredit is how much of a rest full scans may take in advance. A few writes that deltas do not see then cause no wait.
	scanCredit = 2 * time.Minute
	// leastRest is the shortest time between a delta and the full scan after it, because plugins save their part of an
	// edit after WordPress.
	leastRest = time.Second
	// latestRest bounds how long further edits postpone a full scan, as a multiple of its duration.
	latestRest = 200
	// An unread index of dates is read when edits have paused for datesPause, at the latest datesLatest after
	// the first of them.
	datesPause  = 5 * time.Second
	datesLatest = 30 * time.Second
)

// action is the next step of a refresher.
type action uint8

// The actions.
const (
	keepWaiting action = iota
	readDelta          // reads what the change set names
	readDates          // reads the index of dates that deltas did not read, and all other traces
	fullScan
	takeTurn // decides when this site may run a full scan that only the clock asks for, see plan.Postpone
)

// plan decides what is read next and when. It reads nothing itself. Its times are by the clock of the process, not of
// the site. The zero value plans nothing.
type plan struct {
	written   *writes.Set // what was written since the last delta
	settings  bool        // written contains settings only
	unscanned *writes.Set // what was written since the last full scan

	scanRest     time.Duration // see Pace.ScanRest
	deltaFrom    time.Time     // the earliest time of the next delta
	settingsFrom time.Time     // the earliest time to read settings alone

	dates     due       // when to read the index of dates that deltas did not read
	datesRead time.Time // when it was last read

	scan     due           // the next full scan that has a reason
	regular  time.Time     // when a full scan is due by the clock
	turned   bool          // Postpone has set regular, so that the scans of many sites do not coincide
	spent    time.Time     // until then, full scans for writes have used up their share of the database's time
	scanning *writes.Set   // the change set that the last full scan was given
	byClock  bool          // only the clock asked for the last full scan
	scanned  time.Time     // when the last full scan began
	scanTook time.Duration // duration of the last full scan for a write, or of the first full scan
}

// Tell adds a change set. settings means that the set names settings only. Tell ignores a set if the last full scan began
// after its writes, and knew of the same tables. (A scan that did not know of a table does not render its pages again.) If the
// reading of the index of dates may have seen the writes, the set may repeat them. Settled is at most a second after the last write.
func (p *plan) Tell(set *writes.Set, settings bool) {
	if set == nil || !set.Settled.After(p.scanned) && p.scanning.Covers(set) {
		return
	}
	if !set.Settled.After(p.datesRead.Add(time.Second)) {
		repeat := *set
		repeat.MaybeRepeat = true
		set = &repeat
	}
	p.settings = settings && (p.written == nil || p.settings)
	p.written = writes.Merge(p.written, set)
	p.unscanned = writes.Merge(p.unscanned, set)
}

// Next returns the action that is due, or keepWaiting and the time until one may be due.
func (p *plan) Next() (action, time.Duration) {
	now := time.Now()
	var delta time.Time
	if p.written != nil {
		delta = later(now, p.deltaFrom)
		if p.settings {
			delta = later(delta, p.settingsFrom)
		}
	}
	return schedule{delta: delta, dates: p.dates.at, scan: p.scan.at, regular: p.regular, turned: p.turned}.next(now)
}

// A schedule says when to read next. A zero time means never.
type schedule struct {
	delta   time.Time // when to read what the change set names
	dates   time.Time // when to read the index of dates that deltas did not read
	scan    time.Time // when to read everything for a reason, such as a write or a failure
	regular time.Time // when to read everything because the last full scan is long ago
	turned  bool      // see plan.turned
}

// next returns the action that is due, or keepWaiting and the time until one is due.
func (s schedule) next(now time.Time) (action, time.Duration) {
	reached := func(at time.Time) bool { return !at.IsZero() && !at.After(now) }
	switch {
	case reached(s.scan), !reached(s.delta) && reached(s.regular) && s.turned:
		return fullScan, 0
	case reached(s.delta):
		return readDelta, 0
	case reached(s.dates):
		return readDates, 0
	case reached(s.regular):
		return takeTurn, 0
	}
	wait := never
	for _, at := range []time.Time{s.delta, s.dates, s.scan, s.regular} {
		if !at.IsZero() {
			wait = min(wait, at.Sub(now))
		}
	}
	return keepWaiting, wait
}

// due is the time of a full scan. The zero value means that none is planned.
type due struct {
	at     time.Time
	latest time.Time // further edits may postpone the scan up to this time; zero: they must not
}

// by returns d with its scan planned no later than at. Later edits cannot postpone that scan beyond at.
func (d due) by(at time.Time) due {
	if d.at.IsZero() || at.Before(d.at) {
		d.at = at
	}
	if at.Before(d.latest) {
		d.latest = at
	}
	return d
}

// afterEdit returns the time of a full scan after one more edit. The scan comes a pause after that edit, but no later than
// patience after the first edit.
func (d due) afterEdit(now time.Time, pause, patience time.Duration) due {
	at := now.Add(pause)
	switch {
	case d.at.IsZero():
		d.latest = now.Add(patience)
	case d.latest.IsZero():
		return d.by(at)
	}
	d.at = at
	if d.latest.Before(at) {
		d.at = d.latest
	}
	return d
}

// Postpone delays the full scan that the clock asks for. turn is the time until this site's turn among the sites of its server.
func (p *plan) Postpone(turn time.Duration) {
	p.turned, p.regular = true, time.Now().Add(turn)
}

// ScanBy plans a full scan no later than at.
func (p *plan) ScanBy(at time.Time) { p.scan = p.scan.by(at) }

// ScanSoon plans a full scan as soon as the bound on the database's time allows.
func (p *plan) ScanSoon() { p.ScanBy(later(time.Now(), p.spent.Add(-scanCredit))) }

// Reread plans a full scan as if every table had been written.
func (p *plan) Reread() {
	p.unscanned = writes.Merge(p.unscanned, writes.Anything(time.Time{}))
	p.ScanSoon()
}

// RetryIn plans a full scan after a pause, because the last one failed.
func (p *plan) RetryIn(wait time.Duration) { p.scan.at = time.Now().Add(wait) }

// Rest returns the rest after a full scan that takes as long as the last one. It is at least leastRest.
func (p *plan) Rest() time.Duration { return max(leastRest, p.scanRest*p.scanTook) }

// BeginDelta returns the change set for a delta that begins now, and whether the set names settings only.
func (p *plan) BeginDelta() (set *writes.Set, settings bool) {
	set = p.written
	p.written = nil
	return set, p.settings
}

// deltaEnd is the result of a delta.
type deltaEnd struct {
	Set         *writes.Set
	Began       time.Time
	Found       bool // the delta found what was written
	Edit        bool // people write to at least one of the tables
	Failed      bool // the delta failed or cannot follow the writes, so a full scan is needed
	DatesUnread bool // the delta did not read the index of dates; a later one must
}

// EndDelta plans what comes after a delta.
func (p *plan) EndDelta(d deltaEnd) {
	p.rest(d.Began)
	if d.DatesUnread {
		p.dates = p.dates.afterEdit(time.Now(), datesPause, datesLatest)
	}
	if d.Failed || d.Edit && !d.Found && !d.Set.MaybeRepeat {
		p.ScanSoon()
	} else {
		// the full scan that confirms the delta comes after edits pause
		p.scan = p.scan.afterEdit(time.Now(), p.Rest(), max(leastRest, latestRest*p.scanTook))
	}
}

// BeginDates notes that the index of dates, and every other trace of writes, is read now.
func (p *plan) BeginDates() {
	p.dates, p.datesRead = due{}, time.Now()
	if p.written != nil {
		p.written.MaybeRepeat = true
	}
}

// EndDates plans what comes after reading the index of dates. The full scan that confirms the deltas is planned already.
func (p *plan) EndDates(failed bool) {
	if failed {
		p.ScanSoon()
	}
}

// EndSettings plans what comes after reading the settings alone. changed means that a setting that matters has changed.
func (p *plan) EndSettings(began time.Time, changed bool) {
	p.rest(began)
	p.settingsFrom = time.Now().Add(p.scanRest * time.Since(began))
	if changed {
		p.ScanSoon()
	}
}

// rest sets the earliest time of the next delta. began is the time at which the delta that ends now began.
func (p *plan) rest(began time.Time) {
	now := time.Now()
	p.deltaFrom = now.Add(deltaRest * now.Sub(began))
}

// BeginFullScan returns what a full scan that begins now reads. A scan that the clock asks for reads every blog in memory.
func (p *plan) BeginFullScan() extent {
	set := p.unscanned
	p.written, p.unscanned, p.scanning = nil, nil, set
	p.dates = due{}
	p.scan = due{} // what is planned from now on, such as another try for a blog, is not done by this scan
	if p.scanned.IsZero() {
		p.scanning = writes.Anything(time.Time{})
	}
	all := p.scanned.IsZero() || p.turned && !p.regular.After(time.Now())
	p.byClock = all && set == nil
	return extent{set, all}
}

// An extent is what a full scan of a network reads. A full scan of a single site reads everything.
type extent struct {
	written *writes.Set // the writes that are the reason; the blogs they concern are read
	all     bool        // read every blog in memory
}

// grown returns a larger extent if one of its arguments is set. replaced means that another database has replaced the one in
// use. asked means that somebody has asked for a scan of every blog. lost means that it is not known what was written.
func (e extent) grown(replaced, asked, lost bool) extent {
	if replaced || lost {
		e.written = writes.Merge(e.written, writes.Anything(time.Time{}))
	}
	e.all = e.all || replaced || asked || lost
	return e
}

// scanEnd describes a full scan that has ended.
type scanEnd struct {
	Began time.Time
	Took  time.Duration // how long it took, without the wait for a slot
	Next  time.Duration // the longest time until the next full scan

	Partial bool // it has read only those blogs of a network that its change set concerns
}

// EndFullScan plans what comes after a full scan.
func (p *plan) EndFullScan(s scanEnd) {
	now := time.Now()
	if !p.byClock || p.scanTook == 0 {
		p.scanTook = s.Took
	}
	if !p.byClock { // full scans by the clock have their own bound, and must not delay scans for edits
		p.spent = later(p.spent, now).Add(p.scanRest * s.Took)
	}
	if !s.Partial {
		p.scanned = s.Began
		p.regular, p.turned = now.Add(max(s.Next, p.scanRest*s.Took)), false
	}
	p.deltaFrom = now
}

// Idle reports whether nothing is planned except full scans by the clock.
func (p *plan) Idle() bool { return p.written == nil && p.scan.at.IsZero() }

// never is longer than any wait.
const never = 1000 * time.Hour

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
