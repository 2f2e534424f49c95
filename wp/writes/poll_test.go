package writes

import (
	"slices"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
)

// A poll looks at tables of WordPress by their whole names: at those with a number, and not at others that end like them.
func TestTablesOfOthers(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	d := open(t, dsn)
	changed := func(since int64) (now int64, tables []string) {
		t.Helper()
		c, err := d.Changes(t.Context(), since, []*Database{d}, func(*Database) bool { return true })
		wptest.Must(t, err)
		for _, change := range c.Changed {
			tables = append(tables, change.Tables...)
		}
		return c.Now, tables
	}
	wptest.Exec(t, dsn, "CREATE TABLE wp_catalogue_posts LIKE wp_posts", "CREATE TABLE wp_7_posts LIKE wp_posts")
	time.Sleep(2100 * time.Millisecond) // their times of creation are over
	now, _ := changed(0)
	wptest.Exec(t, dsn, "INSERT INTO wp_catalogue_posts SELECT * FROM wp_posts")
	if _, tables := changed(now); len(tables) > 0 {
		t.Errorf("%q, and none of these is ours", tables)
	}
	wptest.Exec(t, dsn, "INSERT INTO wp_7_posts SELECT * FROM wp_posts", "UPDATE wp_options SET option_value = 'another' WHERE option_name = 'blogname'")
	if _, tables := changed(now); !slices.Contains(tables, "wp_7_posts") || !slices.Contains(tables, "wp_options") {
		t.Errorf("%q, want those of the blog and of the settings", tables)
	}
}
