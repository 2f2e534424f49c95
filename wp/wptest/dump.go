package wptest

import (
	"compress/gzip"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// Dump loads a compressed dump of a MariaDB database and returns its DSN. If the file does not exist, the test is skipped,
// because recorded sites are not part of the repository.
func Dump(t testing.TB, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the recorded site is not there: " + path)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	script, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	dsn := create(t, MariaDB, MySQL(t))
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	cfg.MultiStatements = true
	db, err := sql.Open("mysql", cfg.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run(t, db, string(script))
	return dsn
}
