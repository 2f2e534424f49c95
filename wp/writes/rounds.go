package writes

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"wpsitemapd/wp/db"
)

// A poll has the server open every table that it checks, and list all tables there are. For a network of thousands of
// blogs that takes seconds. So for a large network a poll asks the table of blogs, where WordPress notes when one
// published something, and checks by their exact names, which lists nothing, the tables of those of the watched blogs
// and of others of them in turn. How many that are follows what the last check took: a table that the server has
// closed costs it a millisecond. Busy blogs come often and quiet ones rarely: of those that visitors have asked for last as many are
// busy as come within busyPolls. The table of blogs is asked in between, too, see Published.
const (
	largeNetwork = 100 // blogs; of fewer, all are checked each time
	roundBlogs   = 25  // at most of each kind: the busy ones, those whose turn it is, and those that have published something
	leastBlogs   = 4
	busyPolls    = 15
	busyBlogs    = 200 // at most: the tables of so many stay among the 2,000 that a server keeps open
	quietShare   = 8   // with so many busy blogs comes one quiet one, and more in the places that busy ones leave
	roundTime    = 20 * time.Millisecond
	updatedSlack = 2 * time.Minute

	sqlClock = `SELECT UNIX_TIMESTAMP(), MICROSECOND(NOW(6))`
	// Of ten thousand blogs that is a few milliseconds: the table is small, and has no index for it.
	sqlUpdated = `SELECT blog_id, CAST(last_updated AS CHAR) FROM wp_blogs WHERE last_updated >= ? LIMIT 10000`
	sqlTable   = `SELECT COALESCE(UNIX_TIMESTAMP(UPDATE_TIME), 0), TABLE_NAME, COALESCE(UNIX_TIMESTAMP(CREATE_TIME), 0),
COALESCE(AUTO_INCREMENT, 0) FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?`
)

// rounds remembers the tables of a large network between polls, which alone use all but the first fields.
type rounds struct {
	mu    sync.Mutex
	all   int     // number of blogs
	blogs []int64 // that are watched, in the order of their ids; another slice takes its place
	asked func(blog int64) int64

	busy   Busy[int64]
	next   int // of blogs, whose turn it is
	size   int // busy blogs that are checked in turn
	tables map[string]tableTimes
	since  int64 // the server's clock at the first poll

	looked    int64            // the server's clock when the table of blogs was asked last
	published map[int64]string // when blogs were last updated, as it said
}

// tableTimes is what the last check of a table saw.
type tableTimes struct{ updated, created, increment int64 }

// Watch notes how many blogs there are, and which of them writes are to be reported of, in the order of their ids. asked tells
// when visitors asked for one last, 0 for never; nil: they never did.
func (d *Database) Watch(all int, blogs []int64, asked func(blog int64) int64) {
	d.rounds.mu.Lock()
	defer d.rounds.mu.Unlock()
	d.rounds.all, d.rounds.blogs, d.rounds.asked = all, blogs, asked
}

// WatchToo has the writes to one more blog reported. A blog that is about to be read is watched from then on, or what is published
// meanwhile would be missed.
func (d *Database) WatchToo(blog int64) {
	r := &d.rounds
	r.mu.Lock()
	defer r.mu.Unlock()
	if i, found := slices.BinarySearch(r.blogs, blog); !found {
		r.blogs = slices.Insert(slices.Clone(r.blogs), i, blog)
	}
}

// watched returns the blogs that are watched, and what tells when visitors asked for one last.
func (r *rounds) watched() (blogs []int64, asked func(blog int64) int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked == nil {
		return r.blogs, func(int64) int64 { return 0 }
	}
	return r.blogs, r.asked
}

// Asked returns when visitors asked for a watched blog last, 0 for never.
func (d *Database) Asked() (last int64) {
	blogs, asked := d.rounds.watched()
	for _, id := range blogs {
		last = max(last, asked(id))
	}
	return last
}

// Busy holds those that visitors have asked for last, in the order of their turns.
type Busy[T comparable] []T

// Turn returns the next size ones; most of all are busy. Who comes later has his turn later, however the order of the others changes.
func (b *Busy[T]) Turn(all []T, asked func(T) int64, size, most int) []T {
	last := AskedLast(all, asked)
	last = last[:min(len(last), most)]
	busy := slices.DeleteFunc(*b, func(of T) bool { return !slices.Contains(last, of) })
	for _, of := range last {
		if asked(of) != 0 && !slices.Contains(busy, of) {
			busy = append(busy, of)
		}
	}
	turn := slices.Clone(busy[:min(size, len(busy))])
	*b = append(busy[len(turn):], turn...)
	return turn
}

// AskedLast returns some in another order: those first that were asked for last.
func AskedLast[T comparable](of []T, asked func(T) int64) []T {
	at := make(map[T]int64, len(of)) // which visitors change meanwhile
	for _, o := range of {
		at[o] = asked(o)
	}
	return slices.SortedStableFunc(slices.Values(of), func(a, b T) int { return cmp.Compare(at[b], at[a]) })
}

