package refresh

import (
	"slices"
	"testing"
	"time"

	"wpsitemapd/server/changes"
)

// planner is a plan with a clock of its own.
type planner struct {
	Plan
	now time.Time
}

func newPlanner(took time.Duration, telling bool) *planner {
	p := &planner{Plan: Plan{Refresh: 30 * time.Second}, now: time.Unix(1e9, 0)}
	p.EndFullRead(p.now.Add(-took), p.now, took, telling, time.Hour)
	p.Deltas = true
	p.now = p.now.Add(time.Hour / 2) // and then it was quiet
	p.beat = time.Time{}
	if !telling {
		p.beat = p.now
	}
	return p
}

// write tells of a write to a table just now.
func (p *planner) write(again bool, tables ...string) {
	w := &changes.Set{Tables: map[string]bool{}, MaybeRepeat: again, Settled: p.now.Add(time.Second)}
	for _, name := range tables {
		w.Tables[name] = true
	}
	p.Tell(w)
}

func short(w *changes.Set) []string { return slices.Sorted(slices.Values(w.TableNames())) }

// expect fails unless an action is next, and waits for it if need be.
func (p *planner) expectNext(t *testing.T, want Action, after time.Duration) {
	t.Helper()
	from := p.now
	for range 5 {
		got, wait := p.Next(p.now, short)
		if got != Wait || want == Wait {
			if took := p.now.Sub(from); got != want || took.Round(time.Second) != after {
				t.Fatalf("%d after %v, want %d after %v", got, took, want, after)
			}
			return
		}
		p.now = p.now.Add(wait)
	}
	t.Fatal("nothing comes of it")
}

// delta does one that takes a while.
func (p *planner) delta(took time.Duration, found, urgent bool) {
	word := p.BeginDelta()
	began := p.now
	p.now = p.now.Add(took)
	p.EndDelta(Delta{Event: word, Began: began, Found: found, Urgent: urgent}, p.now, time.Second)
}

// A table in which visits are counted has the settings read no more often than the others may; where anything else was
// written, too, that does not wait.
func TestPlanOfTablesThatCount(t *testing.T) {
	p := newPlanner(time.Second, true)
	p.write(false, "redirection_items")
	p.expectNext(t, ReadSettings, 0)
	p.BeginDelta()
	began := p.now
	p.now = p.now.Add(time.Second)
	p.EndSettings(began, p.now, false)
	p.write(false, "redirection_items")
	p.expectNext(t, ReadSettings, restShare*time.Second)
	p.BeginDelta()
	p.EndSettings(p.now.Add(-time.Second), p.now, false)
	p.write(false, "redirection_items")
	p.write(false, "options")
	p.expectNext(t, ReadSettings, deltaShare*time.Second)
}

func TestPlan(t *testing.T) {
	t.Run("a write is a delta at once, and a full read after its rest", func(t *testing.T) {
		p := newPlanner(time.Second, true)
		p.write(false, "posts")
		p.expectNext(t, ApplyDelta, 0)
		p.delta(100*time.Millisecond, true, true)
		p.expectNext(t, FullRead, restShare*time.Second)
	})
	t.Run("further edits put the full read off until they pause, but not for ever", func(t *testing.T) {
		for _, tt := range []struct{ edits, after time.Duration }{{15, 14 + restShare}, {latestShare - 5, latestShare}} {
			p := newPlanner(time.Second, true)
			from := p.now
			for range tt.edits {
				p.write(false, "posts")
				p.expectNext(t, ApplyDelta, 0)
				p.delta(0, true, true)
				p.now = p.now.Add(time.Second)
			}
			p.expectNext(t, FullRead, from.Add(tt.after*time.Second).Sub(p.now))
		}
	})
	t.Run("nor do they put off one that is about something else", func(t *testing.T) {
		p := newPlanner(time.Second, true)
		p.spent = p.now.Add(readCredit + 30*time.Second) // it has none left
		from := p.now
		for i := range 18 {
			p.write(false, "posts")
			p.expectNext(t, ApplyDelta, 0)
			p.delta(0, i != 1, true)
			p.now = p.now.Add(time.Second)
		}
		p.expectNext(t, FullRead, from.Add(30*time.Second).Sub(p.now))
	})
	t.Run("deltas rest, too", func(t *testing.T) {
		p := newPlanner(time.Minute, true)
		p.write(false, "posts")
		p.delta(3*time.Second, true, true)
		p.write(false, "posts")
		p.expectNext(t, ApplyDelta, deltaShare*3*time.Second)
	})
	t.Run("what a delta does not see is a full read at once", func(t *testing.T) {
		p := newPlanner(time.Second, true)
		p.write(false, "posts")
		p.delta(0, false, true)
		p.expectNext(t, FullRead, 0)
	})
	t.Run("but not what is written all the time", func(t *testing.T) {
		p := newPlanner(time.Second, true)
		p.write(false, "postmeta", "usermeta")
		p.delta(0, false, false)
		p.expectNext(t, FullRead, restShare*time.Second)
	})
	t.Run("nor the second word of the same write", func(t *testing.T) {
		p := newPlanner(time.Second, true)
		p.write(false, "posts")
		p.delta(0, true, true)
		p.write(true, "posts")
		p.expectNext(t, ApplyDelta, 0)
		p.delta(0, false, true)
		p.expectNext(t, FullRead, restShare*time.Second)
	})
	t.Run("full reads without rest use up their credit", func(t *testing.T) {
		p := newPlanner(time.Second, true)
		from := p.now
		var waits []time.Duration
		for range 9 {
			p.write(false, "posts")
			p.delta(0, false, true)
			at := p.now
			p.expectNext(t, FullRead, max(0, p.spent.Add(-readCredit).Sub(p.now)))
			waits = append(waits, p.now.Sub(at))
			p.EndFullRead(p.now, p.now, time.Second, true, time.Hour)
			p.now = p.now.Add(time.Second)
		}
		if waits[5] != 0 || waits[8] < 10*time.Second {
			t.Errorf("%v within %v", waits, p.now.Sub(from))
		}
	})
	t.Run("options alone are a look", func(t *testing.T) {
		p := newPlanner(time.Second, true)
		p.write(false, "options")
		p.expectNext(t, ReadSettings, 0)
		p.BeginDelta()
		p.EndSettings(p.now, p.now, false)
		p.expectNext(t, FullRead, time.Hour/2) // the regular one
	})
	t.Run("options with others are not", func(t *testing.T) {
		p := newPlanner(time.Second, true)
		p.write(false, "options")
		p.write(false, "posts")
		p.expectNext(t, ApplyDelta, 0)
	})
	t.Run("a word of what the full read has read is none", func(t *testing.T) {
		p := newPlanner(time.Second, true)
		p.Tell(&changes.Set{Settled: p.fullRead})
		if p.event != nil {
			t.Error("it is taken up")
		}
	})
	t.Run("a site that takes no deltas is read at once", func(t *testing.T) {
		p := newPlanner(time.Second, true)
		p.Deltas = false
		p.write(false, "posts")
		p.expectNext(t, FullRead, 0)
	})
	t.Run("without words deltas come on a beat", func(t *testing.T) {
		p := newPlanner(time.Second, false)
		p.expectNext(t, ApplyDelta, 0)
		p.delta(0, true, false)
		p.expectNext(t, ApplyDelta, 30*time.Second)
		p.delta(40*time.Second, true, false)
		p.expectNext(t, ApplyDelta, 80*time.Second)
	})
}
