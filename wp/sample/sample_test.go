package sample_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/sample"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

const home = "http://127.0.0.1:8080"

func createDemo(t *testing.T) *sql.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), ".ht.sqlite")
	wptest.Must(t, sample.Create(context.Background(), path, home))
	db, err := sample.OpenSQLite(path)
	wptest.Must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func strs(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		wptest.Must(t, rows.Scan(&s))
		out = append(out, s)
	}
	wptest.Must(t, rows.Err())
	return out
}

func TestDemoIsConsistent(t *testing.T) {
	db := createDemo(t)
	for what, query := range map[string]string{
		"two published posts share a slug and a parent": "SELECT post_name FROM wp_posts WHERE post_type <> 'attachment' GROUP BY " +
			"post_type, post_parent, post_name HAVING COUNT(*) > 1",
		"published in the future": "SELECT post_name FROM wp_posts WHERE post_status = 'publish' AND (post_date_gmt > " +
			"'2026-01-01' OR post_modified_gmt > '2026-01-01')",
		"modified before it was published":        "SELECT post_name FROM wp_posts WHERE post_status = 'publish' AND post_modified_gmt < post_date_gmt",
		"slug with characters a slug cannot have": "SELECT post_name FROM wp_posts WHERE post_name GLOB '*[^a-z0-9_-]*'",
		"the count of a term is wrong": `SELECT CAST(tt.term_id AS TEXT) FROM wp_term_taxonomy tt
WHERE count <> (SELECT COUNT(*) FROM wp_term_relationships r
			JOIN wp_posts p ON p.ID = r.object_id WHERE p.post_status = 'publish' AND r.term_taxonomy_id = tt.term_taxonomy_id)`,
		"a page or post without a row of Yoast SEO": `SELECT post_name FROM wp_posts WHERE post_type <> 'attachment'
			AND ID NOT IN (SELECT object_id FROM wp_yoast_indexable WHERE object_type = 'post')`,
		"the permalink of what is not published is not plain": `SELECT permalink FROM wp_yoast_indexable
			WHERE post_status NOT IN ('publish', 'private') AND permalink <> '` + home + `/?p=' || object_id`,
		"a permalink without its hash": "SELECT permalink FROM wp_yoast_indexable WHERE permalink_hash NOT LIKE length(permalink) || ':%'",
		"an image in a post that does not exist": `SELECT meta_value FROM wp_postmeta WHERE meta_key = '_thumbnail_id'
			AND CAST(meta_value AS INTEGER) NOT IN (SELECT ID FROM wp_posts WHERE post_type = 'attachment')`,
		"not the given home": "SELECT option_value FROM wp_options WHERE option_name IN ('home', 'siteurl') AND option_value <> '" + home + "'",
	} {
		if got := strs(t, db, query); len(got) > 0 {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// PHP must be able to read every serialized option. WordPress takes one that PHP cannot read for an option that was never saved.
func TestDemoIsSerialisedRightly(t *testing.T) {
	db := createDemo(t)
	values := slices.Concat(
		strs(t, db, "SELECT option_value FROM wp_options WHERE option_value LIKE 'a:%'"),
		strs(t, db, "SELECT meta_value FROM wp_postmeta WHERE meta_value LIKE 'a:%'"),
		strs(t, db, "SELECT meta_value FROM wp_usermeta WHERE meta_value LIKE 'a:%'"))
	if len(values) < 10 {
		t.Errorf("%d serialised values only", len(values))
	}
	for _, v := range values {
		if _, err := php.MaybeUnserialize(v); err != nil {
			t.Errorf("%v in %.200s", err, v)
		}
	}
	if got := strs(t, db, "SELECT option_value FROM wp_options WHERE option_name = 'course_children'"); len(got) != 1 ||
		got[0] != "a:2:{i:39;a:2:{i:0;i:40;i:1;i:41;}i:43;a:2:{i:0;i:44;i:1;i:45;}}" {
		t.Errorf("course_children = %q", got)
	}
}

// A post that the demo publishes has a row of Yoast SEO, too.
func TestPublish(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".ht.sqlite")
	wptest.Must(t, sample.Create(t.Context(), path, home))
	_, address, err := sample.Publish(t.Context(), path, home, time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	wptest.Must(t, err)
	db, err := sample.OpenSQLite(path)
	wptest.Must(t, err)
	defer db.Close()
	got := strs(t, db, "SELECT permalink FROM wp_yoast_indexable JOIN wp_posts ON wp_posts.ID = object_id AND post_title = breadcrumb_title WHERE post_name LIKE 'late-news-%'")
	expect.Equal(t, strings.Join(got, " "), address, "permalink of the new post")
}

func TestCreateKeepsWhatIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precious")
	wptest.Must(t, os.WriteFile(path, []byte("x"), 0o600))
	if err := sample.Create(context.Background(), path, home); !errors.Is(err, fs.ErrExist) {
		t.Errorf("err = %v, want fs.ErrExist", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "x" {
		t.Errorf("the file was changed to %.20q", b)
	}
}

func TestCreateLeavesOneFile(t *testing.T) {
	dir := t.TempDir()
	wptest.Must(t, sample.Create(context.Background(), filepath.Join(dir, ".ht.sqlite"), home))
	entries, err := os.ReadDir(dir)
	expect.Equal(t, err, nil, "beside the database", entries)
	expect.Equal(t, len(entries), 1, "beside the database", entries)
}

func TestSQLiteSchemaIsThatOfTheIntegrationPlugin(t *testing.T) {
	schema := strings.Join(wptest.SiteSchema(wptest.SQLite, "wp_"), ";\n")
	if demo, err := os.ReadFile("schema.sql"); err != nil || string(demo) != schema+";\n" {
		t.Errorf("schema.sql is another one (%v)", err)
	}
	expect.Parts(t, schema,
		"CREATE TABLE `wp_usermeta` (\n  `umeta_id` INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,\n  `user_id` INTEGER NOT NULL DEFAULT "+
			"'0',\n  `meta_key` TEXT COLLATE NOCASE,\n  `meta_value` TEXT COLLATE NOCASE\n) STRICT",
		"CREATE INDEX `wp_usermeta__meta_key` ON `wp_usermeta` (`meta_key`)",
		"CREATE UNIQUE INDEX `wp_term_taxonomy__term_id_taxonomy` ON `wp_term_taxonomy` (`term_id`,`taxonomy`)",
		"`post_date` TEXT COLLATE NOCASE NOT NULL DEFAULT '0000-00-00 00:00:00'",
		"PRIMARY KEY (`object_id`,`term_taxonomy_id`)",
		"`updated_at` TEXT COLLATE NOCASE NOT NULL DEFAULT CURRENT_TIMESTAMP,",
	)
}
