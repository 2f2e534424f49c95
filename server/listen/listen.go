package listen

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
)

const (
	handshakeTimeout = 15 * time.Second // of TLS
	probeTimeout     = 2 * time.Second  // for the process behind a Unix socket that is in the way

	emptyAfter    = 2 * time.Millisecond // without a new connection
	retireTimeout = 250 * time.Millisecond
)

// Set is the addresses of one service of the daemon.
type Set struct {
	Key         string // in the configuration, for errors
	Addresses   []Address
	Mode        fs.FileMode  // of Unix sockets
	Certificate *Certificate // nil: no TLS
	H2C         bool         // HTTP/2 without TLS
}

// Listener is an open socket. What it accepts has passed the gate; over TLS the handshake is
// done, too.
type Listener struct {
	socket  net.Listener
	plain   bool
	h2c     bool
	path    string // of a Unix socket that is ours
	systemd bool

	accepted chan result // nil: without TLS
	shaking  atomic.Int64
	closed   chan struct{}
	closing  sync.Once
	retiring atomic.Bool
	until    time.Time     // of retiring
	retired  chan struct{} // closed when nothing is accepted any more
}

type result struct {
	conn net.Conn
	err  error
}

// Open opens every address of every set, in their order, or none at all.
func Open(sets ...Set) (listeners [][]*Listener, err error) {
	defer func() {
		if err == nil {
			return
		}
		for _, set := range listeners {
			for _, l := range set {
				l.Close()
			}
		}
		listeners = nil
	}()
	var inherited map[string][]net.Listener
	named := map[string]bool{}
	for _, set := range sets {
		for _, a := range set.Addresses {
			network, name, _ := a.split()
			if network != "systemd" {
				continue
			}
			named[name] = true
			if inherited == nil {
				if inherited, err = activation.ListenersWithNames(); err != nil {
					return nil, fmt.Errorf("sockets of systemd: %w", err)
				}
			}
		}
	}
	for _, set := range sets {
		var opened []*Listener
		for _, a := range set.Addresses {
			network, rest, plain := a.split()
			var found []*Listener
			switch network {
			case "systemd":
				found, err = take(inherited, rest, named)
			case "unix":
				var l *Listener
				l, err = openUnix(rest, set.Mode)
				found = []*Listener{l}
			default:
				var socket net.Listener
				socket, err = net.Listen("tcp", rest)
				found = []*Listener{{socket: socket}}
			}
			if err != nil {
				return append(listeners, opened), fmt.Errorf("%s: %w", set.Key, err)
			}
			for _, l := range found {
				l.h2c = set.H2C
				l.plain = plain || set.Certificate == nil || l.socket.Addr().Network() == "unix"
				l.closed, l.retired = make(chan struct{}), make(chan struct{})
				if !l.plain {
					l.accepted = make(chan result)
					go l.shakeHands(set.Certificate.config())
				}
				opened = append(opened, l)
			}
		}
		listeners = append(listeners, opened)
	}
	return listeners, nil
}

// take returns the sockets systemd passed under a name; "" is all those that no other
// address names.
func take(inherited map[string][]net.Listener, name string, named map[string]bool) ([]*Listener, error) {
	var found []*Listener
	for _, n := range slices.Sorted(maps.Keys(inherited)) {
		if n != name && (name != "" || named[n]) {
			continue
		}
		for _, socket := range inherited[n] {
			if socket == nil {
				return nil, fmt.Errorf("the socket %q of systemd is no stream socket", n)
			}
			found = append(found, &Listener{socket: socket, systemd: true})
		}
	}
	switch names := strings.Join(slices.Sorted(maps.Keys(inherited)), ", "); {
	case len(found) > 0:
		return found, nil
	case names == "":
		return nil, errors.New("systemd passed no socket: start the daemon by its socket unit")
	case name == "":
		return nil, errors.New("systemd passed no socket but those named elsewhere: " + names)
	default:
		return nil, fmt.Errorf("systemd passed no socket of the name %q, but %s", name, names)
	}
}

// openUnix listens on a Unix socket. A file that a dead process left behind is replaced; a
// socket somebody answers at is not, and what is no socket never is.
func openUnix(path string, mode fs.FileMode) (*Listener, error) {
	if path[0] == '@' {
		socket, err := net.Listen("unix", path)
		return &Listener{socket: socket}, err
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != fs.ModeSocket {
			return nil, fmt.Errorf("unix:%s is there already and is no socket", path)
		}
		conn, err := net.DialTimeout("unix", path, probeTimeout)
		switch {
		case err == nil:
			conn.Close()
			return nil, fmt.Errorf("unix:%s: another process listens there", path)
		case !errors.Is(err, syscall.ECONNREFUSED):
			return nil, fmt.Errorf("unix:%s is there already, and it is not known whether it is in use: %w", path, err)
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("a dead socket is in the way: %w", err)
		}
	}
	// Nobody must get in between bind and chmod. The mask is the whole process's, but this
	// is its start.
	mask := syscall.Umask(0o177)
	socket, err := net.Listen("unix", path)
	syscall.Umask(mask)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, mode); err != nil {
		socket.Close()
		return nil, fmt.Errorf("mode of the socket: %w", err)
	}
	return &Listener{socket: socket, path: path}, nil
}

