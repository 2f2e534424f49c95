package db

import (
	"context"
	"database/sql/driver"
)

// QueryContext runs a statement. If repeats is set, it is one that is sent again and again, such as a poll. To parse a poll
// is a quarter of its work. So the server prepares the statement when it comes for the second time: after the first time,
// the connection may be closed. If the server, or a proxy before it, refuses this, the connection prepares no more statements.
func (c *connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.repeats && !c.refused {
		rows, err := c.queryPrepared(ctx, query, args)
		if rows != nil || err != nil && Code(err) == 0 {
			return rows, err
		}
		c.refused = err != nil
	}
	return c.driverConn.QueryContext(ctx, query, args)
}

// queryPrepared runs a statement that is prepared or has come for the second time. It returns nil for any other statement.
func (c *connection) queryPrepared(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	again := c.last == query
	c.last = query
	if c.text != query {
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
	}
	return c.prepared.(driver.StmtQueryContext).QueryContext(ctx, args)
}
