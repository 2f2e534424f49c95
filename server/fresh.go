package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/sitemap/rows"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/metrics"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// errDeclined says that a catalog cannot be brought up to date, but has to be built anew.
var errDeclined = rows.ErrDeclined

// seenByDeltas are the tables whose writes a delta can tell something of.
var seenByDeltas = wp.Tables(func(t wp.Table) bool { return t.Deltas })

// besideRows are the tables that pages are made of and catalogs are not, or not entirely: a
// copy made before one was written may be wrong in a way that only making it again shows.
var besideRows = wp.Tables(func(t wp.Table) bool { return t.Pages })

// namesOf returns the tables of a blog that were written, without prefix; nil where it is not known.
func namesOf(b *site.Blog, word *changes.Event) []string {
	if word.Anywhere() || b.Written == nil {
		return nil
	}
	return b.Written(word.TableNames())
}

// concerned reports whether one of the tables of a blog was written, or may have been.
func concerned(b *site.Blog, word *changes.Event, tables []string) bool {
	if word.Anywhere() || b.Written == nil {
		return true
	}
	return slices.ContainsFunc(namesOf(b, word), func(name string) bool { return slices.Contains(tables, name) })
}

// toldOf returns what a word says of the blog's posts and terms.
func toldOf(b *site.Blog, word *changes.Event) rows.Hints {
	told := rows.Hints{Exact: word.AtLeast(changes.Complete)}
	if names := namesOf(b, word); len(names) > 0 {
		told.Still = !slices.Contains(names, "posts")
	}
	if word == nil {
		return told
	}
	for what, ids := range word.IDs {
		if b.Written == nil || len(b.Written([]string{what.Posts})) == 0 {
			continue
		}
		for id := range ids {
			if what.Terms {
				told.Terms = append(told.Terms, id)
			} else {
				told.Posts = append(told.Posts, id)
			}
		}
	}
	return told
}

// short returns all tables of the site that were written, without prefixes.
func (w *worker) short(word *changes.Event) []string {
	var all []string
	for _, b := range w.Snapshot().Blogs {
		if word.Anywhere() || b.Written == nil {
			return nil
		}
		all = append(all, namesOf(b, word)...)
	}
	return all
}

// reasonFor says what was written, for people.
func reasonFor(b *site.Blog, word *changes.Event) string {
	switch names := namesOf(b, word); {
	case word == nil:
		return "its time has come"
	case len(names) == 0:
		return "something was written"
	default:
		slices.Sort(names)
		return fmt.Sprint("written: ", names)
	}
}

// delta brings the catalogs of those blogs up to date whose tables were written. found tells
// whether it has found what was written; declined, that an audit has to.
func (w *worker) delta(ctx context.Context, word *changes.Event) (found, declined bool, err error) {
	release, ok := w.server.rebuilds.Acquire(ctx, w.DatabaseServer())
	if !ok {
		return false, false, ctx.Err()
	}
	defer release()
	old := w.Snapshot()
	state := *old
	state.Blogs = slices.Clone(old.Blogs)
	changed := false
	for i, b := range old.Blogs {
		if b.Delta == nil || b.HeldBy != "" || b.Catalog == nil || word != nil && !concerned(b, word, seenByDeltas) {
			continue
		}
		next, err := w.deltaOf(ctx, b, word)
		switch {
		case errors.Is(err, errDeclined):
			declined = true
			continue
		case err != nil:
			return found, declined, err
		}
		found = found || next.Generation != b.Generation
		changed = true
		state.Blogs[i] = next
	}
	if ctx.Err() != nil {
		return found, declined, ctx.Err()
	}
	if changed {
		w.change(old, &state)
		if found {
			w.remember(&state)
			w.server.pages.Warm(w.Site)
		}
	}
	return found, declined, nil
}

// deltaOf returns a blog as it is after a delta, with a new generation where anything was found.
func (w *worker) deltaOf(ctx context.Context, b *site.Blog, word *changes.Event) (*site.Blog, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	ctx, queries := db.CountQueries(ctx)
	began, at := time.Now(), w.server.now()
	var c site.Catalog
	touched := 0
	err := w.Guard(func() (err error) {
		c, touched, err = b.Delta(ctx, b.Catalog, toldOf(b, word))
		return err
	})
	if !errors.Is(err, errDeclined) {
		w.Worked(metrics.Delta, time.Since(began), err)
	}
	if err != nil {
		return nil, err
	}
	next := *b
	if touched == 0 { // it still knows now up to where it has read
		next.Catalog, next.Built = c, at
		untold := word != nil && !word.MaybeRepeat && !word.AtLeast(changes.Covered)
		next.UnexplainedWrite = b.UnexplainedWrite || untold && concerned(b, word, []string{"posts"})
		return &next, nil
	}
	next.Serve(c, w.server.generation.Add(1), at)
	next.UnchangedSince = began
	before, after := census(&b.Outline), census(&next.Outline)
	if w.Config.Collapse > 0 && collapse(before, after, w.Config.Collapse) != "" {
		return nil, fmt.Errorf("%w: many addresses are lost", errDeclined)
	}
	next.Readings = b.Noted(site.Reading{
		At: at, Kind: site.DeltaReading, Reason: reasonFor(b, word), Took: time.Since(began), Queries: queries.Load(), Touched: touched, Before: total(before), After: total(after),
	})
	return &next, nil
}

