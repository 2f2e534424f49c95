package writes

import (
	"slices"
	"testing"
	"time"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/wptest/expect"
)

// setOf is a change set of some tables.
func setOf(tables ...string) *Set {
	s := &Set{Tables: map[string]bool{}}
	for _, table := range tables {
		s.Tables[table] = true
	}
	return s
}

// A set covers another if it has all its tables. Nothing is covered by every set, anything only by anything.
func TestCovers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		s, of *Set
		want  bool
	}{
		{"more", setOf("a", "b"), setOf("a"), true}, {"the same", setOf("a"), setOf("a"), true}, {"less", setOf("a"), setOf("a", "b"), false},
		{"nothing", setOf("a"), setOf(), true}, {"nothing by nil", nil, setOf(), true}, {"something by nil", nil, setOf("a"), false},
		{"anything by anything", new(Set), new(Set), true}, {"anything", setOf("a"), new(Set), false},
		{"something by anything", new(Set), setOf("a"), true},
	} {
		expect.Equal(t, tt.s.Covers(tt.of), tt.want, tt.name)
	}
	for _, tt := range []struct {
		s                 *Set
		anywhere, nothing bool
		names             []string
	}{{nil, false, false, nil}, {new(Set), true, false, nil}, {setOf(), false, true, nil}, {setOf("a", "b"), false, false, []string{"a", "b"}}} {
		expect.Equal(t, tt.s.Anywhere(), tt.anywhere, tt.s, "anywhere")
		expect.Equal(t, tt.s.Nothing(), tt.nothing, tt.s, "nothing")
		names := tt.s.TableNames()
		slices.Sort(names)
		expect.List(t, names, tt.names, tt.s)
	}
}

// The blogs of two sets are merged, each once. The later time counts. The second set is not changed by later merges.
func TestMergeOfBlogs(t *testing.T) {
	early, late := time.Unix(1, 0), time.Unix(2, 0)
	a := Merge(&Set{Tables: map[string]bool{}, Blogs: []int64{1, 2}, Settled: late},
		&Set{Tables: map[string]bool{}, Blogs: []int64{2, 3}, Settled: early})
	expect.List(t, a.Blogs, []int64{1, 2, 3})
	expect.Equal(t, a.Settled, late)
	b := &Set{Tables: map[string]bool{"a": true}, Blogs: []int64{1}}
	Merge(Merge(nil, b), &Set{Tables: map[string]bool{"b": true}, Blogs: []int64{2}})
	expect.Equal(t, len(b.Tables), 1, "tables of the second set")
	expect.List(t, b.Blogs, []int64{1}, "blogs of the second set")
	expect.Equal(t, Merge(setOf("a"), nil).Covers(setOf("a")), true, "merged with nil")
	expect.Equal(t, Anything(late).Anywhere() && Anything(late).Settled.Equal(late), true, "anything")
}

// Names match in any letter case. A star at the end matches any end, a star at the beginning any beginning.
func TestNames(t *testing.T) {
	n := NewNames([]string{"WPLANG", "_yoast_wpseo_*", "*_children", "WPLANG", "wplang", "Other"})
	expect.List(t, n.Plain, []string{"WPLANG", "Other"}, "plain names")
	for name, want := range map[string]bool{
		"wplang": true, "WPLANG": true, "wplang2": false, "_Yoast_wpseo_x": true, "x_yoast_wpseo_": false, "category_children": true,
		"CATEGORY_CHILDREN": true,
		"children_x":        false, "other": true, "": false,
	} {
		expect.Equal(t, n.Has(name), want, name)
	}
}

// The first declaration of a table counts. Every poll checks the tables that people edit, and those declared as watched.
func TestDeclared(t *testing.T) {
	d := NewDeclared(Declared{Tables: []Table{
		{Name: "posts", Edits: true}, {Name: "options"}, {Name: "posts", Watched: true, Network: true}, {Name: "termmeta", Watched: true},
	}})
	expect.Same(t, []Table{{Name: "posts", Edits: true}, {Name: "options"}, {Name: "termmeta", Watched: true}}, d.Tables)
	expect.List(t, d.of(edits), []string{"posts", "termmeta"}, "tables that every poll checks")
	expect.List(t, d.of(all), []string{"posts", "options", "termmeta"}, "all tables")
	for table, want := range map[string]bool{"wp_posts": true, "wp_7_posts": true, "wp_termmeta": false, "posts": false} {
		expect.Equal(t, d.isEdited(table), want, table)
	}
}

// The blogs that are watched stay sorted, each once. A network of more than 100 blogs is large.
func TestWatchToo(t *testing.T) {
	d := New(nil, nil, "", nil, nil)
	expect.Equal(t, d.asked(), 0, "nobody has asked")
	d.Watch(largeNetwork, []int64{2, 5}, func() int64 { return 7 })
	expect.Equal(t, d.asked(), 7)
	expect.Equal(t, d.large(), false, "a network of 100 blogs is large")
	for _, blog := range []int64{3, 9, 1, 3} {
		d.WatchToo(blog)
	}
	w := d.watch.Load()
	expect.List(t, w.ids, []int64{1, 2, 3, 5, 9})
	expect.Equal(t, w.all, largeNetwork, "the number of blogs stays")
	expect.Equal(t, d.asked(), 7, "when visitors asked stays")
	d.Watch(largeNetwork+1, nil, nil)
	expect.Equal(t, d.large(), true, "a network of 101 blogs is large")
}

// A poll asks for the tables of each database by the names that its configuration gives them.
func TestTableNames(t *testing.T) {
	d := New(&db.DB{Schema: "S"}, declared, "x_", []string{"people"}, func(blog int64) string { return map[int64]string{1: "x_", 2: "x_2_"}[blog] })
	d.Watch(1, []int64{1}, nil)
	expect.List(t, d.names(posts), []string{"x_posts"}, "posts of a single site")
	d.Watch(2, []int64{1, 2}, nil)
	expect.List(t, d.names(posts), []string{"x_2_posts", "x_blogs", "x_posts"}, "posts of a network")
	expect.List(t, d.names(shared), []string{"x_blogs", "x_users", "x_usermeta", "people"}, "tables that all blogs share")
	expect.List(t, d.names(edits), []string{"x_posts", "x_terms", "x_term_taxonomy", "x_blogs"}, "tables that edits write to")
	expect.Equal(t, slices.Contains(d.names(all), "people"), true, "all tables")
}

// The most recently requested come first, those that nobody asked for last, in their order.
func TestAskedLast(t *testing.T) {
	asked := map[string]int64{"a": 1, "c": 3, "d": 3}
	of := []string{"x", "a", "c", "d", "y"}
	expect.List(t, AskedLast(of, func(name string) int64 { return asked[name] }), []string{"c", "d", "a", "x", "y"})
	expect.List(t, of, []string{"x", "a", "c", "d", "y"}, "the slice itself")
}

// A turn can be put off, and not brought forward.
func TestPostpone(t *testing.T) {
	var turns Turns
	turns.postpone("a", time.Now().Add(time.Hour))
	turns.postpone("a", time.Now())
	if wait := turns.Take("a", time.Minute); wait < 59*time.Minute || wait > time.Hour {
		t.Errorf("the next turn is in %s, want an hour", wait)
	}
	if wait := turns.Take("a", time.Minute); wait < time.Hour || wait > 61*time.Minute {
		t.Errorf("the turn after that is in %s, want an hour and a minute", wait)
	}
}
