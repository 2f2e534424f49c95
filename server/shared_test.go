package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
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

// inHurry has everything that is shared happen within a second or so.
var inHurry = pace{
	beat: 50 * time.Millisecond,
	Pace: refresh.Pace{
		FirstScan: 200 * time.Millisecond,
		LastScan:  300 * time.Millisecond,
		ScanTurn:  time.Millisecond,
		Resident:  500,
	},
}

// truth is a site as its database knows it. Only a full scan sees what changes.
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
	blocked atomic.Pointer[chan struct{}] // renders wait for it
	public  string
	stop    func()
}

// block has renders wait until unblock.
func (d *daemon) block() {
	c := make(chan struct{})
	d.blocked.Store(&c)
}

func (d *daemon) unblock() { close(*d.blocked.Swap(nil)) }

// startDaemon runs one that shares a Redis and reads its site every 200 milliseconds.
func startDaemon(t *testing.T, redis string, tr *truth, change ...func(*config.Site)) *daemon {
	t.Helper()
	b := fakeBlog(1, "https://a.test", nil)
	d := &daemon{}
	b.Reader = fakeReader(func(context.Context) (site.Catalog, error) {
		c, text := newFakeCatalog("https://a.test"), *tr.text.Load()
		c.print.Store(tr.print.Load())
		c.render = func(_ context.Context, name string, page int) (*catalog.Document, error) {
			if c := d.blocked.Load(); c != nil {
				<-*c
			}
			d.renders.Add(1)
			return &catalog.Document{Body: fmt.Appendf(nil, "%s %d: %s", name, page, text), LastMod: newest, Entries: 1}, nil
		}
		return c, nil
	})
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
	return fmt.Sprintf("reads %d, renders %d\n%s", d.reads(), d.renders.Load(), d.log)
}

// sharing starts daemons that share a Redis.
func sharing(t *testing.T, daemons int) (*truth, []*daemon, string) {
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

// Without Redis no request fails, and edits are seen as ever; one that comes back empty is filled again.
func TestRedisIsLostAndComesBack(t *testing.T) {
	t.Parallel()
	server := redistest.New(t, "--requirepass", "sesame")
	redis := "redis://:sesame@" + server.Addr
	tr := &truth{}
	tr.set("first")
	all := []*daemon{startDaemon(t, redis, tr), startDaemon(t, redis, tr)}
	show := func(when, text string) {
		t.Helper()
		for _, d := range all {
			wptest.Eventually(t, when+" it shows the "+text, func() bool { return d.shows(text) }, all)
		}
	}
	stored := func() bool {
		site, blogs := all[0].store.Site("a")
		return site != nil && len(blogs) == 1 && all[0].store.Page(store.Key{Site: "a", Blog: blogs[0].Key, Name: "post", Page: 1}) != nil
	}
	show("at first", "first")
	wptest.Eventually(t, "all is stored", stored, all)
	outage := func(what string, begin, end func(), text string) {
		t.Helper()
		begin()
		tr.set(text)
		show(what, text)
		end()
		wptest.Eventually(t, "all is stored after "+what, stored, all)
	}
	outage("it hangs", func() { server.Signal(syscall.SIGSTOP) }, func() { server.Signal(syscall.SIGCONT) }, "second")
	outage("it is killed", server.Kill, server.Start, "third")
	server.Do(t, "FLUSHALL")
	wptest.Eventually(t, "all is stored again", stored, all)
}

// A page that one daemon has made is taken by the others where it was made of the same, and made again in the background.
func TestPagesAreTakenFromAnother(t *testing.T) {
	t.Parallel()
	tr, all, _ := sharing(t, 2)
	one, other := all[0], all[1]
	w := other.installs[0]
	key := pages.KeyOf(w.Site, w.Snapshot().Blogs[0], "post", 1)
	if !one.shows("first") {
		t.Fatal("not even one shows it")
	}
	wptest.Eventually(t, "its page is shared", func() bool { return other.store.Page(key) != nil }, all)
	other.block()
	if !other.shows("first") || other.renders.Load() != 0 {
		t.Fatalf("rendered %d times\n%s", other.renders.Load(), other.log)
	}
	made, taken := one.copies("a")[key], other.copies("a")[key]
	if made.As(pages.Identity).Tag != taken.As(pages.Identity).Tag || !made.Modified().Equal(taken.Modified()) {
		t.Errorf("made %+v, taken %+v", made, taken)
	}
	other.unblock()
	wptest.Eventually(t, "it is made again, as what catalogs do not show may have changed", func() bool { return other.renders.Load() > 0 }, all)
	tr.set("second")
	for _, d := range all {
		wptest.Eventually(t, "it shows the second", func() bool { return d.shows("second") }, all)
	}
}
