package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
)

// An article leaves the news at its 48th hour by the running clock, though nothing changes in
// the database.
func TestNewsLeaveByTheClock(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "small", "small-news")
	leaves := time.Now().Add(6 * time.Second).Truncate(time.Second)
	published := leaves.Add(-48 * time.Hour)
	stamp := func(at time.Time) string { return at.Format(time.DateTime) }
	amsterdam, err := time.LoadLocation("Europe/Amsterdam") // the site's zone
	if err != nil {
		t.Fatal(err)
	}
	set := func(id int, at time.Time) string {
		return fmt.Sprintf("UPDATE wp_posts SET post_date = '%[2]s', post_modified = '%[2]s', post_date_gmt = '%[3]s', post_modified_gmt "+
			"= '%[3]s' WHERE ID = %[1]d", id, stamp(at.In(amsterdam)), stamp(at.UTC()))
	}
	wptest.Exec(t, dsn, set(1001, leaves.Add(-time.Hour)), set(1002, published))
	site := realSite("small", dsn)
	ts, public := startReal(t, 1, site)
	for {
		before := time.Now()
		status, text, err := ask(public, "small.test", "/news-sitemap.xml")
		after := time.Now()
		if err != nil || status != 200 || !strings.Contains(text, "/first/") {
			t.Fatalf("%d, %v\n%s\n%s", status, err, text, ts.log)
		}
		listed := strings.Contains(text, "/edge/")
		// In the 48th hour's first second it is still there; Go and MariaDB count in whole seconds.
		if !listed && after.Before(leaves) {
			t.Fatalf("gone at %v, before %v", after, leaves)
		}
		if listed && before.After(leaves.Add(1100*time.Millisecond)) {
			t.Fatalf("still there at %v, after %v\n%s", before, leaves, ts.log)
		}
		if !listed {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
