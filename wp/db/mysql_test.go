package db

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

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

// Whatever a DSN asks for, dates stay texts, one statement runs at a time, and the server gets no file.
func TestUnsafeOptionsOfADSN(t *testing.T) {
	d := open(t, wptest.Load(t, wptest.MariaDB, "basic")+"?parseTime=true&multiStatements=true&allowAllFiles=true", Options{})
	var date string
	wptest.Must(t, d.Query(t.Context(), Tables{}, "SELECT post_date FROM wp_posts WHERE ID = 100", nil, Rows1(func(text string) { date = text })))
	expect.Equal(t, len(date), len("2006-01-02 15:04:05"), date)
	if err := d.Query(t.Context(), Tables{}, "SELECT 1; SELECT 2", nil, Rows1(func(int) {})); err == nil {
		t.Error("two statements run as one")
	}
	if _, err := d.conns.Exec("LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE wp_posts"); err == nil {
		t.Error("the server gets a file")
	}
}

// The driver puts no text into a statement if a character of the connection may end in a backslash.
func TestUnsafeCharsets(t *testing.T) {
	for dsn, want := range map[string]bool{
		"?charset=gbk": true, "?collation=big5_chinese_ci": true, "?timeout=1s&charset=SJIS": true, "?charset=utf8mb4": false, "?x=gbk": false,
		"?charset=utf8mb4,gbk": true,
	} {
		expect.Equal(t, unsafeCharset.MatchString(dsn), want, dsn)
	}
}

// The account is the one by which the server knows the daemon, and the version is a number.
func TestIdentity(t *testing.T) {
	dsn := wptest.ReadOnlyDSN(t, wptest.Load(t, wptest.MariaDB, "basic"))
	d := open(t, dsn, Options{})
	user, host := SplitAccount(d.Account)
	expect.Equal(t, user, d.User)
	expect.Equal(t, host != "" && d.Version != "" && d.Instance != "", true, d.Account, d.Version, d.Instance)
	expect.Equal(t, numberOf("10.11.6-MariaDB-0+deb12u1"), "10.11.6")
	expect.Equal(t, numberOf("unknown"), "")
}
