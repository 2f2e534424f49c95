package wptest

import (
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// Door stands between a program and its database server, and can cut them off. It is a Unix
// socket, shut at first.
type Door struct {
	DSN string // of the database, through the door

	t      testing.TB
	path   string
	target *mysql.Config

	mu     sync.Mutex
	listen net.Listener
	conns  []net.Conn
}

// NewDoor returns a door to a database on MariaDB.
func NewDoor(t testing.TB, dsn string) *Door {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	d := &Door{t: t, path: filepath.Join(t.TempDir(), "door.sock"), target: cfg.Clone()}
	cfg.Net, cfg.Addr = "unix", d.path
	d.DSN = cfg.FormatDSN()
	t.Cleanup(d.Shut)
	return d
}

// Open lets connections through.
func (d *Door) Open() {
	d.t.Helper()
	l, err := net.Listen("unix", d.path)
	if err != nil {
		d.t.Fatal(err)
	}
	d.mu.Lock()
	d.listen = l
	d.mu.Unlock()
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial(d.target.Net, d.target.Addr)
			if err != nil {
				in.Close()
				continue
			}
			d.mu.Lock()
			d.conns = append(d.conns, in, out)
			d.mu.Unlock()
			go func() { io.Copy(out, in); out.Close() }()
			go func() { io.Copy(in, out); in.Close() }()
		}
	}()
}

// Shut refuses connections and breaks those that are open.
func (d *Door) Shut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.listen != nil {
		d.listen.Close()
		d.listen = nil
	}
	for _, c := range d.conns {
		c.Close()
	}
	d.conns = nil
}
