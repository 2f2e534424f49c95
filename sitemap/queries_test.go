package sitemap_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A page costs a handful of statements, however many objects it has. Both engines have the same
// statements; SQLite is slow to fill.
func TestPageCostsAFixedNumberOfStatements(t *testing.T) {
	t.Parallel()
	dsn := sitemaptest.Bulk(t, wptest.MariaDB, 1200)
	for _, tt := range []struct {
		name, structure, sitemap string
		most                     int
	}{
		{"posts", "/%postname%/", "post", 3},
		{"posts without permalinks", "", "post", 3},
		{"posts below author and category", "/%author%/%category%/%postname%/", "post", 7},
		{"pages in a tree", "/%postname%/", "page", 6},
		{"categories in a tree", "/%postname%/", "category", 2},
		{"tags", "/%postname%/", "post_tag", 1},
		{"authors", "/%postname%/", "author", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = '"+tt.structure+"' WHERE option_name = 'permalink_structure'")
			var c sitemaptest.Counter
			blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Observe: c.Observe})
			for _, level := range sitemaptest.Levels {
				var costs []int
				for _, size := range []int{1000, 10} {
					cat := sitemaptest.Build(t, blog, seo.Options{Compat: level, PageSize: size})
					c.Take()
					doc := sitemaptest.Render(t, cat, tt.sitemap, 1)
					costs = append(costs, len(c.Take()))
					if tt.sitemap == "post" && doc.Entries < size*9/10 {
						t.Fatalf("only %d entries", doc.Entries)
					}
					if sitemaptest.Render(t, cat, seo.IndexName, 1); len(c.Take()) > 0 {
						t.Error("the index is not made of the catalog alone")
					}
				}
				// Ten posts may need one more statement for the parents of their categories, which a
				// thousand posts already include.
				if costs[0] > costs[1] || max(costs[0], costs[1]) > tt.most {
					t.Errorf("%s: %d statements for 1,000 objects, %d for 10, want no more and at most %d", string(level), costs[0], costs[1], tt.most)
				}
			}
		})
	}
}

// A page of posts costs equally few statements for every plugin.
func TestPageOfAnyPluginCostsAsFew(t *testing.T) {
	t.Parallel()
	dsn := sitemaptest.Bulk(t, wptest.MariaDB, 1200)
	wptest.Exec(t, dsn, `CREATE TABLE wp_aioseo_posts (id INT PRIMARY KEY AUTO_INCREMENT, post_id INT, robots_default INT, robots_noindex INT,
		priority FLOAT, images TEXT, canonical_url TEXT, KEY (post_id))`, `INSERT INTO wp_aioseo_posts (post_id, robots_default, images)
		SELECT ID, 1, '[{"image:loc":"/a.jpg"}]' FROM wp_posts`)
	var c sitemaptest.Counter
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Observe: c.Observe})
	for _, choice := range []string{"yoast", "rankmath", "seopress", "aioseo"} {
		for _, level := range sitemaptest.Levels {
			cat := sitemaptest.Build(t, blog, seo.Options{Sitemaps: choice, Compat: level, PageSize: 1000})
			c.Take()
			doc := sitemaptest.Render(t, cat, "post", 1)
			if n := len(c.Take()); n > 3 || doc.Entries < 900 {
				t.Errorf("%s, %s: %d statements for %d posts, want at most 3", choice, level, n, doc.Entries)
			}
		}
	}
}

// The number of statements for a catalog depends on types, taxonomies and batches, and never on the
// number of objects.
func TestCatalogCostsAFixedNumberOfStatements(t *testing.T) {
	t.Parallel()
	var costs []int
	for _, posts := range []int{130, 1200} {
		var c sitemaptest.Counter
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: sitemaptest.Bulk(t, wptest.MariaDB, posts), Observe: c.Observe})
		for _, level := range sitemaptest.Levels {
			c.Take()
			sitemaptest.Build(t, blog, seo.Options{Compat: level})
			costs = append(costs, len(c.Take()))
		}
	}
	if costs[0] != costs[2] || costs[1] != costs[3] || slices.Max(costs) > 30 {
		t.Errorf("statements at spec and plugin for 130 posts, then for 1,200: %d", costs)
	}
}

// logged is a statement in the server's log.
type logged struct {
	text     string
	examined int
}

