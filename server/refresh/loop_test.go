package refresh

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"wpsitemapd/server/internal/servertest"
	"wpsitemapd/server/internal/sitetest"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/server/store/sqlite"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// another returns a second refresher of the same database, which has read nothing yet.
func another(t *testing.T, r *Refresher, c *testSite) *Refresher {
	t.Helper()
	s := site.New(r.site.Config, r.site.Log)
	s.Counted, s.Process = r.site.Counted, r.site.Process
	next := New(s, r.daemon, c)
	t.Cleanup(next.Close)
	return next
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Whoever waits for the first reading waits until the site was read, and not only tried. Each reading is told, with the pages to render.
func TestFirstReading(t *testing.T) {
	t.Parallel()
	once, c := newTestRefresher(t)
	r := another(t, once, c)
	c.Break("wp_posts")
	read, ok := r.ReadOnce(t.Context())
	expect.Equal(t, fmt.Sprint(read, ok, closed(r.FirstRead())), "false false false")
	c.Mend("wp_posts")
	changed, due := c.changed.Load(), c.due.Load()
	r.site.Slowest()
	read, ok = r.ReadOnce(t.Context())
	expect.Equal(t, r.site.Slowest() > 0, true, "the work is counted:")
	expect.Equal(t, fmt.Sprint(read, ok, closed(r.FirstRead())), "true true true")
	expect.Equal(t, c.changed.Load() > changed, true, "a reading is told:")
	expect.Equal(t, c.due.Load() > due, true, "pages are to be rendered:")
	_, ok = r.ReadOnce(t.Context())
	expect.Equal(t, ok, true, "it is read again")
}

// A database that cannot be opened is an error of the site. If the daemon stops meanwhile, there is no error.
func TestDatabaseThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	once, c := newTestRefresher(t)
	r := another(t, once, c)
	in, idle := r.Connections()
	expect.Equal(t, in+idle, 0, "connections of a database that was never opened")
	refused := errors.New("connection refused")
	c.Refuse(refused)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.ReadOnce(ctx)
	expect.Equal(t, r.site.Snapshot().Err, nil, "the daemon stops")
	read, ok := r.ReadOnce(t.Context())
	expect.Equal(t, fmt.Sprint(read, ok), "false false")
	expect.Equal(t, r.site.Snapshot().Err, refused)
	expect.Equal(t, r.session.unread, 2)
	c.Refuse(nil)
	_, ok = r.ReadOnce(t.Context())
	expect.Equal(t, ok, true)
	in, idle = r.Connections()
	expect.Equal(t, in+idle > 0, true, "connections")
	before := r.session.inUse.Load()
	_, ok = r.ReadOnce(t.Context())
	expect.Equal(t, ok && r.session.inUse.Load() == before, true, "an open database stays in use:")
	r.Close()
	in, idle = r.Connections()
	expect.Equal(t, in+idle, 0, "after Close")
}

// After a failure, the site is read again soon: in a second or a little more, and later after each further failure.
func TestFailedScanIsRepeated(t *testing.T) {
	t.Parallel()
	r, c := newTestRefresher(t)
	c.Break("wp_posts")
	for i, least := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		r.plan = plan{}
		r.fullScan(t.Context())
		action, wait := r.plan.Next()
		expect.Equal(t, action, keepWaiting, i)
		if wait < least*9/10 || wait > least*3/2 {
			t.Errorf("after %d failures: %v, want %v or a little more", i+1, wait, least)
		}
	}
	expect.Equal(t, closed(r.site.FirstAttempt()), true)
	expect.Equal(t, r.reads.last, nothingRead)
	c.Mend("wp_posts")
	r.plan = plan{}
	r.fullScan(t.Context())
	expect.Equal(t, r.reads.last, allRead)
	_, wait := r.plan.Next()
	first := r.daemon.Pace.FirstScan // writes are reported
	expect.Equal(t, wait > first-time.Second && wait <= first*9/8+time.Second, true, "then the clock asks for the next", wait)
}

// A loss is read again when it may be confirmed.
func TestLossIsReadAgain(t *testing.T) {
	t.Parallel()
	r, c := newTestRefresher(t)
	c.Publish("post", 10)
	r.site.Config.Refresh = time.Hour
	r.plan = plan{}
	r.fullScan(t.Context())
	_, wait := r.plan.Next()
	expect.Equal(t, r.site.Snapshot().Held(), true)
	expect.Equal(t, wait > 9*time.Minute && wait <= 10*time.Minute, true, wait)
}

