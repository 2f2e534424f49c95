package listen

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strconv"
	"sync/atomic"
	"time"
)

// gate watches the framing of HTTP/1 requests on a connection and refuses what two servers
// in a row may read differently, which is what request smuggling lives on (RFC 9112, 11.2):
//
//   - Content-Length beside Transfer-Encoding, twice, or not a plain number
//   - Transfer-Encoding twice or in HTTP/1.0
//   - lines that end without CR, header lines that go on in the next one, space before the colon
//   - the beginning of HTTP/2 where it is not spoken, or anything but its whole preface
//
// net/http reads most of them in one of the ways the RFC allows, and passes on something
// unambiguous. But the server in front of this one may have read another; so the connection
// is answered with 400 and closed. Whatever else is malformed is left to net/http.
//
// The bytes pass as they come; where one request ends and the next begins is followed beside.
type gate struct {
	net.Conn
	h2c     bool        // HTTP/2 may begin here
	raw     atomic.Bool // hijacked: what follows is not HTTP
	refused atomic.Bool

	// Of the reader alone; net/http has one at a time.
	at      position
	begun   bool   // a request line was read: HTTP/2 cannot begin any more
	skip    int64  // bytes of the body, or of the present chunk with its CRLF
	partial []byte // the present line as far as it has been read; net/http bounds it, as it bounds the head
	head    head
}

type position uint8

const (
	atRequestLine position = iota
	atHeader
	inBody
	atChunk   // the line with its size
	inChunk   // its data
	atTrailer // what follows the last chunk
	atPreface // the first empty line of HTTP/2's preface
	atSM      // its last words
	atLast    // its last empty line
	nowhere   // not to be followed: HTTP/2, or net/http will close the connection
)

type head struct {
	old, length, encoding, unknown bool // HTTP/1.0; the fields that are there; not just chunked
	size                           int64
}

// keptLine is how much memory a connection keeps for lines that come in pieces, in bytes.
const keptLine = 4 << 10

var errRefused = errors.New("request with ambiguous framing")

func newGate(conn net.Conn) *gate { return &gate{Conn: conn} }

// secureGate is a gate over TLS. ConnectionState is what net/http fills Request.TLS from.
type secureGate struct {
	*gate
	state tls.ConnectionState
}

func (g *secureGate) ConnectionState() tls.ConnectionState { return g.state }

// Hijacked notes that a connection no longer speaks HTTP. It is for http.Server.ConnState.
func Hijacked(conn net.Conn) {
	switch g := conn.(type) {
	case *gate:
		g.raw.Store(true)
	case *secureGate:
		g.raw.Store(true)
	}
}

func (g *gate) Read(p []byte) (int, error) {
	if g.refused.Load() {
		return 0, errRefused
	}
	n, err := g.Conn.Read(p)
	if n == 0 || g.raw.Load() {
		return n, err
	}
	if end, ok := g.follow(p[:n]); !ok {
		// The line that is refused is passed without its end: net/http never takes it for a
		// whole one, and answers the error that comes next.
		g.refused.Store(true)
		if end == 0 {
			return 0, errRefused
		}
		return end, nil
	}
	return n, err
}

// Close gives the client of a refused request time to read why: closing a connection with
// unread bytes resets it.
func (g *gate) Close() error {
	if g.refused.Load() && g.CloseWrite() == nil {
		_ = g.Conn.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
		_, _ = io.CopyN(io.Discard, g.Conn, 256<<10)
	}
	return g.Conn.Close()
}

// CloseWrite closes the sending side.
func (g *gate) CloseWrite() error {
	if c, ok := g.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return errors.ErrUnsupported
}

// follow checks what was read. When it refuses a line, end is where the bytes before that line's end are.
func (g *gate) follow(p []byte) (end int, ok bool) {
	for i := 0; i < len(p); {
		switch g.at {
		case nowhere:
			return len(p), true
		case inBody, inChunk:
			n := min(g.skip, int64(len(p)-i))
			i += int(n)
			if g.skip -= n; g.skip == 0 {
				if g.at == inChunk {
					g.at = atChunk
				} else {
					g.begin()
				}
			}
			continue
		}
		lf := bytes.IndexByte(p[i:], '\n')
		if lf < 0 {
			g.partial = append(g.partial, p[i:]...)
			return len(p), true
		}
		line := p[i : i+lf]
		if len(g.partial) > 0 {
			line = append(g.partial, line...)
			g.partial = line[:0]
			if cap(line) > keptLine {
				g.partial = nil
			}
		}
		if !g.line(line) {
			return i + lf, false
		}
		i += lf + 1
	}
	return len(p), true
}

// begin awaits the next request.
func (g *gate) begin() { g.at, g.head = atRequestLine, head{} }

// line takes a line without its LF.
func (g *gate) line(line []byte) bool {
	line, ended := bytes.CutSuffix(line, []byte("\r"))
	if !ended {
		return false
	}
	switch g.at {
	case atRequestLine:
		switch {
		case len(line) == 0: // net/http refuses it
			return true
		case bytes.HasPrefix(line, []byte("PRI ")):
			g.at = atPreface
			return g.h2c && !g.begun && bytes.Equal(line, preface[0])
		}
		g.begun = true
		g.head.old = bytes.HasSuffix(line, []byte(" HTTP/1.0"))
		g.at = atHeader
	case atHeader:
		if len(line) == 0 {
			g.endOfHead()
			return true
		}
		return g.field(line)
	case atChunk:
		size, _, _ := bytes.Cut(line, []byte(";"))
		n, err := strconv.ParseUint(string(bytes.TrimRight(size, " \t")), 16, 62)
		switch {
		case err != nil:
			g.at = nowhere // net/http refuses it
		case n == 0:
			g.at = atTrailer
		default:
			g.at, g.skip = inChunk, int64(n)+2
		}
	case atTrailer:
		if len(line) == 0 {
			g.begin()
		}
	case atPreface, atSM, atLast:
		if !bytes.Equal(line, preface[g.at-atPreface+1]) {
			return false
		}
		if g.at++; g.at > atLast {
			g.at = nowhere
		}
	}
	return true
}

// field checks a header field.
func (g *gate) field(line []byte) bool {
	colon := bytes.IndexByte(line, ':')
	switch {
	case isSpace(line[0]):
		return false
	case colon <= 0:
		return true // net/http refuses it
	case isSpace(line[colon-1]):
		return false
	}
	h := &g.head
	switch {
	case colon == len(contentLength) && bytes.EqualFold(line[:colon], contentLength):
		n, err := strconv.ParseUint(string(bytes.Trim(line[colon+1:], " \t")), 10, 63) // digits and nothing else
		if h.length || err != nil {
			return false
		}
		h.length, h.size = true, int64(n)
	case colon == len(transferEncoding) && bytes.EqualFold(line[:colon], transferEncoding):
		if h.encoding || h.old {
			return false
		}
		h.encoding, h.unknown = true, !bytes.EqualFold(bytes.Trim(line[colon+1:], " \t"), []byte("chunked"))
	}
	return !h.length || !h.encoding
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// preface is what HTTP/2 without TLS begins with, in lines (RFC 9113, 3.4).
var preface = [][]byte{[]byte("PRI * HTTP/2.0"), nil, []byte("SM"), nil}

var contentLength, transferEncoding = []byte("Content-Length"), []byte("Transfer-Encoding")

func (g *gate) endOfHead() {
	switch h := g.head; {
	case h.unknown: // net/http answers 501 and closes
		g.at = nowhere
	case h.encoding:
		g.at = atChunk
	case h.size > 0:
		g.at, g.skip = inBody, h.size
	default:
		g.begin()
	}
}
