package writes

import (
	"context"
	"slices"
	"strings"
	"time"

	"wpsitemapd/wp/db"
)

// A poll makes the server open every table that it checks. A server keeps only some tables open, 400 by default. If it
// has more, it soon forgets when a table was written.
//
// So for a large network, a poll reads the table of blogs, where WordPress records when a blog has published
// something. It also checks the tables that all blogs share, by their exact names, so that the server lists no other
// tables. All other writes to a blog show when the blog is read again, see package refresh.
const (
	largeNetwork = 100 // number of blogs; for a smaller network, every poll checks all tables
	updatedSlack = 2 * time.Minute

	// For ten thousand blogs, this takes a few milliseconds: the table is small, but has no index on last_updated.
	sqlUpdated = `SELECT blog_id, CAST(last_updated AS CHAR) FROM wp_blogs WHERE last_updated >= ? LIMIT 10000`
)

// watch says which blogs of a network are watched. It is never changed.
type watch struct {
	all   int     // number of blogs
	ids   []int64 // watched blogs, in ascending order
	asked func() int64
}

// blogs holds what the last query for the table of blogs has returned. Only polls use it.
type blogs struct {
	looked    int64            // the server's clock at the last query
	published map[int64]string // when blogs were last updated, by that query
}

// Watch sets how many blogs there are, and the blogs whose writes are reported, in ascending order. asked returns when
// visitors last requested one of them, or 0.
func (d *Database) Watch(all int, blogs []int64, asked func() int64) {
	d.watch.Store(&watch{all, blogs, asked})
}

// WatchToo adds one blog to the blogs whose writes are reported. It must be called before the blog is read, or a write
// during the reading would be missed.
func (d *Database) WatchToo(blog int64) {
	for {
		before := d.watch.Load()
		more := *before
		i, found := slices.BinarySearch(before.ids, blog)
		if more.ids = slices.Insert(slices.Clone(before.ids), i, blog); found || d.watch.CompareAndSwap(before, &more) {
			return
		}
	}
}

// asked returns when visitors last requested one of the blogs, or 0.
func (d *Database) asked() int64 {
	if asked := d.watch.Load().asked; asked != nil {
		return asked()
	}
	return 0
}

// large reports whether the network has so many blogs that a poll does not check all their tables.
func (d *Database) large() bool { return d.watch.Load().all > largeNetwork }

// published adds to c the blogs that have published something since its last call. It reads only the table of blogs,
// because a server forgets the times of change of tables that it has closed.
func (d *Database) published(ctx context.Context, c *changes) error {
	r := &d.blogs
	before, looked := r.published, r.looked
	watched := d.watch.Load().ids
	if looked == 0 {
		looked = c.now
	}
	format := func(t time.Time) string { return t.UTC().Format(time.DateTime) }
	after, second := format(time.Unix(min(looked, c.now), 0).Add(-updatedSlack)), format(time.Unix(c.now-1, 0))
	all := map[int64]string{}
	// Tables is empty, because nil means that the tables are not known
	change := change{database: d, last: c.now, set: Set{MaybeRepeat: true, Tables: map[string]bool{}}}
	set := &change.set
	err := d.query(ctx, sqlUpdated, []any{after}, db.Rows2(func(id int64, updated string) {
		all[id] = updated
		if updated == before[id] && updated < second { // within the same second there may be another write
			return
		}
		set.MaybeRepeat = set.MaybeRepeat && updated == before[id]
		if _, found := slices.BinarySearch(watched, id); found {
			change.add(strings.ToLower(d.prefix(id)+"posts"), c.now)
		} else {
			set.Blogs = append(set.Blogs, id)
		}
	}))
	if err != nil {
		return err
	}
	r.looked, r.published = c.now, all
	if len(set.Tables)+len(set.Blogs) > 0 {
		c.changed = append(c.changed, change)
	}
	return nil
}

// add records a write to a table. written is the time of the write in Unix seconds of the server's clock.
func (c *change) add(table string, written int64) {
	if c.set.Tables == nil {
		c.set.Tables = map[string]bool{}
	}
	c.set.Tables[table] = true
	c.last = max(c.last, written)
	c.edited = c.edited || c.database.declared.isEdited(table)
}
