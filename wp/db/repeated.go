package db

import (
	"context"
	"database/sql/driver"
)

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
