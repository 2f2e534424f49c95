package refresh

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/sitemap"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/writes"
)

// A site is read blog by blog. The list of a network's blogs is read first, so that each blog has its address and no
// request for it reaches the main blog. A blog is read if somebody asks for it, and once in the background. The
// catalogs of the blogs that visitors asked for last stay in memory, and a full scan reads these blogs. All other blogs
// are idle until somebody asks for them.
//
// If a network is large, or its server has many databases, a poll sees little more than publications. A blog of such a
// network is read again if visitors have asked for it since its last reading, but at most once every recheckAfter. The blog
// that was read longest ago comes first. Sites take turns at a server: after each reading, the server rests Pace.ScanRest
// times as long.
const (
	recheckAfter = 5 * time.Second // the shortest time between two readings of a blog that visitors ask for
	// If more than Pace.Resident blogs were read, the background works in slices of idleSlice. After each, it rests
	// idleShare times as long.
	idleShare = 3
	idleSlice = 100 * time.Millisecond
)

// blogList is what the refresher knows of the blogs of a network.
type blogList struct {
	walk  *wp.Walk // the last walk; nil for a single site
	rows  map[int64]wp.BlogRow
	never []int64   // blogs that this process has not read, in the order in which the background reads them
	next  time.Time // the earliest time of the next reading in the background
	again []int64   // blogs that the next full scan must read

	check time.Time // the time of the next recheck; zero: none is planned
	log   *scanLog  // the log of readings outside of full scans
}

// scan reads blogs of a site, in a full scan or outside of one.
type scan struct {
	r      *Refresher
	walk   *wp.Walk
	extent extent
	why    string // the reason for the reading; "": the change set says it
	log    *scanLog
	now    *site.Snapshot // the snapshot with what was read
}

// scan runs a full scan. It reads the list of the blogs, and builds new catalogs of blogs in memory. If e.all is set, it
// builds the catalog of every blog in memory. Else it builds only the catalogs of blogs that the change set concerns, that
// failed before, or whose row has changed. A blog that cannot be read or built keeps its last good catalog.
func (r *Refresher) scan(ctx context.Context, from *opened, slot *slot, e extent) result {
	if !slot.take(ctx, from.server()) {
		return nothingRead
	}
	start := time.Now()
	defer func() { r.reads.took = time.Since(start) }()
	var walk *wp.Walk
	err := r.session.limited(ctx, func(ctx context.Context) (err error) {
		walk, err = from.network.Walk(ctx, r.list.walk)
		return err
	})
	if err != nil {
		r.reads.lost = true
		r.fail(err)
		return nothingRead
	}
	old := r.site.Snapshot()
	s := &scan{r: r, walk: walk, extent: e, log: &scanLog{log: r.site.Log}, now: old}
	if walk != r.list.walk {
		s.now = s.placed(old)
	}
	if s.walk.Multisite() && walk != r.list.walk {
		r.list.walk, r.list.rows = walk, make(map[int64]wp.BlogRow, len(walk.Live))
		for _, row := range walk.Live {
			r.list.rows[row.ID] = row
		}
		r.put(s.now)
	}
	if !s.walk.Multisite() && !old.Known() && s.readPlaces(ctx) {
		slot.giveBack()
		r.put(s.now)
		r.site.MarkTried()
		select {
		case <-r.daemon.Placed:
		case <-r.site.Hurried():
		case <-ctx.Done():
		}
		if !slot.take(ctx, from.server()) {
			return nothingRead
		}
		start = time.Now()
	}
	t := s.readBlogs(ctx)
	if ctx.Err() != nil {
		return nothingRead
	}
	err = summed(t.failed)
	r.reads.all, r.reads.lost = false, t.cut || err != nil && !s.walk.Multisite()
	if t.result() == nothingRead && !s.walk.Multisite() {
		r.fail(err)
		return nothingRead
	}
	r.list.again = nil
	s.evict()
	if s.walk.Multisite() {
		r.list.never = neverRead(walk.Live, s.now)
		switch {
		case !t.cut && len(r.list.never) == 0:
			err = failures(s.now)
		case !t.cut && !db.Unreachable(err): // the error is published after every blog was read
			err = nil
		}
	}
	s.log.end()
	now := s.conclude(old, err)
	r.publish(old, now)
	r.keep(now)
	return t.result()
}

