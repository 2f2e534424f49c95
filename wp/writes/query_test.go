package writes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A poll checks the tables of a scope, of each database from its own second on.
func TestScopes(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	d, another := open(t, dsn), open(t, wptest.Load(t, wptest.MariaDB, "basic"))
	changed := func(of scope, since, posts int64) (now int64, tables []string) {
		t.Helper()
		c, err := d.changes(t.Context(), []check{
			{database: New(d.DB, d.declared, "of1_", nil, nil)}, {database: New(d.DB, d.declared, "of2_", nil, nil), scope: all},
			{database: another, since: max(since, time.Now().Unix()), posts: max(since, time.Now().Unix()), scope: edits}, {database: d, since: since, posts: posts, scope: of},
		})
		wptest.Must(t, err)
		for _, change := range c.changed {
			expect.Equal(t, change.database, d, "another was written", change.set.Tables)
			tables = slices.AppendSeq(tables, maps.Keys(change.set.Tables))
		}
		slices.Sort(tables)
		return c.now, tables
	}
	time.Sleep(2100 * time.Millisecond) // the times of creation are over
	before, _ := changed(posts, 0, 0)
	wptest.Exec(t, dsn, "UPDATE wp_terms SET name = 'another'", "UPDATE wp_posts SET menu_order = 7", "UPDATE wp_options SET autoload = 'yes'")
	time.Sleep(2100 * time.Millisecond)
	now, _ := changed(posts, before, before)
	for _, tt := range []struct {
		scope        scope
		since, posts int64
		tables       []string
	}{
		{posts, before, before, []string{"wp_posts"}},
		{edits, before, before, []string{"wp_posts", "wp_terms"}},
		{all, before, before, []string{"wp_options", "wp_posts", "wp_terms"}},
		{all, before, now, []string{"wp_options", "wp_terms"}}, // an earlier poll has reported the posts
		{all, now, now, nil},
	} {
		if _, tables := changed(tt.scope, tt.since, tt.posts); !slices.Equal(tables, tt.tables) {
			t.Errorf("scope %d since %d: %q, want %q", tt.scope, tt.since-before, tables, tt.tables)
		}
	}
}

