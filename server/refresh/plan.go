package refresh

import (
	"time"

	"wpsitemapd/server/changes"
)

// Two kinds of reading keep a site fresh. A delta comes at once when something was written. It reads what leaves a trace that is
// cheap to find, or the settings alone if only options were written. A full scan reads every narrow row.
//
// Three bounds hold:
//
//   - The share of the database's time: a delta is followed by a rest deltaRest times as long, settings that were read alone and a full
//     scan for a write by a rest scanRest times as long. Full scans may take scanCredit of their rest in advance.
//   - The longest wait for an edit: a delta, or a full scan for what a delta does not see, is planned at once. A full scan that
//     makes sure of a delta comes at most latestRest times its own duration after the first edit.
//   - The longest time without a full scan: EndFullScan is told.
//
// What follows a delta:
//
//	change set                      delta                        full scan
//	any                             has found something          when edits pause
//	of tables people do not edit    has found nothing            when edits pause
//	may repeat the one before       has found nothing            when edits pause
//	of an edit                      has found nothing            at once
//	of options alone                settings are as before       none
//	of options alone                settings have changed        at once
//	any                             failed, or cannot follow     at once
const (
	deltaRest = 2
	scanRest  = 20
	// scanCredit is how much of a rest may be taken in advance, so that a few writes that deltas do not see need no wait.
	scanCredit = 2 * time.Minute
	// leastRest is the shortest time between a delta and the full scan after it. Plugins save their part of an edit after WordPress.
	leastRest = time.Second
	// latestRest bounds how long one edit after another postpones a full scan, as a multiple of its duration.
	latestRest = 200
)

// Action is what a refresher does next.
type Action uint8

// The actions.
const (
	Wait      Action = iota
	ReadDelta        // what the change set names
	FullScan
	TakeTurn // a full scan that only the clock asks for is due, and waits for its turn among other sites: see Plan.Postpone
)

// Plan decides what is read next, and when. It reads nothing itself. Its times are those of the process, not of the site's clock. The
// zero value plans nothing.
type Plan struct {
	written   *changes.Set // since the last delta
	settings  bool         // nothing but settings
	unscanned *changes.Set // written since the last full scan

	deltaFrom    time.Time // the earliest time of the next delta
	settingsFrom time.Time // the earliest time to read settings alone

	scan     due           // of a full scan that has a reason
	regular  time.Time     // when a full scan is due by the clock
	turned   bool          // regular is this site's turn among others
	spent    time.Time     // until when full scans for writes have used up their share of the time
	scanning *changes.Set  // what the last full scan was told of
	byClock  bool          // nothing but the clock asked for it
	scanned  time.Time     // when the last full scan began
	scanTook time.Duration // how long the last one for a write worked, or the first one
}

// Tell adds a change set, and whether it names settings alone. A set that the last full scan has read, and was told of, is left out:
// pages that show a table are rendered again only if the scan was told of that table.
func (p *Plan) Tell(set *changes.Set, settings bool) {
	if set == nil || !set.Settled.After(p.scanned) && p.scanning.Covers(set) {
		return
	}
	p.settings = settings && (p.written == nil || p.settings)
	p.written = changes.Merge(p.written, set)
	p.unscanned = changes.Merge(p.unscanned, set)
}

// Next returns the next action, or Wait and the time until there may be one.
func (p *Plan) Next() (Action, time.Duration) {
	now := time.Now()
	var delta time.Time
	if p.written != nil {
		delta = later(now, p.deltaFrom)
		if p.settings {
			delta = later(delta, p.settingsFrom)
		}
	}
	return schedule{delta: delta, scan: p.scan.at, regular: p.regular, turned: p.turned}.next(now)
}

// A schedule says when what is to be read. A zero time means never.
type schedule struct {
	delta   time.Time // what the change set names
	scan    time.Time // everything, for a reason
	regular time.Time // everything, because the clock asks for it
	turned  bool      // regular is this site's turn among others
}

// next returns the action that is due, or Wait and the time until one is due.
func (s schedule) next(now time.Time) (Action, time.Duration) {
	due := func(at time.Time) bool { return !at.IsZero() && !at.After(now) }
	switch {
	case due(s.scan), !due(s.delta) && due(s.regular) && s.turned:
		return FullScan, 0
	case due(s.delta):
		return ReadDelta, 0
	case due(s.regular):
		return TakeTurn, 0
	}
	wait := never
	for _, at := range []time.Time{s.delta, s.scan, s.regular} {
		if !at.IsZero() {
			wait = min(wait, at.Sub(now))
		}
	}
	return Wait, wait
}

// due is when a full scan is due. The zero value means that none is.
type due struct {
	at     time.Time
	latest time.Time // until when further edits may postpone it; zero: they must not
}

