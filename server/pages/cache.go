package pages

import (
	"container/list"
	"sync"

	"wpsitemapd/server/metrics"
)

// cache keeps the pages used last, up to a number of bytes. It is safe for concurrent use.
type cache struct {
	mu    sync.Mutex
	limit int64
	held  int64
	gone  int64     // pages that were given up for others
	order list.List // of *cached, last used first
	pages map[Key]*list.Element
}

type cached struct {
	key  Key
	page *Page
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, pages: map[Key]*list.Element{}}
}

func (c *cache) get(key Key) *Page {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.pages[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).page
}

// put keeps a page, unless a newer one is there or it alone is above the limit; it returns
// whether it does. In place of another page it is no newer use of the page.
func (c *cache) put(key Key, p *Page) bool {
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

// putAhead is put for a page that nobody has asked for: no other makes room for it, and it is
// the first to make room.
func (c *cache) putAhead(key Key, p *Page) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages[key] != nil || c.held+p.size() > c.limit {
		return false
	}
	c.pages[key] = c.order.PushBack(&cached{key, p})
	c.held += p.size()
	return true
}

// peek is get without being a use.
func (c *cache) peek(key Key) *Page {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.pages[key]; e != nil {
		return e.Value.(*cached).page
	}
	return nil
}

// each calls fn for every page of a site, those used last first, until it returns false. It
// counts as no use. fn must not use the cache.
func (c *cache) each(site string, fn func(Key, *Page) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.order.Front(); e != nil; e = e.Next() {
		if p := e.Value.(*cached); p.key.Site == site && !fn(p.key, p.page) {
			return
		}
	}
}

// size is the number of bytes it may hold.
func (c *cache) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limit
}

// stats returns how many pages there are, their bytes, and how many were given up for others.
func (c *cache) stats() metrics.Copies {
	c.mu.Lock()
	defer c.mu.Unlock()
	return metrics.Copies{Count: len(c.pages), Bytes: c.held, Limit: c.limit, Evictions: c.gone}
}

// setLimit changes that.
func (c *cache) setLimit(limit int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit = limit
	for c.held > c.limit {
		c.removeLocked(c.order.Back())
	}
}

func (c *cache) remove(key Key) {
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
