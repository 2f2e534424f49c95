package server

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

const fleetVariable = "WPSITEMAPD_FLEET_SITES"

// measuring reports whether times and rates are measured, as by "make fleet". Nothing else should then use the machine.
func measuring() bool { return os.Getenv(fleetVariable) != "" }

// fleetSize returns how many installs TestFleet runs. They are few unless it measures. A database server with too many
// open tables forgets when they were written, and that would disturb other tests.
func fleetSize(t *testing.T) int {
	if !measuring() {
		return 24
	}
	n, err := strconv.Atoi(os.Getenv(fleetVariable))
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is no number of sites", fleetVariable, os.Getenv(fleetVariable))
	}
	return n
}

// fleet is many small installs in some databases of the test server. Each install has its own table prefix.
type fleet struct {
	admin   *sql.DB
	cfg     *mysql.Config
	sites   []fleetSite
	schemas []string
}

type fleetSite struct{ schema, prefix, host string }

// newFleet copies the seed basic, without rows that its sitemaps do not need.
func newFleet(t *testing.T, sites, schemas int) *fleet {
	t.Helper()
	template := wptest.Load(t, wptest.MariaDB, "basic")
	cfg, err := mysql.ParseDSN(template)
	wptest.Must(t, err)
	admin, _ := wptest.DB(t, template)
	f := &fleet{admin: admin, cfg: cfg}
	for i := range schemas {
		f.schemas = append(f.schemas, fmt.Sprintf("%s_%d", cfg.DBName, i+1))
	}
	for _, schema := range f.schemas {
		f.exec(t, "CREATE DATABASE `"+schema+"`")
	}
	t.Cleanup(func() {
		var all sync.WaitGroup
		for schemas := range slices.Chunk(f.schemas, max(1, schemas/6)) {
			all.Go(func() {
				for _, schema := range schemas {
					f.exec(t, "DROP DATABASE `"+schema+"`")
				}
			})
		}
		all.Wait()
	})
	for i := range sites {
		f.sites = append(f.sites, fleetSite{f.schemas[i%schemas], fmt.Sprintf("s%03d_", i), fmt.Sprintf("s%03d.test", i)})
	}
	tables := []string{"options", "posts", "postmeta", "terms", "term_taxonomy", "term_relationships", "users", "usermeta"}
	next := make(chan fleetSite)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for s := range next {
				for _, table := range tables {
					name := fmt.Sprintf("`%s`.`%s%s`", s.schema, s.prefix, table)
					f.exec(t, "CREATE TABLE "+name+" LIKE wp_"+table)
					f.exec(t, "INSERT INTO "+name+" SELECT * FROM wp_"+table)
				}
				f.exec(t, fmt.Sprintf("UPDATE `%s`.`%soptions` SET option_value = 'https://%s' WHERE option_name IN ('home', 'siteurl')",
					s.schema, s.prefix, s.host))
				f.exec(t, fmt.Sprintf("UPDATE `%s`.`%susermeta` SET meta_key = REPLACE(meta_key, 'wp_', '%s')", s.schema, s.prefix, s.prefix))
			}
		})
	}
	for _, s := range f.sites {
		next <- s
	}
	close(next)
	all.Wait()
	return f
}

func (f *fleet) exec(t *testing.T, statement string) {
	t.Helper()
	if _, err := f.admin.Exec(statement); err != nil {
		t.Errorf("%v\nin %.200s", err, statement)
	}
}

// account creates an account that may read everything of the fleet.
func (f *fleet) account(t *testing.T, name string) string {
	t.Helper()
	user := f.user(name)
	f.exec(t, "CREATE USER "+user+" IDENTIFIED BY 'read-only'")
	t.Cleanup(func() { f.exec(t, "DROP USER "+user) })
	f.exec(t, "GRANT SELECT ON `"+strings.ReplaceAll(f.cfg.DBName, "_", `\_`)+"\\_%`.* TO "+user)
	return name
}

