package db

import (
	"context"
	"database/sql/driver"
)

// repeated is what a connection knows of the statements that are sent again and again, such as polls. To parse a poll is a
// quarter of its work. So the server prepares it when it comes for the second time. After the first time, the connection may
// be closed.
type repeated struct {
	last     string // the text that came last
	text     string // the text that is prepared
	prepared driver.Stmt
	refused  bool // the server, or a proxy before it, did not prepare or run a statement
}

// QueryContext runs a statement. If it is a repeated statement, the server may have prepared it. If that fails, the
// connection goes on without prepared statements.
func (c *connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.repeats && !c.repeated.refused {
		rows, err := c.repeated.query(ctx, c.driverConn, query, args)
		if rows != nil || err != nil && Code(err) == 0 {
			return rows, err
		}
		c.repeated.refused = err != nil
	}
	return c.driverConn.QueryContext(ctx, query, args)
}

// query runs a statement that is prepared or has come for the second time. It returns nil for any other statement.
func (r *repeated) query(ctx context.Context, conn driverConn, query string, args []driver.NamedValue) (driver.Rows, error) {
	again := r.last == query
	r.last = query
	if r.text != query {
		if !again {
			return nil, nil
		}
		if r.prepared != nil {
			r.prepared.Close()
		}
		prepared, err := conn.PrepareContext(ctx, query)
		if err != nil {
			r.text, r.prepared = "", nil
			return nil, err
		}
		r.text, r.prepared = query, prepared
	}
	return r.prepared.(driver.StmtQueryContext).QueryContext(ctx, args)
}
