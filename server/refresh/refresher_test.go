package refresh

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/server/changes"
	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/store/sqlite"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// fakeSite is a database with one blog, which is its own catalog, and the clock of its site.
type fakeSite struct {
	site.Catalog // what is not below is not called
	now          time.Time
	posts        int
	expires      time.Time
	touched      int // posts that a delta finds
	settings     uint64
	closed       error // why its settings cannot be read
	broken       error // why its catalog cannot be built
	asks         bool  // it has questions to the site
	blogs        int64 // of a network; 0 for a single site
	moved        int   // how often its places have changed
	log          bytes.Buffer
}

func (c *fakeSite) Active() bool                   { return true }
func (c *fakeSite) Fingerprint(string, int) uint64 { return 1 }
func (c *fakeSite) Expires() time.Time             { return c.expires }
func (c *fakeSite) Due() (int64, bool)             { return 0, false }
func (c *fakeSite) Outline() catalog.Outline {
	return catalog.Outline{Active: true, Files: []catalog.File{{Name: "1", Page: 1}, {Name: "post", Of: "post", Page: 1, Entries: c.posts}}}
}

func (c *fakeSite) Walk(context.Context, *site.Walk) (*site.Walk, error) {
	walk := &site.Walk{Network: c.blogs > 0}
	for id := int64(1); id <= max(1, c.blogs); id++ {
		facts := site.Facts{ID: id, Home: "https://a.test", Reader: c, Fingerprint: c.settings, Network: walk.Network}
		if id > 1 {
			facts.Home += fmt.Sprint("/", id)
		}
		walk.Stubs = append(walk.Stubs, site.Stub{
			Facts: site.Facts{ID: id, Home: facts.Home, Network: walk.Network}, Read: func(context.Context) ([]site.Facts, error) { return []site.Facts{facts}, c.closed },
		})
	}
	return walk, nil
}

func (c *fakeSite) Build(context.Context, *site.Blog) (site.Catalog, error) {
	return c, c.broken
}

func (c *fakeSite) Inquires(time.Time) bool { return c.asks }

func (c *fakeSite) Inquire(context.Context, time.Time, time.Duration) (wp.Answers, bool, error) {
	return nil, true, nil
}

func (c *fakeSite) Delta(context.Context, *site.Blog, rows.ChangeSet) (site.Catalog, int, error) {
	return c, c.touched, nil
}

func (c *fakeSite) Written(tables []string) (names []string) {
	for _, name := range tables {
		if short, ok := strings.CutPrefix(name, "wp_"); ok {
			names = append(names, short)
		}
	}
	return names
}

func (c *fakeSite) Network() *wp.Network { return nil }
func (c *fakeSite) Close() error         { return nil }

// newTestRefresher returns a refresher of a fake site that was read once.
func newTestRefresher(t *testing.T) (*Refresher, *fakeSite) { return newNetworkRefresher(t, 0) }

// newNetworkRefresher returns a refresher of a fake network that was read once; without blogs it is a single site.
func newNetworkRefresher(t *testing.T, blogs int64) (*Refresher, *fakeSite) {
	t.Helper()
	c := &fakeSite{now: time.Unix(1e9, 0), posts: 100, blogs: blogs}
	s := site.New(config.Site{Name: "a", Refresh: time.Minute, Collapse: 0.5, Confirm: 10 * time.Minute}, slog.New(slog.NewTextHandler(&c.log, nil)))
	s.Counted, s.Process = new(metrics.SiteCounts), metrics.NewProcess()
	generation, placed := uint64(0), make(chan struct{})
	close(placed)
	r := New(s, &Daemon{
		Open:       func(context.Context, *site.Site, func(context.Context, string)) (site.Database, error) { return c, nil },
		Turns:      new(changes.Turns),
		Store:      func() *store.Store { return nil },
		Now:        func() time.Time { return c.now },
		Place:      func(context.Context, string, <-chan struct{}) (func(), bool) { return func() {}, true },
		Placed:     placed,
		Generation: func() uint64 { generation++; return generation },
		Pace:       func() Pace { return UsualPace },
	}, Listener{Moved: func() { c.moved++ }, Changed: func() {}, Pages: func() {}, Replaced: func() bool { return false }})
	if _, ok := r.ReadOnce(t.Context()); !ok {
		t.Fatal(s.Snapshot().Err)
	}
	return r, c
}

