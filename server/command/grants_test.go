package command

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// newAccount creates an account without rights, and returns the DSN of a site for it.
func newAccount(t *testing.T, dsn string) (name, of string) {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	name = cfg.DBName + "_a"
	wptest.Exec(t, dsn, "CREATE USER '"+name+"'@'localhost' IDENTIFIED BY 'secret'")
	t.Cleanup(func() { wptest.Exec(t, dsn, "DROP USER IF EXISTS '"+name+"'@'localhost'") })
	cfg.User, cfg.Passwd = name, "secret"
	return name, cfg.FormatDSN()
}

// rights returns the rights of an account on tables and columns.
func rights(t *testing.T, dsn, account string) []string {
	t.Helper()
	db, _ := wptest.DB(t, dsn)
	rows, err := db.Query("SELECT CONCAT(TABLE_NAME, ' ', PRIVILEGE_TYPE) FROM information_schema.TABLE_PRIVILEGES WHERE GRANTEE LIKE ? UNION ALL "+
		"SELECT CONCAT(TABLE_NAME, ' ', PRIVILEGE_TYPE, ' ', COLUMN_NAME) FROM information_schema.COLUMN_PRIVILEGES WHERE GRANTEE LIKE ?",
		"'"+account+"'@%", "'"+account+"'@%")
	wptest.Must(t, err)
	defer rows.Close()
	var all []string
	for rows.Next() {
		var right string
		wptest.Must(t, rows.Scan(&right))
		all = append(all, right)
	}
	wptest.Must(t, rows.Err())
	slices.Sort(all)
	return all
}

// wpConfigOf writes a wp-config.php with the account of a DSN.
func wpConfigOf(t *testing.T, dsn, more string) string {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	path := filepath.Join(t.TempDir(), "wp-config.php")
	text := fmt.Sprintf("<?php define('DB_USER', '%s'); define('DB_PASSWORD', '%s'); define('DB_NAME', '%s'); define('DB_HOST', 'localhost:%s'); "+
		"$table_prefix = 'wp_'; %s", cfg.User, cfg.Passwd, cfg.DBName, cfg.Addr, more)
	writeTo(t, path, text)
	return path
}

func siteOf(t *testing.T, keys ...string) (config string) {
	t.Helper()
	return writeConfig(t, "state = \"\"\n[[site]]\nname = \"shop\"\n"+strings.Join(keys, "\n"))
}

