package server

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"wpsitemapd/wp"
)

// How databases are asked whether anything changed. One query serves all sites that are read
// by one account, and a site is read again only when its own tables were written.
const (
	tickEvery = time.Second
	// looksPerSecond is how often one database server is asked, by all accounts together. With
	// more accounts than connections each look makes one, and that is two statements more.
	looksPerSecond = 15
	lookShare      = 10               // a look that took a second is followed by a pause of so many
	lookTimeout    = 10 * time.Second // for the answer
	lookFailures   = 3                // in a row, before sites are told
	closelyFor     = 10 * time.Second // plugins save their part of an edit after WordPress
	firstAudit     = 10 * time.Minute // reads a site again though nothing tells of a change …
	lastAudit      = time.Hour        // … later each time, up to this
	auditEvery     = 15 * time.Second // at one database server, of all sites together
)

// ticks looks for changes in the databases of all sites.
type ticks struct {
	server *Server

	mu       sync.Mutex
	accounts map[string]*account
	next     map[string]time.Time // when what is done in turn may be done again
	known    map[string]bool      // servers that were seen to keep times of change
}

// account is one account of a database server.
type account struct {
	ticks  *ticks
	server string
	stop   context.CancelFunc

	members []*member // sites read by it; guarded by ticks.mu, and never altered but replaced

	mu       sync.Mutex // held while looking; guards what follows
	turn     int        // the member through whose connection is looked
	since    int64      // where the next look begins, by the server's clock; 0: nothing was seen yet
	sinceAll int64      // where the next look at all tables begins
	nextAll  time.Time
	ended    time.Time // of the last look
	pause    time.Duration
	failures int // in a row

	watching atomic.Bool // what changes is told
}

// member is an open database of a site.
type member struct {
	account *account
	key     string
	db      *wp.Network
	refresh time.Duration
	changed chan struct{} // holds one word: there is something to take
	closely time.Time     // all its tables are looked at until then; guarded by account.mu

	mu   sync.Mutex
	news writes
}

// writes is what is told of writes to a database.
type writes struct {
	any     bool
	tables  map[string]bool // in full, in lower case
	unknown bool            // it is not known which tables
	settled time.Time       // who reads after this moment sees all that was told
	again   bool            // there may have been nothing since the last word
}

// add joins two words.
func (w *writes) add(o writes) {
	if !o.any {
		return
	}
	w.again = o.again && (w.again || !w.any)
	w.any = true
	w.unknown = w.unknown || o.unknown
	if o.settled.After(w.settled) {
		w.settled = o.settled
	}
	for name := range o.tables {
		if w.tables == nil {
			w.tables = map[string]bool{}
		}
		w.tables[name] = true
	}
}

func newTicks(s *Server) *ticks {
	return &ticks{server: s, accounts: map[string]*account{}, next: map[string]time.Time{}, known: map[string]bool{}}
}

// join begins to look for changes of a database: what is written after join has returned is
// told, as long as the account is watching.
func (t *ticks) join(ctx context.Context, db *wp.Network, refresh time.Duration) *member {
	server, user := db.Account()
	key := server + " " + user
	t.mu.Lock()
	a := t.accounts[key]
	if a == nil {
		a = &account{ticks: t, server: server}
		t.accounts[key] = a
		var work context.Context
		work, a.stop = context.WithCancel(t.server.work)
		t.server.tasks.Go(func() { a.run(work) })
	}
	m := &member{account: a, key: key, db: db, refresh: refresh, changed: make(chan struct{}, 1)}
	a.members = append(slices.Clone(a.members), m)
	t.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.since == 0 && time.Since(a.ended) > tickEvery {
		a.look(ctx)
	}
	return m
}

// leave ends it. The database may be closed afterwards.
func (m *member) leave() {
	a := m.account
	t := a.ticks
	t.mu.Lock()
	defer t.mu.Unlock()
	a.members = slices.DeleteFunc(slices.Clone(a.members), func(o *member) bool { return o == m })
	if len(a.members) > 0 {
		return
	}
	a.stop()
	delete(t.accounts, m.key)
}

