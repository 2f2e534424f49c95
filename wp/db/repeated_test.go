package db

import (
	"database/sql"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A statement that is sent again is prepared once, and has the same rows.
func TestRepeatedStatementIsPrepared(t *testing.T) {
	t.Parallel()
	d := open(t, wptest.Load(t, wptest.MariaDB, "basic"), Options{})
	counted := func(what string) (n int64) {
		t.Helper()
		wptest.Must(t, d.Query(t.Context(), Tables{}, "SHOW SESSION STATUS LIKE 'Com_stmt_"+what+"'", nil,
			Rows2(func(_ string, count int64) { n = count })))
		return n
	}
	const some = `SELECT COUNT(*), NULL, AUTO_INCREMENT, UNIX_TIMESTAMP(CREATE_TIME), TABLE_NAME, ? FROM information_schema.TABLES 
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?`
	of := func(query, table string) string {
		t.Helper()
		var count, null, increment, created, given int64
		var name string
		wptest.Must(t, d.QueryRepeated(t.Context(), Tables{}, query, []any{7, table}, func(rows *sql.Rows) error {
			return rows.Scan(Number(&count), Number(&null), Number(&increment), Number(&created), Text(&name), Number(&given))
		}))
		expect.Equal(t, given == 7 && null == 0 && increment > 1 && created > 1e9, true, given, null, increment, created)
		return name
	}
	another := strings.Replace(some, "COUNT(*)", "1", 1)
	for _, step := range []struct {
		query, table      string
		prepared, started int64
	}{
		{some, "wp_posts", 0, 0},
		{some, "wp_terms", 1, 1},
		{some, "wp_posts", 1, 2},
		{another, "wp_terms", 1, 2}, // which comes once in a while
		{some, "wp_users", 1, 3},
		{another, "wp_terms", 1, 3},
		{another, "wp_posts", 2, 4},
	} {
		expect.Equal(t, of(step.query, step.table), step.table)
		expect.Equal(t, counted("prepare"), step.prepared, "prepared")
		expect.Equal(t, counted("execute"), step.started, "executed")
	}
}

// A statement that cannot be prepared is sent as text each time.
func TestRepeatedStatementThatCannotBePrepared(t *testing.T) {
	t.Parallel()
	d := open(t, wptest.Load(t, wptest.MariaDB, "basic"), Options{})
	wptest.Must(t, d.Query(t.Context(), Tables{}, "PREPARE one FROM 'SELECT 1'", nil, nil))
	for range 4 {
		n := 0
		wptest.Must(t, d.QueryRepeated(t.Context(), Tables{}, "EXECUTE one", nil, Rows1(func(one int) { n = one })))
		expect.Equal(t, n, 1)
	}
	for range 2 {
		expect.Equal(t, code(d.QueryRepeated(t.Context(), Tables{}, "SELECT missing", nil, nil)), 1054)
	}
}

// A prepared statement that fails for a reason of its own, such as a time limit, is not sent again.
func TestRepeatedStatementThatFails(t *testing.T) {
	t.Parallel()
	d := open(t, wptest.Load(t, wptest.MariaDB, "basic"), Options{})
	of := func(limit int) error {
		return d.QueryRepeated(t.Context(), Tables{}, "SELECT 1 FROM wp_posts WHERE ID = (SELECT ID FROM wp_posts LIMIT ?)", []any{limit},
			func(*sql.Rows) error { return nil })
	}
	wptest.Must(t, of(1))
	wptest.Must(t, of(1))
	sent := func() (n int64) {
		wptest.Must(t, d.Query(t.Context(), Tables{}, "SHOW SESSION STATUS LIKE 'Com_select'", nil, Rows2(func(_ string, count int64) { n = count })))
		return n
	}
	before := sent()
	const moreThanOneRow = 1242
	expect.Equal(t, code(of(2)), moreThanOneRow)
	expect.Equal(t, sent()-before, 1)
	wptest.Must(t, of(1))
	expect.Equal(t, sent()-before, 2)
}
