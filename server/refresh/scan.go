package refresh

import (
	"context"
	"errors"
	"slices"
	"time"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/db"
)

// A site is scanned blog by blog, the main one first. What is read of a network is served while the others are read; a blog of
// it that was not read yet has its place all the same: its cached pages, or 503, are its own, and never what the main blog
// would say.
const (
	servePartEvery = time.Second // what was read meanwhile is served
	// mostSilent blogs in a row whose database does not answer interrupt a scan, which goes on there later.
	mostSilent = 3
)

// scan is a full scan of a site under way.
type scan struct {
	*Refresher
	written   *changes.Set
	log       *scanLog
	old       *site.Snapshot
	before    map[string]*site.Blog // the blogs of old, by key
	walk      *site.Walk
	blogs     map[int64][]*site.Blog
	vanished  []*site.Blog // neither in the network's table nor gone: the end of the scan decides
	published time.Time
}

// scan reads the site and builds a new catalog of every blog. What cannot be read or built keeps its last good catalog. written
// is what was written since the last full scan. It reports whether the site could be read, and whether all went well.
func (r *Refresher) scan(ctx context.Context, from *opened, written *changes.Set) (read, ok bool) {
	release, ok := r.daemon.Place(ctx, from.server)
	if !ok {
		return false, false
	}
	defer release()
	start := time.Now()
	defer func() { r.reads.took = time.Since(start) }()
	resumed := r.reads.stopped != nil
	var walk *site.Walk
	err := r.limited(ctx, func(ctx context.Context) (err error) {
		walk, err = from.Walk(ctx, r.reads.stopped)
		return err
	})
	if err != nil {
		r.fail(err)
		return false, false
	}
	s := r.newScan(walk, written)
	s.serve(0)
	read, complete, err := s.readStubs(ctx)
	if ctx.Err() != nil {
		return false, false
	}
	r.reads.stopped = nil
	if !complete {
		r.reads.stopped = walk
	}
	if !read && !walk.Network {
		r.fail(err)
		return false, false
	}
	now := s.conclude(complete, err)
	s.log.end()
	r.publish(s.old, now)
	r.keep(now)
	if resumed && complete {
		r.ReadNow() // what was written to the blogs that were read before it was interrupted
	}
	return read, now.Err == nil
}

// limited calls what reads settings, with the time that may take.
func (r *Refresher) limited(ctx context.Context, read func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, site.ReadTimeout)
	defer cancel()
	return r.site.Guard(func() error { return read(ctx) })
}

// newScan gives every blog of a network its place: as it was, or as one that was not read yet.
func (r *Refresher) newScan(walk *site.Walk, written *changes.Set) *scan {
	s := &scan{
		Refresher: r,
		written:   written,
		log:       &scanLog{log: r.site.Log, of: len(walk.Stubs), said: time.Now()},
		old:       r.site.Snapshot(),
		before:    map[string]*site.Blog{},
		walk:      walk,
		blogs:     map[int64][]*site.Blog{},
	}
	byID := map[int64][]*site.Blog{}
	for _, b := range s.old.Blogs {
		s.before[b.Key()] = b
		byID[b.ID] = append(byID[b.ID], b)
	}
	for _, stub := range walk.Stubs {
		s.blogs[stub.ID] = byID[stub.ID]
		if s.blogs[stub.ID] == nil && walk.Network {
			s.blogs[stub.ID] = []*site.Blog{site.Unread(stub.Settings, site.ErrUnreadBlog)}
		}
	}
	for _, b := range s.old.Blogs {
		if s.blogs[b.ID] == nil && !slices.ContainsFunc(walk.Gone, b.GoneTo) {
			s.vanished = append(s.vanished, b)
		}
	}
	return s
}

// readStubs reads the blogs one after the other, and serves what was read meanwhile. It reports whether any could be read, and
// whether the scan has come to its end.
func (s *scan) readStubs(ctx context.Context) (read, complete bool, err error) {
	var failed []error
	silent := 0
	for i, stub := range s.walk.Stubs {
		if stub.Done {
			continue
		}
		err := s.readStub(ctx, stub)
		if ctx.Err() != nil {
			return false, false, ctx.Err()
		}
		if silent++; err == nil || s.walk.Network && !db.Unreachable(err) {
			read, silent = true, 0
		}
		if err != nil {
			failed = append(failed, err)
		}
		if silent == mostSilent && s.walk.Network {
			return read, false, summed(failed)
		}
		if i == 0 && s.walk.Network {
			s.serve(0)
			s.site.MarkTried()
		}
		s.serve(servePartEvery)
		s.log.progress(i + 1)
	}
	return read, true, summed(failed)
}

