package server

import (
	"context"
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
//	restore      if there was no earlier install, it takes over what the store contains
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

// newInstall creates an install. before is the earlier install of the same name, or nil. Its counters and logs of requests
// continue.
func (s *Server) newInstall(c config.Site, before *install) *install {
	counted, crawls, seen := new(metrics.SiteCounts), s.crawlers.Site(c.Name), traffic.New(c.Name)
	if before != nil {
		counted, crawls, seen = before.Counted, before.Crawls, before.Traffic
	}
	log := report.CountedLogger(s.log, &counted.Warnings, &counted.Errors).With("site", c.Name)
	i := &install{Site: site.New(c, log), server: s, announcer: announce.New()}
	i.Counted, i.Process, i.Crawls, i.Traffic = counted, s.counted, crawls, seen
	i.Began, i.Term, i.Rank = time.Now(), s.generation.Add(1), s.ranks.Add(1)
	if c.Upstream.URL() != nil {
		i.Upstream = s.front.NewProxy(i.Site)
	}
	// The parent is not s.work, because Run sets s.work after New has made the first installs. When the daemon stops, the
	// contexts of start end with s.work.
	i.retired, i.stop = context.WithCancel(context.Background())
	i.refresher = refresh.New(i.Site, &s.refreshing, i)
	s.pages.Add(i.Site, i.refresher.ReadNow)
	return i
}

// inherit takes over from an earlier install of the site: the announcer, the snapshot, and the losses of objects that no second
// reading has confirmed yet. i serves the snapshot until i has read the site. Call inherit before start, because start runs i.announcer.
func (i *install) inherit(before *install) {
	i.Inherit(before.Site)
	i.refresher.Inherit(before.refresher)
	i.announcer = before.announcer
	before.replaced.Store(true) // before Changed: the signal wakes the session of before, which then sees that it must end
	i.announcer.Changed()
}

// restore takes over what the store contains of the site. It reports whether the store has a record of the site.
func (i *install) restore() bool {
	i.Crawls.Load(i.server.store)
	i.Traffic.Load(i.server.store)
	return i.refresher.Restore()
}

// start starts the refresher, the rendering of pages and the announcer of an install. They run until the install or the daemon stops.
func (s *Server) start(i *install) {
	ctx, stop := context.WithCancel(s.work)
	context.AfterFunc(i.retired, stop)
	s.background(ctx, i.Log, func(ctx context.Context) {
		defer s.pages.StartPrerendering(ctx, i.Site)() // ends with the refresher, whose snapshots it renders
		i.refresher.Run(ctx)
	})
	s.background(ctx, i.Log, func(ctx context.Context) {
		i.announcer.Run(ctx, announce.Session{Site: i.Site, Install: i, Store: s.store, Slots: s.rebuilds, Now: s.announceNow})
	})
}

// retireTimeout is how long requests under way may read the database of an install that retires.
const retireTimeout = 8 * time.Second

// retire stops an install in the background, after nothing reads its database any more. First it waits until the successor has
// read its own database. Then it gives requests that are under way the time retireTimeout. successor may be nil.
func (s *Server) retire(i, successor *install) {
	s.background(s.work, i.Log, func(context.Context) {
		if successor != nil {
			select {
			case <-successor.refresher.FirstRead():
			case <-successor.retired.Done(): // it has stopped without a reading
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

// These methods make an install a refresh.Listener.

// Moved rebuilds the routing table.
func (i *install) Moved() { i.server.route() }

// Changed tells the announcer that the catalog may have changed.
func (i *install) Changed() { i.announcer.Changed() }

// PagesDue starts the rendering of due pages.
func (i *install) PagesDue() { i.server.pages.PrerenderSoon(i.Site) }

// Replaced reports whether a successor has inherited from this install. The announcer of the install asks this, too.
func (i *install) Replaced() bool { return i.replaced.Load() }

// Serves reports whether requests for a home URL are routed to this site. The announcer asks this before it announces URLs.
func (i *install) Serves(home string) bool {
	host, path := weburl.Split(home)
	at, _ := i.server.front.Table().Find(host, path)
	return at.Site == i.Site
}
