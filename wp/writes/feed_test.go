package writes

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A poll that had to wait does not delay the next polls. A slow server is polled rarely.
func TestUsualPoll(t *testing.T) {
	p := &pace{}
	var usual []time.Duration
	for _, took := range []time.Duration{3, 3, 3, 900, 3, 900, 900, 700} {
		usual = append(usual, p.usual(took))
	}
	expect.List(t, usual, []time.Duration{0, 0, 3, 3, 3, 3, 3, 700})
}

// A server that was silent is polled again at once after it answers. A server that answers too late is polled rarely.
func TestPauseAfterFailures(t *testing.T) {
	p := &pace{}
	var pauses []time.Duration
	for _, answers := range []bool{false, false, true, true, true, false, true, true} {
		p.pause = 100
		pauses = append(pauses, p.afterFailure(answers))
	}
	expect.List(t, pauses, []time.Duration{0, 0, 0, 100, 100, 0, 0, 100})
}

// Each poll begins just after a second of the server's clock has begun, once in every second, no matter how long polls take.
func TestPollsAreAligned(t *testing.T) {
	whole := time.Unix(1e9, 0)
	for _, tt := range []struct {
		name     string
		unknown  bool
		from, at time.Duration
	}{
		{"a poll that was in time", false, pollPast, pollEvery + pollPast},
		{"one that took a while", false, pollPast + 200*time.Millisecond, pollEvery + pollPast},
		{"one at any time", false, 590 * time.Millisecond, 2*pollEvery + pollPast},
		{"a clock that was read long ago", false, time.Hour + pollPast, time.Hour + pollEvery + pollPast},
		{"a clock that is not known", true, 590 * time.Millisecond, 590*time.Millisecond + pollEvery},
	} {
		p := &pace{whole: whole}
		if tt.unknown {
			p.whole = time.Time{}
		}
		if got := p.align(whole.Add(tt.from + pollEvery)); !got.Equal(whole.Add(tt.at)) {
			t.Errorf("%s: %v after that second, want %v", tt.name, got.Sub(whole), tt.at)
		}
	}
}

// Only one poll at a time runs at a server, no matter how many accounts there are and how long polls take.
func TestOnePollAtATime(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	f := newFeed(t)
	var now, most, polls atomic.Int32
	f.opt.Breaker = onAnswer(func() {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		time.Sleep(200 * time.Millisecond) // the first poll is still under way
		polls.Add(1)
		now.Add(-1)
	})
	for i := range 4 {
		account := fmt.Sprint(cfg.DBName, "_", i)
		wptest.Exec(t, dsn, "CREATE USER '"+account+"'@'%' IDENTIFIED BY 'read-only'", "GRANT SELECT ON `"+cfg.DBName+"`.* TO '"+account+"'@'%'")
		t.Cleanup(func() { wptest.Exec(t, dsn, "DROP USER '"+account+"'@'%'") })
		f.Join(t.Context(), openAs(t, dsn, account, "wp_"), time.Second)
	}
	wptest.Eventually(t, "each is polled", func() bool { return polls.Load() > 12 })
	expect.Equal(t, most.Load(), 1, "polls at a time")
}

// If there are more databases than one poll checks closely, each has its turn. Earlier writes are reported then.
func TestAllTablesInTurn(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	f := newFeed(t)
	var subs []*Subscription
	for i := range 2*mostClosely + 1 {
		prefix := fmt.Sprintf("s%d_", i)
		wptest.Exec(t, dsn, "CREATE TABLE "+prefix+"posts LIKE wp_posts", "CREATE TABLE "+prefix+"options LIKE wp_options")
		subs = append(subs, f.Join(t.Context(), openAs(t, dsn, "", prefix), time.Second))
	}
	wptest.Eventually(t, "nothing more is told of what was before", func() bool {
		time.Sleep(4 * time.Second)
		told := 0
		for _, s := range subs {
			if s.Take() != nil {
				told++
			}
		}
		return told == 0
	})
	for i := range subs {
		wptest.Exec(t, dsn, fmt.Sprintf("INSERT INTO s%d_options SELECT * FROM wp_options", i))
	}
	for i, s := range subs {
		var told *Set
		wptest.Eventually(t, fmt.Sprint("the options of ", i), func() bool {
			told = Merge(told, s.Take())
			return told != nil && told.Tables[fmt.Sprintf("s%d_options", i)]
		})
	}
}

// If there are many databases, each poll checks the posts of those that visitors asked for last, and others in turn. If
// there are few, each poll checks all of them, and all tables of edited databases and of others in turn.
func TestChecks(t *testing.T) {
	start := time.Now()
	for _, n := range []int{2000, manyDatabases} {
		many := n > manyDatabases
		p, turns, whole := &progress{closely: map[*Subscription]time.Time{}}, map[*Database]int{}, map[*Database]int{}
		subs := make([]*Subscription, n)
		for i := range subs {
			db := New(nil, nil, "", nil, nil)
			db.Watch(1, []int64{1}, func() int64 { return int64(i%10) * int64(i) }) // every tenth was never asked for
			subs[i] = &Subscription{db: db, position: position{next: start}}
			if i > n/2 && i <= n/2+2*mostClosely {
				p.closely[subs[i]] = start.Add(time.Hour)
			}
		}
		const polls = 40
		for range polls {
			checks, checked := p.checks(subs, start.Add(time.Second), many)
			p.checked = checked
			if most := mostVisited + quietTurns; many && len(checks) > most {
				t.Fatalf("of %d: %d at once", n, len(checks))
			}
			for _, c := range checks {
				turns[c.database]++
				if c.scope == all {
					whole[c.database]++
				}
			}
		}
		if visited := subs[n-1].db; turns[visited] != polls || many == (whole[visited] > 0) {
			t.Errorf("of %d: one that visitors asked for is checked %d times, all of it %d times", n, turns[visited], whole[visited])
		}
		if len(turns) < n || many != (len(whole) == 0) || !many && len(whole) < n {
			t.Errorf("of %d: %d never have a turn, of %d all tables", n, n-len(turns), len(whole))
		}
	}
}

// If a server has many databases, polls check their posts alone, also where each database has an account of its own.
func TestAccountsOfACrowdedServer(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	f := newFeed(t)
	f.Many = 1
	d := openAs(t, dsn, "", "wp_")
	d.DB.User = "another"
	f.Join(t.Context(), openAs(t, dsn, "", "wp_"), time.Hour)
	s := f.Join(t.Context(), d, time.Hour)
	wptest.Exec(t, dsn, "UPDATE wp_terms SET name = 'another'", "UPDATE wp_posts SET menu_order = 7")
	var told *Set
	wptest.Eventually(t, "the write to the posts is told", func() bool {
		told = Merge(told, s.Take())
		return told != nil && told.Tables["wp_posts"]
	})
	expect.Equal(t, told.Tables["wp_terms"], false)
}

// If a server has not recorded any write time yet, as after a restart, its sites are read at intervals. Large networks
// and sites of a server with many databases are not.
func TestWatched(t *testing.T) {
	p := newPoller(newFeed(t), account{})
	for _, of := range []struct {
		blogs, databases int
		partial          bool
	}{{1, manyDatabases, false}, {1000, 1, true}, {1, manyDatabases + 1, true}} {
		p.feed.at(p.account.server).joined = of.databases
		s := &Subscription{db: New(nil, nil, "", nil, nil)}
		s.db.Watch(of.blogs, nil, nil)
		s.poller.Store(p)
		for _, tt := range []struct{ times, polled, want bool }{
			{true, true, true}, {false, true, of.partial}, {false, false, false},
		} {
			p.state.Store(&state{watched: tt.times, well: tt.polled})
			expect.Equal(t, s.Watched(), tt.want, of, tt)
			expect.Equal(t, s.Partial(), of.partial, of, tt)
		}
	}
}

// openAs opens a database with an account of its own, or with the account of the tests.
func openAs(t *testing.T, dsn, account, prefix string) *Database {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	if account != "" {
		cfg.User, cfg.Passwd = account, "read-only"
	}
	d := open(t, cfg.FormatDSN()).DB
	return New(d, declared, prefix, nil, func(blog int64) string { return fmt.Sprintf("%s%d_", prefix, blog) })
}