// A poll looks at tables of WordPress by their whole names: at those with a number, and not at others that end like them.
func TestTablesOfOthers(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	d := open(t, dsn)
	d.Watch(2, nil, nil)
	changed := func(since int64) (now int64, tables []string) {
		t.Helper()
		c, err := d.changes(t.Context(), []check{{d, since, since, all}})
		wptest.Must(t, err)
		for _, change := range c.changed {
			tables = slices.AppendSeq(tables, maps.Keys(change.set.Tables))
		}
		return c.now, tables
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

// declared is a part of what WordPress and a plugin declare.
var declared = NewDeclared(Declared{
	Tables: append(anyWordPress, Table{Name: "site", Network: true}),
	Core:   anyWordPress,
})

var anyWordPress = []Table{
	{Name: "posts", Edits: true},
	{Name: "postmeta"},
	{Name: "terms", Edits: true},
	{Name: "term_taxonomy", Edits: true},
	{Name: "term_relationships"},
	{Name: "options"},
	{Name: "users", Network: true},
	{Name: "usermeta", Network: true},
	{Name: "blogs", Network: true, Edits: true},
	{Name: "sitemeta", Network: true},
}

// open opens a database with the tables of a network.
func open(t *testing.T, dsn string) *Database {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	d, err := db.OpenMySQL(t.Context(), cfg, db.Options{})
	wptest.Must(t, err)
	t.Cleanup(func() { d.Close() })
	return New(d, declared, "wp_", nil, func(blog int64) string {
		if blog == 1 {
			return "wp_"
		}
		return fmt.Sprintf("wp_%d_", blog)
	})
}

// Of a large network a poll finds what WordPress notes in the table of blogs, and writes to the tables that all blogs share.
func TestPollsOfALargeNetwork(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	n := open(t, dsn)
	watch := func(blogs ...int64) { n.Watch(largeNetwork+1, blogs, nil) }
	watch(1, 2, 3)
	since := int64(0)
	poll := func() Set {
		t.Helper()
		c, err := n.changes(t.Context(), []check{{database: n, since: since, posts: since}})
		wptest.Must(t, err)
		since = c.now
		var seen *Set
		for _, change := range c.changed {
			seen = Merge(seen, &change.set)
		}
		return *cmp.Or(seen, &Set{})
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
		if got := poll(); !got.Tables[tt.table] || tt.blog != 0 && !slices.Equal(got.Blogs, []int64{tt.blog}) {
			t.Errorf("%s: %+v, want %s %d", tt.name, got, tt.table, tt.blog)
		}
		rest()
	}
}

// The server may forget when a table was written, but not how many posts there were.
func TestConclude(t *testing.T) {
	declared := NewDeclared(Declared{Tables: []Table{{Name: "posts", Edits: true}, {Name: "options"}}})
	for _, tt := range []struct {
		name      string
		table     string // that was written; "": no time is known
		before    int64
		increment int64
		edited    bool
		tables    []string
		changed   bool
	}{
		{"nothing", "", 7, 7, false, nil, false},
		{"a write", "wp_posts", 7, 7, true, []string{"wp_posts"}, true},
		{"a write without an edit", "wp_options", 7, 7, false, []string{"wp_options"}, true},
		{"a post whose time is forgotten", "", 7, 8, true, nil, true},
		{"a post whose time is forgotten, and another write", "wp_options", 7, 8, true, nil, true},
		{"the first poll", "", 0, 7, false, nil, false},
	} {
		d := New(&db.DB{}, declared, "wp_", nil, nil)
		d.increments.Store(tt.before)
		is := &change{database: d}
		is.read(check{database: d, since: 100, posts: 100}, "wp_posts", 0, tt.increment)
		if tt.table != "" {
			is.read(check{database: d, since: 100, posts: 100}, tt.table, 100, 0)
			is.read(check{database: d, since: 100, posts: 100}, "wp_terms", 99, 0)
		}
		c := changes{now: 101}
		c.conclude(is)
		expect.Equal(t, len(c.changed) == 1, tt.changed, tt.name, "changed")
		if tt.changed {
			expect.Equal(t, c.changed[0].edited, tt.edited, tt.name, "edited")
			expect.List(t, slices.Sorted(maps.Keys(c.changed[0].set.Tables)), tt.tables, tt.name)
		}
	}
}

// A poll names the tables of single sites and the posts of all. It asks by a pattern for networks, whose blogs it need not
// know, and for many databases.
func TestStatement(t *testing.T) {
	site := func(blogs int, base string) *Database {
		d := New(&db.DB{Schema: "S"}, NewDeclared(Declared{Tables: []Table{{Name: "posts", Edits: true}, {Name: "options"}, {Name: "terms", Watched: true}}}),
			base, []string{"people"}, func(blog int64) string { return fmt.Sprint(base, blog, "_") })
		d.Watch(blogs, nil, nil)
		return d
	}
	many := slices.Repeat([]check{{database: site(1, "wp_"), scope: edits}}, mostPrefixes+1)
	for _, tt := range []struct {
		name   string
		of     []check
		want   string
		tables any // names, or a pattern
	}{
		{"a site", []check{{database: site(1, "wp_"), scope: edits}}, sqlNamedWritten, []string{"wp_posts", "wp_terms"}},
		{"two sites", []check{{database: site(1, "a_"), scope: edits}, {database: site(1, "b_"), scope: edits}}, sqlNamedWritten,
			[]string{"a_posts", "a_terms", "b_posts", "b_terms"}},
		{"all tables of a site", []check{{database: site(1, "wp_"), scope: all}}, sqlNamedWritten, []string{"people", "wp_options", "wp_posts", "wp_terms"}},
		{"posts of a network", []check{{database: site(2, "wp_"), scope: posts}}, sqlNamedWritten, []string{"wp_blogs", "wp_posts"}},
		{"a network", []check{{database: site(2, "wp_"), scope: edits}}, sqlWritten, "^(wp_)([0-9]+_)?(posts|terms)$"},
		{"all tables of a network", []check{{database: site(2, "wp_"), scope: all}}, sqlWritten, "^(wp_)([0-9]+_)?(posts|options|terms)$|^(people)$"},
		{"a site and a network", []check{{database: site(1, "a_"), scope: edits}, {database: site(2, "b_"), scope: edits}},
			sqlNamedWritten + " UNION ALL " + sqlWritten, []string{"a_posts", "a_terms"}},
		{"a large network", []check{{database: site(101, "wp_"), scope: shared}},
			strings.Join(slices.Repeat([]string{sqlOneWritten}, 4), " UNION ALL "), "wp_blogs"},
		{"many sites", many, sqlWritten, "^(wp_)([0-9]+_)?(posts|terms)$"},
	} {
		statement, args := tt.of[0].database.statement(tt.of)
		expect.Equal(t, statement, tt.want, tt.name)
		expect.Equal(t, fmt.Sprint(args[2]), fmt.Sprint(tt.tables), tt.name)
	}
}

// A server may tell a database from another one by letter case alone.
func TestLetterCaseOfDatabase(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	cfg, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	lower := cfg.DBName
	cfg.DBName += "_Upper"
	wptest.Exec(t, dsn, "CREATE DATABASE "+cfg.DBName)
	t.Cleanup(func() { wptest.Exec(t, dsn, "DROP DATABASE "+cfg.DBName) })
	for _, table := range []string{"posts", "terms", "options"} {
		wptest.Exec(t, dsn, "CREATE TABLE "+cfg.DBName+".wp_"+table+" LIKE "+lower+".wp_"+table)
	}
	d := open(t, cfg.FormatDSN())
	for _, of := range []scope{posts, edits, all} {
		c, err := d.changes(t.Context(), []check{{database: d, scope: of}})
		wptest.Must(t, err)
		expect.Equal(t, len(c.unseen), 0, "scope", of)
	}
}
