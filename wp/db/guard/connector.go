package guard

import (
	"context"
	"database/sql/driver"
	"net"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Held is what a connection has until it closes.
type Held struct {
	Results *Results // counts what its results hold; nil: nothing does
	Release func()   // called when it closes, whoever closes it; nil: nobody waits for that
}

// GivenUp is called when a connection closes before a statement was answered to its end, with the beginning of the
// statement and the server's number of the connection; and what it returns once it is closed. nil: such statements end by
// themselves.
type GivenUp func(statement string, thread uint32) (closed func())

// Connector makes connections of the driver that are read through guards.
type Connector struct{ driver driver.Connector }

// Driver is half of driver.Connector.
func (c *Connector) Driver() driver.Driver { return c.driver.Driver() }

// silence is how long the machine of a database may acknowledge nothing before a connection to it
// is given up. Of one that is gone, or behind a firewall that has forgotten us, no statement would
// hear for many minutes; a statement that only takes long is none of this.
const silence = 10 * time.Second

// guardKey is for the place in a context where the dialer puts the guard.
type guardKey struct{}

// dialed is where a dialer puts the guard of a new connection.
type dialed struct {
	held  Held
	guard *guard
}

// NewConnector returns a connector by cfg, which it alters. The driver has no TLS with the server itself, see TLS, and
// neither compresses, below which a guard would see nothing, nor sends files.
func NewConnector(cfg *mysql.Config, given GivenUp) (*Connector, error) {
	secure, err := TLS(cfg)
	if err != nil {
		return nil, err
	}
	cfg.AllowAllFiles = false
	if err := cfg.Apply(mysql.EnableCompression(false)); err != nil {
		return nil, err
	}
	dialer := net.Dialer{
		Timeout: cfg.Timeout, Control: giveUp,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silence / 2, Interval: silence / 4, Count: 2},
	}
	cfg.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dialer.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		place := ctx.Value(guardKey{}).(*dialed)
		place.guard = &guard{Conn: c, raw: c, secure: secure, held: place.held, given: given}
		return place.guard, nil
	}
	connector, err := mysql.NewConnector(cfg)
	return &Connector{connector}, err
}

// Wrap returns a connection to a server that is read through a guard. secure is that of TLS.
func Wrap(conn net.Conn, secure func(net.Conn) (net.Conn, error), held Held) net.Conn {
	return &guard{Conn: conn, raw: conn, secure: secure, held: held}
}
