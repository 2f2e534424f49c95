// Package pages has the pages of all blogs: from memory, from the store, or rendered. Whether a page is fresh
// is decided here and nowhere else, see Pages.Get and Pages.Freshness in get.go.
package pages

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
)

const (
	maxRenders = 8 // pages rendered at a time, of all sites
	// siteRenders are the pages of one site rendered at a time; it has two connections.
	siteRenders   = 2
	renderTimeout = 90 * time.Second // one page
)

// Options are what pages need to know of the daemon.
type Options struct {
	Limit   int64            // Limit is what the memory for sitemaps may hold in bytes.
	Now     func() time.Time // Now is the clock of the sites.
	Breaker *Breaker
	// InForce reports whether a site is the one of its name in the configuration. Another one keeps nothing: its successor
	// makes another page of the same address.
	InForce func(*site.Site) bool
}

// Pages are the pages of all sites. Set their store before the first is asked for. They are safe for concurrent use.
type Pages struct {
	Options
	work         context.Context // of everything that outlives a request
	store        *store.Store    // nil: pages do not outlive the process
	cache        *cache
	drawing      *semaphore.Weighted // of HTML pages
	flights      singleflight.Group
	renders      *Slots // beside those of each site
	prerendering *Slots

	mu    sync.RWMutex
	sites map[*site.Site]*sitePages
}

// sitePages is what concerns the pages of one site.
type sitePages struct {
	*site.Site
	reread  func()
	renders *semaphore.Weighted
	wake    chan struct{} // holds one signal: there may be pages to make in the background
	made    map[Key]bool  // pages that came ahead of time, each once; for the goroutine that prerenders

	mu      sync.Mutex
	failing map[Key]bool   // pages whose last render failed, for logging changes only
	shrunk  map[Key]uint64 // pages that have lost entries, with the generation of their catalog
}

// New returns pages of no site.
func New(opt Options) *Pages {
	return &Pages{
		Options: opt, work: context.Background(), cache: newCache(opt.Limit),
		drawing: semaphore.NewWeighted(htmlDrawn),
		renders: NewSlots(maxRenders, maxRenders*3/4), prerendering: NewSlots(prerenderers, prerenderers-1), sites: map[*site.Site]*sitePages{},
	}
}

// WorkUntil has everything that outlives a request end with ctx. It is for before the first request.
func (p *Pages) WorkUntil(ctx context.Context) { p.work = ctx }

// UseStore has pages outlive the process. It is for before the first request.
func (p *Pages) UseStore(s *store.Store) { p.store = s }

// Add begins with the pages of a site. reread has the site read without waiting for its time.
func (p *Pages) Add(s *site.Site, reread func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sites[s] = newSitePages(s, reread)
}

func newSitePages(s *site.Site, reread func()) *sitePages {
	return &sitePages{
		Site: s, reread: reread, renders: semaphore.NewWeighted(siteRenders), wake: make(chan struct{}, 1),
		made: map[Key]bool{}, failing: map[Key]bool{}, shrunk: map[Key]uint64{},
	}
}

// Remove ends with a site that nothing asks for any more. Its pages stay, as those of its successor.
func (p *Pages) Remove(s *site.Site) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sites, s)
}

// of is what concerns a site. One that was removed has answers under way at most.
func (p *Pages) of(s *site.Site) *sitePages {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if of := p.sites[s]; of != nil {
		return of
	}
	return newSitePages(s, func() {})
}

// Stats are the numbers of what is in memory.
func (p *Pages) Stats() metrics.Copies { return p.cache.stats() }

// Limit is the number of bytes that the memory for sitemaps may hold.
func (p *Pages) Limit() int64 { return p.cache.size() }

// SetLimit changes that number.
func (p *Pages) SetLimit(bytes int64) { p.cache.setLimit(bytes) }

// InMemory calls fn for every page of a site in memory, those used last first. It counts as no use, and fn must not use Pages.
func (p *Pages) InMemory(s *site.Site, fn func(Key, *Page)) {
	p.cache.each(s.Config.Name, func(k Key, page *Page) bool {
		fn(k, page)
		return true
	})
}

// Forget drops a page from memory.
func (p *Pages) Forget(key Key) { p.cache.remove(key) }

// note logs when a page begins or ceases to fail.
func (s *sitePages) note(key Key, err error) {
	s.mu.Lock()
	before := s.failing[key]
	if err != nil {
		s.failing[key] = true
	} else {
		delete(s.failing, key)
	}
	s.mu.Unlock()
	switch {
	case err != nil && !before:
		s.Log.Error("page cannot be built", "blog", key.Blog, "sitemap", key.Name, "page", key.Page, "reason", err,
			"hint", "fix what reason says; every request tries again")
	case err == nil && before:
		s.Log.Info("page can be built again", "blog", key.Blog, "sitemap", key.Name, "page", key.Page)
	}
}

// forgetGone forgets what was noted of pages that a blog has no more.
func (s *sitePages) forgetGone(now *site.Snapshot) {
	gone := func(key Key) bool {
		b := now.Blog(key.Blog)
		return b == nil || b.Catalog != nil && !b.HasFixed(key.Name, key.Page)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.failing, func(key Key, _ bool) bool { return gone(key) })
	maps.DeleteFunc(s.shrunk, func(key Key, _ uint64) bool { return gone(key) })
}

// hasShrunk reports whether a page has lost so many entries since its catalog was built that it must not be kept: the catalog
// is built anew then, and decides. A page that is so after that, too, is right as it is.
func (s *sitePages) hasShrunk(b *site.Blog, key Key, entries int) bool {
	listed := 0
	for _, f := range b.Outline.Files {
		if f.Name == key.Name && f.Page == key.Page && !slices.Contains(b.Outline.Timed, f.Name) {
			listed = f.Entries
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	seen, known := s.shrunk[key]
	if s.Config.Collapse == 0 || !needsDatabase(key.Name) || !site.Fell(listed, entries, s.Config.Collapse) {
		delete(s.shrunk, key)
		return false
	}
	if known && b.Generation > seen {
		return false
	}
	s.shrunk[key] = b.Generation
	s.reread()
	return true
}
