package server

import (
	"bytes"
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"

	"wpsitemapd/server/metrics"
	"wpsitemapd/sitemap/catalog"
)

// pageCopy is one rendered page, ready to be sent many times. But for unsaved and stands it never changes.
type pageCopy struct {
	term       uint64    // of the worker that made it, see worker; 0: it is from the store
	generation uint64    // of the catalog it was rendered from; tells older from newer within one term only
	print      uint64    // fingerprint of the page in it
	common     uint64    // … as all processes give it; 0: it is not for others, see taken
	asOf       time.Time // when rendering it began, by the clock of the process
	built      time.Time
	body       []byte // nil where gzipped is kept in its place, see plain
	gzipped    []byte // nil when that saves nothing
	brotli     []byte // nil where it is off, and when that saves nothing
	hash       string // of body; all ETags are made of it
	modified   time.Time
	expires    time.Time       // when the page changes by the clock alone; zero: never
	pieces     *catalog.Pieces // of body

	unsaved atomic.Bool // there was no room to write it to disk
	stands  atomic.Pointer[stay]
	forms   [4]atomic.Pointer[form]
}

// stay is how long a copy stands in for a page that was rendered from rows which had changed since
// the catalog was made, so that it was true of no moment.
type stay struct {
	print uint64 // of the page in that catalog: the next one is worth a try
	until time.Time
}

// longestStay is longer than a look at the database and a delta take. A page whose rows never rest
// comes as it is then.
const longestStay = 10 * time.Second

// standIn has a copy, if there is one, stand in for its page as the catalog with that fingerprint
// would give it. It is false once that has been so for long.
func (c *pageCopy) standIn(print uint64, now time.Time) bool {
	if c == nil {
		return false
	}
	until := now.Add(longestStay)
	if before := c.stands.Load(); before != nil {
		until = before.until
	}
	c.stands.Store(&stay{print, until})
	return now.Before(until)
}

// standsIn reports whether the copy stands in for its page of the catalog with that fingerprint.
func (c *pageCopy) standsIn(print uint64, now time.Time) bool {
	s := c.stands.Load()
	return s != nil && s.print == print && now.Before(s.until)
}

// form is what the headers say of a copy in one content coding. It is made once, as
// crawlers ask for the same page again and again.
type form struct {
	tag                    string
	etag, coding, modified []string // header values; modified is nil without a date
	length                 atomic.Pointer[[]string]
}

// form returns that of a coding, or of the "file" that is compressed itself.
func (c *pageCopy) form(coding string) *form {
	at := &c.forms[0]
	switch coding {
	case "gzip":
		at = &c.forms[1]
	case "br":
		at = &c.forms[2]
	case "file":
		at = &c.forms[3]
	}
	if f := at.Load(); f != nil {
		return f
	}
	f := newForm(c.etag(coding), coding, c.modified)
	at.Store(f)
	return f
}

func newForm(tag, coding string, modified time.Time) *form {
	f := &form{tag: tag, etag: []string{tag}, coding: []string{coding}}
	if !modified.IsZero() {
		f.modified = []string{modified.UTC().Format(http.TimeFormat)}
	}
	return f
}

// lengthOf returns the header value for the copy's content in this form, which is always the same.
func (f *form) lengthOf(size int) []string {
	if v := f.length.Load(); v != nil {
		return *v
	}
	v := []string{strconv.Itoa(size)}
	f.length.Store(&v)
	return v
}

// slim gives up what the compressed form can be turned into again. The copy must not be in
// use yet.
func (c *pageCopy) slim() {
	if c.gzipped != nil {
		c.body = nil
	}
}

// plain returns the page as it was rendered. Crawlers ask for the compressed form.
func (c *pageCopy) plain() []byte {
	if c.body != nil || c.gzipped == nil {
		return c.body
	}
	b := bytes.NewBuffer(make([]byte, 0, c.length()))
	if err := c.unpackTo(b); err != nil {
		panic(err) // it is of our own making, or was checked when it was read
	}
	return b.Bytes()
}

// unpackTo writes the page as it was rendered, a piece at a time. The copy must be packed.
func (c *pageCopy) unpackTo(w io.Writer) error {
	r, ok := gzipReaders.Get().(*gzip.Reader)
	if !ok {
		r = new(gzip.Reader)
	}
	defer gzipReaders.Put(r)
	if err := r.Reset(bytes.NewReader(c.gzipped)); err != nil {
		return err
	}
	_, err := r.WriteTo(w)
	return err
}

var gzipReaders sync.Pool

// length is the size of plain in bytes.
func (c *pageCopy) length() int {
	if n := len(c.gzipped); c.body == nil && n >= 4 {
		return int(binary.LittleEndian.Uint32(c.gzipped[n-4:])) // the last four bytes tell it
	}
	return len(c.body)
}

// copyOverhead is about what a copy takes beside its bytes.
const copyOverhead = 1024

func (c *pageCopy) size() int64 {
	return int64(len(c.body)+len(c.gzipped)+len(c.brotli)) + c.pieces.Size() + copyOverhead
}

