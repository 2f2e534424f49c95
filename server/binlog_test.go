//go:build !nobinlog

package server

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/sample"
	"wpsitemapd/wp/wptest"
)

// followed is a server on sites whose binlog it follows.
type followed struct {
	*testServer
	t      *testing.T
	user   string
	admin  *sql.DB
	public string
}

func binlogSite(name, dsn string) config.Site {
	s := realSite(name, dsn)
	s.Changes = "binlog"
	return s
}

// bothRights are those to follow a binlog. MariaDB's own name of the second is BINLOG MONITOR.
var bothRights = []string{"REPLICATION SLAVE", "REPLICATION CLIENT"}

func startFollowed(t *testing.T, s *wptest.Server, sites ...config.Site) *followed {
	t.Helper()
	admin, _ := wptest.DB(t, s.DSN+"mysql")
	cfg, err := mysql.ParseDSN(sites[0].DSN.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	ts, public := startReal(t, len(sites), sites...)
	return &followed{ts, t, cfg.User, admin, public}
}

// accountWith creates an account for a loaded site with rights on everything besides.
func accountWith(t *testing.T, s *wptest.Server, dsn string, rights ...string) string {
	t.Helper()
	dsn = wptest.ReadOnlyDSN(t, dsn)
	for _, right := range rights {
		s.Grant(t, dsn, right)
	}
	return dsn
}

// waitLog waits until a text is in the log n times.
func (f *followed) waitLog(text string, n int) {
	f.t.Helper()
	wptest.Eventually(f.t, fmt.Sprintf("%d times %q", n, text), func() bool { return f.log.count(text) >= n }, f.log)
}

// seen waits until a page has a text, or has it no more, and returns how long that took.
func (f *followed) seen(host, path, text string, there bool) time.Duration {
	f.t.Helper()
	from := time.Now()
	wptest.Eventually(f.t, fmt.Sprintf("%s has %q: %v", path, text, there), func() bool {
		status, page, err := ask(f.public, host, path)
		return err == nil && status == 200 && strings.Contains(page, text) == there
	}, func() any { return f.blog().Readings }, f.log)
	return time.Since(from)
}

// deltasAfter returns the deltas of the first site that began after a moment.
func (f *followed) deltasAfter(at time.Time) []site.Reading {
	return slices.DeleteFunc(f.readingsAfter(at), func(r site.Reading) bool { return r.Kind != site.DeltaReading })
}

// caughtUp waits until all that was written to the first site before has been reported, and read twice: a binlog is read
// in its order, and its events are repeated in case reads lag behind it. It returns when that was.
func (f *followed) caughtUp(dsn, marker string) time.Time {
	f.t.Helper()
	posted(f.t, dsn, marker)
	f.seen("a.test", "/post-sitemap.xml", "/"+marker+"/", true)
	once := time.Now()
	wptest.Eventually(f.t, "it is read again", func() bool { return len(f.deltasAfter(once)) > 0 }, func() any { return f.blog().Readings }, f.log)
	return time.Now()
}

// dumps are the account's connections that read the binlog.
func (f *followed) dumps() (ids []int) {
	f.t.Helper()
	rows, err := f.admin.Query("SELECT ID FROM information_schema.PROCESSLIST WHERE COMMAND LIKE 'Binlog Dump%' AND USER = ?", f.user)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			f.t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	return ids
}

func (f *followed) admins(statements ...string) {
	f.t.Helper()
	for _, s := range statements {
		if _, err := f.admin.Exec(s); err != nil {
			f.t.Fatalf("%s: %v", s, err)
		}
	}
}

func (f *followed) killDump() {
	f.t.Helper()
	for _, id := range f.dumps() {
		_, _ = f.admin.Exec(fmt.Sprint("KILL ", id)) // it may just have ended
	}
}

func posted(t *testing.T, dsn, name string) {
	t.Helper()
	wptest.Exec(t, dsn, fmt.Sprintf(`INSERT INTO wp_posts (post_type, post_status, post_name, post_author, post_date, post_date_gmt,
post_modified, post_modified_gmt, post_content)
		VALUES ('post', 'publish', '%s', 1, '2026-01-01 00:00:00', '2026-01-01 00:00:00', '2026-01-01 00:00:00', '2026-01-01 00:00:00', '')`, name))
}

func percentile(all []time.Duration, share int) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[(len(sorted)-1)*share/100].Round(time.Millisecond)
}

