package refresh

import (
	"time"

	"wpsitemapd/server/changes"
)

// Two kinds of reading keep a site fresh. A delta comes at once where something was written, and reads what leaves a trace that
// is cheap to find; where nothing but options was written, it reads the settings alone. A full scan reads everything narrow.
//
// Three bounds hold:
//
//   - the share of the database's time: after a delta that took a second the next one waits deltaRest seconds; after settings that
//     were read alone, or a full scan for a write, the next one waits scanRest times as long, of which full scans may take
//     scanCredit beforehand;
//   - the longest wait for an edit: a delta is planned at once, a full scan for what a delta does not see at once, too, and
//     a full scan that makes sure of a delta no later than latestRest after the first edit that it is about;
//   - the longest time without a full scan: it is the caller's, see EndFullScan.
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
	// scanCredit lets writes that deltas do not see, a few at a time, be seen without a wait.
	scanCredit = 2 * time.Minute
	// leastRest is the shortest time between a delta and the full scan after it. Plugins save their part of an edit after WordPress.
	leastRest = time.Second
	// latestRest bounds for how long one edit after another postpones a full scan. There is little left for it to find, and it
	// would keep other edits waiting.
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

// Plan decides what is read next, and when. It reads nothing itself. It goes by the clock of the process, not of the site. The
// zero value waits for ever.
type Plan struct {
	written   *changes.Set // since the last delta
	settings  bool         // nothing but settings
	unscanned *changes.Set // written since the last full scan

	deltaFrom    time.Time // no delta before
	settingsFrom time.Time // settings are not read alone before

	scanAt   time.Time     // when a full scan is due that has a reason
	scanBy   time.Time     // until when further edits may postpone it; zero: they must not
	regular  time.Time     // when a full scan is due by the clock
	turned   bool          // regular is this site's turn among others
	spent    time.Time     // until when full scans for writes have used up their share of the time
	scanning *changes.Set  // what the last full scan was told of
	byClock  bool          // nothing but the clock asked for it
	scanned  time.Time     // when the last full scan began
	scanTook time.Duration // how long the last one for a write worked, or the first one
}

// Tell takes up what was written, and whether that is nothing but settings. A full scan that has begun since has read it, but
// pages that show it are made anew only where the scan was told of its tables: where polls rest, it may have begun before.
func (p *Plan) Tell(set *changes.Set, settings bool) {
	if set == nil || !set.Settled.After(p.scanned) && p.scanning.Covers(set) {
		return
	}
	p.settings = settings && (p.written == nil || p.settings)
	p.written = changes.Merge(p.written, set)
	p.unscanned = changes.Merge(p.unscanned, set)
}

// Next returns what is to be done now, or Wait and the time until there may be something.
func (p *Plan) Next() (Action, time.Duration) {
	now := time.Now()
	var delta time.Time
	if p.written != nil {
		delta = later(now, p.deltaFrom)
		if p.settings {
			delta = later(delta, p.settingsFrom)
		}
	}
	due := func(at time.Time) bool { return !at.IsZero() && !at.After(now) }
	switch {
	case due(p.scanAt):
		return FullScan, 0
	case due(delta):
		return ReadDelta, 0
	case due(p.regular) && p.turned:
		return FullScan, 0
	case due(p.regular):
		return TakeTurn, 0
	}
	wait := never
	for _, at := range []time.Time{delta, p.scanAt, p.regular} {
		if !at.IsZero() {
			wait = min(wait, at.Sub(now))
		}
	}
	return Wait, wait
}

// Postpone has the full scan that the clock asks for wait for its turn.
func (p *Plan) Postpone(turn time.Duration) {
	p.turned, p.regular = true, time.Now().Add(turn)
}

// ScanBy has the next full scan come no later than at.
func (p *Plan) ScanBy(at time.Time) {
	if p.scanAt.IsZero() || at.Before(p.scanAt) {
		p.scanAt = at
	}
	if at.Before(p.scanBy) {
		p.scanBy = at
	}
}

// ScanSoon has a full scan come as soon as the share of the database's time allows.
func (p *Plan) ScanSoon() { p.ScanBy(later(time.Now(), p.spent.Add(-scanCredit))) }

// Reread has a full scan come as if anything had been written.
func (p *Plan) Reread() {
	p.unscanned = changes.Merge(p.unscanned, changes.Anything(time.Time{}))
	p.ScanSoon()
}

// RetryIn has the next full scan come after a while, after one that failed.
func (p *Plan) RetryIn(wait time.Duration) { p.scanAt = time.Now().Add(wait) }

// confirm plans the full scan after a delta: it comes when edits pause. An edit during a full scan waits for its end.
func (p *Plan) confirm() {
	now := time.Now()
	at := now.Add(p.Rest())
	switch {
	case p.scanAt.IsZero():
		p.scanBy = now.Add(max(leastRest, latestRest*p.scanTook))
	case p.scanBy.IsZero():
		p.ScanBy(at)
		return
	}
	p.scanAt = at
	if p.scanBy.Before(at) {
		p.scanAt = p.scanBy
	}
}

// Rest is how long full scans rest after one that took as long as the last one.
func (p *Plan) Rest() time.Duration { return max(leastRest, scanRest*p.scanTook) }

// BeginDelta returns the change set that a delta which begins now is about, and whether it names nothing but settings.
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
	Failed bool // a full scan has to show what is wrong, or what a delta cannot follow
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

// EndSettings notes a delta that has read the settings alone, and whether any that matters has changed.
func (p *Plan) EndSettings(began time.Time, changed bool) {
	p.rest(began)
	p.settingsFrom = time.Now().Add(scanRest * time.Since(began))
	if changed {
		p.ScanSoon()
	}
}

// rest has deltas rest after one that began then.
func (p *Plan) rest(began time.Time) {
	now := time.Now()
	p.deltaFrom = now.Add(deltaRest * now.Sub(began))
}

// BeginFullScan returns what a full scan that begins now is about, and whether its time has come by the clock, so that it is
// to read whatever is in memory.
func (p *Plan) BeginFullScan() (set *changes.Set, all bool) {
	set = p.unscanned
	p.written, p.unscanned, p.scanning = nil, nil, set
	if p.scanned.IsZero() {
		p.scanning = changes.Anything(time.Time{})
	}
	all = p.scanned.IsZero() || p.turned && !p.regular.After(time.Now())
	p.byClock = all && set == nil
	return set, all
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
	p.scanAt, p.scanBy = time.Time{}, time.Time{}
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

// Idle reports whether nothing is to be read but by the clock.
func (p *Plan) Idle() bool { return p.written == nil && p.scanAt.IsZero() }

// never is longer than any wait.
const never = 1000 * time.Hour

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
