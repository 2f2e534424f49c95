package sitemap_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// nullable removes NOT NULL from every column that is not part of a key.
func nullable(t *testing.T, e wptest.Engine, dsn string, table string, columns []string) {
	t.Helper()
	if e == wptest.MariaDB {
		db, _ := wptest.DB(t, dsn)
		rows, err := db.Query("SELECT COLUMN_NAME, COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?", table)
		wptest.Must(t, err)
		types := map[string]string{}
		for rows.Next() {
			var name, kind string
			wptest.Must(t, rows.Scan(&name, &kind))
			types[name] = kind
		}
		wptest.Must(t, rows.Err())
		var changes []string
		for _, c := range columns {
			changes = append(changes, "MODIFY `"+c+"` "+types[c]+" NULL")
		}
		wptest.Exec(t, dsn, "ALTER TABLE "+table+" "+strings.Join(changes, ", "))
		return
	}
	// SQLite has no MODIFY, so the definition is changed directly.
	db, _ := wptest.DB(t, dsn)
	var definition string
	wptest.Must(t, db.QueryRow("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", table).Scan(&definition))
	lines := strings.Split(definition, "\n")
	for i, line := range lines {
		for _, c := range columns {
			if strings.HasPrefix(strings.TrimSpace(line), "`"+c+"` ") {
				lines[i] = strings.Replace(line, "NOT NULL", "", 1)
			}
		}
	}
	changed := strings.Replace(strings.Join(lines, "\n"), "`"+table+"`", "`"+table+"_new`", 1)
	wptest.Exec(t, dsn, changed, "INSERT INTO "+table+"_new SELECT * FROM "+table)
	var indexes []string
	rows, err := db.Query("SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL", table)
	wptest.Must(t, err)
	for rows.Next() {
		var s string
		wptest.Must(t, rows.Scan(&s))
		indexes = append(indexes, s)
	}
	wptest.Must(t, rows.Err())
	wptest.Exec(t, dsn, append([]string{"DROP TABLE " + table, "ALTER TABLE " + table + "_new RENAME TO " + table}, indexes...)...)
}

// readColumns returns the columns of a table that are not in the primary key and that any statement of
// wpsitemapd can name.
func readColumns(t *testing.T, table string) []string {
	t.Helper()
	unread := regexp.MustCompile("^(comment_|ping|to_ping|guid|post_content_filtered|user_(pass|email|url|registered|activation)" +
		"|registered|last_updated" +
		"|mature|lang_id|autoload|term_order|twitter_|open_graph_|primary_|schema_|prominent_|link_count|incoming_|.*_score" +
		"|created_at|updated_at|is_robots_no[^i]|is_robots_noimage|estimated_|has_|number_of)")
	var columns []string
	for _, s := range slices.Concat(wptest.SiteSchema(wptest.SQLite, "wp_"), wptest.NetworkSchema(wptest.SQLite, "wp_")) {
		if !strings.HasPrefix(s, "CREATE TABLE") || strings.Split(s, "`")[1] != table {
			continue
		}
		keys := ""
		for line := range strings.SplitSeq(s, "\n") {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "PRIMARY KEY") {
				keys = line
			}
			if strings.HasPrefix(line, "`") && !strings.Contains(line, "PRIMARY KEY") {
				columns = append(columns, strings.Split(line, "`")[1])
			}
		}
		columns = slices.DeleteFunc(columns, func(c string) bool { return strings.Contains(keys, "`"+c+"`") || unread.MatchString(c) })
	}
	if len(columns) == 0 {
		t.Fatal("no columns of " + table)
	}
	return columns
}

