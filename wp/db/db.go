// Package db reads a database as a guest: it uses few connections, limits every statement and writes nothing. It
// knows nothing of WordPress.
//
// A DB is the pool of connections to one database. All statements are constants that name tables in one fixed way.
// Tables replaces these names with the names of the site's tables.
package db

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"wpsitemapd/wp/release"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The limits that a guest in a database keeps.
const (
	maxConns     = 2                // open connections per pool
	queryTimeout = 60 * time.Second // one statement: by its context, and on servers that know such a limit
	lockTimeout  = 5                // seconds to wait for a metadata lock
	connMaxIdle  = 5 * time.Minute
	dialTimeout  = 5 * time.Second

	// ScanBatch is how many rows a batch of a keyset query has.
	ScanBatch = 10000
	// IDBatch is how many ids an IN list has.
	IDBatch = 5000
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

// Options are the options of a pool.
type Options struct {
	Limiter *Limiter // nil: the pool has its own two connections
	Observe Observer // may be nil
	// Right returns the right that statements need to a table, such as SELECT. The message of a refusal names this
	// right. If Right is nil, the message names none.
	Right func(table string) string
}

func (d *DB) use(conns *sqlx.DB) *DB {
	d.conns = conns
	conns.SetMaxOpenConns(maxConns)
	conns.SetMaxIdleConns(maxConns)
	conns.SetConnMaxIdleTime(connMaxIdle)
	return d
}

// unsafeCharset matches a DSN with a character set in which the last byte of a character may look like a
// backslash. The driver must not put texts into statements then.
var unsafeCharset = regexp.MustCompile(`(?i)[?&](charset|collation)=[^&]*(big5|cp932|gb2312|gbk|gb18030|sjis)`)

// OpenMySQL connects to MariaDB or MySQL. The session is read-only and accepts zero dates. If the server knows
// limits for statements and for locks, the session sets them.
func OpenMySQL(ctx context.Context, cfg *mysql.Config, o Options) (*DB, error) {
	cfg = cfg.Clone()
	d := &DB{Server: ServerName(cfg), User: cfg.User, Schema: cfg.DBName, observe: o.Observe, right: o.Right}
	if o.Limiter == nil {
		o.Limiter = NewLimiter(maxConns)
	}
	gate := o.Limiter.gate(d.Server)
	cfg.InterpolateParams = !unsafeCharset.MatchString(cfg.FormatDSN()) // true: one round trip for each query
	cfg.MultiStatements = false
	cfg.ParseTime = false           // dates stay the text WordPress wrote
	cfg.Logger = &mysql.NopLogger{} // the driver also returns as an error what it would log
	cfg.Timeout = cmp.Or(cfg.Timeout, dialTimeout)
	if cfg.Params == nil {
		cfg.Params = map[string]string{}
	}
	d.config = cfg.Clone()
	version, account, instance, err := serverVersion(ctx, cfg, gate)
	if err != nil {
		return nil, plain(err)
	}
	number, _, _ := strings.Cut(version, "-")
	d.Version = release.Valid(number)
	d.Account, d.Instance = plainText(account), instance
	maps.Copy(cfg.Params, sessionVariables(version))
	connector, err := newConnector(cfg, gate)
	if err != nil {
		return nil, err
	}
	conns := sql.OpenDB(connector)
	d.pool = &pool{conns, gate}
	return d.use(sqlx.NewDb(conns, "mysql")), nil
}

// ServerName returns the address of a server as in DB.Server.
func ServerName(cfg *mysql.Config) string { return cfg.Net + "(" + cfg.Addr + ")" }

// sessionVariables returns the variables to set for a session, as far as a server of this version knows them.
func sessionVariables(version string) map[string]string {
	v := map[string]string{"sql_mode": "''", "lock_wait_timeout": fmt.Sprint(lockTimeout)}
	since := func(major, minor int, variable, value string) {
		if versionAtLeast(version, major, minor) {
			v[variable] = value
		}
	}
	if strings.Contains(version, "MariaDB") {
		since(10, 0, "tx_read_only", "1")
		since(10, 1, "max_statement_time", fmt.Sprint(int(queryTimeout/time.Second)))
		// MariaDB turns an IN list of this many ids (by default 1,000) into a temporary table. 0 prevents that.
		since(10, 4, "in_predicate_conversion_threshold", "0")
		return v
	}
	since(5, 7, "max_execution_time", fmt.Sprint(int(queryTimeout/time.Millisecond)))
	if !versionAtLeast(version, 8, 0) {
		since(5, 6, "tx_read_only", "1")
		return v
	}
	v["transaction_read_only"] = "1"
	v["information_schema_stats_expiry"] = "0" // else MySQL may report times of change that are a day old
	return v
}

// Close closes the connections.
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

const sqlServer = `SELECT VERSION(), CURRENT_USER(), CONCAT_WS(' ', @@hostname, @@port, @@datadir, @@server_id)`

// serverVersion asks a server for its version, the account of the session, and a text that identifies its
// instance.
func serverVersion(ctx context.Context, cfg *mysql.Config, gate *gate) (version, account, instance string, err error) {
	pool, err := openOne(cfg, gate)
	if err != nil {
		return "", "", "", err
	}
	defer pool.Close()
	ctx, cancel := context.WithTimeout(ctx, 2*dialTimeout)
	defer cancel()
	err = pool.QueryRowContext(ctx, sqlServer).Scan(&version, &account, &instance)
	return version, account, instance, err
}

func versionAtLeast(version string, major, minor int) bool {
	var gotMajor, gotMinor int
	_, err := fmt.Sscanf(version, "%d.%d", &gotMajor, &gotMinor)
	return err == nil && (gotMajor > major || gotMajor == major && gotMinor >= minor)
}

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

// Query runs one statement and calls scan for every row. A slice in args fills an IN (?) list. A value that scan
// reads as sql.RawBytes is valid until scan returns.
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
	stmt := t.Bind(bounded(query))
	if d.SQLite {
		stmt = strings.Replace(unforced(stmt), "STRAIGHT_JOIN", "CROSS JOIN", 1) // both keep the order of the tables
	}
	stmt, args, err = d.expand(stmt, args)
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
		err := conn.Raw(func(c any) error {
			at := c.(*connection)
			thread, at.repeats = at.thread, repeated
			return nil
		})
		if err != nil {
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

// expand puts the lists in args into IN (?). Ids become text of the statement, because thousands of arguments
// would cost more than the query. Other values stay arguments.
func (d *DB) expand(query string, args []any) (string, []any, error) {
	if !slices.ContainsFunc(args, isIDs) {
		return sqlx.In(query, args...)
	}
	b := make([]byte, 0, len(query)+4096)
	rest := make([]any, 0, len(args))
	for _, arg := range args {
		at := strings.IndexByte(query, '?')
		if at < 0 {
			return "", nil, errors.New("more arguments than places for them")
		}
		b = append(b, query[:at]...)
		query = query[at+1:]
		ids, ok := arg.([]int64)
		if !ok {
			b, rest = append(b, '?'), append(rest, arg)
			continue
		}
		column, found := bytes.CutSuffix(b, []byte(" IN ("))
		if !found || len(ids) == 0 || !strings.HasPrefix(query, ")") {
			return "", nil, errors.New("ids belong into IN (?), one at least")
		}
		start := bytes.LastIndexByte(column, ' ') + 1
		b = appendIDs(b[:start], string(column[start:]), ids, !d.SQLite)
		query = query[1:]
	}
	return sqlx.In(string(append(b, query...)), rest...)
}

func isIDs(arg any) bool {
	_, ok := arg.([]int64)
	return ok
}

// rangeFrom is the number of consecutive ids from which on a statement asks for a range. MySQL reads a range in one
// pass, but looks up single ids one by one. maxRanges is how many ranges a statement has at most, because MySQL plans
// each of them.
const (
	rangeFrom = 8
	maxRanges = 200
)

// appendIDs appends the condition that column is one of ids. If ranges is set, consecutive ids become ranges.
func appendIDs(b []byte, column string, ids []int64, ranges bool) []byte {
	if ranges && !slices.IsSorted(ids) {
		ids = slices.Sorted(slices.Values(ids))
	}
	b = append(b, '(')
	left := 0
	if ranges {
		left = maxRanges
	}
	single := make([]int64, 0, len(ids))
	for n := 0; len(ids) > 0; ids = ids[n:] {
		n = 1
		for left > 0 && n < len(ids) && ids[n] == ids[n-1]+1 {
			n++
		}
		if n < rangeFrom {
			single = append(single, ids[:n]...)
			continue
		}
		left--
		b = append(append(b, column...), " BETWEEN "...)
		b = append(strconv.AppendInt(b, ids[0], 10), " AND "...)
		b = append(strconv.AppendInt(b, ids[n-1], 10), " OR "...)
	}
	if len(single) == 0 {
		return append(b[:len(b)-len(" OR ")], ')')
	}
	b = append(append(b, column...), " IN ("...)
	for _, id := range single {
		b = append(strconv.AppendInt(b, id, 10), ',')
	}
	b[len(b)-1] = ')'
	return append(b, ')')
}

// Batches calls fn with at most IDBatch ids at a time. fn gets each id once, in ascending order.
func Batches(ids []int64, fn func([]int64) error) error {
	for some := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(ids))), IDBatch) {
		if err := fn(some); err != nil {
			return err
		}
	}
	return nil
}

