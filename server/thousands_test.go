package server

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"golang.org/x/sync/errgroup"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
)

// thousand is what is measured: the blogs of one network, or many installs.
type thousand struct {
	n          int
	place      func(i int) (host, path string)
	table      func(i int, name string) string // full name of a table
	post, term int                             // ids of a listed post and of a listed category
	published  string                          // further statement of WordPress when it publishes; %d is the number of the blog
	ready      func(*daemon) bool
	configured config.Config
	crawl      int  // how many blogs are crawled
	edited     int  // how many edits came before; each edit differs from the others
	startAlone bool // measure the start only
}

// TestThousands runs a network of WPSITEMAPD_BLOGS blogs with an account of its own, and prints the cost; see "make
// thousands". An answer never comes from another blog, and no blog is ever missing.
func TestThousands(t *testing.T) {
	blogs := measured(t, "WPSITEMAPD_BLOGS")
	began, used := time.Now(), serverCPU(t)
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	fillNetwork(t, dsn, blogs)
	t.Logf("%d further blogs created in %v, with %v of the server's processor time", blogs, time.Since(began).Round(time.Second), serverCPU(t)-used)
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	cfg.User, cfg.Passwd = cfg.DBName+"_n", "read-only"
	user := cfg.User
	wptest.Exec(t, dsn, "CREATE USER '"+user+"'@'localhost' IDENTIFIED BY 'read-only'", "GRANT SELECT ON `"+cfg.DBName+"`.* TO '"+user+"'@'localhost'")
	t.Cleanup(func() { wptest.Exec(t, dsn, "DROP USER '"+user+"'@'localhost'") })
	site := realSite("net", cfg.FormatDSN())
	site.Hosts = nil
	db, _ := wptest.DB(t, dsn)
	thousand{
		n:          blogs,
		place:      func(i int) (host, path string) { return "example.test", fmt.Sprintf("/b%d", 100+i) },
		table:      func(i int, name string) string { return fmt.Sprintf("wp_%d_%s", 100+i, name) },
		post:       1,
		term:       1,
		published:  "UPDATE wp_blogs SET last_updated = UTC_TIMESTAMP() WHERE blog_id = 100 + %d",
		ready:      func(ts *daemon) bool { return ts.Status()[0].Ready },
		configured: config.Config{Sites: []config.Site{site}},
		crawl:      min(blogs, 1000),
	}.measure(t, db)
}

// TestThousandsOfInstalls does the same with WPSITEMAPD_INSTALLS installs that have an account each. It runs with and
// without an account of [watch], and with and without hosts in the configuration.
func TestThousandsOfInstalls(t *testing.T) {
	installs := measured(t, "WPSITEMAPD_INSTALLS")
	began := time.Now()
	f := newFleet(t, installs, installs)
	account := func(i int) string { return fmt.Sprintf("%s_%d", strings.TrimPrefix(f.cfg.DBName, "wptest_"), i) }
	var c config.Config
	for i, s := range f.sites {
		site := realSite(s.host, "")
		site.WPConfig, site.Hosts = f.wpConfig(t, f.account(t, account(i)), s), nil
		c.Sites = append(c.Sites, site)
	}
	t.Logf("%d installs created in %v", installs, time.Since(began).Round(time.Second))
	edited, watcher := 0, f.watcher(t, account(installs))
	for _, tt := range []struct{ watched, hosts bool }{{true, true}, {false, false}, {true, false}} {
		t.Run(fmt.Sprintf("watched=%v,hosts=%v", tt.watched, tt.hosts), func(t *testing.T) {
			if c.Watch = nil; tt.watched {
				c.Watch = []config.Secret{watcher}
			}
			for i := range c.Sites {
				if c.Sites[i].Hosts = nil; tt.hosts {
					c.Sites[i].Hosts = []config.Host{config.Host(f.sites[i].host)}
				}
			}
			thousand{
				n:     installs,
				place: func(i int) (host, path string) { return f.sites[i].host, "" },
				table: func(i int, name string) string {
					return fmt.Sprintf("`%s`.`%s%s`", f.sites[i].schema, f.sites[i].prefix, name)
				},
				post: 101,
				term: 2,
				ready: func(ts *daemon) bool {
					return !slices.ContainsFunc(ts.Status(), func(s siteStatus) bool { return !s.Ready })
				},
				configured: c,
				crawl:      min(installs, 1000),
				edited:     edited,
				startAlone: tt.hosts,
			}.measure(t, f.admin)
			if !tt.hosts {
				edited += installs
			}
		})
	}
}

// measured returns the number in an environment variable.
func measured(t *testing.T, variable string) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv(variable))
	if err != nil || n < 1 {
		t.Skip(variable + " is no number of them")
	}
	return n
}

