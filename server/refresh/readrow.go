package refresh

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// readRow reads the blogs of one row of the network's table, and builds their catalogs. A row has several blogs if each
// language has a domain of its own. Blogs that cannot be read keep their catalogs.
func (s *scan) readRow(ctx context.Context, row wp.BlogRow) error {
	s.r.session.network().Writes().WatchToo(row.ID)
	var blogs []*site.Blog
	err := s.r.session.limited(ctx, func(ctx context.Context) (err error) {
		blogs, err = s.r.site.ReadBlog(ctx, s.walk, row)
		return err
	})
	before := s.now.Of(row.ID)
	var now []*site.Blog
	if err != nil {
		for _, b := range before {
			if s.walk.Multisite() && !b.Resident() && db.Unreachable(err) { // it is read after its server answers again
				now = append(now, b)
				continue
			}
			same := *b
			same.Err, same.Unreadable = err, !same.Known() && !db.Unreachable(err)
			now = append(now, &same)
		}
		s.now = s.now.With(row.ID, now)
		return err
	}
	var failed []error
	for _, read := range blogs {
		var earlier *site.Blog
		if i := slices.IndexFunc(before, func(b *site.Blog) bool { return b.Key() == read.Key() }); i >= 0 {
			earlier = before[i]
		}
		s.build(ctx, read, earlier)
		b := s.r.guard.Blog(earlier, read)
		if b.Err != nil {
			failed = append(failed, b.Err)
		}
		now = append(now, b)
	}
	s.now = s.now.With(row.ID, now)
	return errors.Join(failed...)
}

// build builds the catalog of a blog whose settings were read. If that fails, the blog keeps its earlier catalog and gets the error.
func (s *scan) build(ctx context.Context, b, before *site.Blog) {
	if before != nil {
		b.Succeed(before)
		if !before.Known() {
			before = nil
		}
	}
	began, at := site.Now(), s.r.daemon.Now()
	b.Scanned = began
	reading := site.Reading{At: at, Kind: site.FullScan, Reason: cmp.Or(s.why, reason(s.extent.written, b))}
	var built *sitemap.Catalog
	b.Err = s.r.site.Guard(func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, site.BuildTimeout)
		defer cancel()
		ctx, queries := db.CountQueries(ctx)
		defer func() { reading.Queries = queries.Load() }()
		var old *sitemap.Catalog
		if before != nil {
			old, reading.Before = before.Catalog, before.Outline.Objects()
		}
		built, err = sitemap.Rebuild(ctx, b.Book, s.r.site.Options(b.ID, s.r.daemon.Now), old)
		return err
	})
	reading.Took = began.Ago()
	s.r.site.Worked(metrics.FullScan, reading.Took, b.Err)
	if b.Err != nil {
		if before != nil {
			b.ServeAs(before)
		}
		reading.Err = b.Err.Error()
		b.Readings = b.Noted(reading)
		return
	}
	b.Serve(built, s.r.daemon.Generations.Add(1), s.r.daemon.Now())
	reading.After = b.Outline.Objects()
	b.Readings = b.Noted(reading)
	if before == nil || before.Err != nil || concerns(s.extent.written, b, pageTables()) {
		b.RevalidateBefore = began
	}
	if before != nil && before.Generation != 0 && !before.Resident() {
		b.StaleBefore = began
	}
	s.log.note(b, before, began.Ago())
}
