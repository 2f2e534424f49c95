package db

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
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

// The limits of a guest, as the session itself has them.
func TestSessionLimits(t *testing.T) {
	n := open(t, wptest.Load(t, wptest.MariaDB, "basic"), Options{})
	var version string
	wptest.Must(t, n.conns.QueryRow("SELECT VERSION()").Scan(&version))
	variables := sessionVariables(version)
	variables["character_set_connection"] = "utf8mb4"
	for variable, want := range variables {
		want = strings.Trim(want, "'")
		var got string
		if err := n.conns.QueryRow("SELECT @@" + variable).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %q (%v), want %q", variable, got, err, want)
		}
	}
	expect.Equal(t, n.conns.Stats().MaxOpenConnections, maxConns, "connections at most")
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

// Sessions do not ask a server for variables that it does not know, or no connection could be made.
func TestSessionVariables(t *testing.T) {
	const always = " lock_wait_timeout=5 sql_mode=''"
	for version, want := range map[string]string{
		"5.5.68-MariaDB":            always,
		"10.0.38-MariaDB":           always + " tx_read_only=1",
		"10.3.39-MariaDB":           " lock_wait_timeout=5 max_statement_time=60 sql_mode='' tx_read_only=1",
		"10.11.6-MariaDB-0+deb12u1": " in_predicate_conversion_threshold=0 lock_wait_timeout=5 max_statement_time=60 sql_mode='' tx_read_only=1",
		"11.4.2-MariaDB":            " in_predicate_conversion_threshold=0 lock_wait_timeout=5 max_statement_time=60 sql_mode='' tx_read_only=1",
		"5.5.62":                    always,
		"5.6.51-log":                always + " tx_read_only=1",
		"5.7.44-0ubuntu0.18.04.1":   " lock_wait_timeout=5 max_execution_time=60000 sql_mode='' tx_read_only=1",
		"8.0.36": " information_schema_stats_expiry=0 lock_wait_timeout=5 max_execution_time=60000 sql_mode='' " +
			"transaction_read_only=1",
		"8.4.0": " information_schema_stats_expiry=0 lock_wait_timeout=5 max_execution_time=60000 sql_mode='' " +
			"transaction_read_only=1",
		"something nobody has heard of yet": always,
	} {
		got := ""
		variables := sessionVariables(version)
		for _, name := range slices.Sorted(maps.Keys(variables)) {
			got += " " + name + "=" + variables[name]
		}
		expect.Equal(t, got, want, version)
	}
}