// Nobody waits for minutes here.
func init() { binlogRetry = time.Second }

// What is written to real databases is told by the binlog, and by looks while that is not to be had.
func TestBinlog(t *testing.T) {
	t.Parallel()
	s := wptest.OwnServer(t)
	t.Run("of a server that is well", func(t *testing.T) { testBinlog(t, s) })
	t.Run("of a server with troubles", func(t *testing.T) { testBinlogTroubles(t, s) })
}

func testBinlog(t *testing.T, s *wptest.Server) {
	t.Run("edits are seen at once, and exactly", func(t *testing.T) {
		t.Parallel()
		dsn := s.Load(t, "basic")
		f := startFollowed(t, s, binlogSite("a", accountWith(t, s, dsn, bothRights...)))
		f.waitLog("the binlog is followed", 1)
		db, _ := wptest.DB(t, dsn)
		var term, taxonomy int
		if err := db.QueryRow("SELECT term_id, term_taxonomy_id FROM wp_term_taxonomy WHERE taxonomy = 'category' AND count > 0 LIMIT 1").Scan(&term,
			&taxonomy); err != nil {
			t.Fatal(err)
		}
		exec := func(query string, args ...any) int64 {
			t.Helper()
			r, err := db.Exec(query, args...)
			if err != nil {
				t.Fatal(err)
			}
			id, _ := r.LastInsertId()
			return id
		}
		f.caughtUp(dsn, "marker")
		looks, edits := f.counted.Looks.Load(), int64(0)
		seen := func(path, text string, there bool) {
			t.Helper()
			f.seen("a.test", path, text, there)
			edits++
		}
		for i := range 4 {
			name := fmt.Sprintf("told-%d", i)
			posted(t, dsn, name)
			seen("/post-sitemap.xml", "/"+name+"/", true)
			var id int64
			if err := db.QueryRow("SELECT ID FROM wp_posts WHERE post_name = ?", name).Scan(&id); err != nil {
				t.Fatal(err)
			}
			exec("UPDATE wp_posts SET post_content = ? WHERE ID = ?", `<img src="/`+name+`.jpg">`, id) // in place: no date, no revision
			seen("/post-sitemap.xml", "/"+name+".jpg", true)
			exec("UPDATE wp_posts SET post_name = ? WHERE ID = ?", name+"-b", id)
			seen("/post-sitemap.xml", "/"+name+"-b/", true)
			meta := exec("INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (?, '_yoast_wpseo_meta-robots-noindex', '1')", id)
			seen("/post-sitemap.xml", "/"+name+"-b/", false)
			exec("UPDATE wp_postmeta SET meta_value = '2' WHERE meta_id = ?", meta)
			seen("/post-sitemap.xml", "/"+name+"-b/", true)
			exec("UPDATE wp_posts SET post_modified = ?, post_modified_gmt = ? WHERE ID = ?",
				fmt.Sprintf("2031-01-%02d 00:00:00", i+1), fmt.Sprintf("2031-01-%02d 00:00:00", i+1), id)
			exec("INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (?, ?, 0)", id, taxonomy)
			exec("UPDATE wp_term_taxonomy SET count = count + 1 WHERE term_taxonomy_id = ?", taxonomy)
			seen("/category-sitemap.xml", fmt.Sprintf("2031-01-%02dT", i+1), true)
			exec("UPDATE wp_posts SET post_status = 'trash' WHERE ID = ?", id)
			seen("/post-sitemap.xml", "/"+name+"-b/", false)
			exec("DELETE FROM wp_posts WHERE ID = ?", id)
			exec("DELETE FROM wp_term_relationships WHERE object_id = ?", id)
			exec("UPDATE wp_term_taxonomy SET count = count - 1 WHERE term_taxonomy_id = ?", taxonomy)
		}
		if looks = f.counted.Looks.Load() - looks; looks > edits/2 {
			t.Errorf("%d looks for %d edits", looks, edits)
		}
		exec("UPDATE wp_terms SET slug = 'renamed-just-now' WHERE term_id = ?", term)
		f.seen("a.test", "/category-sitemap.xml", "/renamed-just-now/", true)
		for file, text := range fresh(t, dsn, "spec", 1000) { // below a renamed term it takes an audit
			var got string
			wptest.Eventually(t, file+" is what a fresh build gives:\n"+text, func() bool {
				got = mustAsk(t, f.public, "/"+file)
				return got == text
			}, &got, f.log)
		}
		if got := f.log.count("binlog"); got != 1 {
			t.Errorf("the log tells %d times of the binlog\n%s", got, f.log)
		}
		if len(f.dumps()) != 1 {
			t.Errorf("%d connections read the binlog", len(f.dumps()))
		}
	})

	t.Run("what sitemaps do not depend on is nothing", func(t *testing.T) {
		t.Parallel()
		dsn := s.Load(t, "basic")
		install := binlogSite("a", accountWith(t, s, dsn, bothRights...))
		install.Refresh = time.Hour
		f := startFollowed(t, s, install)
		f.waitLog("the binlog is followed", 1)
		post := func(name string) {
			posted(t, dsn, name)
			f.seen("a.test", "/post-sitemap.xml", "/"+name+"/", true)
		}
		n := 0
		var looks int64
		var deltas []site.Reading
		// At first polls report what loading wrote.
		wptest.Eventually(t, "nothing is polled, and nothing read but the last post", func() bool {
			n++
			from, before := f.caughtUp(dsn, fmt.Sprint("before-", n)), f.counted.Looks.Load()
			for i := range 3 {
				wptest.Exec(t, dsn, fmt.Sprintf("REPLACE INTO wp_options (option_name, option_value) VALUES ('cron', '%d')", i),
					fmt.Sprintf("INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (101, 'views', '%d')", i),
					fmt.Sprintf("INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (1, 'session_tokens', '%d')", i),
					"INSERT INTO wp_posts (post_type, post_status, post_parent, post_content) VALUES ('revision', 'inherit', 101, '')")
				time.Sleep(800 * time.Millisecond)
			}
			post(fmt.Sprint("after-", n))
			deltas, looks = f.deltasAfter(from), f.counted.Looks.Load()-before
			return looks == 0 && len(deltas) == 1 && deltas[0].Touched == 1 && deltas[0].Reason == "written: [posts]"
		}, &looks, &deltas)
		wptest.Exec(t, dsn,
			`UPDATE wp_options SET option_value = REPLACE(option_value, 's:14:"disable-author";b:0', 's:14:"disable-author";`+
				`b:1') WHERE option_name = 'wpseo_titles'`,
			"UPDATE wp_options SET option_value = '/%postname%-x/' WHERE option_name = 'permalink_structure'")
		f.seen("a.test", "/post-sitemap.xml", "-x/", true)
	})

	t.Run("definitions and statements", func(t *testing.T) {
		t.Parallel()
		dsn := s.Load(t, "basic")
		install := binlogSite("a", accountWith(t, s, dsn, bothRights...))
		install.Collapse = 0
		f := startFollowed(t, s, install)
		f.waitLog("the binlog is followed", 1)
		path := "/post-sitemap.xml"
		wptest.Exec(t, dsn, "UPDATE wp_posts SET post_name = 'without-meta' WHERE ID = 101")
		f.seen("a.test", path, "/without-meta/", true)
		wptest.Exec(t, dsn, "INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (101, '_yoast_wpseo_meta-robots-noindex', '1')")
		f.seen("a.test", path, "/without-meta/", false)
		wptest.Exec(t, dsn, "TRUNCATE TABLE wp_postmeta")
		f.seen("a.test", path, "/without-meta/", true)
		wptest.Exec(t, dsn,
			"ALTER TABLE wp_posts ADD COLUMN before_all bigint NOT NULL DEFAULT 7 FIRST, ADD COLUMN more varchar(20) NOT NULL DEFAULT '' AFTER post_author")
		posted(t, dsn, "altered")
		f.seen("a.test", path, "/altered/", true)
		n := 0
		wptest.Eventually(t, "a delta sees a post", func() bool { // an audit that is due may see one first
			n++
			from, slug := time.Now(), fmt.Sprint("altered-again-", n)
			posted(t, dsn, slug)
			f.seen("a.test", path, "/"+slug+"/", true)
			return slices.ContainsFunc(f.deltasAfter(from), func(r site.Reading) bool { return r.Touched == 1 })
		}, func() any { return f.blog().Readings })
		db, _ := wptest.DB(t, dsn)
		db.SetMaxOpenConns(1)
		for _, q := range []string{"SET SESSION binlog_format = STATEMENT", "UPDATE wp_posts SET post_name = 'by-statement' WHERE post_name = 'altered'"} {
			if _, err := db.Exec(q); err != nil {
				t.Fatal(err)
			}
		}
		f.seen("a.test", path, "/by-statement/", true)
		wptest.Exec(t, dsn, "RENAME TABLE wp_posts TO wp_posts_away", "CREATE TABLE wp_posts LIKE wp_posts_away",
			"INSERT INTO wp_posts SELECT * FROM wp_posts_away WHERE post_name <> 'by-statement'")
		f.seen("a.test", path, "/by-statement/", false)
	})

	t.Run("two sites share a connection", func(t *testing.T) {
		t.Parallel()
		first := s.Load(t, "basic")
		second := s.Load(t, "basic")
		a := accountWith(t, s, first, bothRights...)
		s.Grant(t, a, "SELECT")
		other, err := mysql.ParseDSN(a)
		if err != nil {
			t.Fatal(err)
		}
		to, err := mysql.ParseDSN(second)
		if err != nil {
			t.Fatal(err)
		}
		other.DBName = to.DBName
		f := startFollowed(t, s, binlogSite("a", a), binlogSite("b", other.FormatDSN()))
		f.waitLog("the binlog is followed", 1)
		n := 0
		var deltas []site.Reading
		// At first polls report what loading wrote.
		wptest.Eventually(t, "what is written to one site has the other not read", func() bool {
			n++
			from := f.caughtUp(first, fmt.Sprint("before-", n))
			for _, to := range []struct{ host, dsn, slug string }{
				{"b.test", second, fmt.Sprint("other-", n)}, {"a.test", first, fmt.Sprint("after-", n)},
			} {
				posted(t, to.dsn, to.slug)
				f.seen(to.host, "/post-sitemap.xml", "/"+to.slug+"/", true)
			}
			deltas = f.deltasAfter(from)
			return len(deltas) == 1
		}, &deltas)
		if got := len(f.dumps()); got != 1 {
			t.Errorf("%d connections read the binlog", got)
		}
	})

	t.Run("a huge transaction", func(t *testing.T) {
		t.Parallel()
		dsn := s.Load(t)
		db, e := wptest.DB(t, dsn)
		if err := sample.Bulk(t.Context(), db, e, sample.Size{Posts: 1000, Content: 300}); err != nil {
			t.Fatal(err)
		}
		wptest.Exec(t, dsn, `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}')`)
		install := binlogSite("a", accountWith(t, s, dsn, bothRights...))
		install.PageSize = 200
		f := startFollowed(t, s, install)
		f.waitLog("the binlog is followed", 1)
		wptest.Exec(t, dsn,
			"UPDATE wp_posts SET post_name = CONCAT(post_name, '-moved'), post_modified_gmt = '2032-02-02 00:00:00', post_content = REPEAT('x', 5000)",
			"UPDATE wp_posts SET post_name = CONCAT(post_name, '-twice') WHERE post_type = 'post'")
		f.seen("a.test", "/post-sitemap.xml", "-moved-twice/", true)
		f.seen("a.test", "/post-sitemap4.xml", "-moved-twice/", true)
		f.seen("a.test", "/page-sitemap.xml", "-moved/", true)
	})

	t.Run("over TLS, and it leaves nothing behind", func(t *testing.T) {
		dsn := s.Load(t, "basic")
		cfg, err := mysql.ParseDSN(dsn)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Net, cfg.Addr, cfg.TLSConfig = "tcp", fmt.Sprintf("127.0.0.1:%d", s.Port), "skip-verify"
		wptest.Exec(t, s.DSN+"mysql", "DROP USER IF EXISTS tls@'%'", "CREATE USER tls@'%' IDENTIFIED BY 'hush-hush' REQUIRE SSL",
			"GRANT SELECT, "+strings.Join(bothRights, ", ")+" ON *.* TO tls@'%'")
		cfg.User, cfg.Passwd = "tls", "hush-hush"
		var f *followed
		t.Run("while it runs", func(t *testing.T) {
			f = startFollowed(t, s, binlogSite("a", cfg.FormatDSN()))
			f.waitLog("the binlog is followed", 1)
			posted(t, dsn, "secret")
			f.seen("a.test", "/post-sitemap.xml", "/secret/", true)
		})
		f.t = t // that of the one before is over
		f.admin, _ = wptest.DB(t, s.DSN+"mysql")
		wptest.Eventually(t, "the server notices by its heartbeat that no connection reads the binlog", func() bool { return len(f.dumps()) == 0 })
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		if strings.Contains(string(stacks), "go-mysql-org") {
			t.Errorf("goroutines are left\n%s", stacks)
		}
		if text := f.log.String(); strings.Contains(text, "hush") {
			t.Errorf("the password is in the log\n%s", text)
		}
	})
}

