package server

import (
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/wp/wptest"
)

// A site goes over to another database when its own does not answer, sees what changes
// there, and comes back.
func TestReplicaIsIn(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	first, second := wptest.NewDoor(t, dsn), wptest.NewDoor(t, dsn)
	first.Open()
	second.Open()
	site := realSite("a", first.DSN)
	site.Replicas = []config.Secret{config.Secret(second.DSN)}
	ts := startReal(t, 1, site)
	server := func() string { return ts.running()[0].DatabaseServer() }
	if !strings.Contains(first.DSN, server()) {
		t.Fatalf("reads %s, not the first of %s and %s", server(), first.DSN, second.DSN)
	}
	sees := func(slug, at string) {
		t.Helper()
		wptest.Exec(t, dsn, "UPDATE wp_posts SET post_name = '"+slug+"' WHERE ID = 101")
		wptest.Eventually(t, slug+" is seen at "+at, func() bool {
			return strings.Contains(ts.text("/post-sitemap.xml"), "/"+slug+"/") && strings.Contains(at, server())
		}, func() any { return server() }, ts.log)
	}
	ts.text("/post-sitemap.xml") // a copy for meanwhile
	first.Shut()
	sees("read-elsewhere", second.DSN)
	first.Open()
	sees("read-at-home", first.DSN)
	second.Shut()
	sees("read-at-home-still", first.DSN)
}
