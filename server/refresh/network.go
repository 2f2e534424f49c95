package refresh

import (
	"cmp"
	"context"
	"slices"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/writes"
)

// A network is read blog by blog. A full scan reads the list of its blogs first, so that each blog has its address and no request
// for it reaches the main blog. Outside of full scans, a blog is read if somebody asks for it, and once in the background. The
// catalogs of the blogs that visitors asked for last stay in memory, and a full scan reads these blogs. All other blogs are idle
// until somebody asks for them. Blogs whose writes the polls do not see are read again, see recheckAfter.
const (
	// If more than Pace.Resident blogs were read, the background works in slices of idleSlice. After each, it rests
	// idleShare times as long.
	idleShare = 3
	idleSlice = 100 * time.Millisecond
)

// blogList is what the refresher knows of the blogs of a network.
type blogList struct {
	walk  *wp.Walk // the last walk; nil for a single site
	rows  map[int64]wp.BlogRow
	again []int64 // blogs that the next full scan must read

	unread     []int64   // blogs that this process has not read, in the order in which the background reads them
	nextUnread time.Time // the earliest time of the next reading in the background
	recheck    time.Time // the time of the next recheck; zero: none is planned
	log        *scanLog  // the log of readings outside of full scans
}

// untilReadSome returns the time until readSome has something to do that nobody asks for. It may be negative.
func (r *Refresher) untilReadSome() time.Duration {
	wait := never
	if len(r.list.unread) > 0 {
		wait = time.Until(r.list.nextUnread)
	}
	if r.planRecheck(); !r.list.recheck.IsZero() {
		wait = min(wait, time.Until(r.list.recheck))
	}
	return wait
}

// readSome reads the blogs of a network that somebody asks for. Then it reads some of the blogs that were never read, and the
// blog that is due for a recheck. For a single site, it only plans a full scan if the site is due for a recheck. ok is false if
// the database does not answer, or if ctx ends.
func (r *Refresher) readSome(ctx context.Context) (ok bool) {
	if r.list.rows == nil {
		if r.dueRecheck() != nil {
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
	background := len(r.list.unread) > 0 && began.After(r.list.nextUnread)
	if background {
		ok = s.readUnread(ctx, began)
	}
	if b := r.dueRecheck(); ok && b != nil {
		s.extent.written, s.why = writes.Anything(began), "visitors ask for it"
		ok = !db.Unreachable(s.readOne(ctx, b.ID))
	}
	if ctx.Err() != nil {
		return false
	}
	s.evict()
	if len(r.list.rows)-len(r.list.unread) > r.daemon.Pace.Resident {
		r.list.nextUnread = time.Now().Add(idleShare * time.Since(began))
	}
	if !ok { // without a pause, a server that refuses would be asked for every blog at once
		r.list.nextUnread = time.Now().Add(firstRetry)
	}
	if background && len(r.list.unread) == 0 { // the background has read its last blog, so all errors are known
		now := *s.now
		now.Err = failures(s.now)
		if r.reads.last = allRead; now.Err != nil {
			r.reads.last = someRead
		}
		r.publish(old, &now)
	} else {
		r.serve(s.now)
	}
	if len(r.list.unread) == 0 {
		r.list.log.end()
		r.list.log = nil
	}
	r.keep(r.site.Snapshot())
	return ok
}

// readUnread reads blogs that this process has not read, for idleSlice from began on. Between them, it reads blogs that somebody
// asks for. It returns false if the database does not answer.
func (s *scan) readUnread(ctx context.Context, began time.Time) bool {
	list := &s.r.list
	for len(list.unread) > 0 && time.Since(began) < idleSlice && ctx.Err() == nil {
		id := list.unread[0]
		list.unread = list.unread[1:]
		answers := true
		if b := s.now.Of(id); len(b) > 0 && b[0].Generation == 0 && b[0].Failed() == nil { // else it was read meanwhile
			answers = !db.Unreachable(s.readOne(ctx, id))
		}
		if !answers {
			list.unread = append(list.unread, id) // at the end, because only this blog may have failed
		}
		s.readWanted(ctx)
		if !answers {
			return false
		}
	}
	return true
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

// If a network is large, or its server has many databases, a poll sees little more than publications. A blog of such a
// network is read again if visitors have asked for it since its last reading, but at most once every recheckAfter. The blog
// that was read longest ago comes first. Sites take turns at a server: after each reading, the server rests Pace.ScanRest
// times as long.

// recheckAfter is the shortest time between two readings of a blog that visitors ask for.
const recheckAfter = 5 * time.Second

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

// planRecheck plans the next reading of the stalest blog, if none is planned yet. It plans it for the first time at which both are
// true: it is this site's turn at the database server, and recheckAfter has passed since the last reading of the blog.
func (r *Refresher) planRecheck() {
	stalest := r.stalest()
	if stalest == nil || !r.list.recheck.IsZero() {
		return
	}
	last, _ := stalest.LastFullScan()
	turn := time.Now().Add(r.daemon.Turns.Take("recheck "+r.site.DatabaseServer(), r.daemon.Pace.ScanRest*last.Took))
	r.list.recheck = later(turn, stalest.Scanned.Add(recheckAfter))
}

// dueRecheck returns the blog to read again now, and clears the planned time. It returns nil before that time. Another blog may
// be the stalest by now, or none.
func (r *Refresher) dueRecheck() *site.Blog {
	if r.list.recheck.IsZero() || time.Now().Before(r.list.recheck) {
		return nil
	}
	r.list.recheck = time.Time{}
	return r.stalest()
}
