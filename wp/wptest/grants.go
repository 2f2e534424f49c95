package wptest

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// ReadOnlyDSN creates an account with exactly the rights of docs/deploy/grants.sql on all blogs of a loaded site. It returns the
// site's DSN with that account, which is dropped at the end of the test. SQLite has no accounts, so its DSN is returned
// unchanged.
func ReadOnlyDSN(t testing.TB, dsn string) string {
	t.Helper()
	db, e := DB(t, dsn)
	if e == SQLite {
		return dsn
	}
	cfg, err := mysql.ParseDSN(dsn)
	Must(t, err)
	const password = "read-only" // for a private server on a socket
	cfg.User, cfg.Passwd = fmt.Sprintf("%s_r%d", cfg.DBName, created.Add(1)), password
	user := accountOf(t, cfg.FormatDSN())
	t.Cleanup(func() { run(t, db, "DROP USER IF EXISTS "+user) })

	run(t, db, "CREATE USER "+user+" IDENTIFIED BY '"+password+"'")
	tables := tableNames(t, db)
	for table, right := range Grants(t) {
		prefixes := blogPrefixes(tables)
		if slices.Contains(networkTables, table) {
			prefixes = []string{"wp_"}
		}
		for _, p := range prefixes {
			if slices.Contains(tables, p+table) {
				run(t, db, fmt.Sprintf("GRANT %s ON `%s`.`%s` TO %s", right, cfg.DBName, p+table, user))
			}
		}
	}
	return cfg.FormatDSN()
}

// Grants returns the rights of docs/deploy/grants.sql by table name without prefix: "SELECT" or "SELECT (column, column)". It
// includes the rights that only some sites need.
func Grants(t testing.TB) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Testdata, "..", "docs", "deploy", "grants.sql"))
	Must(t, err)
	grants := map[string]string{}
	for _, m := range grantLine.FindAllStringSubmatch(string(text), -1) {
		grants[m[2]] = m[1]
	}
	if len(grants) < 15 {
		t.Fatalf("grants.sql has %d grants", len(grants))
	}
	return grants
}

func tableNames(t testing.TB, db *sql.DB) []string {
	t.Helper()
	rows, err := db.Query("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()")
	Must(t, err)
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		Must(t, rows.Scan(&name))
		names = append(names, name)
	}
	Must(t, rows.Err())
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

// grantLine matches a statement of docs/deploy/grants.sql, also one in a comment, which only some sites need.
var grantLine = regexp.MustCompile(`(?m)^(?:-- )?GRANT (SELECT(?: \([^)]+\))?) ON example\.wp_(\w+) +TO sitemaps@localhost;$`)

// networkTables are the tables that a network has only once.
var networkTables = []string{"users", "usermeta", "blogs", "site", "sitemeta"}
