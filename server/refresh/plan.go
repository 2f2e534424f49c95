package refresh

import (
	"slices"
	"sync"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp"
)

// What is read next, and when. Three kinds of reading keep a site fresh, each bounded by what the last of its kind took:
//
//   - a delta, at once where something was written: it brings the catalogs up to date with what leaves a trace that is
//     cheap to find;
//   - the settings alone, where nothing but options was written, as WordPress does all the time;
//   - a full read. It follows each delta after a while, and at once where something was written and the delta has found
//     nothing.
const (
	deltaShare = 2 // a delta that took a second is followed by a rest of so many
	// restShare keeps full reads to a small share of the time: after one that took a second the next comes no sooner
	// than restShare seconds later.
	restShare = 20
	// readCredit is how much of that rest may be taken beforehand: writes that deltas do not see, a few at a time, need
	// not wait for it.
	readCredit = 2 * time.Minute
	// leastDelay is between a delta and the full read after it. Plugins save their part of an edit after WordPress.
	leastDelay = time.Second
	// latestShare bounds how long one edit after another postpones a full read: there is little left for it to find, and it
	// would keep others from being seen at once.
	latestShare = 200
	// beatsPerRead is how many beats of deltas there are from one full read to the next where nothing reports writes.
	beatsPerRead = 4
)

// Action is what a refresher may do.
type Action uint8

// The actions.
const (
	Wait Action = iota
	ApplyDelta
	ReadSettings
	FullRead
)

// Plan decides what is read next, and when. It reads nothing itself, and its times are those of the process, not of the
// site's clock. The zero value with Refresh set is a plan that waits.
type Plan struct {
	Refresh time.Duration // between deltas where nothing reports writes
	Deltas  bool          // the site takes deltas

	event *changes.Set // since the last delta or reading of the settings
	all   *changes.Set // since the last full read

	pending  time.Time // when a full read is due that has a reason; zero: none is
	latest   time.Time // the deadline to which later edits may postpone it; zero: they must not
	spent    time.Time // up to when the credit of full reads is used
	rest     time.Time // no delta before
	quiet    time.Time // no reading of the settings before for tables alone that count
	fullRead time.Time // when the last full read began
	beat     time.Time // when a delta without an event is due, where nothing reports writes; zero: none is
	regular  time.Time // when a full read without a reason is due
	turned   bool      // regular is that of its turn among other sites
}

// Tell takes up what was written.
func (p *Plan) Tell(e *changes.Set) {
	if e != nil && e.Settled.After(p.fullRead) {
		p.event = changes.Merge(p.event, e)
		p.all = changes.Merge(p.all, e)
	}
}

// ReadSoon plans a full read that waits no longer than its credit has it.
func (p *Plan) ReadSoon(now time.Time) {
	at := now
	if credit := p.spent.Add(-readCredit); credit.After(at) {
		at = credit
	}
	p.ReadBy(at)
}

// ReadBy has the next full read come no later than at.
func (p *Plan) ReadBy(at time.Time) {
	if p.pending.IsZero() || at.Before(p.pending) {
		p.pending = at
	}
	if at.Before(p.latest) {
		p.latest = at
	}
}

// RetryAt has the next full read come at a time, after one that failed.
func (p *Plan) RetryAt(at time.Time) { p.pending = at }

// confirmLater plans the full read after a delta: it waits as long as full reads rest, and where edits follow one another
// until they pause. An edit during a full read waits for its end. took is what the last one did.
func (p *Plan) confirmLater(now time.Time, took time.Duration) {
	at := now.Add(max(leastDelay, restShare*took))
	switch {
	case p.pending.IsZero():
		p.latest = now.Add(max(leastDelay, latestShare*took))
	case p.latest.IsZero():
		p.ReadBy(at)
		return
	}
	p.pending = at
	if p.latest.Before(at) {
		p.pending = p.latest
	}
}

// settingsTables are tables whose writes deltas have nothing to do with: reading the settings shows whether anything that
// matters was changed.
var settingsTables = sync.OnceValue(func() []string { return sitemap.Declared.TablesWith(func(t wp.Table) bool { return t.Settings }) })

// countingTables are those of them in which plugins count visits, so that most writes mean nothing.
var countingTables = sync.OnceValue(func() []string { return sitemap.Declared.TablesWith(func(t wp.Table) bool { return t.Counts }) })

