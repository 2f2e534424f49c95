package server

import (
	"bytes"
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
)

// pageCopy is one rendered page, ready to be sent many times. It never changes.
type pageCopy struct {
	generation uint64 // of the catalog it was rendered from
	built      time.Time
	body       []byte
	gzipped    []byte // nil when that saves nothing
	hash       string // of body; both ETags are made of it
	modified   time.Time
	expires    time.Time // when the page changes by the clock alone; zero: never
}

// fresh tells whether the copy is what a render of that catalog would give now.
func (c *pageCopy) fresh(generation uint64, now time.Time) bool {
	return c.generation == generation && (c.expires.IsZero() || now.Before(c.expires))
}

// copyOverhead is about what a copy takes beside its bytes.
const copyOverhead = 512

func (c *pageCopy) size() int64 { return int64(len(c.body)+len(c.gzipped)) + copyOverhead }

func (c *pageCopy) etag(gzipped bool) string {
	if gzipped {
		return `"` + c.hash + `-gz"`
	}
	return `"` + c.hash + `"`
}

// newCopy makes a copy of a page. Where the bytes are those of the previous copy, its
// compressed form and its date stay.
func newCopy(body []byte, lastMod time.Time, generation uint64, now time.Time, previous *pageCopy) *pageCopy {
	sum := sha256.Sum256(body)
	c := &pageCopy{generation: generation, built: now, body: body, hash: hex.EncodeToString(sum[:12])}
	if previous != nil && previous.hash == c.hash {
		c.body, c.gzipped, c.modified = previous.body, previous.gzipped, previous.modified
		return c
	}
	c.gzipped = compress(body)
	c.modified = lastMod
	// Without an entry its page is a newer document with an older newest date. The header
	// must not go back, or who asks by date keeps the old one for ever.
	if previous != nil && !c.modified.After(previous.modified) {
		c.modified = now
	}
	if c.modified.After(now) { // RFC 9110, 8.8.2.1: never later than the answer
		c.modified = now
	}
	return c
}

var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, 6) // 6 is a valid level
	return w
}}

func compress(body []byte) []byte {
	if len(body) < 200 {
		return nil
	}
	var b bytes.Buffer
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(&b)
	w.Write(body) // a Buffer takes everything
	w.Close()
	if b.Len() >= len(body) {
		return nil
	}
	return bytes.Clone(b.Bytes())
}

// pageKey names a page among all sites.
type pageKey struct {
	site, blog, name string
	page             int
}

// pageCache keeps the copies used last, up to a number of bytes. It is safe for concurrent use.
type pageCache struct {
	mu    sync.Mutex
	limit int64
	held  int64
	order list.List // of *cachedPage, last used first
	pages map[pageKey]*list.Element
}

type cachedPage struct {
	key  pageKey
	copy *pageCopy
}

func newPageCache(limit int64) *pageCache {
	return &pageCache{limit: limit, pages: map[pageKey]*list.Element{}}
}

func (c *pageCache) get(key pageKey) *pageCopy {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.pages[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cachedPage).copy
}

// put keeps a copy, unless a newer one is there or it alone is above the limit.
func (c *pageCache) put(key pageKey, p *pageCopy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.pages[key]; e != nil {
		if e.Value.(*cachedPage).copy.generation > p.generation {
			return
		}
		c.removeLocked(e)
	}
	if p.size() > c.limit {
		return
	}
	c.pages[key] = c.order.PushFront(&cachedPage{key, p})
	c.held += p.size()
	for c.held > c.limit {
		c.removeLocked(c.order.Back())
	}
}

func (c *pageCache) remove(key pageKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.pages[key]; e != nil {
		c.removeLocked(e)
	}
}

func (c *pageCache) removeLocked(e *list.Element) {
	p := c.order.Remove(e).(*cachedPage)
	delete(c.pages, p.key)
	c.held -= p.copy.size()
}
