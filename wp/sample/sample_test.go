package sample_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/sample"
	"wpsitemapd/wp/wptest"
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

func number(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestDemoHasOneOfEverything(t *testing.T) {
	db := createDemo(t)
	for query, want := range map[string]int{
		"SELECT COUNT(*) FROM wp_posts WHERE post_type = 'post' AND post_status = 'publish'":                        300,
		"SELECT COUNT(*) FROM wp_posts WHERE post_type = 'page' AND post_status = 'publish' AND post_parent > 0":    5,
		"SELECT COUNT(*) FROM wp_posts WHERE post_type = 'recipe'":                                                  40,
		"SELECT COUNT(*) FROM wp_posts WHERE post_type = 'guide' AND post_parent > 0":                               20,
		"SELECT COUNT(*) FROM wp_posts WHERE post_password <> ''":                                                   2,
		"SELECT COUNT(DISTINCT post_status) FROM wp_posts":                                                          7,
		"SELECT COUNT(*) FROM wp_postmeta WHERE meta_key = '_yoast_wpseo_meta-robots-noindex' AND meta_value = '1'": 3,
		"SELECT COUNT(*) FROM wp_postmeta WHERE meta_key = '_yoast_wpseo_canonical'":                                2,
		"SELECT COUNT(*) FROM wp_usermeta WHERE meta_key = 'wpseo_noindex_author' AND meta_value = 'on'":            1,
		"SELECT COUNT(*) FROM wp_posts WHERE post_content LIKE '%<!--nextpage-->%'":                                 5,
		"SELECT COUNT(*) FROM wp_posts WHERE post_type = 'attachment' AND post_excerpt <> ''":                       10,
		"SELECT COUNT(*) FROM wp_term_taxonomy WHERE taxonomy = 'category' AND parent > 0":                          5,
	} {
		if got := number(t, db, query); got < want {
			t.Errorf("%s: %d, want %d at least", query, got, want)
		}
	}
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
		"an image in a post that does not exist": `SELECT meta_value FROM wp_postmeta WHERE meta_key = '_thumbnail_id'
			AND CAST(meta_value AS INTEGER) NOT IN (SELECT ID FROM wp_posts WHERE post_type = 'attachment')`,
		"not the given home": "SELECT option_value FROM wp_options WHERE option_name IN ('home', 'siteurl') AND option_value <> '" + home + "'",
	} {
		if got := strs(t, db, query); len(got) > 0 {
			t.Errorf("%s: %q", what, got)
		}
	}
}

func TestDemoIsDeterministic(t *testing.T) {
	dump := func() []string {
		db := createDemo(t)
		return slices.Concat(
			strs(t, db, "SELECT ID || post_date || post_modified || post_name || post_title || post_content FROM wp_posts ORDER BY ID"),
			strs(t, db, "SELECT post_id || meta_key || meta_value FROM wp_postmeta ORDER BY meta_id"),
			strs(t, db, "SELECT option_name || option_value FROM wp_options ORDER BY option_id"),
			strs(t, db, "SELECT object_id || '-' || term_taxonomy_id FROM wp_term_relationships ORDER BY 1"),
		)
	}
	if !slices.Equal(dump(), dump()) {
		t.Error("two demo sites differ")
	}
}

// What PHP would refuse to read, WordPress would take for options that were never saved.
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
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the database: %v (%v)", entries, err)
	}
}

func TestCreateStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := sample.Create(ctx, filepath.Join(t.TempDir(), "x"), home); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
}