// etag is the strong entity tag of the copy in a content coding, or as the "file" that is
// compressed itself.
func (c *pageCopy) etag(coding string) string {
	switch coding {
	case "gzip":
		return `"` + c.hash + `-gz"`
	case "br", "file":
		return `"` + c.hash + `-` + coding + `"`
	}
	return `"` + c.hash + `"`
}

// newCopy makes a copy of a page. Where the bytes are those of the previous copy, its
// compressed form and its date stay.
func newCopy(body []byte, lastMod time.Time, generation uint64, now time.Time, previous *pageCopy) *pageCopy {
	sum := sha256.Sum256(body)
	c := &pageCopy{generation: generation, built: now, body: body, hash: hex.EncodeToString(sum[:12])}
	if previous != nil && previous.hash == c.hash {
		c.gzipped, c.brotli, c.modified = previous.gzipped, previous.brotli, previous.modified
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

// gzipLevel takes three quarters of the time that level 6 does, for two hundredths more of a page of
// posts.
const gzipLevel = 5

var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzipLevel) // a valid one
	return w
}}

func compress(body []byte) []byte {
	if len(body) < leastCompressed {
		return nil
	}
	if packed := Gzip(body); len(packed) < len(body) {
		return packed
	}
	return nil
}

// leastCompressed is the size in bytes from which on a body is worth compressing.
const leastCompressed = 200

// Gzip returns the body compressed, as the daemon sends it and export writes it.
func Gzip(body []byte) []byte {
	var b bytes.Buffer
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(&b)
	w.Write(body) // a Buffer takes everything
	w.Close()
	return bytes.Clone(b.Bytes())
}

// brotliLevel costs about what gzip's level 6 does, and saves a tenth more.
const brotliLevel = 5

var brotliWriters = sync.Pool{New: func() any { return brotli.NewWriterLevel(nil, brotliLevel) }}

// setBrotli adds the copy's form in brotli, or takes it away. The copy must not be in use yet.
func (c *pageCopy) setBrotli(on bool) {
	if !on || len(c.body) < leastCompressed {
		c.brotli = nil
		return
	}
	if c.brotli != nil { // of the previous copy, whose bytes are the same
		return
	}
	var b bytes.Buffer
	w := brotliWriters.Get().(*brotli.Writer)
	defer brotliWriters.Put(w)
	w.Reset(&b)
	w.Write(c.body) // a Buffer takes everything
	w.Close()
	if b.Len() < len(c.body) {
		c.brotli = bytes.Clone(b.Bytes())
	}
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
	gone  int64     // copies that were given up for others
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

// newer reports whether a copy is of a later catalog than another one. The catalogs of a worker are
// newer than all of the worker before it, which may still have built one after that.
func (c *pageCopy) newer(o *pageCopy) bool {
	return c.term > o.term || c.term == o.term && c.generation > o.generation
}

// put keeps a copy, unless a newer one is there or it alone is above the limit; it returns
// whether it does. In place of another copy it is no newer use of the page.
func (c *pageCache) put(key pageKey, p *pageCopy) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.pages[key]
	if e != nil && e.Value.(*cachedPage).copy.newer(p) {
		return false
	}
	if p.size() > c.limit {
		if e != nil {
			c.removeLocked(e)
		}
		return false
	}
	if e != nil {
		kept := e.Value.(*cachedPage)
		c.held -= kept.copy.size()
		kept.copy = p
	} else {
		c.pages[key] = c.order.PushFront(&cachedPage{key, p})
	}
	c.held += p.size()
	for c.held > c.limit {
		c.gone++
		c.removeLocked(c.order.Back())
	}
	return c.pages[key] != nil
}

// putAhead is put for a copy that nobody has asked for: no other makes room for it, and it is
// the first to make room.
func (c *pageCache) putAhead(key pageKey, p *pageCopy) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages[key] != nil || c.held+p.size() > c.limit {
		return false
	}
	c.pages[key] = c.order.PushBack(&cachedPage{key, p})
	c.held += p.size()
	return true
}

// peek is get without being a use.
func (c *pageCache) peek(key pageKey) *pageCopy {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.pages[key]; e != nil {
		return e.Value.(*cachedPage).copy
	}
	return nil
}

// room is the number of bytes that are free.
func (c *pageCache) room() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limit - c.held
}

// each calls fn for every copy of a site, those used last first, until it returns false. It
// counts as no use. fn must not use the cache.
func (c *pageCache) each(site string, fn func(pageKey, *pageCopy) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.order.Front(); e != nil; e = e.Next() {
		if p := e.Value.(*cachedPage); p.key.site == site && !fn(p.key, p.copy) {
			return
		}
	}
}

// size is the number of bytes it may hold.
func (c *pageCache) size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limit
}

// stats tells how many copies there are, their bytes, and how many were given up for others.
func (c *pageCache) stats() metrics.Copies {
	c.mu.Lock()
	defer c.mu.Unlock()
	return metrics.Copies{Count: len(c.pages), Bytes: c.held, Limit: c.limit, Evictions: c.gone}
}

// setLimit changes that.
func (c *pageCache) setLimit(limit int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit = limit
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
