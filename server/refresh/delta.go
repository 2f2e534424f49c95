package refresh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/refresh/guard"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// deltaTables are the tables whose writes a delta can follow.
var deltaTables = sync.OnceValue(func() []string { return sitemap.Declared.TablesWith(func(t wp.Table) bool { return t.Deltas }) })

// applyDelta brings the catalogs up to date with what was written, and plans what comes after it.
func (r *Refresher) applyDelta(ctx context.Context) {
	d := Delta{Event: r.plan.BeginDelta(), Began: time.Now()}
	found, declined, err := r.delta(ctx, d.Event)
	d.Found, d.Urgent = found, r.urgent(d.Event)
	d.Failed = declined || err != nil // a full read shows what is wrong
	r.plan.EndDelta(d, time.Now(), r.reads.took)
}

// delta brings the catalogs of those blogs up to date whose tables were written. found reports whether it has found what was
// written; declined, that a full read has to.
func (r *Refresher) delta(ctx context.Context, event *changes.Set) (found, declined bool, err error) {
	release, ok := r.daemon.Place(ctx, r.site.DatabaseServer())
	if !ok {
		return false, false, ctx.Err()
	}
	defer release()
	old := r.site.Snapshot()
	now := *old
	now.Blogs = slices.Clone(old.Blogs)
	changed := false
	for i, b := range old.Blogs {
		if b.Delta == nil || b.HeldBy != "" || b.Catalog == nil || event != nil && !concerns(event, b, deltaTables()) {
			continue
		}
		next, err := r.deltaOf(ctx, b, event)
		switch {
		case errors.Is(err, rows.ErrDeclined):
			declined = true
			continue
		case err != nil:
			return found, declined, err
		}
		found = found || next.Generation != b.Generation
		changed = true
		now.Blogs[i] = next
	}
	if ctx.Err() != nil {
		return found, declined, ctx.Err()
	}
	if changed {
		r.publish(old, &now)
		if found {
			r.keep(&now)
		}
	}
	return found, declined, nil
}

// deltaOf returns a blog as it is after a delta, with a new generation where anything was found.
func (r *Refresher) deltaOf(ctx context.Context, b *site.Blog, event *changes.Set) (*site.Blog, error) {
	ctx, cancel := context.WithTimeout(ctx, site.ReadTimeout)
	defer cancel()
	ctx, queries := db.CountQueries(ctx)
	began, at := site.Now(), r.daemon.Now()
	var c site.Catalog
	touched := 0
	err := r.site.Guard(func() (err error) {
		c, touched, err = b.Delta(ctx, b.Catalog, writtenTo(event, b))
		return err
	})
	if !errors.Is(err, rows.ErrDeclined) {
		r.site.Worked(metrics.Delta, began.Ago(), err)
	}
	if err != nil {
		return nil, err
	}
	next := *b
	if touched == 0 { // it still knows now up to where it has read
		next.Catalog, next.Built = c, at
		isNew := event != nil && !event.MaybeRepeat
		next.UnexplainedWrite = b.UnexplainedWrite || isNew && concerns(event, b, postTables)
		return &next, nil
	}
	next.Serve(c, r.daemon.Generation(), at)
	if share := r.site.Config.Collapse; share > 0 && guard.Loss(&b.Outline, &next.Outline, share) != "" {
		return nil, fmt.Errorf("%w: many addresses are lost", rows.ErrDeclined)
	}
	next.Readings = b.Noted(site.Reading{
		At:      at,
		Kind:    site.DeltaReading,
		Reason:  reason(event, b),
		Took:    began.Ago(),
		Queries: queries.Load(),
		Touched: touched,
		Before:  guard.Count(&b.Outline),
		After:   guard.Count(&next.Outline),
	})
	return &next, nil
}

// urgent reports whether writes that a delta has not found are of people's making, and not what WordPress and its plugins
// write all the time.
func (r *Refresher) urgent(event *changes.Set) bool {
	return event.Anywhere() || slices.ContainsFunc(r.tablesOf(event), sitemap.Declared.Edited)
}

// tablesOf returns all tables of the site that were written, without prefixes; nil where they are not known.
func (r *Refresher) tablesOf(event *changes.Set) []string {
	var all []string
	for _, b := range r.site.Snapshot().Blogs {
		if event.Anywhere() || b.Written == nil {
			return nil
		}
		all = append(all, tablesOf(event, b)...)
	}
	return all
}

// readSettings reads the settings alone, and plans a full read where any that matters has changed.
func (r *Refresher) readSettings(ctx context.Context) {
	began, event := time.Now(), r.plan.BeginDelta()
	changed := r.settingsChanged(ctx, event)
	r.plan.EndSettings(began, time.Now(), changed)
}

func (r *Refresher) settingsChanged(ctx context.Context, event *changes.Set) bool {
	release, ok := r.daemon.Place(ctx, r.site.DatabaseServer())
	if !ok {
		return false
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, site.ReadTimeout)
	defer cancel()
	from := r.session.current
	var walk *site.Walk
	err := r.site.Guard(func() (err error) {
		walk, err = from.Walk(ctx, nil)
		return err
	})
	switch {
	case err != nil:
		return true
	case walk != nil:
		return r.session.optionsChanged(ctx) || r.settingsOfNetworkChanged(ctx, walk, event)
	}
	var blogs []site.Settings
	var gone []site.Gone
	err = r.site.Guard(func() (err error) {
		blogs, gone, err = from.Read(ctx)
		return err
	})
	now := r.site.Snapshot()
	if err != nil || len(blogs) != len(now.Blogs) || !slices.Equal(gone, now.Gone) {
		return true
	}
	return slices.ContainsFunc(blogs, func(b site.Settings) bool {
		before := now.Blog(b.Key())
		return before == nil || before.Fingerprint != b.Fingerprint
	})
}
