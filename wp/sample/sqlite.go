package sample

import (
	"database/sql"
	"net/url"

	_ "modernc.org/sqlite" // driver "sqlite"
)

// OpenSQLite opens or creates the SQLite file at path for writing, in WAL mode as the integration plugin leaves it.
func OpenSQLite(path string) (*sql.DB, error) {
	u := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: url.Values{"_pragma": {
		"busy_timeout(10000)",
		"journal_mode(wal)",
		"synchronous(off)", // what is lost in a crash can be made again
	}}.Encode()}
	return sql.Open("sqlite", u.String())
}
