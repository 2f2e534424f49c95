// Package poll notices writes by asking databases, once a second, when their tables were written: one query serves all
// databases that are read by one account. It is the source that works everywhere. Start reading at Poller.poll.
package poll

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"wpsitemapd/server/changes"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/writes"
)

// PerSecond is how often one database server is asked, by all accounts together. With more accounts than connections
// each poll makes one, and that is two statements more.
const PerSecond = 15

const (
	pollEvery = time.Second
	// pollShare bounds the cost: a poll that took a second is followed by a pause of so many, at its server by
	// whatever account.
	pollShare     = 20
	mostPostponed = 5 * time.Second // of that pause, for other accounts than the one that polled
	// slowPoll and what takes longer is not explained by a wait for something else.
	slowPoll = 250 * time.Millisecond
	// pollPast is how much of a second of the server's clock has passed when it is polled. Times of change are whole
	// seconds: of one that is over no second poll is needed, and a write was seen by who counts it.
	pollPast    = 50 * time.Millisecond
	pollTimeout = 10 * time.Second
	// After mostFailures in a row databases are read at intervals.
	mostFailures = 3
	// After mostMissed polls in a row that find what the better source has not reported, it is not trusted.
	mostMissed = 3
	closelyFor = 10 * time.Second // plugins save their part of an edit after WordPress
	// rareBeat is the longest time between polls while a better source reports writes.
	rareBeat = time.Hour
)

// Options are what a source needs of the daemon. The functions are called with what was seen and must not block.
type Options struct {
	Log      *slog.Logger
	Polled   func(took time.Duration, failed bool)
	Changed  func()                         // a poll has found a database changed
	Silent   func(server string, err error) // a database server does not answer
	Answered func(server string)
}

// Source polls databases.
type Source struct {
	Options
	turns changes.Turns

	mu      sync.Mutex
	known   map[string]bool          // servers that were seen to keep times of change
	polling map[string]chan struct{} // by server: holds one token while it is polled, by whatever account

	pinging singleflight.Group // by server: one connection answers for all accounts
}

// New returns a source. Log must not be nil.
func New(opt Options) *Source {
	return &Source{Options: opt, known: map[string]bool{}, polling: map[string]chan struct{}{}}
}

// Watch implements changes.Source.
func (s *Source) Watch(g *changes.Group) changes.Watcher {
	return &Poller{source: s, group: g, closely: map[*changes.Subscription]time.Time{}}
}

// Poller polls the databases of one account.
type Poller struct {
	source *Source
	group  *changes.Group

	mu       sync.Mutex                          // held while polling; guards what follows
	closely  map[*changes.Subscription]time.Time // all tables of a database are checked until then
	turn     int                                 // the database through whose connection is polled
	since    int64                               // where the next poll begins, by the server's clock; 0: there was none yet
	sinceAll int64                               // where the next poll of all tables begins
	nextAll  time.Time
	ended    time.Time        // of the last poll
	whole    time.Time        // when a second of the server's clock began; zero: that is not known
	took     [3]time.Duration // by the last polls that were not of all tables
	pause    time.Duration
	failures int  // in a row
	answered bool // the last poll failed, and its server answered nevertheless

	missed  int   // changes in a row that the better source did not report
	missing int64 // since when it reports
}

// Joined polls at once where a write would go unnoticed else.
func (p *Poller) Joined(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since == 0 && time.Since(p.ended) > pollEvery {
		p.poll(ctx)
	}
}

// Run implements changes.Watcher.
func (p *Poller) Run(ctx context.Context) {
	for p.rest(ctx) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(p.source.turns.Take(p.group.Server, time.Second/PerSecond)):
		}
		p.mu.Lock()
		p.poll(ctx)
		p.mu.Unlock()
	}
}

// rest waits for the next poll. While a better source reports writes there are few, in case it misses some.
func (p *Poller) rest(ctx context.Context) bool {
	began := time.Now()
	for {
		p.mu.Lock()
		next := p.align(began.Add(max(p.beat(), p.pause)))
		p.mu.Unlock()
		wait := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			wait.Stop()
			return false
		case <-wait.C:
			return true
		case <-p.group.Nudged():
			wait.Stop()
		}
	}
}