// newFeed returns a feed whose polls stop at the end of the test.
func newFeed(t *testing.T) *Feed {
	var polls sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(func() { stop(); polls.Wait() })
	return NewFeed(Options{
		Log:     slog.New(slog.DiscardHandler),
		Counted: uncounted{},
		Breaker: onAnswer(func() {}),
		Start:   func(run func(context.Context)) { polls.Go(func() { run(ctx) }) },
	})
}

type uncounted struct{}

func (uncounted) Polled(time.Duration, bool) {}

// onAnswer is a breaker that is called during a successful poll.
type onAnswer func()

func (onAnswer) Trip(string, error) {}
func (do onAnswer) Reset(string)    { do() }

// A merged change set contains the writes of both sets. It knows no more than the set that knows less.
func TestMerge(t *testing.T) {
	posts := func() *Set { return &Set{Tables: map[string]bool{"wp_posts": true}, MaybeRepeat: true} }
	terms := &Set{Tables: map[string]bool{"wp_terms": true}, Settled: time.Unix(1, 0)}
	if s := Merge(posts(), terms); len(s.Tables) != 2 || s.MaybeRepeat || !s.Settled.Equal(terms.Settled) {
		t.Errorf("%+v", s)
	}
	if s := Merge(Merge(nil, posts()), nil); !s.MaybeRepeat || s.Anywhere() {
		t.Errorf("%+v", s)
	}
	if s := Merge(posts(), &Set{}); !s.Anywhere() || s.TableNames() != nil {
		t.Errorf("%+v", s)
	}
	if terms.Tables["wp_posts"] {
		t.Error("the second change set was altered")
	}
	if s := (*Set)(nil); s.Anywhere() {
		t.Error("nothing was written, and it says anything was")
	}
}

// The number of polls of a server is bounded, no matter how many accounts there are.
func TestTurns(t *testing.T) {
	var turns Turns
	const perSecond = 15
	var last time.Duration
	for range 10 * perSecond {
		last = turns.Take("poll a", time.Second/perSecond)
	}
	if last < 9*time.Second || last > 10*time.Second {
		t.Errorf("%d polls within %v", 10*perSecond, last)
	}
	if got := turns.Take("poll b", time.Second); got > 0 {
		t.Errorf("another server waits %v", got)
	}
}

// A poll checks each of few databases, and edited ones closely. Of many databases, it checks the posts of those that
// visitors ask for. The others have their turns.
func TestChoices(t *testing.T) {
	fill := func(n int, c choice) []choice { return slices.Repeat([]choice{c}, n) }
	count := func(scopes map[int]scope, of scope) (n int) {
		for _, s := range scopes {
			if s == of {
				n++
			}
		}
		return n
	}
	for _, tt := range []struct {
		name   string
		choose func([]choice, int) (map[int]scope, int)
		of     []choice
		last   int
		scope  scope
		want   int // how many databases have the scope
		next   int
	}{
		{"few, at rest", few, fill(3, choice{}), 1, edits, 3, 1},
		{"few, one edited", few, append(fill(3, choice{}), choice{edited: true}), 1, all, 1, 1},
		{"few, more edited than can be checked closely", few, fill(300, choice{edited: true}), 7, all, mostClosely, 7},
		{"few, all due", few, fill(300, choice{due: true}), 280, all, mostClosely, (280 + mostClosely) % 300},
		{"few, edited and due", few, fill(300, choice{edited: true, due: true}), 0, all, 2 * mostClosely, 2*mostClosely - 1},
		{"many, nobody asks", many, fill(400, choice{due: true}), 390, posts, quietTurns, (390 + quietTurns) % 400},
		{"many, somebody asks for all", many, fill(400, choice{asked: 1}), 0, posts, mostVisited + quietTurns, mostVisited + quietTurns - 1},
	} {
		scopes, next := tt.choose(tt.of, tt.last)
		expect.Equal(t, count(scopes, tt.scope), tt.want, tt.name)
		expect.Equal(t, next, tt.next, tt.name, "the last in turn")
	}
	scopes, _ := many([]choice{{asked: 1}, {}, {asked: 2}}, 0)
	expect.Equal(t, len(scopes), 3, "with room for all")
}
