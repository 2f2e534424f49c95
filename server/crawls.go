package server

import (
	"context"
	"net/http"
	"time"

	"wpsitemapd/server/store"

	"wpsitemapd/server/crawler"
)

// The crawler log: who fetched which sitemap, when, and with what answer. See package crawler.

const (
	// saveCrawls is how often the log is written to the folder state.
	saveCrawls = time.Minute
	crawlsName = "crawlers"
)

// fetch is what a request asked for, where that is a sitemap.
type fetch struct {
	crawls *crawler.Site // nil: it is none
	blog   int64
	name   string
	page   int
}

func (f *fetch) of(at stand, name string, page int) {
	if at.worker == nil {
		return
	}
	*f = fetch{crawls: at.worker.crawls, name: name, page: page}
	if at.blog != nil {
		f.blog = at.blog.id
	}
}

// noteFetch writes an answer to the log, if it was to a crawler that asked for a sitemap. It
// does not wait.
func (s *Server) noteFetch(w *record, r *http.Request, at time.Time) {
	f := &w.fetch
	if f.crawls == nil || w.status == 0 {
		return
	}
	engine := crawler.Recognize(r.UserAgent())
	if engine == crawler.None {
		f.crawls.Visitor()
		return
	}
	f.crawls.Record(crawler.Fetch{
		At: at, Engine: engine, Blog: f.blog, Sitemap: f.name, Page: f.page, Status: w.status, Bytes: w.bytes, Address: s.trusted.Load().Client(r),
	})
}

// Crawls returns the crawler log of a site, nil where there is no such site.
func (s *Server) Crawls(site string) *crawler.Site {
	if w := named(s.running(), site); w != nil {
		return w.crawls
	}
	return nil
}

// keepCrawls writes the log until ctx ends, and keeps it in the folder state.
func (s *Server) keepCrawls(ctx context.Context) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.crawlers.Run(ctx)
	}()
	for _, w := range s.running() {
		s.restoreCrawls(w)
	}
	beat := time.NewTicker(saveCrawls)
	defer beat.Stop()
	told := false
	for {
		select {
		case <-beat.C:
			s.saveCrawls()
			if n := s.crawlers.Hidden(); n > 0 && !told {
				told = true
				s.log.Info("crawlers come from no public address and cannot be verified", "fetches", n, "hint", "let the front server send X-Forwarded-For, and list it in trusted_proxies; or set verify_crawlers = false")
			}
		case <-ctx.Done():
			<-ended
			s.saveCrawls()
			return
		}
	}
}

func crawlsNote(w *worker) store.Note { return store.Note{Site: w.site.Name, Name: crawlsName} }

func (s *Server) saveCrawls() {
	if s.store == nil {
		return
	}
	for _, w := range s.running() {
		if record, changed := w.crawls.Save(); changed && !s.store.SaveNote(crawlsNote(w), record, nil) {
			w.crawls.Unsaved()
		}
	}
}

// restoreCrawls begins the log of a site with what was kept of it.
func (s *Server) restoreCrawls(w *worker) {
	var record crawler.Record
	if s.store == nil {
		return
	}
	if _, ok := s.store.Note(crawlsNote(w), &record); ok {
		w.crawls.Restore(record)
	}
}

// retainCrawls forgets the logs and the numbers of sites that have left the configuration.
func (s *Server) retainCrawls() {
	var names []string
	for _, w := range s.running() {
		names = append(names, w.site.Name)
	}
	s.crawlers.Retain(names)
	s.sites.Retain(names)
}