// Of thousands of sites each has its place before the catalog of the first is read. One that a request waits for is opened and read
// out of turn, also while others have no place yet, but no later reading of it is.
func TestPlacedBeforeRead(t *testing.T) {
	other, c := newTestRefresher(t)
	s := site.New(other.site.Config, slog.New(slog.DiscardHandler))
	s.Counted, s.Process = other.site.Counted, other.site.Process
	held, places := 0, 0
	other.daemon.Place = func(_ context.Context, server string, hurry <-chan struct{}) (func(), bool) {
		switch places++; places {
		case 1: // a request for a host of the configuration
			s.Hurry()
			<-hurry
		case 2:
			now := s.Snapshot()
			if !now.Opened || len(now.Blogs) != 1 || now.Blogs[0].Home != "https://a.test" || now.Ready() {
				t.Errorf("not placed: %+v", now)
			}
			<-s.FirstAttempt()
			<-hurry
		default:
			if hurry != nil {
				t.Error("a later reading is out of turn, too")
			}
		}
		if held++; held > 1 || server != "a" {
			t.Errorf("%d slots of %s are held", held, server)
		}
		return func() { held-- }, true
	}
	other.daemon.Open = func(ctx context.Context, of *site.Site, turn func(context.Context, string)) (site.Database, error) {
		turn(ctx, of.DatabaseServer())
		return c, nil
	}
	other.daemon.Placed = nil
	r := New(s, other.daemon, other.tell)
	if _, ok := r.ReadOnce(t.Context()); !ok || places != 2 || held != 0 || !s.Snapshot().Ready() {
		t.Errorf("read %v with %d slots: %+v", ok, places, s.Snapshot())
	}
	if _, ok := r.ReadOnce(t.Context()); !ok || places != 3 || held != 0 {
		t.Errorf("read again %v with %d slots", ok, places)
	}
}

// An operator's word has the site read.
func TestReadAgain(t *testing.T) {
	r, c := newTestRefresher(t)
	wants := func(what string, want bool) {
		t.Helper()
		got := false
		select {
		case <-r.signals.readNow:
			got = true
		default:
		}
		expect.Equal(t, got, want, what, "read again")
	}
	if r.Accept() {
		t.Error("there is nothing to accept")
	}
	wants("nothing is lost", false)
	c.posts = 10
	r.ReadOnce(t.Context())
	if wait, any := r.guard.NextConfirmation(); !any || wait != 10*time.Minute {
		t.Errorf("it is read again in %v, %v", wait, any)
	}
	if !r.Accept() {
		t.Error("there is something to accept")
	}
	wants("a loss is accepted", true)
}

// What each kind of reading makes of a site.
func TestReadings(t *testing.T) {
	r, c := newTestRefresher(t)
	blog := func() *site.Blog { return r.site.Snapshot().Blogs[0] }
	for _, touched := range []int{1, 0} {
		c.touched = touched
		before := blog().Generation
		found, declined, err := r.delta(t.Context(), wrote("wp_posts"))
		if found != (touched > 0) || declined || err != nil || (blog().Generation > before) != found {
			t.Errorf("a delta of %d posts: found %v, declined %v, %v, generation %d after %d", touched, found, declined, err, blog().Generation, before)
		}
	}
	looks := func(what string, want bool) {
		t.Helper()
		expect.Equal(t, r.settingsChanged(t.Context(), wrote("wp_options")), want, what)
	}
	looks("settings as before", false)
	c.settings = 7
	looks("other settings", true)
	expect.Equal(t, r.settingsChanged(t.Context(), wrote("wp_posts")), false, "other settings, of whose table nothing is told")
	before := blog()
	if _, ok := r.ReadOnce(t.Context()); !ok || blog().RevalidateBefore != before.RevalidateBefore || blog().Readings[0].Before != 100 {
		t.Errorf("a full scan without a write: %v, revalidate before %v, %+v", ok, blog().RevalidateBefore, blog().Readings[0])
	}
	c.closed = errors.New("it is locked")
	looks("settings that cannot be read", true)
	c.closed = nil
	for _, c.broken = range []error{nil, errors.New("it is gone")} {
		r.plan = Plan{}
		r.fullScan(t.Context())
		if bad := c.broken != nil; blog().Catalog == nil || (blog().Err != nil) != bad || (r.site.Snapshot().Err != nil) != bad || r.plan.Idle() == bad {
			t.Errorf("a full scan, the catalog %v: %+v, %+v", c.broken, blog(), r.plan)
		}
	}
	for _, c.touched = range []int{1, 0} { // what a delta does not find is not where it looks
		r.plan = Plan{}
		r.plan.Tell(wrote("wp_posts"), false)
		r.readDelta(t.Context())
		if _, wait := r.plan.Next(); (wait == 0) != (c.touched == 0) {
			t.Errorf("after a delta of %d posts: %v", c.touched, wait)
		}
	}
	expect.Equal(t, c.moved, 1, "places")
	r.daemon.Go = func(ask func()) { ask() }
	for _, c.asks = range []bool{false, true} {
		r.inquire(t.Context())
		expect.Equal(t, r.inquiries.waiting, c.asks, "the site is asked")
	}
	r.plan = Plan{}
	if r.hear(<-r.inquiries.heard); r.inquiries.waiting || r.plan.Idle() {
		t.Errorf("what the site has said leads to no full scan")
	}
	r.site.Publish(&site.Snapshot{Blogs: []*site.Blog{site.Unread(blog().Facts, nil)}})
	if _, declined, err := r.delta(t.Context(), wrote("wp_posts")); !declined || err != nil {
		t.Errorf("a delta of what was never read: declined %v, %v", declined, err)
	}
}

