// Package db reads a database as a guest: with few connections, a limit to every statement, and
// nothing written. It knows no WordPress.
//
// A DB is the pool of connections to one database. All statements are constants, written for tables of one name, into
// which Tables puts those of the site.
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

// Limits of the guest in somebody's database.
const (
	maxConns     = 2                // open connections per pool
	queryTimeout = 60 * time.Second // one statement, on the server where it knows such a limit, and by context
	lockTimeout  = 5                // seconds to wait for a metadata lock
	connMaxIdle  = 5 * time.Minute
	dialTimeout  = 5 * time.Second

	// ScanBatch is how many rows a keyset batch has.
	ScanBatch = 10000
	// IDBatch is how many ids one IN list has.
	IDBatch = 5000
)

// Place says where a database is.
type Place struct {
	Server string // its address, or the path of a SQLite file
	User   string
	Schema string
	// Account is what the server takes us for, user@host. The host may be a pattern.
	Account string
	// Instance tells servers behind one address apart.
	Instance string
	SQLite   bool
	Version  release.Version // of the server, as $wpdb->db_version() of PHP 8.0.16 and later has it; "" of SQLite
}

// DB is a pool of connections to one database, which is only read. It is safe for concurrent use.
type DB struct {
	Place
	conns   *sqlx.DB
	pool    *pool         // its place at the limiter; nil for SQLite
	config  *mysql.Config // nil for SQLite
	observe Observer
	right   func(table string) string
	MariaDB bool // not MySQL or SQLite
}

// Observer is called after every statement with the number of rows that were read, from any goroutine.
type Observer func(query string, rows int, took time.Duration, err error)

// Options are for a pool.
type Options struct {
	Limiter *Limiter // nil: the pool has its own two connections
	Observe Observer // may be nil
	// Right is the right that statements need to a table, such as SELECT, for the message when it is refused; nil: it has none.
	Right func(table string) string
}

func (d *DB) use(conns *sqlx.DB) *DB {
	d.conns = conns
	conns.SetMaxOpenConns(maxConns)
	conns.SetMaxIdleConns(maxConns)
	conns.SetConnMaxIdleTime(connMaxIdle)
	return d
}

// unsafeCharset finds character sets whose characters may end in a byte that looks like a
// backslash, so that texts must not be put into statements by the driver.
var unsafeCharset = regexp.MustCompile(`(?i)[?&](charset|collation)=[^&]*(big5|cp932|gb2312|gbk|gb18030|sjis)`)

// OpenMySQL connects to MariaDB or MySQL. The session is read-only, has a time limit for
// statements and for locks where the server knows them, and reads zero dates without complaint.
func OpenMySQL(ctx context.Context, cfg *mysql.Config, o Options) (*DB, error) {
	cfg = cfg.Clone()
	d := &DB{Place: Place{Server: ServerName(cfg), User: cfg.User, Schema: cfg.DBName}, observe: o.Observe, right: o.Right}
	if o.Limiter == nil {
		o.Limiter = NewLimiter(maxConns)
	}
	gate := o.Limiter.gate(d.Server)
	cfg.InterpolateParams = !unsafeCharset.MatchString(cfg.FormatDSN()) // one round trip a query
	cfg.MultiStatements = false
	cfg.ParseTime = false           // dates stay the text WordPress wrote
	cfg.Logger = &mysql.NopLogger{} // what it would log comes back as an error too
	cfg.Timeout = cmp.Or(cfg.Timeout, dialTimeout)
	if cfg.Params == nil {
		cfg.Params = map[string]string{}
	}
	d.config = cfg.Clone()
	version, account, instance, err := serverVersion(ctx, cfg, gate)
	if err != nil {
		return nil, err
	}
	number, _, _ := strings.Cut(version, "-")
	d.Version = release.Valid(number)
	d.Account, d.Instance, d.MariaDB = account, instance, strings.Contains(version, "MariaDB")
	maps.Copy(cfg.Params, sessionVariables(version))
	connector, err := newConnector(cfg, gate)
	if err != nil {
		return nil, err
	}
	conns := sql.OpenDB(connector)
	d.pool = &pool{conns, gate}
	return d.use(sqlx.NewDb(conns, "mysql")), nil
}

// ServerName is the address of a server as Place has it.
func ServerName(cfg *mysql.Config) string { return cfg.Net + "(" + cfg.Addr + ")" }

