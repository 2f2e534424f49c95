package server

import (
	"context"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/server/store"
)

// Last good copies outlive the process: what is rendered and read is written behind, and a
// start begins with what was there. Until its database has answered a site serves its copies
// as they were, with Age; what its record cannot tell is 503.

// saveAgain has what the store has lost saved again.
func (s *Server) saveAgain() {
	for _, i := range s.running() {
		i.refresher.SaveAgain()
	}
}

// openState opens the store of cached pages and gives every install what it holds of
// its site.
// The function it returns ends that, once everything is written.
func (s *Server) openState() (closeState func()) {
	location := s.config.State.Reveal()
	if location == "" {
		return func() {}
	}
	kept, err := config.OpenStore(location, store.Options{
		Limit: int64(s.config.StateSize),
		Log:   s.log,
		Lost:  s.saveAgain,
		Beat:  s.pace.beat,
	})
	if err != nil { // a file that it names has gone since the configuration was read
		s.log.Error("pages are cached in memory only", "reason", err, "hint", "see to state in the configuration")
		return func() {}
	}
	s.store, s.refreshing.Store = kept, kept
	s.pages.UseStore(kept)
	s.front.UseStore(kept)
	_ = s.store.Open() // it has logged, tries again, and the sites are served without
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.store.Run(ctx)
	}()
	sites := 0
	for _, w := range s.installs {
		w.Crawls.Load(kept)
		if w.refresher.Restore() {
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

// retain forgets what is kept of sites that have left the configuration: logs of crawlers, numbers, and what the store has.
func (s *Server) retain() {
	var names []string
	for _, w := range s.running() {
		names = append(names, w.Config.Name)
	}
	if s.store != nil {
		s.store.Retain(names)
	}
}

// pace is how long looks at files and the store wait. Tests are in a hurry.
type pace struct {
	look time.Duration
	beat time.Duration // 0: the store's own
}
