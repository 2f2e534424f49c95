package live

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
)

// The bounds of a document. A valid sitemap is far below them. A hostile one could take many times its own size in memory.
const (
	maxDepth    = 16        // nested elements
	maxElements = 2_000_000 // elements in the whole document
	maxOfEntry  = 20_000    // elements of one entry
	maxTag      = 64 << 10  // bytes of one tag with its attributes
)

var errTag = fmt.Errorf("the file has a tag that is longer than %d KiB", maxTag>>10)

// bounded reads the tokens of a document. It returns an error for a token beyond the bounds.
type bounded struct {
	raw                      *xml.Decoder
	depth, elements, ofEntry int
}

// newBounded returns a decoder that fails at the bounds, and the counters of that decoder.
func newBounded(document []byte) (*xml.Decoder, *bounded) {
	b := &bounded{raw: xml.NewDecoder(&tagReader{Reader: bytes.NewReader(document)})}
	return xml.NewTokenDecoder(b), b
}

func (b *bounded) Token() (xml.Token, error) {
	t, err := b.raw.RawToken()
	switch t.(type) {
	case xml.StartElement:
		b.depth++
		b.elements++
		b.ofEntry++
	case xml.EndElement:
		b.depth--
	}
	switch {
	case err != nil:
	case b.depth > maxDepth:
		err = fmt.Errorf("the file has more than %d nested elements", maxDepth)
	case b.elements > maxElements:
		err = fmt.Errorf("the file has more than %d elements", maxElements)
	case b.ofEntry > maxOfEntry:
		err = fmt.Errorf("the file has more than %d elements in one entry", maxOfEntry)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// tagReader reads the bytes of a document. It fails inside a tag that is too long, before the decoder keeps the tag.
type tagReader struct {
	*bytes.Reader
	length int  // of the tag so far; 0: outside of a tag
	quote  byte // the quote around the current attribute value; 0: none
}

// ReadByte implements io.ByteReader, which the decoder uses instead of Read.
func (r *tagReader) ReadByte() (byte, error) {
	c, err := r.Reader.ReadByte()
	switch {
	case err != nil:
	case c == '<': // also within quotes, where it is not allowed
		r.length, r.quote = 1, 0
	case r.length == 0:
	case r.length == 1 && (c == '!' || c == '?'): // a comment, CDATA or an instruction
		r.length = 0
	case r.quote == 0 && c == '>':
		r.length = 0
	default:
		switch {
		case c == r.quote:
			r.quote = 0
		case r.quote == 0 && (c == '"' || c == '\''):
			r.quote = c
		}
		if r.length++; r.length > maxTag {
			return 0, errTag
		}
	}
	return c, err
}

// errTooMuch means that the names of nested elements would take more memory than the document.
var errTooMuch = errors.New("the file has too many nested elements with long names")
