package refresh

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wpsitemapd/wp/wptest/expect"
	"wpsitemapd/wp/writes"
)

// step changes a plan or expects something of it.
type step func(*testing.T, *plan)

// The second result of a write: it names objects, or settings only.
const objects, options = false, true

const scanRest = 20

// written reports a write that happens now.
func written(settings bool) step { return tell(&writes.Set{}, settings) }

// again reports what may be the same write as before.
func again(settings bool) step { return tell(&writes.Set{MaybeRepeat: true}, settings) }

func tell(set *writes.Set, settings bool) step {
	return func(_ *testing.T, p *plan) {
		told := *set
		told.Settled = time.Now().Add(time.Second)
		p.Tell(&told, settings)
	}
}

// next expects an action after a time in which there is nothing to do.
func next(want action, after time.Duration) step {
	return func(t *testing.T, p *plan) {
		t.Helper()
		began := time.Now()
		for range 5 {
			got, wait := p.Next()
			if got == keepWaiting {
				time.Sleep(wait)
				continue
			}
			if took := time.Since(began).Round(time.Second); got != want || took != after {
				t.Fatalf("action %d after %v, want %d after %v", got, took, want, after)
			}
			return
		}
		t.Fatal("nothing comes of it")
	}
}

// sleep waits.
func sleep(d time.Duration) step { return func(*testing.T, *plan) { time.Sleep(d) } }

// delta runs a delta that takes some time.
func delta(took time.Duration, d deltaEnd) step {
	return func(_ *testing.T, p *plan) {
		d := d
		d.Set, _ = p.BeginDelta()
		d.Began = time.Now()
		time.Sleep(took)
		p.EndDelta(d)
	}
}

// dates reads the index of dates that deltas did not read, which takes some time.
func dates(took time.Duration, failed bool) step {
	return func(_ *testing.T, p *plan) {
		p.BeginDates()
		time.Sleep(took)
		p.EndDates(failed)
	}
}

// settings reads the settings alone, which takes some time.
func settings(took time.Duration, changed bool) step {
	return func(_ *testing.T, p *plan) {
		p.BeginDelta()
		began := time.Now()
		time.Sleep(took)
		p.EndSettings(began, changed)
	}
}

// scanned runs a full scan that takes some time.
func scanned(took time.Duration) step {
	return func(_ *testing.T, p *plan) {
		began := time.Now()
		p.BeginFullScan()
		time.Sleep(took)
		p.EndFullScan(scanEnd{Began: began, Took: took, Next: time.Hour})
	}
}

// times repeats steps.
func times(n int, steps ...step) step {
	return func(t *testing.T, p *plan) {
		t.Helper()
		for range n {
			for _, do := range steps {
				do(t, p)
			}
		}
	}
}

