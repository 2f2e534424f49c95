package server

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"wpsitemapd/server/binlog"
	"wpsitemapd/wp"
)

// How the binlog of a server is followed.
const (
	// A server sends its binlog a moment before who reads its tables sees the same, and an edit is several
	// writes: so sites are told a moment later, and of the same once more.
	tellAfter = 20 * time.Millisecond
	echoAfter = time.Second

	followRetry    = time.Second // after a lost connection, doubled each time …
	lastFollow     = time.Minute // … up to this
	columnsTimeout = 10 * time.Second
	mostFollowed   = 8      // accounts on one server: each holds a connection
	mostNames      = 10_000 // of tables, kept at a time
)

// followAgain is the pause where it takes the operator.
var followAgain = 5 * time.Minute

// follower has the binlog tell what is written to the sites of one account. Whenever it does not, looks
// tell as they would without it.
type follower struct {
	account *account
	again   time.Duration
	wanted  chan struct{} // holds one word: a site has come that wants it

	// What follows belongs to the goroutine that reads the binlog.
	members []*member
	targets map[tableName][]*listener

	mu            sync.Mutex
	news          map[*member]*writes // to be told
	fresh, echoes map[*member]*writes // told once; those of echoes are the next
	stopped       bool
}

type tableName struct{ schema, table string }

// listener is a table as one member sees it.
type listener struct {
	*member
	table   wp.WrittenTable
	columns wp.Columns
	asked   bool // for columns
	known   bool // columns
}

func newFollower(a *account) *follower {
	return &follower{account: a, again: followAgain, wanted: make(chan struct{}, 1), news: map[*member]*writes{}, fresh: map[*member]*writes{}, echoes: map[*member]*writes{}}
}

// wanting returns the members that are to be told.
func (f *follower) wanting() []*member {
	f.account.ticks.mu.Lock()
	defer f.account.ticks.mu.Unlock()
	var all []*member
	for _, m := range f.account.members {
		if m.follow {
			all = append(all, m)
		}
	}
	return all
}

// readTo is where a binlog was read up to, and of which server it is.
type readTo struct {
	binlog.Position
	server string
}

