package faults

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"
)

// link stands between the daemon and its database, and breaks when told to.
type link struct {
	t       testing.TB
	address string
	target  string

	mu       sync.Mutex
	changed  *sync.Cond
	mode     mode
	listener net.Listener
	open     map[net.Conn]bool
	carried  int64 // bytes of the database's answers
}

type mode uint8

const (
	passing  mode = iota
	swallow       // packets get lost on the way, as behind a firewall that drops them
	refusing      // nobody listens; what is open is reset
	cutting       // every connection is reset in the middle of an answer
	crawling      // answers come slowly
)

func newLink(t testing.TB, target string) *link {
	t.Helper()
	l := &link{t: t, target: target, open: map[net.Conn]bool{}}
	l.changed = sync.NewCond(&l.mu)
	l.listen("127.0.0.1:0")
	l.address = l.listener.Addr().String()
	t.Cleanup(func() { l.set(refusing) })
	return l
}

func (l *link) listen(address string) {
	l.t.Helper()
	var config net.ListenConfig
	config.SetMultipathTCP(false) // it takes no filters, see drop
	ln, err := config.Listen(context.Background(), "tcp", address)
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
	if (m == swallow) != (was == swallow) && l.listener != nil {
		l.drop(l.listener.(*net.TCPListener), m == swallow)
		for conn := range l.open {
			l.drop(conn.(*net.TCPConn), m == swallow)
		}
	}
	if m == refusing && was != refusing {
		l.listener.Close()
		for conn := range l.open {
			reset(conn)
		}
	}
	if was == refusing && m != refusing {
		l.listen(l.address)
	}
	l.changed.Broadcast()
}

// drop has the kernel drop every packet that comes for a socket, so that nothing is acknowledged,
// or none any more. Both ends repeat what is lost, ever more rarely.
func (l *link) drop(socket syscall.Conn, all bool) {
	l.t.Helper()
	raw, err := socket.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) {
			if all {
				//lint:ignore SA1019 x/net/bpf makes programs, and cannot attach them to a socket of package net
				err = syscall.AttachLsf(int(fd), []syscall.SockFilter{*syscall.LsfStmt(syscall.BPF_RET|syscall.BPF_K, 0)})
			} else {
				//lint:ignore SA1019 see above
				err = syscall.DetachLsf(int(fd))
			}
		})
	}
	if err != nil && !errors.Is(err, net.ErrClosed) {
		l.t.Errorf("dropping packets: %v", err)
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
	if l.mode == swallow {
		l.drop(conn.(*net.TCPConn), true)
	}
	return true
}

func (l *link) leave(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, conn)
	reset(conn)
}

// pass waits until something may pass and returns how.
func (l *link) pass(n int) mode {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.mode == swallow {
		l.changed.Wait()
	}
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
	l.pass(0)
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
		l.copy(server, client, false)
	}()
	l.copy(client, server, true)
}

// copy carries bytes until an end is closed. Where the link cuts, an answer ends
// somewhere in the middle.
func (l *link) copy(to, from net.Conn, answers bool) {
	buffer := make([]byte, 4096)
	left := -1
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			counted := 0
			if answers {
				counted = n
			}
			b := buffer[:n]
			switch m := l.pass(counted); {
			case !answers:
			case m == crawling:
				for len(b) > 256 {
					if _, err := to.Write(b[:256]); err != nil {
						return
					}
					b = b[256:]
					time.Sleep(5 * time.Millisecond)
				}
			case m == cutting:
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
		if err != nil {
			return
		}
	}
}