// Before each case, a full scan of a second has run, and then half an hour was quiet.
func TestPlan(t *testing.T) {
	found, notFound, failed := deltaEnd{Found: true, Edit: true}, deltaEnd{Edit: true}, deltaEnd{Failed: true}
	unread := deltaEnd{Found: true, Edit: true, DatesUnread: true}
	edit := times(1, written(objects), next(readDelta, 0), delta(0, found), sleep(time.Second))
	missed := times(1, written(objects), next(readDelta, 0), delta(0, notFound))
	for _, tt := range []struct {
		rule  string
		steps []step
	}{
		{"without a write a full scan comes by the clock, in turn with other sites", []step{
			next(takeTurn, time.Hour/2), func(_ *testing.T, p *plan) { p.Postpone(time.Minute) }, next(fullScan, time.Minute),
		}},
		{"a write is a delta at once, and a full scan after its rest", []step{
			written(objects), next(readDelta, 0), delta(100*time.Millisecond, found), next(fullScan, scanRest*time.Second),
		}},
		{"further edits put the full scan off until they pause", []step{times(15, edit), next(fullScan, (scanRest-1)*time.Second)}},
		{"but not for ever", []step{times(latestRest-5, edit), next(fullScan, 5*time.Second)}},
		{"nor do they put off one that is about something else", []step{
			func(_ *testing.T, p *plan) { p.spent = time.Now().Add(scanCredit + 30*time.Second) }, // all credit is used up
			edit, missed, sleep(time.Second), times(16, edit), next(fullScan, 12*time.Second),
		}},
		{"deltas rest, too", []step{
			written(objects), delta(3*time.Second, found), written(objects), next(readDelta, deltaRest*3*time.Second),
		}},
		{"an unread index of dates is read when edits pause", []step{
			edit, written(objects), delta(0, unread), next(readDates, datesPause), dates(3*time.Second, false),
			written(objects), next(readDelta, 0), delta(0, found), next(fullScan, scanRest*time.Second),
		}},
		{"but not later because of further edits", []step{
			times(14, written(objects), next(readDelta, 0), delta(0, unread), sleep(2*time.Second)), next(readDates, 2*time.Second),
		}},
		{"edits come first", []step{
			written(objects), delta(0, unread), sleep(datesPause), written(objects), next(readDelta, 0), delta(0, found), next(readDates, 0),
		}},
		{"what it has seen is no full scan", []step{
			written(objects), delta(0, unread), sleep(datesPause), written(objects), dates(0, false), written(objects),
			next(readDelta, 0), delta(0, notFound), next(fullScan, scanRest*time.Second),
		}},
		{"what is written later is", []step{
			written(objects), delta(0, unread), sleep(datesPause), dates(0, false), sleep(time.Second), missed, next(fullScan, 0),
		}},
		{"if it cannot be read, a full scan comes at once", []step{written(objects), delta(0, unread), dates(0, true), next(fullScan, 0)}},
		{"a full scan has read it", []step{written(objects), delta(0, unread), scanned(time.Second), next(takeTurn, time.Hour)}},
		{"what a delta does not see is a full scan at once", []step{missed, next(fullScan, 0)}},
		{"but not what is written all the time", []step{
			written(objects), next(readDelta, 0), delta(0, deltaEnd{}), next(fullScan, scanRest*time.Second),
		}},
		{"nor the same write once more", []step{
			written(objects), delta(0, found), again(objects), next(readDelta, 0), delta(0, notFound), next(fullScan, scanRest*time.Second),
		}},
		{"what a delta cannot follow is a full scan at once", []step{written(objects), delta(0, failed), next(fullScan, 0)}},
		{"full scans at once use up their credit", []step{
			times(7, missed, next(fullScan, 0), scanned(time.Second)), missed, next(fullScan, 14*time.Second),
		}},
		{"those that the clock asks for use up none of it, and postpone none for an edit", []step{
			next(takeTurn, time.Hour/2), func(_ *testing.T, p *plan) { p.Postpone(0) }, next(fullScan, 0), scanned(time.Minute),
			missed, next(fullScan, 0), scanned(time.Second), edit, next(fullScan, (scanRest-1)*time.Second),
		}},
		{"settings are read alone, and no full scan follows", []step{
			written(options), next(readDelta, 0), settings(0, false), next(takeTurn, time.Hour/2),
		}},
		{"unless any that matters has changed", []step{written(options), next(readDelta, 0), settings(0, true), next(fullScan, 0)}},
		{"options with posts are an edit", []step{
			written(options), written(objects), func(t *testing.T, p *plan) {
				if _, settings := p.BeginDelta(); settings {
					t.Error("the settings are read alone")
				}
			},
		}},
		{"settings are read rarely", []step{
			written(options), next(readDelta, 0), settings(time.Second, false), written(options), next(readDelta, scanRest*time.Second),
		}},
		{"but do not keep an edit from being read", []step{
			written(options), settings(time.Second, false), written(options), written(objects), next(readDelta, deltaRest*time.Second),
		}},
		{"what a full scan has read is no news", []step{
			func(t *testing.T, p *plan) {
				if p.Tell(&writes.Set{Settled: p.scanned}, objects); !p.Idle() {
					t.Error("it is taken up")
				}
			},
		}},
		{"unless it was not told of a table, whose pages it has not made anew", []step{
			tell(&writes.Set{Tables: map[string]bool{"wp_posts": true}}, objects), scanned(time.Second),
			func(t *testing.T, p *plan) {
				if p.Tell(&writes.Set{Tables: map[string]bool{"wp_posts": true}, Settled: p.scanned}, objects); !p.Idle() {
					t.Error("what it was told of is taken up")
				}
				p.Tell(&writes.Set{Tables: map[string]bool{"wp_terms": true}, Settled: p.scanned}, objects)
			},
			next(readDelta, 0),
		}},
		{"a full scan that is planned during another one comes after it", []step{
			written(objects), func(_ *testing.T, p *plan) {
				p.BeginFullScan()
				p.ScanBy(time.Now().Add(time.Minute))
				p.EndFullScan(scanEnd{Began: time.Now(), Next: time.Hour})
			}, next(fullScan, time.Minute),
		}},
		{"a full scan that failed is tried again", []step{
			written(objects), scanned(time.Second), func(_ *testing.T, p *plan) { p.RetryIn(time.Second) }, next(fullScan, time.Second),
		}},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := plan{scanRest: scanRest}
				scanned(time.Second)(t, &p)
				time.Sleep(time.Hour / 2)
				for _, do := range tt.steps {
					do(t, &p)
				}
			})
		})
	}
}

