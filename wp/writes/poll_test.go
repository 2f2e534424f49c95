package writes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// joined are subscriptions of a poller that does not run.
func joined(f *Feed, of account, n int) (*poller, []*Subscription) {
	f.opt.Start = func(func(context.Context)) {}
	p := newPoller(f, of)
	f.accounts[of] = p
	var subs []*Subscription
	for i := range n {
		d := New(&db.DB{Server: of.server, User: fmt.Sprint("user", i), Schema: fmt.Sprint("s", i)}, declared, "wp_", nil, nil)
		s := &Subscription{db: d, changed: make(chan struct{}, 1)}
		f.enter(s, p)
		subs = append(subs, s)
	}
	return p, subs
}

// logged returns a feed, and a function that returns what the feed has logged since the last call.
func logged(t *testing.T) (*Feed, func() string) {
	var log strings.Builder
	f := newFeed(t)
	f.opt.Log = slog.New(slog.NewTextHandler(&log, nil))
	return f, func() string { defer log.Reset(); return log.String() }
}

// After three failed polls in a row, sites are read at intervals. The log says so once.
func TestFailedPolls(t *testing.T) {
	f, log := logged(t)
	p, subs := joined(f, account{server: "a", user: "u"}, 2)
	p.state.Store(&state{watched: true, well: true})
	refusal := &mysql.MySQLError{Number: 1142, Message: "denied"} // the server answers
	for n := 1; n <= mostFailures+1; n++ {
		p.pace.pause = time.Minute
		p.failed(t.Context(), subs, nil, refusal)
		told := subs[0].Take() != nil && subs[1].Take() != nil
		expect.Equal(t, told, n == mostFailures, "after", n, "failures: anything may have been written")
		expect.Equal(t, subs[0].Watched(), n < mostFailures, "after", n, "failures: writes are reported")
		expect.Equal(t, strings.Contains(log(), "cannot be polled"), n == mostFailures, "after", n, "failures: it is logged")
		expect.Equal(t, p.pace.pause > 0, n > 1, "after", n, "failures: there is a pause")
		expect.Equal(t, p.progress.turn, n, "each failed poll moves on to the connection of another database")
	}
	p.succeeded(subs, changes{now: 100, known: true, past: time.Millisecond}, time.Now())
	told := subs[0].Take()
	expect.Equal(t, told.Anywhere(), true, "after the failures: anything may have been written")
	expect.Equal(t, subs[0].Watched(), true, "after the failures: writes are reported")
	expect.Equal(t, p.progress.failures, 0)
	expect.Equal(t, p.progress.since, 100)
}

// A server that does not answer is reported to the breaker. The next poll waits for nothing.
func TestSilentServer(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	door := wptest.NewDoor(t, dsn)
	door.Open()
	d := open(t, door.DSN)
	door.Shut()
	f, _ := logged(t)
	tripped := ""
	f.opt.Breaker = tripping(func(server string) { tripped = server })
	p, subs := joined(f, account{server: "a", user: "u"}, 1)
	p.pace.pause, p.pace.answered = time.Minute, true
	p.failed(t.Context(), subs, d, mysql.ErrInvalidConn)
	expect.Equal(t, tripped, "a", "the server that does not answer")
	expect.Equal(t, p.pace.pause, 0)
	door.Open()
	tripped = ""
	p.failed(t.Context(), subs, d, mysql.ErrInvalidConn)
	expect.Equal(t, tripped, "", "a server that answers a ping")
}

// tripping is a breaker that tells which server does not answer.
type tripping func(server string)

func (trip tripping) Trip(server string, _ error) { trip(server) }
func (tripping) Reset(string)                     {}

