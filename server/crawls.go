package server

// retainCrawls forgets the logs and the numbers of sites that have left the configuration.
func (s *Server) retainCrawls() {
	var names []string
	for _, w := range s.running() {
		names = append(names, w.Config.Name)
	}
	s.crawlers.Retain(names)
	s.sites.Retain(names)
}