// Each event sets and clears only these parts of a plan. Times count from the end of the first full scan, which took a second.
func TestLifetimes(t *testing.T) {
	first, wrote := scanned(time.Second), written(objects)
	begun := func(_ *testing.T, p *plan) { p.BeginDelta() }
	ended := func(d deltaEnd) step {
		return func(_ *testing.T, p *plan) {
			d.Set, d.Began = &writes.Set{}, time.Now()
			time.Sleep(3 * time.Second)
			p.EndDelta(d)
		}
	}
	readSettings := func(changed bool) step {
		return func(_ *testing.T, p *plan) {
			began := time.Now()
			time.Sleep(3 * time.Second)
			p.EndSettings(began, changed)
		}
	}
	scanBegun := func(_ *testing.T, p *plan) { p.BeginFullScan() }
	scanEnded := func(partial bool) step {
		return func(_ *testing.T, p *plan) {
			began := time.Now()
			time.Sleep(5 * time.Second)
			p.EndFullScan(scanEnd{Began: began, Took: 5 * time.Second, Next: time.Hour, Partial: partial})
		}
	}
	postponed := func(_ *testing.T, p *plan) { p.Postpone(time.Minute) }
	minute := sleep(time.Minute)
	for _, tt := range []struct {
		event  string
		before []step
		does   step
		want   []string // what changes: name, value before, value after
	}{
		{"the first full scan ends", nil, first, []string{"deltaFrom – 0s", "regular – 1h0m0s", "scanned – -1s", "scanTook 0s 1s"}},

		{"a write", []step{first}, wrote, []string{"written – set", "unscanned – set"}},
		{"a delta begins", []step{first, wrote}, begun, []string{"written set –"}},
		{"a delta has found something", []step{first, wrote, begun}, ended(deltaEnd{Found: true, Edit: true}),
			[]string{"deltaFrom 0s 9s", "scan – 23s", "latest – 3m23s"}},
		{"another delta has found something", []step{first, wrote, begun, ended(deltaEnd{Found: true}), wrote, begun}, ended(deltaEnd{Found: true}),
			[]string{"deltaFrom 9s 12s", "scan 23s 26s"}},
		{"a delta has failed", []step{first, wrote, begun, ended(deltaEnd{Found: true}), wrote, begun}, ended(deltaEnd{Failed: true}),
			[]string{"deltaFrom 9s 12s", "scan 23s 6s", "latest 3m23s 6s"}},
		{"the settings are as before", []step{first, written(options), begun}, readSettings(false), []string{"deltaFrom 0s 9s", "settingsFrom – 1m3s"}},
		{"the settings have changed", []step{first, written(options), begun}, readSettings(true),
			[]string{"deltaFrom 0s 9s", "settingsFrom – 1m3s", "scan – 3s"}},

		{"a full scan begins", []step{first, wrote, begun, ended(deltaEnd{Found: true}), wrote}, scanBegun,
			[]string{"written set –", "unscanned set –", "scan 23s –", "latest 3m23s –"}},
		{"a full scan for a write ends", []step{first, minute, wrote, scanBegun}, scanEnded(false),
			[]string{"deltaFrom 0s 1m5s", "regular 1h0m0s 1h1m5s", "spent – 2m45s", "scanned -1s 1m0s", "scanTook 1s 5s"}},
		{"a full scan of some blogs ends", []step{first, minute, wrote, scanBegun}, scanEnded(true),
			[]string{"deltaFrom 0s 1m5s", "spent – 2m45s", "scanTook 1s 5s"}},
		{"the turn of a site is planned", []step{first}, postponed, []string{"regular 1h0m0s 1m0s", "turned no yes"}},
		{"a full scan by the clock ends", []step{first, postponed, minute, scanBegun}, scanEnded(false),
			[]string{"deltaFrom 0s 1m5s", "regular 1m0s 1h1m5s", "turned yes no", "scanned -1s 1m0s"}},
		{"a full scan has failed", []step{first}, func(_ *testing.T, p *plan) { p.RetryIn(time.Minute) }, []string{"scan – 1m0s"}},
		{"everything counts as written", []step{first}, func(_ *testing.T, p *plan) { p.Reread() }, []string{"unscanned – set", "scan – 0s"}},
	} {
		t.Run(tt.event, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, p := time.Now().Add(time.Second), plan{scanRest: scanRest}
				for _, do := range tt.before {
					do(t, &p)
				}
				before := parts(&p, start)
				tt.does(t, &p)
				var changed []string
				for i, after := range parts(&p, start) {
					if after != before[i] {
						_, value, _ := strings.Cut(after, " ")
						changed = append(changed, before[i]+" "+value)
					}
				}
				expect.List(t, changed, tt.want)
			})
		})
	}
}