// The first poll reports nothing, because all databases are read then. Later polls report what they have seen, and edited databases
// are checked closely for a while.
func TestSucceededPolls(t *testing.T) {
	f, _ := logged(t)
	p, subs := joined(f, account{server: "a", user: "u"}, 2)
	start := time.Unix(1000, 0)
	seen := changes{now: 100, past: 300 * time.Millisecond, changed: []change{{database: subs[1].db, edited: true, set: *setOf("wp_posts")}}}
	p.succeeded(subs, seen, start)
	expect.Equal(t, subs[1].Waits(), false, "the first poll reports writes")
	expect.Equal(t, subs[0].Watched(), false, "a server that has recorded no time yet is trusted")
	expect.Equal(t, subs[0].Current(), start, "the moment before which every write is reported")
	expect.Equal(t, p.pace.whole, start.Add(-300*time.Millisecond), "the start of the server's second")
	p.pace.answered = true
	seen.known, seen.past = true, 0
	p.succeeded(subs, seen, start.Add(time.Second))
	expect.Equal(t, subs[0].Waits(), false, "another database was written")
	expect.Equal(t, subs[1].Take().Covers(setOf("wp_posts")), true, "the tables that were written")
	expect.Equal(t, subs[1].Take() == nil, true, "a set is taken once")
	expect.Equal(t, p.pace.answered, false)
	expect.Equal(t, p.pace.whole, start.Add(-300*time.Millisecond), "a clock without parts of a second tells no start")
	expect.Equal(t, p.progress.closely[subs[1]], start.Add(time.Second+closelyFor), "until when the edited database is checked closely")
	seen.changed[0].edited = false
	p.succeeded(subs, seen, start.Add(2*time.Second+closelyFor))
	expect.Equal(t, len(p.progress.closely), 0, "databases that are checked closely, later")
	expect.Equal(t, subs[0].Watched(), true, "a server that has recorded a time is trusted")
	seen.known = false
	p.succeeded(subs, seen, start.Add(time.Hour))
	expect.Equal(t, subs[0].Watched(), true, "a server that has once recorded a time is trusted")
}

// A database that the account of [watch] no longer sees is polled by its own account, which looks back to the last poll.
func TestBackToOwnAccounts(t *testing.T) {
	f, log := logged(t)
	p, subs := joined(f, account{server: "a", watches: true}, 3)
	p.progress.since = 50
	own := newPoller(f, account{server: "a", user: "user1"})
	f.accounts[own.account], own.progress.since = own, 70
	p.succeeded(subs, changes{now: 60, known: true, unseen: []*Database{subs[0].db, subs[1].db}}, time.Unix(1000, 0))
	expect.Equal(t, strings.Count(log(), "does not see a database"), 2, "databases that are logged")
	for i, want := range []string{"user0", "user1", "the account that watches"} {
		expect.Equal(t, polledBy(subs[i]), want, i)
		expect.Equal(t, subs[i].Waits(), i < 2, i, "anything may have been written")
	}
	expect.Equal(t, f.accounts[account{server: "a", user: "user0"}].progress.since, 60, "where a new account begins")
	expect.Equal(t, own.progress.since, 60, "where an account begins that is already ahead")
	expect.List(t, p.subscriptions(), subs[2:], "databases that the account of [watch] still polls")
	expect.Equal(t, f.at("a").joined, 3, "databases of the server")

	p.failed(t.Context(), p.subscriptions(), nil, &mysql.MySQLError{Number: 1045})
	expect.Contains(t, log(), "the account of [watch] cannot be used")
	expect.Equal(t, polledBy(subs[2]), "user2", "after the account was refused")
	expect.Equal(t, f.accounts[p.account] == nil, true, "the account of [watch] polls nothing")
	expect.Equal(t, p.left.Err() != nil, true, "its poller ends")
}

// If the account of [watch] never succeeded, it is unknown what was written meanwhile: the first poll of the own account reports anything.
func TestBackToOwnAccountsWithoutAPoll(t *testing.T) {
	f, _ := logged(t)
	p, subs := joined(f, account{server: "a", watches: true}, 1)
	p.toOwn(subs)
	own := subs[0].poller.Load()
	subs[0].Take()
	own.succeeded(subs, changes{now: 60, known: true}, time.Unix(1000, 0))
	expect.Equal(t, subs[0].Take().Anywhere(), true, "anything may have been written")
	p.toOwn(subs) // it is not p's any more
	expect.Equal(t, subs[0].poller.Load() == own, true, "the account stays")
}

// A subscription that has left is polled no more. Its account is forgotten with its last database.
func TestLeave(t *testing.T) {
	f, _ := logged(t)
	p, subs := joined(f, account{server: "a", user: "u"}, 2)
	subs[0].Leave()
	subs[0].Leave()
	expect.List(t, p.subscriptions(), subs[1:])
	expect.Equal(t, f.at("a").joined, 1, "databases of the server")
	expect.Equal(t, p.left.Err(), nil)
	subs[1].Leave()
	expect.Equal(t, len(f.accounts), 0, "accounts")
	expect.Equal(t, p.left.Err() != nil, true, "the poller ends")
}

