package db

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
)

// A statement that is given up has ended at the server when that is known, and those of others go on.
func TestGivenUpStatementEnds(t *testing.T) {
	for _, tt := range []struct {
		name  string
		limit bool // the server is told the time that is left
		end   func(ctx context.Context) (context.Context, context.CancelFunc)
	}{
		{"cancelled", false, func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(300*time.Millisecond, cancel)
			return ctx, cancel
		}},
		{"out of time, which the server does not know", false, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 300*time.Millisecond)
		}},
		{"out of time, by the server's own limit", true, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 900*time.Millisecond)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.MariaDB, "basic")
			d := open(t, dsn, Options{})
			if !tt.limit {
				d.limits = noLimit
			} else if d.limits == noLimit {
				t.Fatal("the server takes no limit")
			}
			admin := openAdmin(t, dsn)
			const slow = `SELECT SLEEP(400) FROM wp_options WHERE option_name = ? LIMIT 1`
			beside := openAdmin(t, dsn)
			go beside.ExecContext(t.Context(), `SELECT SLEEP(401)`)
			ctx, cancel := tt.end(t.Context())
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

// Limits are put into statements where the time left is shorter than the session's own.
func TestLimitOfAStatement(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for _, tt := range []struct {
		form limitForm
		ctx  context.Context
		stmt string
		want string
	}{
		{setLimit, ctx, "SELECT 1", "SET STATEMENT max_statement_time = 10 FOR SELECT 1"},
		{hintLimit, ctx, "SELECT 1", "SELECT /*+ MAX_EXECUTION_TIME(10000) */ 1"},
		{noLimit, ctx, "SELECT 1", "SELECT 1"},
		{setLimit, t.Context(), "SELECT 1", "SELECT 1"},
		{setLimit, ctx, "SHOW MASTER STATUS", "SHOW MASTER STATUS"},
	} {
		if got := tt.form.apply(tt.ctx, tt.stmt); got != tt.want {
			t.Errorf("%q by %d: %q, want %q", tt.stmt, tt.form, got, tt.want)
		}
	}
}