// readPlaces reads only the addresses of a site that is not a network, so that requests can be routed before the catalogs are
// built. It reports whether the read succeeded.
func (s *scan) readPlaces(ctx context.Context) bool {
	var blogs []*site.Blog
	err := s.r.session.limited(ctx, func(ctx context.Context) (err error) {
		blogs, err = s.r.site.ReadBlogs(ctx, s.walk)
		return err
	})
	if err != nil {
		return false // the scan that follows reports the error
	}
	now := *s.now
	now.Opened, now.Blogs = true, blogs
	for _, b := range blogs {
		b.Book, b.Err = nil, site.ErrNotReadYet
	}
	s.now = &now
	return true
}

// placed returns a copy of old that has an entry for every blog in the walk. In a network, a blog that was not read yet gets an
// entry with its address only. A blog that is missing from the network's table keeps its entry, and the end of the scan decides
// whether it stays.
func (s *scan) placed(old *site.Snapshot) *site.Snapshot {
	now := *old
	now.Blogs = nil
	listed := make(map[int64]bool, len(s.walk.Live))
	for _, row := range s.walk.Live {
		listed[row.ID] = true
		blogs := old.Of(row.ID)
		if len(blogs) > 0 && !blogs[0].Resident() && s.walk.Multisite() && !blogs[0].Stands(row) {
			blogs = nil // the address of the blog may have changed
		}
		if len(blogs) == 0 && s.walk.Multisite() {
			home, hosts := s.walk.Address(row)
			blogs = []*site.Blog{site.Unread(site.Blog{ID: row.ID, Home: home, Hosts: hosts, Network: true, Row: row}, site.ErrUnreadBlog)}
		}
		now.Blogs = append(now.Blogs, blogs...)
	}
	if s.walk.Multisite() {
		now.Opened, now.Gone = true, s.walk.Gone
		for _, b := range old.Blogs {
			if !listed[b.ID] && !slices.ContainsFunc(s.walk.Gone, b.GoneTo) {
				now.Blogs = append(now.Blogs, b)
			}
		}
	}
	sortBlogs(now.Blogs)
	return &now
}

func sortBlogs(blogs []*site.Blog) {
	slices.SortStableFunc(blogs, func(a, b *site.Blog) int { return cmp.Compare(a.ID, b.ID) })
}

// neverRead returns the blogs that this process has not read. Blogs that somebody asked for last come first, then blogs
// with cached pages.
func neverRead(rows []wp.BlogRow, now *site.Snapshot) []int64 {
	type unread struct {
		id, asked int64
		cached    int // 1 if there are cached pages
	}
	var blogs []unread
	for _, row := range rows {
		for _, b := range now.Of(row.ID) {
			if !b.Resident() && b.Generation == 0 && b.Failed() == nil {
				u := unread{id: b.ID, asked: b.Asked()}
				if b.Known() {
					u.cached = 1
				}
				blogs = append(blogs, u)
			}
		}
	}
	slices.SortStableFunc(blogs, func(a, b unread) int {
		return cmp.Or(cmp.Compare(b.asked, a.asked), cmp.Compare(b.cached, a.cached))
	})
	ids := make([]int64, len(blogs))
	for i, b := range blogs {
		ids[i] = b.id
	}
	return slices.Compact(ids)
}

// failures returns one error that joins the errors of all blogs that cannot be read.
func failures(now *site.Snapshot) error {
	var failed []error
	for _, b := range now.Blogs {
		if err := b.Failed(); err != nil {
			failed = append(failed, err)
		}
	}
	return summed(failed)
}