// Of a network the blogs are read that have a reason to be.
func TestReadingsOfANetwork(t *testing.T) {
	r, c := newNetworkRefresher(t, 3)
	now := r.site.Snapshot()
	for _, tt := range []struct {
		name    string
		written *changes.Set
		change  func(*site.Blog)
		all     bool
		want    bool
	}{
		{"nothing was written", nil, nil, false, false}, {"all are read", nil, nil, true, true}, {"posts were", wrote("wp_posts"), nil, false, true},
		{"the table of blogs, which has a row as before", wrote("wp_blogs"), nil, false, false},
		{"its row is another", nil, func(b *site.Blog) { b.Row.Archived = 1 }, false, true},
		{"it failed", nil, func(b *site.Blog) { b.Err = errors.New("broken") }, false, true},
		{"a loss of it is held", nil, func(b *site.Blog) { b.HeldBy = "a loss" }, false, true},
		{"it is idle", wrote("wp_posts"), func(b *site.Blog) { *b = *b.Idle() }, true, false},
	} {
		b := *now.Of(2)[0]
		if tt.change != nil {
			tt.change(&b)
		}
		s := &scan{Refresher: r, network: true, written: tt.written, now: now.With(2, []*site.Blog{&b})}
		expect.Equal(t, s.due(&r.list.walk.Stubs[1].Facts, tt.all, false), tt.want, tt.name)
	}
	for _, c.broken = range []error{nil, errors.New("it is gone")} {
		r.plan = Plan{}
		s := &scan{Refresher: r, network: true, log: &scanLog{log: r.site.Log}, now: now}
		if err := s.readOne(t.Context(), 2); !errors.Is(err, c.broken) || r.plan.Idle() == (c.broken != nil) {
			t.Errorf("one blog, %v: %v, %+v", c.broken, err, r.plan)
		}
	}
	for _, resident := range []int{3, 2} {
		r.daemon.Pace = func() Pace { return Pace{Resident: resident} }
		r.list.next = time.Time{}
		if !r.readSome(t.Context()) || r.list.next.IsZero() != (resident == 3) {
			t.Errorf("with room for %d of 3: the background rests until %v", resident, r.list.next)
		}
	}
}

// Where nothing waits to be read, data are as old as the last poll that found nothing.
func TestAgeOfData(t *testing.T) {
	r, c := newTestRefresher(t)
	read := c.now
	if got := r.TrueAt(r.site.Snapshot()); !got.Equal(read) {
		t.Errorf("read at %v, known good since %v", read, got)
	}
	n, err := wp.Open(t.Context(), wp.Source{Name: "a", DSN: wptest.Load(t, wptest.SQLite, "basic"), Declared: sitemap.Declared})
	wptest.Must(t, err)
	defer n.Close()
	polled := polling(t).Join(t.Context(), n.Writes(), time.Minute)
	defer polled.Leave()
	for _, tt := range []struct {
		rule string
		feed *changes.Subscription
		idle bool
		want time.Time
	}{
		{"a database whose writes nothing reports", nil, true, read},
		{"a polled one, with something to read", polled, false, read},
		{"a polled one, with nothing to read", polled, true, polled.Current()},
	} {
		r.session.inUse.Store(&opened{feed: tt.feed})
		r.signals.idle.Store(tt.idle)
		if got := r.TrueAt(r.site.Snapshot()); got.Before(tt.want) || got.After(polled.Current()) || tt.want.Equal(read) && !got.Equal(read) {
			t.Errorf("%s: known good since %v, want %v", tt.rule, got, tt.want)
		}
	}
}

