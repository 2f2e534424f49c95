package redis

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strconv"
	"syscall"
	"time"

	"wpsitemapd/server/store"
)

// The library makes room for what a reply announces before any of it has come, and goes down into what
// is nested as deep as it gets. A server that announces more than any memory holds would end the process, and no
// recover helps. So replies are followed on their way from the connection, and one beyond these bounds ends
// the connection before the library sees the line that says so.
const (
	maxReply    = store.MaxFile + 1<<20 // bytes
	maxElements = 1 << 20               // of a reply, on all its levels: names of files are the most that is asked for
	maxPairs    = 1 << 10               // of a map, for which more room is made than for a list
	maxNesting  = 16                    // COMMAND, which a client of a cluster asks for, has half of that
	maxLine     = 64 << 10              // bytes
)

var errReply = errors.New("the answer of the server is none of Redis, or beyond all bounds")

// dial connects, by TLS where there is a configuration, to a server whose replies are bounded.
func dial(secure *tls.Config) func(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 5 * time.Minute}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if secure != nil {
			conn, err := (&tls.Dialer{NetDialer: dialer, Config: secure}).DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &guarded{Conn: conn}, nil
		}
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if socket, ok := conn.(syscall.Conn); ok { // the library checks whether an idle connection is still open
			return struct {
				*guarded
				syscall.Conn
			}{&guarded{Conn: conn}, socket}, nil
		}
		return &guarded{Conn: conn}, nil
	}
}

// guarded is a connection whose replies are bounded.
type guarded struct {
	net.Conn
	replies replies // of the reader alone
}

func (g *guarded) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if !g.replies.follow(p[:n]) {
		g.Conn.Close()
		return 0, errReply
	}
	return n, err
}

// replies follows the framing of what a server sends, by the Redis serialization protocol, RESP3.
type replies struct {
	line     []byte // the present one as far as it has come
	skip     int    // bytes of a text that are still to come, with its CR LF
	open     []int  // elements that are still to come, of each level
	elements int    // of the present reply
	size     int    // of it, in bytes
	broken   bool
}

// follow reports whether what came is within the bounds.
func (r *replies) follow(p []byte) bool {
	for len(p) > 0 && !r.broken {
		if r.skip > 0 {
			n := min(r.skip, len(p))
			p = p[n:]
			if r.skip -= n; r.skip == 0 {
				r.ended()
			}
			continue
		}
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			r.line = append(r.line, p...)
			r.broken = len(r.line) > maxLine
			break
		}
		r.line = append(r.line, p[:end]...)
		p = p[end+1:]
		r.broken = !r.begins()
		r.line = r.line[:0]
	}
	return !r.broken
}

// begins takes a line without its LF.
func (r *replies) begins() bool {
	line, ok := bytes.CutSuffix(r.line, []byte("\r"))
	if r.size += len(line); !ok || len(line) == 0 || len(line) > maxLine || r.size > maxReply {
		return false
	}
	kind, rest := line[0], line[1:]
	switch kind {
	case '+', '-', ':', '_', ',', '#', '(':
		r.ended()
		return true
	case '$', '!', '=', '*', '~', '>', '%':
	default: // attributes, too: they have to be asked for
		return false
	}
	if string(rest) == "-1" { // none
		r.ended()
		return true
	}
	size, err := strconv.ParseUint(string(rest), 10, 31)
	n := int(size)
	if err != nil {
		return false
	}
	switch kind {
	case '$', '!', '=':
		if n > maxReply-r.size {
			return false
		}
		r.skip, r.size = n+2, r.size+n
		return true
	case '%':
		if n > maxPairs {
			return false
		}
		n *= 2
	}
	if n > maxElements-r.elements || len(r.open) >= maxNesting {
		return false
	}
	if r.elements += n; n == 0 {
		r.ended()
		return true
	}
	r.open = append(r.open, n)
	return true
}

// ended takes the end of an element, with which those around it may end.
func (r *replies) ended() {
	for len(r.open) > 0 {
		last := len(r.open) - 1
		if r.open[last]--; r.open[last] > 0 {
			return
		}
		r.open = r.open[:last]
	}
	r.elements, r.size = 0, 0
}
