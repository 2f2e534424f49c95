package refresh

import (
	"cmp"
	"context"
	"slices"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

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
	if walk != r.list.walk { // else the network's table has not changed
		s.now = s.placed(old)
	}
	switch {
	case walk.Multisite() && walk != r.list.walk:
		r.list.walk, r.list.rows = walk, make(map[int64]wp.BlogRow, len(walk.Live))
		for _, row := range walk.Live {
			r.list.rows[row.ID] = row
		}
		r.put(s.now) // before any blog is read, so that requests for all blogs are routed
	case !walk.Multisite() && !old.Known() && s.readPlaces(ctx):
		slot.giveBack() // while this site waits for other sites to find their places, they need the slot
		r.put(s.now)
		r.site.MarkTried()
		select {
		case <-r.daemon.Placed:
		case <-r.site.Hurried(): // a request waits for this site
		case <-ctx.Done():
		}
		if !slot.take(ctx, from.server()) {
			return nothingRead
		}
		start = time.Now()
	}
	t := s.readBlogs(ctx)
	if ctx.Err() == nil {
		return s.end(old, t)
	}
	return nothingRead
}

// end ends a full scan, and publishes what it has read. t has the results of the blogs.
func (s *scan) end(old *site.Snapshot, t *tally) result {
	r, network, err := s.r, s.walk.Multisite(), summed(t.failed)
	r.reads.all, r.reads.lost = false, t.cut || err != nil && !network
	if t.result() == nothingRead && !network {
		r.fail(err)
		return nothingRead
	}
	r.list.again = nil
	s.evict()
	if network {
		r.list.unread = neverRead(s.walk.Live, s.now)
		switch {
		case !t.cut && len(r.list.unread) == 0:
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
		if s.walk.Multisite() && !s.due(row) {
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

// due reports whether a full scan reads a blog of a network.
func (s *scan) due(row wp.BlogRow) bool {
	b := s.now.Of(row.ID)[0]
	switch {
	case b.Failed() != nil, b.HeldBy != "":
		return true
	case !b.Resident(): // only the main blog must always be in memory
		return row.ID == s.walk.Live[0].ID
	case s.extent.all, b.Row != row, slices.Contains(s.r.list.again, row.ID):
		return true
	}
	// A change in the table blogs has changed the row, too.
	return slices.ContainsFunc(tablesOf(s.extent.written, b), func(name string) bool { return name != "blogs" })
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

// result is how a full scan ended.
type result uint8

// The results.
const (
	nothingRead result = iota // no blog was read
	someRead                  // some blogs were read, others failed
	allRead                   // everything due was read
)

// mostSilent is how many blogs in a row may get no answer from their database before the scan of a network ends.
const mostSilent = 3

// tally counts the results of a full scan, blog by blog.
type tally struct {
	network bool
	tried   int
	read    int // blogs whose database answered; in a network, an error is an answer too
	silent  int // blogs in a row whose database did not answer
	failed  []error
	cut     bool // the scan must end, because the database does not answer any more
}

// note counts the result of one blog.
func (t *tally) note(err error) {
	t.tried++
	t.silent++
	if err == nil || t.network && !db.Unreachable(err) {
		t.read, t.silent = t.read+1, 0
	}
	if err != nil {
		t.failed = append(t.failed, err)
	}
	t.cut = t.network && t.silent == mostSilent
}

// result returns the result of the scan. If no blog of a network was due, everything was read.
func (t *tally) result() result {
	switch {
	case t.read == 0 && (t.tried > 0 || !t.network):
		return nothingRead
	case len(t.failed) > 0:
		return someRead
	}
	return allRead
}