// serverLog makes the server log every statement of sessions that use the returned DSN, in
// mysql.slow_log. The returned function reads the log. It waits until there are at least n statements,
// because the server logs after the answer.
func serverLog(t *testing.T, dsn string) (string, func(n int) []logged) {
	t.Helper()
	db, _ := wptest.DB(t, dsn)
	for name, value := range map[string]string{"log_output": "'TABLE'", "slow_query_log": "1"} {
		var old string
		wptest.Must(t, db.QueryRow("SELECT @@GLOBAL."+name).Scan(&old))
		_, err := db.Exec("SET GLOBAL " + name + " = " + value)
		wptest.Must(t, err)
		t.Cleanup(func() {
			if name == "log_output" {
				old = "'" + old + "'"
			}
			if _, err := db.Exec("SET GLOBAL " + name + " = " + old); err != nil {
				t.Error(err)
			}
		})
	}
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	cfg.Params = map[string]string{"long_query_time": "0"}
	if wptest.IsMariaDB(t, dsn) {
		maps.Copy(cfg.Params, map[string]string{"log_slow_filter": "''", "log_slow_rate_limit": "1"})
	}
	read := func(n int) (statements []logged) {
		t.Helper()
		wptest.Eventually(t, fmt.Sprint(n, " statements are logged"), func() bool {
			statements = nil
			rows, err := db.Query("SELECT sql_text, rows_examined FROM mysql.slow_log WHERE db = ? AND sql_text LIKE 'SELECT%'", cfg.DBName)
			wptest.Must(t, err)
			for rows.Next() {
				var s logged
				wptest.Must(t, rows.Scan(&s.text, &s.examined))
				if !strings.HasPrefix(s.text, "SELECT VERSION(), CURRENT_USER()") && s.text != "SELECT CONNECTION_ID()" { // of Open
					statements = append(statements, s)
				}
			}
			wptest.Must(t, rows.Err())
			rows.Close()
			return len(statements) >= n
		}, &statements)
		return statements
	}
	return cfg.FormatDSN(), read
}

// fasterKeys change WordPress' keys to those of the plugin Index WP MySQL For Speed, which many big
// sites use.
var fasterKeys = []string{
	"ALTER TABLE wp_options ADD UNIQUE KEY option_id (option_id), DROP PRIMARY KEY, ADD PRIMARY KEY (option_name), DROP KEY option_name",
	"ALTER TABLE wp_postmeta ADD UNIQUE KEY meta_id (meta_id), DROP PRIMARY KEY, ADD PRIMARY KEY (post_id, meta_key, meta_id), DROP " +
		"KEY post_id, DROP KEY meta_key, ADD KEY meta_key (meta_key, meta_value(32), post_id, meta_id), ADD KEY meta_value " +
		"(meta_value(32), meta_id)",
	"ALTER TABLE wp_usermeta ADD UNIQUE KEY umeta_id (umeta_id), DROP PRIMARY KEY, ADD PRIMARY KEY (user_id, meta_key, umeta_id), DROP " +
		"KEY user_id, DROP KEY meta_key, ADD KEY meta_key (meta_key, meta_value(32), user_id, umeta_id), ADD KEY meta_value " +
		"(meta_value(32), umeta_id)",
	"ALTER TABLE wp_posts DROP KEY post_name, ADD KEY post_name (post_name), DROP KEY post_parent, ADD KEY post_parent (post_parent, " +
		"post_type, post_status), DROP KEY type_status_date, ADD KEY type_status_date (post_type, post_status, post_date, post_author), " +
		"DROP KEY post_author, ADD KEY post_author (post_author, post_type, post_status, post_date)",
	"ALTER TABLE wp_users ADD KEY display_name (display_name)",
}

// This test reads the server's own log. Observe must report every statement. No statement may sort,
// use OFFSET, fill a temporary table or read a large one whole. A page may examine few rows.
func TestStatementsAsTheServerSeesThem(t *testing.T) {
	t.Run("WordPress' keys", func(t *testing.T) { statementsAsTheServerSeesThem(t, nil) })
	t.Run("the keys of Index WP MySQL For Speed", func(t *testing.T) { statementsAsTheServerSeesThem(t, fasterKeys) })
}

