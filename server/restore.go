package server

import (
	"context"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/store"
)

// Cached pages and records outlive the process in a store, which is written in the background. The next start begins
// with them. Until the database of a site answers, its stored pages are sent as they are, with Age. If a page is not
// stored, its request gets 503, unless the record of the site says that there is no such page.

// saveAgain saves everything again that the store has lost.
func (s *Server) saveAgain() {
	for _, i := range s.running() {
		i.refresher.SaveAgain()
	}
}

// openState opens the store, and gives every install what the store contains of its site. closeState closes the store
// after everything is written.
func (s *Server) openState() (closeState func()) {
	location := s.config.State.Reveal()
	if location == "" {
		s.log.Info("cached pages are in memory only, and are lost when the daemon ends", "hint", "name a folder for them by state")
		return func() {}
	}
	kept, err := config.OpenStore(location, store.Options{
		Limit: int64(s.config.StateSize),
		Log:   s.log,
		Lost:  s.saveAgain,
		Beat:  s.pace.beat,
	})
	if err != nil { // a file that state names has gone since the configuration was read
		s.log.Error("pages are cached in memory only", "reason", err, "hint", "correct state in the configuration")
		return func() {}
	}
	s.store, s.refreshing.Store = kept, kept
	s.pages.UseStore(kept)
	s.front.UseStore(kept)
	_ = s.store.Open() // Open has logged its error and tries again; until then, sites are served without the store
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.store.Run(ctx)
	}()
	sites := 0
	for _, w := range s.installs {
		if w.restore() {
			sites++
		}
	}
	s.owners.Recall(sitesOf(s.running()), s.store)
	if sites > 0 {
		s.log.Info("cached pages are at hand until the databases answer", "sites", sites, "state", s.store)
	}
	s.retain()
	s.route()
	return func() { stop(); <-ended }
}

// retain removes from the store what belongs to sites that have left the configuration.
func (s *Server) retain() {
	var names []string
	for _, w := range s.running() {
		names = append(names, w.Config.Name)
	}
	if s.store != nil {
		s.store.Retain(names)
	}
}

// pace holds two intervals: how often files are checked for changes, and how often the store does its own work. Tests use
// shorter intervals.
type pace struct {
	look time.Duration
	beat time.Duration // 0: the interval of the store itself
}
