package db

import (
	"context"
	"database/sql/driver"
	"fmt"
	"net"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	// silence is how long the machine of a database may acknowledge nothing before a connection to it
	// is given up. Of one that is gone, or behind a firewall that has forgotten us, no statement would
	// hear for many minutes; a statement that only takes long is none of this.
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
	slot   *slot
}

func (c *connection) Close() error {
	defer c.slot.release()
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
	dialer := net.Dialer{
		Timeout: cfg.Timeout, Control: giveUp,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silence / 2, Interval: silence / 4, Count: 2},
	}
	cfg.DialFunc = dialer.DialContext
	c, err := mysql.NewConnector(cfg)
	return &connector{c, g}, err
}

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	s, err := c.gate.acquire(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, loginTimeout)
	defer cancel()
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		s.release()
		return nil, err
	}
	made := &connection{driverConn: conn.(driverConn), slot: s}
	if made.thread, err = thread(ctx, made); err != nil {
		made.Close()
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
	defer rows.Close()
	value := make([]driver.Value, 1)
	if err := rows.Next(value); err != nil {
		return 0, err
	}
	var id int64
	if err := Number(&id).Scan(value[0]); err != nil {
		return 0, fmt.Errorf("number of the connection: %w", err)
	}
	return id, nil
}
