package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	// silence is how long the machine of a database may acknowledge nothing before a connection to it
	// is given up. Where the machine is gone, or a firewall has forgotten the connection, a statement would
	// wait for many minutes. A statement that only takes long is acknowledged.
	silence = 10 * time.Second
	// loginTimeout is for a new connection, from the first byte to its session's settings.
	loginTimeout = 20 * time.Second

	sqlConnection = `SELECT CONNECTION_ID()`
)

// driverConn is what connections of the driver are.
type driverConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.QueryerContext
	driver.ExecerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	driver.NamedValueChecker
}

// connection is one to a database server.
type connection struct {
	driverConn
	thread int64 // the server's number of it
	gate   *gate
}

// Close gives back the slot; the pool calls it once.
func (c *connection) Close() error {
	defer c.gate.release()
	return c.driverConn.Close()
}

// connector makes connections that each wait for a slot of a gate before, and hold it until they close.
type connector struct {
	driver.Connector
	gate *gate
}

// newConnector returns a connector by cfg, which it alters.
func newConnector(cfg *mysql.Config, g *gate) (*connector, error) {
	cfg.AllowAllFiles = false // no server is sent a file (LOCAL INFILE), whatever a DSN says
	connect := cfg.DialFunc   // of OnlySystem
	if connect == nil {
		connect = dial
	}
	compressed := strings.Contains(cfg.FormatDSN(), "compress=true")
	cfg.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := connect(ctx, network, addr)
		if err != nil || compressed {
			return conn, err
		}
		return &answers{Conn: conn}, nil
	}
	c, err := mysql.NewConnector(cfg)
	return &connector{c, g}, err
}

func dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{
		Control:         giveUp,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silence / 2, Interval: silence / 4, Count: 2},
	}
	return d.DialContext(ctx, network, addr)
}

// openOne returns a pool of one connection by cfg.
func openOne(cfg *mysql.Config, g *gate) (*sql.DB, error) {
	c, err := newConnector(cfg.Clone(), g)
	if err != nil {
		return nil, err
	}
	one := sql.OpenDB(c)
	one.SetMaxOpenConns(1)
	return one, nil
}

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := c.gate.acquire(ctx); err != nil {
		return nil, err
	}
	made, err := c.login(ctx)
	if err != nil {
		c.gate.release()
		return nil, err
	}
	return made, nil
}

// login makes a connection. A panic of the driver, which takes answers apart as they say, is an error: database/sql calls Connect from
// goroutines of its own.
func (c *connector) login(ctx context.Context) (made *connection, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the database server's answer is malformed: %v", v)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, loginTimeout)
	defer cancel()
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	made = &connection{driverConn: conn.(driverConn), gate: c.gate}
	if made.thread, err = thread(ctx, made); err != nil {
		conn.Close()
		return nil, err
	}
	return made, nil
}

// thread asks for the server's number of a connection.
func thread(ctx context.Context, conn driver.QueryerContext) (int64, error) {
	rows, err := conn.QueryContext(ctx, sqlConnection, nil)
	if err != nil {
		return 0, err
	}
	var id int64
	value := make([]driver.Value, 1)
	if err := rows.Next(value); err != nil {
		return 0, err
	}
	if err := Number(&id).Scan(value[0]); err != nil {
		return 0, fmt.Errorf("number of the connection: %w", err)
	}
	if err := rows.Next(value); !errors.Is(err, io.EOF) { // Close would wait for the end, and ctx would not end that
		return 0, errors.Join(errAnswer, err)
	}
	return id, rows.Close()
}
