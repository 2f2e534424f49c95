package refresh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/writes"
)

// readDelta reads what has changed since the last delta. If only settings have changed, it reads the settings and no posts.
// Then it plans the next reading.
func (r *Refresher) readDelta(ctx context.Context) {
	began := time.Now()
	written, settings := r.plan.BeginDelta()
	if settings {
		r.plan.EndSettings(began, r.settingsChanged(ctx, written))
		return
	}
	end := r.delta(ctx, written)
	end.Set, end.Began, end.Edit = written, began, r.edited(written)
	r.plan.EndDelta(end)
}

// readDates reads the indexes of dates that deltas did not read.
func (r *Refresher) readDates(ctx context.Context) {
	r.plan.BeginDates()
	r.plan.EndDates(r.delta(ctx, nil).Failed)
}

// delta updates the catalogs of the blogs whose tables were written. If written is nil, it updates the catalogs of the blogs whose
// last delta did not read the index of dates. It sets Found, Failed and DatesUnread of the result.
func (r *Refresher) delta(ctx context.Context, written *writes.Set) (end deltaEnd) {
	old := r.site.Snapshot()
	if !slices.ContainsFunc(old.Blogs, (*site.Blog).TakesDeltas) {
		return deltaEnd{Failed: true}
	}
	release, ok := r.daemon.Slots.Acquire(ctx, r.site.DatabaseServer(), nil)
	if !ok {
		return deltaEnd{Failed: ctx.Err() != nil}
	}
	defer release()
	now := *old
	now.Blogs = slices.Clone(old.Blogs)
	changed := false
	for i, b := range old.Blogs {
		due := datesUnread(b)
		if written != nil {
			due = concerns(written, b, deltaTables())
		}
		if !due || !b.TakesDeltas() {
			continue
		}
		next, err := r.deltaOf(ctx, b, written)
		switch {
		case errors.Is(err, rows.ErrDeclined):
			end.Failed = true
			continue
		case err != nil:
			end.Failed = true
			return end
		}
		end.Found = end.Found || next.Generation != b.Generation
		end.DatesUnread = end.DatesUnread || datesUnread(next)
		changed = true
		now.Blogs[i] = next
	}
	if ctx.Err() != nil {
		end.Failed = true
		return end
	}
	if changed {
		r.publish(old, &now)
		if end.Found {
			r.keep(&now)
		}
	}
	return end
}

// datesUnread reports whether the last delta of the blog did not read the index of dates, so that a later one must.
func datesUnread(b *site.Blog) bool { return b.Catalog != nil && b.Catalog.DatesUnread() }

// deltaOf returns a blog after a delta, with a new generation if something changed. If the delta loses too many URLs, the error
// is rows.ErrDeclined, because the lossGuard checks full scans only.
func (r *Refresher) deltaOf(ctx context.Context, b *site.Blog, written *writes.Set) (*site.Blog, error) {
	ctx, cancel := context.WithTimeout(ctx, site.ReadTimeout)
	defer cancel()
	ctx, queries := db.CountQueries(ctx)
	began, at := site.Now(), r.daemon.Now()
	var catalog *sitemap.Catalog
	var touched int
	err := r.site.Guard(func() (err error) {
		if b.Catalog == nil { // the catalog could not be built
			return rows.ErrDeclined
		}
		catalog, touched, err = b.Catalog.Delta(ctx, tablesOf(written, b))
		return err
	})
	if !errors.Is(err, rows.ErrDeclined) {
		r.site.Worked(metrics.Delta, began.Ago(), err)
	}
	if err != nil {
		return nil, err
	}
	next := *b
	if touched == 0 { // nothing changed, so the catalog is still true at this time
		next.Catalog, next.Built = catalog, at
		return &next, nil
	}
	next.Serve(catalog, r.daemon.Generations.Add(1), at)
	if lossOf(&b.Outline, &next.Outline).tooMuch(r.site.Config.Collapse) {
		return nil, fmt.Errorf("%w: many URLs are lost", rows.ErrDeclined)
	}
	why := "index of dates"
	if written != nil {
		why = reason(written, b)
	}
	next.Readings = b.Noted(site.Reading{
		At:      at,
		Kind:    site.Delta,
		Reason:  why,
		Took:    began.Ago(),
		Queries: queries.Load(),
		Touched: touched,
		Before:  b.Outline.Objects(),
		After:   next.Outline.Objects(),
	})
	return &next, nil
}

// settingsChanged reads the settings of the blogs whose settings tables were written. It reports whether a setting that
// matters has changed or cannot be read.
func (r *Refresher) settingsChanged(ctx context.Context, written *writes.Set) bool {
	release, ok := r.daemon.Slots.Acquire(ctx, r.site.DatabaseServer(), nil)
	if !ok {
		return false
	}
	defer release()
	var walk *wp.Walk
	err := r.session.limited(ctx, func(ctx context.Context) (err error) {
		walk, err = r.session.network().Walk(ctx, r.list.walk)
		return err
	})
	now := r.site.Snapshot()
	if err != nil || r.session.optionsChanged(ctx) || !slices.Equal(walk.Gone, now.Gone) {
		return true
	}
	known := 0
	for _, row := range walk.Live {
		before := now.Of(row.ID)
		if len(before) == 0 || !before[0].Stands(row) || !before[0].Known() && !walk.Multisite() {
			return true
		}
		known += len(before)
		if !before[0].Resident() || !concerns(written, before[0], blogSettings()) {
			continue
		}
		var blogs []*site.Blog
		err := r.session.limited(ctx, func(ctx context.Context) (err error) {
			blogs, err = r.site.ReadBlog(ctx, walk, row)
			return err
		})
		same := func(b, before *site.Blog) bool {
			return b.Key() == before.Key() && b.Fingerprint == before.Fingerprint
		}
		if err != nil || !slices.EqualFunc(blogs, before, same) {
			return true
		}
	}
	return known != len(now.Blogs)
}