// watching tells whether changes of the database are told, so that it need not be read on a beat.
func (m *member) watching() bool { return m != nil && m.account.watching.Load() }

// tell has the site looked at.
func (m *member) tell(w writes) {
	m.mu.Lock()
	m.news.add(w)
	m.mu.Unlock()
	select {
	case m.changed <- struct{}{}:
	default: // told already
	}
}

// take returns what was told since it was last asked.
func (m *member) take() writes {
	m.mu.Lock()
	defer m.mu.Unlock()
	news := m.news
	m.news = writes{}
	return news
}

func (a *account) run(ctx context.Context) {
	for {
		a.mu.Lock()
		pause := a.pause
		a.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(tickEvery, pause)):
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(a.ticks.turn("look "+a.server, time.Second/looksPerSecond)):
		}
		a.mu.Lock()
		a.look(ctx)
		a.mu.Unlock()
	}
}

// auditTurn is the time until a database may be read again without a reason; hundreds of
// sites started together come due together.
func (m *member) auditTurn() time.Duration {
	return m.account.ticks.turn("audit "+m.account.server, auditEvery)
}

// turn is the time until something may be done that is done once in every while; that
// moment is then taken.
func (t *ticks) turn(what string, every time.Duration) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	at := t.next[what]
	if at.Before(now) {
		at = now
	}
	t.next[what] = at.Add(every)
	return at.Sub(now)
}

// look asks once and tells the members that changed. a.mu is held.
func (a *account) look(ctx context.Context) {
	t := a.ticks
	t.mu.Lock()
	members := a.members
	t.mu.Unlock()
	if len(members) == 0 || ctx.Err() != nil {
		return
	}
	start := time.Now()
	slow := members[0].refresh
	databases := make([]*wp.Network, len(members))
	for i, m := range members {
		databases[i] = m.db
		slow = min(slow, m.refresh)
	}
	all, since := start.After(a.nextAll), a.since
	if all {
		since = a.sinceAll
	}
	closely := map[*wp.Network]bool{}
	for _, m := range members {
		closely[m.db] = all || start.Before(m.closely)
	}
	timed, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	// One connection stays warm; another member's is taken only when that fails.
	seen, err := databases[a.turn%len(databases)].Changes(timed, since, databases, func(n *wp.Network) bool { return closely[n] })
	a.ended = time.Now()
	// A look at all tables comes rarely and has a pause of its own.
	took := a.ended.Sub(start)
	if !all {
		a.pause = lookShare * took
	}
	if err != nil {
		if ctx.Err() != nil {
			return
		}
		a.turn++
		a.failures++
		if a.failures == lookFailures {
			a.watching.Store(false)
			for _, m := range members {
				m.tell(writes{any: true, unknown: true, settled: a.ended}) // which finds out what is wrong
			}
			t.server.log.Warn("changes of a database cannot be seen, its sites are read on a beat", "server", a.server, "reason", err)
		}
		return
	}
	first, blind := a.since == 0, a.failures >= lookFailures || a.since == 0 && a.failures > 0
	a.failures = 0
	a.since = seen.Now
	if all {
		a.sinceAll = seen.Now
		a.nextAll = start.Add(max(slow, lookShare*took))
	}
	t.mu.Lock()
	if seen.Known {
		t.known[a.server] = true
	}
	known := t.known[a.server]
	t.mu.Unlock()
	a.watching.Store(known)
	found := map[*wp.Network]wp.Change{}
	for _, c := range seen.Changed {
		found[c.Network] = c
	}
	for _, m := range members {
		c, changed := found[m.db]
		word := writes{any: true, unknown: c.Tables == nil, again: c.Again, tables: map[string]bool{}}
		word.settled = a.ended.Add(time.Duration(c.Last+1-seen.Now) * time.Second) // that second is over
		for _, name := range c.Tables {
			word.tables[name] = true
		}
		switch {
		case blind: // a restarted server has forgotten when its tables were written
			m.tell(writes{any: true, unknown: true, settled: a.ended})
		case changed && !first:
			m.tell(word)
			if c.Telling {
				m.closely = start.Add(closelyFor)
			}
		}
	}
}
