package faults

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// link stands between the daemon and its database, or PHP, and breaks when told to.
type link struct {
	t       testing.TB
	address string
	target  string

	mu       sync.Mutex
	mode     mode
	listener net.Listener
	open     map[net.Conn]bool
	carried  int64 // bytes of answers
}

type mode uint8

const (
	passing  mode = iota
	refusing      // nobody listens; what is open is reset
	cutting       // every connection is reset in the middle of an answer
	crawling      // answers come slowly
	silent        // answers do not come, until it is over
)

func newLink(t testing.TB, target string) *link {
	t.Helper()
	l := &link{t: t, target: target, open: map[net.Conn]bool{}}
	l.listen("127.0.0.1:0")
	l.address = l.listener.Addr().String()
	t.Cleanup(func() { l.set(refusing) })
	return l
}

func (l *link) listen(address string) {
	l.t.Helper()
	ln, err := net.Listen("tcp", address)
	if err != nil {
		l.t.Fatal(err)
	}
	l.listener = ln
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go l.carry(conn)
		}
	}()
}

// set changes how the link behaves.
func (l *link) set(m mode) {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.mode
	l.mode = m
	if m == refusing && was != refusing {
		l.listener.Close()
		for conn := range l.open {
			reset(conn)
		}
	}
	if was == refusing && m != refusing {
		l.listen(l.address)
	}
}

// reset closes a connection as a machine does that knows nothing of it.
func reset(conn net.Conn) {
	_ = conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

// enter registers a connection, unless the link refuses by now.
func (l *link) enter(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mode == refusing {
		reset(conn)
		return false
	}
	l.open[conn] = true
	return true
}

func (l *link) leave(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, conn)
	reset(conn)
}

// pass counts bytes of an answer, and returns how they may pass.
func (l *link) pass(n int) mode {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.carried += int64(n)
	return l.mode
}

func (l *link) carriedBytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.carried
}

func (l *link) carry(client net.Conn) {
	if !l.enter(client) {
		return
	}
	defer l.leave(client)
	server, err := net.Dial("tcp", l.target)
	if err != nil {
		return
	}
	if !l.enter(server) {
		return
	}
	defer l.leave(server)
	go func() {
		defer l.leave(client)
		defer l.leave(server)
		_, _ = io.Copy(server, client)
	}()
	l.answer(client, server)
}

// answer carries what the database says until an end is closed. Where the link cuts, an answer ends
// somewhere in the middle.
func (l *link) answer(to, from net.Conn) {
	buffer := make([]byte, 4096)
	left := -1
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		b, mode := buffer[:n], l.pass(n)
		for ; mode == silent; mode = l.pass(0) {
			time.Sleep(5 * time.Millisecond)
		}
		switch mode {
		case crawling:
			for len(b) > 256 {
				if _, err := to.Write(b[:256]); err != nil {
					return
				}
				b = b[256:]
				time.Sleep(5 * time.Millisecond)
			}
		case cutting:
			if left < 0 {
				left = 1 + rand.IntN(2000<<rand.IntN(7)) // now at the first statements, now far into the posts
			}
			if n >= left {
				_, _ = to.Write(b[:left])
				return
			}
			left -= n
		default:
			left = -1
		}
		if _, err := to.Write(b); err != nil {
			return
		}
	}
}