// sqlLines returns the statements that grants printed. If commented is set, it includes those in comments.
func sqlLines(text string, commented bool) (all []string) {
	for line := range strings.Lines(text) {
		if commented {
			line = strings.TrimPrefix(line, "-- ")
		}
		if strings.HasPrefix(line, "GRANT ") || strings.HasPrefix(line, "CREATE USER ") {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// What grants prints for an account is what the manual asks for, as far as the tables exist. With these rights, the site can be read.
func TestGrants(t *testing.T) {
	for _, seeds := range [][]string{{"basic", "network", "woo"}, {"small", "small-wpml"}, {"small"}} {
		t.Run(seeds[len(seeds)-1], func(t *testing.T) {
			dsn := wptest.Load(t, wptest.MariaDB, seeds...)
			manual, err := mysql.ParseDSN(wptest.ReadOnlyDSN(t, dsn))
			wptest.Must(t, err)
			name, reader := newAccount(t, dsn)
			more := ""
			if slices.Contains(seeds, "network") {
				more = "define('MULTISITE', true);"
			}
			keys := []string{fmt.Sprintf("dsn = %q", reader), fmt.Sprintf("wp_config = %q", wpConfigOf(t, dsn, more))}
			code, stdout, stderr := runCommand(t, "grants", "--config", siteOf(t, keys...))
			if code != 0 || stderr != "" || strings.Contains(stdout, "cannot see yet whether these tables exist") {
				t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
			}
			statements := sqlLines(stdout, false)
			wptest.Exec(t, dsn, statements...)
			expect.Same(t, rights(t, dsn, manual.User), rights(t, dsn, name), "rights by the manual (-) and by grants (+)")
			if code, stdout, _ := runCommand(t, "check", "--config", siteOf(t, keys...)); code != 0 || strings.Contains(stdout, "denied") {
				t.Errorf("check: exit code %d\n%s", code, stdout)
			}
		})
	}
}

// On a new host, the output is all that is needed: it also creates the account with the password of dsn.
func TestGrantsMakeTheAccount(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	name, reader := newAccount(t, dsn)
	wptest.Exec(t, dsn, "DROP USER '"+name+"'@'localhost'")
	cfg, err := mysql.ParseDSN(reader)
	wptest.Must(t, err)
	cfg.Passwd = `a'b"é`
	for _, keys := range [][]string{{fmt.Sprintf("wp_config = %q", wpConfigOf(t, dsn, ""))}, nil} {
		config := siteOf(t, append(keys, fmt.Sprintf("dsn = %q", cfg.FormatDSN()))...)
		code, stdout, stderr := runCommand(t, "grants", "--config", config)
		statements := sqlLines(stdout, false)
		if code != 0 || len(statements) < 2 || !strings.HasPrefix(statements[0], "CREATE USER IF NOT EXISTS ") {
			t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
		}
		for range 2 { // the second time, the account exists
			wptest.Exec(t, dsn, statements...)
		}
		if code, stdout, _ := runCommand(t, "check", "--config", config); code != 0 {
			t.Errorf("check: exit code %d\n%s", code, stdout)
		}
		wptest.Exec(t, dsn, "DROP USER '"+name+"'@'localhost'")
	}
}

// grants also creates an account of [watch], which then sees when tables are written.
func TestGrantsOfWatch(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	_, reader := newAccount(t, dsn)
	cfg, err := mysql.ParseDSN(reader)
	wptest.Must(t, err)
	schema := cfg.DBName
	cfg.User, cfg.DBName = schema+"_w", ""
	t.Cleanup(func() { wptest.Exec(t, dsn, "DROP USER IF EXISTS '"+cfg.User+"'@'localhost'") })
	config := siteOf(t, fmt.Sprintf("dsn = %q\n[watch]\ndsn = %q", reader, cfg.FormatDSN()))
	code, stdout, stderr := runCommand(t, "grants", "--config", config)
	if code != 0 || strings.Contains(stdout, "SELECT ON `"+schema+"`.* ") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	wptest.Exec(t, dsn, sqlLines(stdout, false)...)
	cfg.DBName = schema
	watcher, err := sql.Open("mysql", cfg.FormatDSN())
	wptest.Must(t, err)
	defer watcher.Close()
	var tables int
	if err := watcher.QueryRow("SELECT COUNT(*) FROM information_schema.TABLES " +
		"WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'wp_posts'").Scan(&tables); err != nil || tables != 1 {
		t.Errorf("%d tables of posts are seen: %v\n%s", tables, err, stdout)
	}
	if err := watcher.QueryRow("SELECT COUNT(*) FROM wp_posts").Scan(&tables); err == nil {
		t.Error("posts can be read")
	}
}

// socketAccount creates an account that only a user of the machine may log in to, and returns its DSN.
func socketAccount(t *testing.T, dsn string) string {
	t.Helper()
	wptest.Exec(t, dsn, "CREATE OR REPLACE USER gone@localhost IDENTIFIED VIA unix_socket")
	t.Cleanup(func() { wptest.Exec(t, dsn, "DROP USER gone@localhost") })
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	cfg.User, cfg.Passwd = "gone", "wrong"
	return cfg.FormatDSN()
}

// TestGrantsAreForAnAccount checks which account the statements are for.
func TestGrantsAreForAnAccount(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	_, reader := newAccount(t, dsn)
	cfg, err := mysql.ParseDSN(reader)
	wptest.Must(t, err)
	name := cfg.User
	cfg.Passwd = "wrong"
	config := fmt.Sprintf("wp_config = %q", wpConfigOf(t, dsn, ""))
	for _, tt := range []struct {
		rule string
		keys []string
		args []string
		want []string
	}{
		{"that of dsn, with the host that the server knows", []string{"dsn = \"" + reader + "\"", config}, nil, []string{"TO '" + name + "'@'localhost';"}},
		{"one that the server refuses as it does some unknown ones", []string{"dsn = \"" + socketAccount(t, dsn) + "\"", config}, nil, []string{
			"-- The account cannot log in (Error 1698", "\nCREATE USER IF NOT EXISTS 'gone'@'localhost' IDENTIFIED BY 'wrong';\nSHOW WARNINGS;\n",
		}},
		{"one that cannot log in", []string{"dsn = \"" + cfg.FormatDSN() + "\"", config}, nil, []string{
			"-- The account cannot log in (Error 1045",
			"\nCREATE USER IF NOT EXISTS '" + name + "'@'localhost' IDENTIFIED BY 'wrong';\n", "TO '" + name + "'@'localhost';",
		}},
		{"one of its own where wp-config.php has the only one", []string{config}, nil, []string{
			"\nCREATE USER IF NOT EXISTS 'sitemaps'@'localhost' IDENTIFIED BY '", "-- ALTER USER 'sitemaps'@'localhost' IDENTIFIED BY '…';",
			"TO 'sitemaps'@'localhost';",
		}},
		{"the named one", []string{config}, []string{"--user", "o'neil@%"}, []string{"TO 'o''neil'@'%';"}},
		{"without anybody who sees the tables", []string{"dsn = \"" + reader + "\""}, nil, []string{
			"\nGRANT SELECT ON `" + cfg.DBName + "`.`wp_posts` TO '" + name, "\n-- GRANT SELECT ON `" + cfg.DBName + "`.`wp_yoast_indexable` TO '" + name,
		}},
		{"with an account that sees them", []string{"dsn = \"" + dsn + "\""}, []string{"--user", "x"}, []string{
			"\nGRANT SELECT ON `" + cfg.DBName + "`.`wp_yoast_indexable` TO 'x'@'localhost'",
		}},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			code, stdout, stderr := runCommand(t, append([]string{"grants", "--config", siteOf(t, tt.keys...)}, tt.args...)...)
			for _, want := range tt.want {
				if code != 0 || !strings.Contains(stdout, want) || strings.Contains(stdout, "secret") {
					t.Errorf("exit code %d, no %q in\n%s%s", code, want, stdout, stderr)
				}
			}
		})
	}
}

// A refusal of the database names the statement that fixes it.
func TestRefusalsNameTheirCure(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "woo")
	reader := wptest.ReadOnlyDSN(t, dsn)
	cfg, err := mysql.ParseDSN(reader)
	wptest.Must(t, err)
	config := siteOf(t, fmt.Sprintf("dsn = %q", reader))
	_, whole, _ := runCommand(t, "check", "--config", config)
	statement := regexp.MustCompile(`GRANT .*?;`)
	granted := rights(t, dsn, cfg.User)
	for _, right := range granted {
		table, what, _ := strings.Cut(right, " ")
		if what, column, ok := strings.Cut(what, " "); ok {
			wptest.Exec(t, dsn, fmt.Sprintf("REVOKE %s (%s) ON `%s` FROM '%s'@'localhost'", what, column, table, cfg.User))
		} else {
			wptest.Exec(t, dsn, fmt.Sprintf("REVOKE SELECT ON `%s` FROM '%s'@'localhost'", table, cfg.User))
		}
		_, refused, _ := runCommand(t, "check", "--config", config)
		cure := statement.FindString(refused)
		if !strings.Contains(cure, "`"+table+"` TO '"+cfg.User+"'@'localhost';") {
			if refused != whole { // some columns are read by few levels only
				t.Errorf("without %s:\n%s", right, refused)
			}
			cure = fmt.Sprintf("GRANT SELECT ON `%s` TO '%s'@'localhost'", table, cfg.User)
		}
		wptest.Exec(t, dsn, cure)
		if _, now, _ := runCommand(t, "check", "--config", config); now != whole {
			t.Errorf("%s does not cure it:\n%s", cure, now)
		}
	}
	if len(granted) < 12 {
		t.Errorf("%d rights", len(granted))
	}
}