// spread calls what n times, atOnce at a time, and returns how long that took.
func spread(n, atOnce int, what func(i int) time.Duration) string {
	took := make([]time.Duration, n)
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i := range took {
		group.Go(func() error { took[i] = what(i); return nil })
	}
	_ = group.Wait()
	slices.Sort(took)
	return fmt.Sprintf("%v, p50 %v, p99 %v, slowest %v", n,
		took[n/2].Round(time.Millisecond), took[n*99/100].Round(time.Millisecond), took[n-1].Round(time.Millisecond))
}

// measure runs a daemon and prints its cost. db may write to every table.
func (m thousand) measure(t *testing.T, db *sql.DB) {
	ts := newReal(t, m.configured)
	for i := range m.n { // a server is known to record write times after it has shown some
		if _, err := db.Exec(fmt.Sprintf("UPDATE %s SET menu_order = menu_order + 1 WHERE ID = %d", m.table(i, "posts"), m.post)); err != nil {
			t.Fatal(err)
		}
	}
	server, daemon, before, began := serverCPU(t), cpu(), resident(), time.Now()
	s := ts.start()
	public, random := s.public, rand.New(rand.NewPCG(1, uint64(m.n))).Perm(m.n)
	text := func(i int, file string) (string, error) {
		host, path := m.place(i)
		status, text, err := ask(public, host, path+"/"+file)
		if err == nil && (status != 200 || !strings.Contains(text, "https://"+host+path+"/")) {
			err = fmt.Errorf("%d %.300s", status, text)
		}
		return text, err
	}
	fetch := func(i int, file string) time.Duration {
		asked := time.Now()
		if _, err := text(i, file); err != nil {
			t.Errorf("%d: %v", i, err)
		}
		return time.Since(asked)
	}
	cost := func(server, daemon time.Duration, since time.Time) string {
		took := float64(time.Since(since))
		return fmt.Sprintf("%.1f %% of a core of the server, %.1f %% of ours", 100*float64(serverCPU(t)-server)/took, 100*float64(cpu()-daemon)/took)
	}
	unknown := 0 // for installs without hosts: all must be read before it is known that no two claim a host
	first := spread(min(m.n, 100), 1, func(i int) time.Duration {
		asked := time.Now()
		switch _, err := text(random[i], "post-sitemap.xml"); {
		case err != nil && strings.HasPrefix(err.Error(), "503 It is not known yet"):
			unknown++
		case err != nil:
			t.Errorf("%d: %v", random[i], err)
		}
		return time.Since(asked)
	})
	t.Logf("first answers from the start on: %s; %d of them 503", first, unknown)
	for !m.ready(s) {
		if time.Since(began) > 30*time.Minute {
			t.Fatalf("not all are read\n%.3000s", ts.log)
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("all read after %v: %s", time.Since(began).Round(100*time.Millisecond), cost(server, daemon, began))
	if m.startAlone {
		return
	}

	questions := func() (n int) {
		if err := db.QueryRow("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'QUESTIONS'").Scan(&n); err != nil {
			t.Error(err)
		}
		return n
	}
	for minute := range 2 { // pages are rendered ahead in the first minute
		server, daemon, began = serverCPU(t), cpu(), time.Now()
		asked := questions()
		time.Sleep(time.Minute)
		t.Logf("minute %d at rest: %.1f statements a second, %s, %d MB resident", minute+1, float64(questions()-asked)/60,
			cost(server, daemon, began), resident()>>20)
	}
	debug.FreeOSMemory()
	t.Logf("idle: %d KB resident for each", (resident()-before)>>10/int64(m.n))

	// A server that has closed a table forgets when it was written. WordPress also records each publication of a network.
	edits := func(what string, n, atOnce int, file, shows string, statements func(i, edit int) []string) {
		var unseen atomic.Int32
		took := spread(min(m.n, n), atOnce, func(edit int) time.Duration {
			i := random[edit]
			fetch(i, file)
			for _, statement := range statements(i, edit) {
				if _, err := db.Exec(statement); err != nil {
					t.Errorf("%v in %s", err, statement)
				}
			}
			edited := time.Now()
			for time.Since(edited) < time.Minute {
				if text, _ := text(i, file); strings.Contains(text, fmt.Sprintf(shows, m.edited+edit)) {
					return time.Since(edited)
				}
				time.Sleep(20 * time.Millisecond)
			}
			unseen.Add(1)
			return time.Since(edited)
		})
		t.Logf("%s to visible: %s; %d not seen in a minute", what, took, unseen.Load())
	}
	edits("a publish", 200, 10, "post-sitemap.xml", "/edited-%d/", func(i, edit int) []string {
		statements := strings.Split(strings.ReplaceAll(editRow(int64(m.post), edit%60), "wp_posts", m.table(i, "posts")), ";")
		statements = append(statements, fmt.Sprintf("UPDATE %s SET post_name = 'edited-%d' WHERE ID = %d", m.table(i, "posts"), m.edited+edit, m.post))
		if m.published != "" {
			statements = append(statements, fmt.Sprintf(m.published, i))
		}
		return statements
	})
	edits("another term", 40, 40, "category-sitemap.xml", "/edited-%d/", func(i, edit int) []string {
		return []string{fmt.Sprintf("UPDATE %s SET slug = 'edited-%d' WHERE term_id = %d", m.table(i, "terms"), m.edited+edit, m.term)}
	})
	edits("another option", 40, 40, "post-sitemap.xml", "/moved-%d/", func(i, edit int) []string {
		return []string{fmt.Sprintf("UPDATE %s SET option_value = '/moved-%d/%%postname%%/' WHERE option_name = 'permalink_structure'",
			m.table(i, "options"), m.edited+edit)}
	})

	server, daemon, began = serverCPU(t), cpu(), time.Now()
	t.Logf("crawl of %d: %s", m.crawl, spread(2*m.crawl, 2, func(i int) time.Duration {
		return fetch(random[i/2], []string{"sitemap_index.xml", "post-sitemap.xml"}[i%2])
	}))
	used := cost(server, daemon, began)
	debug.FreeOSMemory()
	t.Logf("after it %d MB resident, %s", resident()>>20, used)
	const requests = 20_000
	for _, of := range []int{1, min(m.n, ts.refreshing.Pace.Resident)} { // these blogs are in memory
		began = time.Now()
		took := spread(requests, 2, func(i int) time.Duration { return fetch(random[max(0, m.crawl-1-i%of)], "post-sitemap.xml") })
		t.Logf("of %d places %.0f requests a second, this client included: %s", of, requests/time.Since(began).Seconds(), took)
	}
}

// A network may have more blogs than fit into memory. They are served as if all did: a blog is read when it is asked
// for, from the first second on. Writes meanwhile show at once. The network index names the sitemaps of every public
// blog, and only the main blog has it.
func TestIdleBlogs(t *testing.T) {
	t.Parallel()
	const blogs, most, private, broken = 30, 5, 106, 110
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	wptest.Exec(t, dsn, many(blogs)...)
	wptest.Exec(t, dsn, fmt.Sprintf("UPDATE wp_%d_options SET option_value = '0' WHERE option_name = 'blog_public'", private),
		fmt.Sprintf("UPDATE wp_blogs SET public = 0 WHERE blog_id = %d", private), fmt.Sprintf("DROP TABLE wp_%d_options", broken))
	install := realSite("net", dsn)
	install.Hosts, install.NetworkIndex = nil, true
	s := newReal(t, config.Config{Sites: []config.Site{install}})
	s.refreshing.Pace.Resident = most
	ts := s.restless().start()
	expect := func(id int, holds string) {
		t.Helper()
		got := ts.ask("example.test", fmt.Sprintf("/b%d/post-sitemap.xml", id))
		if got.status != 200 || !strings.Contains(got.body, fmt.Sprintf("https://example.test/b%d/%s", id, holds)) {
			t.Errorf("blog %d: %+v\n%s", id, got, ts.log)
		}
	}
	for id := 100 + blogs - 1; id >= 100; id -= 3 {
		if id != broken {
			expect(id, "herring/")
		}
	}
	inMemory := func() (ids []int64) {
		for _, b := range ts.installs[0].Snapshot().Blogs {
			if b.Resident() {
				ids = append(ids, b.ID)
			}
		}
		return ids
	}
	settled := func() bool {
		now := ts.installs[0].Snapshot()
		return now.Ready() && now.Err != nil && len(inMemory()) <= most
	}
	wptest.Eventually(t, "all are read, and few stay", settled, ts.log)
	index := ts.ask("example.test", "/network-sitemap.xml")
	if index.status != 200 || len(inMemory()) > blogs/2 {
		t.Errorf("the index of the network: %d, %d blogs in memory", index.status, len(inMemory()))
	}
	want := []string{"https://example.test/post-sitemap.xml", "https://bread.test/post-sitemap.xml", "<lastmod>"}
	for id := 100; id < 100+blogs; id++ {
		if id != private && id != broken {
			want = append(want, fmt.Sprintf("<loc>https://example.test/b%d/post-sitemap.xml</loc>", id))
		}
	}
	for _, part := range want {
		if !strings.Contains(index.body, part) {
			t.Errorf("the index of the network has no %s", part)
		}
	}
	for _, part := range []string{fmt.Sprintf("/b%d/", private), fmt.Sprintf("/b%d/", broken), "sitemap_index.xml"} {
		if strings.Contains(index.body, part) {
			t.Errorf("the index of the network has %s", part)
		}
	}
	for _, path := range []string{"/network-sitemap2.xml", "/b100/network-sitemap.xml", "/network-sitemap1.xml"} {
		if got := ts.ask("example.test", path); got.status != 404 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	for k := range ts.copies("net") {
		if b := ts.installs[0].Snapshot().Blog(k.Blog); b.Asked() == 0 {
			t.Errorf("a page of a blog that nobody has asked for was made: %v", k)
		}
	}
	for id := 100; id < 100+blogs; id += 7 {
		wptest.Exec(t, dsn, fmt.Sprintf("UPDATE wp_%d_posts SET post_name = 'anchovy' WHERE post_name = 'herring'", id))
		if !slices.Contains(inMemory(), int64(id)) {
			expect(id, "anchovy/")
		}
		if !slices.Contains(inMemory(), int64(id)) {
			t.Errorf("blog %d was asked for last and is not in memory: %d", id, inMemory())
		}
	}
	if got := ts.ask("example.test", fmt.Sprintf("/b%d/post-sitemap.xml", broken)); got.status != 503 {
		t.Errorf("a blog that cannot be read: %d, want 503", got.status)
	}
	if n := ts.log.count("site cannot be read"); n != 1 {
		t.Errorf("%d lines on the blog that cannot be read, want 1\n%s", n, ts.log)
	}
	wptest.Eventually(t, "few stay", settled, ts.log)
	if ids := inMemory(); len(ids) > most {
		t.Errorf("in memory: %d", ids)
	}
	wptest.Exec(t, dsn, "UPDATE wp_blogs SET archived = 1 WHERE blog_id = 101")
	wptest.Eventually(t, "an archived blog leaves the index", func() bool {
		index = ts.ask("example.test", "/network-sitemap.xml")
		return !strings.Contains(index.body, "/b101/") && strings.Contains(index.body, "/b102/")
	}, &index, ts.log)
}

// WordPress records nowhere else that a term or an option has changed. Such a change shows even if no poll sees its
// table, in a large network and on a server with many databases. The blog is read again while visitors ask for it.
func TestVisitedBlogIsReadAgain(t *testing.T) {
	t.Parallel()
	network, single := wptest.Load(t, wptest.MariaDB, "basic", "network"), wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Exec(t, network, many(101)...)
	net, many := realSite("net", network), newReal(t, config.Config{Sites: []config.Site{realSite("single", single)}})
	net.Hosts = nil
	many.refreshing.Feed.Many = 0
	for _, tt := range []struct {
		ts                      *daemon
		dsn, prefix, host, home string // of a blog; home is the path of its home
		term                    int
		unvisited               int64
	}{
		{startReal(t, 0, net), network, "wp_150_", "example.test", "/b150", 1, 149},
		{many.restless().start(), single, "wp_", "single.test", "", 2, 0},
	} {
		wptest.Eventually(t, "all are read", func() bool { return tt.ts.Status()[0].Ready }, tt.ts.log)
		wptest.Exec(t, tt.dsn, "UPDATE "+tt.prefix+fmt.Sprint("terms SET slug = 'edited' WHERE term_id = ", tt.term))
		tt.ts.shows("a term", tt.host, tt.home+"/category-sitemap.xml", 200, "/edited/")
		wptest.Exec(t, tt.dsn, "UPDATE "+tt.prefix+"options SET option_value = '/moved/%postname%/' WHERE option_name = 'permalink_structure'")
		tt.ts.shows("an option", tt.host, tt.home+"/post-sitemap.xml", 200, "/moved/")
		for _, b := range tt.ts.installs[0].Snapshot().Of(tt.unvisited) {
			if len(b.Readings) > 1 {
				t.Errorf("a blog that nobody asks for was read %d times", len(b.Readings))
			}
		}
	}
}

// fillNetwork adds a number of blogs.
func fillNetwork(t *testing.T, dsn string, blogs int) {
	t.Helper()
	db, _ := wptest.DB(t, dsn)
	var all errgroup.Group
	all.SetLimit(4)
	for blog := range slices.Chunk(many(blogs), len(many(1))) {
		all.Go(func() error {
			for _, statement := range blog {
				if _, err := db.Exec(statement); err != nil {
					return fmt.Errorf("%w in %s", err, statement)
				}
			}
			return nil
		})
	}
	wptest.Must(t, all.Wait())
}

// serverCPU returns the processor time of the server that .ci/mariadb has started; 0 if that is unknown.
func serverCPU(t *testing.T) time.Duration {
	t.Helper()
	pid, err := os.ReadFile(filepath.Join(filepath.Dir(os.Getenv("WPSITEMAPD_TEST_SOCKET")), "pid"))
	if err != nil {
		return 0
	}
	stat, err := os.ReadFile("/proc/" + string(bytes.TrimSpace(pid)) + "/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // a tick of the kernel is 10 ms
}
