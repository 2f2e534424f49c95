// Package faults breaks what the daemon depends on, one thing after the other, while clients
// ask for sitemaps and judge every answer; and it keeps the daemon busy for long. There is
// nothing but tests in it: "make faults" and "make load".
//
// Everything is of the suite's own: a MariaDB and the daemon as it is built for people, children that end with the suite, and a PHP
// site. What the sitemaps must
// hold follows from what the suite writes to the database, not from the daemon.
//
// An answer is wrong if it is not valid XML, is empty, is 404, comes not at all, or holds other
// entries than were true before the fault or are true now. Once a sitemap was served it must
// never be a 5xx.
package faults

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/wp/wptest"
)

// everything tells that "make faults" runs, and not "go test": all faults, as long as they say.
var everything = os.Getenv("WPSITEMAPD_FAULTS") == "all"

// hold is how long a fault lasts, hang how long one does that shows in silence only, askEvery how long a client waits after an answer, and
// mostRecovery how long it may take after the return of a database. In a go test like any other nothing is measured.
var hold, hang, askEvery, mostRecovery = 1500 * time.Millisecond, 2 * time.Second, 40 * time.Millisecond, time.Duration(math.MaxInt64)

func init() {
	if everything {
		hold, hang, askEvery, mostRecovery = 8*time.Second, time.Minute, 10*time.Millisecond, 5*time.Second
	}
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "faults.")
	if err := errors.Join(err, os.Chmod(dir, 0o755)); err != nil {
		panic(err)
	}
	builds.dir, builds.made = dir, map[string]string{}
	code := m.Run()
	_ = os.RemoveAll(dir) // it is a temporary one
	os.Exit(code)
}

// fault is a way to break something.
type fault struct {
	name  string
	quick bool // runs in every go test

	// database: it is the database that fails; once it is back all has to be fresh again
	// within five seconds.
	database bool
	// shared: two daemons share their copies through a Redis.
	shared bool

	// unaided: what was written during the fault has to be noticed after it, without another edit.
	unaided bool

	missing func(*testing.T) string // why it cannot be tried here; ""
	prepare func(*scene)            // before the daemon starts

	breaks, mends func(*scene)
	lasts         time.Duration // between them; 0: hold
	do            func(*scene)  // in the place of these
}

// happen breaks something and mends it.
func (f *fault) happen(s *scene) {
	if f.do != nil {
		f.do(s)
		return
	}
	f.breaks(s)
	rest(s, cmp.Or(f.lasts, hold))
	f.mends(s)
}

// figures sum up what checkers have seen.
type figures struct {
	requests int
	aged     int // of them answered with Age
	wrongs   int // wrong answers
	fails    int // answers with 5xx although a copy exists
	slowest  time.Duration
}

// add adds what a checker has seen. Wrong answers are errors.
func (f *figures) add(t *testing.T, c *checker) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	f.requests += c.requests
	f.aged += c.aged
	f.wrongs += c.wrongs
	f.fails += c.fails
	f.slowest = max(f.slowest, c.slowest)
	if c.wrongs > 0 {
		t.Errorf("%d wrong answers of %s, the first of them:\n%s", c.wrongs, c.site.schema, strings.Join(c.wrong, "\n"))
	}
	if c.requests == 0 {
		t.Error("nothing was asked for")
	}
}

// row is a line of the table.
type row struct {
	figures
	fault    string
	recovery time.Duration
	skipped  string
}

func (r row) String() string {
	if r.skipped != "" {
		return fmt.Sprintf("| %s | not tried: %s | | | | | |", r.fault, r.skipped)
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %.1f | %.1f |", r.fault,
		r.requests, r.aged, r.wrongs, r.fails, r.slowest.Seconds(), r.recovery.Seconds())
}

const tableHead = `| fault | requests | with Age | wrong answers | 5xx while a copy existed | slowest answer (s) | recovery (s) |
| --- | --- | --- | --- | --- | --- | --- |`

// scene is what a fault happens to.
type scene struct {
	*testing.T
	db       *database
	link     *wptest.Link
	upstream *wptest.Link
	site     *site
	daemon   *daemon
	checker  *checker
	redis    *servertest.Redis // nil: the daemon keeps its copies in a folder
	visitor  *visitor

	daemons  []*daemon // of which daemon is the first
	checkers []*checker

	mu     sync.Mutex
	noPHP  bool // its pages need not come
	robots bool // robots.txt was seen
}

var scenes atomic.Int64

func newScene(t *testing.T, f *fault, db *database) *scene {
	name := fmt.Sprintf("faults%d", scenes.Add(1))
	s := &scene{T: t, db: db, upstream: newUpstream(t)}
	db.t = t
	s.site = db.newSite(name, name+".test", 50, 20) // a post more or less makes no page more or less
	s.link = wptest.NewLink(t, "tcp", db.address())
	store, number := "", 1
	if f.shared {
		s.redis = servertest.StartRedis(t)
		store, number = s.redis.URL(), 2
	}
	for range number {
		d := newDaemon(s, store, s.configuration(password))
		c := newChecker(s.site, d.address, clients)
		d.whenStarts = c.expect
		s.daemons, s.checkers = append(s.daemons, d), append(s.checkers, c)
	}
	s.daemon, s.checker = s.daemons[0], s.checkers[0]
	s.visitor = newVisitor(s.daemon.address, s.checker.host)
	return s
}