// nullCases lists, for each table, the seeds whose sitemaps read it, and rows that contain NULL.
var nullCases = []struct {
	table string
	seeds []string
	rows  string // condition on the rows that are changed
}{
	{table: "wp_posts", seeds: []string{"basic", "types"}, rows: "ID % 2 = 0"},
	{table: "wp_posts", seeds: []string{"small", "small-video"}, rows: "1 = 1"},
	{table: "wp_posts", seeds: []string{"small", "small-news"}, rows: "ID % 3 = 0"},
	{table: "wp_postmeta", seeds: []string{"basic"}, rows: "meta_id % 2 = 0"},
	{table: "wp_postmeta", seeds: []string{"small", "small-video"}, rows: "1 = 1"},
	{table: "wp_terms", seeds: []string{"basic", "types"}, rows: "term_id % 2 = 0"},
	{table: "wp_terms", seeds: []string{"small", "small-polylang"}, rows: "1 = 1"},
	{table: "wp_term_taxonomy", seeds: []string{"basic", "types"}, rows: "term_taxonomy_id % 2 = 0"},
	{table: "wp_term_taxonomy", seeds: []string{"small", "small-polylang"}, rows: "1 = 1"},
	{table: "wp_term_taxonomy", seeds: []string{"small", "small-video"}, rows: "1 = 1"},
	{table: "wp_options", seeds: []string{"basic"}, rows: "option_name NOT IN ('home', 'siteurl', 'active_plugins')"},
	{table: "wp_options", seeds: []string{"small", "small-wpml"}, rows: "option_name NOT IN ('home', 'siteurl', 'active_plugins')"},
	{table: "wp_users", seeds: []string{"basic"}, rows: "1 = 1"},
	{table: "wp_users", seeds: []string{"small", "small-video"}, rows: "1 = 1"},
	{table: "wp_usermeta", seeds: []string{"basic"}, rows: "umeta_id % 2 = 0"},
	{table: "wp_yoast_indexable", seeds: []string{"small", "small-news"}, rows: "1 = 1"},
	{table: "wp_yoast_indexable", seeds: []string{"basic", "types"}, rows: "id % 2 = 0"},
	{table: "wp_blogs", seeds: []string{"basic", "network"}, rows: "blog_id > 2"},
	{table: "wp_site", seeds: []string{"basic", "network"}, rows: "1 = 1"},
	{table: "wp_sitemeta", seeds: []string{"basic", "network"}, rows: "meta_key NOT IN ('active_sitewide_plugins')"},
}

// NULL in a column that WordPress declares NOT NULL never breaks sitemaps. Every page is rendered for
// every column, at both levels, after a full scan and after a delta.
func TestNullInAnyColumn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for i, tt := range nullCases {
		t.Run(strings.TrimPrefix(tt.table, "wp_")+" of "+strings.Join(tt.seeds, ","), func(t *testing.T) {
			t.Parallel()
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				columns := readColumns(t, tt.table)
				dsn := wptest.Load(t, e, tt.seeds...)
				nullable(t, e, dsn, tt.table, columns)
				wptest.Exec(t, dsn, "CREATE TABLE kept AS SELECT * FROM "+tt.table)
				var together []string // without those by which rows are found
				for _, c := range columns {
					if !slices.Contains([]string{"post_type", "post_status", "post_date", "taxonomy", "object_type", "meta_key", "option_name"}, c) {
						together = append(together, "`"+c+"` = NULL")
					}
					if e == wptest.MariaDB && i > 0 { // one at a time they read as in SQLite; of posts, which have all kinds, that is tried
						continue
					}
					wptest.Exec(t, dsn, "UPDATE "+tt.table+" SET `"+c+"` = NULL WHERE "+tt.rows)
					expect.Equal(t, readEverything(t, dsn), nil, tt.table, c)
					wptest.Exec(t, dsn, "DELETE FROM "+tt.table, "INSERT INTO "+tt.table+" SELECT * FROM kept")
				}
				wptest.Exec(t, dsn, "UPDATE "+tt.table+" SET "+strings.Join(together, ", ")+" WHERE "+tt.rows)
				expect.Equal(t, readEverything(t, dsn), nil, tt.table)
			})
		})
	}
}

// readEverything renders every page of every site, and reads all rows again as a delta does.
func readEverything(t *testing.T, dsn string) error {
	for _, level := range sitemaptest.Levels {
		opt := seo.Options{Compat: level, Hreflang: true, Text: true, Atom: true, Keep: true, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)}
		_, _, err := serveSource(t.Context(), wp.Source{DSN: dsn}, opt, func(c *sitemap.Catalog) error {
			var ids []int64
			if start := c.Kept().Start(); start != nil {
				for _, rows := range start.Posts {
					for _, r := range rows {
						ids = append(ids, r.ID)
					}
				}
			}
			_, _, _, err := objects.Touched(t.Context(), c.Rules.Blog, objects.Marks{}, 10_000)
			return errors.Join(err, objects.PostRows(t.Context(), c.Rules.Blog, ids, func(objects.PostRow) {}))
		})
		if err != nil {
			return fmt.Errorf("level %s: %w", level, err)
		}
	}
	return nil
}

