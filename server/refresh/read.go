package refresh

import (
	"context"
	"errors"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/refresh/guard"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/db"
)

// readAll reads the site and builds a new catalog of every blog. What cannot be read or built keeps its last good catalog.
// It reports whether the site could be read, and whether all went well.
func (r *Refresher) readAll(ctx context.Context, from site.Database, event *changes.Set) (read, ok bool) {
	release, ok := r.daemon.Place(ctx, r.site.DatabaseServer())
	if !ok {
		return false, false
	}
	defer release()
	start := time.Now()
	defer func() { r.reads.took = time.Since(start) }()
	var walk *site.Walk
	err := r.limited(ctx, func(ctx context.Context) (err error) {
		walk, err = from.Walk(ctx, r.reads.stopped)
		return err
	})
	switch {
	case err != nil:
		r.fail(err)
		return false, false
	case walk != nil:
		return r.readNetwork(ctx, walk, event)
	}
	return r.readBlogs(ctx, from, event)
}

// limited calls what reads settings, with the time that may take.
func (r *Refresher) limited(ctx context.Context, read func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, site.ReadTimeout)
	defer cancel()
	return r.site.Guard(func() error { return read(ctx) })
}

// readBlogs is readAll where there is no network.
func (r *Refresher) readBlogs(ctx context.Context, from site.Database, event *changes.Set) (read, ok bool) {
	var blogs []site.Settings
	var gone []site.Gone
	err := r.limited(ctx, func(ctx context.Context) (err error) {
		blogs, gone, err = from.Read(ctx)
		return err
	})
	old := r.site.Snapshot()
	if err != nil && len(blogs) == 0 {
		r.fail(err)
		return false, false
	}
	now := &site.Snapshot{Opened: true, Gone: gone, Failures: old.Failures}
	log := &readLog{log: r.site.Log, of: len(blogs), told: time.Now()}
	errs := []error{err}
	for _, settings := range blogs {
		before := old.Blog(settings.Key())
		b := r.guard.Blog(before, r.readBlog(ctx, settings, before, event, log.note))
		errs = append(errs, b.Err)
		now.Blogs = append(now.Blogs, b)
	}
	log.end()
	if err != nil { // a blog that could not be read stays as it was
		for _, before := range old.Blogs {
			if now.Blog(before.Key()) == nil {
				kept := *before
				kept.Err = err
				now.Blogs = append(now.Blogs, &kept)
			}
		}
	}
	if ctx.Err() != nil {
		return false, false
	}
	if err == nil {
		now.Blogs = append(now.Blogs, r.guard.Network(old, now)...)
	}
	if now.Err = errors.Join(errs...); now.Err == nil {
		r.guard.Expect(false)
	}
	r.publish(old, now)
	r.keep(now)
	return true, now.Err == nil
}

// readBlog returns a blog with the catalog of its database. Where that cannot be built it is as before, but for the reading
// and the error. log is called with a blog that was read.
func (r *Refresher) readBlog(
	ctx context.Context, settings site.Settings, before *site.Blog, event *changes.Set, log func(now, before *site.Blog, took time.Duration),
) *site.Blog {
	b := site.Unread(settings, nil)
	if before != nil {
		b.Readings, b.RevalidateBefore = before.Readings, before.RevalidateBefore
	}
	began, at := site.Now(), r.daemon.Now()
	reading := site.Reading{At: at, Kind: site.AuditReading, Reason: reason(event, b)}
	var built site.Catalog
	b.Err = r.site.Guard(func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, site.BuildTimeout)
		defer cancel()
		ctx, queries := db.CountQueries(ctx)
		defer func() { reading.Queries = queries.Load() }()
		var old site.Catalog
		if before != nil {
			old = before.Catalog
			reading.Before = guard.Count(&before.Outline)
		}
		built, err = settings.Build(ctx, old)
		return err
	})
	reading.Took = began.Ago()
	r.site.Worked(metrics.Audit, reading.Took, b.Err)
	if b.Err != nil {
		if before != nil {
			b.ServeAs(before)
		}
		reading.Err = b.Err.Error()
		b.Readings = b.Noted(reading)
		return b
	}
	b.Serve(built, r.daemon.Generation(), r.daemon.Now())
	reading.After = guard.Count(&b.Outline)
	b.Readings = b.Noted(reading)
	if before == nil || concerns(event, b, pageTables()) || unexplained(event, b, before) {
		b.RevalidateBefore = began
	}
	log(b, before, began.Ago())
	return b
}