// parts returns the parts of a plan in words. Times count from start.
func parts(p *plan, start time.Time) []string {
	at := func(t time.Time) string {
		if t.IsZero() {
			return "–"
		}
		return t.Sub(start).String()
	}
	is := func(yes bool, a, b string) string {
		if yes {
			return a
		}
		return b
	}
	return []string{
		"written " + is(p.written != nil, "set", "–"), "unscanned " + is(p.unscanned != nil, "set", "–"),
		"deltaFrom " + at(p.deltaFrom), "settingsFrom " + at(p.settingsFrom), "scan " + at(p.scan.at), "latest " + at(p.scan.latest),
		"regular " + at(p.regular), "turned " + is(p.turned, "yes", "no"), "spent " + at(p.spent), "scanned " + at(p.scanned),
		"scanTook " + p.scanTook.String(),
	}
}

// Due actions come in this order: a full scan with a reason, a delta, then a full scan by the clock.
func TestSchedule(t *testing.T) {
	now := time.Unix(1e9, 0)
	past, later := now.Add(-time.Second), now.Add(time.Minute)
	for _, tt := range []struct {
		name string
		s    schedule
		want action
		wait time.Duration
	}{
		{"nothing", schedule{}, keepWaiting, never},
		{"a delta", schedule{delta: now, scan: later}, readDelta, 0},
		{"a delta later", schedule{delta: later, scan: later.Add(1)}, keepWaiting, time.Minute},
		{"a full scan before a delta", schedule{delta: past, scan: now}, fullScan, 0},
		{"an index after a delta", schedule{delta: now, dates: past}, readDelta, 0},
		{"an index while deltas rest", schedule{delta: later, dates: past, regular: past}, readDates, 0},
		{"a delta before what the clock asks for", schedule{delta: past, regular: past, turned: true}, readDelta, 0},
		{"the clock", schedule{delta: later, regular: now}, takeTurn, 0},
		{"the clock, in its turn", schedule{delta: later, regular: now, turned: true}, fullScan, 0},
		{"a turn that has not come", schedule{regular: later, turned: true}, keepWaiting, time.Minute},
	} {
		if got, wait := tt.s.next(now); got != tt.want || wait != tt.wait {
			t.Errorf("%s: action %d after %v, want %d after %v", tt.name, got, wait, tt.want, tt.wait)
		}
	}
}

// Edits postpone the full scan that follows them, but not beyond the limit of the first edit. They do not postpone a
// full scan with another reason.
func TestDueAfterEdits(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(1e9, 0).Add(time.Duration(seconds) * time.Second) }
	const pause, patience = 10 * time.Second, 30 * time.Second
	for _, tt := range []struct {
		name string
		d    due
		now  int
		want due
	}{
		{"the first", due{}, 0, due{at(10), at(30)}},
		{"another", due{at(10), at(30)}, 5, due{at(15), at(30)}},
		{"one too many", due{at(29), at(30)}, 25, due{at(30), at(30)}},
		{"a scan that must not wait", due{at: at(3)}, 1, due{at: at(3)}},
		{"a scan that would come later", due{at: at(60)}, 1, due{at: at(11)}},
	} {
		if got := tt.d.afterEdit(at(tt.now), pause, patience); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := (due{at(20), at(30)}).by(at(7)); got != (due{at(7), at(7)}) {
		t.Errorf("no later than another time: %v", got)
	}
}

// The extent of a full scan of a network grows for three reasons.
func TestExtent(t *testing.T) {
	posts := func() *writes.Set { return &writes.Set{Tables: map[string]bool{"wp_2_posts": true}} }
	for _, tt := range []struct {
		name                  string
		of                    extent
		replaced, asked, lost bool
		all, anything         bool
	}{
		{"no reason", extent{}, false, false, false, false, false},
		{"what was written", extent{written: posts()}, false, false, false, false, false},
		{"the clock", extent{all: true}, false, false, false, true, false},
		{"another database", extent{written: posts()}, true, false, false, true, true},
		{"somebody's word", extent{written: posts()}, false, true, false, true, false},
		{"writes that nobody knows", extent{}, false, false, true, true, true},
	} {
		if got := tt.of.grown(tt.replaced, tt.asked, tt.lost); got.all != tt.all || got.written.Anywhere() != tt.anything {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}