// The timers are those of the site's clock: a scheduled post, and the edge of the news.
func TestTimers(t *testing.T) {
	r, c := newTestRefresher(t)
	if due, expiry := r.timers(); due != never || expiry != never {
		t.Errorf("%v, %v", due, expiry)
	}
	c.expires = c.now.Add(7 * time.Minute)
	if _, expiry := r.timers(); expiry.Round(time.Second) != 7*time.Minute {
		t.Errorf("news leave in %v", expiry)
	}
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	wptest.Exec(t, dsn, "UPDATE wp_posts SET post_status = 'draft' WHERE post_status = 'future'",
		"INSERT INTO wp_posts (post_type, post_status, post_name, post_date, post_content) VALUES ('post', 'future', 'a', '2026-05-01 "+
			"14:30:00', ''), ('post', 'future', 'late', '2026-05-01 11:00:00', ''), ('page', 'future', 'b', '2026-05-01 18:00:00', '')",
		"REPLACE INTO wp_options (option_name, option_value) VALUES ('timezone_string', 'Europe/Amsterdam')")
	install := config.DefaultSite()
	n, err := site.Open(t.Context(), &install, wp.Source{Name: "b", DSN: dsn, Declared: sitemap.Declared}, func() time.Time { return at }, slog.New(slog.DiscardHandler))
	wptest.Must(t, err)
	defer n.Close()
	walk, err := n.Walk(t.Context(), nil)
	wptest.Must(t, err)
	blogs, err := walk.Read(t.Context())
	wptest.Must(t, err)
	built, err := blogs[0].Reader.Build(t.Context(), nil)
	wptest.Must(t, err)
	b := site.Unread(blogs[0], nil)
	b.Serve(built, 1, at)
	r.site.Publish(&site.Snapshot{Blogs: []*site.Blog{b}})
	c.now = at
	if due, _ := r.timers(); due != 30*time.Minute+time.Second { // 14:30 of the site's clock
		t.Errorf("due in %v", due)
	}
	c.now, at = at.Add(time.Hour), at.Add(time.Hour) // it did not come, WordPress is asleep
	after, _, err := blogs[0].Reader.Delta(t.Context(), b, rows.ChangeSet{})
	wptest.Must(t, err)
	b.Serve(after, 2, at)
	r.site.Publish(&site.Snapshot{Blogs: []*site.Blog{b}})
	if due, _ := r.timers(); due != 3*time.Hour+time.Second {
		t.Errorf("then due in %v", due)
	}
}

func TestRetryDelay(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for _, tt := range []struct {
		failed int
		err    error
		want   time.Duration
	}{
		{1, errors.New("no such table"), time.Second}, {2, nil, 2 * time.Second},
		{4, nil, 8 * time.Second}, {7, nil, time.Minute}, {1000, nil, time.Minute},
		{1, refused, time.Second}, {7, fmt.Errorf("site a: %w", refused), unreachableRetry}, {1000, refused, unreachableRetry},
	} {
		if got := retryDelay(tt.failed, tt.err); got < tt.want || got > tt.want*5/4 {
			t.Errorf("after %d failures, the last %v: %v, want %v or a little more", tt.failed, tt.err, got, tt.want)
		}
	}
}

// unreadable is a database that opens, and cannot be read then.
type unreadable struct{ site.Database }

func (unreadable) Walk(context.Context, *site.Walk) (*site.Walk, error) {
	return nil, errors.New("it is being restored")
}

// polling returns a feed for the time of a test.
func polling(t *testing.T) *changes.Feed {
	return changes.NewFeed(changes.Options{
		Log: slog.New(slog.DiscardHandler), Start: func(run func(context.Context)) { go run(t.Context()) },
		Polled: func(time.Duration, bool) {}, Silent: func(string, error) {}, Answered: func(string) {},
	})
}

