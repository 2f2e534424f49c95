package refresh

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"wpsitemapd/server/site"
	"wpsitemapd/wp"
	"wpsitemapd/wp/writes"
)

const (
	// turnTimeout is how long opening a database waits for a slot. If a server does not answer, many sites wait for its slots.
	// After turnTimeout, the database is opened without a slot.
	turnTimeout    = 10 * time.Second
	joinTimeout    = 30 * time.Second // how long joining the feed of a database may take
	opensPerSecond = 20               // how many databases all sites together open in a second, after failures

	// reopenAfter is the number of failed reads in a row after which the database is opened again. Perhaps wp-config.php or
	// the account has changed.
	reopenAfter = 3
)

// slot is the right to work on a database server.
type slot struct {
	daemon  *Daemon
	hurry   <-chan struct{} // a signal on this channel makes the work urgent; nil if nobody can signal
	server  string
	release func() // nil: the slot is not held
}

// take waits for the slot, unless it is already held. It returns false if ctx ends first.
func (s *slot) take(ctx context.Context, server string) (ok bool) {
	if s.release != nil && s.server == server {
		return true
	}
	s.giveBack()
	s.server = server
	s.release, ok = s.daemon.Slots.Acquire(ctx, server, s.hurry)
	return ok
}

func (s *slot) giveBack() {
	if s.release != nil {
		s.release()
		s.release = nil
	}
}

// session opens and closes the database of a site.
type session struct {
	site   *site.Site
	daemon *Daemon

	inUse   atomic.Pointer[opened] // the database in use; nil before the first opening; only the refresher changes it
	retired []*opened              // databases that were replaced; catalogs read from them may still be served
	unread  int                    // failed reads in a row
}

// opened is an open database with the feed of its writes.
type opened struct {
	network *wp.Network
	feed    *writes.Subscription
}

// use returns the database to read. It opens the database if none is in use, after reopenAfter failed reads, and if options of
// the network have changed. Else it returns the database in use.
//
// If justOpened is true, the caller must call settle with this database after the read; settle accepts or closes the database.
// If opening fails, use returns the error and the database in use, or nil if there is none. failed is the number of full scans
// in a row that have failed.
func (s *session) use(ctx context.Context, failed int, slot *slot) (db *opened, justOpened bool, err error) {
	current := s.inUse.Load()
	if current != nil && s.unread < reopenAfter && !s.optionsChanged(ctx) {
		return current, false, nil
	}
	if failed > 0 && !s.takeTurn(ctx) {
		return nil, false, ctx.Err()
	}
	another, err := s.open(ctx, slot)
	if err != nil {
		return current, false, err
	}
	if current == nil {
		s.adopt(another)
	}
	return another, true, nil
}

// settle decides which database stays in use after a read of the database use. If use was just opened, and anything could be read
// from it, use replaces the database that was in use. If nothing could be read, settle closes use.
func (s *session) settle(use *opened, got result) {
	current := s.inUse.Load()
	switch {
	case use == current:
		if got == allRead {
			closeAll(s.retired)
			s.retired = nil
		}
	case got != nothingRead:
		current.feed.Leave()
		s.retired = append(s.retired, current)
		s.adopt(use)
	default:
		use.close()
	}
}

// adopt puts a database in use. The site then uses the breaker and the slots of the server of that database.
func (s *session) adopt(o *opened) {
	s.inUse.Store(o)
	s.site.SetDatabaseServer(o.server())
}

func (s *session) close() {
	closeAll(s.retired)
	if o := s.inUse.Load(); o != nil {
		o.close()
	}
}

func closeAll(databases []*opened) {
	for _, o := range databases {
		o.close()
	}
}

// server returns the address of the database server.
func (o *opened) server() string { return o.network.Writes().DB.Server }

func (o *opened) close() {
	o.feed.Leave()
	_ = o.network.Close() // closing cannot lose data, because nothing was written
}

// takeTurn waits for this site's turn to open its database, because hundreds of sites must not open
// their databases at once. It returns false if ctx ends first.
func (s *session) takeTurn(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(s.daemon.Turns.Take("open", time.Second/opensPerSecond)):
		return true
	}
}

// open opens the database of the site. It takes a slot of the server, which the caller must give back.
func (s *session) open(ctx context.Context, slot *slot) (*opened, error) {
	var network *wp.Network
	err := s.site.Guard(func() (err error) {
		network, err = s.daemon.Open(ctx, s.site, func(ctx context.Context, server string) {
			ctx, cancel := context.WithTimeout(ctx, turnTimeout)
			defer cancel()
			slot.take(ctx, server)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	o := &opened{network: network}
	s.daemon.Feed.Answered(o.server())
	timed, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	o.feed = s.daemon.Feed.Join(timed, network.Writes(), s.site.Config.Refresh)
	return o, nil
}

// optionsChanged reports whether options of the whole network have changed since its database was opened.
func (s *session) optionsChanged(ctx context.Context) (changed bool) {
	n := s.network()
	if n == nil {
		return false
	}
	err := s.limited(ctx, func(ctx context.Context) (err error) {
		changed, err = n.OptionsChanged(ctx)
		return err
	})
	return err == nil && changed
}

// limited calls a function that reads settings, with a time limit and protected against panics.
func (s *session) limited(ctx context.Context, read func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, site.ReadTimeout)
	defer cancel()
	return s.site.Guard(func() error { return read(ctx) })
}

// network returns the database in use, or nil before one is open.
func (s *session) network() *wp.Network {
	if o := s.inUse.Load(); o != nil {
		return o.network
	}
	return nil
}

// watch tells the feed which blogs are in memory, so that writes to them are reported.
func (s *session) watch(now *site.Snapshot) {
	n := s.network()
	if n == nil {
		return
	}
	var blogs []int64
	for _, b := range now.Blogs {
		if b.Resident() {
			blogs = append(blogs, b.ID)
		}
	}
	n.Writes().Watch(len(now.Blogs), slices.Compact(blogs), func() (last int64) {
		for _, b := range now.Blogs {
			last = max(last, b.Asked())
		}
		return last
	})
}

// feed returns the feed of the database in use, or nil before one is open. It is safe for concurrent use.
func (s *session) feed() *writes.Subscription {
	if o := s.inUse.Load(); o != nil {
		return o.feed
	}
	return nil
}
