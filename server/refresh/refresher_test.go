package refresh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/store/sqlite"
	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
	"wpsitemapd/wp/writes"
)

// testSite is a database with 100 posts, with the clock of its site.
type testSite struct {
	*sitetest.WordPress
	now   time.Time
	moved int // how often its places have changed
	log   wptest.Buffer

	changed, due atomic.Int64 // how often there was another snapshot, and pages to render
}

func (c *testSite) Moved()         { c.moved++ }
func (c *testSite) Changed()       { c.changed.Add(1) }
func (c *testSite) PagesDue()      { c.due.Add(1) }
func (c *testSite) Replaced() bool { return false }

// slots calls a function of the test for each slot.
type slots func(server string, hurry <-chan struct{}) (release func())

func (s slots) Acquire(_ context.Context, server string, hurry <-chan struct{}) (release func(), ok bool) {
	return s(server, hurry), true
}

// newTestRefresher returns a refresher of a site that was read once.
func newTestRefresher(t *testing.T) (*Refresher, *testSite) {
	t.Helper()
	return newRefresher(t, sitetest.NewWordPress(t, "https://a.test", 100))
}

func newRefresher(t *testing.T, w *sitetest.WordPress) (*Refresher, *testSite) {
	t.Helper()
	c := &testSite{WordPress: w, now: sitetest.Published.Add(time.Hour)}
	s := site.New(config.Site{
		Name: "a", Refresh: time.Minute, Collapse: 0.5, Confirm: 10 * time.Minute, PageSize: 1000, Compat: "spec",
	}, slog.New(slog.NewTextHandler(&c.log, nil)))
	s.Counted, s.Process = new(metrics.SiteCounts), metrics.NewProcess()
	placed := make(chan struct{})
	close(placed)
	d := &Daemon{
		Feed:        polling(t),
		Turns:       new(writes.Turns),
		Now:         func() time.Time { return c.now },
		Slots:       pages.NewSlots(8, 8),
		Placed:      placed,
		Generations: new(atomic.Uint64),
		Pace:        UsualPace,
	}
	d.Open = func(ctx context.Context, of *site.Site, turn func(context.Context, string)) (*wp.Network, error) {
		return w.Open(ctx, of, d.Now, turn)
	}
	r := New(s, d, c)
	t.Cleanup(r.Close)
	if _, ok := r.ReadOnce(t.Context()); !ok {
		t.Fatal(s.Snapshot().Err)
	}
	return r, c
}

// Each of thousands of sites gets its place before the first catalog is built. If a request waits for a site, the site
// is opened and read out of turn, even while others have no place yet. That holds for its first reading only.
func TestPlacedBeforeRead(t *testing.T) {
	other, c := newTestRefresher(t)
	s := site.New(other.site.Config, slog.New(slog.DiscardHandler))
	s.Counted, s.Process = other.site.Counted, other.site.Process
	held, places, server := 0, 0, other.site.DatabaseServer()
	other.daemon.Slots = slots(func(at string, hurry <-chan struct{}) func() {
		switch places++; places {
		case 1: // a request for a host that the configuration names
			s.Hurry()
			<-hurry
		case 2:
			now := s.Snapshot()
			if !now.Opened || len(now.Blogs) != 1 || now.Blogs[0].Home != "https://a.test" || now.Ready() || now.Blogs[0].Resident() ||
				now.Blogs[0].Book != nil || !errors.Is(now.Blogs[0].Err, site.ErrNotReadYet) {
				t.Errorf("not placed: %+v", now)
			}
			<-s.FirstAttempt()
			<-hurry
		default:
			if hurry != nil {
				t.Error("a later reading is out of turn, too")
			}
		}
		if held++; held > 1 || at != server {
			t.Errorf("%d slots of %s are held", held, at)
		}
		return func() { held-- }
	})
	other.daemon.Open = func(ctx context.Context, of *site.Site, turn func(context.Context, string)) (*wp.Network, error) {
		turn(ctx, server)
		return c.Open(ctx, of, other.daemon.Now, nil)
	}
	other.daemon.Placed = nil
	r := New(s, other.daemon, other.tell)
	defer r.Close()
	if _, ok := r.ReadOnce(t.Context()); !ok || places != 2 || held != 0 || !s.Snapshot().Ready() {
		t.Errorf("read %v with %d slots: %+v", ok, places, s.Snapshot())
	}
	if _, ok := r.ReadOnce(t.Context()); !ok || places != 3 || held != 0 {
		t.Errorf("read again %v with %d slots", ok, places)
	}
}

// If an operator asks for it, the site is read again.
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
	c.Publish("post", 10)
	r.ReadOnce(t.Context())
	if wait, any := r.guard.NextConfirmation(); !any || wait != 10*time.Minute {
		t.Errorf("it is read again in %v, %v", wait, any)
	}
	if !r.Accept() {
		t.Error("there is something to accept")
	}
	wants("a loss is accepted", true)
}