// readBlogs reads the due blogs one after the other. Between them, it reads blogs that somebody asks for.
func (s *scan) readBlogs(ctx context.Context) *tally {
	t := &tally{network: s.walk.Multisite()}
	for i, row := range s.walk.Live {
		if s.walk.Multisite() && !s.due(row, i == 0) {
			continue
		}
		err := s.readRow(ctx, row)
		if t.note(err); t.cut || ctx.Err() != nil {
			break
		}
		if i == 0 && s.walk.Multisite() {
			s.r.put(s.now)
			s.r.site.MarkTried()
		}
		s.readWanted(ctx)
	}
	return t
}

// due reports whether a full scan reads a blog of a network. main is set for the main blog.
func (s *scan) due(row wp.BlogRow, main bool) bool {
	b := s.now.Of(row.ID)[0]
	switch {
	case b.Failed() != nil, b.HeldBy != "":
		return true
	case !b.Resident():
		return main
	case s.extent.all, b.Row != row, slices.Contains(s.r.list.again, row.ID):
		return true
	}
	// A change in the table blogs has changed the row, too.
	return slices.ContainsFunc(tablesOf(s.extent.written, b), func(name string) bool { return name != "blogs" })
}

// readSome reads the blogs of a network that somebody asks for. Then it reads some of the blogs that were never read, and the
// blog that recheck returns. For a single site, it only plans a full scan if recheck returns the site. ok is false if the
// database does not answer, or if ctx ends.
func (r *Refresher) readSome(ctx context.Context) (ok bool) {
	if r.list.rows == nil {
		if r.recheck() != nil {
			r.plan.Reread()
		}
		return true
	}
	release, ok := r.daemon.Slots.Acquire(ctx, r.site.DatabaseServer(), nil)
	if !ok {
		return false
	}
	defer release()
	began := time.Now()
	if r.list.log == nil {
		r.list.log = &scanLog{log: r.site.Log}
	}
	old := r.site.Snapshot()
	s := &scan{r: r, walk: r.list.walk, log: r.list.log, now: old}
	s.readWanted(ctx)
	background := len(r.list.never) > 0 && began.After(r.list.next)
	for ok && background && len(r.list.never) > 0 && time.Since(began) < idleSlice && ctx.Err() == nil {
		id := r.list.never[0]
		r.list.never = r.list.never[1:]
		if b := s.now.Of(id); len(b) > 0 && b[0].Generation == 0 && b[0].Failed() == nil {
			ok = !db.Unreachable(s.readOne(ctx, id))
		}
		if !ok {
			r.list.never = append(r.list.never, id) // at the end, because only this blog may have failed
		}
		s.readWanted(ctx)
	}
	if b := r.recheck(); ok && b != nil {
		s.extent.written, s.why = writes.Anything(began), "visitors ask for it"
		ok = !db.Unreachable(s.readOne(ctx, b.ID))
	}
	if ctx.Err() != nil {
		return false
	}
	s.evict()
	if len(r.list.rows)-len(r.list.never) > r.daemon.Pace.Resident {
		r.list.next = time.Now().Add(idleShare * time.Since(began))
	}
	if !ok { // without a pause, a server that refuses would be asked for every blog at once
		r.list.next = time.Now().Add(firstRetry)
	}
	if background && len(r.list.never) == 0 {
		now := *s.now
		now.Err = failures(s.now)
		if r.reads.last = allRead; now.Err != nil {
			r.reads.last = someRead
		}
		r.publish(old, &now)
	} else {
		r.serve(s.now)
	}
	if len(r.list.never) == 0 {
		r.list.log.end()
		r.list.log = nil
	}
	r.keep(r.site.Snapshot())
	return ok
}

