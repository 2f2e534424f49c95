package wp

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
)

func open(t *testing.T, src Source) *Network {
	t.Helper()
	src.Name = "shop"
	n, err := Open(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return n
}

func openSite(t *testing.T, src Source) *Site {
	t.Helper()
	sites, err := open(t, src).Sites(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return sites[0]
}

// Even an account that may write cannot do so on a session of ours.
func TestSessionIsReadOnly(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		n := open(t, Source{DSN: wptest.Load(t, e, "basic")})
		for _, statement := range []string{
			"INSERT INTO wp_options (option_name, option_value) VALUES ('x', 'y')",
			"UPDATE wp_posts SET post_status = 'trash'",
			"DELETE FROM wp_posts",
			"DROP TABLE wp_posts",
			"CREATE TABLE x (y INTEGER)",
		} {
			for range maxConns + 1 { // every connection, and again after an error
				if _, err := n.db.Exec(statement); err == nil || !strings.Contains(strings.ToLower(strings.ReplaceAll(err.Error(), " ", "")), "readonly") && !strings.Contains(err.Error(), "READ ONLY") {
					t.Errorf("%s: %v, want a refusal", statement, err)
				}
			}
		}
		var posts int
		if err := n.db.QueryRow("SELECT COUNT(*) FROM wp_posts").Scan(&posts); err != nil || posts == 0 {
			t.Errorf("%d posts, %v", posts, err)
		}
	})
}

// The limits of a guest, as the session itself has them.
func TestSessionLimits(t *testing.T) {
	n := open(t, Source{DSN: wptest.Load(t, wptest.MariaDB, "basic")})
	for variable, want := range map[string]string{
		"tx_read_only": "1", "max_statement_time": "60", "lock_wait_timeout": "5", "in_predicate_conversion_threshold": "0", "sql_mode": "", "character_set_connection": "utf8mb4",
	} {
		var got string
		if err := n.db.QueryRow("SELECT @@" + variable).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %q (%v), want %q", variable, got, err, want)
		}
	}
	if got := n.db.Stats().MaxOpenConnections; got != maxConns {
		t.Errorf("%d connections at most, want %d", got, maxConns)
	}
}

func TestObserveIsToldOfEveryStatement(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		var told, read, failed atomic.Int64
		s := openSite(t, Source{DSN: wptest.Load(t, e, "basic"), Observe: func(query string, rows int, took time.Duration, err error) {
			told.Add(1)
			read.Add(int64(rows))
			if err != nil {
				failed.Add(1)
			}
			if query == "" || took < 0 {
				t.Errorf("%q took %s", query, took)
			}
		}})
		before, readBefore, posts := told.Load(), read.Load(), int64(0)
		if err := s.EachPost(t.Context(), "post", "publish", func(PostRow) error { posts++; return nil }); err != nil {
			t.Fatal(err)
		}
		if got, rows := told.Load()-before, read.Load()-readBefore; got != 1 || rows != posts || posts == 0 {
			t.Errorf("told of %d statements with %d rows, want 1 with %d", got, rows, posts)
		}
		failures := failed.Load()
		err := s.query(t.Context(), "SELECT nothing FROM wp_posts", nil, func(*sql.Rows) error { return nil })
		if err == nil || failed.Load() != failures+1 {
			t.Errorf("%v, told of %d failures, want 1", err, failed.Load()-failures)
		}
	})
}

// More rows of one date than fit into a batch: keyset paging must neither skip nor repeat.
func TestEachPostMeetsEveryRowOnce(t *testing.T) {
	digits := "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)"
	insert := func(first, rows int, date string) string {
		return fmt.Sprintf(`INSERT INTO wp_posts (ID, post_status, post_type, post_date, post_title, post_content, post_excerpt, to_ping, pinged, post_content_filtered)
SELECT %d + a.d + 10 * b.d + 100 * c.d + 1000 * e.d, 'publish', 'bulk', '%s', '', '', '', '', '', ''
FROM %[3]s a, %[3]s b, %[3]s c, %[3]s e WHERE a.d + 10 * b.d + 100 * c.d + 1000 * e.d < %[4]d`, first, date, digits, rows)
	}
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		wptest.Exec(t, dsn, insert(100_000, scanBatch, "2024-01-01 00:00:00"), insert(200_000, 100, "0000-00-00 00:00:00"), insert(1000, 100, "2024-02-01 00:00:00"))
		s := openSite(t, Source{DSN: dsn})
		seen := map[int64]bool{}
		zero := 0
		err := s.EachPost(t.Context(), "bulk", "publish", func(r PostRow) error {
			if seen[r.ID] {
				t.Fatalf("row %d twice", r.ID)
			}
			seen[r.ID] = true
			if r.ZeroDate {
				zero++
			}
			return nil
		})
		if err != nil || len(seen) != scanBatch+200 || zero != 100 {
			t.Errorf("%d rows, %d of them without a date (%v); want %d and 100", len(seen), zero, err, scanBatch+200)
		}
		for _, batch := range []int{1, 50, 99, 100, 101, 5000} { // far fewer than there are of one date
			var c counter
			s := openSite(t, Source{DSN: dsn, Observe: c.observe})
			before, read, met := c.statements.Load(), c.rows.Load(), map[int64]bool{}
			var id int64
			var date sql.RawBytes
			err := s.byDate(t.Context(), sqlPostStamps, "bulk", "publish", batch, func(rows *sql.Rows) (int64, []byte, error) {
				err := rows.Scan(&id, &date)
				return id, date, err
			}, func() error {
				if met[id] {
					return fmt.Errorf("row %d twice", id)
				}
				met[id] = true
				return nil
			})
			if err != nil || len(met) != len(seen) {
				t.Errorf("batches of %d: %d rows (%v), want %d", batch, len(met), err, len(seen))
			}
			// every batch at least doubles what is known of one date, so that little is read twice
			if n, rows := c.statements.Load()-before, c.rows.Load()-read; n > 200 || rows > int64(4*len(seen)) {
				t.Errorf("batches of %d: %d statements with %d rows", batch, n, rows)
			}
		}
	})
}

