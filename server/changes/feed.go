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
	"time"

	"golang.org/x/sync/singleflight"

	"wpsitemapd/wp/writes"
)

// Options is what a Feed needs of the daemon. Its functions are called with what was seen and must not block.
type Options struct {
	Log      *slog.Logger                // must not be nil
	Start    func(func(context.Context)) // runs a function until its context ends
	Polled   func(took time.Duration, failed bool)
	Changed  func()                         // a poll has found a database changed
	Silent   func(server string, err error) // a database server does not answer
	Answered func(server string)
}

// Feed polls all databases that have joined it. It is safe for concurrent use.
type Feed struct {
	Options
	turns   Turns
	pinging singleflight.Group // by server: one connection answers for all accounts

	mu       sync.Mutex
	accounts map[account]*poller
	known    map[string]bool          // servers that were seen to keep times of change
	polling  map[string]chan struct{} // by server: holds one token while it is polled, by whatever account
}

// account is one account of a database server. Its databases are polled together.
type account struct{ server, user string }

// NewFeed returns a feed that nothing has joined.
func NewFeed(opt Options) *Feed {
	return &Feed{Options: opt, accounts: map[account]*poller{}, known: map[string]bool{}, polling: map[string]chan struct{}{}}
}

// Join subscribes to the writes to a database: to those after it has returned, where its server keeps times of change.
// refresh is how often the database is read where nothing reports writes.
func (f *Feed) Join(ctx context.Context, db *writes.Database, refresh time.Duration) *Subscription {
	f.mu.Lock()
	key := account{db.Server, db.User}
	p := f.accounts[key]
	if p == nil {
		p = newPoller(f, db.Server)
		f.accounts[key] = p
	}
	s := &Subscription{db: db, refresh: refresh, account: key, poller: p, changed: make(chan struct{}, 1)}
	p.set(append(slices.Clone(p.subscriptions()), s))
	begun := p.begun
	p.begun = true
	f.mu.Unlock()
	if !begun {
		f.Start(p.run)
	}
	select { // the first poll notes where the next one begins
	case <-p.polled:
	case <-ctx.Done():
	}
	return s
}

// leave ends a subscription.
func (f *Feed) leave(s *Subscription) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := s.poller
	p.set(slices.DeleteFunc(slices.Clone(p.subscriptions()), func(o *Subscription) bool { return o == s }))
	if len(p.subscriptions()) == 0 {
		p.leave()
		delete(f.accounts, s.account)
	}
}

// Subscription is an open database and the change sets of it.
type Subscription struct {
	db      *writes.Database
	refresh time.Duration
	account account
	poller  *poller
	changed chan struct{} // holds one signal: there is something to take

	mu      sync.Mutex
	pending *Set
}

// Leave ends it. The database may be closed afterwards.
func (s *Subscription) Leave() { s.poller.feed.leave(s) }

// Watched reports whether every write to the database is reported, so that it need not be read at intervals. It is
// false for nil.
func (s *Subscription) Watched() bool { return s != nil && s.poller.watched.Load() }

// Current returns the moment before which every write has been reported.
func (s *Subscription) Current() time.Time { return time.Unix(0, s.poller.current.Load()) }

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
