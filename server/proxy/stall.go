package proxy

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// patience is how long nothing at all may move on a client's connection while a body is under
// way. There is no limit on the whole, and none on the speed.
type patience struct {
	read  time.Duration
	write time.Duration // a slow client's socket takes more only when a good part of its buffer is free
	tail  time.Duration // for what net/http reads, after the answer, in a body nobody wants
}

var usualPatience = patience{read: 2 * time.Minute, write: 5 * time.Minute, tail: 5 * time.Second}

type bodyKey struct{}

// body is a request's body that may not stall.
type body struct {
	io.ReadCloser
	control  *http.ResponseController
	patience patience

	mu      sync.Mutex
	stopped bool
	ended   bool  // at its end
	err     error // of the client's connection
}

func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	if b.stopped {
		b.mu.Unlock()
		return 0, http.ErrBodyReadAfterClose
	}
	_ = b.control.SetReadDeadline(time.Now().Add(b.patience.read)) // not every writer has one
	b.mu.Unlock()

	n, err := b.ReadCloser.Read(p)

	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == io.EOF:
		b.ended = true
	case err != nil && !b.stopped:
		b.err = err
	}
	if !b.stopped {
		// It must not end the wait for the answer: net/http goes on reading, to notice when the
		// client leaves.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// failed reports whether the client's side of the body broke.
func (b *body) failed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err != nil
}

// unfinished reports whether there may be more of it.
func (b *body) unfinished() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.ended
}

// stop ends the body's time when the request is answered. With HTTP/1 net/http reads on for a
// while, and forgets the deadline when it does; the connection is not used again (see
// answer), so that a late one harms nobody.
func (b *body) stop(major int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
	if !b.ended && major == 1 {
		time.AfterFunc(b.patience.tail, func() { _ = b.control.SetReadDeadline(time.Unix(1, 0)) })
	}
}

// answer is a ResponseWriter on which a client may not stall.
type answer struct {
	http.ResponseWriter
	control  *http.ResponseController
	patience patience
	body     *body // of an HTTP/1 request; nil: none
}

// WriteHeader ends the connection where the answer comes before the end of the body: with
// full duplex net/http does not see to it that what is left is not read as the next request.
func (a *answer) WriteHeader(status int) {
	if status >= 200 && a.body != nil && a.body.unfinished() {
		a.Header().Set("Connection", "close")
	}
	a.hurry() // interim answers are written at once
	a.ResponseWriter.WriteHeader(status)
	a.rest()
	if status >= 200 && a.Header().Get("Content-Length") == "" {
		_ = a.FlushError() // at the end of an empty answer net/http would give it a length
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.hurry()
	n, err := a.ResponseWriter.Write(p)
	a.rest()
	return n, err
}

// hurry begins the time a client has to take what is written, rest ends it.
func (a *answer) hurry() { _ = a.control.SetWriteDeadline(time.Now().Add(a.patience.write)) }
func (a *answer) rest()  { _ = a.control.SetWriteDeadline(time.Time{}) }

// Unwrap lets http.ResponseController reach hijacking and full duplex.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// FlushError writes what is buffered.
func (a *answer) FlushError() error {
	a.hurry()
	err := a.control.Flush()
	a.rest()
	return err
}
