package proxy

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

type bodyKey struct{}

// body is a request body. Each read has a time limit; the whole body has none.
type body struct {
	io.ReadCloser
	control *http.ResponseController
	timeout time.Duration
	broken  atomic.Bool // reading failed before the end
}

func (b *body) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(b.timeout)) // some writers have no deadline
	n, err := b.ReadCloser.Read(p)
	switch err {
	case nil, http.ErrBodyReadAfterClose:
	case io.EOF:
		// net/http reads on after the body, to notice when the client leaves.
		_ = b.control.SetReadDeadline(time.Time{})
	default:
		b.broken.Store(true)
	}
	return n, err
}

// answer is a ResponseWriter on which each write has a time limit. Between writes, PHP may take as long as it likes.
type answer struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	chunked bool // the upstream has not given the length of the answer
}

func (a *answer) WriteHeader(status int) {
	a.hurry() // interim answers are written at once
	a.chunked = status >= 200 && a.Header().Get("Content-Length") == ""
	a.ResponseWriter.WriteHeader(status)
	a.rest()
}

// end ends an answer. If the upstream has given no length, end flushes the answer first. net/http would else add a length to an
// empty answer.
func (a *answer) end() {
	if a.chunked {
		_ = a.FlushError() // an error means that the client has gone
	}
	a.hurry() // net/http writes the end after this
}

func (a *answer) Write(p []byte) (int, error) {
	a.hurry()
	n, err := a.ResponseWriter.Write(p)
	a.rest()
	return n, err
}

// FlushError sends what is buffered.
func (a *answer) FlushError() error {
	a.hurry()
	err := a.control.Flush()
	a.rest()
	return err
}

// hurry starts the time limit of a write. rest removes it.
func (a *answer) hurry() { _ = a.control.SetWriteDeadline(time.Now().Add(a.timeout)) }
func (a *answer) rest()  { _ = a.control.SetWriteDeadline(time.Time{}) }

// Unwrap lets http.ResponseController reach the connection, for hijacking.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