// TLS reports whether the listener speaks it.
func (l *Listener) TLS() bool { return !l.plain }

// Addr is the address it really listens on.
func (l *Listener) Addr() net.Addr { return l.socket.Addr() }

// String is the address in the form of an Address.
func (l *Listener) String() string {
	if a := l.socket.Addr(); a.Network() == "unix" {
		return "unix:" + a.String()
	}
	return l.socket.Addr().String()
}

// Accept returns the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	if l.plain {
		conn, err := l.accept()
		if err != nil {
			return nil, err
		}
		g := newGate(conn)
		g.h2c = l.h2c
		return g, nil
	}
	select {
	case r := <-l.accepted:
		return r.conn, r.err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// accept takes a connection from the socket. After Retire it takes what is queued, closes the
// socket, and waits for Close.
func (l *Listener) accept() (net.Conn, error) {
	for {
		retiring := l.retiring.Load()
		if retiring {
			l.deadline(min(emptyAfter, time.Until(l.until)))
		}
		conn, err := l.socket.Accept()
		switch {
		case err == nil || !l.retiring.Load():
			return conn, err
		case !retiring: // it was Retire that woke it
			continue
		}
		l.socket.Close()
		close(l.retired)
		<-l.closed
		return nil, net.ErrClosed
	}
}

func (l *Listener) deadline(in time.Duration) {
	if d, ok := l.socket.(interface{ SetDeadline(time.Time) error }); ok {
		_ = d.SetDeadline(time.Now().Add(in))
	}
}

// Close closes the socket, if it is not closed yet. Connections it accepted stay.
func (l *Listener) Close() (err error) {
	l.closing.Do(func() {
		close(l.closed)
		if err = l.socket.Close(); errors.Is(err, net.ErrClosed) {
			err = nil
		}
	})
	return err
}

// Retire takes no more connections but those the kernel has made already. Just closing a
// socket would reset them, and to their clients those are requests that failed. With a Unix
// socket none is lost, nor with one of systemd's, whose queue waits for the next process; with
// TCP it can still happen to one that is made in the very moment the queue is empty.
//
// The listener must be served, and stays so until it is closed: over TLS, handshakes under
// way still lead to connections.
func (l *Listener) Retire() {
	if l.path != "" {
		// who has not connected yet finds no socket, or already that of the next process
		l.socket.(*net.UnixListener).SetUnlinkOnClose(false)
		os.Remove(l.path)
	}
	l.until = time.Now().Add(retireTimeout)
	if l.systemd {
		l.until = time.Time{}
	}
	l.retiring.Store(true)
	l.deadline(0)
	select {
	case <-l.retired:
	case <-l.closed:
	case <-time.After(2 * retireTimeout): // nobody serves it
	}
}

// Pending is the number of connections that are accepted and have not agreed on TLS yet.
func (l *Listener) Pending() int { return int(l.shaking.Load()) }

// shakeHands accepts connections and hands them on once TLS is agreed on, so that a client
// that stalls in it holds up no other.
func (l *Listener) shakeHands(config *tls.Config) {
	for {
		conn, err := l.accept()
		if err != nil {
			if !l.deliver(nil, err) || errors.Is(err, net.ErrClosed) {
				return
			}
			continue // http.Server waits a while before it asks again
		}
		l.shaking.Add(1)
		go func() {
			defer l.shaking.Add(-1)
			l.shakeHand(tls.Server(conn, config))
		}()
	}
}

func (l *Listener) deliver(conn net.Conn, err error) bool {
	select {
	case l.accepted <- result{conn, err}:
		return true
	case <-l.closed:
		if conn != nil {
			conn.Close()
		}
		return false
	}
}

func (l *Listener) shakeHand(conn *tls.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), handshakeTimeout)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		if plain, ok := errors.AsType[tls.RecordHeaderError](err); ok && plain.Conn != nil && looksLikeHTTP(plain.RecordHeader) {
			_ = plain.Conn.SetDeadline(time.Now().Add(probeTimeout))
			fmt.Fprint(plain.Conn, "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThis port speaks HTTPS.\n")
		}
		conn.Close()
		return
	}
	if conn.ConnectionState().NegotiatedProtocol == "h2" { // its framing leaves nothing to interpret
		l.deliver(conn, nil)
		return
	}
	l.deliver(&secureGate{gate: newGate(conn), state: conn.ConnectionState()}, nil)
}

func looksLikeHTTP(header [5]byte) bool {
	switch string(header[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO":
		return true
	}
	return false
}