// A delta gives the blog another catalog, which is true at that moment.
func TestCatalogOfDelta(t *testing.T) {
	t.Parallel()
	r, c := newTestRefresher(t)
	before := r.site.Snapshot().Blogs[0]
	c.now = c.now.Add(time.Minute)
	c.Edit("post-1", 1)
	changed := c.changed.Load()
	r.site.Slowest()
	expect.Equal(t, r.delta(t.Context(), wrote("wp_posts")), deltaEnd{Found: true})
	expect.Equal(t, r.site.Slowest() > 0, true, "the work is counted:")
	b := r.site.Snapshot().Blogs[0]
	expect.Equal(t, b.Catalog != before.Catalog && b.Catalog.Newest() > before.Catalog.Newest(), true, "the catalog has the edit:")
	expect.Equal(t, b.Built, c.now)
	expect.Equal(t, b.Readings[0].Kind, site.Delta)
	expect.Equal(t, c.changed.Load() > changed, true, "it is told:")
	expect.Equal(t, before.Catalog.Newest() == sitetest.Published.Unix(), true, "the catalog before is as it was:")
}

// What a loop waits for: an order to read, a blog that somebody asks for, and a store that has lost what was saved.
func TestSignalsOfLoop(t *testing.T) {
	t.Parallel()
	r, c := newRefresher(t, sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/2"))
	r.plan = plan{}
	r.ReadNow()
	r.ReadNow() // is the same signal
	r.wait(t.Context(), time.Minute)
	expect.Equal(t, r.reads.all, true)
	action, _ := r.plan.Next()
	expect.Equal(t, action, fullScan)
	r.plan, r.reads.all = plan{}, false

	due := c.due.Load()
	r.SaveAgain()
	r.wait(t.Context(), time.Minute)
	expect.Equal(t, c.due.Load() > due, true, "what was lost is saved again:")

	sitetest.Alter(r.site, 2, func(b *site.Blog) { *b = *b.Idle() })
	r.site.Want(2)
	r.wait(t.Context(), time.Minute)
	expect.Equal(t, ids(r.site.Snapshot()), "1 2")

	r.plan, r.reads.last = plan{}, someRead
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.wait(ctx, time.Minute)
	expect.Equal(t, r.signals.idle.Load(), false)
	r.wait(t.Context(), 0)
	expect.Equal(t, r.plan.Idle(), true, "nothing has happened:")
}

// Of a large network, blogs that were never read are read in the background, with rests if they do not all fit into memory.
func TestBackground(t *testing.T) {
	t.Parallel()
	once, c := newRefresher(t, sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/2", "https://a.test/3"))
	expect.Equal(t, once.untilReadSome(), never, "all were read")
	r := another(t, once, c)
	r.site.Hurry()
	got, whole := r.read(t.Context(), extent{all: true})
	expect.Equal(t, fmt.Sprint(got, whole), fmt.Sprint(allRead, true))
	expect.Equal(t, ids(r.site.Snapshot()), "1 (2) (3)", "only the main blog is read at once")
	expect.List(t, r.list.unread, []int64{2, 3})
	expect.Equal(t, r.untilReadSome() <= 0, true, "the others are next")
	r.list.nextUnread = time.Now().Add(time.Hour)
	if wait := r.untilReadSome(); wait < 59*time.Minute || wait > time.Hour {
		t.Errorf("the background rests for %v", wait)
	}
	expect.Equal(t, r.readSome(t.Context()), true)
	expect.Equal(t, len(r.list.unread), 2, "while it rests")
	r.list.nextUnread = time.Time{}
	c.Break("wp_3_posts")
	for len(r.list.unread) > 0 {
		r.list.nextUnread = time.Time{}
		r.readSome(t.Context())
	}
	now := r.site.Snapshot()
	expect.Equal(t, ids(now), "1 2 (3)!")
	expect.Equal(t, now.Err != nil, true, "all errors are known at the end")
	expect.Equal(t, r.reads.last, someRead)
	expect.Equal(t, r.list.log == nil, true)
}

// A daemon with another configuration of the site expects that the sitemaps change.
func TestRestoreOfOtherConfiguration(t *testing.T) {
	t.Parallel()
	s, _ := servertest.OpenStore(t, sqlite.Backend, t.TempDir(), store.Options{Limit: 1 << 20, Log: slog.New(slog.DiscardHandler)}, "a")
	once, c := newTestRefresher(t)
	expect.Equal(t, another(t, once, c).Restore(), false, "there is no store")
	once.daemon.Store = s
	once.keep(once.site.Snapshot())
	servertest.Written(t, s)
	same := another(t, once, c)
	expect.Equal(t, same.Restore(), true)
	expect.Equal(t, same.guard.configChanged, false)
	expect.Equal(t, ids(same.site.Snapshot()), "(1)")
	once.site.Config.PageSize = 10
	other := another(t, once, c)
	expect.Equal(t, other.Restore(), true)
	expect.Equal(t, other.guard.configChanged, true)
	once.site.Config.Name = "b"
	expect.Equal(t, another(t, once, c).Restore(), false, "the store has nothing of this site")
}

// What the daemon makes no sitemaps for is told once, when the blog is read for the first time.
func TestBlogWithoutSitemapsIsTold(t *testing.T) {
	t.Parallel()
	once, c := newTestRefresher(t)
	once.site.Config.Sitemaps = "off"
	r := another(t, once, c)
	for range 2 {
		_, ok := r.ReadOnce(t.Context())
		expect.Equal(t, ok, true)
	}
	expect.Equal(t, c.log.Count("the daemon makes no sitemaps for this blog"), 1)
	wptest.Must(t, r.site.Snapshot().Err)
}

// Where polls see only a part of the writes, the blog that visitors ask for and that was read longest ago is read again, five seconds after
// its last reading at the earliest.
func TestRecheck(t *testing.T) {
	t.Parallel()
	r, _ := newRefresher(t, sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/2", "https://a.test/3", "https://a.test/4"))
	stalest := func() int64 {
		if b := r.stalest(); b != nil {
			return b.ID
		}
		return 0
	}
	now := time.Now()
	for id, ago := range map[int64]time.Duration{1: 10, 2: 30, 3: 40, 4: 20} {
		sitetest.Alter(r.site, id, func(b *site.Blog) { b.Scanned = site.Moment{Time: now.Add(-ago * time.Second)} })
	}
	for _, id := range []int64{2, 3, 4} {
		r.site.Snapshot().Of(id)[0].AskedAt(now)
	}
	expect.Equal(t, stalest(), 0, "polls see every write")
	large := func() { r.session.network().Writes().Watch(1<<20, nil, nil) }
	large()
	expect.Equal(t, stalest(), 3)
	sitetest.Alter(r.site, 3, func(b *site.Blog) { b.HeldBy = "9 of 10" })
	expect.Equal(t, stalest(), 2, "a loss is held")
	sitetest.Alter(r.site, 2, func(b *site.Blog) { *b = *b.Idle() })
	expect.Equal(t, stalest(), 4, "one is not in memory")
	r.site.Snapshot().Of(4)[0].AskedAt(now.Add(-time.Minute))
	expect.Equal(t, stalest(), 0, "nobody has asked since")

	r.site.Snapshot().Of(4)[0].AskedAt(now)
	sitetest.Alter(r.site, 4, func(b *site.Blog) { b.Scanned = site.Moment{Time: now.Add(-time.Second)} })
	expect.Equal(t, r.dueRecheck() == nil, true, "nothing is planned")
	if wait := r.untilReadSome(); wait < 3*time.Second || wait > recheckAfter {
		t.Errorf("read again in %v", wait)
	}
	planned := r.list.recheck
	r.planRecheck()
	expect.Equal(t, r.list.recheck, planned, "a time that is set stays")
	expect.Equal(t, r.dueRecheck() == nil && r.list.recheck == planned, true, "before that time")
	r.list.recheck = time.Now()
	before := r.site.Snapshot().Of(4)[0].Generation
	expect.Equal(t, r.readSome(t.Context()), true)
	b := r.site.Snapshot().Of(4)[0]
	expect.Equal(t, b.Generation > before, true)
	expect.Equal(t, b.Readings[0].Reason, "visitors ask for it")
	expect.Equal(t, r.list.recheck.IsZero(), true)
	large()
	expect.Equal(t, stalest(), 0, "it was read since")
}

// A single site is read again by a full scan, unless one is planned already.
func TestRecheckOfSingleSite(t *testing.T) {
	t.Parallel()
	r, _ := newTestRefresher(t)
	r.session.network().Writes().Watch(1<<20, nil, nil)
	r.site.Snapshot().Blogs[0].AskedAt(time.Now().Add(time.Minute))
	r.plan = plan{}
	expect.Equal(t, r.stalest() != nil, true)
	r.list.recheck = time.Now()
	expect.Equal(t, r.readSome(t.Context()), true)
	expect.Equal(t, r.plan.Idle(), false)
	expect.Equal(t, r.stalest() == nil, true, "something is to be read anyway")
	expect.Equal(t, r.readSome(t.Context()), true, "there is nothing more to do")
}

// While a network is read, requests for all of its blogs are routed: for new ones, and for those that have vanished, too.
func TestRoutesWhileNetworkIsRead(t *testing.T) {
	t.Parallel()
	once, c := newRefresher(t, sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/2", "https://a.test/3"))
	r := another(t, once, c)
	var seen []string
	c.After("FROM wp_posts", func() {
		now := r.site.Snapshot()
		seen = append(seen, fmt.Sprint(now.Opened, " ", ids(now), " ", len(now.Gone)))
	})
	c.Exec("UPDATE wp_blogs SET archived = 1 WHERE blog_id = 3")
	r.ReadOnce(t.Context())
	expect.Equal(t, len(seen) > 0 && seen[0] == "true (1) (2) 1", true, seen)
	c.AddBlog("https://a.test/4")
	c.Exec("DELETE FROM wp_blogs WHERE blog_id = 2")
	seen = nil
	r.ReadOnce(t.Context())
	expect.Equal(t, len(seen) > 0 && seen[0] == "true 1 2 (4) 1", true, seen)
	expect.Equal(t, ids(r.site.Snapshot()), "1 4")
	expect.Equal(t, r.reads.took > 0, true)
}

// If an operator asks, all blogs are read again. A change of the configuration explains a loss of the next reading only.
func TestReadingOfEverything(t *testing.T) {
	t.Parallel()
	r, c := newRefresher(t, sitetest.NewNetwork(t, 3, "https://a.test", "https://a.test/2"))
	generation := func() uint64 { return r.site.Snapshot().Of(2)[0].Generation }
	before := generation()
	_, whole := r.read(t.Context(), extent{})
	expect.Equal(t, fmt.Sprint(whole, generation() > before), "false false", "nothing was written")
	r.reads.all = true
	_, whole = r.read(t.Context(), extent{})
	expect.Equal(t, fmt.Sprint(whole, generation() > before), "true true", "an operator asks")
	expect.Equal(t, r.reads.all, false)

	r.guard.Expect(true)
	c.Break("wp_2_postmeta")
	r.read(t.Context(), extent{all: true})
	expect.Equal(t, r.guard.configChanged, true, "not everything was read")
	c.Mend("wp_2_postmeta")
	r.read(t.Context(), extent{all: true})
	expect.Equal(t, r.guard.configChanged, false)
}

// A site that fails at its first reading was tried, so that nobody waits for it any more.
func TestFirstReadingThatFails(t *testing.T) {
	t.Parallel()
	once, c := newTestRefresher(t)
	r := another(t, once, c)
	c.Break("wp_options")
	expect.Equal(t, closed(r.site.FirstAttempt()), false)
	r.fullScan(t.Context())
	expect.Equal(t, closed(r.site.FirstAttempt()), true)
	expect.Equal(t, r.site.Snapshot().Ready(), false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stopped := another(t, once, c)
	stopped.fullScan(ctx)
	expect.Equal(t, closed(stopped.site.FirstAttempt()), false, "the daemon stops")
}

// On a large site, a delta leaves the index of dates to a later reading, which finds what left no other trace. If that fails, everything
// is read.
func TestDatesAreReadLater(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}
	r, c := newRefresher(t, sitetest.NewWordPress(t, "https://a.test", 100_100))
	urls := func() int { return r.site.ListedURLs(r.site.Snapshot().Blogs[0]) }
	before := urls()
	c.now = c.now.Add(time.Minute)
	c.Edit("post-1", 1)
	c.Exec("DELETE FROM wp_posts WHERE post_name = 'post-2'")
	expect.Equal(t, r.delta(t.Context(), wrote("wp_posts")), deltaEnd{Found: true, DatesUnread: true})
	expect.Equal(t, urls(), before)
	r.plan = plan{}
	c.Break("wp_posts")
	r.readDates(t.Context())
	expect.Equal(t, urls(), before)
	action, _ := r.plan.Next()
	expect.Equal(t, action, fullScan, "everything is read")
	c.Mend("wp_posts")
	changed := c.changed.Load()
	r.readDates(t.Context())
	expect.Equal(t, urls(), before-1)
	expect.Equal(t, c.changed.Load() > changed, true, "it is told:")
	generation := r.site.Snapshot().Blogs[0].Generation
	r.readDates(t.Context())
	expect.Equal(t, r.site.Snapshot().Blogs[0].Generation, generation, "nothing is left to read:")
}
