package crawler

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"wpsitemapd/server/store"
)

const (
	saveEvery = time.Minute
	noteName  = "crawlers"
)

// Keep writes the log until ctx ends, and keeps it in a store, which may be nil. It begins with what was kept.
func (l *Log) Keep(ctx context.Context, kept *store.Store, log *slog.Logger) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.Run(ctx)
	}()
	for _, s := range l.all() {
		s.Load(kept)
	}
	beat := time.NewTicker(saveEvery)
	defer beat.Stop()
	told := false
	for {
		select {
		case <-beat.C:
			l.save(kept)
			if n := l.Hidden(); n > 0 && !told {
				told = true
				log.Info("crawlers come from no public address and cannot be verified", "fetches", n,
					"hint", "let the front server send X-Forwarded-For, and list it in trusted_proxies; or set verify_crawlers = false")
			}
		case <-ctx.Done():
			<-ended
			l.save(kept)
			return
		}
	}
}

func (l *Log) all() []*SiteLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.sites))
}

func (l *Log) save(kept *store.Store) {
	if kept == nil {
		return
	}
	for _, s := range l.all() {
		if record, changed := s.Save(); changed && !kept.SaveNote(s.note(), record) {
			s.Unsaved()
		}
	}
}

// Load begins the log of a site with what was kept of it in a store, which may be nil.
func (s *SiteLog) Load(kept *store.Store) {
	var record LogSummary
	if kept == nil {
		return
	}
	if kept.Note(s.note(), &record) {
		s.Restore(record)
	}
}

func (s *SiteLog) note() store.Note { return store.Note{Site: s.name, Name: noteName} }