// unexplained reports whether something was written to the posts that neither deltas nor the
// audit have seen in them: an attachment that posts may show, or a text changed in place.
func unexplained(b, before *site.Blog, word *changes.Event) bool {
	if !concerned(b, word, []string{"posts"}) || before.Catalog == nil {
		return false
	}
	if before.Catalog.Side() != b.Catalog.Side() {
		return true
	}
	for _, r := range b.Readings[1:] {
		if r.Kind != site.DeltaReading || before.UnexplainedWrite {
			break
		}
		if r.Touched > 0 {
			return false
		}
	}
	return before.SamePages(b)
}

// look reads the settings alone, and reports whether any that matter has changed.
func (w *worker) look(ctx context.Context, net *network, word *changes.Event) (changed bool) {
	release, ok := w.server.rebuilds.Acquire(ctx, w.DatabaseServer())
	if !ok {
		return false
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	if net.walk != nil {
		return w.lookAtNetwork(ctx, net, word)
	}
	var blogs []site.Settings
	var gone []site.Gone
	err := w.Guard(func() (err error) {
		blogs, gone, err = net.read(ctx)
		return err
	})
	state := w.Snapshot()
	if err != nil || len(blogs) != len(state.Blogs) || !slices.Equal(gone, state.Gone) {
		return true
	}
	for _, b := range blogs {
		if before := state.Blog(b.Key()); before == nil || before.Fingerprint != b.Fingerprint {
			return true
		}
	}
	return false
}

// attend keeps the site fresh until the next audit is due, and returns what that is about; ok is false
// when ctx has ended. well: the last audit has found all it was to.
func (w *worker) attend(ctx context.Context, net *network, a *agenda, well bool) (word *changes.Event, ok bool) {
	var changed <-chan struct{}
	if net != nil && net.feed != nil {
		changed = net.feed.Changed()
	}
	turned := false
	for {
		now := time.Now()
		a.deltas = w.Snapshot().TakesDeltas()
		ask := w.compare(a, now, well)
		deed, wait := a.next(now, w.short)
		wait = min(wait, ask)
		switch deed {
		case anAudit:
			if w.leaves(a, now, well) {
				continue
			}
			if !a.pending.IsZero() || turned || net == nil || !net.feed.Told() {
				word, a.word, a.all = a.all, nil, nil
				return word, true
			}
			turned = true // hundreds of sites come due together
			a.regular = now.Add(w.auditTurn())
			continue
		case aLook:
			word := a.begin()
			if w.look(ctx, net, word) {
				a.soon(time.Now())
			}
			a.looked(word, now, time.Now())
			continue
		case aDelta:
			word := a.begin()
			found, declined, err := w.delta(ctx, word)
			a.read(word, now, time.Now(), found, w.urgent(word), w.took)
			if declined || err != nil { // whose audit tells what is wrong
				a.soon(time.Now())
			}
			continue
		}
		w.settled.Store(changed != nil && a.word == nil && a.pending.IsZero())
		due, kick := w.timers()
		timer := time.NewTimer(max(0, min(wait, due, kick)))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, false
		case <-timer.C:
			if due <= wait && due <= kick {
				a.told(&changes.Event{MaybeRepeat: true, Settled: time.Now()})
			} else if kick < wait {
				w.server.pages.Warm(w.Site)
			}
		case <-w.elsewhere:
		case <-w.again:
			a.soon(time.Now())
		case <-changed:
			if a.told(net.feed.Take()); !well { // what keeps it from being read may be over
				a.soon(time.Now())
			}
		}
		w.settled.Store(false)
		timer.Stop()
	}
}

// urgent reports whether writes that a delta has not found are of people's making, and not what
// WordPress and its plugins write all the time.
func (w *worker) urgent(word *changes.Event) bool {
	if word.Anywhere() {
		return true
	}
	return slices.ContainsFunc(w.short(word), wp.Edited)
}

// never is longer than any wait.
const never = 1000 * time.Hour

// timers returns the time until a scheduled post of a blog is to be published, and until a page
// changes by the clock alone.
func (w *worker) timers() (due, kick time.Duration) {
	due, kick = never, never
	now := w.server.now()
	for _, b := range w.Snapshot().Blogs {
		if b.Catalog == nil || b.HeldBy != "" {
			continue
		}
		if at, ok := b.Catalog.Due(); ok && b.Delta != nil {
			// WordPress does it, with the first request after that second
			due = min(due, max(time.Second, time.Unix(at, 0).Sub(now)+time.Second))
		}
		if at := b.Catalog.Expires(); at.After(now) {
			kick = min(kick, at.Sub(now)+time.Millisecond)
		}
	}
	return due, kick
}

// auditTurn staggers full reads that have no reason: it returns how long to wait for the next turn at the database server.
func (w *worker) auditTurn() time.Duration {
	return w.server.staggered.Take("audit "+w.DatabaseServer(), w.server.pace.auditEvery)
}
