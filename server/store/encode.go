package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
)

// A blob is, in this order: the length of its head (4 bytes, big-endian); the head, in JSON; the body; the CRC-32C of all
// that. A file that was cut off, a byte that changed, and what somebody else has written are noticed by it.
const (
	// Version is the version of this encoding. Stores keep another version apart.
	Version    = "3"
	lengthSize = 4
	sumSize    = crc32.Size

	// MaxBlob bounds what is read into memory. The protocol allows a sitemap of 50 MB; a record of a blog is some hundred bytes
	// for each of its pages.
	MaxBlob = 128 << 20
	// maxBody bounds what a compressed body may become.
	maxBody = 64 << 20

	gzipTrailer = 4 // bytes with the size of the uncompressed data, RFC 1952, 2.3.1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged is in the error of everything that is no whole blob of ours.
var ErrDamaged = errors.New("damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// head is the head of a blob.
type head struct {
	Name  Name
	Value json.RawMessage
}

// encode makes a blob of a value and a body.
func encode(n Name, value any, body []byte) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	if text, err = json.Marshal(head{n, text}); err != nil {
		return nil, err
	}
	size := lengthSize + len(text) + len(body) + sumSize
	if size > MaxBlob {
		return nil, fmt.Errorf("a blob of %d bytes is too large", size)
	}
	data := binary.BigEndian.AppendUint32(make([]byte, 0, size), uint32(len(text)))
	data = append(append(data, text...), body...)
	return binary.BigEndian.AppendUint32(data, crc32.Checksum(data, castagnoli)), nil
}

// decode checks the blob of a name and reads its value. The body is a part of data.
func decode(data []byte, n Name, value any) (body []byte, err error) {
	if len(data) < lengthSize+sumSize || len(data) > MaxBlob {
		return nil, damaged("%d bytes", len(data))
	}
	rest, sum := data[:len(data)-sumSize], binary.BigEndian.Uint32(data[len(data)-sumSize:])
	if crc32.Checksum(rest, castagnoli) != sum {
		return nil, damaged("its checksum is wrong")
	}
	size := binary.BigEndian.Uint32(rest)
	if rest = rest[lengthSize:]; uint64(size) > uint64(len(rest)) {
		return nil, damaged("its length is not what it says")
	}
	var h head
	if err := json.Unmarshal(rest[:size], &h); err != nil {
		return nil, damaged("head: %v", err)
	}
	if h.Name != n {
		return nil, damaged("it is another blob")
	}
	if err := json.Unmarshal(h.Value, value); err != nil {
		return nil, damaged("value: %v", err)
	}
	return rest[size:], nil
}

// pageHead is the value of a page's blob. The body behind it is compressed if the page has that form.
type pageHead struct {
	PageRecord
	Gzip bool
	Size int // of the body that is not compressed, in bytes
}

func encodePage(p *PageRecord) ([]byte, error) {
	h := pageHead{PageRecord: *p, Gzip: p.Gzipped != nil, Size: len(p.Body)}
	body := p.Body
	if h.Gzip {
		body = p.Gzipped
		if n := len(body); p.Body == nil && n >= gzipTrailer {
			h.Size = int(binary.LittleEndian.Uint32(body[n-gzipTrailer:]))
		}
	}
	if h.Size > maxBody {
		return nil, fmt.Errorf("%d bytes are more than a sitemap has", h.Size)
	}
	return encode(p.name(), h, body)
}

func decodePage(data []byte, key Key) (*PageRecord, error) {
	var h pageHead
	body, err := decode(data, key.name(), &h)
	switch {
	case err != nil:
		return nil, err
	case h.Key != key:
		return nil, damaged("it is another page")
	case h.Size < 0 || h.Size > maxBody:
		return nil, damaged("a body of %d bytes", h.Size)
	}
	p := &h.PageRecord
	p.Body = slices.Clip(body)
	if h.Gzip {
		p.Gzipped = slices.Clip(body)
		if p.Body, err = gunzip(body, h.Size); err != nil {
			return nil, damaged("body: %v", err)
		}
	}
	if len(p.Body) != h.Size {
		return nil, damaged("the body has %d bytes instead of %d", len(p.Body), h.Size)
	}
	return p, nil
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