func statementsAsTheServerSeesThem(t *testing.T, keys []string) {
	dsn := sitemaptest.Bulk(t, wptest.MariaDB, 3000)
	// Discovery asks about these: a type and a taxonomy that neither core nor a known plugin has, an
	// index, and WooCommerce with its shop page below a page.
	wptest.Exec(t, dsn, `INSERT INTO wp_posts (ID, post_type, post_name, post_title, post_parent, post_date, post_content)
SELECT ID + 100000, 'book', post_name, '', 0, post_date, '' FROM wp_posts WHERE post_type = 'page';
		INSERT INTO wp_terms (term_id, name, slug) SELECT term_id + 100000, name, slug FROM wp_terms WHERE term_id < 200;
		INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
SELECT term_id, term_id, 'genre', '', 0, 9 FROM wp_terms WHERE term_id > 100000;
		INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) SELECT p.ID, t.term_id FROM wp_posts p, wp_terms t
WHERE p.ID > 100000 AND t.term_id > 100000;
		INSERT INTO wp_yoast_indexable (permalink, object_id, object_type, object_sub_type, post_status, version)
SELECT 'https://bulk.example.test/?p=' || ID, ID, 'post', post_type, post_status, 2 FROM wp_posts;
		INSERT INTO wp_yoast_indexable (permalink, object_id, object_type, object_sub_type, version)
SELECT 'https://bulk.example.test/?t=' || term_id, term_id, 'term', taxonomy, 2 FROM wp_term_taxonomy;
		REPLACE INTO wp_options (option_name, option_value)
VALUES ('active_plugins', 'a:2:{i:0;s:24:"wordpress-seo/wp-seo.php";i:1;s:27:"woocommerce/woocommerce.php";}'),
('woocommerce_shop_page_id', '2000'), ('rewrite_rules', 'a:1:{s:10:"([^/]+)/?$";s:26:"index.php?name=$matches[1]";}');
		--: create woocommerce
		INSERT INTO wp_woocommerce_attribute_taxonomies (attribute_name, attribute_label, attribute_type, attribute_orderby,
attribute_public) VALUES ('colour', 'Colour', 'select', 'menu_order', 1), ('size', 'Size', 'select', 'menu_order', 0)`)
	db, _ := wptest.DB(t, dsn)
	for _, alter := range keys {
		_, err := db.Exec(alter)
		wptest.Must(t, err)
	}
	db.SetMaxOpenConns(1) // EXPLAIN asks as the daemon does
	if wptest.IsMariaDB(t, dsn) {
		_, err := db.Exec("SET SESSION in_predicate_conversion_threshold = 0")
		wptest.Must(t, err)
	}
	tables := []string{
		"posts", "postmeta", "terms", "term_taxonomy", "term_relationships", "options", "users", "usermeta", "yoast_indexable",
		"woocommerce_attribute_taxonomies",
	}
	_, err := db.Exec("ANALYZE TABLE wp_" + strings.Join(tables, ", wp_"))
	wptest.Must(t, err)
	watched, read := serverLog(t, dsn)

	var c sitemaptest.Counter
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: watched, Observe: c.Observe, Ask: func(context.Context, string) (wp.Response, error) {
		return wp.Response{Status: 200}, nil
	}})
	told := len(c.Take())
	step := func(what string, most int, do func()) {
		t.Helper()
		before := told
		do()
		observed := len(c.Take())
		told += observed
		after := read(told)
		expect.Equal(t, len(after), told, what, "statements in the log")
		examined, worst := 0, logged{}
		for _, s := range after[before:] {
			examined += s.examined
			if s.examined > worst.examined {
				worst = s
			}
		}
		t.Logf("%s: %d statements, %d rows examined", what, observed, examined)
		if examined > most {
			t.Errorf("%s: %d rows examined, want at most %d; %d by %.500s", what, examined, most, worst.examined, worst.text)
		}
	}
	step("inquiry", 100, func() {
		said, _, err := blog.Inquire(t.Context(), time.Now(), 0)
		if wptest.Must(t, err); len(said) < 4 {
			t.Errorf("asked about %d types", len(said))
		}
	})
	for _, level := range sitemaptest.Levels {
		var cat *sitemap.Catalog
		step(string(level)+", catalog", 80_000, func() { cat = sitemaptest.Build(t, blog, seo.Options{Compat: level}) })
		for _, n := range cat.Types() {
			step(string(level)+", "+n.Name, 20_000, func() { sitemaptest.Render(t, cat, n.Name, 1) })
		}
		step(string(level)+", index", 0, func() { sitemaptest.Render(t, cat, seo.IndexName, 1) })
		for _, n := range cat.Types() {
			var page []sitemaptest.ParsedEntry
			step(string(level)+", again "+n.Name, 20_000, func() { page = sitemaptest.Parse(t, sitemaptest.Render(t, cat, n.Name, 1).Body).Entries })
			loc := page[len(page)/3].Loc
			step(string(level)+", explain "+loc, 1000, func() { sitemaptest.Explain(t, cat, loc) })
		}
		for _, address := range []string{"/nothing/at/all/feed/", "/?p=17", "/2024/05/"} {
			step(string(level)+", explain "+address, 1000, func() { sitemaptest.Explain(t, cat, blog.Blog.Home()+address) })
		}
	}

	seen := map[string]bool{}
	for _, s := range read(told) {
		key := lists.ReplaceAllStringFunc(s.text, func(list string) string {
			return fmt.Sprintf("IN (%d)", 1+strings.Count(list, ","))
		})
		if seen[key] {
			continue
		}
		seen[key] = true
		if strings.Contains(s.text, "wp_blogs") {
			continue // asked just to see that the table does not exist
		}
		if sitemaptest.Offset.MatchString(s.text) {
			t.Errorf("pages by OFFSET: %s", key)
		}
		if slices.ContainsFunc(maySort, func(m sorts) bool { return strings.Contains(s.text, m.statement) }) {
			continue
		}
		for _, extra := range explainQuery(t, db, s.text) {
			if strings.Contains(extra, "Using filesort") || strings.Contains(extra, "Using temporary") || strings.Contains(extra, "table <") ||
				wholeTable.MatchString(extra) {
				t.Errorf("%s: %s", extra, key)
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d different statements seen", len(seen))
	}
}

// sorts is a statement that may sort or use a temporary table, with the reason.
type sorts struct{ statement, reason string }

// No page and no catalog uses these statements. Discovery runs them once for every type, explain once
// for a term.
var maySort = []sorts{
	{"SELECT p.ID FROM (SELECT object_id", "the one post that a term's date is of, among at most 500"},
	{"SELECT DISTINCT p.post_type FROM (SELECT object_id", "the few types among at most 2,000 objects"},
	{"SELECT DISTINCT tt.taxonomy FROM (SELECT ID", "the few taxonomies of at most 500 posts"},
	{"MAX(parent > 0) FROM wp_term_taxonomy GROUP BY taxonomy", "a row a taxonomy, where MariaDB 11.8 prefers the table to its index"},
	{"FROM wp_woocommerce_attribute_taxonomies", "a handful of attributes, in the order of the column's collation"},
}

// wholeTable matches the plan of a statement that reads a table of thousands of rows completely.
var wholeTable = regexp.MustCompile(`by ALL, key , \d{4,} rows`)

var lists = regexp.MustCompile(`IN \([^()]*\)`)

// explainQuery returns the column Extra of EXPLAIN.
func explainQuery(t *testing.T, db *sql.DB, statement string) (extras []string) {
	t.Helper()
	rows, err := db.Query("EXPLAIN FORMAT=TRADITIONAL " + statement)
	if err != nil {
		t.Fatalf("%v\nin EXPLAIN %.500s", err, statement)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	wptest.Must(t, err)
	for rows.Next() {
		v, dest := map[string]*sql.NullString{}, []any{}
		for _, name := range columns {
			v[name] = new(sql.NullString)
			dest = append(dest, v[name])
		}
		wptest.Must(t, rows.Scan(dest...))
		extras = append(extras, fmt.Sprintf("table %s by %s, key %s, %s rows, %s",
			v["table"].String, v["type"].String, v["key"].String, v["rows"].String, v["Extra"].String))
	}
	wptest.Must(t, rows.Err())
	return extras
}

// A delta after an edit reads the index once, and otherwise only changed rows and the few meta rows
// that decide. A changed page costs a few statements, and a few rows for each entry. The server's own
// log proves it.
func TestEditCostsLittle(t *testing.T) {
	const posts = 10_000
	dsn := sitemaptest.Bulk(t, wptest.MariaDB, posts)
	watched, read := serverLog(t, dsn)
	var c sitemaptest.Counter
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: watched, Observe: c.Observe, Ask: func(context.Context, string) (wp.Response, error) {
		return wp.Response{Status: 200}, nil
	}})
	told := len(c.Take())
	db, _ := wptest.DB(t, dsn)
	e := &editor{t: t, db: db, dsn: dsn, rand: rand.New(rand.NewPCG(1, 2)), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	for _, level := range sitemaptest.Levels {
		cat := sitemaptest.Build(t, blog, seo.Options{Compat: level, Keep: true})
		known := map[string]bool{}
		for _, f := range cat.Files() {
			known[f.Filename] = true
		}
		told += len(c.Take())
		for _, edit := range edits {
			if edit.blind || edit.name == "restore" || strings.HasPrefix(edit.name, "a scheduled") {
				continue // there is nothing to restore and none to come due
			}
			edit.do(e)
			before := told
			delta, touched, err := cat.Delta(t.Context(), e.tables())
			if err != nil || touched == 0 {
				t.Fatalf("%s, %s: %d posts, %v", string(level), edit.name, touched, err)
			}
			found := len(c.Take())
			renders, pages, entries := 0, 0, 0
			for _, f := range delta.Files() {
				if known[f.Filename] && cat.Fingerprint(f.Name, f.Page) == delta.Fingerprint(f.Name, f.Page) {
					continue
				}
				known[f.Filename] = true
				pages, entries = pages+1, entries+sitemaptest.Render(t, delta, f.Name, f.Page).Entries
				if f.Name == "post" {
					renders++
				}
			}
			rendered := len(c.Take())
			told += found + rendered
			examined, passed, ofPages := 0, 0, 0
			for i, s := range read(told)[before:] {
				switch {
				case i >= found:
					ofPages += s.examined
				case strings.Contains(s.text, "SELECT p.ID, p.post_date FROM"):
					passed += s.examined
				default:
					examined += s.examined
				}
			}
			t.Logf("%s, %s: %d statements, %d rows examined and %d of the index; %d pages with %d entries: %d statements, %d rows",
				string(level), edit.name, found, examined, passed, pages, entries, rendered, ofPages)
			mostFound, mostExamined := 10, 300
			if strings.Contains(edit.name, "page") || strings.Contains(edit.name, "new tag") { // these read the tree of pages, or all terms
				mostFound, mostExamined = 17, 4100
			}
			if found > mostFound || examined > mostExamined || passed > posts+posts/50+100 {
				t.Errorf("%s, %s: %d statements, %d rows examined and %d of the index", string(level), edit.name, found, examined, passed)
			}
			if rendered > 5*pages || ofPages > 15*entries {
				t.Errorf("%s, %s: %d statements and %d rows for %d pages with %d entries", string(level), edit.name, rendered, ofPages, pages, entries)
			}
			if level == seo.SpecLevel && !edit.moves && renders > 3 { // that of the post, and the first if home is dated by it
				t.Errorf("%s: %d pages of posts change", edit.name, renders)
			}
			cat = delta
		}
	}
}

// A catalog keeps only a few bytes for each entry, for serving and for deltas.
func TestCatalogMemory(t *testing.T) {
	const posts = 20_000
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: sitemaptest.Bulk(t, wptest.MariaDB, posts)})
	used := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for _, level := range sitemaptest.Levels {
		sitemaptest.Build(t, blog, seo.Options{Compat: level, Keep: true}) // what is made once
		before := used()
		cat := sitemaptest.Build(t, blog, seo.Options{Compat: level, Keep: true})
		kept := used() - before
		entries := 0
		for _, n := range cat.Types() {
			entries += n.URLs
		}
		cat.Kept().Retire()
		retired := used() - before
		t.Logf("%s: %d entries, %d bytes each, %d while an audit makes the next", string(level), entries, kept/uint64(entries), retired/uint64(entries))
		if most := uint64(75); kept/uint64(entries) > most {
			t.Errorf("%s: %d bytes an entry, want %d at most", string(level), kept/uint64(entries), most)
		}
		runtime.KeepAlive(cat)
	}
}
