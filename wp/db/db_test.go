package db

import (
	"math"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
)

func open(t *testing.T, dsn string, o Options) *DB {
	t.Helper()
	var d *DB
	var err error
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		d, err = OpenSQLite(t.Context(), path, o)
	} else {
		var cfg *mysql.Config
		if cfg, err = mysql.ParseDSN(dsn); err == nil {
			d, err = OpenMySQL(t.Context(), cfg, o)
		}
	}
	wptest.Must(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

// Even an account that may write cannot do so on a session of ours.
func TestSessionIsReadOnly(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		n := open(t, wptest.Load(t, e, "basic"), Options{})
		for _, statement := range []string{
			"INSERT INTO wp_options (option_name, option_value) VALUES ('x', 'y')",
			"UPDATE wp_posts SET post_status = 'trash'",
			"DELETE FROM wp_posts",
			"DROP TABLE wp_posts",
			"CREATE TABLE x (y INTEGER)",
		} {
			for range maxConns + 1 { // every connection, and again after an error
				if _, err := n.conns.Exec(statement); err == nil ||
					!strings.Contains(strings.ToLower(strings.ReplaceAll(err.Error(), " ", "")), "readonly") &&
						!strings.Contains(err.Error(), "READ ONLY") {
					t.Errorf("%s: %v, want a refusal", statement, err)
				}
			}
		}
		var posts int
		if err := n.conns.QueryRow("SELECT COUNT(*) FROM wp_posts").Scan(&posts); err != nil || posts == 0 {
			t.Errorf("%d posts, %v", posts, err)
		}
	})
}

func TestNumber(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   any
		want int64
	}{
		{"a number", int64(7), 7},
		{"as text", []byte("7"), 7},
		{"unsigned", uint64(7), 7},
		{"beyond int64", uint64(math.MaxUint64), math.MaxInt64},
		{"NULL", nil, 0},
	} {
		var got int64 = -1
		if err := Number(&got).Scan(tt.in); err != nil || got != tt.want {
			t.Errorf("%s: %d (%v), want %d", tt.name, got, err, tt.want)
		}
	}
	var n int64
	if err := Number(&n).Scan("seven"); err == nil {
		t.Error("a word is a number")
	}
}