// NULL is read as PHP reads it: like an empty text or 0.
func TestNullReadsAsEmpty(t *testing.T) {
	for _, tt := range []struct{ table, column, empty, rows string }{
		{"wp_posts", "post_password", "''", "1 = 1"},
		{"wp_posts", "post_name", "''", "ID % 3 = 0"},
		{"wp_posts", "post_title", "''", "1 = 1"},
		{"wp_posts", "post_excerpt", "''", "1 = 1"},
		{"wp_posts", "post_content", "''", "ID % 2 = 0"},
		{"wp_posts", "post_parent", "0", "1 = 1"},
		{"wp_posts", "post_author", "0", "ID % 2 = 0"},
		{"wp_posts", "post_mime_type", "''", "ID % 2 = 0"},
		{"wp_posts", "post_modified_gmt", "'0000-00-00 00:00:00'", "ID % 2 = 0"},
		{"wp_terms", "slug", "''", "term_id % 2 = 0"},
		{"wp_terms", "name", "''", "term_id % 2 = 0"},
		{"wp_term_taxonomy", "parent", "0", "1 = 1"},
		{"wp_term_taxonomy", "count", "0", "term_taxonomy_id % 2 = 0"},
		{"wp_term_taxonomy", "description", "''", "1 = 1"},
		{"wp_users", "user_nicename", "''", "ID = 2"},
		{"wp_options", "option_value", "''", "option_name IN ('wpseo', 'wpseo_titles', 'wpseo_taxonomy_meta', 'category_children', " +
			"'WPLANG', 'rewrite_rules', 'category_base', 'page_on_front')"},
	} {
		t.Run(tt.table+"."+tt.column, func(t *testing.T) {
			t.Parallel()
			pages := func(value string) map[string]string {
				dsn := wptest.Load(t, wptest.SQLite, "basic")
				nullable(t, wptest.SQLite, dsn, tt.table, []string{tt.column})
				wptest.Exec(t, dsn, "UPDATE "+tt.table+" SET "+tt.column+" = "+value+" WHERE "+tt.rows)
				docs, _, err := serveSource(t.Context(), wp.Source{DSN: dsn}, seo.Options{Compat: seo.SpecLevel}, nil)
				wptest.Must(t, err)
				return docs
			}
			expect.Same(t, pages(tt.empty), pages("NULL"), tt.empty, "(-) and with NULL (+)")
		})
	}
}

// The plugin's SQL (post_password = ”) leaves out a post whose password is NULL, and its attachments.
// For PHP such a post has no password. WordPress 7.2 with Yoast SEO 28.3 behaved so.
func TestNullPassword(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic", "attachments")
		nullable(t, e, dsn, "wp_posts", []string{"post_password"})
		set := func(value string) {
			wptest.Exec(t, dsn, "UPDATE wp_posts SET post_password = "+value+" WHERE ID = 100")
		}
		set("NULL")
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
		for _, level := range []seo.Level{seo.SpecLevel, seo.PluginLevel} {
			c := sitemaptest.Build(t, blog, seo.Options{Compat: level})
			got := strings.Contains(string(sitemaptest.Render(t, c, "post", 1).Body), "https://example.test/the-pier-at-dawn/")
			expect.Equal(t, got, level == seo.SpecLevel, "level", string(level), "lists it")
		}
		for _, value := range []string{"'x'", "NULL"} { // read by id, as a delta does
			set(value)
			wptest.Must(t, objects.PostRows(t.Context(), blog.Blog, []int64{100}, func(p objects.PostRow) {
				if p.NullPassword != (value == "NULL") || p.Protected == p.NullPassword {
					t.Errorf("%s: %+v", value, p)
				}
			}))
		}
	})
}
