package server

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"golang.org/x/sync/errgroup"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
)

// TestThousands runs a network of WPSITEMAPD_BLOGS blogs by an account of its own and prints what that costs; "make
// thousands". No blog is ever another's or missing.
func TestThousands(t *testing.T) {
	blogs, err := strconv.Atoi(os.Getenv("WPSITEMAPD_BLOGS"))
	if err != nil {
		t.Skip("WPSITEMAPD_BLOGS is no number of blogs")
	}
	began := time.Now()
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	fillNetwork(t, dsn, blogs)
	t.Logf("%d further blogs created in %v", blogs, time.Since(began).Round(time.Second))

	db, _ := wptest.DB(t, dsn)
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	cfg.User, cfg.Passwd = cfg.DBName+"_n", "read-only"
	user := cfg.User
	wptest.Exec(t, dsn, "CREATE USER '"+user+"'@'localhost' IDENTIFIED BY 'read-only'", "GRANT SELECT ON `"+cfg.DBName+"`.* TO '"+user+"'@'localhost'")
	t.Cleanup(func() { wptest.Exec(t, dsn, "DROP USER '"+user+"'@'localhost'") })
	site := realSite("net", cfg.FormatDSN())
	site.Hosts = nil
	ts := newReal(t, config.Config{Sites: []config.Site{site}})
	log := ts.log
	server, daemon, before := serverCPU(t), cpu(), resident()
	began = time.Now()
	public := ts.start().public
	rnd := rand.New(rand.NewPCG(1, uint64(blogs)))
	fetch := func(id int, path string) time.Duration {
		asked := time.Now()
		status, text, err := ask(public, "example.test", fmt.Sprintf("/b%d/%s", id, path))
		if err != nil || status != 200 || !strings.Contains(text, fmt.Sprintf("https://example.test/b%d/", id)) {
			t.Errorf("blog %d: %d %v %.300s", id, status, err, text)
		}
		return time.Since(asked)
	}
	measure := func(n, atOnce int, what func(i int) time.Duration) string {
		took := make([]time.Duration, n)
		var group errgroup.Group
		group.SetLimit(atOnce)
		for i := range took {
			group.Go(func() error { took[i] = what(i); return nil })
		}
		_ = group.Wait()
		slices.Sort(took)
		return fmt.Sprintf("%v, p50 %v, p99 %v, slowest %v", n, took[n/2].Round(time.Millisecond), took[n*99/100].Round(time.Millisecond), took[n-1].Round(time.Millisecond))
	}
	spent := func(since time.Duration, then time.Time) float64 {
		return 100 * float64(since) / float64(time.Since(then))
	}
	random := rnd.Perm(blogs)
	t.Logf("first answers of blogs from the start on: %s", measure(min(blogs, 100), 1, func(i int) time.Duration {
		return fetch(100+random[i], "post-sitemap.xml")
	}))
	for !ts.Status()[0].Ready {
		if time.Since(began) > 20*time.Minute {
			t.Fatalf("not all are read\n%.3000s", log)
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("all read after %v: %.1f %% of a core of the server, %.1f %% of ours", time.Since(began).Round(100*time.Millisecond),
		spent(serverCPU(t)-server, began), spent(cpu()-daemon, began))

	questions := func() (n int) {
		if err := db.QueryRow("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'QUESTIONS'").Scan(&n); err != nil {
			t.Error(err)
		}
		return n
	}
	for minute := range 2 { // pages are made ahead in the first of them
		server, daemon, began = serverCPU(t), cpu(), time.Now()
		asked := questions()
		time.Sleep(time.Minute)
		t.Logf("minute %d at rest: %.1f statements a second, %.1f %% of a core of the server, %.1f %% of ours, %d MB resident", minute+1,
			float64(questions()-asked)/60, spent(serverCPU(t)-server, began), spent(cpu()-daemon, began), resident()>>20)
	}
	debug.FreeOSMemory()
	t.Logf("idle: %d KB resident a blog", (resident()-before)>>10/int64(blogs))

	t.Logf("publish to visible: %s", measure(min(blogs, 200), 10, func(id int) time.Duration {
		blog := 100 + random[id]
		statements := strings.Split(editRow(1, id%60), ";")
		for i, statement := range statements {
			statements[i] = strings.Replace(statement, "wp_posts", fmt.Sprintf("wp_%d_posts", blog), 1)
		}
		wptest.Exec(t, dsn, append(statements,
			fmt.Sprintf("UPDATE wp_%d_posts SET post_name = 'edited-%d' WHERE ID = 1", blog, id),
			fmt.Sprintf("UPDATE wp_blogs SET last_updated = UTC_TIMESTAMP() WHERE blog_id = %d", blog))...)
		edited := time.Now()
		for time.Since(edited) < time.Minute {
			_, text, _ := ask(public, "example.test", fmt.Sprintf("/b%d/post-sitemap.xml", blog))
			if strings.Contains(text, fmt.Sprintf("/edited-%d/", id)) {
				return time.Since(edited)
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("an edit of blog %d is not seen", blog)
		return time.Minute
	}))

	daemon, began = cpu(), time.Now()
	crawled := min(blogs, 1000)
	t.Logf("crawl of %d blogs: %s", crawled, measure(2*crawled, 2, func(i int) time.Duration {
		return fetch(100+i/2, []string{"sitemap_index.xml", "post-sitemap.xml"}[i%2])
	}))
	debug.FreeOSMemory()
	t.Logf("after it %d MB resident, %.1f %% of a core of ours", resident()>>20, spent(cpu()-daemon, began))
}

// Of a network more blogs than fit into memory are served as if all of them did: a blog is read when it is asked for, from the
// first second on, and what was written to it meanwhile shows at once.
func TestIdleBlogs(t *testing.T) {
	t.Parallel()
	const blogs, most = 30, 5
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	wptest.Exec(t, dsn, many(blogs)...)
	wptest.Exec(t, dsn, "DROP TABLE wp_110_options")
	install := realSite("net", dsn)
	install.Hosts, install.NetworkIndex = nil, true
	ts := newReal(t, config.Config{Sites: []config.Site{install}})
	log := ts.log
	ts.pace.Resident = most
	public := ts.start().public
	expect := func(id int, holds string) {
		t.Helper()
		status, text, err := ask(public, "example.test", fmt.Sprintf("/b%d/post-sitemap.xml", id))
		if err != nil || status != 200 || !strings.Contains(text, fmt.Sprintf("https://example.test/b%d/%s", id, holds)) {
			t.Errorf("blog %d: %d %v %.300s\n%s", id, status, err, text, log)
		}
	}
	for id := 100 + blogs - 1; id >= 100; id -= 3 {
		if id != 110 {
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
	wptest.Eventually(t, "all are read, and few stay", settled, log)
	status, index, err := ask(public, "example.test", "/network-sitemap.xml")
	if err != nil || status != 200 || len(inMemory()) > blogs/2 {
		t.Errorf("the index of the network: %d %v, %d blogs in memory", status, err, len(inMemory()))
	}
	for id := 100; id < 100+blogs; id++ {
		if strings.Contains(index, fmt.Sprintf("https://example.test/b%d/post-sitemap.xml", id)) == (id == 110) {
			t.Errorf("the index of the network has not blog %d, or has what cannot be read", id)
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
	if status, _, _ := ask(public, "example.test", "/b110/post-sitemap.xml"); status != 503 {
		t.Errorf("a blog that cannot be read: %d, want 503", status)
	}
	if n := log.count("site cannot be read"); n != 1 {
		t.Errorf("%d lines on the blog that cannot be read, want 1\n%s", n, log)
	}
	wptest.Eventually(t, "few stay", settled, log)
	if ids := inMemory(); len(ids) > most {
		t.Errorf("in memory: %d", ids)
	}
}

// fillNetwork makes so many further blogs.
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
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
}

// serverCPU is the processor time of the server that .ci/mariadb has started, 0 where that cannot be told.
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
	return time.Duration(user+system) * 10 * time.Millisecond // a tick of the kernel
}