// stalest looks at the blogs that visitors have asked for since their last reading. It returns the one that was read longest
// ago. It returns nil if there is none, or if polls see every write.
func (r *Refresher) stalest() (stalest *site.Blog) {
	if !r.session.feed().Partial() || r.list.rows == nil && !r.plan.Idle() {
		return nil
	}
	for _, b := range r.site.Snapshot().Blogs {
		if b.Resident() && b.HeldBy == "" && b.Asked() > b.Scanned.UnixNano() && (stalest == nil || b.Scanned.Before(stalest.Scanned)) {
			stalest = b
		}
	}
	return stalest
}

// takeTurn sets list.check, the time at which the stalest blog is read again. By that time, the server has rested after the
// readings of other sites, and recheckAfter has passed since the last reading of the blog.
func (r *Refresher) takeTurn(stalest *site.Blog) {
	last, _ := stalest.LastFullScan()
	turn := time.Now().Add(r.daemon.Turns.Take("recheck "+r.site.DatabaseServer(), r.daemon.Pace.ScanRest*last.Took))
	r.list.check = later(turn, stalest.Scanned.Add(recheckAfter))
}

// recheck returns the blog to read again now, and clears list.check. It returns nil before the time list.check, or if no blog
// needs another reading.
func (r *Refresher) recheck() *site.Blog {
	if r.list.check.IsZero() || time.Now().Before(r.list.check) {
		return nil
	}
	r.list.check = time.Time{}
	return r.stalest()
}

// serve publishes a snapshot, and tells the listener. It does nothing if the snapshot is the current one.
func (r *Refresher) serve(now *site.Snapshot) {
	if now != r.site.Snapshot() {
		r.put(now)
		r.tell.Changed()
	}
}

// readWanted reads the blogs that somebody asks for, and publishes each.
func (s *scan) readWanted(ctx context.Context) {
	if !s.walk.Multisite() {
		return
	}
	for _, id := range s.r.site.Wanted() {
		if b := s.now.Of(id); len(b) > 0 && !b[0].Resident() && ctx.Err() == nil {
			s.readOne(ctx, id)
			s.r.serve(s.now)
		}
	}
}

// readOne reads a blog outside of a full scan. If that fails, it plans a full scan.
func (s *scan) readOne(ctx context.Context, id int64) error {
	row, listed := s.r.list.rows[id]
	if !listed {
		return nil
	}
	err := s.readRow(ctx, row)
	if err != nil && ctx.Err() == nil {
		s.r.plan.ScanBy(time.Now().Add(retryDelay(s.r.reads.failed+1, err)))
	}
	return err
}

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

// evict drops the catalogs of the blogs that were asked for longest ago, if more than Pace.Resident are in memory.
func (s *scan) evict() {
	most := s.r.daemon.Pace.Resident
	var resident []*site.Blog
	for _, b := range s.now.Blogs {
		if b.Resident() && b.HeldBy == "" {
			resident = append(resident, b)
		}
	}
	if len(resident) <= most {
		return
	}
	next := *s.now
	next.Blogs = slices.Clone(s.now.Blogs)
	idle := writes.AskedLast(resident, (*site.Blog).Asked)[most:]
	for i, b := range next.Blogs {
		if slices.Contains(idle, b) {
			next.Blogs[i] = b.Idle()
		}
	}
	s.now = &next
}

// conclude returns the snapshot at the end of a full scan. err is the error of the scan, or nil.
func (s *scan) conclude(old *site.Snapshot, err error) *site.Snapshot {
	now := &site.Snapshot{Opened: true, Gone: s.walk.Gone, Failures: old.Failures, Err: err, Blogs: s.now.Blogs}
	now.Blogs = slices.Clone(now.Blogs)
	if s.walk.Multisite() {
		now.Blogs = slices.DeleteFunc(now.Blogs, func(b *site.Blog) bool {
			_, listed := s.r.list.rows[b.ID]
			return !listed
		})
	}
	if s.walk.Multisite() || err == nil {
		now.Blogs = append(now.Blogs, s.r.guard.Network(old, now)...)
	}
	if err == nil {
		s.r.guard.Expect(false)
	}
	sortBlogs(now.Blogs)
	return now
}