func TestBulk(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		for _, over := range []string{"", "basic"} {
			t.Run("over "+over, func(t *testing.T) {
				var seeds []string
				if over != "" {
					seeds = append(seeds, over)
				}
				db, _ := wptest.DB(t, wptest.Load(t, e, seeds...))
				const before = "SELECT COUNT(*) FROM wp_posts WHERE post_type = 'post' AND guid LIKE '%/?p=%'"
				if n := number(t, db, before); n != 0 {
					t.Fatalf("%d rows look like those of Bulk", n)
				}
				const n = 603
				wptest.Must(t, wptest.Bulk(context.Background(), db, wptest.Size{Posts: n}))
				if got := number(t, db, before); got != n {
					t.Errorf("%d posts, want %d", got, n)
				}
				listed := number(t, db, `SELECT COUNT(*) FROM wp_posts WHERE post_type = 'post' AND guid LIKE '%/?p=%' AND post_status = 'publish' AND ID NOT IN
					(SELECT post_id FROM wp_postmeta WHERE meta_key IN ('_yoast_wpseo_meta-robots-noindex', '_yoast_wpseo_canonical'))`)
				if want := (wptest.Size{Posts: n}).Listed(); listed != want {
					t.Errorf("%d posts to list, Listed says %d", listed, want)
				}
				wrong := number(t, db, `SELECT COUNT(*) FROM wp_term_taxonomy tt WHERE tt.term_id <> 26 AND count <> (SELECT COUNT(*) FROM wp_term_relationships r
					JOIN wp_posts p ON p.ID = r.object_id WHERE p.post_status = 'publish' AND r.term_taxonomy_id = tt.term_taxonomy_id)`)
				if wrong > 0 {
					t.Errorf("%d terms count wrong", wrong)
				}
				if got := number(t, db, "SELECT COUNT(*) FROM wp_options WHERE option_name = 'home'"); got != 1 {
					t.Errorf("%d options home", got)
				}
				if got := number(t, db,
					"SELECT COUNT(*) FROM wp_posts WHERE post_type = 'post' AND guid LIKE '%/?p=%' AND post_content NOT LIKE '%<img %<img %'"); got > 0 {
					t.Errorf("%d posts without two images", got)
				}
			})
		}
	})
}

// The parameters do what they say.
func TestBulkSize(t *testing.T) {
	tests := []struct {
		rule, query string
		size        wptest.Size
		want        int
	}{
		{"default content", "SELECT ABS(AVG(LENGTH(post_content)) - 6800) < 340 FROM wp_posts WHERE post_type = 'post'", wptest.Size{Posts: 40}, 1},
		{
			"content", "SELECT ABS(AVG(LENGTH(post_content)) - 20000) < 500 FROM wp_posts WHERE post_type = 'post'",
			wptest.Size{Posts: 20, Content: 20_000}, 1,
		},
		{"two pictures a post", "SELECT COUNT(*) FROM wp_posts WHERE post_type = 'post' AND post_content LIKE '%<img %<img %' AND " +
			"post_content NOT LIKE '%<img %<img %<img %'", wptest.Size{Posts: 10}, 10},
		{
			"pictures", "SELECT COUNT(*) FROM wp_posts WHERE post_type = 'post' AND post_content LIKE '%<img %<img %<img %'",
			wptest.Size{Posts: 10, Pictures: 3}, 10,
		},
		{"no pictures", "SELECT COUNT(*) FROM wp_posts WHERE post_type = 'post' AND post_content LIKE '%<img %'", wptest.Size{Posts: 10, Pictures: -1}, 0},
		{"… and no featured images", "SELECT COUNT(*) FROM wp_postmeta WHERE meta_key = '_thumbnail_id'", wptest.Size{Posts: 10, Pictures: -1}, 0},
		{
			"meta", "SELECT COUNT(*) FROM wp_postmeta m JOIN wp_posts p ON p.ID = m.post_id WHERE p.post_type = 'post'",
			wptest.Size{Posts: 10, Meta: 9}, 10 * (9 + 2),
		},
		{"drafts", "SELECT COUNT(*) FROM wp_posts WHERE post_type = 'post' AND post_status = 'draft'", wptest.Size{Posts: 40, Drafts: 10}, 4},
		{"no drafts", "SELECT COUNT(*) FROM wp_posts WHERE post_type = 'post' AND post_status = 'draft'", wptest.Size{Posts: 40, Drafts: -1}, 0},
		{"noindexed", "SELECT COUNT(*) FROM wp_postmeta WHERE meta_key = '_yoast_wpseo_meta-robots-noindex'", wptest.Size{Posts: 40, Noindexed: 10}, 4},
		{"canonical elsewhere", "SELECT COUNT(*) FROM wp_postmeta WHERE meta_key = '_yoast_wpseo_canonical'", wptest.Size{Posts: 40, Elsewhere: 10}, 4},
		{"subscribers", "SELECT COUNT(*) FROM wp_users", wptest.Size{Posts: 10, Authors: 3, Subscribers: 20}, 23},
		{"tags", "SELECT COUNT(*) FROM wp_term_taxonomy WHERE taxonomy = 'post_tag'", wptest.Size{Posts: 1, Tags: 100}, 100},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			db, _ := wptest.DB(t, wptest.Load(t, wptest.SQLite))
			wptest.Must(t, wptest.Bulk(t.Context(), db, tt.size))
			if got := number(t, db, tt.query); got != tt.want {
				t.Errorf("%s: %d, want %d", tt.query, got, tt.want)
			}
		})
	}
}

