package server

import (
	"net/http"
	"sync"

	"wpsitemapd/server/route"

	"wpsitemapd/server/respond"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/pages"
	"wpsitemapd/wp/weburl"
)

// keptAnswers remember which copy answers a request and with which headers, so that a
// crawler that asks again costs next to nothing: the address is not taken apart once more, and no
// header is put together. They hold for the routes they were made for, which are new whenever
// anything about a site is.
type keptAnswers struct {
	mu      sync.RWMutex
	routes  *route.Table
	answers map[requested]*keptAnswer
}

// requested is the Host and the target of a request, as they were sent.
type requested struct{ host, uri string }

// keptAnswer is the answer as far as it does not depend on the copy. It never changes.
type keptAnswer struct {
	at     route.Mount
	page   pages.Key
	fetch  fetch
	header http.Header
}

// Nobody can fill the memory with spellings of one address.
const (
	mostKeptAnswers   = 10_000
	longestKeptTarget = 200
)

// get returns the answer to a request, nil for none.
func (k *keptAnswers) get(routes *route.Table, r requested) *keptAnswer {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.routes != routes {
		return nil
	}
	return k.answers[r]
}

func (k *keptAnswers) put(routes *route.Table, r requested, a *keptAnswer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.routes != routes || len(k.answers) >= mostKeptAnswers {
		k.routes, k.answers = routes, map[requested]*keptAnswer{}
	}
	k.answers[r] = a
}

// serveKept answers a request for a sitemap that was answered before, if its copy is still
// good; if not it has done nothing.
func (s *Server) serveKept(w *record, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	a := s.kept.get(s.routes.Load(), requested{r.Host, r.RequestURI})
	if a == nil {
		return false
	}
	if a.at.Site.Snapshot().FromStateOnly() {
		return false
	}
	c := s.pages.FreshInMemory(a.at.Site, a.at.Blog, a.page)
	if c == nil {
		return false
	}
	w.site, w.kind, w.fetch = a.at.Site, metrics.Sitemap, a.fetch
	a.at.Site.Counted.Hits.Add(1)
	h := w.Header()
	for name, values := range a.header {
		h[name] = values
	}
	respond.Page(w, r, c)
	return true
}

// rememberAnswer keeps the answer to a request for serveKept: the headers that are set, and the page,
// which has to be one with a fixed address and in its best state.
func (s *Server) rememberAnswer(w *record, r *http.Request, at route.Mount, name string, page int) {
	h := w.Header()
	_, aged := h["Age"]
	if aged || !at.Blog.HasFixed(name, page) || len(r.RequestURI) > longestKeptTarget || len(r.Host) > longestKeptTarget || r.RequestURI == "" || r.RequestURI[0] != '/' {
		return
	}
	routes := s.routes.Load() // as find looked it up, or newer
	if now, _ := routes.Find(weburl.Host(r.Host), r.URL.EscapedPath()); now != at {
		return
	}
	s.kept.put(routes, requested{r.Host, r.RequestURI}, &keptAnswer{at, pages.KeyOf(at.Site, at.Blog, name, page), w.fetch, h.Clone()})
}