// counter counts statements and rows.
type counter struct{ statements, rows atomic.Int64 }

func (c *counter) observe(_ string, rows int, _ time.Duration, _ error) {
	c.statements.Add(1)
	c.rows.Add(int64(rows))
}

// A batch costs what it returns, wherever it begins, with WordPress' own index and with the one that the plugin
// Index WP MySQL For Speed puts in its place. Where there is none it is slow and right.
func TestEachPostByOtherIndexes(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	const rows, perDate = 3*scanBatch + 500, 7
	wptest.Exec(t, dsn, fmt.Sprintf(`INSERT INTO wp_posts (ID, post_author, post_status, post_type, post_date, post_title, post_content, post_excerpt, to_ping, pinged, post_content_filtered)
SELECT 100000 + seq, seq %% 13, 'publish', 'bulk', '2001-01-01' + INTERVAL ((seq * 7919 %% %d) DIV %d) HOUR, '', '', '', '', '', '' FROM seq_1_to_%[1]d`, rows, perDate))
	db, _ := wptest.DB(t, dsn)
	var want []int64
	for _, index := range []string{
		"ADD KEY type_status_date (post_type, post_status, post_date, ID)",
		"ADD KEY type_status_date (post_type, post_status, post_date, post_author)",
		"ADD KEY another (post_type, post_status)",
	} {
		if _, err := db.Exec("ALTER TABLE wp_posts DROP KEY type_status_date, " + index); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec("ANALYZE TABLE wp_posts"); err != nil {
			t.Fatal(err)
		}
		s := openSite(t, Source{DSN: dsn})
		var ids []int64
		if err := s.EachPost(t.Context(), "bulk", "publish", func(r PostRow) error { ids = append(ids, r.ID); return nil }); err != nil {
			t.Fatal(err)
		}
		slices.Sort(ids)
		if want == nil {
			want = ids
		}
		if len(ids) != rows || len(slices.Compact(ids)) != rows || !slices.Equal(ids, want) {
			t.Errorf("%s: %d posts, want %d, each once", index, len(ids), rows)
		}
		stamps := 0
		if err := s.EachStamp(t.Context(), "bulk", "publish", func(int64, uint32) error { stamps++; return nil }); err != nil || stamps != rows {
			t.Errorf("%s: %d stamps (%v)", index, stamps, err)
		}
		if !strings.Contains(index, "post_date") {
			if _, err := db.Exec("ALTER TABLE wp_posts ADD KEY type_status_date (post_type, post_status, post_date, ID)"); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for name, query := range map[string]string{"rows": sqlPostRows, "attachments": sqlAttachmentRows, "stamps": sqlPostStamps} {
			for _, date := range []string{zeroDate, "2001-02-01 00:00:00", "2001-04-01 00:00:00", "2001-06-01 00:00:00"} {
				if read := rowsTouched(t, db, query, "bulk", "publish", date, 500); read > 500+10 {
					t.Errorf("%s, %s from %s: %d entries of the index for 500 rows", index, name, date, read)
				}
			}
		}
	}
}

func TestWPMLPostsAreWalkedOnce(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "small-wpml")
	wptest.Exec(t, dsn, "INSERT INTO wp_icl_translations (translation_id, element_type, element_id, trid, language_code) SELECT 100000 + seq, 'post_bulk', seq, 100000 + seq, 'de' FROM seq_1_to_30000")
	db, _ := wptest.DB(t, dsn)
	if _, err := db.Exec("ANALYZE TABLE wp_icl_translations"); err != nil {
		t.Fatal(err)
	}
	if read := rowsTouched(t, db, sqlWPMLPosts, "post_bulk", 20_000, 500); read > 500+10 {
		t.Errorf("%d entries of the index for 500 rows", read)
	}
}

