package db

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// If a statement is given up, it has ended at the server when the caller learns it. Statements of other callers go on. The statement
// is no SLEEP, which ends some seconds after its connection has closed. BENCHMARK would end with the session's limit, queryTimeout.
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
			const slow = `SELECT BENCHMARK(1000000000000, 1) FROM wp_options WHERE option_name = ? LIMIT 1`
			beside := openAdmin(t, dsn)
			go beside.ExecContext(t.Context(), `SELECT SLEEP(401)`)
			ctx, cancel := end(t.Context())
			defer cancel()
			err := d.Query(ctx, Tables{}, slow, []any{"siteurl"}, func(*sql.Rows) error { return nil })
			if err == nil || ctx.Err() == nil {
				t.Fatalf("it has ended by itself: %v", err)
			}
			given := time.Now()
			wptest.Eventually(t, "no statement runs at the server", func() bool { return count(t, admin, "BENCHMARK(1000000000000") == 0 })
			if took := time.Since(given); took > queryTimeout/2 {
				t.Errorf("it ended %v after it was given up", took)
			}
			wptest.Eventually(t, "the statement of another connection runs", func() bool { return count(t, admin, "SLEEP(401)") > 0 })
		})
	}
}

// Another statement of the same connection goes on. So does a statement of another server, where the number is that of a visitor.
func TestOtherStatementsGoOn(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	d := open(t, dsn, Options{})
	admin := openAdmin(t, dsn)
	beside, err := openAdmin(t, dsn).Conn(t.Context())
	wptest.Must(t, err)
	var thread int64
	wptest.Must(t, beside.QueryRowContext(t.Context(), sqlConnection).Scan(&thread))
	ended := make(chan error, 1)
	go func() {
		_, err := beside.ExecContext(t.Context(), `SELECT SLEEP(402)`)
		ended <- err
	}()
	wptest.Eventually(t, "it runs", func() bool { return count(t, admin, "SLEEP(402)") > 0 })
	d.end("SELECT SLEEP(403)", thread)
	d.end("SELECT SLEEP(402)", 0) // no such connection
	time.Sleep(50 * time.Millisecond)
	expect.Equal(t, count(t, admin, "SLEEP(402)"), 1, "another statement is meant")
	d.end("SELECT SLEEP(402)?", thread) // only what stands before the first value identifies it
	wptest.Eventually(t, "it has ended", func() bool { return count(t, admin, "SLEEP(402)") == 0 })
	<-ended
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