// Nobody polls for a nil subscription.
func TestNoSubscription(t *testing.T) {
	var s *Subscription
	expect.Equal(t, s.Watched(), false)
	expect.Equal(t, s.Partial(), false)
	expect.Equal(t, s.Poll(), Poll{})
}

// A change set waits until it is taken. Its signal is given once.
func TestReport(t *testing.T) {
	s := &Subscription{changed: make(chan struct{}, 1)}
	expect.Equal(t, s.Waits(), false)
	s.report(setOf("a"))
	s.report(setOf("b"))
	expect.Equal(t, s.Waits(), true)
	<-s.Changed()
	expect.Equal(t, len(s.Changed()), 0, "signals")
	expect.Equal(t, s.Take().Covers(setOf("a", "b")), true, "both sets")
	expect.Equal(t, s.Waits(), false, "after it was taken")
}

// A file of SQLite tells that it was written, and its log does. A database that was never polled has nothing to tell, unless an earlier
// poll by another account has looked at it.
func TestFileChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sqlite")
	old := time.Now().Add(-time.Hour)
	write := func(path, text string, at time.Time) {
		wptest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		wptest.Must(t, os.Chtimes(path, at, at))
	}
	write(path, "a", old)
	site := func() *Database { return New(&db.DB{SQLite: true, Server: path}, declared, "wp_", nil, nil) }
	d := site()
	changed := func(of *Database, since int64) bool {
		t.Helper()
		c, err := d.changes(t.Context(), []check{{database: of, since: since}})
		wptest.Must(t, err)
		if !c.known || time.Since(time.Unix(c.now, 0)) > time.Minute {
			t.Errorf("%+v", c)
		}
		for _, one := range c.changed {
			if !one.edited || !one.set.Anywhere() || one.database != of || one.set.Settled.After(time.Now()) {
				t.Errorf("%+v", one)
			}
		}
		return len(c.changed) == 1
	}
	expect.Equal(t, changed(d, 0), false, "the first poll")
	expect.Equal(t, changed(site(), 1), true, "the first poll of an account, after a poll by another one")
	expect.Equal(t, changed(d, 1), false, "nothing was written")
	write(path, "a", old.Add(time.Second))
	expect.Equal(t, changed(d, 1), true, "another time")
	write(path, "ab", old.Add(time.Second))
	expect.Equal(t, changed(d, 1), true, "another size")
	write(path+"-wal", "x", old)
	expect.Equal(t, changed(d, 1), true, "a log")
	expect.Equal(t, changed(d, 1), false, "nothing was written")
	wptest.Must(t, os.Remove(path+"-wal"))
	expect.Equal(t, changed(d, 1), true, "the log is gone")
	wptest.Must(t, os.Remove(path))
	if _, err := d.changes(t.Context(), []check{{database: d}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
}

// A set is settled when the second of its last write is over, by the clock of this machine.
func TestSettled(t *testing.T) {
	d := open(t, wptest.Load(t, wptest.MariaDB, "basic"))
	start := time.Now()
	c, err := d.changes(t.Context(), []check{{database: d, scope: all}})
	wptest.Must(t, err)
	if len(c.changed) != 1 {
		t.Fatalf("%+v", c.changed)
	}
	one := c.changed[0]
	want := time.Duration(one.last+1-c.now) * time.Second
	if settled := one.set.Settled.Sub(start); settled < want || settled > want+time.Since(start) {
		t.Errorf("settled %s after the poll began, want %s", settled, want)
	}
}

// The tables that a poll reads are those of its databases, in any letter case, with the user tables that have their own names.
func TestRead(t *testing.T) {
	d := New(&db.DB{}, declared, "WP_", []string{"people"}, nil)
	for _, tt := range []struct {
		table         string
		written       int64
		since, posts  int64
		want, counted bool
	}{
		{"wp_options", 100, 100, 0, true, false}, {"wp_options", 99, 100, 0, false, false}, {"wp_posts", 100, 0, 100, true, true},
		{"wp_posts", 99, 0, 100, false, true},
		{"wp_7_posts", 100, 0, 100, true, true}, {"people", 100, 100, 0, true, false}, {"others", 100, 100, 0, false, false},
		{"wp_my_posts", 100, 100, 101, true, false},
	} {
		is := &change{database: d}
		is.read(check{database: d, since: tt.since, posts: tt.posts}, tt.table, tt.written, 7)
		expect.List(t, slices.Collect(maps.Keys(is.set.Tables)), map[bool][]string{true: {tt.table}}[tt.want], tt)
		expect.Equal(t, is.seen, tt.counted, tt, "the account sees posts")
		expect.Equal(t, is.increments, map[bool]int64{true: 7}[tt.counted], tt)
		expect.Equal(t, is.last, map[bool]int64{true: tt.written}[tt.want], tt, "the last write")
	}
}

// A write in the same second as before may be the same write.
func TestMaybeRepeat(t *testing.T) {
	d := New(&db.DB{}, declared, "wp_", nil, nil)
	conclude := func(written, increments int64, tables bool) (changed bool, set Set, unseen int) {
		c := changes{now: 200}
		is := &change{database: d, last: written, increments: increments, seen: increments > 0}
		if tables {
			is.set.Tables = map[string]bool{"wp_options": true}
		}
		c.conclude(is)
		if len(c.changed) == 0 {
			return false, Set{}, len(c.unseen)
		}
		return true, c.changed[0].set, len(c.unseen)
	}
	if changed, set, unseen := conclude(100, 5, true); !changed || set.MaybeRepeat || unseen != 0 {
		t.Errorf("the first write: %t, %+v, %d", changed, set, unseen)
	}
	if changed, set, _ := conclude(100, 5, true); !changed || !set.MaybeRepeat {
		t.Errorf("the same second: %t, %+v", changed, set)
	}
	if changed, set, _ := conclude(101, 5, true); !changed || set.MaybeRepeat {
		t.Errorf("a later second: %t, %+v", changed, set)
	}
	if changed, set, _ := conclude(0, 6, false); !changed || !set.Anywhere() {
		t.Errorf("a new post whose time is forgotten: %t, %+v", changed, set)
	}
	if changed, _, unseen := conclude(0, 0, false); !changed || unseen != 1 {
		t.Errorf("no table is seen: changed %t, unseen %d", changed, unseen)
	}
}

// A statement begins at the earliest check. A scope has statements of its own.
func TestWhereStatementsBegin(t *testing.T) {
	site := func(name string) *Database { return New(&db.DB{Schema: name}, declared, "wp_", nil, nil) }
	a, b := site("a"), site("b")
	statement, args := a.statement([]check{{database: b, since: 20, scope: edits}, {database: a, since: 10, scope: edits},
		{database: a, since: 5, scope: posts}})
	expect.Equal(t, statement, sqlNamedWritten+" UNION ALL "+sqlNamedWritten)
	expect.Equal(t, fmt.Sprint(args[0], args[1], args[3], args[4]), "0 [a] 5 5", "posts")
	expect.Equal(t, fmt.Sprint(args[5], args[6], args[8], args[9]), "1 [a b] 10 10", "tables that edits write to")
	for range 2 {
		expect.Equal(t, pattern([]string{"b_", "a_", "b_"}, []string{"posts"}, nil), "^(a_|b_)([0-9]+_)?(posts)$")
	}
	var many []string
	for i := range mostPrefixes {
		many = append(many, fmt.Sprintf("p%d_", i))
	}
	expect.Equal(t, beginning(many) != "", true, "50 prefixes are in the pattern")
	expect.Equal(t, beginning(append(many, "q_")), "", "51 prefixes are not")
}

// A server is crowded if more databases than its limit have joined. It gets fewer polls.
func TestCrowded(t *testing.T) {
	f := newFeed(t)
	f.Many = 2
	f.at("a").joined = 2
	expect.Equal(t, f.crowded("a"), false)
	expect.Equal(t, f.beat("a"), time.Second/perSecond)
	f.at("a").joined = 3
	expect.Equal(t, f.crowded("a"), true)
	expect.Equal(t, f.beat("a"), time.Second/manyPerSecond)
	expect.Equal(t, f.crowded("b"), false, "another server")
	expect.Equal(t, f.keepsTimes("a", false), false)
	expect.Equal(t, f.keepsTimes("a", true), true)
	expect.Equal(t, f.keepsTimes("a", false), true, "once seen, it stays true")
	expect.Equal(t, f.keepsTimes("b", false), false, "another server")
	first := f.token("a")
	expect.Equal(t, f.token("a") == first, true, "a server has one token")
}

// A wait ends with its context.
func TestWait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	expect.Equal(t, wait(ctx, time.Now().Add(-time.Second)), true)
	cancel()
	expect.Equal(t, wait(ctx, time.Now().Add(time.Hour)), false)
}
