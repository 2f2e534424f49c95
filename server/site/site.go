package site

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/crawler"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/proxy"
	"wpsitemapd/server/traffic"
)

// FirstTimeout is how long requests wait for the first catalog after the start.
const FirstTimeout = 20 * time.Second

// mostWanted is how many blogs may wait to be read. A request for a further blog has to be repeated.
const mostWanted = 1000

// A Site is an install of the configuration, with what is known of it now. Its refresher publishes snapshots, which all other
// code reads. If the configuration of a site changes, another Site takes its place. A Site is safe for concurrent use.
type Site struct {
	Config   config.Site
	Identity string // Identity identifies its database, see config.Site.Identity.
	Log      *slog.Logger
	Counted  *metrics.SiteCounts
	Process  *metrics.Process
	Crawls   *crawler.SiteLog
	Traffic  *traffic.Log
	Upstream *proxy.Proxy // Upstream is the PHP site; nil: there is none.
	Term     uint64       // Term is higher for a later Site of the same name.
	Rank     uint64       // Rank decides if two sites claim one place: the lower rank gets it.
	Began    time.Time    // Began is when the site was created; zero: it does not belong to a running daemon.
	// InForce reports whether the daemon uses this Site for its name now. If not, its pages are not kept, because another
	// Site renders pages for the same addresses.
	InForce atomic.Bool

	current  atomic.Pointer[Snapshot]
	next     atomic.Pointer[chan struct{}] // closed by the next Publish
	server   atomic.Pointer[string]        // the address of the database server; nil: not known yet
	tried    chan struct{}                 // closed after the first attempt to read the site
	trying   sync.Once
	slowness atomic.Int64 // the duration of the longest piece of work since the last call of Slowest
	parts    *partCounts

	hurried  chan struct{} // closed after Hurry was called
	hurrying sync.Once

	wantedMu sync.Mutex
	wanted   []int64       // blogs that somebody asks for
	wants    chan struct{} // contains one signal while there are wanted blogs
	visits   chan struct{} // contains one signal if somebody has asked for sitemaps
}

// New returns a site of which nothing is known yet.
func New(c config.Site, log *slog.Logger) *Site {
	s := &Site{
		Config: c, Identity: c.Identity(), Log: log, tried: make(chan struct{}), hurried: make(chan struct{}), parts: &partCounts{},
		wants: make(chan struct{}, 1), visits: make(chan struct{}, 1),
	}
	s.current.Store(&Snapshot{})
	next := make(chan struct{})
	s.next.Store(&next)
	return s
}

// Snapshot returns what is known of the site now.
func (s *Site) Snapshot() *Snapshot { return s.current.Load() }

// Routed returns what the last reading of a blog found out about its types and addresses, as the text of address.Book.Routed. It
// returns "" if nothing is known.
func (s *Site) Routed(blog int64) string {
	for _, b := range s.Snapshot().Of(blog) {
		return b.Routed
	}
	return ""
}

// Publish replaces the snapshot. Only the site's refresher may call it.
func (s *Site) Publish(now *Snapshot) { s.PublishMoved(now, func() {}) }

// PublishMoved is like Publish, for a snapshot whose blogs have other hosts or paths. It calls route, which rebuilds the routing
// table, before it wakes the requests that wait for a snapshot.
func (s *Site) PublishMoved(now *Snapshot, route func()) {
	s.current.Store(now)
	route()
	next := make(chan struct{})
	close(*s.next.Swap(&next))
}

// Visit records that somebody asks for the sitemaps of a blog.
func (s *Site) Visit(b *Blog) {
	if b.ask() {
		select {
		case s.visits <- struct{}{}:
		default: // it has a signal already
		}
	}
}

// Visits returns a channel that gets a signal if somebody asks for a blog, at most one a second for each blog.
func (s *Site) Visits() <-chan struct{} { return s.visits }

// Hurry makes the site the next one to be opened and read, because a request waits for its first reading.
func (s *Site) Hurry() { s.hurrying.Do(func() { close(s.hurried) }) }

// Hurried returns a channel that is closed after Hurry was called.
func (s *Site) Hurried() <-chan struct{} { return s.hurried }

// Want asks the refresher to read a blog of a network.
func (s *Site) Want(blog int64) {
	s.Hurry()
	s.wantedMu.Lock()
	defer s.wantedMu.Unlock()
	if !slices.Contains(s.wanted, blog) && len(s.wanted) < mostWanted {
		s.wanted = append(s.wanted, blog)
	}
	select {
	case s.wants <- struct{}{}:
	default: // it has a signal already
	}
}

