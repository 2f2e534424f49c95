package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/metrics"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// errDeclined says that a catalog cannot be brought up to date, but has to be built anew.
var errDeclined = sitemap.ErrDeclined

// Reading is one time a blog was read.
type Reading struct {
	At      time.Time
	Kind    ReadingKind
	Reason  string // what it was told
	Took    time.Duration
	Queries int64
	Touched int // posts that changed, as far as a delta sees
	Before  int // addresses
	After   int
	Err     string
}

// ReadingKind is how a blog was read.
type ReadingKind string

// The kinds of reading. A look at the settings alone is no reading of a blog.
const (
	DeltaReading  ReadingKind = "delta"
	AuditReading  ReadingKind = "audit"
	SharedReading ReadingKind = "shared" // an audit by another process
)

// keptReadings are the last ones of a blog, the newest first.
const keptReadings = 16

// noted returns the readings with another one.
func (b *blogState) noted(r Reading) []Reading {
	return append([]Reading{r}, b.readings[:min(len(b.readings), keptReadings-1)]...)
}

// serve sets what is served of the blog. Who wants to know what has changed, compares the
// catalog before with the one that is set here: this is the one place where a blog gets another.
func (b *blogState) serve(c catalog, generation uint64, now time.Time) {
	b.catalog, b.generation, b.built = c, generation, now
	b.outline = c.Outline()
	b.listed = make(map[listedPage]bool, len(b.outline.Files)+len(b.outline.Others))
	for _, f := range slices.Concat(b.outline.Files, b.outline.Others) {
		b.listed[listedPage{f.Name, f.Page}] = true
	}
}

// seenByDeltas are the tables whose writes a delta can tell something of.
var seenByDeltas = wp.Tables(func(t wp.Table) bool { return t.Deltas })

// besideRows are the tables that pages are made of and catalogs are not, or not entirely: a
// copy made before one was written may be wrong in a way that only making it again shows.
var besideRows = wp.Tables(func(t wp.Table) bool { return t.Pages })

// names returns the tables of a blog that were written, without prefix; nil where it is not known.
func (b *blogState) names(word *changes.Event) []string {
	if word.Anywhere() || b.written == nil {
		return nil
	}
	return b.written(word.TableNames())
}

// concerned reports whether one of the tables of a blog was written, or may have been.
func (b *blogState) concerned(word *changes.Event, tables []string) bool {
	if word.Anywhere() || b.written == nil {
		return true
	}
	return slices.ContainsFunc(b.names(word), func(name string) bool { return slices.Contains(tables, name) })
}

