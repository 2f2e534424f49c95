package writes

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"wpsitemapd/wp/db"
)

// These constants say how many polls a second a database server gets from all accounts together. If there are more
// accounts than connections, each poll opens a connection, which costs three more statements. A server with more than
// manyDatabases gets fewer polls, because no visitor waits for them: see Subscription.Partial.
const (
	perSecond     = 15
	manyPerSecond = 10
)

const (
	pollEvery = time.Second
	// pollShare bounds the cost of polls. After a poll, its server is not polled by any account for pollShare times as
	// long as the poll took.
	pollShare     = 20
	mostPostponed = 5 * time.Second // the longest such pause for other accounts than the one that polled
	// pollPast is how long after the start of a second of the server's clock the server is polled. Write times are
	// whole seconds, so one poll after each second sees everything.
	pollPast    = 50 * time.Millisecond
	pollTimeout = 10 * time.Second
	// After mostFailures failed polls in a row, databases are read at intervals.
	mostFailures = 3
	closelyFor   = 10 * time.Second // how long all tables are checked after an edit, because plugins save their part of an edit after WordPress
	// mostClosely is how many databases one poll checks in all tables because they were edited. It checks as many again
	// in turn. Other databases wait for a later poll.
	mostClosely = 25
	// A server keeps 400 table definitions by default. With more than manyDatabases, a poll of all of them would make
	// the server open tables again each time. Instead, a poll checks the posts of the mostVisited databases that
	// visitors asked for last, and of quietTurns other databases in turn.
	manyDatabases = 300
	mostVisited   = 200
	quietTurns    = 50
)

// poller polls the databases of one account.
type poller struct {
	feed    *Feed
	account account
	through *Database       // the connection of [watch]; nil: polls use the connection of one of the databases
	left    context.Context // ends when the last subscription has left
	leave   context.CancelFunc
	polled  chan struct{} // closed after the first poll

	begun bool                            // run was started; the feed's lock guards it
	subs  atomic.Pointer[[]*Subscription] // replaced under the feed's lock

	state    atomic.Pointer[state] // replaced after each poll
	pace     pace                  // only run uses it
	progress progress              // the token of the server guards it
}

// state is what polls have shown so far. It is never changed.
type state struct {
	watched bool      // every write is reported, because the server records when tables are written
	well    bool      // polls succeed, so that the publications of large networks are reported
	current time.Time // every write before this moment was reported
	cost    Poll
}

// pace decides when the next poll begins.
type pace struct {
	whole    time.Time        // when a second of the server's clock began; zero: unknown
	took     [3]time.Duration // how long the last successful polls took
	pause    time.Duration
	answered bool // the last poll failed although its server answered
}

// progress is how far the polls of an account have come.
type progress struct {
	closely  map[*Subscription]time.Time // until when all tables of a recently edited database are checked
	turn     int                         // the number of the database whose connection the poll uses
	since    int64                       // where the next poll begins, by the server's clock; 0: no poll yet
	checked  int                         // the number of the database whose tables were checked last in turn
	failures int                         // failed polls in a row
}

func newPoller(f *Feed, of account) *poller {
	p := &poller{feed: f, account: of, polled: make(chan struct{}), progress: progress{closely: map[*Subscription]time.Time{}}}
	p.left, p.leave = context.WithCancel(context.Background())
	p.set(nil)
	p.state.Store(&state{})
	return p
}

// subscriptions returns the databases to poll. The slice never changes; set replaces it.
func (p *poller) subscriptions() []*Subscription { return *p.subs.Load() }

func (p *poller) set(subs []*Subscription) { p.subs.Store(&subs) }

// show replaces the state by a changed copy. Only polls call it.
func (p *poller) show(change func(*state)) {
	next := *p.state.Load()
	change(&next)
	p.state.Store(&next)
}

// run polls until ctx ends or the last subscription has left.
func (p *poller) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.left, cancel)()
	if p.through != nil {
		defer p.through.DB.Close()
	}
	p.poll(ctx)
	close(p.polled)
	for wait(ctx, p.pace.align(time.Now().Add(max(pollEvery, p.pace.pause)))) &&
		wait(ctx, time.Now().Add(p.feed.turns.Take(p.account.server, p.feed.beat(p.account.server)))) {
		p.poll(ctx)
	}
}

// beat returns the shortest time between two polls of a server.
func (f *Feed) beat(address string) time.Duration {
	if f.crowded(address) {
		return time.Second / manyPerSecond
	}
	return time.Second / perSecond
}

// wait waits until a moment. It returns false if ctx ends first.
func wait(ctx context.Context, until time.Time) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Until(until)):
		return true
	}
}