// wpConfig writes the wp-config.php of an install, with an account that only reads the install's own database.
func (f *fleet) wpConfig(t *testing.T, account string, s fleetSite) string {
	t.Helper()
	file, host := filepath.Join(t.TempDir(), "wp-config.php"), f.cfg.Addr
	if f.cfg.Net == "unix" {
		host = "localhost:" + host
	}
	text := fmt.Sprintf("<?php\ndefine('DB_HOST', '%s'); define('DB_NAME', '%s'); define('DB_USER', '%s'); define('DB_PASSWORD', 'read-only');\n"+
		"$table_prefix = '%s';\n",
		host, s.schema, account, s.prefix)
	wptest.Must(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// watcher creates an account that sees when the tables of the fleet are written and can read none. It returns the DSN.
func (f *fleet) watcher(t *testing.T, name string) config.Secret {
	t.Helper()
	f.account(t, name)
	f.exec(t, "REVOKE ALL PRIVILEGES, GRANT OPTION FROM "+f.user(name))
	for _, schema := range f.schemas {
		f.exec(t, strings.TrimSuffix(db.GrantWatch(schema, name+"@"+f.host()), ";"))
	}
	cfg := f.cfg.Clone()
	cfg.User, cfg.Passwd = name, "read-only"
	return config.Secret(cfg.FormatDSN())
}

// host returns the host that accounts connect from.
func (f *fleet) host() string {
	if f.cfg.Net != "unix" {
		return "%"
	}
	return "localhost"
}

func (f *fleet) user(name string) string { return "'" + name + "'@'" + f.host() + "'" }

// number returns the number that a query returns.
func (f *fleet) number(t *testing.T, query string, args ...any) (n float64) {
	t.Helper()
	expect.Equal(t, f.admin.QueryRow(query, args...).Scan(&n), nil, query)
	return n
}

// connections returns how many connections the accounts with a prefix have open now.
func (f *fleet) connections(t *testing.T, account string) float64 {
	return f.number(t, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER LIKE ?", account+"%")
}

// statements returns how many statements the accounts with a prefix have sent so far. The server counts by account,
// because other tests use it too.
func (f *fleet) statements(t *testing.T, account string) float64 {
	return f.used(t, account, "SELECT_COMMANDS + UPDATE_COMMANDS + OTHER_COMMANDS")
}

// used returns the sum of columns of what the accounts with a prefix have used so far.
func (f *fleet) used(t *testing.T, account, columns string) float64 {
	return f.number(t, "SELECT COALESCE(SUM("+columns+"), 0) FROM information_schema.USER_STATISTICS WHERE USER LIKE ?", account+"%")
}

// resident returns the memory of this process in bytes; 0 if the system does not tell.
func resident() (bytes int64) {
	text, _ := os.ReadFile("/proc/self/statm")
	var size, pages int64
	_, _ = fmt.Sscan(string(text), &size, &pages)
	return pages * int64(os.Getpagesize())
}

// cpu returns the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Many installs on one server are all served, within the bounds of connections. At rest, they cost no more than polls
// do. "make fleet" runs hundreds of them and measures.
func TestFleet(t *testing.T) {
	t.Parallel()
	began := time.Now()
	fleetSites := fleetSize(t)
	crowded := fleetSites > 300
	f := newFleet(t, fleetSites, 3)
	if t.Failed() {
		t.FailNow()
	}
	if !wptest.IsMariaDB(t, wptest.MySQL(t)) {
		t.Skip("MySQL counts no statements by account")
	}
	f.exec(t, "SET GLOBAL userstat = 1")
	t.Logf("%d installs created in %v", fleetSites, time.Since(began).Round(time.Second))
	for _, tt := range []struct {
		name    string
		account func(i int) string
		watched bool    // an account of [watch] polls for all installs
		most    float64 // statements a second at rest
	}{
		{"one account for all", func(int) string { return "" }, false, 5},
		{"an account each", func(i int) string { return fmt.Sprint("_", i) }, false, 65},
		{"an account each and one that watches", func(i int) string { return fmt.Sprint("_", i) }, true, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			prefix := fmt.Sprintf("%s_%d", strings.TrimPrefix(f.cfg.DBName, "wptest_"), len(tt.name))
			created := map[string]bool{}
			var c config.Config
			for i, s := range f.sites {
				user := prefix + tt.account(i)
				if !created[user] {
					created[user] = true
					f.account(t, user)
				}
				site := realSite(s.host, "")
				site.WPConfig, site.Hosts = f.wpConfig(t, user, s), nil
				site.Prerender = false // rest is measured: what is made once after the start is none
				c.Sites = append(c.Sites, site)
			}
			polled := int64(len(created))
			if tt.watched {
				c.Watch, polled = []config.Secret{f.watcher(t, prefix+"_w")}, 1
			}
			ts := newReal(t, c)
			log := ts.log
			s := ts.start()
			public, admin := s.public, s.admin
			began, most := time.Now(), 0.0
			wptest.Eventually(t, "all are up", func() bool {
				most = max(most, f.connections(t, prefix))
				return status(t, admin+"/readyz") == 200
			}, log)
			up := time.Since(began)

			ask := func(s fleetSite, path string) string {
				status, text, err := ask(public, s.host, path)
				expect.Equal(t, err, nil, s.host, path)
				expect.Equal(t, status, 200, s.host, path)
				return text
			}
			for _, s := range f.sites {
				if text := ask(s, "/sitemap_index.xml"); !strings.Contains(text, "https://"+s.host+"/post-sitemap.xml") {
					t.Fatalf("%s: %s", s.host, text)
				}
				ask(s, "/post-sitemap.xml")
			}
			most = max(most, f.connections(t, prefix))
			if most > maxConns {
				t.Errorf("%v connections, want %d at most", most, maxConns)
			}

			// At rest, a poll is one statement, and three more on a new connection. On a server with more than 300
			// databases, sites that visitors asked for are also read again, one after the other.
			ts.rested()
			if measuring() {
				time.Sleep(15 * time.Second) // on a fast machine, the sites are read again because their tables have just been made
			}
			polls, sent := ts.counted.Polls.Load(), f.statements(t, prefix)
			if sent < float64(len(f.sites)) {
				t.Fatalf("%v statements for %d sites: the server does not count them", sent, len(f.sites))
			}
			used, from := cpu(), time.Now()
			server, bytes := f.used(t, prefix, "CPU_TIME"), f.used(t, prefix, "BYTES_SENT")
			if measuring() {
				time.Sleep(20 * time.Second)
			}
			wptest.Eventually(t, "polls of every account", func() bool { return ts.counted.Polls.Load() >= polls+2*polled })
			took, more := time.Since(from), f.statements(t, prefix)-sent
			if polls = ts.counted.Polls.Load() - polls + 1; !crowded && more > 4*float64(polls) { // one poll may be under way
				t.Errorf("at rest %v statements for %d polls", more, polls)
			}
			rate := more / took.Seconds()
			if measuring() && !crowded && rate > tt.most {
				t.Errorf("at rest %.1f statements a second, want %v at most", rate, tt.most)
			}
			t.Logf("%d sites up in %v; at most %v connections; at rest %.1f statements a second, %.1f %% of one processor, %d MB resident",
				len(f.sites), up.Round(10*time.Millisecond), most, rate, 100*float64(cpu()-used)/float64(took), resident()>>20)
			days := took.Hours() / 24
			t.Logf("polls of a day: %.0f s of the server's processors, %.0f MB sent, %.0f s of ours",
				(f.used(t, prefix, "CPU_TIME")-server)/days, (f.used(t, prefix, "BYTES_SENT")-bytes)/1e6/days, (cpu()-used).Seconds()/days)

			edited := f.sites[len(f.sites)/2]
			f.exec(t, fmt.Sprintf("UPDATE `%s`.`%sposts` SET post_name = 'edited-just-now' WHERE ID = 101", edited.schema, edited.prefix))
			from = time.Now()
			wptest.Eventually(t, "an edit is seen", func() bool {
				return strings.Contains(ask(edited, "/post-sitemap.xml"), "/edited-just-now/")
			}, log)
			t.Logf("an edit is seen after %v", time.Since(from).Round(10*time.Millisecond))
			f.exec(t, fmt.Sprintf("UPDATE `%s`.`%sposts` SET post_name = 'as-before' WHERE ID = 101", edited.schema, edited.prefix))
		})
	}
}