// align moves a poll to just after a second of the server's clock has begun. p.mu is held.
func (p *Poller) align(at time.Time) time.Time {
	if p.whole.IsZero() {
		return at
	}
	const early = pollEvery / 4 // or polls would come a little later each time, and one second would have none
	past := at.Add(-early).Sub(p.whole.Add(pollPast))
	return p.whole.Add(pollPast + (past/time.Second+1)*time.Second)
}

// beat is the time between polls. p.mu is held.
func (p *Poller) beat() time.Duration {
	slow := rareBeat
	for _, s := range p.group.Subscriptions() {
		since := s.BetterSince()
		if since == 0 || p.ended.UnixNano() < since || p.missedSince(since) >= mostMissed {
			return pollEvery // one poll shows what was written before the better source began
		}
		slow = min(slow, s.Refresh)
	}
	return max(slow, pollEvery)
}

// missedSince is how many changes in a row the better source, which has reported since a moment, did not report. p.mu
// is held.
func (p *Poller) missedSince(since int64) int {
	if p.missing != since {
		p.missed, p.missing = 0, since
	}
	return p.missed
}

// usual notes what a poll took, and returns what one takes: the quickest of the last few, as a poll may wait for a
// connection or a processor, which costs no server anything. p.mu is held.
func (p *Poller) usual(took time.Duration) time.Duration {
	p.took = [3]time.Duration{p.took[1], p.took[2], took}
	return slices.Min(p.took[:])
}

// alone returns the token of a server: only the account that holds it polls.
func (s *Source) alone(server string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.polling[server] == nil {
		s.polling[server] = make(chan struct{}, 1)
	}
	return s.polling[server]
}

// keepsTimes reports whether a server keeps times of change. One that was seen to keeps them.
func (s *Source) keepsTimes(server string, seen bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[server] = s.known[server] || seen
	return s.known[server]
}

// answers reports whether the server of a database answers at all.
func (s *Source) answers(ctx context.Context, server string, database *writes.Database) bool {
	answers, _, _ := s.pinging.Do(server, func() (any, error) { return database.Answers(ctx), nil })
	return answers.(bool)
}

// poll asks once and reports changes to the subscriptions. p.mu is held.
func (p *Poller) poll(ctx context.Context) {
	subs := p.group.Subscriptions()
	if len(subs) == 0 || ctx.Err() != nil {
		return
	}
	alone := p.source.alone(p.group.Server)
	select {
	case alone <- struct{}{}:
		defer func() { <-alone }()
	case <-ctx.Done():
		return
	}
	start, before := time.Now(), p.ended
	all, since := start.After(p.nextAll), p.since
	if all {
		since = p.sinceAll
	}
	slow := subs[0].Refresh
	databases := make([]*writes.Database, len(subs))
	closely := map[*writes.Database]bool{}
	for i, s := range subs {
		databases[i] = s.DB
		slow = min(slow, s.Refresh)
		closely[s.DB] = all || start.Before(p.closely[s])
	}
	timed, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	// One connection stays warm; another database's is taken only when that fails.
	asked := databases[p.turn%len(databases)]
	seen, err := asked.Changes(timed, since, databases, func(n *writes.Database) bool { return closely[n] })
	p.ended = time.Now()
	took := p.ended.Sub(start)
	p.source.Polled(took, err != nil && ctx.Err() == nil)
	switch { // a poll of all tables comes rarely and has a pause of its own
	case err == nil && p.failures > 0 && !p.answered: // it waited for a silent server, which costs that nothing
		p.pause = 0
	case err != nil || took >= slowPoll:
		p.pause = pollShare * took
	case !all:
		p.pause = pollShare * p.usual(took)
	}
	defer func() { p.source.turns.Postpone(p.group.Server, p.ended.Add(min(p.pause, mostPostponed))) }()
	if err != nil {
		if ctx.Err() == nil {
			p.failed(ctx, asked, err)
		}
		return
	}
	p.source.Answered(p.group.Server)
	defer p.group.Current(start) // once all is reported
	first, blind := p.since == 0, p.failures >= mostFailures || p.since == 0 && p.failures > 0
	p.failures, p.answered = 0, false
	p.since = seen.Now
	if seen.Past > 0 {
		p.whole = start.Add(-seen.Past)
	}
	if all {
		p.sinceAll = seen.Now
		p.nextAll = start.Add(max(slow, pollShare*took))
	}
	if p.source.keepsTimes(p.group.Server, seen.Known) {
		p.group.Begin()
	} else {
		p.group.End()
	}
	switch {
	case blind: // a restarted server has forgotten when its tables were written
		for _, s := range subs {
			s.Report(changes.Unknown(p.ended))
		}
	case !first:
		p.report(subs, seen, start, before)
	}
}

