package db

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// NULL becomes what PHP makes of it.
func TestRows(t *testing.T) {
	d := open(t, wptest.Load(t, wptest.SQLite), Options{})
	query := func(query string, scan func(*sql.Rows) error) {
		t.Helper()
		wptest.Must(t, d.Query(t.Context(), Tables{}, query, nil, scan))
	}
	var got []string
	query("SELECT 7 UNION SELECT NULL ORDER BY 1", Rows1(func(a int64) { got = append(got, fmt.Sprint(a)) }))
	query("SELECT 'x', 1 > 0", Rows2(func(a string, b bool) { got = append(got, fmt.Sprintf("%s %t", a, b)) }))
	query("SELECT NULL, 1 > 2, NULL", Rows3(func(a string, b, c bool) { got = append(got, fmt.Sprintf("%q %t %t", a, b, c)) }))
	query("SELECT 1, 2, 'y', 'z'", Rows4(func(a int, b int64, c sql.NullString, d Value) {
		got = append(got, fmt.Sprintf("%d %d %s %s %t", a, b, c.String, d.Text, d.TooLong))
	}))
	query("SELECT '"+TooLong+"', '"+TooLong+"'", Rows2(func(a string, b Value) { got = append(got, fmt.Sprintf("%q %q %t", a, b.Text, b.TooLong)) }))
	expect.List(t, got, []string{"0", "7", "x true", `"" false false`, "1 2 y z false", `"" "" true`})
}

func TestCondition(t *testing.T) {
	for _, tt := range []struct {
		value    any
		want, ok bool
	}{
		{int64(0), false, true}, {int64(1), true, true}, {int64(2), true, true}, {int64(-1), true, true},
		{[]byte("1"), true, true}, {[]byte("0"), false, true}, {nil, false, true}, {"x", false, false},
	} {
		got, err := Condition(tt.value)
		expect.Equal(t, got, tt.want, tt.value)
		expect.Equal(t, err == nil, tt.ok, tt.value, err)
	}
}

// The long values of all rows of a statement are bounded together. Short ones do not count.
func TestKept(t *testing.T) {
	long, short := strings.Repeat("x", keptFrom), strings.Repeat("x", keptFrom-1)
	k := new(Kept)
	for range maxKept / keptFrom {
		wptest.Must(t, k.Add(long, short))
	}
	if err := k.Add(short); err != nil {
		t.Errorf("a short value counts: %v", err)
	}
	if err := k.Add(long); err == nil {
		t.Error("more long values than the bound are kept")
	}
	d := open(t, wptest.Load(t, wptest.SQLite), Options{})
	big := fmt.Sprintf("SELECT printf('%%.*c', %d, 'x') FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9) SELECT i FROM n)", MaxContent)
	for name, scan := range map[string]func(*sql.Rows) error{"text": Rows1(func(string) {}), "value": Rows1(func(Value) {})} {
		if err := d.Query(t.Context(), Tables{}, big, nil, scan); err == nil {
			t.Errorf("%s: more than %d bytes in the rows of one statement", name, maxKept)
		}
	}
}

// Each statement is observed with the rows that were read, and counted if its context counts.
func TestObserverAndCount(t *testing.T) {
	var observed []string
	d := open(t, wptest.Load(t, wptest.SQLite), Options{Observe: func(query string, rows int, _ time.Duration, err error) {
		observed = append(observed, fmt.Sprint(query, " ", rows, " ", err != nil))
	}})
	ctx, n := CountQueries(t.Context())
	wptest.Must(t, d.Query(ctx, Tables{}, "SELECT 1 UNION SELECT 2", nil, Rows1(func(int) {})))
	stop := errors.New("stop")
	if err := d.Query(ctx, Tables{}, "SELECT 1 UNION SELECT 3", nil, func(*sql.Rows) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v, want the error of the function that reads rows", err)
	}
	if err := d.Query(ctx, Tables{}, "SELECT 4 WHERE 1 IN (?)", []any{[]int64{}}, Rows1(func(int) {})); err == nil {
		t.Error("a list without ids is a statement")
	}
	wptest.Must(t, d.Query(t.Context(), Tables{}, "SELECT 5", nil, Rows1(func(int) {})))
	expect.List(t, observed,
		[]string{"SELECT 1 UNION SELECT 2 2 false", "SELECT 1 UNION SELECT 3 1 true", "SELECT 4 WHERE 1 IN (?) 0 true", "SELECT 5 1 false"})
	expect.Equal(t, n.Load(), 3, "statements of the context that counts")
}

