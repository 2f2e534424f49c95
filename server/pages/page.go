package pages

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"

	"wpsitemapd/server/site"
	"wpsitemapd/server/store"
)

// A Page is one rendered page, ready to be sent many times. Its content never changes.
type Page struct {
	body     []byte // nil if only gzipped is kept, see Plain
	gzipped  []byte // nil if compressing saves nothing
	hash     string // of the body; every entity tag contains it
	modified time.Time

	tag, zippedTag, lastModified []string // header fields with one value, made once for all answers; see setFields

	made
	saved atomic.Uint64 // the store.Saving under which the page was saved
}

// setFields makes the header fields. The hash and the date of the page must be set before.
func (p *Page) setFields() {
	p.tag, p.zippedTag = []string{`"` + p.hash + `"`}, []string{`"` + p.hash + `-gz"`}
	if !p.modified.IsZero() {
		p.lastModified = []string{p.modified.UTC().Format(http.TimeFormat)}
	}
}

// made says what a page was rendered from, and when.
type made struct {
	term       uint64      // of the site that rendered it; 0 if the page is from the store
	generation uint64      // of the catalog it was rendered from; comparable only within one term
	version    uint64      // fingerprint of the page in that catalog
	behind     bool        // the rows were newer than the catalog
	asOf       site.Moment // when rendering began; zero if another process rendered it
	built      time.Time   // when it was rendered, by the clock of the sites
	expires    time.Time   // when the page changes without an edit; zero: never
}

// newer reports whether p was rendered from a later catalog than o. Every catalog of a site counts as later than all catalogs
// of the site that it replaces, even if one of these was built after it.
func (p *Page) newer(o *Page) bool {
	return p.term > o.term || p.term == o.term && p.generation > o.generation
}

// NewPage returns a page that is not a sitemap of a blog, such as a stylesheet or a robots.txt.
func NewPage(body []byte) *Page { return newPage(body, time.Time{}, time.Time{}, nil) }

// newPage returns a page. If the previous page has the same bytes, the new page takes over its compressed form and its date.
func newPage(body []byte, lastMod, now time.Time, previous *Page) *Page {
	return newTagged(body, 0, lastMod, now, previous)
}

// newTagged returns a page like newPage. If tag is not 0, pages with equal bytes but different tags have different entity tags.
func newTagged(body []byte, tag uint64, lastMod, now time.Time, previous *Page) *Page {
	sum := sha256.New()
	sum.Write(body)
	if tag != 0 {
		sum.Write(binary.LittleEndian.AppendUint64(nil, tag))
	}
	p := &Page{body: body, hash: hex.EncodeToString(sum.Sum(nil)[:12]), made: made{built: now}}
	defer p.setFields()
	if previous != nil && previous.hash == p.hash {
		p.gzipped, p.modified = previous.gzipped, previous.modified
		return p
	}
	p.gzipped = compress(body)
	p.modified = lastMod
	// If an entry is removed, the newest date of the page goes back. The header must not go back, because a client that asks by
	// date would keep the old page.
	if previous != nil && !p.modified.After(previous.modified) {
		p.modified = now
	}
	if p.modified.After(now) { // RFC 9110, 8.8.2.1: never later than the answer
		p.modified = now
	}
	return p
}

// slim drops the plain body if the compressed form can give it back. The page must not be in use yet.
func (p *Page) slim() {
	if p.gzipped != nil {
		p.body = nil
	}
}

// Modified is the Last-Modified date of the page; zero if it has none.
func (p *Page) Modified() time.Time { return p.modified }

// LastModified returns the header field Last-Modified; nil if the page has no date.
func (p *Page) LastModified() []string { return p.lastModified }

// AsOf is when rendering the page began.
func (p *Page) AsOf() site.Moment { return p.asOf }

// Built is when the page was rendered, by the clock of the sites.
func (p *Page) Built() time.Time { return p.built }

// Packed is the size of the compressed page in bytes. It is 0 if compressing saves nothing.
func (p *Page) Packed() int { return len(p.gzipped) }

// Plain returns the uncompressed page. Most pages are stored compressed only, because crawlers ask for that form.
func (p *Page) Plain() []byte {
	if p.body != nil || p.gzipped == nil {
		return p.body
	}
	b := bytes.NewBuffer(make([]byte, 0, p.Length()))
	if err := p.unpackTo(b); err != nil {
		panic(err) // this process compressed it, or checked it when it was read
	}
	return b.Bytes()
}

// unpackTo writes the uncompressed page piece by piece. The page must have a compressed form.
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
		return int(binary.LittleEndian.Uint32(p.gzipped[n-4:])) // a gzip file ends with its uncompressed size
	}
	return len(p.body)
}

// overhead is about how many bytes a page takes beside its content.
const overhead = 1024

func (p *Page) size() int64 {
	return int64(len(p.body)+len(p.gzipped)) + overhead
}

// These are the forms in which a page is sent: as it is; compressed for clients that unpack it (Content-Encoding: gzip); and as a
// gzip file (.xml.gz), which clients keep packed.
const (
	Identity = "identity"
	Gzipped  = "gzip"
	File     = "file"
)

// ETag returns the header field ETag: the strong entity tag of the page in a coding.
func (p *Page) ETag(coding string) []string {
	switch coding {
	case Gzipped:
		return p.zippedTag
	case File:
		return []string{`"` + p.hash + `-file"`}
	}
	return p.tag
}

// Content is what an answer sends: bytes, or a page that is unpacked while it is sent. A slow reader therefore holds no unpacked
// page in memory.
type Content struct {
	bytes  []byte
	unpack *Page // nil: send bytes
}

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

// Size is the number of bytes that SendTo writes.
func (c Content) Size() int {
	if c.unpack != nil {
		return c.unpack.Length()
	}
	return len(c.bytes)
}

// SendTo writes the content. It ignores errors, because the client may go away at any time.
func (c Content) SendTo(w io.Writer) {
	if c.unpack != nil {
		_ = c.unpack.unpackTo(w)
		return
	}
	_, _ = w.Write(c.bytes)
}

// gzipLevel 5 takes three quarters of the time of level 6. A page of posts becomes 2 % larger.
const gzipLevel = 5

var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzipLevel) // there is no error, because gzipLevel is a valid level
	return w
}}

// leastCompressed is the least size in bytes of a body that is compressed.
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
	w.Write(body) // a Buffer never fails
	w.Close()
	return bytes.Clone(b.Bytes())
}

func KeyOf(s *site.Site, b *site.Blog, name string, page int) store.Key {
	return store.Key{Site: s.Config.Name, Blog: b.Key(), Name: name, Page: page}
}
