package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite" // driver "sqlite", for sites on the SQLite drop-in
)

// sqliteTimeout is how many milliseconds SQLite waits for a process that writes.
const sqliteTimeout = 5000

// OpenSQLite opens a SQLite file for reading. It returns an error if path is not a regular file.
func OpenSQLite(ctx context.Context, path string, o Options) (*DB, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe would block without end
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	q := url.Values{"mode": {"ro"}}
	q.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", sqliteTimeout))
	q.Add("_pragma", "query_only(1)")
	connector, err := sqlite.NewConnector((&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	pool := sqlx.NewDb(sql.OpenDB(&sqliteConnector{connector, path, info}), "sqlite")
	if _, err := pool.ExecContext(ctx, `SELECT 1 FROM sqlite_master LIMIT 1`); err != nil {
		pool.Close()
		err = plain(err)
		if strings.Contains(err.Error(), "readonly") {
			return nil, fmt.Errorf("%w: the file is in WAL mode: the daemon needs write access to its folder (for the -shm file), or a copy of the file", err)
		}
		return nil, err
	}
	d := &DB{Server: path, SQLite: true, observe: o.Observe}
	return d.use(pool), nil
}

// sqliteConnector opens a file by its name, because SQLite needs the files beside it. It checks that the file is
// still the one that OpenSQLite has checked.
type sqliteConnector struct {
	driver.Connector
	path string
	info os.FileInfo
}

func (c *sqliteConnector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := c.same(); err != nil {
		return nil, err
	}
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.same(); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func (c *sqliteConnector) same() error {
	info, err := os.Stat(c.path)
	if err == nil && !os.SameFile(info, c.info) {
		err = fmt.Errorf("%s was replaced by another file", c.path)
	}
	return err
}

// SQLite lacks the function WEIGHT_STRING, which in MySQL returns the sort key of a text. The function that is added
// here returns the sort key for COLLATE NOCASE, the collation of WordPress' SQLite drop-in. NOCASE ignores letter case
// only in ASCII.
func init() {
	sqlite.MustRegisterDeterministicScalarFunction("WEIGHT_STRING", 1,
		func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			text, ok := args[0].(string)
			if !ok {
				return args[0], nil
			}
			key := []byte(text)
			for i, c := range key {
				if 'A' <= c && c <= 'Z' {
					key[i] = c + 'a' - 'A'
				}
			}
			return key, nil
		})
}
