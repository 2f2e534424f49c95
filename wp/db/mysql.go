package db

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"wpsitemapd/wp/release"
)

// unsafeCharset matches a DSN with a character set in which the last byte of a character may look like a
// backslash. The driver must not put texts into statements then.
var unsafeCharset = regexp.MustCompile(`(?i)[?&](charset|collation)=[^&]*(big5|cp932|gb2312|gbk|gb18030|sjis)`)

// OpenMySQL connects to MariaDB or MySQL. First it asks for the version over one connection without session variables.
// Then it makes the pool, whose connections set the variables that this version knows.
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
	d.config = cfg.Clone() // without session variables: for single connections outside the pool
	version, err := d.identify(ctx, gate)
	if err != nil {
		return nil, plain(err)
	}
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

const sqlIdentity = `SELECT VERSION(), CURRENT_USER(), CONCAT_WS(' ', @@hostname, @@port, @@datadir, @@server_id)`

// identify asks the server who it is, and sets Version, Account and Instance of d. It returns VERSION() as the server wrote it, such as
// 10.11.6-MariaDB-0+deb12u1 or 8.0.36.
func (d *DB) identify(ctx context.Context, gate *gate) (version string, err error) {
	one, err := openOne(d.config, gate)
	if err != nil {
		return "", err
	}
	defer one.Close()
	ctx, cancel := context.WithTimeout(ctx, d.config.Timeout+dialTimeout) // the second part is for the statement, and for the wait for a turn
	defer cancel()
	var account string
	err = one.QueryRowContext(ctx, sqlIdentity).Scan(&version, &account, &d.Instance)
	d.Version, d.Account = numberOf(version), plainText(account)
	return version, err
}

// numberOf returns the number in VERSION(), or "" if there is none.
func numberOf(version string) release.Version {
	number, _, _ := strings.Cut(version, "-")
	return release.Valid(number)
}

// sessionVariables returns the variables that make a session read-only and limit its statements. A server refuses a
// connection that sets a variable which the server does not know. So a variable is set only from the version on that
// has it, and only if the version is known.
func sessionVariables(version string) map[string]string {
	v := map[string]string{
		"sql_mode":          "''", // accepts zero dates
		"lock_wait_timeout": fmt.Sprint(lockTimeout),
	}
	number := numberOf(version)
	reached := func(first release.Version) bool { return number != "" && !number.Before(first) }
	since := func(first release.Version, variable, value string) {
		if reached(first) {
			v[variable] = value
		}
	}
	if strings.Contains(version, "MariaDB") {
		since("10.0", "tx_read_only", "1")
		since("10.1", "max_statement_time", fmt.Sprint(int(queryTimeout/time.Second)))
		// MariaDB turns an IN list of this many ids (by default 1,000) into a temporary table. 0 prevents that.
		// Releases of 10.4 have the variable since 10.4.8 (MDEV-20083).
		since("10.4.8", "in_predicate_conversion_threshold", "0")
		return v
	}
	since("5.7", "max_execution_time", fmt.Sprint(int(queryTimeout/time.Millisecond)))
	if !reached("8.0") {
		since("5.6", "tx_read_only", "1")
		return v
	}
	v["transaction_read_only"] = "1"
	v["information_schema_stats_expiry"] = "0" // else MySQL may report times of change that are a day old
	return v
}
