package server

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// How databases are asked whether anything changed. One query serves all sites that are read
// by one account, and a site is read again only when its own tables were written.
const (
	tickEvery = time.Second
	// looksPerSecond is how often one database server is asked, by all accounts together. With
	// more accounts than connections each look makes one, and that is two statements more.
	looksPerSecond = 15
	lookShare      = 20                     // a look that took a second is followed by a pause of so many, at its server by whatever account
	mostPostponed  = 5 * time.Second        // … for others than the account itself
	longLook       = 250 * time.Millisecond // is none that waited for something else
	// lookPast is what has passed of a second of the server's clock when it is looked. Times of change are
	// whole seconds: of one that is over no second look is needed, and a write was seen by who counts it.
	lookPast     = 50 * time.Millisecond
	lookTimeout  = 10 * time.Second // for the answer
	lookFailures = 3                // in a row, before sites are told
	mostMissed   = 3                // looks in a row that find what the binlog has not told, before it is not trusted
	closelyFor   = 10 * time.Second // plugins save their part of an edit after WordPress
	firstAudit   = 10 * time.Minute // reads a site again though nothing tells of a change …
	lastAudit    = time.Hour        // … later each time, up to this
	auditEvery   = 15 * time.Second // at one database server, of all sites together
)

// ticks looks for changes in the databases of all sites.
type ticks struct {
	server *Server

	mu       sync.Mutex
	accounts map[string]*account
	next     map[string]time.Time // when what is done in turn may be done again
	known    map[string]bool      // servers that were seen to keep times of change
	followed map[string]int       // accounts whose binlog is followed or tried, by server

	looking map[string]chan struct{} // by server: holds one word while it is looked at, by whatever account

	asking singleflight.Group // by server: one connection tells of it to all accounts
}

// account is one account of a database server.
type account struct {
	seen   atomic.Int64 // when the last look began that went well, in Unix nanoseconds
	ticks  *ticks
	server string
	work   context.Context // until the last member has left
	stop   context.CancelFunc

	members []*member // sites read by it; guarded by ticks.mu, and never altered but replaced

	mu       sync.Mutex // held while looking; guards what follows
	turn     int        // the member through whose connection is looked
	since    int64      // where the next look begins, by the server's clock; 0: nothing was seen yet
	sinceAll int64      // where the next look at all tables begins
	nextAll  time.Time
	ended    time.Time        // of the last look
	whole    time.Time        // when a second of the server's clock began; zero: that is not known
	took     [3]time.Duration // by the last looks that were not at all tables
	pause    time.Duration
	failures int // in a row

	watching atomic.Bool // what changes is told

	follower  *follower     // of the binlog; nil: no member wants it. Guarded by ticks.mu
	following atomic.Int64  // what changes is told by the binlog, since then (Unix nanoseconds); 0: it is not
	nudged    chan struct{} // holds one word: the time between looks is another one
	missed    int           // changes seen that the binlog did not tell of, in a row; guarded by mu
}

// member is an open database of a site.
type member struct {
	account *account
	key     string
	db      *wp.Network
	refresh time.Duration
	changed chan struct{} // holds one word: there is something to take
	closely time.Time     // all its tables are looked at until then; guarded by account.mu
	follow  bool          // by the binlog, where that can be
	heard   atomic.Int64  // when the binlog last told of a write to it, in Unix nanoseconds

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

	ids   map[idsOf]map[int64]bool // that were concerned, as far as is known
	exact bool                     // of posts and terms these are all
	calm  bool                     // what was written was told before, or is told by this one by one
}

// idsOf is a kind of ids of a blog, which is known by its table of posts.
type idsOf struct {
	posts string // in full, in lower case
	terms bool   // they are term_taxonomy_id, and not posts
}

// mostIDs is how many ids a word has. Of more it says that they are not known.
const mostIDs = 500

// add joins two words.
func (w *writes) add(o writes) {
	if !o.any {
		return
	}
	w.again = o.again && (w.again || !w.any)
	w.exact = o.exact && (w.exact || !w.any)
	w.calm = o.calm && (w.calm || !w.any)
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
	for what, ids := range o.ids {
		for id := range ids {
			w.concern(what, id)
		}
	}
}

// concern adds an id.
func (w *writes) concern(what idsOf, id int64) {
	ids := w.ids[what]
	switch {
	case ids[id]:
		return
	case len(ids) >= mostIDs:
		w.exact, w.calm = false, false
		return
	case ids == nil:
		ids = map[int64]bool{}
		if w.ids == nil {
			w.ids = map[idsOf]map[int64]bool{}
		}
		w.ids[what] = ids
	}
	ids[id] = true
}

func newTicks(s *Server) *ticks {
	return &ticks{server: s, accounts: map[string]*account{}, next: map[string]time.Time{}, looking: map[string]chan struct{}{}, known: map[string]bool{}, followed: map[string]int{}}
}

