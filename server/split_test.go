package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/internal/redistest"
	"wpsitemapd/server/pages"
	"wpsitemapd/server/refresh"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/wp/wptest"
)

// inHurry has everything that is split happen within a second or so.
var inHurry = pace{
	lease: 5 * time.Second,
	beat:  50 * time.Millisecond,
	Pace: refresh.Pace{
		FirstRead: 200 * time.Millisecond,
		LastRead:  300 * time.Millisecond,
		ReadTurn:  time.Millisecond,
		Grace:     2 * time.Second,
		Doubt:     100 * time.Millisecond,
	},
}

// truth is a site as its database knows it. Only an audit sees what changes.
type truth struct {
	text  atomic.Pointer[string]
	print atomic.Uint64
}

func (tr *truth) set(text string) {
	tr.text.Store(&text)
	tr.print.Store(fakePrints.Add(1))
}

// daemon is a server with a database of its own that shows the truth.
type daemon struct {
	*testServer
	net     *fakeNetwork
	renders atomic.Int32
	public  string
	stop    func()
}

// startDaemon runs one that shares a Redis and reads its site every 200 milliseconds.
func startDaemon(t *testing.T, redis string, tr *truth, change ...func(*config.Site)) *daemon {
	t.Helper()
	b := fakeBlog(1, "https://a.test", nil)
	b.Written = func(tables []string) []string { return tables }
	d := &daemon{}
	b.Build = func(context.Context, site.Catalog) (site.Catalog, error) {
		c, text := newFakeCatalog("https://a.test"), *tr.text.Load()
		c.print.Store(tr.print.Load())
		c.render = func(_ context.Context, name string, page int) (*catalog.Document, error) {
			d.renders.Add(1)
			return &catalog.Document{Body: fmt.Appendf(nil, "%s %d: %s", name, page, text), LastMod: newest, Entries: 1}, nil
		}
		return c, nil
	}
	d.net = &fakeNetwork{blogs: []site.Settings{b}}
	install := config.Site{Name: "a", Refresh: 200 * time.Millisecond, Stylesheet: "css", Hosts: []config.Host{"a.test"}}
	for _, f := range change {
		f(&install)
	}
	log := &logText{}
	c := &config.Config{Listening: testListening(), StateAddress: config.Secret(redis), StateSize: 1 << 30, Sites: []config.Site{install}}
	d.testServer = &testServer{Server: New(c, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))), t: t, log: log}
	d.pace = inHurry
	d.open = func(context.Context, config.Site, func() time.Time, *slog.Logger) (site.Database, error) {
		return d.net, nil
	}
	public, _, end := start(t, d.testServer)
	d.public = public
	d.stop = sync.OnceFunc(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(d.stop)
	<-d.installs[0].refresher.FirstRead()
	return d
}

func (d *daemon) reads() (n int) {
	d.net.set(func() { n = d.net.reads })
	return n
}

func (d *daemon) taken() int64 { return d.installs[0].Counted.TakenAudits.Load() }

func (d *daemon) leads() bool { return d.store.Writes("a") }

// shows reports whether the daemon's post sitemap has a text.
func (d *daemon) shows(text string) bool {
	d.t.Helper()
	status, got, err := ask(d.public, "a.test", "/post-sitemap.xml")
	if err != nil || status != http.StatusOK {
		d.t.Fatal(status, err)
	}
	return got == "post 1: "+text
}

func (d *daemon) String() string {
	return fmt.Sprintf("leads %v, reads %d, taken %d\n%s", d.leads(), d.reads(), d.taken(), d.log)
}

// leaderOf waits until one of the daemons holds the lease, and returns it and the others, who have
// taken one of its audits.
func leaderOf(t *testing.T, daemons ...*daemon) (leader *daemon, others []*daemon) {
	t.Helper()
	wptest.Eventually(t, "one audits for all", func() bool {
		leader, others = nil, nil
		for _, d := range daemons {
			switch {
			case !d.leads():
				others = append(others, d)
			case leader != nil:
				t.Fatal("two hold the lease")
			default:
				leader = d
			}
		}
		if leader == nil {
			return false
		}
		for _, d := range others {
			if d.taken() == 0 {
				return false
			}
		}
		return true
	}, daemons)
	return leader, others
}

func splitting(t *testing.T, daemons int) (*truth, []*daemon, string) {
	t.Helper()
	host, _ := redistest.Start(t)
	redis := "redis://:sesame@" + host
	tr := &truth{}
	tr.set("first")
	all := make([]*daemon, daemons)
	for i := range all {
		all[i] = startDaemon(t, redis, tr)
	}
	return tr, all, redis
}

