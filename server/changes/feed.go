package changes

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"wpsitemapd/wp/writes"
)

// Source is one way to notice writes.
type Source interface {
	// Watch returns a watcher of the databases of a group.
	Watch(*Group) Watcher
}

// Watcher reports writes to the subscriptions of one group, by one query or one connection for all of them.
type Watcher interface {
	// Run reports writes until ctx ends, which it does when the last subscription of the account has left.
	Run(ctx context.Context)
	// Joined is called after a subscription has come. Writes after its return are reported, if the source can see any.
	Joined(ctx context.Context)
}

// Feed finds out about the writes to all databases that have joined it.
type Feed struct {
	start    func(func(context.Context))
	fallback Source
	better   map[string]Source

	mu       sync.Mutex
	accounts map[string]*account
}

// NewFeed returns a feed of sources: the one that watches every database, and those that are better where a database
// asks for them, by their names. start runs a function until its context ends.
func NewFeed(start func(func(context.Context)), fallback Source, better map[string]Source) *Feed {
	return &Feed{start: start, fallback: fallback, better: better, accounts: map[string]*account{}}
}

// account is one account of a database server. Sources watch all databases that are read by it together.
type account struct {
	server string
	subs   []*Subscription
	groups map[Source]*Group
	left   context.Context // ends when the last subscription has left
	leave  context.CancelFunc
}

// Group is what one source watches: the databases of one account that want it.
type Group struct {
	Server string // the database server's address

	feed      *Feed
	account   *account
	watcher   Watcher
	subs      atomic.Pointer[[]*Subscription]
	reporting atomic.Int64  // every write has been reported since then, in Unix nanoseconds; 0: not so
	current   atomic.Int64  // all that was written before has been reported, in Unix nanoseconds
	nudged    chan struct{} // holds one signal: another group of the account has begun or ceased to report, or has grown
}

// Join subscribes to the writes to a database: to those after it has returned, as far as a source can see them. The
// source of the name prefer reports them, too, where there is one. refresh is how often the database is read where
// nothing reports writes.
func (f *Feed) Join(ctx context.Context, db *writes.Database, refresh time.Duration, prefer string) *Subscription {
	server := db.Server
	key := server + " " + db.User
	f.mu.Lock()
	a := f.accounts[key]
	if a == nil {
		a = &account{server: server, groups: map[Source]*Group{}}
		a.left, a.leave = context.WithCancel(context.Background())
		f.accounts[key] = a
	}
	s := &Subscription{DB: db, Refresh: refresh, feed: f, key: key, account: a, changed: make(chan struct{}, 1)}
	a.subs = append(slices.Clone(a.subs), s)
	s.fallback = f.group(a, f.fallback)
	if source := f.better[prefer]; source != nil {
		s.better = f.group(a, source)
		s.better.add(s)
	}
	s.fallback.add(s) // last: whoever finds it in a group reads both fields
	f.mu.Unlock()
	if s.better != nil {
		s.better.watcher.Joined(ctx)
	}
	s.fallback.nudge()
	s.fallback.watcher.Joined(ctx)
	return s
}

// group returns the group of a source, which is watched from then on. f.mu is held.
func (f *Feed) group(a *account, source Source) *Group {
	if g := a.groups[source]; g != nil {
		return g
	}
	g := NewGroup(a.server)
	g.feed, g.account, a.groups[source] = f, a, g
	g.watcher = source.Watch(g)
	f.start(func(work context.Context) {
		ctx, cancel := context.WithCancel(work)
		defer cancel()
		defer context.AfterFunc(a.left, cancel)()
		g.watcher.Run(ctx)
	})
	return g
}

// NewGroup returns a group of no feed. Tests of sources and of who listens to them need no database.
func NewGroup(server string, subs ...*Subscription) *Group {
	g := &Group{Server: server, account: &account{}, feed: &Feed{}, nudged: make(chan struct{}, 1)}
	g.set(subs)
	for _, s := range subs {
		s.fallback = g
	}
	return g
}

// Subscriptions are the databases to watch. The slice does not change; another one takes its place.
func (g *Group) Subscriptions() []*Subscription { return *g.subs.Load() }