// run follows until ctx ends.
func (f *follower) run(ctx context.Context) {
	a := f.account
	log := a.ticks.server.log.With("server", a.server)
	defer f.stop()
	var at *readTo
	failures := 0
	logged := map[string]bool{} // why it cannot be, since it last could
	for ctx.Err() == nil {
		next, err := f.follow(ctx, at)
		followed := f.ended()
		if ctx.Err() != nil {
			return
		}
		if followed > lastFollow {
			failures = 0
		}
		if followed > 0 {
			clear(logged)
		}
		failures++
		pause := min(followRetry<<min(failures-1, 10), lastFollow)
		cannot, ok := errors.AsType[*wp.BinlogError](err)
		if errors.Is(err, binlog.ErrForm) && at == nil && followed == 0 { // not even the login
			cannot, ok = &wp.BinlogError{Reason: err.Error(), Hint: `set changes = "poll", and report it`}, true
		}
		switch {
		case errors.Is(err, errNobody): // the last site that wants it has left
			at = nil
			select {
			case <-ctx.Done():
			case <-f.wanted:
			}
			continue
		case ok || errors.Is(err, binlog.ErrDenied):
			at, failures, pause = nil, 0, f.again
			why, hint := err.Error(), wp.GrantBinlog
			if ok {
				hint = cannot.Hint
			}
			if !logged[why] {
				logged[why] = true
				log.Warn("the binlog cannot be followed, tables are looked at instead", "reason", why, "hint", hint, "again_after", f.again)
			}
		case errors.Is(err, binlog.ErrPurged), errors.Is(err, binlog.ErrForm):
			at = nil
			f.everything()
			log.Warn("the binlog has a gap, all sites are read again", "reason", err, "again_after", pause)
		default:
			at = next
			if failures == 1 {
				log.Info("the binlog is not followed at the moment, tables are looked at meanwhile", "reason", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

var errNobody = errors.New("no site wants it")

// follow follows for as long as the connection lasts, from a place or else from now on, and
// returns the place to go on from.
func (f *follower) follow(ctx context.Context, from *readTo) (*readTo, error) {
	members := f.wanting()
	if len(members) == 0 {
		return nil, errNobody
	}
	ticks, server := f.account.ticks, f.account.server
	if !ticks.startFollowing(server) {
		return nil, &wp.BinlogError{Reason: fmt.Sprintf("that of %d other accounts of the server is followed", mostFollowed), Hint: "give the sites of this server one database account"}
	}
	defer ticks.stopFollowing(server)
	databases := make([]*wp.Network, len(members))
	for i, m := range members {
		databases[i] = m.db
	}
	n := databases[0]
	timed, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	now, err := n.Binlog(timed, databases)
	if err != nil {
		return from, err
	}
	login, err := n.Login()
	if err != nil {
		return from, err
	}
	at := readTo{binlog.Position{File: now.File, Offset: now.Offset, GTID: now.GTID}, now.Server}
	end := at.Position
	if from != nil {
		if from.server != now.Server && from.GTID == "" {
			return nil, fmt.Errorf("%w: it is another server", binlog.ErrPurged)
		}
		at.Position = from.Position
	}
	f.members, f.targets = nil, nil
	at.Position, err = binlog.Follow(ctx, binlog.Server{
		MariaDB: now.MariaDB, ID: now.ServerID, End: end, Addr: login.Addr, User: login.User, Password: login.Password,
		TLS: login.TLS, PlainToo: login.PlainToo, Dial: n.Dial,
	}, at.Position, &reading{f, ctx})
	return &at, err
}

// startFollowing reports whether the binlog of another account of a server may be followed.
func (t *ticks) startFollowing(server string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.followed[server] >= mostFollowed {
		return false
	}
	t.followed[server]++
	return true
}

func (t *ticks) stopFollowing(server string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.followed[server]--
}

// ended has looks tell what is written again, and returns for how long the binlog did.
func (f *follower) ended() time.Duration {
	a := f.account
	since := a.following.Swap(0)
	if since == 0 {
		return 0
	}
	a.nudge()
	if !a.watching.Load() { // nor do looks tell
		f.everything()
	}
	return time.Since(time.Unix(0, since))
}

func (f *follower) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
}

// everything has all sites read again.
func (f *follower) everything() {
	for _, m := range f.wanting() {
		m.tell(writes{any: true, unknown: true, settled: time.Now()})
	}
}

// reading is the follower as the one who is told what is in the binlog.
type reading struct {
	*follower
	ctx context.Context
}

// Started implements binlog.Handler.
func (f *reading) Started() {
	a := f.account
	if !a.following.CompareAndSwap(0, time.Now().UnixNano()) {
		return
	}
	a.mu.Lock()
	a.missed = 0
	a.mu.Unlock()
	a.nudge()
	a.ticks.server.log.Info("the binlog is followed", "server", a.server, "sites", len(f.wanting()))
}

// guard has everything read where what was told could not be taken in.
func (f *reading) guard() {
	if v := recover(); v != nil {
		f.account.ticks.server.log.Error("internal error", "panic", v, "stack", string(debug.Stack()), "hint", "report it with this log entry")
		f.everything()
	}
}

// Wants implements binlog.Handler.
func (f *reading) Wants(t binlog.Table) bool {
	defer f.guard()
	now := time.Now().UnixNano()
	wants := false
	for _, to := range f.find(t) {
		to.heard.Store(now)
		switch {
		case !to.table.RowsTell():
			f.add(to, to.table.Written())
		case f.crowded(to):
			f.add(to, wp.WrittenRow{Matters: true})
		case !f.columnsOf(to):
			f.add(to, wp.WrittenRow{Matters: true})
		default:
			wants = true
		}
	}
	return wants
}

// find returns the members that have a table.
func (f *reading) find(t binlog.Table) []*listener {
	if members := f.wanting(); !slices.Equal(members, f.members) || len(f.targets) >= mostNames {
		f.members, f.targets = members, map[tableName][]*listener{}
	}
	key := tableName{t.Schema, t.Name}
	found, ok := f.targets[key]
	if !ok {
		for _, m := range f.members {
			if table, ok := m.db.WrittenTable(t.Schema, t.Name); ok {
				found = append(found, &listener{member: m, table: table})
			}
		}
		f.targets[key] = found
	}
	return found
}

// columnsOf finds the columns of a table, once until a statement may have changed them.
func (f *reading) columnsOf(to *listener) bool {
	if !to.asked {
		ctx, cancel := context.WithTimeout(f.ctx, columnsTimeout)
		defer cancel()
		var err error
		to.columns, to.known, err = to.db.Columns(ctx, to.table)
		to.asked = err == nil
	}
	return to.known
}

// Row implements binlog.Handler.
func (f *reading) Row(t binlog.Table, before, after []any) {
	defer f.guard()
	for _, to := range f.find(t) {
		if to.known {
			f.add(to, to.table.Row(to.columns, before, after))
		}
	}
}

// Statement implements binlog.Handler.
func (f *reading) Statement(schema, text string) {
	defer f.guard()
	now := time.Now()
	for _, m := range f.wanting() {
		if m.db.Concerns(schema, text) {
			m.heard.Store(now.UnixNano())
			f.put(m, writes{any: true, unknown: true, settled: now.Add(echoAfter)})
			f.targets = nil // and with it the columns
			f.members = nil
		}
	}
}

// Much implements binlog.Handler.
func (f *reading) Much() {
	now := time.Now()
	for _, m := range f.wanting() {
		m.heard.Store(now.UnixNano())
		f.put(m, writes{any: true, unknown: true, settled: now.Add(echoAfter)})
	}
}

// crowded reports whether what is to be told to a member has room for no more ids.
func (f *reading) crowded(to *listener) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.news[to.member]
	return w != nil && w.tables[to.table.Name] && (w.unknown || !w.exact && len(w.ids[idsOf{posts: to.table.Posts}]) >= mostIDs)
}

// add has a member told of a row.
func (f *reading) add(to *listener, row wp.WrittenRow) {
	if !row.Matters {
		return
	}
	word := writes{any: true, tables: map[string]bool{to.table.Name: true}, exact: row.Exact, calm: row.Exact, settled: time.Now().Add(echoAfter)}
	for _, id := range row.Posts {
		word.concern(idsOf{posts: to.table.Posts}, id)
	}
	for _, id := range row.Terms {
		word.concern(idsOf{posts: to.table.Posts, terms: true}, id)
	}
	f.put(to.member, word)
}

// put adds a word to what a member is to be told in a moment.
func (f *follower) put(m *member, word writes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.news) == 0 {
		time.AfterFunc(tellAfter, f.tell)
	}
	merge(f.news, m, &word)
}

func merge(into map[*member]*writes, m *member, word *writes) {
	w := into[m]
	if w == nil {
		w = &writes{}
		into[m] = w
	}
	w.add(*word)
}

// tell tells the news.
func (f *follower) tell() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return
	}
	if len(f.fresh) == 0 && len(f.echoes) == 0 {
		time.AfterFunc(echoAfter, f.echo)
	}
	for m, word := range f.news {
		merge(f.fresh, m, word)
		m.tell(*word)
	}
	f.news = map[*member]*writes{}
}

// echo tells once more what was told before the last echo. What was told since waits for the next one.
func (f *follower) echo() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return
	}
	for m, word := range f.echoes {
		word.again, word.settled = true, time.Now()
		m.tell(*word)
	}
	f.echoes, f.fresh = f.fresh, map[*member]*writes{}
	if len(f.echoes) > 0 {
		time.AfterFunc(echoAfter, f.echo)
	}
}
