package proxy

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

type bodyKey struct{}

// body is a request's body that may not stall. How long the whole takes is not limited.
type body struct {
	io.ReadCloser
	control *http.ResponseController
	timeout time.Duration
	broken  atomic.Bool // the client did not send all of it
}

func (b *body) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(b.timeout)) // not every writer has one
	n, err := b.ReadCloser.Read(p)
	switch err {
	case nil, http.ErrBodyReadAfterClose:
	case io.EOF:
		// net/http goes on reading, to notice when the client leaves.
		_ = b.control.SetReadDeadline(time.Time{})
	default:
		b.broken.Store(true)
	}
	return n, err
}

// answer is a ResponseWriter on which a client may not stall. PHP may think as long as it likes.
type answer struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	chunked bool // the upstream has not said how long the answer is
}

func (a *answer) WriteHeader(status int) {
	a.hurry() // interim answers are written at once
	a.chunked = status >= 200 && a.Header().Get("Content-Length") == ""
	a.ResponseWriter.WriteHeader(status)
	a.rest()
}

// end ends an answer as the upstream has framed it: net/http would give an empty one a length that it did not have.
func (a *answer) end() {
	if a.chunked {
		_ = a.FlushError() // the client may be gone
	}
	a.hurry() // net/http writes the end
}

func (a *answer) Write(p []byte) (int, error) {
	a.hurry()
	n, err := a.ResponseWriter.Write(p)
	a.rest()
	return n, err
}

// FlushError writes what is buffered.
func (a *answer) FlushError() error {
	a.hurry()
	err := a.control.Flush()
	a.rest()
	return err
}

// hurry begins the time a client has to take what is written, rest ends it.
func (a *answer) hurry() { _ = a.control.SetWriteDeadline(time.Now().Add(a.timeout)) }
func (a *answer) rest()  { _ = a.control.SetWriteDeadline(time.Time{}) }

// Unwrap lets http.ResponseController reach hijacking.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
