package server

import (
	"wpsitemapd/server/crawler"
)

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
