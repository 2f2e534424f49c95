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
	"wpsitemapd/wp/weburl"
)

// install is a [[site]] of the configuration as the daemon runs it: what is known of it, who keeps that true, and who
// announces what has changed. Its life is this:
//
//	newInstall   nothing is known
//	inherit      it takes what the install of the same name knew that it replaces, or …
//	Restore      … what a store remembers
//	start        the database is read; FirstAttempt and FirstRead are closed when that was tried, and has succeeded
//	             from the end of the reload on it is in force: the routing table leads to it, its pages are kept
//	retire       it has left the configuration, or was replaced: requests under way, and a successor that has not read the
//	             site yet, still read its database
//	stop         the database is closed
type install struct {
	*site.Site
	server    *Server
	refresher *refresh.Refresher
	announcer *announce.Announcer

	retired  context.Context // ends when nothing reads its database any more
	stop     context.CancelFunc
	replaced atomic.Bool // another install has the site
}

// newInstall makes an install. What is counted of the one of its name that was there before, which may be nil, goes on.
func (s *Server) newInstall(c config.Site, before *install) *install {
	counted, crawls := new(metrics.SiteCounts), s.crawlers.Site(c.Name)
	if before != nil {
		counted, crawls = before.Counted, before.Crawls
	}
	log := report.CountedLogger(s.log, &counted.Warnings, &counted.Errors).With("site", c.Name)
	i := &install{Site: site.New(c, log), server: s, announcer: announce.New()}
	i.Counted, i.Process, i.Crawls = counted, s.counted, crawls
	i.Began, i.Term, i.Rank = time.Now(), s.generation.Add(1), s.ranks.Add(1)
	if c.Upstream.URL() != nil {
		i.Upstream = s.front.NewProxy(i.Site)
	}
	i.retired, i.stop = context.WithCancel(context.Background())
	i.refresher = refresh.New(i.Site, &s.refreshing, i)
	s.pages.Add(i.Site, i.refresher.ReadNow)
	return i
}

// These methods make an install the listener of its refresher.

// Moved makes the routing table again.
func (i *install) Moved() { i.server.route() }

// Changed makes the announcer look for another catalog.
func (i *install) Changed() { i.announcer.Changed() }

// PagesDue wakes the rendering of pages.
func (i *install) PagesDue() { i.server.pages.PrerenderSoon(i.Site) }

// Replaced reports whether another install has the site.
func (i *install) Replaced() bool { return i.replaced.Load() }

// Serves reports whether the routing table leads from a home to the site.
func (i *install) Serves(home string) bool {
	host, path := weburl.Split(home)
	at, _ := i.server.front.Table().Find(host, path)
	return at.Site == i.Site
}

// inherit takes over the place of another install and what it has read of the site, until i has read it itself.
func (i *install) inherit(before *install) {
	i.Inherit(before.Site)
	i.refresher.Inherit(before.refresher)
	i.announcer = before.announcer
	before.replaced.Store(true)
	i.announcer.Changed()
}

// start has what is known of an install kept true, its pages made and its changes announced, until it is stopped or the
// daemon is.
func (s *Server) start(i *install) {
	ctx, stop := context.WithCancel(s.work)
	context.AfterFunc(i.retired, stop)
	s.background(ctx, i.Log, func(ctx context.Context) { s.run(ctx, i) })
	s.background(ctx, i.Log, func(ctx context.Context) { i.announcer.Run(ctx, i.announcing()) })
}

// panicPause is how long background work rests after a panic.
const panicPause = 10 * time.Second

// background starts work that goes on until it returns or ctx ends, and that the daemon waits for when it stops. A panic costs one
// turn of it: it is logged, and so counted, and the work begins again after a pause.
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

func (s *Server) run(ctx context.Context, i *install) {
	defer s.pages.StartPrerendering(ctx, i.Site)()
	i.refresher.Run(ctx)
}

// announcing is what the announcer needs to know of the install.
func (i *install) announcing() announce.Session {
	s := i.server
	return announce.Session{Site: i.Site, Install: i, Store: s.store, Slots: s.rebuilds, Now: s.announceNow}
}

// retire stops an install once nothing reads its database any more: requests under way do, and so does a successor that has
// not read its own yet.
func (s *Server) retire(i, successor *install) {
	s.background(s.work, i.Log, func(context.Context) {
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
		i.stop()
		s.pages.Remove(i.Site)
		s.front.Forget(i.Site)
	})
}