// TestReadings checks the state of a site after each kind of reading.
func TestReadings(t *testing.T) {
	r, c := newTestRefresher(t)
	blog := func() *site.Blog { return r.site.Snapshot().Blogs[0] }
	for _, touched := range []bool{true, false} {
		if touched {
			c.Edit("post-1", 1)
		}
		before := blog().Generation
		end := r.delta(t.Context(), wrote("wp_posts"))
		if end != (deltaEnd{Found: touched}) || (blog().Generation > before) != touched {
			t.Errorf("a delta, touched %v: %+v, generation %d after %d", touched, end, blog().Generation, before)
		}
	}
	looks := func(what string, want bool) {
		t.Helper()
		expect.Equal(t, r.settingsChanged(t.Context(), wrote("wp_options")), want, what)
	}
	looks("settings as before", false)
	c.Exec("UPDATE wp_options SET option_value = '/blog/%postname%/' WHERE option_name = 'permalink_structure'")
	looks("other settings", true)
	expect.Equal(t, r.settingsChanged(t.Context(), wrote("wp_posts")), false, "other settings, of whose table nothing is told")
	before := blog()
	if _, ok := r.ReadOnce(t.Context()); !ok || blog().RevalidateBefore != before.RevalidateBefore || blog().Readings[0].Before != 101 {
		t.Errorf("a full scan without a write: %v, revalidate before %v, %+v", ok, blog().RevalidateBefore, blog().Readings[0])
	}
	c.Break("wp_options")
	looks("settings that cannot be read", true)
	c.Mend("wp_options")
	for _, bad := range []bool{false, true} {
		if bad {
			c.Break("wp_posts")
		}
		r.plan = plan{}
		r.fullScan(t.Context())
		if blog().Catalog == nil || (blog().Err != nil) != bad || (r.site.Snapshot().Err != nil) != bad || r.plan.Idle() == bad {
			t.Errorf("a full scan, without posts %v: %+v, %+v", bad, blog(), r.plan)
		}
	}
	c.Mend("wp_posts")
	for _, touched := range []bool{true, false} { // a delta does not find what is outside of its view
		if touched {
			c.Edit("post-2", 2)
		}
		r.plan = plan{}
		r.plan.Tell(wrote("wp_posts"), false)
		r.readDelta(t.Context())
		if _, wait := r.plan.Next(); (wait == 0) == touched {
			t.Errorf("after a delta, touched %v: %v", touched, wait)
		}
	}
	expect.Equal(t, c.moved, 1, "places")
	r.inquire(t.Context())
	expect.Equal(t, r.inquiries.waiting, false, "the site is asked")
	r.plan = plan{}
	if r.hear(heard{blog: 1, changed: true}); r.plan.Idle() {
		t.Errorf("what the site has said leads to no full scan")
	}
	r.site.Publish(&site.Snapshot{Blogs: []*site.Blog{site.Unread(site.Blog{ID: 1, Home: "https://a.test"}, nil)}})
	if end := r.delta(t.Context(), wrote("wp_posts")); !end.Failed {
		t.Errorf("a delta of what was never read: %+v", end)
	}
}

// The loop reads the site at its start, after a write that a poll reports, and when an operator asks for it, until its context ends.
func TestRun(t *testing.T) {
	t.Parallel()
	once, c := newTestRefresher(t)
	r := New(once.site, once.daemon, c)
	generation := func() uint64 { return r.site.Snapshot().Blogs[0].Generation }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	before := generation()
	go func() { defer close(ended); r.Run(ctx) }()
	for _, step := range []struct {
		what string
		do   func()
	}{{"at the start", func() {}}, {"after an edit", func() { c.Edit("post-1", 1) }}, {"on request", r.ReadNow}} {
		step.do()
		wptest.Eventually(t, "the site is read "+step.what, func() bool { return generation() > before }, &c.log)
		wptest.Eventually(t, "it rests", func() bool { return r.signals.idle.Load() }, &c.log)
		before = generation()
	}
	stop()
	<-ended
}

