package changes

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/writes"
)

// How often one database server is polled, by all accounts together. With more accounts than connections each poll makes one, and
// that is two statements more. Beyond manyDatabases no visitor waits for it, see Subscription.Partial.
const (
	perSecond     = 15
	manyPerSecond = 10
)

const (
	pollEvery = time.Second
	// pollShare bounds the cost: a poll that took a second is followed by a pause of so many, at its server by
	// whatever account.
	pollShare     = 20
	mostPostponed = 5 * time.Second // of that pause, for other accounts than the one that polled
	// pollPast is how much of a second of the server's clock has passed when it is polled. Times of change are whole
	// seconds: a finished second needs no second poll.
	pollPast    = 50 * time.Millisecond
	pollTimeout = 10 * time.Second
	// After mostFailures in a row databases are read at intervals.
	mostFailures = 3
	closelyFor   = 10 * time.Second // plugins save their part of an edit after WordPress
	// mostClosely databases have all their tables checked by one poll because they were edited, and as many in turn: others wait
	// for the next one.
	mostClosely = 25
	// Of more than manyDatabases a server, which keeps 400 definitions of tables by default, would open tables anew with every
	// poll of all. So it checks the posts of mostVisited that visitors have asked for last, and of quietTurns others in turn.
	manyDatabases = 300
	mostVisited   = 200
	quietTurns    = 50
)

// poller polls the databases of one account. The last group of fields is used by the goroutine that holds the token of the
// server.
type poller struct {
	feed *Feed
	account
	through *writes.Database // the connection of [watch]; nil: that of one of its databases
	begun   bool             // run was started; guarded by the feed's lock
	left    context.Context  // ends when the last subscription has left
	leave   context.CancelFunc
	subs    atomic.Pointer[[]*Subscription]
	polled  chan struct{} // closed after the first poll

	watched atomic.Bool  // every write is reported, as the server keeps times of change
	well    atomic.Bool  // polls go well, so that what large networks publish is reported
	current atomic.Int64 // every write before has been reported, in Unix nanoseconds
	cost    atomic.Pointer[Poll]

	closely  map[*Subscription]time.Time // all tables of a database are checked until then
	turn     int                         // the database through whose connection is polled
	since    int64                       // where the next poll begins, by the server's clock; 0: there was none yet
	checked  int                         // the database whose tables were all checked last, of those that come one after the other
	ended    time.Time                   // of the last poll
	whole    time.Time                   // when a second of the server's clock began; zero: that is not known
	took     [3]time.Duration            // by the last polls that went well
	pause    time.Duration
	failures int  // in a row
	answered bool // the last poll failed, and its server answered nevertheless
}

func newPoller(f *Feed, of account) *poller {
	p := &poller{feed: f, account: of, polled: make(chan struct{}), closely: map[*Subscription]time.Time{}}
	p.left, p.leave = context.WithCancel(context.Background())
	p.set(nil)
	return p
}

// subscriptions returns the databases to poll. The slice does not change; another one takes its place.
func (p *poller) subscriptions() []*Subscription { return *p.subs.Load() }

func (p *poller) set(subs []*Subscription) { p.subs.Store(&subs) }

// run polls until ctx ends, or the last subscription has left.
func (p *poller) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.left, cancel)()
	if p.through != nil {
		defer p.through.DB.Close()
	}
	p.poll(ctx)
	close(p.polled)
	for wait(ctx, p.align(time.Now().Add(max(pollEvery, p.pause)))) &&
		wait(ctx, time.Now().Add(p.feed.turns.Take(p.server, p.feed.beat(p.server)))) {
		p.poll(ctx)
	}
}

// beat is the time between polls of a server.
func (f *Feed) beat(address string) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at(address).joined > f.Many {
		return time.Second / manyPerSecond
	}
	return time.Second / perSecond
}

// wait waits for a moment. It is false when ctx has ended.
func wait(ctx context.Context, until time.Time) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Until(until)):
		return true
	}
}

// align moves a poll to just after a second of the server's clock has begun.
func (p *poller) align(at time.Time) time.Time {
	if p.whole.IsZero() {
		return at
	}
	const early = pollEvery / 4 // or polls would come a little later each time, and one second would have none
	past := at.Add(-early).Sub(p.whole.Add(pollPast))
	return p.whole.Add(pollPast + (past/time.Second+1)*time.Second)
}

