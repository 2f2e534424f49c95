// Package changes notices writes to WordPress databases by polling: once a second one query asks the times of change of
// all databases that are read by one account.
//
// Every open database joins a Feed and gets a Subscription, from which its owner takes one change set at a time. Start
// reading at Set, then at Feed.Join; poller.poll is the query.
package changes

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"wpsitemapd/wp/writes"
)

// A Breaker learns which database servers answer. It must not block.
type Breaker interface {
	Trip(server string, err error) // The server does not answer.
	Reset(server string)           // The server answers.
}

// A Counter counts polls.
type Counter interface {
	Polled(took time.Duration, failed bool)
}

// Options is what a Feed needs of the daemon.
type Options struct {
	Log     *slog.Logger // must not be nil
	Counted Counter
	Breaker Breaker
	Start   func(func(context.Context)) // runs a function until its context ends
	// Watch opens the connection of the account that looks for changes in all databases of a server. It is nil, or returns nil,
	// where no such account is configured.
	Watch func(ctx context.Context, server string) (*writes.Database, error)
}

// Feed polls all databases that have joined it. It is safe for concurrent use.
type Feed struct {
	// Many is how many databases of one server can be polled for all that is written. It is set before the first of them joins.
	Many int

	opt     Options
	turns   Turns
	pinging singleflight.Group // by server: one connection answers for all accounts
	opening singleflight.Group // by server: what Watch opens

	mu       sync.Mutex
	accounts map[account]*poller
	servers  map[string]*server // by address
}

// server is what is known of a database server. It is guarded by the feed's lock.
type server struct {
	keepsTimes bool          // it was seen to keep times of change
	joined     int           // databases
	polling    chan struct{} // holds one token while it is polled, by whatever account
}

// account is one account of a database server. It polls its own databases together, or as that of [watch] those of others.
type account struct {
	server, user string
	watches      bool // by [watch]
}

// NewFeed returns a feed that nothing has joined.
func NewFeed(opt Options) *Feed {
	return &Feed{Many: manyDatabases, opt: opt, accounts: map[account]*poller{}, servers: map[string]*server{}}
}

// Answered notes that a database server has answered.
func (f *Feed) Answered(server string) { f.opt.Breaker.Reset(server) }

// at returns what is known of the server at an address. The caller holds the lock.
func (f *Feed) at(address string) *server {
	if f.servers[address] == nil {
		f.servers[address] = &server{polling: make(chan struct{}, 1)}
	}
	return f.servers[address]
}

// Join subscribes to the writes to a database: to those after it has returned, where its server keeps times of change.
// refresh is how often the database is read where nothing reports writes.
func (f *Feed) Join(ctx context.Context, db *writes.Database, refresh time.Duration) *Subscription {
	watcher := f.watcher(ctx, db)
	s := &Subscription{db: db, refresh: refresh, changed: make(chan struct{}, 1)}
	f.mu.Lock()
	if watcher == nil || f.accounts[watcher.account] != watcher { // it has left meanwhile
		watcher = f.own(db)
	}
	f.enter(s, watcher)
	f.mu.Unlock()
	select { // the first poll notes where the next one begins
	case <-watcher.polled:
	case <-ctx.Done():
	}
	return s
}

// own returns the poller of a database's own account. The caller holds the lock.
func (f *Feed) own(db *writes.Database) *poller {
	key := account{server: db.DB.Server, user: db.DB.User}
	if f.accounts[key] == nil {
		f.accounts[key] = newPoller(f, key)
	}
	return f.accounts[key]
}

// enter has a database polled by an account. The caller holds the lock.
func (f *Feed) enter(s *Subscription, p *poller) {
	s.poller.Store(p)
	f.at(p.server).joined++
	p.set(append(slices.Clone(p.subscriptions()), s))
	if !p.begun {
		p.begun = true
		f.opt.Start(p.run)
	}
}

// exit ends that a database is polled. The caller holds the lock.
func (f *Feed) exit(s *Subscription) {
	p := s.poller.Load()
	f.at(p.server).joined--
	p.set(slices.DeleteFunc(slices.Clone(p.subscriptions()), func(o *Subscription) bool { return o == s }))
	if len(p.subscriptions()) == 0 {
		p.leave()
		delete(f.accounts, p.account)
	}
}

// Subscription is an open database and the change sets of it.
type Subscription struct {
	db      *writes.Database
	refresh time.Duration
	poller  atomic.Pointer[poller]
	changed chan struct{} // holds one signal: there is something to take

	// Of the poll, guarded by the token of the server.
	since   int64     // where the next check of all its tables begins, by the server's clock; 0: there was no poll yet
	checked int64     // the same of those that are checked more often
	next    time.Time // when a check of all is due

	mu      sync.Mutex
	pending *Set
}

// Leave ends it, once or more often. The database may be closed afterwards.
func (s *Subscription) Leave() {
	f := s.poller.Load().feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.polled() {
		f.exit(s)
	}
}

// polled reports whether it has not ended. The caller holds the feed's lock.
func (s *Subscription) polled() bool { return slices.Contains(s.poller.Load().subscriptions(), s) }

// Watched reports whether writes to the database are reported, so that it need not be read at intervals. It is false for nil. Where not
// all is reported soon anyway, see Partial, this takes no times of change.
func (s *Subscription) Watched() bool {
	if s == nil {
		return false
	}
	p := s.poller.Load()
	return p.watched.Load() || p.well.Load() && s.Partial()
}

// Partial reports whether not all that is written is reported soon, as the server has more databases than it can be polled for:
// posts of those that visitors ask for are. It is false for nil.
func (s *Subscription) Partial() bool {
	if s == nil {
		return false
	}
	if s.db.Large() {
		return true
	}
	p := s.poller.Load()
	p.feed.mu.Lock()
	defer p.feed.mu.Unlock()
	return p.feed.at(p.server).joined > p.feed.Many
}

// Current returns the moment before which every write has been reported.
func (s *Subscription) Current() time.Time { return time.Unix(0, s.poller.Load().current.Load()) }

// Poll is what the polls of a database cost: those of its account.
type Poll struct {
	Took  time.Duration // by the last one
	Every time.Duration // the least time to the next
}

// Poll returns what a poll of the database costs. It is zero for nil, and before the first poll.
func (s *Subscription) Poll() Poll {
	if s == nil {
		return Poll{}
	}
	if cost := s.poller.Load().cost.Load(); cost != nil {
		return *cost
	}
	return Poll{}
}

// report adds a change set to what is to be taken.
func (s *Subscription) report(set *Set) {
	s.mu.Lock()
	s.pending = Merge(s.pending, set)
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

// Take returns what was written since it was last called, nil for nothing.
func (s *Subscription) Take() *Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	set := s.pending
	s.pending = nil
	return set
}