func TestOneAuditsAnIdleSiteForAll(t *testing.T) {
	t.Parallel()
	_, all, _ := splitting(t, 3)
	// A machine that is busy may have one of them think that Redis does not answer: then it is counted again.
	for attempt := range 10 {
		leader, others := leaderOf(t, all...)
		before := []int{others[0].reads(), others[1].reads()}
		taken, from, hiccups := others[0].taken(), leader.reads(), 0
		for _, d := range all {
			hiccups += d.log.count("does not answer")
		}
		wptest.Eventually(t, "ten audits", func() bool { return leader.reads() >= from+10 || !leader.leads() }, all)
		for _, d := range all {
			hiccups -= d.log.count("does not answer")
		}
		if more := others[0].reads() - before[0] + others[1].reads() - before[1]; more > 0 {
			if attempt < 9 && (hiccups != 0 || !leader.leads()) {
				continue
			}
			t.Fatalf("the others have read the site %d times", more)
		}
		wptest.Eventually(t, "its results are taken over", func() bool { return others[0].taken() > taken+2 }, all)
		b := others[0].installs[0].Snapshot().Blogs[0]
		if r := b.Readings[0]; r.Kind != site.SharedReading || r.Before != 4 || r.After != 4 || r.Queries != 0 {
			t.Errorf("its reading is %+v", r)
		}
		st := others[0].store.Stats()
		if !st.Redis || !st.Shared || st.Leads != 0 || leader.store.Stats().Leads != 1 {
			t.Errorf("it tells %+v", st)
		}
		others[0].wantMetrics("the other",
			map[string]string{`wpsitemapd_state_leases`: "0", `wpsitemapd_state_writable`: "1", `wpsitemapd_taken_total{kind="page",site="a"}`: "0"})
		if age := time.Since(b.Built); age > 10*time.Second {
			t.Errorf("what it serves is %v old", age)
		}
		return
	}
}

func TestWhatOnlyAnAuditSeesReachesAll(t *testing.T) {
	t.Parallel()
	tr, all, _ := splitting(t, 2)
	_, others := leaderOf(t, all...)
	for _, d := range all {
		wptest.Eventually(t, "it shows the first", func() bool { return d.shows("first") }, all)
	}
	before := others[0].reads()
	tr.set("second")
	for _, d := range all {
		wptest.Eventually(t, "it shows the second", func() bool { return d.shows("second") }, all)
	}
	if n := others[0].reads() - before; n == 0 {
		t.Error("the other has not read it")
	}
	taken := others[0].taken()
	wptest.Eventually(t, "it goes on as before", func() bool { return others[0].taken() > taken || others[0].leads() }, all)
}

func TestAnotherAuditsOnceTheFirstIsGone(t *testing.T) {
	t.Parallel()
	tr, all, redis := splitting(t, 2)
	leader, others := leaderOf(t, all...)
	leader.stop()
	wptest.Eventually(t, "another takes the lease", others[0].leads, others[0])
	tr.set("second")
	wptest.Eventually(t, "it shows the second", func() bool { return others[0].shows("second") }, others[0])
	third := startDaemon(t, redis, tr)
	if leader, _ := leaderOf(t, others[0], third); leader == third {
		t.Error("one that came later took the lease")
	}
}

func TestAnotherAuditsWhatTheFirstCannotRead(t *testing.T) {
	t.Parallel()
	_, all, _ := splitting(t, 2)
	leader, others := leaderOf(t, all...)
	var blogs []site.Settings
	leader.net.set(func() { leader.net.err, blogs, leader.net.blogs = errors.New("access denied"), leader.net.blogs, nil })
	wptest.Eventually(t, "another takes the lease", func() bool { return others[0].leads() && !leader.leads() }, all)
	if !leader.shows("first") {
		t.Error("it does not serve what it has")
	}
	leader.net.set(func() { leader.net.err, leader.net.blogs = nil, blogs })
	taken := leader.taken()
	wptest.Eventually(t, "it takes over what the other finds", func() bool { return leader.taken() > taken }, all)
}

func TestAnotherConfigurationAuditsForItself(t *testing.T) {
	t.Parallel()
	tr, all, redis := splitting(t, 1)
	wptest.Eventually(t, "it holds the lease", all[0].leads, all)
	other := startDaemon(t, redis, tr, func(s *config.Site) { s.Exclude.PostIDs = []int64{7} })
	wptest.Eventually(t, "it reads for itself", func() bool { return other.reads() > 4 }, all[0], other)
	if other.taken() > 0 || other.leads() {
		t.Errorf("took over %d audits, leads: %v", other.taken(), other.leads())
	}
}

// Without Redis each is for itself, and no request fails; with it back they split again, also where
// it comes back empty.
func TestRedisIsLostAndComesBack(t *testing.T) {
	t.Parallel()
	server := redistest.New(t, "--requirepass", "sesame")
	redis := "redis://:sesame@" + server.Addr
	tr := &truth{}
	tr.set("first")
	all := []*daemon{startDaemon(t, redis, tr), startDaemon(t, redis, tr)}
	leaderOf(t, all...)
	for _, d := range all {
		wptest.Eventually(t, "it shows the first", func() bool { return d.shows("first") }, all)
	}
	outage := func(what string, begin, end func(), text string) {
		t.Helper()
		begin()
		tr.set(text)
		for _, d := range all {
			before, taken := d.reads(), d.taken()
			wptest.Eventually(t, "each audits for itself: "+what, func() bool { return d.reads() > before+2 && d.shows(text) }, all)
			if d.taken() > taken+1 { // one may just have come
				t.Errorf("%s: %d audits were taken over", what, d.taken()-taken)
			}
		}
		end()
		before := make([]int64, len(all))
		for i, d := range all {
			before[i] = d.taken()
		}
		wptest.Eventually(t, "they split again: "+what, func() bool {
			return all[0].taken() > before[0] && all[1].leads() || all[1].taken() > before[1] && all[0].leads()
		}, all)
	}
	outage("it hangs", func() { server.Signal(syscall.SIGSTOP) }, func() { server.Signal(syscall.SIGCONT) }, "second")
	outage("it is killed", server.Kill, server.Start, "third")
	server.Do(t, "FLUSHALL")
	wptest.Eventually(t, "a copy and the records are written again", func() bool {
		site, blogs := all[0].store.Site("a")
		return site != nil && len(blogs) == 1 && all[0].store.Copy(store.Key{Site: "a", Blog: blogs[0].Key, Name: "post", Page: 1}) != nil
	}, all)
	leaderOf(t, all...)
}