// fn gets each id once, in ascending order, in batches.
func TestBatches(t *testing.T) {
	ids := []int64{3, 1, 3, 2}
	for i := int64(0); i < IDBatch; i++ {
		ids = append(ids, 10+i)
	}
	var sizes []int
	last := int64(0)
	wptest.Must(t, Batches(ids, func(some []int64) error {
		sizes = append(sizes, len(some))
		for _, id := range some {
			if id <= last {
				t.Errorf("%d follows %d", id, last)
			}
			last = id
		}
		return nil
	}))
	expect.List(t, sizes, []int{IDBatch, 3})
	calls, stop := 0, errors.New("stop")
	if err := Batches(ids, func([]int64) error { calls++; return stop }); !errors.Is(err, stop) || calls != 1 {
		t.Errorf("%v after %d calls, want the first error", err, calls)
	}
}

// Without the index that a statement forces, the statement runs without its name.
func TestQueryForced(t *testing.T) {
	d := open(t, wptest.Load(t, wptest.MariaDB, "basic"), Options{})
	const forced = "SELECT COUNT(*) FROM wp_posts FORCE INDEX (no_such_index) WHERE ID > 0"
	posts := 0
	wptest.Must(t, d.QueryForced(t.Context(), Tables{}, forced, nil, Rows1(func(n int) { posts = n })))
	expect.Equal(t, posts > 0, true, "posts are counted")
	if err := d.Query(t.Context(), Tables{}, forced, nil, Rows1(func(int) {})); !MissingIndex(err) {
		t.Errorf("%v, want the error that the index is missing", err)
	}
	if err := d.QueryForced(t.Context(), Tables{}, "SELECT nothing FROM wp_posts", nil, Rows1(func(int) {})); err == nil || MissingIndex(err) {
		t.Errorf("%v, want the error of the statement", err)
	}
	expect.Equal(t, unforced("SELECT 1 FROM a FORCE INDEX (b) WHERE c = (d)"), "SELECT 1 FROM a WHERE c = (d)")
	expect.Equal(t, unforced("SELECT 1 FROM a WHERE c = (d)"), "SELECT 1 FROM a WHERE c = (d)")
}

// The sort key of a text ignores the case of letters of ASCII, as COLLATE NOCASE does.
func TestWeightString(t *testing.T) {
	d := open(t, wptest.Load(t, wptest.SQLite), Options{})
	for text, want := range map[string]string{"'AZaz'": "azaz", "'@[É`{'": "@[É`{", "''": "", "NULL": "<nil>", "7": "7"} {
		var got any
		wptest.Must(t, d.conns.QueryRowContext(t.Context(), "SELECT WEIGHT_STRING("+text+")").Scan(&got))
		if b, ok := got.([]byte); ok {
			got = string(b)
		}
		expect.Equal(t, fmt.Sprint(got), want, text)
	}
}

// Only the regular file that was opened is read.
func TestSQLiteFiles(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	path := strings.TrimPrefix(dsn, "sqlite:")
	d := open(t, dsn, Options{})
	expect.Equal(t, d.Server, path)
	wptest.Must(t, os.Rename(path, path+".old"))
	data, err := os.ReadFile(path + ".old")
	wptest.Must(t, err)
	wptest.Must(t, os.WriteFile(path, data, 0o644))
	d.conns.SetMaxIdleConns(-1)
	err = d.Query(t.Context(), Tables{}, "SELECT 1", nil, Rows1(func(int) {}))
	if err == nil || !strings.Contains(err.Error(), "was replaced by another file") {
		t.Errorf("another file at the same path: %v", err)
	}
	wptest.Must(t, os.Remove(path))
	if err := d.Query(t.Context(), Tables{}, "SELECT 1", nil, Rows1(func(int) {})); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file any more: %v", err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	wptest.Must(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{pipe, filepath.Dir(pipe)} {
		if _, err := OpenSQLite(t.Context(), path, Options{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// The rows of SQLite are bounded, too.
func TestRowsOfSQLiteAreBounded(t *testing.T) {
	d := open(t, wptest.Load(t, wptest.SQLite), Options{})
	err := d.Query(t.Context(), Tables{}, fmt.Sprintf("SELECT zeroblob(%d)", maxRowBytes+1), nil, func(rows *sql.Rows) error {
		var b sql.RawBytes
		return rows.Scan(&b)
	})
	if err == nil {
		t.Error("a row is longer than the bound")
	}
	var got []byte
	wptest.Must(t, d.Query(t.Context(), Tables{}, "SELECT x'0102'", nil, Rows1(func(b []byte) { got = bytes.Clone(b) })))
	expect.Equal(t, string(got), "\x01\x02")
}

// A context that has ended runs no statement.
func TestQueryOfAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		d := open(t, wptest.Load(t, e, "basic"), Options{})
		if err := d.Query(ctx, Tables{}, "SELECT 1", nil, Rows1(func(int) { t.Error("a row is read") })); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}