// usual notes what a poll took, and returns what one takes: the quickest of the last few, as a poll may wait for a
// connection, a processor or a silent server, which costs no server anything.
func (p *poller) usual(took time.Duration) time.Duration {
	p.took = [3]time.Duration{p.took[1], p.took[2], took}
	return slices.Min(p.took[:])
}

// token returns what holds one token while a server is polled, by whatever account.
func (f *Feed) token(address string) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at(address).polling
}

// keepsTimes reports whether a server keeps times of change. One that was seen to keeps them.
func (f *Feed) keepsTimes(address string, seen bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.at(address)
	s.keepsTimes = s.keepsTimes || seen
	return s.keepsTimes
}

// answers reports whether the server of a database answers at all.
func (f *Feed) answers(ctx context.Context, server string, database *writes.Database) bool {
	answers, _, _ := f.pinging.Do(server, func() (any, error) { return database.DB.Answers(ctx), nil })
	return answers.(bool)
}

// poll asks once and reports changes to the subscriptions.
func (p *poller) poll(ctx context.Context) {
	token := p.feed.token(p.server)
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
	// One connection of the account stays warm; another database's is taken only when that fails.
	asked := p.through
	if asked == nil {
		asked = subs[p.turn%len(subs)].db
	}
	start := time.Now()
	checks, checked := p.checks(subs, start)
	timed, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	seen, err := asked.Changes(timed, checks)
	p.ended = time.Now()
	took := p.ended.Sub(start)
	p.feed.opt.Counted.Polled(took, err != nil && ctx.Err() == nil)
	if p.pause = pollShare * took; err == nil {
		p.pause = pollShare * p.usual(took)
	}
	p.cost.Store(&Poll{Took: took, Every: max(pollEvery, p.pause)})
	defer func() { p.feed.turns.Postpone(p.server, p.ended.Add(min(p.pause, mostPostponed))) }()
	if err != nil {
		if ctx.Err() == nil {
			p.failed(ctx, subs, asked, err)
		}
		return
	}
	p.checked = checked
	scopes := map[*writes.Database]writes.Scope{}
	for _, c := range checks {
		scopes[c.Database] = c.Scope
	}
	for _, s := range subs {
		scope, ok := scopes[s.db]
		if !ok {
			continue
		}
		s.checked = seen.Now
		if scope == writes.All || s.since == 0 {
			s.since, s.next = seen.Now, start.Add(max(s.refresh, pollShare*took))
		}
	}
	p.succeeded(subs, seen, start)
}

// checks returns what the next poll checks, and what p.checked is then.
func (p *poller) checks(subs []*Subscription, start time.Time) (checks []writes.Check, checked int) {
	choices := make([]choice, len(subs))
	for i, s := range subs {
		s.since, s.checked = cmp.Or(s.since, p.since), cmp.Or(s.checked, p.since)
		choices[i] = choice{edited: start.Before(p.closely[s]), due: start.After(s.next), asked: s.db.Asked()}
	}
	choose := few
	if len(subs) > p.feed.Many {
		choose = many
	}
	scopes, checked := choose(choices, p.checked)
	for i, s := range subs {
		switch scope, ok := scopes[i]; {
		case ok && scope == writes.All:
			checks = append(checks, writes.Check{Database: s.db, Since: s.since, Scope: scope})
		case ok:
			checks = append(checks, writes.Check{Database: s.db, Since: s.checked, Scope: scope})
		}
	}
	return checks, checked
}

// A choice is a database that a poll may check.
type choice struct {
	edited bool  // a moment ago
	due    bool  // it is time to check all its tables
	asked  int64 // when visitors asked for it last; 0: never
}

// few returns what a poll checks of few databases, by their place in the list: of each what edits are written to, and all tables of those
// that were edited, and of some that are due in turn. last is the place that had its turn last, before and after.
func few(of []choice, last int) (scopes map[int]writes.Scope, next int) {
	scopes, closely := make(map[int]writes.Scope, len(of)), 0
	for i, c := range of {
		if scopes[i] = writes.Edits; c.edited && closely < mostClosely {
			scopes[i] = writes.All
			closely++
		}
	}
	return inTurn(scopes, len(of), last, mostClosely, writes.All, func(i int) bool { return scopes[i] != writes.All && of[i].due })
}

