package server

import (
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
)

// A site goes over to another database when its own does not answer, sees what changes
// there, and comes back.
func TestReplicaStandsIn(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	first, second := wptest.NewDoor(t, dsn), wptest.NewDoor(t, dsn)
	first.Open()
	second.Open()
	site := realSite("a", first.DSN)
	site.Replicas = []config.Secret{config.Secret(second.DSN)}
	ts, public := startReal(t, 1, site)
	server := func() string { return ts.running()[0].DatabaseServer() }
	if !strings.Contains(first.DSN, server()) {
		t.Fatalf("reads %s, not the first of %s and %s", server(), first.DSN, second.DSN)
	}
	sees := func(slug, at string, within time.Duration) {
		t.Helper()
		wptest.Exec(t, dsn, "UPDATE wp_posts SET post_name = '"+slug+"' WHERE ID = 101")
		for from := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			status, text, err := ask(public, "a.test", "/post-sitemap.xml")
			if err != nil || status != 200 {
				t.Fatal(status, err)
			}
			if strings.Contains(text, "/"+slug+"/") && strings.Contains(at, server()) {
				return
			}
			if time.Since(from) > within {
				t.Fatalf("%s is not seen at %s after %v, but at %s\n%s", slug, at, within, server(), ts.log)
			}
		}
	}
	if status, _, err := ask(public, "a.test", "/post-sitemap.xml"); status != 200 || err != nil { // a copy for meanwhile
		t.Fatal(status, err)
	}
	first.Shut()
	sees("read-elsewhere", second.DSN, 20*time.Second)
	first.Open()
	sees("read-at-home", first.DSN, 2*10*time.Second+20*time.Second)
	second.Shut()
	sees("read-at-home-still", first.DSN, 20*time.Second)
}

// A database that comes back is read again within seconds, also one that was down at the start.
func TestDatabaseReturns(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	door := wptest.NewDoor(t, dsn)
	ts, public := startReal(t, 0, realSite("a", door.DSN))
	for range 2 {
		time.Sleep(9 * time.Second) // the pauses have grown
		wptest.Exec(t, dsn, "UPDATE wp_posts SET post_name = CONCAT(post_name, '-x') WHERE ID = 101")
		door.Open()
		for from := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			if state := ts.running()[0].Snapshot(); state.Opened && state.Err == nil {
				t.Logf("read %v after its return", time.Since(from).Round(10*time.Millisecond))
				break
			}
			if time.Since(from) > 10*time.Second { // 5 on a quiet machine
				t.Fatal("not read\n", ts.log)
			}
		}
		if status, _, err := ask(public, "a.test", "/post-sitemap.xml"); status != 200 || err != nil {
			t.Fatal(status, err)
		}
		door.Shut()
	}
}
