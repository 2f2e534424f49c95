package server

import (
	"net/http"
	"time"

	"wpsitemapd/server/route"

	"wpsitemapd/server/crawler"
)

// The crawler log: who fetched which sitemap, when, and with what answer. See package crawler.

// fetch is what a request asked for, where that is a sitemap.
type fetch struct {
	crawls *crawler.Site // nil: it is none
	blog   int64
	name   string
	page   int
}

func (f *fetch) of(at route.Mount, name string, page int) {
	if at.Site == nil {
		return
	}
	*f = fetch{crawls: at.Site.Crawls, name: name, page: page}
	if at.Blog != nil {
		f.blog = at.Blog.ID
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
		return w.Crawls
	}
	return nil
}

// retainCrawls forgets the logs and the numbers of sites that have left the configuration.
func (s *Server) retainCrawls() {
	var names []string
	for _, w := range s.running() {
		names = append(names, w.Config.Name)
	}
	s.crawlers.Retain(names)
	s.sites.Retain(names)
}