// Next returns what is to be done now, or Wait and the time until there may be something. short turns the tables of an
// event into their names without prefixes, nil where those are not known.
func (p *Plan) Next(now time.Time, short func(*changes.Set) []string) (Action, time.Duration) {
	if p.deltaDue(now) && !p.Deltas && !now.Before(p.rest) && !p.settingsOnly(short) && !p.readDue(now) {
		p.readInstead(now)
	}
	wake := p.regular
	if !p.pending.IsZero() && p.pending.Before(wake) {
		wake = p.pending
	}
	switch {
	case p.readDue(now):
		return FullRead, 0
	case !p.deltaDue(now):
		if !p.beat.IsZero() && p.beat.Before(wake) {
			wake = p.beat
		}
	case now.Before(p.rest):
		if p.rest.Before(wake) {
			wake = p.rest
		}
	case p.settingsOnly(short) && now.Before(p.quiet) && p.only(short, countingTables()):
		if p.quiet.Before(wake) {
			wake = p.quiet
		}
	case p.settingsOnly(short):
		return ReadSettings, 0
	default:
		return ApplyDelta, 0
	}
	if !now.Before(p.regular) {
		return FullRead, 0
	}
	return Wait, wake.Sub(now)
}

// readDue reports whether a full read is due that has a reason.
func (p *Plan) readDue(now time.Time) bool { return !p.pending.IsZero() && !now.Before(p.pending) }

// readInstead plans a full read in the place of a delta.
func (p *Plan) readInstead(now time.Time) {
	p.event, p.beat = nil, time.Time{}
	p.ReadSoon(now)
}

// deltaDue reports whether there is something for a delta.
func (p *Plan) deltaDue(now time.Time) bool {
	return p.event != nil || !p.beat.IsZero() && !now.Before(p.beat)
}

func (p *Plan) settingsOnly(short func(*changes.Set) []string) bool {
	return p.only(short, settingsTables())
}

// only reports whether nothing was written but some of the tables.
func (p *Plan) only(short func(*changes.Set) []string, of []string) bool {
	if p.event == nil {
		return false
	}
	tables := short(p.event)
	isOther := func(name string) bool { return !slices.Contains(of, name) }
	return len(tables) > 0 && !slices.ContainsFunc(tables, isOther)
}

// Stagger has a full read without a reason that is due wait for its turn among other sites, once, and reports whether it
// does. turn is called for the time until then.
func (p *Plan) Stagger(now time.Time, turn func() time.Duration) bool {
	if !p.pending.IsZero() || p.turned {
		return false
	}
	p.turned = true
	p.regular = now.Add(turn())
	return true
}

// BeginDelta returns what a delta or a reading of the settings that begins now is about.
func (p *Plan) BeginDelta() *changes.Set {
	event := p.event
	p.event = nil
	return event
}

// BeginFullRead returns what a full read that begins now is about.
func (p *Plan) BeginFullRead() *changes.Set {
	all := p.all
	p.event, p.all = nil, nil
	return all
}

// EndSettings notes a reading of the settings, and whether any that matters has changed.
func (p *Plan) EndSettings(began, now time.Time, changed bool) {
	if changed {
		p.ReadSoon(now)
	}
	p.rest = now.Add(deltaShare * now.Sub(began))
	p.quiet = now.Add(restShare * now.Sub(began))
}

// Delta is what is known of a delta that has ended.
type Delta struct {
	Event  *changes.Set // it was about; nil: its time had come
	Began  time.Time
	Found  bool // it explains the event
	Urgent bool // what it does not explain must not wait
	Failed bool // a full read has to show what is wrong, or what it cannot follow
}

// EndDelta notes a delta. fullTook is what the last full read did.
func (p *Plan) EndDelta(d Delta, now time.Time, fullTook time.Duration) {
	p.rest = now.Add(deltaShare * now.Sub(d.Began))
	if !p.beat.IsZero() {
		p.beat = now.Add(max(p.Refresh, p.rest.Sub(now)))
	}
	switch e := d.Event; {
	case e == nil:
	case d.Found, !d.Urgent && !e.MaybeRepeat:
		p.confirmLater(now, fullTook)
	case !e.MaybeRepeat:
		p.ReadSoon(now)
	case p.fullRead.Before(e.Settled): // a second delta of the same writes
		p.confirmLater(now, fullTook)
	}
	if d.Failed {
		p.ReadSoon(now)
	}
}

// EndFullRead notes a full read. took is how long it has worked; told, that writes to the database are told; regular, how
// far the next one without a reason is away.
func (p *Plan) EndFullRead(began, now time.Time, took time.Duration, told bool, regular time.Duration) {
	if p.spent.Before(now) {
		p.spent = now
	}
	p.spent = p.spent.Add(restShare * took)
	p.pending, p.latest, p.fullRead = time.Time{}, time.Time{}, began
	p.rest, p.turned = now, false
	p.beat = time.Time{}
	if !told {
		p.beat = now.Add(p.Refresh)
	}
	p.regular = now.Add(max(regular, restShare*took))
}

// Idle reports whether nothing is to be read that has a reason.
func (p *Plan) Idle() bool { return p.event == nil && p.pending.IsZero() }

// never is longer than any wait.
const never = 1000 * time.Hour

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