func TestListed(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 13: 13, 14: 13, 38: 36, 72: 68, 200: 193, 1000: 965} {
		if got := (wptest.Size{Posts: n}).Listed(); got != want {
			t.Errorf("%d posts: %d listed, want %d", n, got, want)
		}
	}
}

// The layout of SQLite is derived from MariaDB's; both have to have the same columns.
func TestSchemasAgree(t *testing.T) {
	my, _ := wptest.DB(t, wptest.Load(t, wptest.MariaDB))
	lite, _ := wptest.DB(t, wptest.Load(t, wptest.SQLite))
	for _, dialect := range []struct {
		db *sql.DB
		d  wptest.Engine
	}{{my, wptest.MariaDB}, {lite, wptest.SQLite}} {
		statements := slices.Concat(wptest.NetworkSchema(dialect.d, "wp_"),
			wptest.BlogSchema(dialect.d, "wp_2_"), wptest.WooCommerceSchema(dialect.d, "wp_"))
		for _, s := range statements {
			if _, err := dialect.db.Exec(s); err != nil {
				t.Fatalf("%v\nin: %s", err, s)
			}
		}
	}
	inMy := strs(t, my, "SELECT CONCAT(TABLE_NAME, '.', COLUMN_NAME) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()")
	inLite := strs(t, lite,
		"SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name LIKE 'wp_%'")
	slices.Sort(inMy)
	slices.Sort(inLite)
	if !slices.Equal(inMy, inLite) {
		t.Errorf("columns differ:\nmariadb %v\nsqlite  %v", inMy, inLite)
	}
	indexes := strs(t, my, `SELECT CONCAT(TABLE_NAME, '__', INDEX_NAME, ' ', GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX SEPARATOR ' '))
		FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND INDEX_NAME <> 'PRIMARY' GROUP BY TABLE_NAME, INDEX_NAME`)
	liteIndexes := strs(t, lite, `SELECT i.name || ' ' || (SELECT group_concat(c.name, ' ') FROM pragma_index_info(i.name) c)
		FROM sqlite_master m, pragma_index_list(m.name) i WHERE m.type = 'table' AND i.name NOT LIKE 'sqlite_%'`)
	slices.Sort(indexes)
	slices.Sort(liteIndexes)
	if !slices.Equal(indexes, liteIndexes) {
		t.Errorf("indexes differ:\nmariadb %v\nsqlite  %v", indexes, liteIndexes)
	}
}

func TestSQLiteSchemaIsThatOfTheIntegrationPlugin(t *testing.T) {
	schema := strings.Join(wptest.SiteSchema(wptest.SQLite, "wp_"), ";\n")
	if demo, err := os.ReadFile("schema.sql"); err != nil || string(demo) != schema+";\n" {
		t.Errorf("schema.sql is another one (%v)", err)
	}
	for _, want := range []string{
		"CREATE TABLE `wp_usermeta` (\n  `umeta_id` INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,\n  `user_id` INTEGER NOT NULL DEFAULT " +
			"'0',\n  `meta_key` TEXT COLLATE NOCASE,\n  `meta_value` TEXT COLLATE NOCASE\n) STRICT",
		"CREATE INDEX `wp_usermeta__meta_key` ON `wp_usermeta` (`meta_key`)",
		"CREATE UNIQUE INDEX `wp_term_taxonomy__term_id_taxonomy` ON `wp_term_taxonomy` (`term_id`,`taxonomy`)",
		"`post_date` TEXT COLLATE NOCASE NOT NULL DEFAULT '0000-00-00 00:00:00'",
		"PRIMARY KEY (`object_id`,`term_taxonomy_id`)",
		"`updated_at` TEXT COLLATE NOCASE NOT NULL DEFAULT CURRENT_TIMESTAMP,",
	} {
		if !strings.Contains(schema, want) {
			t.Errorf("missing: %s", want)
		}
	}
}

func BenchmarkCreate(b *testing.B) {
	dir := b.TempDir()
	for i := 0; b.Loop(); i++ {
		wptest.Must(b, sample.Create(context.Background(), filepath.Join(dir, fmt.Sprint(i)), home))
	}
}
