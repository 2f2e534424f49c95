// Package pages holds the pages of all blogs. A page comes from memory, from the store, or is rendered. Pages.Freshness in
// get.go decides whether a stored page is fresh. Pages.answer adds an age to any page while its database cannot be read.
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
	"wpsitemapd/sitemap/view"
)

const (
	maxRenders = 8 // pages rendered at a time, of all sites together
	// siteRenders is how many pages of one site are rendered at a time. A site has two connections.
	siteRenders   = 2
	renderTimeout = 90 * time.Second // how long rendering one page may take
)

// Options are what Pages needs from the daemon.
type Options struct {
	Limit   int64            // Limit is how many bytes the pages in memory may take.
	Now     func() time.Time // Now is the clock of the sites.
	Breaker *Breaker
}

// Pages are the pages of all sites. Call UseStore before the first request. Pages is safe for concurrent use.
type Pages struct {
	Options
	work         context.Context // its end stops all work that outlives a request
	store        *store.Store    // nil: pages do not outlive the process
	cache        *cache
	drawing      *semaphore.Weighted // bounds the HTML views rendered at a time
	flights      singleflight.Group
	renders      *Slots // bounds the renders of all sites and of each server
	prerendering *Slots

	mu    sync.RWMutex
	sites map[*site.Site]*sitePages
}

// sitePages is the state of the pages of one site.
type sitePages struct {
	*site.Site
	reread  func() // reads the site again at once
	renders *semaphore.Weighted
	wake    chan struct{}      // holds one signal: there may be pages to render in the background
	made    map[store.Key]bool // pages that were rendered ahead, each once; only the goroutine that prerenders uses it

	mu      sync.Mutex
	failing map[store.Key]bool   // pages whose last render failed, so that only changes are logged
	shrunk  map[store.Key]uint64 // pages that have lost too many entries, with the generation of their catalog
}

// New returns Pages without a site.
func New(opt Options) *Pages {
	return &Pages{
		Options: opt, work: context.Background(), cache: newCache(opt.Limit),
		drawing: semaphore.NewWeighted(htmlDrawn),
		renders: NewSlots(maxRenders, maxRenders*3/4), prerendering: NewSlots(prerenderers, prerenderers-1), sites: map[*site.Site]*sitePages{},
	}
}

// WorkUntil stops all work that outlives a request when ctx ends. Call it before the first request.
func (p *Pages) WorkUntil(ctx context.Context) { p.work = ctx }

// UseStore sets the store, so that pages outlive the process. Call it before the first request.
func (p *Pages) UseStore(s *store.Store) { p.store = s }

// Add registers a site. Pages calls reread to read the site again at once.
func (p *Pages) Add(s *site.Site, reread func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sites[s] = newSitePages(s, reread)
}

func newSitePages(s *site.Site, reread func()) *sitePages {
	return &sitePages{
		Site: s, reread: reread, renders: semaphore.NewWeighted(siteRenders), wake: make(chan struct{}, 1),
		made: map[store.Key]bool{}, failing: map[store.Key]bool{}, shrunk: map[store.Key]uint64{},
	}
}

// Remove forgets a site that is no longer in use. Its cached pages stay for its successor.
func (p *Pages) Remove(s *site.Site) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sites, s)
}

// of returns the state of a site. A site that was removed gets a temporary one, because a few of its answers may still be under
// way.
func (p *Pages) of(s *site.Site) *sitePages {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if of := p.sites[s]; of != nil {
		return of
	}
	return newSitePages(s, func() {})
}

// Stats returns the numbers of the pages in memory.
func (p *Pages) Stats() metrics.Copies { return p.cache.stats() }

// Limit is how many bytes the pages in memory may take.
func (p *Pages) Limit() int64 { return p.cache.size() }

// SetLimit changes the number of bytes that the pages in memory may take.
func (p *Pages) SetLimit(bytes int64) { p.cache.setLimit(bytes) }

// InMemory calls fn for every page of a site in memory, the page used last first. This does not count as a use. fn must not use
// Pages.
func (p *Pages) InMemory(s *site.Site, fn func(store.Key, *Page)) {
	p.cache.each(s.Config.Name, func(k store.Key, page *Page) bool {
		fn(k, page)
		return true
	})
}

// Forget drops a page from memory.
func (p *Pages) Forget(key store.Key) { p.cache.remove(key) }

// note logs if a page begins to fail, or stops failing. err is the result of the last render.
func (s *sitePages) note(key store.Key, err error) {
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
			"hint", "correct the cause in reason; the next request renders the page again")
	case err == nil && before:
		s.Log.Info("page can be built again", "blog", key.Blog, "sitemap", key.Name, "page", key.Page)
	}
}

// forgetGone forgets that a page has failed or shrunk if its blog does not have the page any more.
func (s *sitePages) forgetGone(now *site.Snapshot) {
	gone := func(key store.Key) bool {
		b := now.Blog(key.Blog)
		return b == nil || b.Known() && !b.HasFixed(key.Name, key.Page)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.failing, func(key store.Key, _ bool) bool { return gone(key) })
	maps.DeleteFunc(s.shrunk, func(key store.Key, _ uint64) bool { return gone(key) })
}

// hasShrunk reports whether a page has lost too many entries since its catalog was built. Such a page must not be kept.
// hasShrunk then reads the site again. If the page is as small with the new catalog, it is accepted.
func (s *sitePages) hasShrunk(b *site.Blog, key store.Key, entries int) bool {
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

// htmlDrawn is how many HTML views are rendered at a time. Rendering them costs processor time only.
const htmlDrawn = 2

// HTML renders the HTML view of one part of a sitemap page. around is what the view shows around the list. Rendering stops if ctx
// ends. The error is view.ErrNoPart if there is no such part.
func (p *Pages) HTML(ctx context.Context, xml *Page, around view.Frame) (*Page, error) {
	if err := p.drawing.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer p.drawing.Release(1)
	html, err := view.Render(ctx, xml.Plain(), around)
	if err != nil {
		return nil, err
	}
	// The view has no date. It also changes with its neighbours, and the date of its sitemap does not show that.
	return newPage(html, time.Time{}, p.Now(), nil), nil
}
