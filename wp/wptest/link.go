package wptest

import (
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Link is a connection between a program and a server, which a test can break. It ends with the test.
type Link struct {
	Address string // address for the program to connect to

	t               testing.TB
	network, target string // of the server; the link listens on the same kind of network

	mu       sync.Mutex
	mode     Mode
	listener net.Listener
	open     map[net.Conn]bool
	carried  int64 // bytes of answers so far
}

// Mode is how a link behaves.
type Mode uint8

const (
	Passing  Mode = iota
	Refusing      // the link does not listen, and open connections are reset
	Cutting       // each connection is reset in the middle of an answer
	Crawling      // answers arrive slowly
	Silent        // answers arrive only after the mode has ended
)

// NewLink returns a link to a server, in the mode Passing. network is "tcp" or "unix".
func NewLink(t testing.TB, network, target string) *Link {
	t.Helper()
	l := &Link{t: t, network: network, target: target, open: map[net.Conn]bool{}, Address: "127.0.0.1:0"}
	if network == "unix" {
		l.Address = filepath.Join(t.TempDir(), "link.sock")
	}
	l.listen()
	l.Address = l.listener.Addr().String()
	t.Cleanup(func() { l.Set(Refusing) })
	return l
}

func (l *Link) listen() {
	l.t.Helper()
	ln, err := net.Listen(l.network, l.Address)
	Must(l.t, err)
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

// Set changes the mode of the link.
func (l *Link) Set(m Mode) {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.mode
	l.mode = m
	if m == Refusing && was != Refusing {
		l.listener.Close()
		for conn := range l.open {
			reset(conn)
		}
	}
	if was == Refusing && m != Refusing {
		l.listen()
	}
}

// reset closes a connection so that the other end gets a reset.
func reset(conn net.Conn) {
	if c, ok := conn.(*net.TCPConn); ok {
		_ = c.SetLinger(0)
	}
	conn.Close()
}

// enter registers a connection. If the link refuses connections, it resets this one and returns false.
func (l *Link) enter(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mode == Refusing {
		reset(conn)
		return false
	}
	l.open[conn] = true
	return true
}

func (l *Link) leave(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, conn)
	reset(conn)
}

// pass records that the link carries n more bytes of an answer. It returns the mode of the link at this moment.
func (l *Link) pass(n int) Mode {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.carried += int64(n)
	return l.mode
}

// Carried returns how many bytes of answers the link has carried so far.
func (l *Link) Carried() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.carried
}

func (l *Link) carry(client net.Conn) {
	if !l.enter(client) {
		return
	}
	defer l.leave(client)
	server, err := net.Dial(l.network, l.target)
	if err != nil || !l.enter(server) {
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

// answer copies the server's answers until one end is closed. In the mode Cutting it ends at a random position of an answer.
func (l *Link) answer(to, from net.Conn) {
	buffer := make([]byte, 4096)
	left := -1
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		b, mode := buffer[:n], l.pass(n)
		for ; mode == Silent; mode = l.pass(0) {
			time.Sleep(5 * time.Millisecond)
		}
		switch mode {
		case Crawling:
			for len(b) > 256 {
				if _, err := to.Write(b[:256]); err != nil {
					return
				}
				b = b[256:]
				time.Sleep(5 * time.Millisecond)
			}
		case Cutting:
			if left < 0 {
				left = 1 + rand.IntN(2000<<rand.IntN(7)) // sometimes within the first statements, sometimes far into the posts
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

// Door is a link to a database that is closed at first.
type Door struct {
	*Link
	DSN string // of the database, by way of the door
}

// NewDoor returns a door to a database of MariaDB.
func NewDoor(t testing.TB, dsn string) Door {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	Must(t, err)
	d := Door{Link: NewLink(t, cfg.Net, cfg.Addr)}
	d.Shut()
	cfg.Addr = d.Address
	d.DSN = cfg.FormatDSN()
	return d
}

// Open lets connections pass.
func (d Door) Open() { d.Set(Passing) }

// Shut refuses new connections and resets open ones.
func (d Door) Shut() { d.Set(Refusing) }
