package writes

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// A Breaker learns which database servers answer. It must not block.
type Breaker interface {
	Trip(server string, err error) // the server does not answer
	Reset(server string)           // the server answers
}

// A Counter counts polls.
type Counter interface {
	Polled(took time.Duration, failed bool)
}

// Options are what a Feed needs from the daemon.
type Options struct {
	Log     *slog.Logger // must not be nil
	Counted Counter
	Breaker Breaker
	Start   func(func(context.Context)) // runs a function until its context ends
	// Watch opens a connection to a server with the account of [watch], which sees the databases of other accounts. If
	// no such account is configured, Watch is nil or returns nil.
	Watch func(ctx context.Context, server string) (*Database, error)
}

// Feed polls the databases that have joined. It is safe for concurrent use.
type Feed struct {
	// Many is how many databases of one server can be polled for all writes. Set Many before the first database joins.
	Many int

	opt     Options
	turns   Turns
	pinging singleflight.Group // by server: one ping answers for all accounts
	opening singleflight.Group // by server: one call of Watch serves all databases

	mu       sync.Mutex
	accounts map[account]*poller
	servers  map[string]*server // by address
}

// server is what the feed knows about a database server. The feed's lock guards it.
type server struct {
	keepsTimes bool          // the server was seen to record when tables are written
	joined     int           // how many databases have joined
	polling    chan struct{} // contains one token while any account polls the server
}

// account is one account of a database server. It polls the databases that it reads. The account of [watch] polls the
// databases of other accounts.
type account struct {
	server, user string
	watches      bool // the account is the one of [watch]
}

// NewFeed returns a feed that nothing has joined.
func NewFeed(opt Options) *Feed {
	return &Feed{Many: manyDatabases, opt: opt, accounts: map[account]*poller{}, servers: map[string]*server{}}
}

// Answered tells the breaker that a database server has answered.
func (f *Feed) Answered(server string) { f.opt.Breaker.Reset(server) }

// at returns the record of a server, and creates a record for a new server. The caller must hold the lock.
func (f *Feed) at(address string) *server {
	if f.servers[address] == nil {
		f.servers[address] = &server{polling: make(chan struct{}, 1)}
	}
	return f.servers[address]
}

// Join subscribes to the writes to a database. If the server records when tables are written, the subscription reports
// every write after Join has returned. refresh is the interval between readings of a database whose writes are not
// reported.
func (f *Feed) Join(ctx context.Context, db *Database, refresh time.Duration) *Subscription {
	watcher := f.watcher(ctx, db)
	s := &Subscription{db: db, refresh: refresh, changed: make(chan struct{}, 1)}
	f.mu.Lock()
	if watcher == nil || f.accounts[watcher.account] != watcher { // the watcher stopped meanwhile
		watcher = f.own(db)
	}
	f.enter(s, watcher)
	f.mu.Unlock()
	select { // the first poll sets the time at which the second one begins
	case <-watcher.polled:
	case <-ctx.Done():
	}
	return s
}

// own returns the poller of a database's own account. The caller must hold the lock.
func (f *Feed) own(db *Database) *poller {
	key := account{server: db.DB.Server, user: db.DB.User}
	if f.accounts[key] == nil {
		f.accounts[key] = newPoller(f, key)
	}
	return f.accounts[key]
}

// enter adds a database to a poller, and starts the poller if it does not run. The caller must hold the lock.
func (f *Feed) enter(s *Subscription, p *poller) {
	s.poller.Store(p)
	f.at(p.account.server).joined++
	p.set(append(slices.Clone(p.subscriptions()), s))
	if !p.begun {
		p.begun = true
		f.opt.Start(p.run)
	}
}

// exit removes a database from its poller, and stops the poller after its last database. The caller must hold the lock.
func (f *Feed) exit(s *Subscription) {
	p := s.poller.Load()
	f.at(p.account.server).joined--
	p.set(slices.DeleteFunc(slices.Clone(p.subscriptions()), func(o *Subscription) bool { return o == s }))
	if len(p.subscriptions()) == 0 {
		p.leave()
		delete(f.accounts, p.account)
	}
}

// Subscription is an open database with the change sets that were not taken yet.
type Subscription struct {
	db      *Database
	refresh time.Duration
	poller  atomic.Pointer[poller]
	changed chan struct{} // contains one signal while there is a change set to take

	position position // the token of the server guards it

	mu      sync.Mutex
	pending *Set
}

// position is how far polls have checked a database.
type position struct {
	since   int64     // where the next check of all tables begins, by the server's clock; 0: no poll yet
	checked int64     // where the next check of the often written tables begins
	next    time.Time // when all tables must be checked again
}

// Leave ends the subscription. It may be called again. After Leave, the database may be closed.
func (s *Subscription) Leave() {
	f := s.poller.Load().feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.polled() {
		f.exit(s)
	}
}

// polled reports whether the subscription has not ended. The caller must hold the feed's lock.
func (s *Subscription) polled() bool { return slices.Contains(s.poller.Load().subscriptions(), s) }

// Watched reports whether the feed reports writes to the database. If it does not, the database must be read at
// intervals. Watched needs a server that records when tables are written, except if the reports are partial anyway
// (see Partial). It returns false for nil.
func (s *Subscription) Watched() bool {
	if s == nil {
		return false
	}
	state := s.poller.Load().state.Load()
	return state.watched || state.well && s.Partial()
}

// Partial reports whether some writes are noticed late, because the server has too many databases or the network is
// large. Even then, posts are reported soon if visitors ask for the site. It is false for nil.
func (s *Subscription) Partial() bool {
	if s == nil {
		return false
	}
	if s.db.large() {
		return true
	}
	p := s.poller.Load()
	return p.feed.crowded(p.account.server)
}

// crowded reports whether a server has more databases than can be polled for all writes, whatever their accounts are.
func (f *Feed) crowded(address string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at(address).joined > f.Many
}

// Current returns the moment before which the feed has reported every write.
func (s *Subscription) Current() time.Time { return s.poller.Load().state.Load().current }

// Poll is what the polls of a database's account cost.
type Poll struct {
	Took  time.Duration // how long the last poll took
	Every time.Duration // the shortest time until the next poll
}

// Poll returns what a poll of the database costs. It is zero for nil and before the first poll.
func (s *Subscription) Poll() Poll {
	if s == nil {
		return Poll{}
	}
	return s.poller.Load().state.Load().cost
}

// report adds a change set to the pending one, and signals that there is something to take.
func (s *Subscription) report(set *Set) {
	s.mu.Lock()
	s.pending = Merge(s.pending, set)
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default: // it has a signal already
	}
}

// Waits reports whether there is a change set to take.
func (s *Subscription) Waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending != nil
}

// Changed returns a channel that gets a signal if there is a change set to take.
func (s *Subscription) Changed() <-chan struct{} { return s.changed }

// Take returns what was written since the last call, or nil if nothing was.
func (s *Subscription) Take() *Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	set := s.pending
	s.pending = nil
	return set
}