// align moves the time of a poll to just after the start of a second of the server's clock.
func (p *pace) align(at time.Time) time.Time {
	if p.whole.IsZero() {
		return at
	}
	const early = pollEvery / 4 // without it, each poll would come a little later, until one second had no poll
	past := at.Add(-early).Sub(p.whole.Add(pollPast))
	return p.whole.Add(pollPast + (past/time.Second+1)*time.Second)
}

// usual records how long a poll took, and returns the shortest duration of the last three polls. A longer poll may
// only have waited for a connection or a processor, which costs the server nothing.
func (p *pace) usual(took time.Duration) time.Duration {
	p.took = [3]time.Duration{p.took[1], p.took[2], took}
	return slices.Min(p.took[:])
}

// token returns the channel that contains one token while an account polls the server.
func (f *Feed) token(address string) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at(address).polling
}

// keepsTimes reports whether a server records when tables are written. Once seen is true for a server, the result stays true.
func (f *Feed) keepsTimes(address string, seen bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.at(address)
	s.keepsTimes = s.keepsTimes || seen
	return s.keepsTimes
}

// answers reports whether a database server answers a ping.
func (f *Feed) answers(ctx context.Context, server string, database *Database) bool {
	answers, _, _ := f.pinging.Do(server, func() (any, error) { return database.DB.Answers(ctx), nil })
	return answers.(bool)
}

// poll runs one query and reports changes to the subscriptions.
func (p *poller) poll(ctx context.Context) {
	token := p.feed.token(p.account.server)
	select {
	case token <- struct{}{}:
		defer func() { <-token }()
	case <-ctx.Done():
		return
	}
	subs := p.subscriptions()
	if len(subs) == 0 || ctx.Err() != nil {
		return
	}
	// The account uses the same connection for every poll. It uses another database's connection only after a failure.
	asked := p.through
	if asked == nil {
		asked = subs[p.progress.turn%len(subs)].db
	}
	start := time.Now()
	checks, checked := p.progress.checks(subs, start, p.feed.crowded(p.account.server))
	timed, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	seen, err := asked.changes(timed, checks)
	ended := time.Now()
	took := ended.Sub(start)
	p.feed.opt.Counted.Polled(took, err != nil && ctx.Err() == nil)
	p.pace.pause = pollShare * took
	if err == nil {
		p.pace.pause = pollShare * p.pace.usual(took)
	}
	p.show(func(s *state) { s.cost = Poll{Took: took, Every: max(pollEvery, p.pace.pause)} })
	defer func() { p.feed.turns.postpone(p.account.server, ended.Add(min(p.pace.pause, mostPostponed))) }()
	if err != nil {
		if ctx.Err() == nil {
			p.failed(ctx, subs, asked, err)
		}
		return
	}
	p.progress.checked = checked
	scopes := map[*Database]scope{}
	for _, c := range checks {
		scopes[c.database] = c.scope
	}
	for _, s := range subs {
		scope, ok := scopes[s.db]
		if !ok {
			continue
		}
		s.position.checked = seen.now
		if scope == all || s.position.since == 0 {
			s.position.since, s.position.next = seen.now, start.Add(max(s.refresh, pollShare*took))
		}
	}
	p.succeeded(subs, seen, start)
}

// checks returns what the next poll of databases checks. On a crowded server, it checks the posts of some. checked is the
// value that p.checked gets if the poll succeeds.
func (p *progress) checks(subs []*Subscription, start time.Time, crowded bool) (checks []check, checked int) {
	choices := make([]choice, len(subs))
	for i, s := range subs {
		at := &s.position
		at.since, at.checked = cmp.Or(at.since, p.since), cmp.Or(at.checked, p.since)
		choices[i] = choice{edited: start.Before(p.closely[s]), due: start.After(at.next), asked: s.db.asked()}
	}
	choose := few
	if crowded {
		choose = many
	}
	scopes, checked := choose(choices, p.checked)
	for i, s := range subs {
		scope, ok := scopes[i]
		if !ok {
			continue
		}
		since := s.position.checked
		if scope == all {
			since = s.position.since
		}
		checks = append(checks, check{database: s.db, since: since, posts: s.position.checked, scope: scope})
	}
	return checks, checked
}

// A choice is a database that a poll may check.
type choice struct {
	edited bool  // it was edited a moment ago
	due    bool  // it is time to check all its tables
	asked  int64 // when visitors last asked for it; 0: never
}

// few returns what a poll checks if there are few databases. The keys of scopes are indexes in of. Every database is
// checked for edits. Two sorts of databases are checked in all tables: edited ones, and some that are due and whose
// turn it is. last is the index of the last database that had its turn, and next is the new value of last.
func few(of []choice, last int) (scopes map[int]scope, next int) {
	scopes, closely := make(map[int]scope, len(of)), 0
	for i, c := range of {
		if scopes[i] = edits; c.edited && closely < mostClosely {
			scopes[i] = all
			closely++
		}
	}
	return inTurn(scopes, len(of), last, mostClosely, all, func(i int) bool { return scopes[i] != all && of[i].due })
}

