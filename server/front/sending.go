package front

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// A client of HTTP/2 can ask for many answers over one connection and read none of them. That costs it next to nothing, while
// each answer holds its handler and its buffers here. So the answers that wait for their client are bounded: on a connection, for a
// client and in the process; and so is how long one waits. Where there are too many, the one that has waited longest ends, so that
// whoever asks next is answered, a neighbour behind the same address among them.
const (
	MaxStreams   = 100              // MaxStreams are those of a connection at a time, the least that RFC 9113, 6.5.2 advises.
	MaxWaiting   = 1000             // MaxWaiting are the answers to one client: a page with all its images has some hundred.
	MaxUnpacking = 200              // MaxUnpacking are the answers unpacked while they are sent, to all clients; each takes some 45 KB.
	sentAtOnce   = 16 << 10         // sentAtOnce are the bytes that a client has to take before the next: a frame.
	sendTimeout  = 10 * time.Minute // sendTimeout is for an answer of our own; what is proxied may take as long as it likes.
	stallTimeout = 2 * time.Minute  // stallTimeout is how long a stream of HTTP/2 may take nothing.
	cutTimeout   = 30 * time.Second // cutTimeout is for an answer that is cut to end; then its connection is closed.
	// StuckTimeout is for a connection that takes nothing at all; slow sockets have as much for what is passed on.
	StuckTimeout = 5 * time.Minute
)

// waiters are the answers that wait for their clients, or hold something meanwhile. They are safe for concurrent use.
type waiters struct {
	ofOne, ofAll int // How many a client and all clients may have; 0: any number.

	mu      sync.Mutex
	all     int
	clients map[netip.Addr]*list.List // Lists of *waiter; the one that has waited longest is first.
}

// A waiter is one answer.
type waiter struct {
	of      *waiters
	client  netip.Addr
	at      *list.Element // nil: it does not count any more
	cut     func()        // cut ends the answer.
	hangUp  func()        // hangUp ends its connection, where cut did not end it.
	pending *time.Timer
}

// join counts an answer until it leaves, and cuts another one where there are too many. cut is called before leave returns, or not
// at all.
func (s *waiters) join(client netip.Addr, cut, hangUp func()) *waiter {
	w := &waiter{of: s, client: client, cut: cut, hangUp: hangUp}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients == nil {
		s.clients = map[netip.Addr]*list.List{}
	}
	own := s.clients[client]
	if own == nil {
		own = list.New()
		s.clients[client] = own
	}
	w.at = own.PushBack(w)
	s.all++
	switch {
	case s.ofOne > 0 && own.Len() > s.ofOne:
	case s.ofAll > 0 && s.all > s.ofAll:
		for _, l := range s.clients {
			if l.Len() > own.Len() {
				own = l
			}
		}
	default:
		return w
	}
	longest := own.Front().Value.(*waiter)
	longest.forgetLocked()
	longest.cut()
	longest.pending = time.AfterFunc(cutTimeout, longest.hangUp)
	return w
}

// leave ends the count of an answer.
func (w *waiter) leave() {
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	w.forgetLocked()
	if w.pending != nil {
		w.pending.Stop()
	}
}

func (w *waiter) forgetLocked() {
	if w.at == nil {
		return
	}
	own := w.of.clients[w.client]
	own.Remove(w.at)
	w.at = nil
	if w.of.all--; own.Len() == 0 {
		delete(w.of.clients, w.client)
	}
}

// count is how many there are.
func (s *waiters) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// Waiting is how many answers wait for clients of HTTP/2, and how many are unpacked while they are sent.
func (h *Handler) Waiting() (streams, unpacked int) { return h.waiting.count(), h.unpacking.count() }

// clientOf is whom a request is counted for: the address it came from, or the one a trusted front
// server names. Of IPv6 that is the network, of which a client has as many addresses as it likes.
func (h *Handler) clientOf(r *http.Request) netip.Addr {
	client := h.trust.Load().Client(r)
	if !client.IsValid() {
		peer, _ := netip.ParseAddrPort(r.RemoteAddr)
		client = peer.Addr().Unmap().WithZone("")
	}
	if client.Is6() {
		network, _ := client.Prefix(64) // every such address has one
		return network.Addr()
	}
	return client
}

type connKey struct{}

// WithConn has a request know its connection. It is for http.Server.ConnContext.
func WithConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// waits counts the answer to a request among waiters until its leave.
func waits(among *waiters, client netip.Addr, w http.ResponseWriter, r *http.Request) *waiter {
	if out, ok := w.(*stream); ok {
		w = out.ResponseWriter // who cuts does not manage
	}
	return among.join(client, func() {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0)) // not every writer has one
	}, func() {
		if conn, ok := r.Context().Value(connKey{}).(net.Conn); ok {
			conn.Close()
		}
	})
}

// Bounded has the answers of a handler wait for clients of HTTP/2 within bounds. A client of HTTP/1
// has to keep a connection for each.
func (h *Handler) Bounded(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor < 2 {
			inner.ServeHTTP(w, r)
			return
		}
		out := &stream{ResponseWriter: w, handler: h, request: r, client: h.clientOf(r), until: time.Now().Add(h.SendPatience)}
		inner.ServeHTTP(out, r)
		out.end()
	})
}

// stream is the answer on a stream of HTTP/2.
type stream struct {
	http.ResponseWriter
	handler *Handler
	request *http.Request
	client  netip.Addr
	until   time.Time // the whole must be sent
	managed bool      // by who set a deadline
	written bool
}

func (s *stream) Write(p []byte) (n int, err error) {
	for first := true; first || len(p) > 0; first = false {
		piece := p[:min(len(p), sentAtOnce)]
		m := 0
		err = s.wait(func() error {
			m, err = s.ResponseWriter.Write(piece)
			return err
		})
		n += m
		if err != nil {
			return n, err
		}
		p = p[len(piece):]
	}
	s.written = true
	return n, nil
}

// FlushError sends what is buffered.
func (s *stream) FlushError() error {
	return s.wait(http.NewResponseController(s.ResponseWriter).Flush)
}

// end sends the rest. What net/http sends behind it needs no room at the client's.
func (s *stream) end() {
	if s.written && !s.managed {
		_ = s.FlushError() // the client may be gone
	}
}

// wait sends something.
func (s *stream) wait(send func() error) error {
	if !s.managed {
		deadline := time.Now().Add(s.handler.StallPatience)
		if deadline.After(s.until) {
			deadline = s.until
		}
		_ = http.NewResponseController(s.ResponseWriter).SetWriteDeadline(deadline) // not every writer has one
	}
	w := waits(&s.handler.waiting, s.client, s.ResponseWriter, s.request)
	defer w.leave()
	return send()
}

// SetWriteDeadline leaves it to the caller how long the answer may wait.
func (s *stream) SetWriteDeadline(deadline time.Time) error {
	s.managed = true
	return http.NewResponseController(s.ResponseWriter).SetWriteDeadline(deadline)
}

// Unwrap lets http.ResponseController reach the rest.
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }
