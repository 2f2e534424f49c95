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
	read, ok = r.ReadOnce(t.Context())
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
	expect.Equal(t, r.delta(t.Context(), wrote("wp_posts")), deltaEnd{Found: true})
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