func (g *Group) add(s *Subscription) { g.set(append(slices.Clone(g.Subscriptions()), s)) }

func (g *Group) set(subs []*Subscription) { g.subs.Store(&subs) }

// Begin notes that every write is reported from now on, and returns whether that is new.
func (g *Group) Begin() bool {
	if !g.reporting.CompareAndSwap(0, time.Now().UnixNano()) {
		return false
	}
	g.nudgeOthers()
	return true
}

// End notes that writes may go unnoticed, and returns for how long they did not.
func (g *Group) End() time.Duration {
	since := g.reporting.Swap(0)
	if since == 0 {
		return 0
	}
	g.nudgeOthers()
	return time.Since(time.Unix(0, since))
}

// Since returns since when every write has been reported, in Unix nanoseconds; 0 while that is not so.
func (g *Group) Since() int64 { return g.reporting.Load() }

// Current notes that all that was written before a moment has been reported.
func (g *Group) Current(at time.Time) { g.current.Store(at.UnixNano()) }

// ReportAll has all databases read, as anything may have been written.
func (g *Group) ReportAll() {
	for _, s := range g.Subscriptions() {
		s.Report(Unknown(time.Now()))
	}
}

// Nudged holds a signal once another group of the account has begun or ceased to report, or this one has grown.
func (g *Group) Nudged() <-chan struct{} { return g.nudged }

func (g *Group) nudge() {
	select {
	case g.nudged <- struct{}{}:
	default: // it has a signal already
	}
}

func (g *Group) nudgeOthers() {
	g.feed.mu.Lock()
	defer g.feed.mu.Unlock()
	for _, other := range g.account.groups {
		if other != g {
			other.nudge()
		}
	}
}

// Subscription is an open database and the events for it.
type Subscription struct {
	DB      *writes.Database
	Refresh time.Duration // the time between readings where nothing reports writes

	feed      *Feed
	key       string
	account   *account
	fallback  *Group
	better    *Group        // nil: none is wanted
	lastWrite atomic.Int64  // when the better source last saw a write, in Unix nanoseconds
	changed   chan struct{} // holds one signal: there is something to take

	mu      sync.Mutex
	pending *Event
}

// Leave ends it. The database may be closed afterwards.
func (s *Subscription) Leave() {
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	without := func(subs []*Subscription) []*Subscription {
		return slices.DeleteFunc(slices.Clone(subs), func(o *Subscription) bool { return o == s })
	}
	a := s.account
	a.subs = without(a.subs)
	for _, g := range a.groups {
		g.set(without(g.Subscriptions()))
	}
	if len(a.subs) > 0 {
		return
	}
	a.leave()
	delete(s.feed.accounts, s.key)
}

// Watched reports whether every write to the database is reported, so that it need not be read at intervals. It is
// false for nil.
func (s *Subscription) Watched() bool {
	return s != nil && (s.fallback.Since() > 0 || s.BetterSince() > 0)
}

// BetterSince returns since when the better source has reported every write, in Unix nanoseconds; 0 while it does
// not.
func (s *Subscription) BetterSince() int64 {
	if s.better == nil {
		return 0
	}
	return s.better.Since()
}

// Current returns the moment before which every write has been reported.
func (s *Subscription) Current() time.Time { return time.Unix(0, s.fallback.current.Load()) }

// NoteWrite notes that the better source saw a write.
func (s *Subscription) NoteWrite(at time.Time) { s.lastWrite.Store(at.UnixNano()) }

// LastWrite returns when the better source last saw a write, in Unix nanoseconds.
func (s *Subscription) LastWrite() int64 { return s.lastWrite.Load() }

// Report adds an event to what is to be taken.
func (s *Subscription) Report(e *Event) {
	s.mu.Lock()
	s.pending = Merge(s.pending, e)
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default: // it has a signal already
	}
}

// Waits reports whether there is something to take.
func (s *Subscription) Waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending != nil
}

// Changed holds a signal once there is something to take.
func (s *Subscription) Changed() <-chan struct{} { return s.changed }

// Take returns what was reported since it was last called, nil for nothing.
func (s *Subscription) Take() *Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.pending
	s.pending = nil
	return e
}