// Large reports whether it is a network of so many blogs that a poll does not check all their tables.
func (d *Database) Large() bool {
	d.rounds.mu.Lock()
	defer d.rounds.mu.Unlock()
	return d.rounds.all > largeNetwork
}

// turn returns the blogs whose turn it is, busy and quiet ones, and those of the watched that have published something last.
func (r *rounds) turn() (turn []int64) {
	r.size = max(leastBlogs, r.size)
	watched, asked := r.watched()
	turn = r.busy.Turn(watched, asked, r.size, min(busyBlogs, busyPolls*r.size))
	for range min(max(1, r.size/quietShare, r.size-len(turn)), len(watched)) {
		r.next = (r.next + 1) % len(watched)
		turn = append(turn, watched[r.next])
	}
	for _, id := range latest(r.published, r.size) {
		if _, found := slices.BinarySearch(watched, id); found {
			turn = append(turn, id)
		}
	}
	return turn
}

// took has the next turn have more blogs or fewer, by what this one took.
func (r *rounds) took(took time.Duration) {
	if took < roundTime {
		r.size = min(roundBlogs, r.size+1)
	} else if took > 2*roundTime {
		r.size /= 2
	}
}

// splitLarge takes large networks out.
func splitLarge(of []*Database) (rest, large []*Database) {
	for _, o := range of {
		if o.Large() {
			large = append(large, o)
		} else {
			rest = append(rest, o)
		}
	}
	return rest, large
}

// largeChanges adds what a poll of large networks has found.
func (d *Database) largeChanges(ctx context.Context, c Changes, large []*Database) (Changes, error) {
	if len(large) == 0 {
		return c, nil
	}
	told, err := Published(ctx, large)
	if err != nil {
		return Changes{}, err
	}
	if c.Now == 0 {
		c.Now, c.Past = told.Now, told.Past
	}
	c.Changed = append(c.Changed, told.Changed...)
	for _, o := range large {
		if err := o.round(ctx, &c); err != nil {
			return Changes{}, fmt.Errorf("looking for changes: %w", err)
		}
	}
	return c, nil
}

// Published returns in which of some large networks blogs have published something since this was last asked.
func Published(ctx context.Context, large []*Database) (Changes, error) {
	var c Changes
	for _, d := range large {
		if err := d.published(ctx, &c); err != nil {
			return Changes{}, fmt.Errorf("looking for changes: %w", err)
		}
	}
	return c, nil
}

// round checks the tables of some blogs.
func (d *Database) round(ctx context.Context, c *Changes) error {
	r := &d.rounds
	ids := r.turn()
	names := []string{d.base + "blogs", d.base + "users", d.base + "usermeta"}
	names = append(names, d.users...)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		prefix := d.prefix(id)
		for _, table := range d.declared.blogTables {
			names = append(names, prefix+table)
		}
	}
	var args []any
	for _, name := range names {
		args = append(args, d.Schema, name)
	}
	statement := strings.TrimSuffix(strings.Repeat(sqlTable+" UNION ALL ", len(names)), " UNION ALL ")
	change := Change{Database: d}
	if r.tables == nil {
		r.tables, r.since = map[string]tableTimes{}, c.Now
	}
	began := time.Now()
	err := d.query(ctx, statement, args, db.Rows4(func(updated int64, name string, created, increment int64) {
		t := tableTimes{updated, created, increment}
		c.Known = c.Known || t.updated > 0
		name = strings.ToLower(name)
		before, known := r.tables[name]
		if t.updated == 0 { // the server has forgotten it
			t.updated = before.updated
		}
		r.tables[name] = t
		// A time of change is a whole second, in which there may be another write.
		if known && t != before || t.updated >= r.since && (!known || t.updated >= c.Now-1) {
			change.add(name, max(t.updated, t.created))
		}
	}))
	if err != nil {
		return err
	}
	r.took(time.Since(began))
	if change.Tables != nil {
		change.MaybeRepeat = d.written.Swap(change.Last) == change.Last
		c.Changed = append(c.Changed, change)
	}
	return nil
}

// published adds the blogs that were updated since this was last asked, by the table of blogs. A server forgets when tables
// were written that it has closed to open others, so this alone has to show a publish.
func (d *Database) published(ctx context.Context, c *Changes) error {
	if c.Now == 0 {
		err := d.query(ctx, sqlClock, nil, db.Rows2(func(now, micro int64) {
			c.Now, c.Past = now, time.Duration(micro)*time.Microsecond
		}))
		if err != nil {
			return err
		}
	}
	r := &d.rounds
	before, looked := r.published, r.looked
	watched, _ := r.watched()
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

// latest returns so many blogs that have published last.
func latest(published map[int64]string, most int) []int64 {
	ids := slices.Collect(maps.Keys(published))
	slices.SortFunc(ids, func(a, b int64) int { return strings.Compare(published[b], published[a]) })
	return ids[:min(len(ids), most)]
}

// add notes a table that was written then.
func (c *Change) add(table string, written int64) {
	if !slices.Contains(c.Tables, table) {
		c.Tables = append(c.Tables, table)
	}
	c.Last = max(c.Last, written)
	c.Edited = c.Edited || c.declared.edited.MatchString(table)
}
