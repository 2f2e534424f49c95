package server

import (
	"context"
	"time"

	"wpsitemapd/server/announce"
)

// announcing is what the site's announcer needs of the worker.
func (w *worker) announcing() announce.Session {
	s := w.server
	return announce.Session{
		Site: w.Site, Store: s.store, Now: s.announceClock, Replaced: w.replaced.Load,
		Place: func(ctx context.Context) (func(), bool) { return s.rebuilds.Acquire(ctx, w.DatabaseServer()) },
	}
}

// announceClock is the clock of queues.
func (s *Server) announceClock() time.Time {
	if s.announceNow != nil {
		return s.announceNow()
	}
	return time.Now()
}
