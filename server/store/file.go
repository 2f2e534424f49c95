package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/klauspost/compress/gzip"
)

// A file is, in this order: a line that names it, its version and its kind; the length of
// its head (4 bytes) and of its body (8 bytes), big-endian; the head, in JSON; the body; the
// SHA-256 of all that. So what was cut off, added or changed anywhere is noticed, and a
// person can see with head(1) what a file is.
const (
	Version    = "2"
	firstLine  = "wpsitemapd state " + Version + " %s\n"
	lengthSize = 4 + 8

	gzipTrailer = 4 // bytes with the size of the uncompressed data, RFC 1952, 2.3.1

	kindCopy = "copy"
	kindBlog = "blog"
	kindSite = "site"

	// MaxFile bounds what is read into memory. The protocol allows a sitemap of 50 MB; a
	// record of a blog is some hundred bytes for each of its pages.
	MaxFile = 128 << 20
	// maxBody bounds what a compressed body may become.
	maxBody = 64 << 20
)

// ErrDamaged is in the error of everything that is no whole file of ours.
var ErrDamaged = errors.New("damaged")

func Damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// Key names a page among those of all sites.
type Key struct {
	Site string // its name in the configuration
	Blog string // identifies a blog of the site
	Name string
	Page int
}

// Copy is one rendered page.
type Copy struct {
	Key
	Hash        string    // of the body, as its entity tag has it
	Fingerprint string    // of what it was made of; "" is not known
	Modified    time.Time // Last-Modified; zero: none
	Built       time.Time
	Expires     time.Time // when it changes by the clock alone; zero: never
	Body        []byte    `json:"-"` // may be left out where Gzipped is there, to be saved
	Gzipped     []byte    `json:"-"` // nil where that saves nothing
	Brotli      []byte    `json:"-"` // nil where it is off, and where that saves nothing

	// Ahead means that nobody has asked for the page yet, so that no other copy is removed to make room for it.
	Ahead bool `json:"-"`
}

// copyHead is the head of a copy's file. The body behind it is compressed if the copy has that form; the one that
// Brotli made comes after it.
type copyHead struct {
	Copy
	Gzip   bool
	Size   int // of the body that is not compressed, in bytes
	Packed int // of the body that Brotli made, in bytes; 0: none
}

// Mark identifies a copy among those of its page.
func (c *Copy) Mark() string {
	return fmt.Sprint(c.Hash, " ", c.Fingerprint, " ", c.Modified.UnixNano(), " ", c.Expires.UnixNano(), " ", c.Gzipped != nil, c.Brotli != nil)
}

func EncodeCopy(c *Copy) ([]byte, error) {
	head := copyHead{Copy: *c, Gzip: c.Gzipped != nil, Size: len(c.Body), Packed: len(c.Brotli)}
	if n := len(c.Gzipped); c.Body == nil && n >= gzipTrailer {
		head.Size = int(binary.LittleEndian.Uint32(c.Gzipped[n-gzipTrailer:]))
	}
	if head.Size > maxBody {
		return nil, fmt.Errorf("%d bytes are more than a sitemap has", head.Size)
	}
	if head.Gzip {
		return encode(kindCopy, head, c.Gzipped, c.Brotli)
	}
	return encode(kindCopy, head, c.Body, c.Brotli)
}

func DecodeCopy(data []byte) (*Copy, error) {
	var head copyHead
	body, err := decode(data, kindCopy, &head)
	if err != nil {
		return nil, err
	}
	c := &head.Copy
	switch {
	case head.Size < 0 || head.Size > maxBody:
		return nil, Damaged("a body of %d bytes", head.Size)
	case head.Packed < 0 || head.Packed > len(body):
		return nil, Damaged("%d bytes packed of %d", head.Packed, len(body))
	}
	body, packed := body[:len(body)-head.Packed], body[len(body)-head.Packed:]
	c.Body = slices.Clip(body)
	if len(packed) > 0 {
		c.Brotli = packed
	}
	if head.Gzip {
		c.Gzipped = slices.Clip(body)
		if c.Body, err = gunzip(body, head.Size); err != nil {
			return nil, Damaged("body: %v", err)
		}
	}
	if len(c.Body) != head.Size {
		return nil, Damaged("the body has %d bytes instead of %d", len(c.Body), head.Size)
	}
	return c, nil
}

// gunzip reads at most one byte more than size: what is longer is wrong anyway.
func gunzip(data []byte, size int) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(min(size, 1000*len(data)) + bytes.MinRead) // DEFLATE makes of a byte at most about a thousand
	_, err = b.ReadFrom(io.LimitReader(r, int64(size)+1))
	return b.Bytes(), err
}

// encode makes a file of a head and the parts of a body.
func encode(kind string, head any, parts ...[]byte) ([]byte, error) {
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	line := fmt.Sprintf(firstLine, kind)
	body := 0
	for _, part := range parts {
		body += len(part)
	}
	size := len(line) + lengthSize + len(text) + body + sha256.Size
	if size > MaxFile {
		return nil, fmt.Errorf("a file of %d bytes is too large", size)
	}
	data := make([]byte, 0, size)
	data = append(data, line...)
	data = binary.BigEndian.AppendUint32(data, uint32(len(text)))
	data = binary.BigEndian.AppendUint64(data, uint64(body))
	data = append(data, text...)
	for _, part := range parts {
		data = append(data, part...)
	}
	sum := sha256.Sum256(data)
	return append(data, sum[:]...), nil
}

// decode checks a file and reads its head. The body is a part of data.
func decode(data []byte, kind string, head any) (body []byte, err error) {
	line := fmt.Sprintf(firstLine, kind)
	rest, ok := bytes.CutPrefix(data, []byte(line))
	switch {
	case !ok && len(data) < len(line):
		return nil, Damaged("cut off")
	case !ok:
		return nil, Damaged("not a %s of version %s", kind, Version)
	case len(rest) < lengthSize+sha256.Size:
		return nil, Damaged("cut off")
	}
	heads, bodies := uint64(binary.BigEndian.Uint32(rest)), binary.BigEndian.Uint64(rest[4:])
	rest = rest[lengthSize : len(rest)-sha256.Size]
	if heads > uint64(len(rest)) || bodies != uint64(len(rest))-heads {
		return nil, Damaged("its length is not what it says")
	}
	signed := len(data) - sha256.Size
	if sum := sha256.Sum256(data[:signed]); !bytes.Equal(sum[:], data[signed:]) {
		return nil, Damaged("its checksum is wrong")
	}
	if err := json.Unmarshal(rest[:heads], head); err != nil {
		return nil, Damaged("head: %v", err)
	}
	return rest[heads:], nil
}
