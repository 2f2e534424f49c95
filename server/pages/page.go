package pages

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"

	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
	"wpsitemapd/sitemap/catalog"
)

// A Page is one rendered page, ready to be sent many times. What is sent of it never changes.
type Page struct {
	body     []byte // nil where gzipped is kept in its place, see Plain
	gzipped  []byte // nil where compressing saves nothing
	hash     string // of the body; all entity tags are made of it
	modified time.Time

	made
	saved atomic.Uint64 // store.Saving of now, where it is in the store
}

// made is what a page was made of, and when.
type made struct {
	term       uint64      // of the site that made it; 0: it is from the store
	generation uint64      // of the catalog it was rendered from; only within one term it distinguishes older from newer
	version    uint64      // fingerprint of the page in that catalog
	behind     bool        // its rows were newer than that catalog
	asOf       site.Moment // when rendering began; zero: another process did
	built      time.Time   // when it was rendered, by the clock of the site
	expires    time.Time   // when the page changes by the clock of the site alone; zero: never
	pieces     *catalog.Pieces
}

// newer reports whether a page is of a later catalog than another one. The catalogs of a site are newer than all of the site
// before it, which may still have built one after that.
func (p *Page) newer(o *Page) bool {
	return p.term > o.term || p.term == o.term && p.generation > o.generation
}

// NewPage returns a page that is no sitemap of a blog: a stylesheet, a robots.txt.
func NewPage(body []byte) *Page { return newPage(body, time.Time{}, time.Time{}, nil) }

// newPage returns a page. Where the bytes equal the previous page's, its compressed form and its date stay.
func newPage(body []byte, lastMod, now time.Time, previous *Page) *Page {
	return newTagged(body, 0, lastMod, now, previous)
}

// newTagged is newPage of a page with a tag, by which it is another one though its bytes are the same; 0: none.
func newTagged(body []byte, tag uint64, lastMod, now time.Time, previous *Page) *Page {
	sum := sha256.New()
	sum.Write(body)
	if tag != 0 {
		sum.Write(binary.LittleEndian.AppendUint64(nil, tag))
	}
	p := &Page{body: body, hash: hex.EncodeToString(sum.Sum(nil)[:12]), made: made{built: now}}
	if previous != nil && previous.hash == p.hash {
		p.gzipped, p.modified = previous.gzipped, previous.modified
		return p
	}
	p.gzipped = compress(body)
	p.modified = lastMod
	// Without an entry its page is a newer document with an older newest date. The header must not go back, or who asks by
	// date keeps the old one for ever.
	if previous != nil && !p.modified.After(previous.modified) {
		p.modified = now
	}
	if p.modified.After(now) { // RFC 9110, 8.8.2.1: never later than the answer
		p.modified = now
	}
	return p
}

// slim gives up what the compressed form can be turned into again. The page must not be in use yet.
func (p *Page) slim() {
	if p.gzipped != nil {
		p.body = nil
	}
}

// Modified is the date of the page; zero: it has none.
func (p *Page) Modified() time.Time { return p.modified }

// AsOf is when rendering the page began.
func (p *Page) AsOf() site.Moment { return p.asOf }

// Built is when the page was made, by the clock of the site.
func (p *Page) Built() time.Time { return p.built }

// Packed is the size of the compressed page in bytes; 0 where compressing saves nothing.
func (p *Page) Packed() int { return len(p.gzipped) }

// Plain returns the page as it was rendered. Crawlers ask for the compressed form.
func (p *Page) Plain() []byte {
	if p.body != nil || p.gzipped == nil {
		return p.body
	}
	b := bytes.NewBuffer(make([]byte, 0, p.Length()))
	if err := p.unpackTo(b); err != nil {
		panic(err) // it is of our own making, or was checked when it was read
	}
	return b.Bytes()
}

// unpackTo writes the page as it was rendered, a piece at a time. The page must be packed.
func (p *Page) unpackTo(w io.Writer) error {
	r, ok := gzipReaders.Get().(*gzip.Reader)
	if !ok {
		r = new(gzip.Reader)
	}
	defer gzipReaders.Put(r)
	if err := r.Reset(bytes.NewReader(p.gzipped)); err != nil {
		return err
	}
	_, err := r.WriteTo(w)
	return err
}

var gzipReaders sync.Pool

// Length is the size of Plain in bytes.
func (p *Page) Length() int {
	if n := len(p.gzipped); p.body == nil && n >= 4 {
		return int(binary.LittleEndian.Uint32(p.gzipped[n-4:])) // the last four bytes say it
	}
	return len(p.body)
}

// overhead is about what a page takes beside its bytes.
const overhead = 1024

func (p *Page) size() int64 {
	return int64(len(p.body)+len(p.gzipped)) + p.pieces.Size() + overhead
}

// The content codings. File is the page as a file that is compressed itself.
const (
	Identity = "identity"
	Gzipped  = "gzip"
	File     = "file"
)

// ETag is the strong entity tag of the page in a coding.
func (p *Page) ETag(coding string) string {
	end := ""
	switch coding {
	case Gzipped:
		end = "-gz"
	case File:
		end = "-file"
	}
	return `"` + p.hash + end + `"`
}

// Content is what an answer sends: bytes, or a page that is unpacked while it is sent, so that who reads slowly holds no
// page in memory.
type Content struct {
	bytes  []byte
	unpack *Page // nil: bytes
}

// Content returns the page in a coding.
func (p *Page) Content(coding string) Content {
	switch {
	case coding != Identity && p.gzipped != nil:
		return Content{bytes: p.gzipped}
	case coding != Identity:
		return Content{bytes: Gzip(p.Plain())}
	case p.body == nil:
		return Content{unpack: p}
	}
	return Content{bytes: p.body}
}

// Size is the number of its bytes.
func (c Content) Size() int {
	if c.unpack != nil {
		return c.unpack.Length()
	}
	return len(c.bytes)
}

// SendTo writes the content. That a client went away is no error of ours.
func (c Content) SendTo(w io.Writer) {
	if c.unpack != nil {
		_ = c.unpack.unpackTo(w)
		return
	}
	_, _ = w.Write(c.bytes)
}

// gzipLevel takes three quarters of the time that level 6 does, for two hundredths more of a page of posts.
const gzipLevel = 5

var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzipLevel) // a valid one
	return w
}}

// leastCompressed is the size in bytes from which on a body is worth compressing.
const leastCompressed = 200

func compress(body []byte) []byte {
	if len(body) < leastCompressed {
		return nil
	}
	if packed := Gzip(body); len(packed) < len(body) {
		return packed
	}
	return nil
}

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

// Key names a page among all sites.
type Key = store.Key

// KeyOf is the key of a page of a blog.
func KeyOf(s *site.Site, b *site.Blog, name string, page int) Key {
	return Key{Site: s.Config.Name, Blog: b.Key(), Name: name, Page: page}
}
