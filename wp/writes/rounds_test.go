package writes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"wpsitemapd/wp/wptest"
)

// Of a large network a look finds what WordPress notes at once, and everything else in turn.
func TestRoundsOfALargeNetwork(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic", "network")
	n := open(t, dsn)
	blogs := []int64{1, 2, 3}
	for id := int64(1000); len(blogs) <= largeNetwork; id++ { // without tables, which a look does not mind
		blogs = append(blogs, id)
	}
	n.Watch(len(blogs), blogs, nil)
	look := func() []string {
		t.Helper()
		c, err := n.Changes(t.Context(), 0, []*Database{n}, nil)
		wptest.Must(t, err)
		var tables []string
		for _, change := range c.Changed {
			tables = append(tables, change.Tables...)
		}
		return tables
	}
	seen := func(name string, looks int) error {
		for range looks {
			if slices.Contains(look(), name) {
				return nil
			}
		}
		return fmt.Errorf("a write to %s is not seen in %d looks", name, looks)
	}
	round := len(blogs) + 2 // at worst one by one
	for range round {
		look()
	}
	time.Sleep(2100 * time.Millisecond) // what was seen then is over
	for range round {
		look()
	}
	if tables := look(); len(tables) > 0 {
		t.Errorf("without a write: %v", tables)
	}
	wptest.Exec(t, dsn, "UPDATE wp_2_posts SET post_title = 'another'")
	if err := seen("wp_2_posts", round); err != nil {
		t.Error(err)
	}
	for n.rounds.next > 3 && n.rounds.next < len(blogs)-roundBlogs || n.rounds.next == len(blogs)-1 { // its turn has just been
		n.rounds.turn()
	}
	wptest.Exec(t, dsn, "UPDATE wp_3_posts SET post_title = 'another'", "UPDATE wp_blogs SET last_updated = UTC_TIMESTAMP() WHERE blog_id = 3")
	if err := seen("wp_3_posts", 1); err != nil {
		t.Error(err)
	}

	// The server has closed the tables of a blog for others and forgotten when they were written; the last look was long ago.
	n.rounds.looked -= 600
	wptest.Exec(t, dsn, "UPDATE wp_blogs SET last_updated = UTC_TIMESTAMP() - INTERVAL 300 SECOND WHERE blog_id = 2")
	if err := seen("wp_2_posts", 1); err != nil {
		t.Error(err)
	}
	time.Sleep(2100 * time.Millisecond)
	look()
	if tables := look(); slices.Contains(tables, "wp_2_posts") {
		t.Errorf("told again: %v", tables)
	}

	// The turn of a blog that visitors ask for comes each time.
	n.Watch(len(blogs), blogs, func(blog int64) int64 {
		if blog == 2 {
			return 1
		}
		return 0
	})
	look()
	n.rounds.next = 10
	wptest.Exec(t, dsn, "UPDATE wp_2_terms SET name = 'another'")
	if err := seen("wp_2_terms", 1); err != nil {
		t.Error(err)
	}

	// A blog is watched before it is read, so that what it publishes meanwhile is a write.
	n.Watch(len(blogs), blogs[2:], nil)
	n.WatchToo(2)
	wptest.Exec(t, dsn, "UPDATE wp_blogs SET last_updated = UTC_TIMESTAMP() WHERE blog_id IN (1, 2)")
	switch c, err := Published(t.Context(), []*Database{n}); {
	case err != nil:
		t.Error(err)
	case len(c.Changed) != 1, !slices.Equal(c.Changed[0].Blogs, []int64{1}), !slices.Contains(c.Changed[0].Tables, "wp_2_posts"):
		t.Errorf("published while it is read: %+v", c.Changed)
	}
}

// Every blog that visitors ask for has its turn within busyPolls, in whatever order they do, and quiet ones have theirs, too.
func TestTurnsOfBusyBlogs(t *testing.T) {
	for _, size := range []int{leastBlogs, 5, 14, roundBlogs} {
		watched, random := make([]int64, 500), rand.New(rand.NewPCG(1, 1))
		for i := range watched {
			watched[i] = int64(i)
		}
		steady := []int64{7, 300, 499}
		r := rounds{blogs: watched, size: size, asked: func(blog int64) int64 {
			if slices.Contains(steady, blog) {
				return 1000 + random.Int64N(1000)
			}
			return 1 + random.Int64N(1000) // a crawler asks for all others
		}}
		last, seen := map[int64]int{}, map[int64]bool{}
		for poll := range 600 {
			turn := r.turn()
			if n := len(turn); n > 2*size {
				t.Fatalf("size %d: %d blogs in a turn", size, n)
			}
			for _, id := range turn {
				seen[id] = true
			}
			for _, id := range steady {
				if slices.Contains(turn, id) {
					last[id] = poll
				} else if waited := poll - last[id]; waited >= busyPolls {
					t.Fatalf("size %d: blog %d waits for %d polls", size, id, waited)
				}
			}
		}
		if len(seen) != len(watched) {
			t.Errorf("size %d: %d blogs never have a turn", size, len(watched)-len(seen))
		}
	}
}