// readStub reads a blog and builds its catalog. What cannot be read stays as it was.
func (s *scan) readStub(ctx context.Context, stub site.Stub) error {
	var blogs []site.Settings
	err := s.limited(ctx, func(ctx context.Context) (err error) {
		blogs, err = stub.Read(ctx)
		return err
	})
	if err != nil {
		var kept []*site.Blog
		for _, b := range s.blogs[stub.ID] {
			same := *b
			same.Err, same.Unreadable = err, same.Catalog == nil && !db.Unreachable(err)
			kept = append(kept, &same)
		}
		s.blogs[stub.ID] = kept
		return err
	}
	var now []*site.Blog
	var failed []error
	for _, settings := range blogs {
		before := s.before[settings.Key()]
		b := s.guard.Blog(before, s.readBlog(ctx, settings, before))
		if b.Err != nil {
			failed = append(failed, b.Err)
		}
		now = append(now, b)
	}
	s.blogs[stub.ID] = now
	if len(failed) > 0 {
		s.walk.Forget(stub.ID)
	}
	return errors.Join(failed...)
}

// readBlog returns a blog with the catalog of its database. Where that cannot be built it is as before, but for its readings and
// the error.
func (s *scan) readBlog(ctx context.Context, settings site.Settings, before *site.Blog) *site.Blog {
	b := site.Unread(settings, nil)
	if before != nil {
		b.Readings, b.RevalidateBefore = before.Readings, before.RevalidateBefore
		if before.Catalog == nil {
			before = nil
		}
	}
	began, at := site.Now(), s.daemon.Now()
	reading := site.Reading{At: at, Kind: site.FullScan, Reason: reason(s.written, b)}
	var built site.Built
	b.Err = s.site.Guard(func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, site.BuildTimeout)
		defer cancel()
		ctx, queries := db.CountQueries(ctx)
		defer func() { reading.Queries = queries.Load() }()
		if before != nil {
			reading.Before = countEntries(&before.Outline)
		}
		built, err = settings.Reader.Build(ctx, before)
		return err
	})
	reading.Took = began.Ago()
	s.site.Worked(metrics.FullScan, reading.Took, b.Err)
	if b.Err != nil {
		if before != nil {
			b.ServeAs(before)
		}
		reading.Err = b.Err.Error()
		b.Readings = b.Noted(reading)
		return b
	}
	b.Serve(built, s.daemon.Generation(), s.daemon.Now())
	reading.After = countEntries(&b.Outline)
	b.Readings = b.Noted(reading)
	if before == nil || concerns(s.written, b, pageTables()) || unexplained(s.written, b, before) {
		b.RevalidateBefore = began
	}
	s.log.note(b, before, began.Ago())
	return b
}

// conclude returns the site as it is known at the end. err is what went wrong.
func (s *scan) conclude(complete bool, err error) *site.Snapshot {
	now := &site.Snapshot{Opened: true, Gone: s.walk.Gone, Failures: s.old.Failures, Err: err}
	if complete {
		s.walk.End()
	}
	for _, b := range s.all() {
		if b.Reader != nil && complete && s.walk.Network {
			b = b.WithRobots(b.Reader.Robots())
		}
		now.Blogs = append(now.Blogs, b)
	}
	if err == nil {
		now.Blogs = append(now.Blogs, s.guard.Network(s.old, now)...)
		s.guard.Expect(false)
	}
	return now
}

// all returns the blogs in the order of their ids.
func (s *scan) all() []*site.Blog {
	all := make([]*site.Blog, 0, len(s.blogs))
	for _, blogs := range s.blogs {
		all = append(all, blogs...)
	}
	slices.SortStableFunc(all, func(a, b *site.Blog) int { return int(a.ID - b.ID) })
	return all
}

// serve publishes what is known of a network so far, unless that was done a short while ago.
func (s *scan) serve(every time.Duration) {
	if !s.walk.Network || time.Since(s.published) < every {
		return
	}
	now := *s.old
	now.Opened, now.Gone, now.Blogs = true, s.walk.Gone, append(s.all(), s.vanished...)
	s.put(&now)
	s.published = time.Now()
}