// join begins to look for changes of a database: what is written after join has returned is
// told, as long as the account is watching. follow: by the binlog, too.
func (t *ticks) join(ctx context.Context, db *wp.Network, refresh time.Duration, follow bool) *member {
	server, user := db.Account()
	key := server + " " + user
	t.mu.Lock()
	a := t.accounts[key]
	if a == nil {
		a = &account{ticks: t, server: server, nudged: make(chan struct{}, 1)}
		t.accounts[key] = a
		a.work, a.stop = context.WithCancel(t.server.work)
		t.server.tasks.Go(func() { a.run(a.work) })
	}
	m := &member{account: a, key: key, db: db, refresh: refresh, changed: make(chan struct{}, 1), follow: follow}
	a.members = append(slices.Clone(a.members), m)
	if follow {
		if a.follower == nil {
			a.follower = newFollower(a)
			t.server.tasks.Go(func() { a.follower.run(a.work) })
		}
		select {
		case a.follower.wanted <- struct{}{}:
		default:
		}
	}
	t.mu.Unlock()
	a.nudge()
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

// watching reports whether changes of the database are told, so that it need not be read on a beat.
func (m *member) watching() bool {
	return m != nil && (m.account.watching.Load() || m.follow && m.account.following.Load() > 0)
}

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
		if !a.rest(ctx) {
			return
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

// rest waits for the next look. While the binlog tells what is written there are few, in case it
// does not have everything.
func (a *account) rest(ctx context.Context) bool {
	began := time.Now()
	for {
		a.mu.Lock()
		next := a.align(began.Add(max(a.beat(), a.pause)))
		a.mu.Unlock()
		wait := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			wait.Stop()
			return false
		case <-wait.C:
			return true
		case <-a.nudged:
			wait.Stop()
		}
	}
}

// align moves a look to just after a second of the server's clock has begun. a.mu is held.
func (a *account) align(at time.Time) time.Time {
	if a.whole.IsZero() {
		return at
	}
	const early = tickEvery / 4 // or looks would come a little later each time, and one second would have none
	past := at.Add(-early).Sub(a.whole.Add(lookPast))
	return a.whole.Add(lookPast + (past/time.Second+1)*time.Second)
}

// answers reports whether the account's server answers at all.
func (a *account) answers(ctx context.Context, database *wp.Network) bool {
	answers, _, _ := a.ticks.asking.Do(a.server, func() (any, error) { return database.Answers(ctx), nil })
	return answers.(bool)
}

// usual notes what a look took, and tells what one takes: the quickest of the last few does, as a look may wait for
// a connection or a processor, which costs no server anything. a.mu is held.
func (a *account) usual(took time.Duration) time.Duration {
	a.took = [3]time.Duration{a.took[1], a.took[2], took}
	return slices.Min(a.took[:])
}

// beat is the time between looks. a.mu is held.
func (a *account) beat() time.Duration {
	since := a.following.Load()
	if since == 0 || a.ended.UnixNano() < since || a.missed >= mostMissed {
		return tickEvery // one look shows what was written before the binlog was followed
	}
	a.ticks.mu.Lock()
	defer a.ticks.mu.Unlock()
	slow := lastAudit
	for _, m := range a.members {
		if !m.follow {
			return tickEvery
		}
		slow = min(slow, m.refresh)
	}
	return max(slow, tickEvery)
}

// nudge has rest count anew.
func (a *account) nudge() {
	select {
	case a.nudged <- struct{}{}:
	default:
	}
}

// auditTurn is the time until a database may be read again without a reason; hundreds of
// sites started together come due together.
func (m *member) auditTurn() time.Duration {
	return m.account.ticks.turn("audit "+m.account.server, m.account.ticks.server.pace.auditEvery)
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

// postpone has what is done in turn wait until a moment.
func (t *ticks) postpone(what string, until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.next[what].Before(until) {
		t.next[what] = until
	}
}

// alone is the place of the one who looks at a server.
func (t *ticks) alone(server string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.looking[server] == nil {
		t.looking[server] = make(chan struct{}, 1)
	}
	return t.looking[server]
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
	alone := t.alone(a.server)
	if !acquire(ctx, alone) {
		return
	}
	defer release(alone)
	start, before := time.Now(), a.ended
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
	t.server.counted.Looks.Add(1)
	t.server.counted.LookTime.Add(took)
	switch {
	case err != nil || took >= longLook:
		a.pause = lookShare * took
	case !all:
		a.pause = lookShare * a.usual(took)
	}
	defer func() { t.postpone("look "+a.server, a.ended.Add(min(a.pause, mostPostponed))) }()
	if err != nil {
		if ctx.Err() != nil {
			return
		}
		t.server.counted.LookFails.Add(1)
		if db.Unreachable(err) && !a.answers(ctx, databases[a.turn%len(databases)]) {
			a.pause = 0 // it took long, but cost a server nothing that does not answer
			t.server.noteSilent(a.server, err)
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
	t.server.noteAnswer(a.server)
	a.seen.Store(start.UnixNano())
	first, blind := a.since == 0, a.failures >= lookFailures || a.since == 0 && a.failures > 0
	a.failures = 0
	a.since = seen.Now
	if seen.Past > 0 {
		a.whole = start.Add(-seen.Past)
	}
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
			t.server.counted.Changes.Add(1)
			if m.follow && a.following.Load() > 0 {
				a.compare(m, &word, before)
			}
			m.tell(word)
			if c.Telling {
				m.closely = start.Add(closelyFor)
			}
		}
	}
}

// compare tells a write that a look has found from one the binlog told of since the look before. a.mu is held.
func (a *account) compare(m *member, word *writes, before time.Time) {
	const clocks = 2 * time.Second // times of change are whole seconds
	since := a.following.Load()
	switch {
	case m.heard.Load() >= max(before.Add(-clocks).UnixNano(), since):
		word.again, word.calm, a.missed = true, true, 0
	case before.UnixNano() >= since: // it was followed all the time
		a.missed++
		if a.missed == mostMissed {
			a.ticks.server.log.Warn("the binlog does not tell of everything that is written, tables are looked at as well", "server", a.server,
				"hint", "have the server log what it replicates (log_slave_updates), and every database (binlog_do_db, binlog_ignore_db)")
		}
	}
}
