// Package sample makes the demo site that "wpsitemapd demo" serves.
package sample

import (
	"context"
	"crypto/md5"
	"database/sql"
	"database/sql/driver"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"modernc.org/sqlite"
)

// The tables of a single site, in the layout of WordPress' SQLite integration plugin 3.x, and the rows of the demo site.
var (
	//go:embed schema.sql
	schema string
	//go:embed publish.sql
	sqlPublish string
	//go:embed demo.sql
	demo string
)

// Create writes the demo site, "The Saltwick Gazette", to a new file at path. home is the address of the site, such as
// "http://127.0.0.1:8080". If the file exists, Create returns fs.ErrExist.
func Create(ctx context.Context, path, home string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("demo site: %w", err)
	}
	f.Close()
	script := schema + "BEGIN;\n" + strings.ReplaceAll(demo, "{HOME}", strings.ReplaceAll(strings.TrimSuffix(home, "/"), "'", "''")) + "COMMIT;\n"
	return run(ctx, path, script)
}

// run executes SQL statements on the SQLite file at path.
func run(ctx context.Context, path, script string, args ...any) error {
	db, err := OpenSQLite(path)
	if err != nil {
		return fmt.Errorf("demo site: %w", err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, script, args...); err != nil {
		return fmt.Errorf("demo site: %w", err)
	}
	return db.Close()
}

// Publish adds a post, published now, to a demo site that Create has made. It returns the post's title and address.
func Publish(ctx context.Context, path, home string, now time.Time) (title, address string, err error) {
	now = now.UTC()
	local := now.Add(time.Hour) // the site's option gmt_offset is 1
	title = "Late news of " + now.Format(time.TimeOnly) + " UTC"
	slug := fmt.Sprint("late-news-", now.UnixMilli())
	address = home + "/" + slug + "/"
	err = run(ctx, path, sqlPublish, local.Format(time.DateTime), now.Format(time.DateTime), slug, title,
		"<!-- wp:paragraph -->\n<p>The quay has just said so.</p>\n<!-- /wp:paragraph -->", address)
	return title, address, err
}

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