// by returns the time of a full scan that is due no later than at.
func (d due) by(at time.Time) due {
	if d.at.IsZero() || at.Before(d.at) {
		d.at = at
	}
	if at.Before(d.latest) {
		d.latest = at
	}
	return d
}

// afterEdit returns the time of a full scan after one more edit: when edits pause, but no later than the first edit allows.
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

// Postpone makes the full scan that the clock asks for wait for its turn.
func (p *Plan) Postpone(turn time.Duration) {
	p.turned, p.regular = true, time.Now().Add(turn)
}

// ScanBy plans a full scan no later than at.
func (p *Plan) ScanBy(at time.Time) { p.scan = p.scan.by(at) }

// ScanSoon plans a full scan as soon as the share of the database's time allows.
func (p *Plan) ScanSoon() { p.ScanBy(later(time.Now(), p.spent.Add(-scanCredit))) }

// Reread plans a full scan as if every table had been written.
func (p *Plan) Reread() {
	p.unscanned = changes.Merge(p.unscanned, changes.Anything(time.Time{}))
	p.ScanSoon()
}

// RetryIn plans a full scan after a pause, when one has failed.
func (p *Plan) RetryIn(wait time.Duration) { p.scan.at = time.Now().Add(wait) }

// confirm plans the full scan after a delta: it comes when edits pause.
func (p *Plan) confirm() {
	p.scan = p.scan.afterEdit(time.Now(), p.Rest(), max(leastRest, latestRest*p.scanTook))
}

// Rest returns the rest after a full scan that takes as long as the last one.
func (p *Plan) Rest() time.Duration { return max(leastRest, scanRest*p.scanTook) }

// BeginDelta returns the change set of a delta that begins now, and whether it names settings alone.
func (p *Plan) BeginDelta() (set *changes.Set, settings bool) {
	set = p.written
	p.written = nil
	return set, p.settings
}

// Delta is what came of a delta.
type Delta struct {
	Set    *changes.Set
	Began  time.Time
	Found  bool // it has found what was written
	Edit   bool // people write to one of the tables
	Failed bool // it failed, or cannot follow what was written: a full scan has to
}

// EndDelta notes a delta.
func (p *Plan) EndDelta(d Delta) {
	p.rest(d.Began)
	if d.Failed || d.Edit && !d.Found && !d.Set.MaybeRepeat {
		p.ScanSoon()
	} else {
		p.confirm()
	}
}

// EndSettings notes a delta that has read the settings alone, and whether a setting that matters has changed.
func (p *Plan) EndSettings(began time.Time, changed bool) {
	p.rest(began)
	p.settingsFrom = time.Now().Add(scanRest * time.Since(began))
	if changed {
		p.ScanSoon()
	}
}

// rest makes deltas rest after one that began at a time.
func (p *Plan) rest(began time.Time) {
	now := time.Now()
	p.deltaFrom = now.Add(deltaRest * now.Sub(began))
}

// BeginFullScan returns what a full scan reads that begins now. One that is due by the clock reads every blog in memory.
func (p *Plan) BeginFullScan() extent {
	set := p.unscanned
	p.written, p.unscanned, p.scanning = nil, nil, set
	if p.scanned.IsZero() {
		p.scanning = changes.Anything(time.Time{})
	}
	all := p.scanned.IsZero() || p.turned && !p.regular.After(time.Now())
	p.byClock = all && set == nil
	return extent{set, all}
}

// An extent is what a full scan reads of a network. Of a single site it reads everything.
type extent struct {
	written *changes.Set // the blogs that it is about, and the reason
	all     bool         // every blog in memory
}

// grown returns what the scan reads if another database takes the place of the one in use, if every blog was asked for, or if it is not
// known what was written.
func (e extent) grown(replaced, asked, lost bool) extent {
	if replaced || lost {
		e.written = changes.Merge(e.written, changes.Anything(time.Time{}))
	}
	e.all = e.all || replaced || asked || lost
	return e
}

// Scan is a full scan that has ended.
type Scan struct {
	Began time.Time
	Took  time.Duration // without the wait for a slot
	Next  time.Duration // the longest time until the next one

	Partial bool // it has read only those blogs of a network that its change set is about
}

// EndFullScan notes a full scan.
func (p *Plan) EndFullScan(s Scan) {
	now := time.Now()
	p.scan = due{}
	if !p.byClock || p.scanTook == 0 {
		p.scanTook = s.Took
	}
	if !p.byClock { // the time between those is a bound of its own, and edits are not to wait for them
		p.spent = later(p.spent, now).Add(scanRest * s.Took)
	}
	if !s.Partial {
		p.scanned = s.Began
		p.regular, p.turned = now.Add(max(s.Next, scanRest*s.Took)), false
	}
	p.deltaFrom = now
}

// Idle reports whether only the clock will ask for a reading.
func (p *Plan) Idle() bool { return p.written == nil && p.scan.at.IsZero() }

// never is longer than any wait.
const never = 1000 * time.Hour

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