func testBinlogTroubles(t *testing.T, s *wptest.Server) {
	t.Run("without rights or with another format tables are looked at, and the log says what to do", func(t *testing.T) {
		dsn := s.Load(t, "basic")
		a := accountWith(t, s, dsn)
		install := binlogSite("a", a)
		install.Refresh = time.Hour
		f := startFollowed(t, s, install)
		f.waitLog("may not ask where the binlog ends", 1)
		s.Grant(t, a, "REPLICATION CLIENT")
		f.waitLog("may not read the binlog", 1)
		posted(t, dsn, "polled")
		f.seen("a.test", "/post-sitemap.xml", "/polled/", true)
		time.Sleep(2 * time.Second) // it is tried again
		if got := f.log.count("cannot be followed"); got != 2 {
			t.Errorf("%d lines", got)
		}
		second := "BINLOG MONITOR"
		if s.MySQL {
			second = "REPLICATION CLIENT"
		}
		if want := "GRANT REPLICATION SLAVE, " + second + " ON *.* TO '"; !strings.Contains(f.log.String(), want) {
			t.Errorf("no %q in the log", want)
		}
		defer f.admins("SET GLOBAL binlog_format = ROW", "SET GLOBAL binlog_row_image = FULL")
		f.admins("SET GLOBAL binlog_format = STATEMENT")
		f.waitLog("binlog_format is STATEMENT", 1)
		s.Grant(t, a, "REPLICATION SLAVE")
		f.admins("SET GLOBAL binlog_format = ROW", "SET GLOBAL binlog_row_image = MINIMAL")
		f.waitLog("binlog_row_image is MINIMAL", 1)
		f.admins("SET GLOBAL binlog_row_image = NOBLOB")
		f.waitLog("the binlog is followed", 1)
		posted(t, dsn, "followed")
		f.seen("a.test", "/post-sitemap.xml", "/followed/", true)
		if text := f.log.String(); strings.Contains(text, "read-only") {
			t.Errorf("the password is in the log\n%s", text)
		}
	})

	t.Run("compressed transactions, and rows with the names of their columns", func(t *testing.T) {
		dsn := s.Load(t, "basic")
		install := binlogSite("a", accountWith(t, s, dsn, bothRights...))
		install.Refresh = time.Hour
		f := startFollowed(t, s, install)
		compression := "log_bin_compress"
		if s.MySQL {
			compression = "binlog_transaction_compression"
		}
		defer f.admins("SET GLOBAL "+compression+" = OFF", "SET GLOBAL binlog_row_metadata = MINIMAL")
		f.admins("SET GLOBAL "+compression+" = ON", "SET GLOBAL binlog_row_metadata = FULL")
		f.waitLog("the binlog is followed", 1)
		posted(t, dsn, "compressed")
		f.seen("a.test", "/post-sitemap.xml", "/compressed/", true)
		wptest.Exec(t, dsn, `UPDATE wp_posts SET post_content = '<img src="/packed.jpg">' || REPEAT('x', 5000) WHERE post_name = 'compressed'`)
		f.seen("a.test", "/post-sitemap.xml", "/packed.jpg", true)
	})

	t.Run("a login over TCP that the server does not remember", func(t *testing.T) {
		for _, tls := range []string{"false", "skip-verify"} {
			t.Run("tls="+tls, func(t *testing.T) {
				dsn := s.Load(t, "basic")
				cfg, err := mysql.ParseDSN(dsn)
				if err != nil {
					t.Fatal(err)
				}
				cfg.Net, cfg.Addr, cfg.TLSConfig, cfg.User, cfg.Passwd = "tcp", fmt.Sprintf("127.0.0.1:%d", s.Port), tls, "far", "hush-hush"
				wptest.Exec(t, s.DSN+"mysql", "DROP USER IF EXISTS far@'%'", "CREATE USER far@'%' IDENTIFIED BY 'hush-hush'",
					"GRANT SELECT, "+strings.Join(bothRights, ", ")+" ON *.* TO far@'%'")
				f := startFollowed(t, s, binlogSite("a", cfg.FormatDSN()))
				f.waitLog("the binlog is followed", 1)
				f.admins("FLUSH PRIVILEGES") // MySQL forgets whose password it has seen
				f.killDump()
				f.waitLog("the binlog is followed", 2)
				posted(t, dsn, "from-afar")
				f.seen("a.test", "/post-sitemap.xml", "/from-afar/", true)
			})
		}
	})

	t.Run("without GTIDs", func(t *testing.T) {
		if !s.MySQL {
			t.Skip("MariaDB always has them")
		}
		s.Stop()
		s.Start("--gtid-mode=OFF", "--enforce-gtid-consistency=OFF")
		defer func() {
			s.Stop()
			s.Start()
		}()
		dsn := s.Load(t, "basic")
		f := startFollowed(t, s, binlogSite("a", accountWith(t, s, dsn, bothRights...)))
		f.waitLog("the binlog is followed", 1)
		f.killDump()
		posted(t, dsn, "by-place")
		f.seen("a.test", "/post-sitemap.xml", "/by-place/", true)
		f.waitLog("the binlog is followed", 2)
		if got := f.log.count("has a gap"); got != 0 {
			t.Errorf("a gap, though everything was there\n%s", f.log)
		}
	})

	t.Run("a lost connection is taken up where it was, a gap has all read", func(t *testing.T) {
		dsn := s.Load(t, "basic")
		f := startFollowed(t, s, binlogSite("a", accountWith(t, s, dsn, bothRights...)))
		f.waitLog("the binlog is followed", 1)
		f.killDump()
		posted(t, dsn, "meanwhile")
		f.seen("a.test", "/post-sitemap.xml", "/meanwhile/", true)
		f.waitLog("the binlog is followed", 2)
		if got := f.log.count("not followed at the moment"); got != 1 {
			t.Errorf("%d lines tell of it", got)
		}
		s.Stop()
		s.Start()
		f.waitLog("the binlog is followed", 3)
		posted(t, dsn, "restarted")
		f.seen("a.test", "/post-sitemap.xml", "/restarted/", true)
		if got := f.log.count("has a gap"); got != 0 {
			t.Errorf("a gap, though everything was there\n%s", f.log)
		}
		from := time.Now()
		f.killDump()
		if s.MySQL {
			f.admins("RESET BINARY LOGS AND GTIDS")
		} else {
			f.admins("RESET MASTER")
		}
		f.waitLog("has a gap", 1)
		f.waitLog("the binlog is followed", 4)
		posted(t, dsn, "purged")
		f.seen("a.test", "/post-sitemap.xml", "/purged/", true)
		wptest.Eventually(t, "all is read", func() bool {
			return slices.ContainsFunc(f.readingsAfter(from), func(r site.Reading) bool { return r.Kind == site.AuditReading })
		}, func() any { return f.blog().Readings })
		f.admins("FLUSH BINARY LOGS") // the next file
		posted(t, dsn, "rotated")
		f.seen("a.test", "/post-sitemap.xml", "/rotated/", true)
	})
}

