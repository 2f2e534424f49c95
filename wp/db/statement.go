package db

import (
	"context"
	"database/sql"
	"strings"
)

// Tables replaces the names of tables in statements.
type Tables struct{ r *strings.Replacer }

// NewTables returns a Tables from pairs of names: the name in statements, then the name of the table.
func NewTables(pairs ...string) Tables { return Tables{strings.NewReplacer(pairs...)} }

// Bind returns a statement with the real names of its tables.
func (t Tables) Bind(query string) string {
	if t.r == nil {
		return query
	}
	return t.r.Replace(query)
}

// prepare returns a statement and its arguments as the database gets them. The order of the steps matters. The bounds
// come first, because they search the statement for names of columns, and the name of a table may contain such a name.
// The ids come last, because each step before would read them, and there may be thousands.
func (d *DB) prepare(t Tables, query string, args []any) (string, []any, error) {
	stmt := t.Bind(bounded(query))
	if d.SQLite { // it knows neither FORCE INDEX nor STRAIGHT_JOIN; CROSS JOIN keeps the order of the tables, too
		stmt = strings.Replace(unforced(stmt), "STRAIGHT_JOIN", "CROSS JOIN", 1)
	}
	return d.expand(stmt, args)
}

// QueryForced runs a statement that forces an index. Without the index's name MariaDB may read the index from its start for every
// batch. If the index does not exist, QueryForced runs the statement again without FORCE INDEX.
func (d *DB) QueryForced(ctx context.Context, t Tables, query string, args []any, scan func(*sql.Rows) error) error {
	err := d.Query(ctx, t, query, args, scan)
	if MissingIndex(err) {
		err = d.Query(ctx, t, unforced(query), args, scan)
	}
	return err
}

// unforced returns a statement without its FORCE INDEX.
func unforced(query string) string {
	before, rest, _ := strings.Cut(query, " FORCE INDEX (")
	_, after, _ := strings.Cut(rest, ")")
	return before + after
}
