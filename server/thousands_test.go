package server

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
)

// TestNetworkOfThousands reads a network of WPSITEMAPD_NETWORK_BLOGS blogs by an account of its own and prints what
// that costs; "make network". No blog is ever another's or missing, and all are served at last.
func TestNetworkOfThousands(t *testing.T) {
	blogs, err := strconv.Atoi(os.Getenv("WPSITEMAPD_NETWORK_BLOGS"))
	if err != nil {
		t.Skip("WPSITEMAPD_NETWORK_BLOGS is no number of blogs")
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
	log := &logText{}
	server, daemon := serverCPU(t), cpu()
	began = time.Now()
	ts := &testServer{
		Server: New(&config.Config{Listening: testListening(), Sites: []config.Site{site}}, slog.New(slog.NewTextHandler(log, nil))),
		t:      t, log: log,
	}
	public, _, stop := start(t, ts)
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	first, ready, most := time.Duration(0), time.Duration(0), 0
	running := func() (n int) {
		if err := db.QueryRow("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = ? AND COMMAND = 'Query'", user).Scan(&n); err != nil {
			t.Error(err)
		}
		return n
	}
	for n := 0; ready == 0; n++ {
		id := 100 + n*37%blogs
		path, want := fmt.Sprintf("/b%d/post-sitemap.xml", id), fmt.Sprintf("https://example.test/b%d/", id)
		if n%4 == 0 {
			path, want = "/post-sitemap.xml", "https://example.test/blog/"
		}
		switch status, text, err := ask(public, "example.test", path); {
		case err != nil:
			t.Fatal(err)
		case status == 200 && strings.Contains(text, want):
			if first == 0 {
				first = time.Since(began)
			}
		case status != 503:
			t.Fatalf("%s: %d %.300s", path, status, text)
		}
		most = max(most, running())
		if ts.Status()[0].Ready {
			ready = time.Since(began)
		}
		if time.Since(began) > 20*time.Minute {
			t.Fatalf("not all are read\n%.3000s", log)
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("first answer after %v, all read after %v; at most %d statements at once; %v of the server's processor, %v of ours",
		first.Round(10*time.Millisecond), ready.Round(100*time.Millisecond), most, serverCPU(t)-server, (cpu() - daemon).Round(10*time.Millisecond))
	for id := 100; id < 100+blogs; id += max(1, blogs/50) {
		status, text, err := ask(public, "example.test", fmt.Sprintf("/b%d/post-sitemap.xml", id))
		if err != nil || status != 200 || !strings.Contains(text, fmt.Sprintf("https://example.test/b%d/", id)) {
			t.Errorf("blog %d: %d %v %.200s", id, status, err, text)
		}
	}

	for minute := range 3 { // pages are made ahead in the first of them
		server, daemon, began, most = serverCPU(t), cpu(), time.Now(), 0
		for time.Since(began) < time.Minute {
			most = max(most, running())
			time.Sleep(50 * time.Millisecond)
		}
		took := time.Since(began)
		t.Logf("minute %d: %.1f %% of a core of the server, %.1f %% of ours, at most %d statements at once, %d MB resident",
			minute+1, 100*float64(serverCPU(t)-server)/float64(took), 100*float64(cpu()-daemon)/float64(took), most, resident()>>20)
	}

	id := 100 + blogs/2
	wptest.Exec(t, dsn,
		fmt.Sprintf("UPDATE wp_%d_posts SET post_name = 'edited-just-now', post_modified = NOW(), post_modified_gmt = UTC_TIMESTAMP() WHERE ID = 1", id),
		fmt.Sprintf("UPDATE wp_blogs SET last_updated = UTC_TIMESTAMP() WHERE blog_id = %d", id))
	for began = time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if _, text, _ := ask(public, "example.test", fmt.Sprintf("/b%d/post-sitemap.xml", id)); strings.Contains(text, "/edited-just-now/") {
			break
		}
		if time.Since(began) > 10*time.Minute {
			t.Fatalf("an edit is not seen\n%.3000s", log)
		}
	}
	t.Logf("a publish is seen after %v", time.Since(began).Round(100*time.Millisecond))
}

// fillNetwork copies blog 2 so many times, with all its tables.
func fillNetwork(t *testing.T, dsn string, blogs int) {
	t.Helper()
	db, _ := wptest.DB(t, dsn)
	var tables []string
	rows, err := db.Query(`SELECT SUBSTR(TABLE_NAME, 6) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'wp\_2\_%'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, table)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	next := make(chan int)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for id := range next {
				for _, table := range tables {
					name := fmt.Sprintf("wp_%d_%s", id, table)
					for _, statement := range []string{"CREATE TABLE " + name + " LIKE wp_2_" + table, "INSERT INTO " + name + " SELECT * FROM wp_2_" + table} {
						if _, err := db.Exec(statement); err != nil {
							t.Errorf("%v\nin %s", err, statement)
						}
					}
				}
				for _, statement := range []string{
					fmt.Sprintf("UPDATE wp_%d_options SET option_value = 'https://example.test/b%[1]d' WHERE option_name IN ('home', 'siteurl')", id),
					fmt.Sprintf("INSERT INTO wp_blogs (blog_id, site_id, domain, path, registered, last_updated, public) "+
						"VALUES (%d, 1, 'example.test', '/b%[1]d/', '2024-10-01', '2024-10-01', 1)", id),
				} {
					if _, err := db.Exec(statement); err != nil {
						t.Errorf("%v\nin %s", err, statement)
					}
				}
			}
		})
	}
	for id := 100; id < 100+blogs && !t.Failed(); id++ {
		next <- id
	}
	close(next)
	all.Wait()
	if t.Failed() {
		t.FailNow()
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