// The numbers of some errors of MariaDB and MySQL.
const (
	codeLogin       = 1045 // unknown user, or wrong password
	codeNoLogin     = 1698 // the same for an account without a password; for an unknown account MariaDB answers with either
	CodeSchema      = 1044 // the account may not use the database
	CodeNoSchema    = 1049 // there is no database of this name
	CodeEnded       = 1317 // somebody ended the statement, with KILL QUERY
	CodeTimeMariaDB = 1969 // the statement took longer than max_statement_time
	CodeTimeMySQL   = 3024 // the statement took longer than max_execution_time
)

// Code returns the number of an error from MariaDB or MySQL, or 0 for any other error.
func Code(err error) uint16 {
	if my, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return my.Number
	}
	return 0
}

// LoginRefused reports whether err says that the server refuses an account or does not know it.
func LoginRefused(err error) bool { return Code(err) == codeLogin || Code(err) == codeNoLogin }

// MissingTable reports whether err says that a table does not exist.
func MissingTable(err error) bool { return is(err, 1146, "no such table") }

// Unreadable reports whether err says that a table does not exist, may not be read, or lacks a column. Another
// version of a plugin may have other columns.
func Unreadable(err error) bool {
	return MissingTable(err) || Denied(err) || is(err, 1054, "no such column")
}

// is reports whether err is the error code of a server, or an error of SQLite that contains text.
func is(err error, code uint16, text string) bool {
	got := Code(err)
	return got == code || got == 0 && err != nil && strings.Contains(err.Error(), text)
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

// MissingIndex reports whether err says that an index does not exist.
func MissingIndex(err error) bool { return Code(err) == 1176 }

// Denied reports whether err says that the account may not read a table or column.
func Denied(err error) bool { return Code(err) == 1142 || Code(err) == 1143 }

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