// rowsTouched runs a query in a session of its own and returns how many entries of an index the
// engine went through; those it leaves out by itself are in no other figure.
func rowsTouched(t *testing.T, db *sql.DB, query string, args ...any) (n int) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "FLUSH STATUS"); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	rows, err = conn.QueryContext(t.Context(), "SHOW SESSION STATUS WHERE Variable_name IN ('Handler_read_next', 'Handler_icp_attempts', 'Sort_scan', 'Sort_range', 'Handler_read_rnd_next')")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var count int
		if err := rows.Scan(&name, &count); err != nil {
			t.Fatal(err)
		}
		counts[name] = count
	}
	if counts["Sort_scan"]+counts["Sort_range"] > 0 {
		t.Errorf("sorts: %s", query)
	}
	return max(counts["Handler_read_next"], counts["Handler_icp_attempts"]) + counts["Handler_read_rnd_next"]
}

func TestNumber(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   any
		want int64
	}{
		{"a number", int64(7), 7},
		{"as text", []byte("7"), 7},
		{"unsigned", uint64(7), 7},
		{"beyond int64", uint64(math.MaxUint64), math.MaxInt64},
		{"NULL", nil, 0},
	} {
		var got int64 = -1
		if err := number(&got).Scan(tt.in); err != nil || got != tt.want {
			t.Errorf("%s: %d (%v), want %d", tt.name, got, err, tt.want)
		}
	}
	var n int64
	if err := number(&n).Scan("seven"); err == nil {
		t.Error("a word is a number")
	}
}

func TestTablesBind(t *testing.T) {
	for _, tt := range []struct{ name, blog, base, query, want string }{
		{"a single site", "wp_", "wp_", sqlNicenames, sqlNicenames},
		{"another prefix", "x1_", "x1_", "SELECT 1 FROM wp_posts p JOIN wp_postmeta m", "SELECT 1 FROM x1_posts p JOIN x1_postmeta m"},
		{"a blog of a network", "wp_7_", "wp_", "SELECT 1 FROM wp_posts, wp_users, wp_usermeta", "SELECT 1 FROM wp_7_posts, wp_users, wp_usermeta"},
		{"the network's tables", "x_7_", "x_", "wp_blogs, wp_site , wp_sitemeta, wp_options", "x_blogs, x_site , x_sitemeta, x_7_options"},
		{"meta keys stay", "x_7_", "x_", "SELECT 1 FROM wp_postmeta WHERE meta_key = '_wp_attached_file'", "SELECT 1 FROM x_7_postmeta WHERE meta_key = '_wp_attached_file'"},
		{"a prefix that holds the placeholder", "wp_users_", "wp_users_", "SELECT 1 FROM wp_users, wp_posts", "SELECT 1 FROM wp_users_users, wp_users_posts"},
	} {
		if got := newTables(tt.blog, tt.base, tt.base+"users", tt.base+"usermeta").bind(tt.query); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestServerVersion(t *testing.T) {
	for version, want := range map[string]bool{
		"10.4.1-MariaDB": true, "10.11.6-MariaDB-0+deb12u1": true, "11.0.2-MariaDB": true, "10.3.39-MariaDB": false, "5.5.68-MariaDB": false, "10": false, "": false,
	} {
		if got := versionAtLeast(version, 10, 4); got != want {
			t.Errorf("%q: %t", version, got)
		}
	}
}

// What a server does not know must not be asked of it, or no connection could be made.
func TestSessionVariables(t *testing.T) {
	const always = " lock_wait_timeout=5 sql_mode=''"
	for version, want := range map[string]string{
		"5.5.68-MariaDB":                    always,
		"10.0.38-MariaDB":                   always + " tx_read_only=1",
		"10.3.39-MariaDB":                   " lock_wait_timeout=5 max_statement_time=60 sql_mode='' tx_read_only=1",
		"10.11.6-MariaDB-0+deb12u1":         " in_predicate_conversion_threshold=0 lock_wait_timeout=5 max_statement_time=60 sql_mode='' tx_read_only=1",
		"11.4.2-MariaDB":                    " in_predicate_conversion_threshold=0 lock_wait_timeout=5 max_statement_time=60 sql_mode='' tx_read_only=1",
		"5.5.62":                            always,
		"5.6.51-log":                        always + " tx_read_only=1",
		"5.7.44-0ubuntu0.18.04.1":           " lock_wait_timeout=5 max_execution_time=60000 sql_mode='' tx_read_only=1",
		"8.0.36":                            " information_schema_stats_expiry=0 lock_wait_timeout=5 max_execution_time=60000 sql_mode='' transaction_read_only=1",
		"8.4.0":                             " information_schema_stats_expiry=0 lock_wait_timeout=5 max_execution_time=60000 sql_mode='' transaction_read_only=1",
		"something nobody has heard of yet": always,
	} {
		got := ""
		variables := sessionVariables(version)
		for _, name := range slices.Sorted(maps.Keys(variables)) {
			got += " " + name + "=" + variables[name]
		}
		if got != want {
			t.Errorf("%s:%s, want%s", version, got, want)
		}
	}
}
