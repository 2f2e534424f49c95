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
