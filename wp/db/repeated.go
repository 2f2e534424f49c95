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

// QueryContext runs a statement. If it is a repeated statement, the server may have prepared it. If the server, or a proxy
// before it, does not prepare it, or has lost what it prepared, the connection goes on without prepared statements.
func (c *connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.repeats && !c.repeated.refused {
		prepared, err := c.repeated.prepare(ctx, c.driverConn, query)
		var rows driver.Rows
		if prepared != nil {
			rows, err = prepared.(driver.StmtQueryContext).QueryContext(ctx, args)
		}
		// Another error, such as that of a time limit, is the statement's own: it is not sent again.
		c.repeated.refused = Code(err) != 0 && (prepared == nil || lost(err))
		if !c.repeated.refused && (prepared != nil || err != nil) {
			return rows, err
		}
	}
	return c.driverConn.QueryContext(ctx, query, args)
}

// lost reports whether the server does not know a prepared statement any more, or cannot prepare it anew.
func lost(err error) bool {
	const unknownStatement, needsReprepare = 1243, 1615
	return Code(err) == unknownStatement || Code(err) == needsReprepare
}

// prepare returns the prepared statement of a text that comes for the second time in a row, or is prepared already. It returns
// nil for any other text.
func (r *repeated) prepare(ctx context.Context, conn driverConn, query string) (driver.Stmt, error) {
	again := r.last == query
	r.last = query
	if r.text == query {
		return r.prepared, nil
	}
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
	return prepared, nil
}
