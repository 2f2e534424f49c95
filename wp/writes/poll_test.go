package writes

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
)

// Of many databases a poll checks posts alone, and all tables of those that it is to check closely, from their own second on.
func TestManyDatabases(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	d := open(t, dsn)
	many := []*Database{d}
	for i := range ManyDatabases {
		many = append(many, New(d.DB, d.declared, fmt.Sprint("of", i, "_"), nil, nil))
	}
	changed := func(since int64, of []*Database, closely map[*Database]int64) (now int64, tables []string) {
		t.Helper()
		c, err := d.Changes(t.Context(), since, of, closely)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range c.Changed {
			if change.Database != d {
				t.Errorf("another was written: %q", change.Tables)
			}
			tables = append(tables, change.Tables...)
		}
		return c.Now, tables
	}
	time.Sleep(2100 * time.Millisecond) // the times of creation are over
	before, _ := changed(0, many, nil)
	wptest.Exec(t, dsn, "UPDATE wp_terms SET name = 'another'")
	time.Sleep(2100 * time.Millisecond)
	now, tables := changed(before, many, nil)
	if len(tables) > 0 {
		t.Errorf("%q, and posts alone are checked", tables)
	}
	if _, tables := changed(before, many[:ManyDatabases], nil); !slices.Equal(tables, []string{"wp_terms"}) {
		t.Errorf("of fewer databases %q", tables)
	}
	if _, tables := changed(now, many, map[*Database]int64{d: before}); !slices.Equal(tables, []string{"wp_terms"}) {
		t.Errorf("closely %q", tables)
	}
	wptest.Exec(t, dsn, "UPDATE wp_posts SET menu_order = 7")
	if _, tables := changed(now, many, nil); !slices.Equal(tables, []string{"wp_posts"}) {
		t.Errorf("of posts %q", tables)
	}
}

// A poll looks at tables of WordPress by their whole names: at those with a number, and not at others that end like them.
func TestTablesOfOthers(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	d := open(t, dsn)
	changed := func(since int64) (now int64, tables []string) {
		t.Helper()
		c, err := d.Changes(t.Context(), since, []*Database{d}, map[*Database]int64{d: since})
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
