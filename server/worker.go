package server

import (
	"context"
	"sync/atomic"
	"time"

	"wpsitemapd/server/announce"
	"wpsitemapd/server/config"
	"wpsitemapd/server/refresh"
	"wpsitemapd/server/site"
)

// worker is an install of the configuration as the daemon runs it: what is known of it, and who keeps that true and
// announces what has changed.
type worker struct {
	*site.Site
	server    *Server
	refresher *refresh.Refresher
	announcer *announce.Announcer

	retired  context.Context // ends when the site leaves the configuration
	stop     context.CancelFunc
	replaced atomic.Bool // another worker has the site
}

func newWorker(s *Server, install config.Site) *worker {
	counted := s.sites.Site(install.Name)
	w := &worker{Site: site.New(install, s.logOf(install.Name, counted)), server: s, announcer: announce.New()}
	w.Counted, w.Process, w.Crawls = counted, &s.counted, s.crawlers.Site(install.Name)
	w.Began, w.Term = time.Now(), s.generation.Add(1)
	w.retired, w.stop = context.WithCancel(context.Background())
	w.refresher = refresh.New(w.Site, &s.refreshing, refresh.Listener{
		Served:   s.publish,
		Changed:  func() { w.announcer.Changed() },
		Pages:    func() { s.pages.Warm(w.Site) },
		Replaced: w.replaced.Load,
	})
	s.pages.Add(w.Site, w.refresher.ReadNow)
	return w
}

// inherit takes over the place of another worker and what it has read of the site, until w has read it itself.
func (w *worker) inherit(before *worker) {
	w.Inherit(before.Site)
	w.refresher.Inherit(before.refresher)
	w.announcer = before.announcer
	before.replaced.Store(true)
	w.announcer.Changed()
}

// run keeps what is known of the site true, and its pages made, until ctx ends.
func (w *worker) run(ctx context.Context) {
	if w.LookAtFiles(ctx) && !w.Snapshot().Tried() {
		w.server.publish() // it may be guessed where it is
	}
	stopWarm := w.server.pages.StartWarming(ctx, w.Site)
	defer stopWarm()
	w.refresher.Run(ctx)
}
