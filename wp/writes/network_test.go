package writes

import (
	"slices"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
)

// Of a large network a poll finds what WordPress notes in the table of blogs, and writes to the tables that all blogs share.
func TestPollsOfALargeNetwork(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	n := open(t, dsn)
	watch := func(blogs ...int64) { n.Watch(largeNetwork+1, blogs, nil) }
	watch(1, 2, 3)
	since := int64(0)
	poll := func() Change {
		t.Helper()
		c, err := n.Changes(t.Context(), []Check{{Database: n, Since: since}})
		wptest.Must(t, err)
		since = c.Now
		var all Change
		for _, change := range c.Changed {
			all.Tables, all.Blogs = append(all.Tables, change.Tables...), append(all.Blogs, change.Blogs...)
		}
		return all
	}
	published := func(when string, blogs string) {
		wptest.Exec(t, dsn, "UPDATE wp_blogs SET last_updated = UTC_TIMESTAMP() - INTERVAL "+when+" SECOND WHERE blog_id IN ("+blogs+")")
	}
	rest := func() {
		t.Helper()
		time.Sleep(2100 * time.Millisecond) // what was seen then is over
		poll()
		if again := poll(); again.Tables != nil || again.Blogs != nil {
			t.Errorf("without a write: %+v", again)
		}
	}
	rest()
	for _, tt := range []struct {
		name  string
		write func()
		table string // that is told, or
		blog  int64
	}{
		{"a user", func() { wptest.Exec(t, dsn, "UPDATE wp_users SET display_name = 'another' WHERE ID = 1") }, "wp_users", 0},
		{"a publish", func() { published("0", "3") }, "wp_3_posts", 0},
		{"one before the last poll, which was long ago", func() { n.blogs.looked -= 600; published("300", "2") }, "wp_2_posts", 0},
		{"one of a blog that is not watched", func() { watch(3); published("0", "1, 3") }, "wp_3_posts", 1},
		{"one of a blog that is about to be read", func() { n.WatchToo(2); published("0", "2") }, "wp_2_posts", 0},
	} {
		tt.write()
		if got := poll(); !slices.Contains(got.Tables, tt.table) || tt.blog != 0 && !slices.Equal(got.Blogs, []int64{tt.blog}) {
			t.Errorf("%s: %+v, want %s %d", tt.name, got, tt.table, tt.blog)
		}
		rest()
	}
}