// A database that opens but cannot be read does not take the place of the one in use: not for breaker and slots, nor for polls.
func TestDatabaseIsAdoptedOnceItWasRead(t *testing.T) {
	r, _ := newTestRefresher(t)
	r.session = session{site: r.site, daemon: r.daemon}
	r.daemon.Feed, r.daemon.Answered = polling(t), func(string) {}
	open := func(dsn string) site.Database {
		install := config.DefaultSite()
		install.Name, install.DSN = "a", config.Secret(dsn)
		d, err := site.Open(t.Context(), &install, site.SourceOf(&install), time.Now, slog.New(slog.DiscardHandler))
		wptest.Must(t, err)
		return d
	}
	first, second := open(wptest.Load(t, wptest.SQLite, "basic")), open(wptest.Load(t, wptest.SQLite, "basic"))
	databases := []site.Database{first, unreadable{second}, second}
	r.daemon.Open = func(context.Context, *site.Site, func(context.Context, string)) (site.Database, error) {
		next := databases[0]
		databases = databases[1:]
		return next, nil
	}
	defer r.Close()
	for _, tt := range []struct {
		read bool
		want site.Database
	}{{true, first}, {false, first}, {true, second}} {
		if r.session.unread = reopenAfter; tt.want == second { // it was closed
			databases[0] = open("sqlite:" + second.Network().Writes().Server)
			tt.want = databases[0]
		}
		if read, _ := r.ReadOnce(t.Context()); read != tt.read {
			t.Fatalf("read: %v, %v", read, r.site.Snapshot().Err)
		}
		if server := tt.want.Network().Writes().Server; r.site.DatabaseServer() != server || r.session.inUse.Load().server != server {
			t.Errorf("%s and %s are in use, want %s", r.site.DatabaseServer(), r.session.inUse.Load().server, server)
		}
	}
}

// What a record keeps of a blog is all that requests need before its database is read again.
func TestRecordOfABlog(t *testing.T) {
	facts := site.Facts{
		ID: 7, Home: "https://a.test", Hosts: []string{"a.test"}, Network: true, Plain: true, Robots: []int64{7, 8}, Apart: true,
		RobotsText: "User-agent: *", WebRoots: []string{"/www"}, Routed: "book",
	}
	read := facts
	read.Warnings, read.Fingerprint, read.Reader = []string{"odd"}, 1, &fakeSite{}
	outline := catalog.Outline{Active: true, Plugin: sitemap.DefaultPlugin.Name, Title: "A", Files: []catalog.File{{Name: "post", Page: 1, Entries: 3}}}
	before := site.Remembered(read, outline, time.Unix(1e9, 0).UTC())
	before.AskedAt(time.Unix(1e9, 5))
	text, err := json.Marshal(recordOf(site.New(config.Site{Name: "a"}, nil), before))
	var r BlogRecord
	if err != nil || json.Unmarshal(text, &r) != nil {
		t.Fatal(err)
	}
	after := RememberedBlog(&r)
	facts.Plugin, outline.Title = sitemap.DefaultPlugin, ""
	if diff := cmp.Diff(facts, after.Facts, cmp.Comparer(func(a, b *seo.Plugin) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(outline, after.Outline); diff != "" || !after.Built.Equal(before.Built) || after.Asked() != before.Asked() {
		t.Errorf("%s, %v, %d", diff, after.Built, after.Asked())
	}
}

// The record of a blog is written anew with each catalog, and pages that are gone from it leave the store.
func TestRecordFollowsTheCatalog(t *testing.T) {
	s, _ := servertest.OpenStore(t, sqlite.Backend, t.TempDir(), store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "a")
	of, m := site.New(config.Site{Name: "a"}, nil), memory{blogs: map[string]kept{}}
	var last BlogRecord
	for generation, pages := range []int{2, 1} {
		b := site.Unread(site.Facts{ID: 1, Home: "https://a.test", Reader: &fakeSite{}}, nil)
		b.Serve(&fakeSite{}, uint64(generation+1), time.Unix(1e9, 0))
		b.Outline = *servertest.Outline(pages)
		m.Remember(of, &site.Snapshot{Blogs: []*site.Blog{b}}, s)
		s.SavePage(servertest.StoredPage(t, "a", b.Key(), "post", 1))
		if generation == 0 {
			s.SavePage(servertest.StoredPage(t, "a", b.Key(), "post", 2))
		}
		servertest.Written(t, s)
		if !s.Blog("a", b.Key(), &last) || len(last.Sitemaps.Files) != 1+pages {
			t.Errorf("%d files are recorded of %d pages", len(last.Sitemaps.Files), pages)
		}
		for page := 1; page <= 2; page++ {
			expect.Equal(t, s.Has(store.Key{Site: "a", Blog: b.Key(), Name: "post", Page: page}), page <= pages, pages, page)
		}
	}
	r, _ := newTestRefresher(t)
	r.daemon.Store = func() *store.Store { return s }
	if !r.Restore() || !r.site.Snapshot().Restored || len(r.site.Snapshot().Blogs[0].Outline.Files) != 2 {
		t.Errorf("what is restored: %+v", r.site.Snapshot())
	}
}
