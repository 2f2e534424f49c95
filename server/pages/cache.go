package pages

import (
	"container/list"
	"sync"

	"wpsitemapd/server/metrics"
	"wpsitemapd/server/store"
)

// cache holds the pages that were used last, up to a number of bytes. It is safe for concurrent use.
type cache struct {
	mu    sync.Mutex
	limit int64
	held  int64
	gone  int64     // pages removed to make room
	order list.List // of *cached, the one used last first
	pages map[store.Key]*list.Element
}

type cached struct {
	key  store.Key
	page *Page
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, pages: map[store.Key]*list.Element{}}
}

func (c *cache) get(key store.Key) *Page {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.pages[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).page
}

// put stores a page and reports whether the cache holds the page now. It does not replace a newer page. A page that is larger
// than the whole limit is not stored. If put replaces a page, the order of use stays.
func (c *cache) put(key store.Key, p *Page) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.pages[key]
	if e != nil && e.Value.(*cached).page.newer(p) {
		return false
	}
	if p.size() > c.limit {
		if e != nil {
			c.removeLocked(e)
		}
		return false
	}
	if e != nil {
		kept := e.Value.(*cached)
		c.held -= kept.page.size()
		kept.page = p
	} else {
		c.pages[key] = c.order.PushFront(&cached{key, p})
	}
	c.held += p.size()
	for c.held > c.limit {
		c.gone++
		c.removeLocked(c.order.Back())
	}
	return c.pages[key] != nil
}

// putAhead stores a page that nobody has asked for, and reports whether it did. It removes no other page to make room, and the
// page is the first to be removed later.
func (c *cache) putAhead(key store.Key, p *Page) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages[key] != nil || c.held+p.size() > c.limit {
		return false
	}
	c.pages[key] = c.order.PushBack(&cached{key, p})
	c.held += p.size()
	return true
}

// peek returns a page or nil. Unlike get, it does not count as a use.
func (c *cache) peek(key store.Key) *Page {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.pages[key]; e != nil {
		return e.Value.(*cached).page
	}
	return nil
}

// each calls fn for every page of a site until fn returns false. It begins with the page that was used most recently. This does not
// count as a use. fn must not use the cache.
func (c *cache) each(site string, fn func(store.Key, *Page) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.order.Front(); e != nil; e = e.Next() {
		if p := e.Value.(*cached); p.key.Site == site && !fn(p.key, p.page) {
			return
		}
	}
}

// size is the limit in bytes.
func (c *cache) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limit
}

// stats returns the number of pages, their bytes, the limit, and how many pages were removed to make room.
func (c *cache) stats() metrics.Copies {
	c.mu.Lock()
	defer c.mu.Unlock()
	return metrics.Copies{Count: len(c.pages), Bytes: c.held, Limit: c.limit, Evictions: c.gone}
}

// setLimit changes the limit in bytes, and removes the pages that exceed it.
func (c *cache) setLimit(limit int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit = limit
	for c.held > c.limit {
		c.removeLocked(c.order.Back())
	}
}

func (c *cache) remove(key store.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.pages[key]; e != nil {
		c.removeLocked(e)
	}
}

func (c *cache) removeLocked(e *list.Element) {
	p := c.order.Remove(e).(*cached)
	delete(c.pages, p.key)
	c.held -= p.page.size()
}
