// Package db reads a database as a guest: it uses few connections, limits every statement and writes nothing. It
// knows nothing of WordPress.
//
// A DB is the pool of connections to one database, which OpenMySQL (mysql.go) or OpenSQLite (sqlite.go) opens. All
// statements are constants. Before Query sends one, it inserts the names of the site's tables (statement.go), limits
// the values of long columns (bounds.go) and inserts lists of ids (statement.go). What the errors of a server mean is in
// errors.go.
package db

import (
	"context"
	"database/sql"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"wpsitemapd/wp/release"
)

// Limits of the load on a database server. Limits of the length of values are in bounds.go.
const (
	maxConns     = 2                // open connections per pool
	queryTimeout = 60 * time.Second // one statement: by its context, and on servers that know such a limit
	lockTimeout  = 5                // seconds to wait for a metadata lock
	connMaxIdle  = 5 * time.Minute
	dialTimeout  = 5 * time.Second

	// ScanBatch is how many rows a batch of a keyset query has.
	ScanBatch = 10000
)

// DB is a pool of connections to one database, for reading only. It is safe for concurrent use.
type DB struct {
	Server string // its address, or the path of a SQLite file
	User   string
	Schema string
	// Account is the account, user@host, by which the server knows the daemon. The host may be a pattern.
	Account string
	// Instance distinguishes servers that share one address.
	Instance string
	SQLite   bool
	Version  release.Version // of the server, as $wpdb->db_version() of PHP 8.0.16 and later returns it; "" for SQLite

	conns   *sqlx.DB
	pool    *pool         // its entry at the limiter; nil for SQLite
	config  *mysql.Config // nil for SQLite
	observe Observer
	right   func(table string) string
}

// Observer is called after every statement, from any goroutine. rows is how many rows were read.
type Observer func(query string, rows int, took time.Duration, err error)

type Options struct {
	Limiter *Limiter // nil: the pool has its own two connections
	Observe Observer // may be nil
	// Right returns the right that statements need to a table, such as SELECT. The message of a refusal names this
	// right. If Right is nil, the message names none.
	Right func(table string) string
}

// use makes conns the pool of d, within the limits of a guest.
func (d *DB) use(conns *sqlx.DB) *DB {
	d.conns = conns
	conns.SetMaxOpenConns(maxConns)
	conns.SetMaxIdleConns(maxConns)
	conns.SetConnMaxIdleTime(connMaxIdle)
	return d
}

func (d *DB) Close() error {
	if d.pool != nil {
		d.pool.leave()
	}
	return d.conns.Close()
}

// Connections returns how many connections are in use, and how many are open but idle.
func (d *DB) Connections() (inUse, idle int) {
	s := d.conns.Stats()
	return s.InUse, s.Idle
}

// Query runs one statement and calls scan for every row. A slice in args fills an IN (?) list, see expand. A value that
// scan reads as sql.RawBytes is valid until scan returns.
func (d *DB) Query(ctx context.Context, t Tables, query string, args []any, scan func(*sql.Rows) error) error {
	return d.query(ctx, t, query, args, scan, false)
}

// QueryRepeated does what Query does, for a statement that is sent again and again, see connection.QueryContext.
func (d *DB) QueryRepeated(ctx context.Context, t Tables, query string, args []any, scan func(*sql.Rows) error) error {
	return d.query(ctx, t, query, args, scan, true)
}

func (d *DB) query(ctx context.Context, t Tables, query string, args []any, scan func(*sql.Rows) error, repeated bool) (err error) {
	start, read := time.Now(), 0
	countQuery(ctx)
	defer func() {
		if d.pool != nil {
			d.pool.ended()
		}
		if d.observe != nil {
			d.observe(query, read, time.Since(start), err)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	stmt, args, err := d.prepare(t, query, args)
	if err != nil {
		return err
	}
	err = d.run(ctx, stmt, args, repeated, func(rows *sql.Rows) error {
		read++
		return scan(rows)
	})
	return d.cure(plain(err))
}

// run runs a statement. If ctx ends first, run also ends the statement at the server.
func (d *DB) run(ctx context.Context, stmt string, args []any, repeated bool, scan func(*sql.Rows) error) (err error) {
	conn, err := d.conns.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if d.SQLite {
		if _, err := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, maxRowBytes); err != nil {
			return err
		}
	} else {
		var thread int64
		if err := conn.Raw(func(c any) error {
			at := c.(*connection)
			thread, at.repeats = at.thread, repeated
			return nil
		}); err != nil {
			return err
		}
		defer func() {
			if err != nil && ctx.Err() != nil {
				d.end(stmt, thread)
			}
		}()
	}
	rows, err := conn.QueryContext(ctx, stmt, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// CountQueries returns a context whose statements are counted.
func CountQueries(ctx context.Context) (context.Context, *atomic.Int64) {
	n := new(atomic.Int64)
	return context.WithValue(ctx, countKey{}, n), n
}

type countKey struct{}

func countQuery(ctx context.Context) {
	if n, ok := ctx.Value(countKey{}).(*atomic.Int64); ok {
		n.Add(1)
	}
}

// answerTimeout is how long Answers waits for the server.
const answerTimeout = 2 * time.Second

// Answers reports whether the database server answers within answerTimeout. A refusal counts as an answer. Answers
// makes its own connection, which no Limiter counts, because the counted connections may be busy with long statements.
func (d *DB) Answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if d.config == nil { // SQLite
		return d.conns.PingContext(ctx) == nil
	}
	own, err := openOne(d.config, newGate(1))
	if err != nil {
		return false
	}
	defer own.Close()
	err = own.PingContext(ctx)
	return err == nil || code(err) != 0
}