// told returns what a word says of the blog's posts and terms.
func (b *blogState) told(word *changes.Event) sitemap.Told {
	told := sitemap.Told{Exact: word.AtLeast(changes.Complete)}
	if names := b.names(word); len(names) > 0 {
		told.Still = !slices.Contains(names, "posts")
	}
	if word == nil {
		return told
	}
	for what, ids := range word.IDs {
		if b.written == nil || len(b.written([]string{what.Posts})) == 0 {
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
	for _, b := range w.state.Load().blogs {
		if word.Anywhere() || b.written == nil {
			return nil
		}
		all = append(all, b.names(word)...)
	}
	return all
}

// reason says what was written, for people.
func (b *blogState) reason(word *changes.Event) string {
	switch names := b.names(word); {
	case word == nil:
		return "its time has come"
	case len(names) == 0:
		return "something was written"
	default:
		slices.Sort(names)
		return fmt.Sprint("written: ", names)
	}
}

// takesDeltas reports whether any blog does.
func (s *siteState) takesDeltas() bool {
	return slices.ContainsFunc(s.blogs, func(b *blogState) bool { return b.delta != nil && b.held == "" && b.catalog != nil })
}

// delta brings the catalogs of those blogs up to date whose tables were written. found tells
// whether it has found what was written; declined, that an audit has to.
func (w *worker) delta(ctx context.Context, word *changes.Event) (found, declined bool, err error) {
	release, ok := w.server.rebuilds.acquire(ctx, w.databaseServer())
	if !ok {
		return false, false, ctx.Err()
	}
	defer release()
	old := w.state.Load()
	state := *old
	state.blogs = slices.Clone(old.blogs)
	changed := false
	for i, b := range old.blogs {
		if b.delta == nil || b.held != "" || b.catalog == nil || word != nil && !b.concerned(word, seenByDeltas) {
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
		found = found || next.generation != b.generation
		changed = true
		state.blogs[i] = next
	}
	if ctx.Err() != nil {
		return found, declined, ctx.Err()
	}
	if changed {
		w.change(old, &state)
		if found {
			w.remember(&state)
			w.kick()
		}
	}
	return found, declined, nil
}

// deltaOf returns a blog as it is after a delta, with a new generation where anything was found.
func (w *worker) deltaOf(ctx context.Context, b *blogState, word *changes.Event) (*blogState, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	ctx, queries := db.CountQueries(ctx)
	began, at := time.Now(), w.server.now()
	var c catalog
	touched := 0
	err := w.guard(func() (err error) {
		c, touched, err = b.delta(ctx, b.catalog, b.told(word))
		return err
	})
	if !errors.Is(err, errDeclined) {
		w.worked(metrics.Delta, time.Since(began), err)
	}
	if err != nil {
		return nil, err
	}
	next := *b
	if touched == 0 { // it still knows now up to where it has read
		next.catalog, next.built = c, at
		untold := word != nil && !word.MaybeRepeat && !word.AtLeast(changes.Covered)
		next.unfound = b.unfound || untold && b.concerned(word, []string{"posts"})
		return &next, nil
	}
	next.serve(c, w.server.generation.Add(1), at)
	next.known = began
	before, after := census(&b.outline), census(&next.outline)
	if w.site.Collapse > 0 && collapse(before, after, w.site.Collapse) != "" {
		return nil, fmt.Errorf("%w: many addresses are lost", errDeclined)
	}
	next.readings = b.noted(Reading{
		At: at, Kind: DeltaReading, Reason: b.reason(word), Took: time.Since(began), Queries: queries.Load(), Touched: touched, Before: total(before), After: total(after),
	})
	return &next, nil
}

// unexplained reports whether something was written to the posts that neither deltas nor the
// audit have seen in them: an attachment that posts may show, or a text changed in place.
func (b *blogState) unexplained(before *blogState, word *changes.Event) bool {
	if !b.concerned(word, []string{"posts"}) || before.catalog == nil {
		return false
	}
	if before.catalog.Side() != b.catalog.Side() {
		return true
	}
	for _, r := range b.readings[1:] {
		if r.Kind != DeltaReading || before.unfound {
			break
		}
		if r.Touched > 0 {
			return false
		}
	}
	return before.same(b)
}

// same reports whether two catalogs of a blog have the same pages, as far as they tell.
func (b *blogState) same(o *blogState) bool {
	return b.catalog != nil && b.catalog.Fingerprint(sitemap.TextName, 1) == o.catalog.Fingerprint(sitemap.TextName, 1) // of everything
}

// look reads the settings alone, and reports whether any that matter has changed.
func (w *worker) look(ctx context.Context, net *network, word *changes.Event) (changed bool) {
	release, ok := w.server.rebuilds.acquire(ctx, w.databaseServer())
	if !ok {
		return false
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	if net.walk != nil {
		return w.lookAtNetwork(ctx, net, word)
	}
	var blogs []blog
	var gone []goneBlog
	err := w.guard(func() (err error) {
		blogs, gone, err = net.read(ctx)
		return err
	})
	state := w.state.Load()
	if err != nil || len(blogs) != len(state.blogs) || !slices.Equal(gone, state.gone) {
		return true
	}
	for _, b := range blogs {
		if before := state.blog(b.key()); before == nil || before.settings != b.settings {
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
		a.deltas = w.state.Load().takesDeltas()
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
				w.kick()
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
	for _, b := range w.state.Load().blogs {
		if b.catalog == nil || b.held != "" {
			continue
		}
		if at, ok := b.catalog.Due(); ok && b.delta != nil {
			// WordPress does it, with the first request after that second
			due = min(due, max(time.Second, time.Unix(at, 0).Sub(now)+time.Second))
		}
		if at := b.catalog.Expires(); at.After(now) {
			kick = min(kick, at.Sub(now)+time.Millisecond)
		}
	}
	return due, kick
}

// auditTurn staggers full reads that have no reason: it returns how long to wait for the next turn at the database server.
func (w *worker) auditTurn() time.Duration {
	return w.server.staggered.Take("audit "+w.databaseServer(), w.server.pace.auditEvery)
}
