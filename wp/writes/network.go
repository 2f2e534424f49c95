package writes

import (
	"context"
	"slices"
	"strings"
	"time"

	"wpsitemapd/wp/db"
)

// A poll has the server open every table that it checks, and a server with more tables than it keeps open, 400 by default, has
// soon forgotten when one was written. So of a large network a poll asks the table of blogs, where WordPress notes when one
// published something, and checks the tables that all blogs share by their exact names, which lists no others. Whatever else is
// written to a blog shows where it is read again, see package refresh.
const (
	largeNetwork = 100 // blogs; of fewer, all tables are checked each time
	updatedSlack = 2 * time.Minute

	// Of ten thousand blogs that is a few milliseconds: the table is small, and has no index for it.
	sqlUpdated = `SELECT blog_id, CAST(last_updated AS CHAR) FROM wp_blogs WHERE last_updated >= ? LIMIT 10000`
)

// watch is which blogs of a network are watched. It is never changed.
type watch struct {
	all   int     // number of blogs
	ids   []int64 // that are watched, in order
	asked func() int64
}

// blogs is what polls have seen of the table of blogs. Polls alone use it.
type blogs struct {
	looked    int64            // the server's clock when it was asked last
	published map[int64]string // when blogs were last updated, as it said
}

// Watch notes how many blogs there are, and which of them writes are to be reported of, in the order of their ids. asked tells
// when visitors asked for one last, 0 for never.
func (d *Database) Watch(all int, blogs []int64, asked func() int64) {
	d.watch.Store(&watch{all, blogs, asked})
}

// WatchToo has the writes to one more blog reported. A blog that is about to be read is watched from then on, or what is published
// meanwhile would be missed.
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

// Asked returns when visitors asked for one of the blogs last, 0 for never.
func (d *Database) Asked() int64 {
	if asked := d.watch.Load().asked; asked != nil {
		return asked()
	}
	return 0
}

// Large reports whether it is a network of so many blogs that a poll does not check all their tables.
func (d *Database) Large() bool { return d.watch.Load().all > largeNetwork }

// published adds the blogs that were updated since this was last asked, by the table of blogs. A server forgets when tables
// were written that it has closed to open others, so this alone has to show a publish.
func (d *Database) published(ctx context.Context, c *Changes) error {
	r := &d.blogs
	before, looked := r.published, r.looked
	watched := d.watch.Load().ids
	if looked == 0 {
		looked = c.Now
	}
	format := func(t time.Time) string { return t.UTC().Format(time.DateTime) }
	after, second := format(time.Unix(min(looked, c.Now), 0).Add(-updatedSlack)), format(time.Unix(c.Now-1, 0))
	all := map[int64]string{}
	change := Change{Database: d, MaybeRepeat: true, Tables: []string{}, Last: c.Now} // none, which nil does not say
	err := d.query(ctx, sqlUpdated, []any{after}, db.Rows2(func(id int64, updated string) {
		all[id] = updated
		if updated == before[id] && updated < second { // later there may be another write
			return
		}
		change.MaybeRepeat = change.MaybeRepeat && updated == before[id]
		if _, found := slices.BinarySearch(watched, id); found {
			change.add(strings.ToLower(d.prefix(id)+"posts"), c.Now)
		} else {
			change.Blogs = append(change.Blogs, id)
		}
	}))
	if err != nil {
		return err
	}
	r.looked, r.published = c.Now, all
	if len(change.Tables)+len(change.Blogs) > 0 {
		c.Changed = append(c.Changed, change)
	}
	return nil
}

// add notes a table that was written then.
func (c *Change) add(table string, written int64) {
	if !slices.Contains(c.Tables, table) {
		c.Tables = append(c.Tables, table)
	}
	c.Last = max(c.Last, written)
	c.Edited = c.Edited || c.Database.declared.edited.MatchString(table)
}