// many returns what a poll checks if there are too many databases to see all writes: the posts of the databases that
// visitors asked for last, and of some others in turn. Other writes are noticed the next time a database is read. last and next
// are as in few.
func many(of []choice, last int) (scopes map[int]scope, next int) {
	places := make([]int, len(of))
	for i := range of {
		places[i] = i
	}
	scopes = map[int]scope{}
	asked := AskedLast(places, func(i int) int64 { return of[i].asked })
	for _, i := range asked[:min(len(asked), mostVisited)] {
		if of[i].asked != 0 {
			scopes[i] = posts
		}
	}
	return inTurn(scopes, len(of), last, quietTurns, posts, func(i int) bool { _, ok := scopes[i]; return !ok })
}

// inTurn gives the scope of to at most turns indexes. It chooses indexes below n for which due is true, and begins
// after last. It returns the last index that it has chosen. If it chooses none, it returns last.
func inTurn(scopes map[int]scope, n, last, turns int, of scope, due func(int) bool) (map[int]scope, int) {
	next := last
	for i := range n {
		if at := (last + 1 + i) % n; turns > 0 && due(at) {
			scopes[at], next = of, at
			turns--
		}
	}
	return scopes, next
}

// failed records a failed poll, and reports the failure if it is the mostFailures-th in a row.
func (p *poller) failed(ctx context.Context, subs []*Subscription, asked *Database, err error) {
	answers := !db.Unreachable(err) || p.feed.answers(ctx, p.account.server, asked)
	if !answers {
		p.feed.opt.Breaker.Trip(p.account.server, err)
	}
	p.pace.pause = p.pace.afterFailure(answers)
	p.progress.turn++
	p.progress.failures++
	if p.progress.failures == mostFailures {
		p.show(func(s *state) { s.watched, s.well = false, false })
		for _, s := range subs { // reading a site shows what is wrong
			s.report(Anything(time.Now()))
		}
		p.feed.opt.Log.Warn("changes of a database cannot be polled; its sites are read at intervals", "server", p.account.server, "reason", err,
			"hint", "correct what reason says: often a right is missing, or the server is down")
	}
	if p.account.watches && answers {
		p.feed.opt.Log.Warn("the account of [watch] cannot be used", "server", p.account.server, "reason", err, "hint", hintWatch)
		p.toOwn(subs)
	}
}

// afterFailure returns how long to wait after a failed poll. If the server has answered this poll and the failed poll
// before, it returns p.pause, the pause for the duration of the failed poll. If not, it returns 0: a silent server had
// no work, and a write during the silence must be seen soon.
func (p *pace) afterFailure(answers bool) time.Duration {
	before := p.answered
	p.answered = answers
	if answers && before {
		return p.pause
	}
	return 0
}

// succeeded reports to the subscriptions what a successful poll has seen. start is when the poll began.
func (p *poller) succeeded(subs []*Subscription, seen changes, start time.Time) {
	p.feed.Answered(p.account.server)
	at := &p.progress
	first, blind := at.since == 0, at.failures >= mostFailures || at.since == 0 && at.failures > 0
	at.since, at.failures = seen.now, 0
	p.pace.answered = false
	if seen.past > 0 {
		p.pace.whole = start.Add(-seen.past)
	}
	p.show(func(s *state) { s.watched, s.well = p.feed.keepsTimes(p.account.server, seen.known), true })
	switch {
	case blind: // a restarted server does not know when its tables were written before
		for _, s := range subs {
			s.report(Anything(time.Now()))
		}
	case !first:
		p.report(subs, seen, start)
	}
	p.show(func(s *state) { s.current = start })
	if !p.account.watches {
		return
	}
	for _, s := range subs {
		if slices.Contains(seen.unseen, s.db) {
			p.feed.warnHidden(s.db)
			p.toOwn([]*Subscription{s})
		}
	}
}

// report reports the changes of a poll to the subscriptions, and marks edited databases for close checks.
func (p *poller) report(subs []*Subscription, seen changes, start time.Time) {
	of := map[*Database]*Subscription{}
	for _, s := range subs {
		of[s.db] = s
	}
	closely := p.progress.closely
	maps.DeleteFunc(closely, func(_ *Subscription, until time.Time) bool { return until.Before(start) })
	for _, c := range seen.changed {
		s := of[c.database]
		s.report(&c.set)
		if c.edited {
			closely[s] = start.Add(closelyFor)
		}
	}
}