// many is few for more databases than can be polled for all that is written: the posts of those that visitors have asked for last, and of
// some others in turn. Other writes show when a database is read again.
func many(of []choice, last int) (scopes map[int]writes.Scope, next int) {
	places := make([]int, len(of))
	for i := range of {
		places[i] = i
	}
	scopes = map[int]writes.Scope{}
	asked := AskedLast(places, func(i int) int64 { return of[i].asked })
	for _, i := range asked[:min(len(asked), mostVisited)] {
		if of[i].asked != 0 {
			scopes[i] = writes.Posts
		}
	}
	return inTurn(scopes, len(of), last, quietTurns, writes.Posts, func(i int) bool { _, ok := scopes[i]; return !ok })
}

// inTurn adds a scope of up to so many places of n that are due, beginning after the last one.
func inTurn(scopes map[int]writes.Scope, n, last, turns int, scope writes.Scope, due func(int) bool) (map[int]writes.Scope, int) {
	next := last
	for i := range n {
		if at := (last + 1 + i) % n; turns > 0 && due(at) {
			scopes[at], next = scope, at
			turns--
		}
	}
	return scopes, next
}

// failed notes a poll that failed.
func (p *poller) failed(ctx context.Context, subs []*Subscription, asked *writes.Database, err error) {
	answers := !db.Unreachable(err) || p.feed.answers(ctx, p.server, asked)
	if !answers {
		p.feed.opt.Breaker.Trip(p.server, err)
	}
	p.pause = p.afterFailure(answers)
	p.turn++
	p.failures++
	if p.failures == mostFailures {
		p.watched.Store(false)
		p.well.Store(false)
		for _, s := range subs { // reading finds out what is wrong
			s.report(Anything(time.Now()))
		}
		p.feed.opt.Log.Warn("changes of a database cannot be polled; its sites are read at intervals", "server", p.server, "reason", err)
	}
	if p.watches && answers {
		p.feed.opt.Log.Warn("the account that watches cannot be used", "server", p.server, "reason", err)
		p.toOwn(subs)
	}
}

// afterFailure is the pause after a poll that failed. It took long, but cost nothing to a server that did not answer, or that
// answers only now: such a one is polled again soon, or a write after a silence would be seen minutes later.
func (p *poller) afterFailure(answers bool) time.Duration {
	before := p.answered
	p.answered = answers
	if answers && before {
		return p.pause
	}
	return 0
}

// succeeded reports to the subscriptions what a poll has seen that began at start.
func (p *poller) succeeded(subs []*Subscription, seen writes.Changes, start time.Time) {
	p.feed.Answered(p.server)
	first, blind := p.since == 0, p.failures >= mostFailures || p.since == 0 && p.failures > 0
	p.failures, p.answered = 0, false
	p.since = seen.Now
	if seen.Past > 0 {
		p.whole = start.Add(-seen.Past)
	}
	p.watched.Store(p.feed.keepsTimes(p.server, seen.Known))
	p.well.Store(true)
	switch {
	case blind: // a restarted server has forgotten when its tables were written
		for _, s := range subs {
			s.report(Anything(p.ended))
		}
	case !first:
		p.report(subs, seen, start)
	}
	p.current.Store(start.UnixNano())
	if !p.watches {
		return
	}
	for _, s := range subs {
		if slices.Contains(seen.Unseen, s.db) {
			p.feed.warnHidden(s.db)
			p.toOwn([]*Subscription{s})
		}
	}
}

// report reports what a poll has seen.
func (p *poller) report(subs []*Subscription, seen writes.Changes, start time.Time) {
	of := map[*writes.Database]*Subscription{}
	for _, s := range subs {
		of[s.db] = s
	}
	maps.DeleteFunc(p.closely, func(_ *Subscription, until time.Time) bool { return until.Before(start) })
	for _, c := range seen.Changed {
		s := of[c.Database]
		set := &Set{MaybeRepeat: c.MaybeRepeat, Blogs: c.Blogs}
		set.Settled = p.ended.Add(time.Duration(c.Last+1-seen.Now) * time.Second) // that second is over
		if c.Tables != nil {
			set.Tables = map[string]bool{}
		}
		for _, name := range c.Tables {
			set.Tables[name] = true
		}
		s.report(set)
		if c.Edited {
			p.closely[s] = start.Add(closelyFor)
		}
	}
}
