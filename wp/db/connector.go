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
	// silence is the time without a TCP acknowledgement after which a connection is closed. Without this limit, a
	// statement would wait for many minutes if the machine is gone, or if a firewall has forgotten the connection. A
	// statement that takes long does not end, because its machine still acknowledges packets.
	silence = 10 * time.Second
	// loginTimeout bounds the making of a connection, from its first byte to the settings of its session.
	loginTimeout = 20 * time.Second

	sqlConnection = `SELECT CONNECTION_ID()`
)

// driverConn is the set of interfaces that a connection of the driver has.
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

// connection is a connection to a database server, with its slot at the gate.
type connection struct {
	driverConn
	thread int64 // the number that the server gives the connection
	gate   *gate

	// For statements that are repeated, see QueryContext:
	repeats    bool        // the next statement is one
	last, text string      // the one that came last, and the one that is prepared
	prepared   driver.Stmt // of text; nil: none
	refused    bool        // none can be prepared
}

// Close closes the connection and releases its slot. The pool calls Close once.
func (c *connection) Close() error {
	defer c.gate.release()
	return c.driverConn.Close()
}

// connector makes connections. Each one waits for a slot of the gate first and holds the slot until it closes.
type connector struct {
	driver.Connector
	gate *gate
}

// newConnector returns a connector for cfg, which it changes.
func newConnector(cfg *mysql.Config, g *gate) (*connector, error) {
	cfg.AllowAllFiles = false // no server gets a file (LOCAL INFILE), even if a DSN allows it
	connect := cfg.DialFunc   // set by OnlySystem
	if connect == nil {
		connect = dial
	}
	compressed := strings.Contains(cfg.FormatDSN(), "compress=true")
	cfg.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := connect(ctx, network, addr)
		if err != nil || compressed { // the content of compressed packets cannot be checked
			return conn, err
		}
		return &checked{Conn: conn}, nil
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

// openOne returns a pool of one connection for cfg.
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

// login makes a connection. The driver parses answers without checking them, so that it may panic. login returns
// such a panic as an error, because database/sql calls Connect from its own goroutines.
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

// thread returns the number that the server gives a connection.
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
	if err := rows.Next(value); !errors.Is(err, io.EOF) { // Close would wait for the end of the rows, even after ctx ends
		return 0, errAnswer
	}
	return id, rows.Close()
}

// QueryContext runs a statement. If repeats is set, the statement is one that is sent again and again, such as a poll. To
// parse a poll is a quarter of its work, so the server may have prepared it. If the server, or a proxy before it, does not
// prepare it, or has lost what it prepared, the connection goes on without prepared statements.
func (c *connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.repeats && !c.refused {
		prepared, err := c.prepare(ctx, query)
		var rows driver.Rows
		if prepared != nil {
			rows, err = prepared.(driver.StmtQueryContext).QueryContext(ctx, args)
		}
		// Another error, such as that of a time limit, is the statement's own: it is not sent again.
		c.refused = code(err) != 0 && (prepared == nil || lost(err))
		if !c.refused && (prepared != nil || err != nil) {
			return rows, err
		}
	}
	return c.driverConn.QueryContext(ctx, query, args)
}

// lost reports whether the server does not know a prepared statement any more, or cannot prepare it again.
func lost(err error) bool {
	const unknownStatement, needsReprepare = 1243, 1615
	return code(err) == unknownStatement || code(err) == needsReprepare
}

// prepare returns the prepared statement of a text that comes for the second time in a row, or is prepared already. It returns
// nil for any other text: after the first time, the connection may be closed.
func (c *connection) prepare(ctx context.Context, query string) (driver.Stmt, error) {
	again := c.last == query
	c.last = query
	if c.text == query {
		return c.prepared, nil
	}
	if !again {
		return nil, nil
	}
	if c.prepared != nil {
		c.prepared.Close()
	}
	prepared, err := c.driverConn.PrepareContext(ctx, query)
	if err != nil {
		c.text, c.prepared = "", nil
		return nil, err
	}
	c.text, c.prepared = query, prepared
	return prepared, nil
}
