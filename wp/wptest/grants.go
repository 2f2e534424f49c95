package wptest

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// ReadOnlyDSN creates an account that has just the rights the manual asks for
// (testdata/grants.sql) on a loaded site with all its blogs, and returns the site's DSN with
// that account. The account is gone when the test ends. SQLite knows no accounts; there the
// DSN is returned as it is.
func ReadOnlyDSN(t testing.TB, dsn string) string {
	t.Helper()
	db, e := DB(t, dsn)
	if e == SQLite {
		return dsn
	}
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(testdata(t), "grants.sql"))
	if err != nil {
		t.Fatal(err)
	}
	const password = "read-only" // of a private server on a socket
	host := "localhost"
	if cfg.Net != "unix" {
		host = "%"
	}
	name := fmt.Sprintf("%s_r%d", cfg.DBName, created.Add(1))
	user := "'" + name + "'@'" + host + "'"
	t.Cleanup(func() { run(t, db, "DROP USER IF EXISTS "+user) })

	tables := tableNames(t, db)
	for _, s := range split(string(text)) {
		prefixes := []string{"wp_"}
		if strings.Contains(s.text, "{P}") {
			prefixes = blogPrefixes(tables)
		}
		for _, p := range prefixes {
			r := strings.NewReplacer("{db}", cfg.DBName, "{B}", "wp_", "{P}", p, "{user}", user, "{password}", password)
			grant := r.Replace(s.text)
			if applies(grant, tables) {
				run(t, db, grant)
			}
		}
	}
	cfg.User, cfg.Passwd = name, password
	return cfg.FormatDSN()
}

func tableNames(t testing.TB, db *sql.DB) []string {
	t.Helper()
	rows, err := db.Query("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names
}

var postsTable = regexp.MustCompile(`^(wp_(?:[0-9]+_)?)posts$`)

func blogPrefixes(tables []string) []string {
	var out []string
	for _, name := range tables {
		if m := postsTable.FindStringSubmatch(name); m != nil {
			out = append(out, m[1])
		}
	}
	return out
}

var grantTable = regexp.MustCompile("`\\.`([^`]+)`")

// applies says whether the table of a GRANT exists.
func applies(grant string, tables []string) bool {
	m := grantTable.FindStringSubmatch(grant)
	return m == nil || slices.Contains(tables, m[1]) // nil: CREATE USER
}
