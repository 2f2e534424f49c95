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

// A blob consists of its head, which is one line of JSON; its body; and the CRC-32C of both, in 4 bytes, big-endian. The
// checksum shows whether the blob was cut off, changed, or written by another program.
const (
	// Version is the version of this encoding. Stores keep blobs of other versions apart.
	Version = "4"

	// maxBlob is the largest blob in bytes. The protocol allows a sitemap of 50 MB. The record of a blog takes some hundred
	// bytes for each of its pages.
	maxBlob = 128 << 20
	// maxBody is the largest body in bytes once it is unpacked.
	maxBody = 64 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// damaged returns an error that says why data is not a complete blob of ours.
func damaged(format string, args ...any) error {
	return errors.New("damaged: " + fmt.Sprintf(format, args...))
}

func encode(head any, body []byte) ([]byte, error) {
	line, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	size := len(line) + 1 + len(body) + crc32.Size
	if size > maxBlob {
		return nil, fmt.Errorf("a blob of %d bytes is too large", size)
	}
	data := append(append(make([]byte, 0, size), line...), '\n')
	data = append(data, body...)
	return binary.BigEndian.AppendUint32(data, crc32.Checksum(data, castagnoli)), nil
}

// decode checks a blob and reads its head. body is a part of data.
func decode(data []byte, head any) (body []byte, err error) {
	end := len(data) - crc32.Size
	if end < 0 || len(data) > maxBlob {
		return nil, damaged("%d bytes", len(data))
	}
	if crc32.Checksum(data[:end], castagnoli) != binary.BigEndian.Uint32(data[end:]) {
		return nil, damaged("its checksum is wrong")
	}
	line, body, _ := bytes.Cut(data[:end], []byte("\n"))
	if err := json.Unmarshal(line, head); err != nil {
		return nil, damaged("head: %v", err)
	}
	return body, nil
}

type pageHead struct {
	PageRecord
	Gzip bool // the body is PageRecord.Gzipped, else PageRecord.Body
}

func encodePage(p *PageRecord) ([]byte, error) {
	if len(p.Body) > maxBody {
		return nil, fmt.Errorf("%d bytes are too many for a sitemap", len(p.Body))
	}
	if p.Gzipped != nil {
		return encode(pageHead{*p, true}, p.Gzipped)
	}
	return encode(pageHead{*p, false}, p.Body)
}

func decodePage(data []byte, key Key) (*PageRecord, error) {
	var h pageHead
	body, err := decode(data, &h)
	switch {
	case err != nil:
		return nil, err
	case h.Key != key:
		return nil, damaged("it is another page")
	}
	p := &h.PageRecord
	p.Body = slices.Clip(body)
	if h.Gzip {
		p.Gzipped = p.Body
		if p.Body, err = gunzip(body); err != nil {
			return nil, damaged("body: %v", err)
		}
	}
	return p, nil
}

// gunzip unpacks a body of at most maxBody bytes.
func gunzip(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(data[len(data)-4:])
	var b bytes.Buffer
	b.Grow(min(int(size), 1000*len(data), maxBody) + bytes.MinRead) // DEFLATE shrinks data by a factor of about 1000 at most
	if _, err = b.ReadFrom(io.LimitReader(r, maxBody+1)); err == nil && b.Len() > maxBody {
		err = errors.New("too long")
	}
	return b.Bytes(), err
}
