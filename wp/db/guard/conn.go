package guard

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// guardedConn is a connection of the driver above a guard. What the guard refused is the error; a panic of the driver,
// which slices answers as they say, is one, too, and does not end the process: database/sql calls it from goroutines of
// its own. After any error but one that the server told the connection is not used again.
type guardedConn struct {
	conn   driver.Conn // *mysql.mysqlConn
	guard  *guard
	broken bool
}

// driverConn is what the driver's connections have beside driver.Conn.
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

var _ driverConn = (*guardedConn)(nil)

// loginPatience is for a new connection, from the first byte to its session's settings.
const loginPatience = 20 * time.Second

// Open makes a connection through a guard.
func (c *Connector) Open(ctx context.Context, held Held) (_ driver.Conn, err error) {
	ctx, cancel := context.WithTimeout(ctx, loginPatience)
	defer cancel()
	conn := &guardedConn{}
	place := &dialed{held: held}
	err = recovered(func() (err error) {
		conn.conn, err = c.driver.Connect(context.WithValue(ctx, guardKey{}, place))
		return err
	})
	conn.guard = place.guard
	if err != nil {
		if conn.guard != nil {
			conn.guard.Close() // which the driver has not done where it panicked
			if reason := conn.guard.reason(); reason != nil {
				err = reason
			}
		}
		return nil, err
	}
	return conn, nil
}

func recovered(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = refuse("it is malformed (%v)", v)
		}
	}()
	return f()
}

// try calls the driver.
func (c *guardedConn) try(f func() error) error {
	err := recovered(f)
	_, told := errors.AsType[*mysql.MySQLError](err)
	if err == nil || told || errors.Is(err, driver.ErrSkip) || errors.Is(err, io.EOF) {
		return err
	}
	c.broken = true
	if reason := c.guard.reason(); reason != nil {
		return reason
	}
	if errors.Is(err, ErrRefused) {
		c.guard.fail(err)
	}
	return err
}

func (c *guardedConn) full() driverConn { return c.conn.(driverConn) }

// LargeColumn is the column of contents. What is read of it is not kept, so that an answer may have more bytes.
const LargeColumn = "post_content"

// statementBytes are those of a statement by which it is known.
const statementBytes = 120

// reads notes what a statement reads.
func (c *guardedConn) reads(query string) {
	c.guard.long = strings.Contains(query, LargeColumn)
	known, _, _ := strings.Cut(query, "?") // values will take its place
	c.guard.statement = known[:min(len(known), statementBytes)]
}

func (c *guardedConn) Close() error {
	err := recovered(c.conn.Close)
	c.guard.Close()
	return err
}

func (c *guardedConn) IsValid() bool {
	return !c.broken && c.guard.reason() == nil && c.full().IsValid()
}

func (c *guardedConn) ResetSession(ctx context.Context) error {
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	return c.try(func() error { return c.full().ResetSession(ctx) })
}

func (c *guardedConn) Ping(ctx context.Context) error {
	return c.try(func() error { return c.full().Ping(ctx) })
}

func (c *guardedConn) CheckNamedValue(v *driver.NamedValue) error {
	return c.full().CheckNamedValue(v)
}

func (c *guardedConn) Begin() (driver.Tx, error) { return nil, errReadOnly }

func (c *guardedConn) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	return nil, errReadOnly
}

var errReadOnly = errors.New("nothing is written, so there are no transactions")

func (c *guardedConn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

func (c *guardedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	c.reads(query)
	s := &guardedStmt{conn: c, query: query}
	err := c.try(func() (err error) {
		s.stmt, err = c.full().PrepareContext(ctx, query)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (c *guardedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.reads(query)
	return c.rows(func() (driver.Rows, error) { return c.full().QueryContext(ctx, query, args) })
}

func (c *guardedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (r driver.Result, err error) {
	err = c.try(func() error {
		r, err = c.full().ExecContext(ctx, query, args)
		return err
	})
	return r, err
}

func (c *guardedConn) rows(query func() (driver.Rows, error)) (driver.Rows, error) {
	r := &guardedRows{conn: c}
	err := c.try(func() (err error) {
		r.rows, err = query()
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// guardedStmt is a prepared statement.
type guardedStmt struct {
	conn  *guardedConn
	stmt  driver.Stmt
	query string
}

func (s *guardedStmt) Close() error  { return s.conn.try(s.stmt.Close) }
func (s *guardedStmt) NumInput() int { return s.stmt.NumInput() }

func (s *guardedStmt) Exec([]driver.Value) (driver.Result, error) { return nil, errReadOnly }
func (s *guardedStmt) Query([]driver.Value) (driver.Rows, error)  { return nil, errReadOnly }

func (s *guardedStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	s.conn.reads(s.query)
	return s.conn.rows(func() (driver.Rows, error) { return s.stmt.(driver.StmtQueryContext).QueryContext(ctx, args) })
}

func (s *guardedStmt) CheckNamedValue(v *driver.NamedValue) error {
	return s.stmt.(driver.NamedValueChecker).CheckNamedValue(v)
}

// guardedRows is a result.
type guardedRows struct {
	conn *guardedConn
	rows driver.Rows
}

func (r *guardedRows) Columns() []string { return r.rows.Columns() }
func (r *guardedRows) Close() error      { return r.conn.try(r.rows.Close) }

func (r *guardedRows) Next(dest []driver.Value) error {
	return r.conn.try(func() error { return r.rows.Next(dest) })
}
