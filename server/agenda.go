package server

import (
	"slices"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/wp"
)

// What a worker does next, and when. Three kinds of reading keep a site fresh, each bounded by
// what the last of its kind took:
//
//   - a delta, at once where something was written: it brings the catalogs up to date with
//     what leaves a trace that is cheap to find;
//   - a look at the settings, where nothing but options was written, as WordPress does all the time;
//   - an audit, which reads everything. It follows each delta after a while, and at once where
//     something was written and the delta has found nothing.
const (
	deltaShare = 2 // a delta that took a second is followed by a rest of so many
	exactShare = 1 // … where all that changed was told
	// auditCredit is how much of the rest between audits may be taken beforehand: writes that deltas
	// do not see, a few at a time, need not wait for it.
	auditCredit = 2 * time.Minute
	// leastDelay is between a delta and the audit after it. Plugins save their part of an edit
	// after WordPress.
	leastDelay = time.Second
	// calmShare takes the place of restShare where the writes were told one by one, and bounds how long
	// one edit after another puts an audit off: there is little left for it to find, and it would keep
	// others from being seen at once.
	calmShare  = 200
	beatAudits = 4 // where nothing tells of writes: beats from one audit to the next
)

// deed is what a worker may do.
type deed uint8

const (
	nothing deed = iota
	aDelta
	aLook
	anAudit
)

// agenda plans the readings of one site. Its times are those of the process, not of the
// site's clock.
type agenda struct {
	refresh time.Duration

	word    *changes.Event // since the last delta or look
	all     *changes.Event // since the last audit
	pending time.Time      // an audit is due at …; zero: none
	latest  time.Time      // further deltas may put it off, up to …; zero: they may not
	spent   time.Time      // the credit is used up to …
	rest    time.Time      // no delta before …
	audited time.Time      // the last audit began at …
	deltas  bool           // the site takes deltas
	beat    time.Time      // for a delta without a word, where nothing tells of writes; zero: none
	regular time.Time      // for an audit without a reason
	found   time.Time      // the last delta that found something ended at …

	// Of audits by other processes, see split.go:
	own   bool      // the next audit is not left to another
	doubt time.Time // since when another's result is another one; zero: it is not
}

// told takes up what was written.
func (a *agenda) told(e *changes.Event) {
	if e != nil && e.Settled.After(a.audited) {
		a.word = changes.Merge(a.word, e)
		a.all = changes.Merge(a.all, e)
	}
}

// soon puts an audit on the agenda that is not to wait longer than its credit.
func (a *agenda) soon(now time.Time) {
	a.own = true
	a.hasten(now)
}

func (a *agenda) hasten(now time.Time) {
	at := now
	if credit := a.spent.Add(-auditCredit); credit.After(at) {
		at = credit
	}
	a.expect(at)
}

// later puts an audit on the agenda that is to wait as long as an audit rests, and where edits
// follow one another until they pause: one that comes during an audit waits for its end. took is what the
// last one did.
func (a *agenda) later(now time.Time, took time.Duration) {
	at := now.Add(max(leastDelay, restShare*took))
	switch {
	case a.pending.IsZero():
		a.latest = now.Add(max(leastDelay, calmShare*took))
	case a.latest.IsZero():
		a.expect(at)
		return
	}
	a.pending = at
	if a.latest.Before(at) {
		a.pending = a.latest
	}
}

// settings are tables whose writes deltas have nothing to do with: a look at them tells
// whether anything that matters was changed.
var settingsTables = wp.Tables(func(t wp.Table) bool { return t.Settings })

// next returns what is to be done now, or nothing and the time until there may be something.
// short turns the tables that were written into their names without prefixes, nil where that is not known.
func (a *agenda) next(now time.Time, short func(*changes.Event) []string) (deed, time.Duration) {
	if !a.pending.IsZero() && !now.Before(a.pending) {
		return anAudit, 0
	}
	wake := a.regular
	if !a.pending.IsZero() && a.pending.Before(wake) {
		wake = a.pending
	}
	due := a.word != nil || !a.beat.IsZero() && !now.Before(a.beat)
	if !due && !a.beat.IsZero() && a.beat.Before(wake) {
		wake = a.beat
	}
	switch {
	case !due:
	case now.Before(a.rest):
		if a.rest.Before(wake) {
			wake = a.rest
		}
	case a.word != nil && onlySettings(short(a.word)):
		return aLook, 0
	case a.deltas:
		return aDelta, 0
	default:
		told := a.begin()
		a.beat = time.Time{}
		if a.hasten(now); told != nil {
			a.own = true
		}
		return a.next(now, short)
	}
	if !now.Before(a.regular) {
		return anAudit, 0
	}
	return nothing, wake.Sub(now)
}

func onlySettings(tables []string) bool {
	for _, name := range tables {
		if !slices.Contains(settingsTables, name) {
			return false
		}
	}
	return len(tables) > 0
}

// begin clears what a reading that begins now will have seen.
func (a *agenda) begin() (word *changes.Event) {
	word = a.word
	a.word = nil
	return word
}

// looked notes a look at the settings.
func (a *agenda) looked(word *changes.Event, began, now time.Time) {
	a.rest = now.Add(deltaShare * now.Sub(began))
}

// read notes a delta: found reports whether it explains what was told, urgent whether what it does not explain is not to wait.
func (a *agenda) read(word *changes.Event, began, now time.Time, found, urgent bool, auditTook time.Duration) {
	a.rest = now.Add(deltaShare * now.Sub(began))
	if found {
		a.found = now
	}
	if word.AtLeast(changes.Complete) { // it had to look for nothing
		a.rest = now.Add(exactShare * now.Sub(began))
	}
	if !a.beat.IsZero() {
		a.beat = now.Add(max(a.refresh, a.rest.Sub(now)))
	}
	switch {
	case word == nil:
	case word.AtLeast(changes.Covered):
		a.expect(now.Add(max(leastDelay, calmShare*auditTook)))
	case found, !urgent && !word.MaybeRepeat:
		a.later(now, auditTook)
	case !word.MaybeRepeat:
		a.soon(now)
	case a.audited.Before(word.Settled): // a second look at the same writes
		a.later(now, auditTook)
	}
}

// audit notes an audit that has ended. took is how long it has worked; telling, that writes to
// the database are told; regular, how long the next one without a reason is away.
func (a *agenda) audit(began, now time.Time, took time.Duration, telling bool, regular time.Duration) {
	if a.spent.Before(now) {
		a.spent = now
	}
	a.spent = a.spent.Add(restShare * took)
	a.over(began)
	a.rest = now
	a.beat = time.Time{}
	if !telling {
		a.beat = now.Add(a.refresh)
	}
	a.regular = now.Add(max(regular, restShare*took))
}

// over notes that an audit, here or elsewhere, has seen all that was there when it began.
func (a *agenda) over(began time.Time) {
	a.pending, a.latest, a.audited = time.Time{}, time.Time{}, began
	a.own, a.doubt = false, time.Time{}
}

// expect has the next audit no later than at.
func (a *agenda) expect(at time.Time) {
	if a.pending.IsZero() || at.Before(a.pending) {
		a.pending = at
	}
	if at.Before(a.latest) {
		a.latest = at
	}
}
