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

var bothRights = []string{"REPLICATION SLAVE", "BINLOG MONITOR"}

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

// waitLog waits until a text stands in the log n times.
func (f *followed) waitLog(text string, n int) {
	f.t.Helper()
	for from := time.Now(); f.log.count(text) < n; time.Sleep(10 * time.Millisecond) {
		if time.Since(from) > 20*time.Second {
			f.t.Fatalf("never %d times %q\n%s", n, text, f.log)
		}
	}
}

// followPatience is how long a page may take: some changes take an audit, which rests longer on a busy machine.
const followPatience = time.Minute

// seen waits until a page has a text, or has it no more, and returns how long that took.
func (f *followed) seen(host, path, text string, there bool) time.Duration {
	f.t.Helper()
	from := time.Now()
	for {
		status, page, err := ask(f.public, host, path)
		if err == nil && status == 200 && strings.Contains(page, text) == there {
			return time.Since(from)
		}
		if time.Since(from) > followPatience {
			f.t.Fatalf("%s: %q not seen (there: %v), %d, %v\n%+v\n%s", path, text, there, status, err, f.blog().Readings, f.log)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// dumps are the account's connections that read the binlog.
func (f *followed) dumps() (ids []int) {
	f.t.Helper()
	rows, err := f.admin.Query("SELECT ID FROM information_schema.PROCESSLIST WHERE COMMAND = 'Binlog Dump' AND USER = ?", f.user)
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
		f.settle()
		var took []time.Duration
		for i := range 13 {
			name := fmt.Sprintf("told-%d", i)
			posted(t, dsn, name)
			took = append(took, f.seen("a.test", "/post-sitemap.xml", "/"+name+"/", true))
			var id int64
			if err := db.QueryRow("SELECT ID FROM wp_posts WHERE post_name = ?", name).Scan(&id); err != nil {
				t.Fatal(err)
			}
			exec("UPDATE wp_posts SET post_content = ? WHERE ID = ?", `<img src="/`+name+`.jpg">`, id) // in place: no date, no revision
			took = append(took, f.seen("a.test", "/post-sitemap.xml", "/"+name+".jpg", true))
			exec("UPDATE wp_posts SET post_name = ? WHERE ID = ?", name+"-b", id)
			took = append(took, f.seen("a.test", "/post-sitemap.xml", "/"+name+"-b/", true))
			meta := exec("INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (?, '_yoast_wpseo_meta-robots-noindex', '1')", id)
			took = append(took, f.seen("a.test", "/post-sitemap.xml", "/"+name+"-b/", false))
			exec("UPDATE wp_postmeta SET meta_value = '2' WHERE meta_id = ?", meta)
			took = append(took, f.seen("a.test", "/post-sitemap.xml", "/"+name+"-b/", true))
			exec("UPDATE wp_posts SET post_modified = ?, post_modified_gmt = ? WHERE ID = ?",
				fmt.Sprintf("2031-01-%02d 00:00:00", i+1), fmt.Sprintf("2031-01-%02d 00:00:00", i+1), id)
			exec("INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (?, ?, 0)", id, taxonomy)
			exec("UPDATE wp_term_taxonomy SET count = count + 1 WHERE term_taxonomy_id = ?", taxonomy)
			took = append(took, f.seen("a.test", "/category-sitemap.xml", fmt.Sprintf("2031-01-%02dT", i+1), true))
			exec("UPDATE wp_posts SET post_status = 'trash' WHERE ID = ?", id)
			took = append(took, f.seen("a.test", "/post-sitemap.xml", "/"+name+"-b/", false))
			exec("DELETE FROM wp_posts WHERE ID = ?", id)
			exec("DELETE FROM wp_term_relationships WHERE object_id = ?", id)
			exec("UPDATE wp_term_taxonomy SET count = count - 1 WHERE term_taxonomy_id = ?", taxonomy)
		}
		t.Logf("%d edits seen after: p50 %v, p99 %v", len(took), percentile(took, 50), percentile(took, 99))
		if p50 := percentile(took, 50); p50 > 400*time.Millisecond { // a look a second has 500 on average
			t.Errorf("p50 is %v", p50)
		}
		exec("UPDATE wp_terms SET slug = 'renamed-just-now' WHERE term_id = ?", term)
		f.seen("a.test", "/category-sitemap.xml", "/renamed-just-now/", true)
		f.settle()
		for file, text := range fresh(t, dsn, "spec", 1000) {
			for from := time.Now(); ; time.Sleep(50 * time.Millisecond) { // below a renamed term it takes an audit
				got := mustAsk(t, f.public, "/"+file)
				if got == text {
					break
				}
				if time.Since(from) > followPatience {
					t.Errorf("%s is not what a fresh build gives:\n%s\nwant\n%s", file, got, text)
					break
				}
			}
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
		f := startFollowed(t, s, binlogSite("a", accountWith(t, s, dsn, bothRights...)))
		f.waitLog("the binlog is followed", 1)
		f.settle()
		looks := f.counted.Looks.Load()
		for i := range 5 {
			wptest.Exec(t, dsn, fmt.Sprintf("REPLACE INTO wp_options (option_name, option_value) VALUES ('cron', '%d')", i),
				fmt.Sprintf("INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (101, 'views', '%d')", i),
				fmt.Sprintf("INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (1, 'session_tokens', '%d')", i),
				"INSERT INTO wp_posts (post_type, post_status, post_parent, post_content) VALUES ('revision', 'inherit', 101, '')")
			time.Sleep(400 * time.Millisecond)
		}
		for _, r := range f.blog().Readings { // what loading wrote may still have a late audit
			if r.Reason == "written: [posts]" || strings.Contains(r.Reason, "options") || strings.Contains(r.Reason, "meta") {
				t.Errorf("read for nothing: %+v", r)
			}
		}
		if got := f.counted.Looks.Load(); got != looks {
			t.Errorf("%d looks while the binlog is followed", got-looks)
		}
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
		wptest.Exec(t, dsn, "INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (101, '_yoast_wpseo_meta-robots-noindex', '1')")
		time.Sleep(time.Second)
		path := "/post-sitemap.xml"
		before := mustAsk(t, f.public, path)
		wptest.Exec(t, dsn, "TRUNCATE TABLE wp_postmeta")
		for from := time.Now(); mustAsk(t, f.public, path) == before; time.Sleep(10 * time.Millisecond) {
			if time.Since(from) > followPatience {
				t.Fatal("TRUNCATE is not seen")
			}
		}
		wptest.Exec(t, dsn,
			"ALTER TABLE wp_posts ADD COLUMN before_all bigint NOT NULL DEFAULT 7 FIRST, ADD COLUMN more varchar(20) NOT NULL DEFAULT '' AFTER post_author")
		f.settle()
		posted(t, dsn, "altered")
		f.seen("a.test", path, "/altered/", true)
		for n := 1; ; n++ { // an audit that is due may see a post first
			r := f.blog().Readings[0]
			if r.Kind == site.DeltaReading && r.Touched == 1 {
				break
			}
			if n == 5 {
				t.Errorf("seen by %+v", r)
				break
			}
			f.settle()
			slug := fmt.Sprint("altered-again-", n)
			posted(t, dsn, slug)
			f.seen("a.test", path, "/"+slug+"/", true)
		}
		f.settle()
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
		f.settle()
		time.Sleep(time.Second)
		state := func(i int) uint64 { return f.running()[i].Snapshot().Blogs[0].Generation }
		was := state(0)
		posted(t, second, "second")
		f.seen("b.test", "/post-sitemap.xml", "/second/", true)
		if state(0) != was {
			t.Error("the other site was read, too")
		}
		if got := len(f.dumps()); got != 1 {
			t.Errorf("%d connections read the binlog", got)
		}
	})

	t.Run("a huge transaction", func(t *testing.T) {
		t.Parallel()
		dsn := s.Load(t)
		db, e := wptest.DB(t, dsn)
		if err := sample.Bulk(t.Context(), db, e, sample.Size{Posts: 5000, Content: 300}); err != nil {
			t.Fatal(err)
		}
		wptest.Exec(t, dsn, `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}')`)
		f := startFollowed(t, s, binlogSite("a", accountWith(t, s, dsn, bothRights...)))
		f.waitLog("the binlog is followed", 1)
		f.settle()
		wptest.Exec(t, dsn,
			"UPDATE wp_posts SET post_name = CONCAT(post_name, '-moved'), post_modified_gmt = '2032-02-02 00:00:00', post_content = REPEAT('x', 5000)",
			"UPDATE wp_posts SET post_name = CONCAT(post_name, '-twice') WHERE post_type = 'post'")
		f.seen("a.test", "/post-sitemap.xml", "-moved-twice/", true)
		f.seen("a.test", "/post-sitemap5.xml", "-moved-twice/", true)
		f.seen("a.test", "/page-sitemap.xml", "-moved/", true)
	})

	t.Run("over TLS, and it leaves nothing behind", func(t *testing.T) {
		dsn := s.Load(t, "basic")
		cfg, err := mysql.ParseDSN(dsn)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Net, cfg.Addr, cfg.TLSConfig = "tcp", fmt.Sprintf("127.0.0.1:%d", s.Port), "skip-verify"
		wptest.Exec(t, s.DSN+"mysql", "CREATE OR REPLACE USER tls@'%' IDENTIFIED BY 'hush-hush' REQUIRE SSL",
			"GRANT SELECT, REPLICATION SLAVE, BINLOG MONITOR ON *.* TO tls@'%'")
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
		for from := time.Now(); len(f.dumps()) > 0; time.Sleep(10 * time.Millisecond) { // the server notices by its heartbeat
			if time.Since(from) > 20*time.Second {
				t.Fatal("a connection still reads the binlog")
			}
		}
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
		f := startFollowed(t, s, binlogSite("a", a))
		f.waitLog("may not ask where the binlog ends", 1)
		s.Grant(t, a, "BINLOG MONITOR")
		f.waitLog("may not read the binlog", 1)
		posted(t, dsn, "polled")
		if took := f.seen("a.test", "/post-sitemap.xml", "/polled/", true); took > 5*time.Second { // refresh is 30
			t.Errorf("seen after %v", took)
		}
		time.Sleep(2 * time.Second) // it is tried again
		if got := f.log.count("cannot be followed"); got != 2 {
			t.Errorf("%d lines", got)
		}
		if !strings.Contains(f.log.String(), "grant the account REPLICATION SLAVE and BINLOG MONITOR") {
			t.Error("the log does not say what to do")
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
		if took := f.seen("a.test", "/post-sitemap.xml", "/followed/", true); took > 5*time.Second { // refresh is 30
			t.Errorf("seen after %v", took)
		}
		if text := f.log.String(); strings.Contains(text, "read-only") {
			t.Errorf("the password is in the log\n%s", text)
		}
	})

	t.Run("a lost connection is taken up where it was, a gap has all read", func(t *testing.T) {
		dsn := s.Load(t, "basic")
		f := startFollowed(t, s, binlogSite("a", accountWith(t, s, dsn, bothRights...)))
		f.waitLog("the binlog is followed", 1)
		f.settle()
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
		f.settle()
		reads := f.blog().Generation
		f.killDump()
		f.admins("RESET MASTER")
		f.waitLog("has a gap", 1)
		f.waitLog("the binlog is followed", 4)
		posted(t, dsn, "purged")
		f.seen("a.test", "/post-sitemap.xml", "/purged/", true)
		if f.blog().Generation == reads {
			t.Error("nothing was read")
		}
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
			f.settle()
			for from := time.Now(); f.blog().Readings[0].Kind != site.AuditReading && time.Since(from) < time.Minute; { // which rests before
				time.Sleep(time.Second)
			}
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
			t.Logf("%s, %d posts, 100 edits seen after: p50 %v, p90 %v, p99 %v, %v at most; the last by %+v", changes, posts,
				percentile(took, 50), percentile(took, 90), percentile(took, 99), percentile(took, 100), f.blog().Readings[0])
		})
	}
}