// failed notes a poll that failed. p.mu is held.
func (p *Poller) failed(ctx context.Context, asked *writes.Database, err error) {
	server := p.group.Server
	answers := !db.Unreachable(err) || p.source.answers(ctx, server, asked)
	if !answers {
		p.source.Silent(server, err)
	}
	p.pause = p.afterFailure(answers)
	p.turn++
	p.failures++
	if p.failures == mostFailures {
		p.group.End()
		p.group.ReportAll() // whoever reads finds out what is wrong
		p.source.Log.Warn("changes of a database cannot be polled; its sites are read at intervals", "server", server, "reason", err)
	}
}

// afterFailure is the pause after a poll that failed. It took long, but cost nothing to a server that did not answer, or that
// answers only now: such a one is asked again soon, or a write after a silence would be seen minutes later. p.mu is held.
func (p *Poller) afterFailure(answers bool) time.Duration {
	before := p.answered
	p.answered = answers
	if answers && before {
		return p.pause
	}
	return 0
}

// report reports to the subscriptions what a poll, which began at start and follows one that ended before, has seen.
// p.mu is held.
func (p *Poller) report(subs []*changes.Subscription, seen writes.Changes, start, before time.Time) {
	found := map[*writes.Database]writes.Change{}
	for _, c := range seen.Changed {
		found[c.Database] = c
	}
	watched := map[*changes.Subscription]time.Time{}
	for _, s := range subs {
		if until, ok := p.closely[s]; ok {
			watched[s] = until
		}
		c, changed := found[s.DB]
		if !changed {
			continue
		}
		p.source.Changed()
		event := &changes.Event{MaybeRepeat: c.MaybeRepeat}
		event.Settled = p.ended.Add(time.Duration(c.Last+1-seen.Now) * time.Second) // that second is over
		if c.Tables != nil {
			event.Tables = map[string]bool{}
		}
		for _, name := range c.Tables {
			event.Tables[name] = true
		}
		if since := s.BetterSince(); since > 0 {
			p.compare(s, event, since, before)
		}
		s.Report(event)
		if c.Edited {
			watched[s] = start.Add(closelyFor)
		}
	}
	p.closely = watched
}

// compare compares a write that a poll has found with those that the better source reported since the poll before.
// p.mu is held.
func (p *Poller) compare(s *changes.Subscription, event *changes.Event, since int64, before time.Time) {
	const clocks = 2 * time.Second // times of change are whole seconds
	missed := p.missedSince(since)
	switch {
	case s.LastWrite() >= max(before.Add(-clocks).UnixNano(), since):
		event.MaybeRepeat, event.Detail, p.missed = true, changes.Covered, 0
	case before.UnixNano() >= since: // it reported all the time
		p.missed = missed + 1
		if p.missed == mostMissed {
			p.source.Log.Warn("the binlog misses writes that polling sees; tables are polled every second again",
				"server", p.group.Server,
				"hint", "have the server log what it replicates (log_slave_updates), and every database (binlog_do_db, binlog_ignore_db)")
		}
	}
}
