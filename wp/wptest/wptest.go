// Package wptest gives tests a WordPress database: the tables in the dialect of either engine, filled from the seeds in
// testdata/seed. Only tests import it.
package wptest

import (
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// Engines runs test for each engine, in a subtest with the engine's name.
func Engines(t *testing.T, test func(t *testing.T, e Engine)) {
	t.Helper()
	for _, e := range []Engine{MariaDB, SQLite} {
		t.Run(e.String(), func(t *testing.T) { test(t, e) })
	}
}

// env is the variable that "make test" sets: a DSN for go-sql-driver without a database, of an account that may create databases
// and users.
const env = "WPSITEMAPD_TEST_MYSQL"

// MySQL returns the DSN of the test server; it ends in "/". If there is no server, the test is skipped, or fails if CI=true,
// because nobody reads there which tests were skipped.
func MySQL(t testing.TB) string {
	t.Helper()
	NeedsServer(t)
	dsn := os.Getenv(env)
	if dsn == "" {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not set: run \"make test\", which starts a private MariaDB", env)
		}
		t.Skipf("needs MariaDB: run \"make test\", or set %s to a DSN such as root@unix(/run/mysqld/mysqld.sock)/", env)
	}
	if _, err := mysql.ParseDSN(dsn); err != nil {
		t.Fatalf("%s: %v", env, err)
	}
	return dsn
}

// NeedsServer skips a test that needs another program than SQLite, if only quick tests run (go test -short, make quick).
func NeedsServer(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a server: make test runs it")
	}
}

// Load creates a single site with the prefix wp_ and applies seeds of testdata/seed in order ("basic", "dated"). Without seeds
// the tables are empty. Load returns the DSN as package wp expects it: in go-sql-driver's form, or "sqlite:" and a path. The
// database is removed at the end of the test.
func Load(t testing.TB, e Engine, seed ...string) string {
	t.Helper()
	server := ""
	if e == MariaDB {
		server = MySQL(t)
	}
	return load(t, e, server, seed)
}

func load(t testing.TB, e Engine, server string, seed []string) string {
	t.Helper()
	dsn := create(t, e, server)
	path, key := strings.TrimPrefix(dsn, "sqlite:"), strings.Join(seed, " ")
	if file, ok := loaded.Load(key); ok && e == SQLite {
		Must(t, os.WriteFile(path, file.([]byte), 0o644))
		return dsn
	}
	db, _ := DB(t, dsn)
	run(t, db, SiteSchema(e, "wp_")...)
	for _, name := range seed {
		applySeed(t, db, e, name)
	}
	if e == SQLite {
		Must(t, db.Close()) // writes all data into one file
		file, err := os.ReadFile(path)
		Must(t, err)
		loaded.Store(key, file)
	}
	return dsn
}

// loaded holds the files of the SQLite databases that were loaded so far, by their seeds. Later tests get copies.
var loaded sync.Map

var created atomic.Int64

// create creates an empty database and returns its DSN.
func create(t testing.TB, e Engine, server string) string {
	t.Helper()
	if e == SQLite {
		// WAL puts two more files into the directory.
		dir := filepath.Join(t.TempDir(), "database")
		Must(t, os.Mkdir(dir, 0o700))
		return "sqlite:" + filepath.Join(dir, ".ht.sqlite")
	}
	name := fmt.Sprintf("wptest_%d_%d", os.Getpid(), created.Add(1))
	admin, _ := DB(t, server)
	run(t, admin,
		"DROP DATABASE IF EXISTS `"+name+"`",
		"CREATE DATABASE `"+name+"` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci")
	t.Cleanup(func() { run(t, admin, "DROP DATABASE `"+name+"`") })
	cfg, err := mysql.ParseDSN(server)
	Must(t, err)
	cfg.DBName = name
	return cfg.FormatDSN()
}

// Exec executes statements that both engines understand on a loaded site. Strings are quoted with ', which is doubled inside a
// string. A backslash stands for itself, and || joins strings. An argument may hold several statements and the directives of
// testdata/seed/README.md.
func Exec(t testing.TB, dsn string, statements ...string) {
	t.Helper()
	db, e := DB(t, dsn)
	defer db.Close()
	for _, s := range statements {
		apply(t, db, e, "Exec", s)
	}
}

