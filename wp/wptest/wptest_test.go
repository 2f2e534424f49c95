package wptest

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // driver "sqlite"

	"wpsitemapd/wp/php"
)

func count(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// seedNames lists testdata/seed, each seed with those it has to stand on.
func seedNames(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Testdata, "seed", "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no seeds (%v)", err)
	}
	names := map[string][]string{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		names[name] = []string{"basic", name}
		if name == "basic" {
			names[name] = []string{"basic"}
		}
	}
	return names
}

// Every seed has to load on both engines, and to come out the same.
func TestSeedsAreTheSameOnBothEngines(t *testing.T) {
	for name, seeds := range seedNames(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got [2]string
			for i, e := range []Engine{MariaDB, SQLite} {
				db, _ := DB(t, Load(t, e, seeds...))
				got[i] = digest(t, db, name != "noyoast")
			}
			if diff := cmp.Diff(got[0], got[1]); diff != "" {
				t.Errorf("mariadb (-) and sqlite (+) differ:\n%s", diff)
			}
		})
	}
}

// A text of a wrong length would make a seed test something that it does not mean to test.
func TestSeedsAreSerialisedRightly(t *testing.T) {
	for name, seeds := range seedNames(t) {
		if name == "hostile" {
			continue // broken on purpose
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, _ := DB(t, Load(t, SQLite, seeds...))
			rows, err := db.Query(`SELECT option_name, option_value FROM wp_options UNION ALL SELECT meta_key, meta_value FROM wp_postmeta
				UNION ALL SELECT meta_key, meta_value FROM wp_usermeta UNION ALL SELECT post_name, post_content FROM wp_posts`)
			Must(t, err)
			defer rows.Close()
			serialised := 0
			for rows.Next() {
				var key, value string
				Must(t, rows.Scan(&key, &value))
				if strings.HasPrefix(value, "a:") {
					serialised++
					if _, err := php.MaybeUnserialize(value); err != nil {
						t.Errorf("%s: %v", key, err)
					}
				}
			}
			if err := rows.Err(); err != nil || serialised == 0 {
				t.Errorf("%d values looked at (%v)", serialised, err)
			}
		})
	}
}

// digest returns what readers look at, one line for each row. It leaves out posts of the seed hostile that differ between the
// engines, because they have dates and ids that only one engine can hold.
func digest(t *testing.T, db *sql.DB, indexables bool) string {
	t.Helper()
	queries := []string{
		"SELECT ID, post_author, post_parent, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, " +
			"post_name, post_title, post_excerpt, post_content FROM wp_posts WHERE ID NOT IN (409, 410) AND ID < 9223372036854775807 ORDER " +
			"BY ID",
		"SELECT post_id, meta_key, meta_value FROM wp_postmeta ORDER BY meta_id",
		"SELECT term_id, name, slug FROM wp_terms ORDER BY term_id",
		"SELECT term_taxonomy_id, term_id, taxonomy, description, parent, count FROM wp_term_taxonomy ORDER BY term_taxonomy_id",
		"SELECT object_id, term_taxonomy_id FROM wp_term_relationships ORDER BY object_id, term_taxonomy_id",
		"SELECT option_name, option_value FROM wp_options ORDER BY option_id",
		"SELECT ID, user_nicename, display_name FROM wp_users ORDER BY ID",
		"SELECT user_id, meta_key, meta_value FROM wp_usermeta ORDER BY umeta_id",
	}
	if indexables {
		queries = append(queries, "SELECT permalink, object_id, object_type, object_sub_type, is_robots_noindex, version, "+
			"object_last_modified FROM wp_yoast_indexable ORDER BY id")
	}
	var all strings.Builder
	for _, query := range queries {
		rows, err := db.Query(query)
		Must(t, err)
		columns, err := rows.Columns()
		Must(t, err)
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(sql.NullString)
		}
		for rows.Next() {
			Must(t, rows.Scan(values...))
			for _, v := range values {
				fmt.Fprintf(&all, "%q ", v.(*sql.NullString).String)
			}
			all.WriteByte('\n')
		}
		Must(t, rows.Err())
	}
	return all.String()
}

func TestReadOnlyDSN(t *testing.T) {
	dsn := Load(t, MariaDB, "basic")
	cfg, err := mysql.ParseDSN(ReadOnlyDSN(t, dsn))
	Must(t, err)
	db, err := sql.Open("mysql", cfg.FormatDSN())
	Must(t, err)
	defer db.Close()
	for _, query := range []string{
		"SELECT COUNT(*) FROM wp_posts",
		"SELECT COUNT(user_nicename) FROM wp_users",
		"SELECT COUNT(*) FROM wp_yoast_indexable",
	} {
		if count(t, db, query) == 0 {
			t.Errorf("%s: no rows", query)
		}
	}
	for _, query := range []string{
		"SELECT user_pass FROM wp_users",
		"SELECT user_email FROM wp_users",
		"SELECT * FROM wp_comments",
		"DELETE FROM wp_posts",
		"UPDATE wp_options SET option_value = ''",
		"CREATE TEMPORARY TABLE x (y int)",
	} {
		_, err := db.Exec(query)
		var denied *mysql.MySQLError
		if !errors.As(err, &denied) || denied.Number < 1044 || denied.Number > 1143 {
			t.Errorf("%s: %v, want access denied", query, err)
		}
	}
}

// On a network the rights cover the tables of every blog.
func TestReadOnlyDSNOfANetwork(t *testing.T) {
	dsn := Load(t, MariaDB, "basic", "network", "woo")
	db, err := sql.Open("mysql", ReadOnlyDSN(t, dsn))
	Must(t, err)
	defer db.Close()
	for _, query := range []string{
		"SELECT COUNT(*) FROM wp_blogs",
		"SELECT COUNT(*) FROM wp_site",
		"SELECT COUNT(*) FROM wp_sitemeta",
		"SELECT COUNT(*) FROM wp_posts",
		"SELECT COUNT(*) FROM wp_2_posts",
		"SELECT COUNT(*) FROM wp_3_options",
		"SELECT COUNT(*) FROM wp_woocommerce_attribute_taxonomies",
	} {
		if count(t, db, query) == 0 {
			t.Errorf("%s: no rows", query)
		}
	}
}

// The page about databases has the statements of a plain site.
func TestGrantsOfThePage(t *testing.T) {
	plain, _, _ := strings.Cut(read(t, "deploy/grants.sql"), "\n-- What follows is for some sites only")
	if diff := cmp.Diff(statements(plain), statements(read(t, "operator/database.md"))); diff != "" || len(statements(plain)) != 10 {
		t.Errorf("the statements of docs/deploy/grants.sql for a plain site (-) and those of docs/operator/database.md (+) differ:\n%s", diff)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Testdata, "..", "docs", file))
	Must(t, err)
	return string(text)
}

// statements returns the statements about the account, in their order. If they are pasted, the first one that fails ends the paste.
func statements(text string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^(?:CREATE USER|GRANT) .*;$`).FindAllString(text, -1) {
		out = append(out, strings.Join(strings.Fields(m), " "))
	}
	return out
}
