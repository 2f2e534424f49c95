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
)

// FirstTimeout is how long requests wait for the first catalog after the start.
const FirstTimeout = 20 * time.Second

// mostWanted blogs wait to be read at a time; who asks for another one asks again.
const mostWanted = 1000

// A Site is an install of the configuration: who it is, and what is known of it now. Its refresher publishes snapshots, and
// everybody else reads them. A changed configuration of the same name is another Site. It is safe for concurrent use.
type Site struct {
	Config   config.Site
	Identity string // Identity distinguishes it also under another name, see config.Site.Identity.
	Log      *slog.Logger
	Counted  *metrics.SiteCounts
	Process  *metrics.Process
	Crawls   *crawler.SiteLog
	Upstream *proxy.Proxy // Upstream is the PHP site; nil: there is none.
	Term     uint64       // Of the sites of one name the later one has the higher term.
	Rank     uint64       // Of two sites that claim one place the lower one has it.
	Began    time.Time    // Began is when it was made; zero: it is no site of a running daemon.

	current  atomic.Pointer[Snapshot]
	next     atomic.Pointer[chan struct{}] // closed by the next Publish
	server   atomic.Pointer[string]
	tried    chan struct{}
	trying   sync.Once
	slowness atomic.Int64
	parts    *partCounts

	hurried  chan struct{}
	hurrying sync.Once

	wantedMu sync.Mutex
	wanted   []int64       // blogs that somebody asks for
	wants    chan struct{} // holds one signal: there are some
	visits   chan struct{} // holds one signal: somebody has asked for sitemaps
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

// Snapshot is what is known now.
func (s *Site) Snapshot() *Snapshot { return s.current.Load() }

// Routed is what rewrite rules showed of a blog's types when it was read last, see wp.Blog.Routed.
func (s *Site) Routed(blog int64) string {
	for _, b := range s.Snapshot().Of(blog) {
		return b.Routed
	}
	return ""
}

// Publish puts what is known in the place of what was. It is for the site's refresher alone.
func (s *Site) Publish(now *Snapshot) { s.PublishMoved(now, func() {}) }

// PublishMoved is Publish of blogs at other places: route is called before anybody is told.
func (s *Site) PublishMoved(now *Snapshot, route func()) {
	s.current.Store(now)
	route()
	next := make(chan struct{})
	close(*s.next.Swap(&next))
}

// Visit notes that somebody asks for the sitemaps of a blog.
func (s *Site) Visit(b *Blog) {
	if b.ask() {
		select {
		case s.visits <- struct{}{}:
		default: // it has a signal already
		}
	}
}

// Visits holds a signal once somebody asks for a blog again: at most one a second of each.
func (s *Site) Visits() <-chan struct{} { return s.visits }

// Hurry has the site opened and read before others whose turn it is, as a request waits for its first reading.
func (s *Site) Hurry() { s.hurrying.Do(func() { close(s.hurried) }) }

// Hurried is closed once Hurry was called.
func (s *Site) Hurried() <-chan struct{} { return s.hurried }

// Want has a blog of a network read that somebody asks for.
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

// Wants holds a signal once there are blogs that Wanted returns.
func (s *Site) Wants() <-chan struct{} { return s.wants }

// Wanted returns the blogs that somebody asks for, and forgets them.
func (s *Site) Wanted() []int64 {
	s.wantedMu.Lock()
	defer s.wantedMu.Unlock()
	wanted := s.wanted
	s.wanted = nil
	return wanted
}

// Await has a blog of a network read, and waits until it is in memory, has failed, or ctx ends.
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

// AwaitNext waits for the catalog that follows that of a blog, and returns the blog with it; nil: the blog has gone, or ctx ended.
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

// await waits for a snapshot of a kind, and reports whether it came before ctx ended.
func (s *Site) await(ctx context.Context, is func(*Snapshot) bool) bool {
	for {
		replaced := *s.next.Load() // before Snapshot: it is closed by the next Publish
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

// Inherit takes over what another site of the name knows, until this one has been read itself.
func (s *Site) Inherit(before *Site) {
	known := *before.Snapshot()
	s.Publish(&known)
	s.server.Store(before.server.Load())
	s.Rank, s.parts = before.Rank, before.parts
}

// FirstAttempt is closed after the first attempt to read the site, successful or not.
func (s *Site) FirstAttempt() <-chan struct{} { return s.tried }

// MarkTried notes that an attempt was made.
func (s *Site) MarkTried() { s.trying.Do(func() { close(s.tried) }) }

// DatabaseServer is the address of the site's database server, as far as it is known.
func (s *Site) DatabaseServer() string {
	if address := s.server.Load(); address != nil {
		return *address
	}
	return s.Config.Name
}

// SetDatabaseServer notes the address.
func (s *Site) SetDatabaseServer(address string) { s.server.Store(&address) }

// Placed reports whether the addresses of the site's blogs are known.
func (s *Site) Placed() bool {
	if now := s.Snapshot(); now.Known() {
		return len(now.Blogs)+len(now.Gone) > 0
	}
	return len(s.Config.HostNames()) > 0
}

// Slots bounds the work at database servers.
type Slots interface {
	// Acquire waits for a slot, and returns false if ctx ends first. A signal on hurry, which may be nil, ends the wait for other work at
	// the same server.
	Acquire(ctx context.Context, server string, hurry <-chan struct{}) (release func(), ok bool)
}

// Guard turns a panic into an error: one site's odd data must not take the others down.
func (s *Site) Guard(f func() error) (err error) { return Guard(s.Log, f) }

// Guard logs a panic and turns it into an error.
func Guard(log *slog.Logger, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			log.Error("internal error", "panic", v, "stack", string(debug.Stack()), "hint", "report it with this log entry")
			err = fmt.Errorf("internal error: %v", v)
		}
	}()
	return f()
}

// Worked counts a piece of work. That the daemon stops, or nobody wants it any more, is no error.
func (s *Site) Worked(work metrics.Work, took time.Duration, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	s.Counted.Worked(work, err)
	s.Process.Worked(work, took)
	for slowest := s.slowness.Load(); int64(took) > slowest && !s.slowness.CompareAndSwap(slowest, int64(took)); slowest = s.slowness.Load() {
	}
}

// Slowest is the longest piece of work since it was asked for last.
func (s *Site) Slowest() time.Duration { return time.Duration(s.slowness.Swap(0)) }
