package db

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
)

// If a statement is given up, it has ended at the server when the caller learns it. Statements of other callers go on.
func TestGivenUpStatementEnds(t *testing.T) {
	for name, end := range map[string]func(ctx context.Context) (context.Context, context.CancelFunc){
		"cancelled": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(300*time.Millisecond, cancel)
			return ctx, cancel
		},
		"out of time": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 300*time.Millisecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.MariaDB, "basic")
			d := open(t, dsn, Options{})
			admin := openAdmin(t, dsn)
			const slow = `SELECT SLEEP(400) FROM wp_options WHERE option_name = ? LIMIT 1`
			beside := openAdmin(t, dsn)
			go beside.ExecContext(t.Context(), `SELECT SLEEP(401)`)
			ctx, cancel := end(t.Context())
			defer cancel()
			err := d.Query(ctx, Tables{}, slow, []any{"siteurl"}, func(*sql.Rows) error { return nil })
			if err == nil || ctx.Err() == nil {
				t.Fatalf("it has ended by itself: %v", err)
			}
			wptest.Eventually(t, "no statement runs at the server", func() bool { return count(t, admin, "SLEEP(400)") == 0 })
			wptest.Eventually(t, "the statement of another connection runs", func() bool { return count(t, admin, "SLEEP(401)") > 0 })
		})
	}
}

func openAdmin(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	connector, err := mysql.NewConnector(cfg)
	wptest.Must(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

func count(t *testing.T, db *sql.DB, text string) (n int) {
	t.Helper()
	err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM information_schema.PROCESSLIST
WHERE DB = DATABASE() AND INFO LIKE ? AND INFO NOT LIKE '%PROCESSLIST%'`,
		"%"+text+"%").Scan(&n)
	wptest.Must(t, err)
	return n
}