// A page that one has made is not made again by the others, unless there is more to it than it may show.
func TestPagesAreTakenFromAnother(t *testing.T) {
	t.Parallel()
	_, all, _ := splitting(t, 2)
	leader, others := leaderOf(t, all...)
	other := others[0]
	w := other.installs[0]
	key := pages.KeyOf(w.Site, w.Snapshot().Blogs[0], "post", 1)
	if !leader.shows("first") {
		t.Fatal("not even one shows it")
	}
	wptest.Eventually(t, "its copy is shared", func() bool { return other.store.Copy(key) != nil }, all)
	if !other.shows("first") || other.renders.Load() != 0 || w.Counted.TakenPages.Load() != 1 {
		t.Fatalf("rendered %d times, taken %d times\n%s", other.renders.Load(), w.Counted.TakenPages.Load(), other.log)
	}
	if made, taken := leader.copies("a")[key], other.copies("a")[key]; made.As(pages.Identity).Tag != taken.As(pages.Identity).Tag ||
		!made.Modified().Equal(taken.Modified()) {
		t.Errorf("made %+v, taken %+v", made, taken)
	}
	b := *w.Snapshot().Blogs[0]
	kept := other.store.Copy(key)
	vouched := kept.Fingerprint
	for name, c := range map[string]struct {
		blog func(*site.Blog)
		copy func(*store.Copy)
	}{
		"something in place was changed after it was made": {blog: func(b *site.Blog) { b.RevalidateBefore = site.Now() }},
		"something was found after it was made":            {blog: func(b *site.Blog) { b.UnchangedSince = site.Now() }},
		"it is not of the same": {blog: func(b *site.Blog) {
			c := newFakeCatalog("https://a.test")
			c.changed()
			b.Catalog = c
		}},
		"its time is over":         {copy: func(c *store.Copy) { c.Expires = time.Now().Add(-time.Second) }},
		"nobody vouches for it":    {copy: func(c *store.Copy) { c.Fingerprint = "" }},
		"it is of another version": {copy: func(c *store.Copy) { c.Fingerprint = "x" + vouched }},
		"it was made in the future": {copy: func(c *store.Copy) {
			c.Fingerprint = vouched[:strings.LastIndexByte(vouched, ' ')] + " 99999999999999999"
		}},
	} {
		blog, copy := b, *kept
		if c.blog != nil {
			c.blog(&blog)
		}
		if c.copy != nil {
			c.copy(&copy)
		}
		if other.pages.Usable(w.Site, &blog, key, &copy) != nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	if other.pages.Usable(w.Site, &b, key, kept) == nil {
		t.Error("it is not taken")
	}
}

// Of daemons that share a Redis one makes every page ahead, and the others take them, also one that comes later.
func TestPagesAheadAreMadeOnceForAll(t *testing.T) {
	t.Parallel()
	host, _ := redistest.Start(t)
	redis, tr := "redis://:sesame@"+host, &truth{}
	tr.set("first")
	warm := func(s *config.Site) { s.Warm = true }
	var all []*daemon
	made := func() (n int32) {
		for _, d := range all {
			n += d.renders.Load()
		}
		return n
	}
	for range 2 {
		all = append(all, startDaemon(t, redis, tr, warm))
	}
	key := store.Key{Site: "a", Blog: all[0].installs[0].Snapshot().Blogs[0].Key(), Name: "post", Page: 1}
	keys := []store.Key{key, key, key}
	keys[1].Page, keys[2].Name = 2, "1"
	wptest.Eventually(t, "every page is stored", func() bool {
		for _, key := range keys {
			if all[0].store.Copy(key) == nil {
				return false
			}
		}
		return true
	}, all)
	leaderOf(t, all...)
	all = append(all, startDaemon(t, redis, tr, warm))
	for _, d := range all {
		w := d.installs[0]
		wptest.Eventually(t, "nothing is left to make", func() bool {
			before := d.renders.Load()
			w.server.pages.Warm(w.Site)
			time.Sleep(3 * inHurry.beat)
			return d.renders.Load() == before
		}, all)
	}
	if got := made(); got != int32(len(keys)) {
		t.Errorf("%d pages were rendered %d times", len(keys), got)
	}
}