// A snapshot says since when the site can be read, or since when it cannot. After a write, pages are rendered again.
func TestSince(t *testing.T) {
	r, c := newTestRefresher(t)
	start := c.now
	before := r.site.Snapshot().Blogs[0].RevalidateBefore
	for i, tt := range []struct {
		broken bool
		since  time.Duration
		failed int
	}{{false, 0, 0}, {true, 2 * time.Minute, 1}, {true, 2 * time.Minute, 2}, {false, 4 * time.Minute, 2}, {false, 4 * time.Minute, 2}} {
		c.now = start.Add(time.Duration(i+1) * time.Minute)
		if tt.broken {
			c.Break("wp_options")
		}
		r.plan.Tell(wrote("wp_posts"), false)
		r.fullScan(t.Context())
		now := r.site.Snapshot()
		expect.Equal(t, now.Since.Sub(start), tt.since, i)
		expect.Equal(t, now.Err != nil, tt.broken, i)
		expect.Equal(t, now.Failures, tt.failed, i)
		expect.Equal(t, now.Blogs[0].RevalidateBefore == before, tt.broken, i, "pages are as before")
		before = now.Blogs[0].RevalidateBefore
		if tt.broken {
			c.Mend("wp_options")
		}
	}
}

// Of a network, only blogs with a reason are read.
func TestReadingsOfANetwork(t *testing.T) {
	r, c := newRefresher(t, sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/2", "https://a.test/3"))
	now := r.site.Snapshot()
	for _, tt := range []struct {
		name    string
		written *writes.Set
		change  func(*site.Blog)
		all     bool
		want    bool
	}{
		{"nothing was written", nil, nil, false, false}, {"all are read", nil, nil, true, true}, {"posts were", wrote("wp_2_posts"), nil, false, true},
		{"the table of blogs, which has a row as before", wrote("wp_blogs"), nil, false, false},
		{"its row is another", nil, func(b *site.Blog) { b.Row.Archived = 1 }, false, true},
		{"it failed", nil, func(b *site.Blog) { b.Err = errors.New("broken") }, false, true},
		{"a loss of it is held", nil, func(b *site.Blog) { b.HeldBy = "a loss" }, false, true},
		{"it is idle", wrote("wp_2_posts"), func(b *site.Blog) { *b = *b.Idle() }, true, false},
	} {
		b := *now.Of(2)[0]
		if tt.change != nil {
			tt.change(&b)
		}
		s := &scan{r: r, walk: r.list.walk, extent: extent{tt.written, tt.all}, now: now.With(2, []*site.Blog{&b})}
		expect.Equal(t, s.due(r.list.walk.Live[1]), tt.want, tt.name)
	}
	for _, broken := range []bool{false, true} {
		if broken {
			c.Break("wp_2_posts")
		}
		r.plan = plan{}
		s := &scan{r: r, walk: r.list.walk, log: &scanLog{log: r.site.Log}, now: now}
		if err := s.readOne(t.Context(), 2); (err != nil) != broken || r.plan.Idle() == broken {
			t.Errorf("one blog, without posts %v: %v, %+v", broken, err, r.plan)
		}
	}
	for _, resident := range []int{3, 2} {
		r.daemon.Pace = Pace{Resident: resident}
		r.list.nextUnread = time.Time{}
		if !r.readSome(t.Context()) || r.list.nextUnread.IsZero() != (resident == 3) {
			t.Errorf("with room for %d of 3: the background rests until %v", resident, r.list.nextUnread)
		}
	}
}

// If nothing waits to be read, data are as old as the last poll that found nothing.
func TestAgeOfData(t *testing.T) {
	r, c := newTestRefresher(t)
	read := c.now
	if got := r.TrueAt(r.site.Snapshot()); !got.Equal(read) {
		t.Errorf("read at %v, known good since %v", read, got)
	}
	inUse := r.session.inUse.Load()
	defer r.session.inUse.Store(inUse)
	polled := inUse.feed
	for _, tt := range []struct {
		rule string
		feed *writes.Subscription
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

// The timers follow the site's clock: for a scheduled post, and for the age limit of news.
func TestTimers(t *testing.T) {
	r, c := newTestRefresher(t)
	if due, expiry := r.timers(); due != never || expiry != never {
		t.Errorf("%v, %v", due, expiry)
	}
	of := r.site.Config
	of.News.Enabled = seo.SwitchedOn
	withNews := site.New(of, slog.New(slog.DiscardHandler))
	withNews.Counted = r.site.Counted
	r.site.Publish(&site.Snapshot{Blogs: []*site.Blog{c.Blog(withNews, r.daemon.Now, 1)}})
	if _, expiry := r.timers(); expiry.Round(time.Second) != 47*time.Hour+time.Second {
		t.Errorf("news leave in %v", expiry)
	}
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	scheduled := sitetest.NewWordPress(t, "https://b.test", 3)
	scheduled.Exec("INSERT INTO wp_posts (post_type, post_status, post_name, post_date, post_content) VALUES ('post', 'future', 'a', '2026-05-01 "+
		"14:30:00', ''), ('post', 'future', 'late', '2026-05-01 11:00:00', ''), ('page', 'future', 'b', '2026-05-01 18:00:00', '')",
		"REPLACE INTO wp_options (option_name, option_value) VALUES ('timezone_string', 'Europe/Amsterdam')")
	b := scheduled.Blog(r.site, func() time.Time { return at }, 1)
	r.site.Publish(&site.Snapshot{Blogs: []*site.Blog{b}})
	c.now = at
	if due, _ := r.timers(); due != 30*time.Minute+time.Second { // 14:30 by the site's clock
		t.Errorf("due in %v", due)
	}
	c.now, at = at.Add(time.Hour), at.Add(time.Hour) // the post did not appear, because nobody has visited WordPress
	after, _, err := b.Catalog.Delta(t.Context(), nil)
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

// polling returns a feed that polls until the end of the test.
func polling(t *testing.T) *writes.Feed {
	return writes.NewFeed(writes.Options{
		Log: slog.New(slog.DiscardHandler), Counted: metrics.NewProcess(), Breaker: pages.NewBreaker(slog.New(slog.DiscardHandler)),
		Start: func(run func(context.Context)) { go run(t.Context()) },
	})
}

// A database that opens but cannot be read does not replace the one in use, neither for breaker and slots nor for polls.
func TestDatabaseIsAdoptedOnceItWasRead(t *testing.T) {
	r, first := newTestRefresher(t)
	second := sitetest.NewWordPress(t, "https://a.test", 100)
	opens := second
	r.daemon.Open = func(ctx context.Context, of *site.Site, turn func(context.Context, string)) (*wp.Network, error) {
		return opens.Open(ctx, of, r.daemon.Now, turn)
	}
	for _, tt := range []struct {
		broken bool
		want   *sitetest.WordPress
	}{{true, first.WordPress}, {false, second}} {
		if tt.broken {
			second.Break("wp_posts")
		}
		r.session.unread = reopenAfter
		if read, _ := r.ReadOnce(t.Context()); read == tt.broken {
			t.Fatalf("read: %v, %v", read, r.site.Snapshot().Err)
		}
		if tt.broken {
			second.Mend("wp_posts")
		}
		server := strings.TrimPrefix(tt.want.DSN, "sqlite:")
		if r.site.DatabaseServer() != server || r.session.inUse.Load().server() != server {
			t.Errorf("%s and %s are in use, want %s", r.site.DatabaseServer(), r.session.inUse.Load().server(), server)
		}
	}
}

// The record of a blog contains all that requests need before the database is read again.
func TestRecordOfABlog(t *testing.T) {
	outline := catalog.Outline{Active: true, Plugin: sitemap.DefaultPlugin.Name, Title: "A", Files: []catalog.File{{Name: "post", Page: 1, Entries: 3}}}
	before := site.Remembered(site.Blog{
		ID: 7, Home: "https://a.test", Hosts: []string{"a.test"}, Network: true, Plain: true, Robots: []int64{7, 8}, Apart: true,
		RobotsText: "User-agent: *", WebRoots: []string{"/www"}, Routed: "book", Warnings: []string{"odd"}, Fingerprint: 1,
	}, outline, time.Unix(1e9, 0).UTC())
	before.AskedAt(time.Unix(1e9, 5))
	of := site.New(config.Site{Name: "a"}, nil)
	want := recordOf(of, before)
	text, err := json.Marshal(want)
	var r BlogRecord
	if err != nil || json.Unmarshal(text, &r) != nil {
		t.Fatal(err)
	}
	after := RememberedBlog(&r)
	if diff := cmp.Diff(want, recordOf(of, after)); diff != "" {
		t.Error(diff)
	}
	outline.Title = ""
	if diff := cmp.Diff(outline, after.Outline); diff != "" || after.Plugin != sitemap.DefaultPlugin || after.Key() != before.Key() {
		t.Errorf("%s, %v, %s", diff, after.Plugin, after.Key())
	}
}

// The record of a blog is saved again after each new catalog. Pages that the record no longer lists leave the store.
func TestRecordFollowsTheCatalog(t *testing.T) {
	s, _ := servertest.OpenStore(t, sqlite.Backend, t.TempDir(), store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "a")
	r, _ := newTestRefresher(t)
	of, m := site.New(config.Site{Name: "a"}, nil), memory{blogs: map[string]kept{}}
	var last BlogRecord
	for generation, pages := range []int{2, 1} {
		b := *r.site.Snapshot().Blogs[0]
		b.Generation, b.Outline = uint64(generation+1), *servertest.Outline(pages)
		m.Remember(of, &site.Snapshot{Blogs: []*site.Blog{&b}}, s)
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
	r.daemon.Store = s
	if !r.Restore() || !r.site.Snapshot().Restored || len(r.site.Snapshot().Blogs[0].Outline.Files) != 2 {
		t.Errorf("what is restored: %+v", r.site.Snapshot())
	}
}