// sessionVariables are those that a server of a version is asked to set for a session, as far as it
// knows them.
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
		// From this many ids on, 1,000 by default, an IN list would become a temporary table.
		since(10, 4, "in_predicate_conversion_threshold", "0")
		return v
	}
	since(5, 7, "max_execution_time", fmt.Sprint(int(queryTimeout/time.Millisecond)))
	if !versionAtLeast(version, 8, 0) {
		since(5, 6, "tx_read_only", "1")
		return v
	}
	v["transaction_read_only"] = "1"
	v["information_schema_stats_expiry"] = "0" // times of change as they are, not as of yesterday
	return v
}

// Close closes the connections.
func (d *DB) Close() error {
	if d.pool != nil {
		d.pool.leave()
	}
	return d.conns.Close()
}

// Connections counts those that are open: in use, and kept for the next statement.
func (d *DB) Connections() (inUse, idle int) {
	s := d.conns.Stats()
	return s.InUse, s.Idle
}

const sqlServer = `SELECT VERSION(), CURRENT_USER(), CONCAT_WS(' ', @@hostname, @@port, @@datadir, @@server_id)`

// serverVersion asks a server for its version, for the account that it takes us for, and which it is.
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

// Tables puts the names of tables into statements.
type Tables struct{ r *strings.Replacer }

// NewTables returns the names of tables: pairs of what a statement says and what the table is called.
func NewTables(pairs ...string) Tables { return Tables{strings.NewReplacer(pairs...)} }

// Bind returns a statement with the names of the tables.
func (t Tables) Bind(query string) string {
	if t.r == nil {
		return query
	}
	return t.r.Replace(query)
}

// Query runs one named statement and calls scan for every row. In args a slice stands
// for an IN (?) list. Values that scan takes as sql.RawBytes live until it returns.
func (d *DB) Query(ctx context.Context, t Tables, query string, args []any, scan func(*sql.Rows) error) (err error) {
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
		stmt = strings.Replace(unforced(stmt), "STRAIGHT_JOIN", "CROSS JOIN", 1) // neither changes the order of the tables
	}
	stmt, args, err = d.expand(stmt, args)
	if err != nil {
		return err
	}
	err = d.run(ctx, stmt, args, func(rows *sql.Rows) error {
		read++
		return scan(rows)
	})
	return d.cure(err)
}

// run runs a statement, and ends it at the server where ctx ends before it does.
func (d *DB) run(ctx context.Context, stmt string, args []any, scan func(*sql.Rows) error) (err error) {
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
		if err := conn.Raw(func(c any) error { thread = c.(*connection).thread; return nil }); err != nil {
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

// expand puts lists into IN (?): ids as they are, since thousands of arguments would cost more
// than the query does, other values as arguments.
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

// From so many neighbours on ids are asked for as a range, which MySQL walks along instead of
// looking every one up; and in so many ranges at most, each of which it has to plan.
const (
	rangeFrom = 8
	maxRanges = 200
)

// appendIDs appends the condition that column is one of ids.
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

// Batches calls fn with at most IDBatch ids at a time, each once and in ascending order.
func Batches(ids []int64, fn func([]int64) error) error {
	for some := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(ids))), IDBatch) {
		if err := fn(some); err != nil {
			return err
		}
	}
	return nil
}

// Numbers of errors.
const (
	codeLogin   = 1045 // user or password
	codeNoLogin = 1698 // the same of an account without a password; MariaDB answers either for an account that does not exist
	CodeSchema  = 1044 // the database
)

// Code is the number of an error that MariaDB or MySQL has answered, 0 for any other.
func Code(err error) uint16 {
	if my, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return my.Number
	}
	return 0
}

// LoginRefused reports whether err says that the server lets an account not in, or does not know it.
func LoginRefused(err error) bool { return Code(err) == codeLogin || Code(err) == codeNoLogin }

// MissingTable reports whether err says that a table does not exist.
func MissingTable(err error) bool { return is(err, 1146, "no such table") }

// Unreadable reports whether err says that a table is not there, is denied, or has the form of another version of a plugin.
func Unreadable(err error) bool {
	return MissingTable(err) || Denied(err) || is(err, 1054, "no such column")
}

// is reports whether err is of a number or, from SQLite, has a text.
func is(err error, code uint16, text string) bool {
	got := Code(err)
	return got == code || got == 0 && err != nil && strings.Contains(err.Error(), text)
}

// QueryForced runs a statement that names the index it goes by. Left to itself MariaDB may walk an index up to
// where a batch begins once for every batch. Where there is no such index the statement goes
// without its name from then on.
func (d *DB) QueryForced(ctx context.Context, t Tables, query *string, args []any, scan func(*sql.Rows) error) error {
	err := d.Query(ctx, t, *query, args, scan)
	if MissingIndex(err) {
		*query = unforced(*query)
		err = d.Query(ctx, t, *query, args, scan)
	}
	return err
}

// unforced returns a statement without the name of an index.
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
