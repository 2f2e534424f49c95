package server

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"wpsitemapd/server/announce"
	"wpsitemapd/server/config"
	"wpsitemapd/server/metrics"
	"wpsitemapd/server/refresh"
	"wpsitemapd/server/report"
	"wpsitemapd/server/site"
	"wpsitemapd/server/traffic"
	"wpsitemapd/wp/weburl"
)

// install is a [[site]] of the configuration while the daemon runs it: its state, its refresher and its announcer.
// These are the steps of its life:
//
//	newInstall   the install knows nothing of its site
//	inherit      the install takes over what the earlier install of the same name knew
//	Restore      if there was no earlier install, it takes over what the store contains
//	start        the database is read; FirstAttempt is closed after the first attempt, FirstRead after the first success.
//	             At the end of the reload the install is put in force: the routing table leads to it, and its pages are kept
//	retire       the install was removed from the configuration or replaced. Requests under way may still read its database,
//	             and so may a successor that has not read its own yet
//	stop         the database is closed
type install struct {
	*site.Site
	server    *Server
	refresher *refresh.Refresher
	announcer *announce.Announcer

	retired  context.Context // ends after nothing reads the database of the install any more
	stop     context.CancelFunc
	replaced atomic.Bool // a successor has inherited from this install
}

// newInstall creates an install. before is the earlier install of the same name, or nil. Its counters continue.
func (s *Server) newInstall(c config.Site, before *install) *install {
	counted, crawls, seen := new(metrics.SiteCounts), s.crawlers.Site(c.Name), traffic.New(c.Name)
	if before != nil {
		counted, crawls, seen = before.Counted, before.Crawls, before.Traffic
	}
	log := report.CountedLogger(s.log, &counted.Warnings, &counted.Errors).With("site", c.Name)
	w := &install{Site: site.New(c, log), server: s, announcer: announce.New()}
	w.Counted, w.Process, w.Crawls, w.Traffic = counted, s.counted, crawls, seen
	w.Began, w.Term, w.Rank = time.Now(), s.generation.Add(1), s.ranks.Add(1)
	if c.Upstream.URL() != nil {
		w.Upstream = s.front.NewProxy(w.Site)
	}
	// The parent is not s.work, because Run sets s.work after New has made the first installs. When the daemon stops, the
	// contexts of start end with s.work.
	w.retired, w.stop = context.WithCancel(context.Background())
	w.refresher = refresh.New(w.Site, &s.refreshing, w)
	s.pages.Add(w.Site, w.refresher.ReadNow)
	return w
}

// These methods make an install a refresh.Listener.

// Moved rebuilds the routing table.
func (w *install) Moved() { w.server.route() }

// Changed tells the announcer that the catalog may have changed.
func (w *install) Changed() { w.announcer.Changed() }

// PagesDue starts the rendering of due pages.
func (w *install) PagesDue() { w.server.pages.PrerenderSoon(w.Site) }

// Replaced reports whether a successor has inherited from this install.
func (w *install) Replaced() bool { return w.replaced.Load() }

// Serves reports whether requests for a home URL are routed to this site.
func (w *install) Serves(home string) bool {
	host, path := weburl.Split(home)
	at, _ := w.server.front.Table().Find(host, path)
	return at.Site == w.Site
}

// inherit takes over from an earlier install of the site: the announcer, the snapshot, and the losses of objects that no second
// reading has confirmed yet. w serves the snapshot until w has read the site. Call inherit before start, because start runs w.announcer.
func (w *install) inherit(before *install) {
	w.Inherit(before.Site)
	w.refresher.Inherit(before.refresher)
	w.announcer = before.announcer
	before.replaced.Store(true) // before Changed: the signal wakes the session of before, which then sees that it must end
	w.announcer.Changed()
}

// start starts the refresher, the rendering of pages and the announcer of an install. They run until the install or the daemon stops.
func (s *Server) start(w *install) {
	ctx, stop := context.WithCancel(s.work)
	context.AfterFunc(w.retired, stop)
	s.background(ctx, w.Log, func(ctx context.Context) { s.run(ctx, w) })
	s.background(ctx, w.Log, func(ctx context.Context) { w.announcer.Run(ctx, w.announcing()) })
}

// panicPause is how long background work rests after a panic.
const panicPause = 10 * time.Second

// background runs work in a goroutine until work returns or ctx ends. When the daemon stops, it waits for the
// goroutine. A panic in work is logged and counted, and work starts again after panicPause.
func (s *Server) background(ctx context.Context, log *slog.Logger, work func(context.Context)) {
	s.tasks.Go(func() {
		for site.Guard(log, func() error { work(ctx); return nil }) != nil {
			select {
			case <-ctx.Done():
				return
			case <-time.After(panicPause):
			}
		}
	})
}

func (s *Server) run(ctx context.Context, w *install) {
	defer s.pages.StartPrerendering(ctx, w.Site)()
	w.refresher.Run(ctx)
}

// announcing returns what the announcer needs to know of the install while it runs.
func (w *install) announcing() announce.Session {
	s := w.server
	return announce.Session{Site: w.Site, Install: w, Store: s.store, Slots: s.rebuilds, Now: s.announceNow}
}

// retire stops an install in the background, after nothing reads its database any more. First it waits until the successor has
// read its own database. Then it gives requests that are under way the time retireTimeout. successor may be nil.
func (s *Server) retire(w, successor *install) {
	s.background(s.work, w.Log, func(context.Context) {
		if successor != nil {
			select {
			case <-successor.refresher.FirstRead():
			case <-successor.retired.Done():
			case <-s.work.Done():
			}
		}
		select {
		case <-time.After(retireTimeout):
		case <-s.work.Done():
		}
		w.stop()
		s.pages.Remove(w.Site)
		s.front.Forget(w.Site)
	})
}