// Alone waits until no other test of any package uses the account sitemaps of the test server. It keeps other tests from the
// account until this test ends.
func Alone(t testing.TB, dsn string) {
	t.Helper()
	db, _ := DB(t, dsn)
	conn, err := db.Conn(context.Background())
	Must(t, err)
	t.Cleanup(func() { conn.Close() })
	var got int
	Must(t, conn.QueryRowContext(t.Context(), "SELECT GET_LOCK('sitemaps', 300)").Scan(&got))
	if got != 1 {
		t.Fatal("another test keeps the account sitemaps")
	}
}

// sqliteOptions are the options with which package sample opens SQLite, too.
const sqliteOptions = "_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(off)"

// DB opens a loaded site for reading and writing. It is closed at the end of the test. The package under test must import
// SQLite's driver. It is not imported here, because linking it is slow and many packages do without it.
func DB(t testing.TB, dsn string) (*sql.DB, Engine) {
	t.Helper()
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		u := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: sqliteOptions}
		db, err := sql.Open("sqlite", u.String())
		Must(t, err)
		t.Cleanup(func() { db.Close() })
		return db, SQLite
	}
	cfg, err := mysql.ParseDSN(dsn)
	Must(t, err)
	// Old sites hold values that strict modes refuse: zero dates, id 0, missing values. With these modes literals and operators
	// have the same meaning as in SQLite.
	params := map[string]string{"sql_mode": "'NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,NO_AUTO_VALUE_ON_ZERO'"}
	maps.Copy(params, cfg.Params)
	cfg.Params = params
	cfg.InterpolateParams = true
	connector, err := mysql.NewConnector(cfg)
	Must(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db, MariaDB
}

// IsMariaDB reports whether the server of a DSN is MariaDB and not MySQL. Only .ci/engine uses MySQL.
func IsMariaDB(t testing.TB, dsn string) bool {
	t.Helper()
	db, _ := DB(t, dsn)
	var version string
	Must(t, db.QueryRow("SELECT VERSION()").Scan(&version))
	return strings.Contains(version, "MariaDB")
}

func run(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%v\nin: %.400s", err, s)
		}
	}
}

// RowsTouched runs a query in its own session, and returns how many entries of an index the engine read. This
// includes entries that the engine read but then filtered out. The test fails if the query sorts.
func RowsTouched(t testing.TB, db *sql.DB, query string, args ...any) (n int) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	Must(t, err)
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "FLUSH STATUS"); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.QueryContext(t.Context(), query, args...)
	Must(t, err)
	for rows.Next() {
	}
	Must(t, errors.Join(rows.Err(), rows.Close()))
	counts := map[string]int{}
	rows, err = conn.QueryContext(t.Context(), "SHOW SESSION STATUS WHERE Variable_name IN ('Handler_read_next', "+
		"'Handler_icp_attempts', 'Sort_scan', 'Sort_range', 'Handler_read_rnd_next')")
	Must(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		var count int
		Must(t, rows.Scan(&name, &count))
		counts[name] = count
	}
	if counts["Sort_scan"]+counts["Sort_range"] > 0 {
		t.Errorf("sorts: %s", query)
	}
	return max(counts["Handler_read_next"], counts["Handler_icp_attempts"]) + counts["Handler_read_rnd_next"]
}

// Dump loads a compressed dump of a MariaDB database and returns its DSN. If the file does not exist, the test is skipped,
// because recorded sites are not part of the repository.
func Dump(t testing.TB, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the recorded site is not there: " + path)
	}
	Must(t, err)
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	Must(t, err)
	script, err := io.ReadAll(unpacked)
	Must(t, err)
	dsn := create(t, MariaDB, MySQL(t))
	cfg, err := mysql.ParseDSN(dsn)
	Must(t, err)
	cfg.MultiStatements = true
	db, err := sql.Open("mysql", cfg.FormatDSN())
	Must(t, err)
	defer db.Close()
	run(t, db, string(script))
	return dsn
}