// What make binlog prints: how soon edits of a big site are seen, by looks and by the binlog.
func TestBinlogLatency(t *testing.T) {
	posts := 0
	if _, err := fmt.Sscan(os.Getenv("WPSITEMAPD_BINLOG_POSTS"), &posts); err != nil {
		t.Skip("set WPSITEMAPD_BINLOG_POSTS=100000, or run \"make binlog\"")
	}
	s := wptest.OwnServer(t, "--innodb-buffer-pool-size=1G")
	dsn := s.Load(t)
	db, e := wptest.DB(t, dsn+"?sql_log_bin=0")
	if err := sample.Bulk(t.Context(), db, e, sample.Size{Posts: posts}); err != nil {
		t.Fatal(err)
	}
	wptest.Exec(t, dsn, `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}')`)
	account := accountWith(t, s, dsn, bothRights...)
	for _, changes := range []string{"poll", "binlog"} {
		t.Run(changes, func(t *testing.T) {
			install := realSite("a", account)
			install.Changes = changes
			f := startFollowed(t, s, install)
			if changes == "binlog" {
				f.waitLog("the binlog is followed", 1)
			}
			pages := map[string]string{}
			for _, file := range f.blog().Outline.Files {
				if file.Name == "post" {
					pages["/"+file.Filename] = mustAsk(t, f.public, "/"+file.Filename)
				}
			}
			f.rested()
			var took []time.Duration
			for i := range 100 {
				var id int
				var name string
				err := db.QueryRow(`SELECT ID, post_name FROM wp_posts WHERE ID >= ? AND post_type = 'post' AND post_status = 'publish'
					AND ID NOT IN (SELECT post_id FROM wp_postmeta
WHERE meta_key IN ('_yoast_wpseo_meta-robots-noindex', '_yoast_wpseo_canonical')) ORDER BY ID LIMIT 1`, i*posts/100).Scan(&id, &name)
				if err != nil {
					t.Fatal(err)
				}
				for page, text := range pages {
					if strings.Contains(text, "/"+name+"/") {
						text = fmt.Sprintf("%s-%d", changes, i)
						edit(t, dsn, id, text)
						took = append(took, f.seen("a.test", page, "/"+text+".jpg", true))
						break
					}
				}
				time.Sleep(time.Duration(100+rand.IntN(300)) * time.Millisecond)
			}
			if len(took) < 100 {
				t.Fatalf("%d edits", len(took))
			}
			if p50 := percentile(took, 50); changes == "binlog" && p50 > 400*time.Millisecond { // a poll a second has 500 on average
				t.Errorf("p50 is %v", p50)
			}
			t.Logf("%s, %d posts, 100 edits seen after: p50 %v, p90 %v, p99 %v, %v at most; the last by %+v", changes, posts,
				percentile(took, 50), percentile(took, 90), percentile(took, 99), percentile(took, 100), f.blog().Readings[0])
		})
	}
}