// Wants returns a channel that gets a signal if Wanted has blogs to return.
func (s *Site) Wants() <-chan struct{} { return s.wants }

// Wanted returns the blogs that Want was called for, and forgets them.
func (s *Site) Wanted() []int64 {
	s.wantedMu.Lock()
	defer s.wantedMu.Unlock()
	wanted := s.wanted
	s.wanted = nil
	return wanted
}

// Await requests a reading of a blog of a network, and waits until the blog is in memory or has failed, or until ctx ends.
func (s *Site) Await(ctx context.Context, blog int64) {
	s.await(ctx, func(now *Snapshot) bool {
		blogs := now.Of(blog)
		if !now.Opened || len(blogs) == 0 || blogs[0].Resident() || blogs[0].HeldBy != "" || blogs[0].Failed() != nil {
			return true
		}
		s.Want(blog)
		return false
	})
}

// AwaitNext waits until a blog has a newer catalog, and returns the blog with that catalog. It returns nil if the blog
// has gone or ctx has ended.
func (s *Site) AwaitNext(ctx context.Context, b *Blog) (next *Blog) {
	came := s.await(ctx, func(now *Snapshot) bool {
		next = now.Blog(b.Key())
		return next == nil || next.Generation != b.Generation
	})
	if !came {
		return nil
	}
	return next
}

// await waits until is(snapshot) is true. It returns false if ctx ends first.
func (s *Site) await(ctx context.Context, is func(*Snapshot) bool) bool {
	for {
		replaced := *s.next.Load() // loaded before Snapshot, so that no Publish is missed
		if is(s.Snapshot()) {
			return true
		}
		select {
		case <-replaced:
		case <-ctx.Done():
			return false
		}
	}
}

// Inherit takes over the snapshot, the database server, the rank and the counts of parts of an earlier Site of the same name.
// The snapshot is served until this Site is read.
func (s *Site) Inherit(before *Site) {
	known := *before.Snapshot()
	s.Publish(&known)
	s.server.Store(before.server.Load())
	s.Rank, s.parts = before.Rank, before.parts
}

// FirstAttempt returns a channel that is closed after the first attempt to read the site, successful or not.
func (s *Site) FirstAttempt() <-chan struct{} { return s.tried }

// MarkTried records that somebody has tried to read the site.
func (s *Site) MarkTried() { s.trying.Do(func() { close(s.tried) }) }

// DatabaseServer returns the address of the site's database server. Until that is known, it returns the name of the site.
func (s *Site) DatabaseServer() string {
	if address := s.server.Load(); address != nil {
		return *address
	}
	return s.Config.Name
}

func (s *Site) SetDatabaseServer(address string) { s.server.Store(&address) }

// Placed reports whether the addresses of the site's blogs are known.
func (s *Site) Placed() bool {
	if now := s.Snapshot(); now.Known() {
		return len(now.Blogs)+len(now.Gone) > 0
	}
	return len(s.Config.HostNames()) > 0
}

// Slots bounds the work on database servers.
type Slots interface {
	// Acquire waits for a slot, and returns false if ctx ends first. A signal on hurry ends the wait for other work on
	// the same server. hurry may be nil.
	Acquire(ctx context.Context, server string, hurry <-chan struct{}) (release func(), ok bool)
}

// Guard calls f and turns a panic into an error, so that the data of one site cannot end the daemon.
func (s *Site) Guard(f func() error) (err error) { return Guard(s.Log, f) }

// Guard calls f. It logs a panic and turns it into an error.
func Guard(log *slog.Logger, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			log.Error("internal error", "panic", v, "stack", string(debug.Stack()), "hint", "report it with this log entry")
			err = fmt.Errorf("internal error: %v", v)
		}
	}()
	return f()
}

// Worked counts a piece of work, its duration and its error. A canceled context does not count as an error.
func (s *Site) Worked(work metrics.Work, took time.Duration, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	s.Counted.Worked(work, err)
	s.Process.Worked(work, took)
	for slowest := s.slowness.Load(); int64(took) > slowest && !s.slowness.CompareAndSwap(slowest, int64(took)); slowest = s.slowness.Load() {
	}
}

// Slowest returns the duration of the longest piece of work since the last call.
func (s *Site) Slowest() time.Duration { return time.Duration(s.slowness.Swap(0)) }
