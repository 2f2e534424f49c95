package sitemap_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"

	"github.com/go-sql-driver/mysql"
)

// Each right that the README requires is necessary. Without it there is an error, a warning, or
// something is missing.
func TestEveryGrantIsNeeded(t *testing.T) {
	t.Parallel()
	needed, granted := map[string]bool{}, map[string]bool{}
	for _, stack := range [][]string{
		{"basic", "network", "woo"}, {"small", "small-wpml"}, {"small", "small-titles"}, {"small", "small-video"},
		{"small", "small-images"}, {"small", "seopress"}, {"small", "rankmath"},
	} {
		t.Run(stack[len(stack)-1], func(t *testing.T) {
			more := map[string][]string{"seopress": sitemaptest.SeopressSite, "rankmath": sitemaptest.RankMathSite}[stack[1]]
			if more != nil {
				stack, more = stack[:1], append(slices.Clone(more), "UPDATE wp_users SET user_registered = '2024-01-01 00:00:00'")
			}
			dsn := wptest.Load(t, wptest.MariaDB, stack...)
			wptest.Exec(t, dsn, more...)
			config := ""
			if slices.Contains(stack, "network") {
				config = filepath.Join(t.TempDir(), "wp-config.php")
				wptest.Must(t, os.WriteFile(config, []byte("<?php define('MULTISITE', true); $table_prefix = 'wp_';"), 0o600))
			}
			account := wptest.ReadOnlyDSN(t, dsn)
			cfg, err := mysql.ParseDSN(account)
			wptest.Must(t, err)
			rights := rightsOf(t, dsn, cfg.User)
			if len(rights) < 10 {
				t.Fatalf("%d rights", len(rights))
			}
			source := wp.Source{Name: "test", WPConfig: config, DSN: account}
			whole := map[seo.Level]string{}
			for _, level := range sitemaptest.Levels {
				whole[level] = told(t, source, level)
			}
			for _, r := range rights {
				granted[r.name] = true
				if needed[r.name] {
					continue
				}
				on := fmt.Sprintf(" ON `%s`.`%s`", cfg.DBName, r.table)
				wptest.Exec(t, dsn, "REVOKE "+r.what+on+" FROM '"+cfg.User+"'@'"+r.host+"'")
				needed[r.name] = slices.ContainsFunc(sitemaptest.Levels, func(level seo.Level) bool { return told(t, source, level) != whole[level] })
				wptest.Exec(t, dsn, "GRANT "+r.what+on+" TO '"+cfg.User+"'@'"+r.host+"'")
			}
		})
	}
	for name := range granted {
		if !needed[name] {
			t.Errorf("%s is granted, and nothing changes without it", name)
		}
	}
}

// right is one right of an account.
type right struct{ name, what, table, host string }

// rightsOf returns the rights of an account on tables and columns of the first blog.
func rightsOf(t *testing.T, dsn, user string) (all []right) {
	db, _ := wptest.DB(t, dsn)
	rows, err := db.Query("SELECT GRANTEE, TABLE_NAME, '' FROM information_schema.TABLE_PRIVILEGES WHERE GRANTEE LIKE ? UNION ALL "+
		"SELECT GRANTEE, TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMN_PRIVILEGES WHERE GRANTEE LIKE ?",
		"'"+user+"'@%", "'"+user+"'@%")
	wptest.Must(t, err)
	defer rows.Close()
	for rows.Next() {
		var grantee, table, column string
		wptest.Must(t, rows.Scan(&grantee, &table, &column))
		if digit := strings.TrimPrefix(table, "wp_"); digit[0] >= '0' && digit[0] <= '9' {
			continue
		}
		r := right{name: table, what: "SELECT", table: table, host: strings.Trim(grantee[strings.LastIndex(grantee, "@")+1:], "'")}
		if column != "" {
			r.name, r.what = table+"."+column, "SELECT (`"+column+"`)"
		}
		all = append(all, r)
	}
	wptest.Must(t, rows.Err())
	return all
}

// told returns everything that is read and reported of a network at a level, or the error.
func told(t *testing.T, source wp.Source, level seo.Level) string {
	docs, warnings, err := serveSource(t.Context(), source, seo.Options{Compat: level}, nil)
	return fmt.Sprintln(docs, warnings, err)
}

// allThatIsTold is told for both levels.
func allThatIsTold(t *testing.T, source wp.Source) (all string) {
	for _, level := range sitemaptest.Levels {
		all += told(t, source, level)
	}
	return all
}

// grants.sql is valid SQL. With the names of a site in the documented places it runs to its end, and
// its rights suffice to read the whole site.
func TestGrantsRunAsTheyAre(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "docs", "deploy", "grants.sql"))
	wptest.Must(t, err)
	for _, tt := range []struct {
		rule    string
		yoast   bool
		dropped string
	}{{"a plain site", true, ""}, {"a site without Yoast", false, "DROP TABLE wp_yoast_indexable"}} {
		t.Run(tt.rule, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.MariaDB, "basic")
			wptest.Exec(t, dsn, tt.dropped)
			cfg, err := mysql.ParseDSN(dsn)
			wptest.Must(t, err)
			account := cfg.DBName + "_g"
			t.Cleanup(func() { wptest.Exec(t, dsn, "DROP USER IF EXISTS "+account+"@localhost") })
			names := strings.NewReplacer("example.", cfg.DBName+".", "sitemaps@localhost", account+"@localhost", "'secret'", "'top'")
			db, _ := wptest.DB(t, dsn)
			var failed []string
			for statement := range strings.SplitSeq(names.Replace(sqlOf(string(text))), ";") {
				if statement = strings.TrimSpace(statement); statement == "" {
					continue
				}
				if len(failed) > 0 {
					t.Errorf("after an error comes %s", statement)
				}
				if _, err := db.ExecContext(t.Context(), statement); err != nil {
					failed = append(failed, err.Error())
				}
			}
			expect.Equal(t, len(failed) == 0, tt.yoast, "errors", failed)
			if whole := allThatIsTold(t, wp.Source{Name: "test", DSN: dsn}); tt.yoast {
				cfg.User, cfg.Passwd = account, "top"
				if allThatIsTold(t, wp.Source{Name: "test", DSN: cfg.FormatDSN()}) != whole {
					t.Error("not everything can be read by the account")
				}
			}
		})
	}
}

// sqlOf removes comments from SQL.
func sqlOf(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "--") {
			b.WriteString(line)
		}
	}
	return b.String()
}
