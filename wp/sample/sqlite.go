package sample

import (
	"crypto/md5"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net/url"

	"modernc.org/sqlite" // driver "sqlite"
)

// The statements of the demo site use md5 for the hashes of addresses that Yoast SEO stores. SQLite has no such function.
func init() {
	sqlite.MustRegisterDeterministicScalarFunction("md5", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		if args[0] == nil {
			return nil, nil
		}
		return fmt.Sprintf("%x", md5.Sum(fmt.Append(nil, args[0]))), nil
	})
}

// OpenSQLite opens or creates the SQLite file at path for writing. It uses WAL mode, like the integration plugin.
func OpenSQLite(path string) (*sql.DB, error) {
	u := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: url.Values{"_pragma": {
		"busy_timeout(10000)",
		"journal_mode(wal)",
		"synchronous(off)", // data lost in a crash can be made again
	}}.Encode()}
	return sql.Open("sqlite", u.String())
}