// configuration returns the configuration of the site.
func (s *scene) configuration(password string) string {
	return fmt.Sprintf("[[site]]\nname = %q\ndsn = %q\nupstream = %q\nupstream_timeout = \"3s\"\npage_size = %d\n",
		s.site.schema, fmt.Sprintf("%s:%s@tcp(%s)/%s", s.site.schema, password, s.link.Address, s.site.schema),
		"http://"+s.upstream.Address, s.site.pageSize)
}

const clients = 4

// visit asks for a page of PHP and robots.txt all the while.
func (s *scene) visit(ctx context.Context) {
	for ; ctx.Err() == nil; pause(ctx, 200*time.Millisecond) {
		process := s.checker.process()
		if process <= 0 {
			continue
		}
		s.mu.Lock()
		noPHP := s.noPHP // a page that was asked for while none had to come may fail later
		s.mu.Unlock()
		well, err := s.visitor.well(), s.visitor.robots()
		if s.checker.process() != process || ctx.Err() != nil {
			continue
		}
		s.mu.Lock()
		noPHP = noPHP || s.noPHP
		robots := s.robots
		s.robots = robots || err == nil
		s.mu.Unlock()
		s.checker.mu.Lock()
		s.checker.requests += 2
		if !well && !noPHP {
			s.checker.note("a page of PHP does not come through")
		}
		if err != nil && robots {
			s.checker.note("%v", err)
		}
		s.checker.mu.Unlock()
	}
}

// expectPHP says whether pages of PHP have to come.
func (s *scene) expectPHP(comes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noPHP = !comes
}

// settle waits until all is served as it is now; from then on nothing else may be.
func (s *scene) settle() {
	s.Helper()
	s.await(s.site.latest())
	s.site.supersede()
}

// await waits until every sitemap was answered with this version, and without Age.
func (s *scene) await(version int) {
	s.Helper()
	for _, c := range s.checkers {
		if !within(s.Context(), wptest.Patience, func() bool { return c.fresh(version) }) {
			s.Fatalf("not fresh after %v:\n%s", wptest.Patience, c.behind(version))
		}
	}
}

// kept waits until the copies of everything that is served are on disk, or in Redis.
func (s *scene) kept() {
	s.Helper()
	for _, d := range s.daemons {
		wptest.Eventually(s, "the copies are written", func() bool {
			m := d.metrics()
			return m["wpsitemapd_state_writable"] == 1 && m["wpsitemapd_state_queued_blobs"] == 0
		})
	}
	if s.redis != nil {
		wptest.Eventually(s, "all is in Redis", s.inRedis)
	}
}

// TestFaults tries every fault and prints what came of it.
func TestFaults(t *testing.T) {
	if testing.Short() && !everything {
		t.Skip("starts servers")
	}
	t.Parallel()
	db := newDatabase(t)
	fmt.Println(tableHead)
	for _, f := range allFaults() {
		if !f.quick && !everything {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			r := row{fault: f.name}
			defer func() { fmt.Println(r) }()
			if f.missing != nil {
				if r.skipped = f.missing(t); r.skipped != "" {
					t.Skip(r.skipped)
				}
			}
			owner := db.t
			defer func() { db.t = owner }()
			f.try(t, db, &r)
		})
	}
}

// try lets a fault happen.
func (f *fault) try(t *testing.T, db *database, r *row) {
	s := newScene(t, f, db)
	if f.prepare != nil {
		f.prepare(s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer func() {
		cancel()
		all.Wait()
		for _, c := range s.checkers {
			r.add(t, c)
		}
	}()
	for i, d := range s.daemons {
		d.start()
		s.checkers[i].run(ctx, &all, clients, askEvery)
	}
	all.Go(func() { s.visit(ctx) })
	s.settle()
	s.edit()
	s.settle()

	f.happen(s)
	mended := time.Now()
	if !f.unaided {
		s.edit()
	}
	s.await(s.site.latest())
	r.recovery = time.Since(mended)
	s.site.supersede()
	rest(t, time.Second) // it stays so, and an edit is seen as soon as ever
	again := time.Now()
	s.await(s.edit())
	edit := time.Since(again)
	s.site.supersede()
	if f.database && max(r.recovery, edit) > mostRecovery {
		t.Errorf("fresh after %v, and after an edit then %v: want %v at most", r.recovery, edit, mostRecovery)
	}
}

func (s *scene) edit() (version int) { return s.site.edit() }

func loopback(port string) string { return "127.0.0.1:" + port }

func within(ctx context.Context, limit time.Duration, ok func() bool) bool {
	for end := time.Now().Add(limit); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) || ctx.Err() != nil {
			return false
		}
	}
	return true
}

// rest lets a fault last.
func rest(t testing.TB, d time.Duration) { pause(t.Context(), d) }

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
