package writes

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"wpsitemapd/wp/db"
)

// sqlWritten asks for the tables that were written since a time, for any number of sites with one scope. sqlNamedWritten
// asks for tables whose names are known, which costs less. A poll joins several of these statements by UNION ALL. Each row
// begins with the server's clock.
//
// InnoDB keeps UPDATE_TIME in memory only, and forgets the time if a table is not used for long. InnoDB never forgets the
// AUTO_INCREMENT of wp_posts, which every new post, revision or upload raises. The server opens every table whose name matches,
// which takes about 25 microseconds, or more if the table was closed.
const (
	sqlTables = `SELECT UNIX_TIMESTAMP(), MICROSECOND(NOW(6)), TABLE_SCHEMA, TABLE_NAME,
UNIX_TIMESTAMP(UPDATE_TIME), UNIX_TIMESTAMP(CREATE_TIME), AUTO_INCREMENT, ? FROM information_schema.TABLES `
	sqlWritten = sqlTables + `WHERE TABLE_SCHEMA IN (?) AND TABLE_NAME REGEXP ?
AND (UPDATE_TIME >= FROM_UNIXTIME(?) OR CREATE_TIME >= FROM_UNIXTIME(?) OR TABLE_NAME LIKE '%posts')`
	sqlNamedWritten = sqlTables + `WHERE TABLE_SCHEMA IN (?) AND TABLE_NAME IN (?)
AND (UPDATE_TIME >= FROM_UNIXTIME(?) OR CREATE_TIME >= FROM_UNIXTIME(?) OR TABLE_NAME LIKE '%posts')`
	// MariaDB finds a table by its exact name without listing the other tables of the database.
	sqlOneWritten = sqlTables + `WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?`
	// sqlClock asks for the clock alone, if the account sees no table.
	sqlClock = `SELECT UNIX_TIMESTAMP(), MICROSECOND(NOW(6))`
)

// scope says which tables of a database a poll checks.
type scope int

const (
	posts scope = iota // tables of posts, and the table of blogs
	edits              // tables that every edit writes to, and tables declared as watched
	all
	shared // tables that all blogs of a large network share; a large network has no other scope
)

// check names a database for a poll. The poll looks for writes at the time since or later, in seconds of the server's clock.
type check struct {
	database *Database
	since    int64 // 0: it was never checked
	posts    int64 // since for the tables of posts; it is later if scope is all, because every poll checks these tables
	scope    scope
}

// Database is the database of one WordPress network, for polls of its writes. It is safe for concurrent use.
type Database struct {
	DB       *db.DB
	declared *Declared
	base     string                  // prefix of the tables
	users    []string                // the user tables that have their own names, in lower case
	prefix   func(blog int64) string // returns the prefix of the tables of a blog

	// What the last poll saw:
	increments, written atomic.Int64
	stamp               atomic.Pointer[string]
	blogs               blogs // for a network

	watch atomic.Pointer[watch]
}

// New returns a Database for tables with the prefix base. users are the names, in lower case, of
// user tables that do not follow the prefix (CUSTOM_USER_TABLE, CUSTOM_USER_META_TABLE). New does not call prefix.
func New(d *db.DB, declared *Declared, base string, users []string, prefix func(blog int64) string) *Database {
	opened := &Database{DB: d, declared: declared, base: base, users: users, prefix: prefix}
	opened.Watch(0, nil, nil)
	return opened
}

// query runs a statement that names no table except the table of blogs.
func (d *Database) query(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return d.DB.Query(ctx, db.NewTables("wp_blogs", d.base+"blogs"), query, args, scan)
}

// changes is the result of a poll.
type changes struct {
	now     int64         // the server's clock at the time of the query, in whole Unix seconds
	past    time.Duration // the elapsed part of that second; 0 for SQLite
	known   bool          // this poll shows that the server keeps times of change
	changed []change
	unseen  []*Database // databases of which the polling account sees no table
}

// change is what a poll found of one network.
type change struct {
	database   *Database
	edited     bool  // a post, a term or a blog was written, not just what WordPress writes at every visit
	last       int64 // the second of the last write, by the server's clock; the second of the poll if that is unknown
	set        Set
	seen       bool  // the polling account sees tables of the network
	increments int64 // sum of AUTO_INCREMENT of the posts
}

// changes returns which of the networks in of were written. It sees only the tables that the account of d may see.
func (d *Database) changes(ctx context.Context, of []check) (c changes, err error) {
	if d.DB.SQLite {
		c, err = fileChanges(of)
	} else {
		c, err = d.tableChanges(ctx, of)
	}
	if err != nil {
		return changes{}, fmt.Errorf("looking for changes: %w", err)
	}
	ended := time.Now()
	for i, one := range c.changed { // in a later second than the last write
		c.changed[i].set.Settled = ended.Add(time.Duration(one.last+1-c.now) * time.Second)
	}
	return c, nil
}

// tableChanges asks the server which tables were written. One statement serves all networks.
func (d *Database) tableChanges(ctx context.Context, of []check) (c changes, err error) {
	of = slices.Clone(of)
	found, bySchema := map[*Database]*change{}, map[string][]check{}
	for i := range of {
		o := of[i].database
		if o.large() {
			of[i].scope = shared
		}
		found[o] = &change{database: o, seen: of[i].scope == shared}
		schema := strings.ToLower(o.DB.Schema) // some servers store names in lower case
		bySchema[schema] = append(bySchema[schema], of[i])
	}
	statement, args := d.statement(of)
	err = d.DB.QueryRepeated(ctx, db.Tables{}, statement, args, func(rows *sql.Rows) error {
		var now, past, updated, created, increment, of int64
		var schema, table string
		err := rows.Scan(db.Number(&now), db.Number(&past), &schema, &table,
			db.Number(&updated), db.Number(&created), db.Number(&increment), db.Number(&of))
		if err != nil {
			return err
		}
		c.tell(now, past)
		c.known = c.known || updated > 0
		for _, check := range bySchema[strings.ToLower(schema)] {
			if check.scope == scope(of) {
				found[check.database].read(check, strings.ToLower(table), max(updated, created), increment)
			}
		}
		return nil
	})
	if err == nil && c.now == 0 {
		err = d.query(ctx, sqlClock, nil, db.Rows2(c.tell))
	}
	if err != nil {
		return changes{}, err
	}
	for _, check := range of {
		c.conclude(found[check.database])
	}
	for _, check := range of {
		if check.scope != shared {
			continue
		}
		if err := check.database.published(ctx, &c); err != nil {
			return changes{}, err
		}
	}
	return c, nil
}

// tell records the server's clock: Unix seconds, and the microseconds since the start of that second.
func (c *changes) tell(now, past int64) {
	c.now, c.past = now, time.Duration(past)*time.Microsecond
}

// statement returns the statement of a poll with its arguments.
func (d *Database) statement(of []check) (string, []any) {
	var parts []string
	var args []any
	for number := range shared + 1 {
		var named, matched part
		var users []string
		for _, check := range of {
			o := check.database
			switch {
			case check.scope != number:
			case number == shared:
				for _, table := range o.names(shared) {
					parts = append(parts, sqlOneWritten)
					args = append(args, int(number), o.DB.Schema, table)
				}
			case number == posts, len(of) <= mostPrefixes && o.watch.Load().all <= 1:
				named.add(check, o.names(number)...)
			default:
				matched.add(check, o.base)
				if number == all {
					users = append(users, o.users...)
				}
			}
		}
		if named.tables != nil {
			parts = append(parts, sqlNamedWritten)
			args = append(args, int(number), distinct(named.schemas), distinct(named.tables), named.from, named.from)
		}
		if matched.tables != nil {
			parts = append(parts, sqlWritten)
			args = append(args, int(number), distinct(matched.schemas), pattern(matched.tables, d.declared.of(number), users), matched.from, matched.from)
		}
	}
	return strings.Join(parts, " UNION ALL "), args
}

// part is what a poll asks for in one SELECT.
type part struct {
	schemas, tables []string // tables are names or prefixes
	from            int64    // where the earliest check begins
}

func (p *part) add(c check, tables ...string) {
	if p.tables == nil || c.since < p.from {
		p.from = c.since
	}
	p.schemas, p.tables = append(p.schemas, c.database.DB.Schema), append(p.tables, tables...)
}

func distinct(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }

// read adds one row of the statement: a table, its AUTO_INCREMENT, and when it was written or created, in seconds. The name of the table
// is in lower case. read ignores a table of another network.
func (c *change) read(of check, table string, written, increment int64) {
	own, ours := strings.CutPrefix(table, strings.ToLower(c.database.base))
	if !ours && !slices.Contains(c.database.users, table) {
		return
	}
	since := of.since
	if ours && strings.TrimLeft(own, "0123456789_") == "posts" { // every poll returns these rows
		c.seen, c.increments = true, c.increments+increment
		since = of.posts
	}
	if written >= since {
		c.add(table, written)
	}
}

// conclude decides whether a network has changed, after all its rows were read:
//
//   - If a table was written since the time of the check, the network has changed, and its written tables are known.
//   - If no table that edits write to was written, but AUTO_INCREMENT of the posts has changed since the last poll, the network
//     has changed, and any table may have been written.
//   - In all other cases, the network has not changed.
func (c *changes) conclude(is *change) {
	o := is.database
	before := o.increments.Swap(is.increments)
	more := before != is.increments && before != 0
	if !is.seen {
		c.unseen = append(c.unseen, o)
	}
	if more && !is.edited { // the server forgot the time of change
		is.edited, is.set.Tables, is.last = true, nil, c.now
	}
	if more || is.set.Tables != nil {
		is.set.MaybeRepeat = o.written.Swap(is.last) == is.last
		c.changed = append(c.changed, *is)
	}
}

// names returns the names of the tables of a scope. For shared, these are the tables that all blogs share. For posts,
// these are the posts of the watched blogs and, for a network, the table of blogs. The other scopes are those of a single
// site.
func (d *Database) names(of scope) []string {
	if of == posts {
		watch := d.watch.Load()
		names := []string{d.base + "posts"}
		if watch.all > 1 {
			names = append(names, d.base+"blogs")
		}
		for _, blog := range watch.ids {
			names = append(names, d.prefix(blog)+"posts")
		}
		return distinct(names)
	}
	tables := []string{"blogs", "users", "usermeta"}
	if of != shared {
		tables = d.declared.of(of)
	}
	var names []string
	for _, table := range tables {
		names = append(names, d.base+table)
	}
	if of != edits {
		names = append(names, d.users...)
	}
	return names
}

// sqlRights returns patterns for LIKE. They match the databases in which the account has a right to every table. In such a
// database, information_schema shows the account every table and when it was last written. This includes tables that are
// created later.
const sqlRights = `SELECT TABLE_SCHEMA FROM information_schema.SCHEMA_PRIVILEGES WHERE GRANTEE = ? AND PRIVILEGE_TYPE IN ('SELECT', 'REFERENCES')
UNION SELECT '%' FROM information_schema.USER_PRIVILEGES WHERE GRANTEE = ? AND PRIVILEGE_TYPE IN ('SELECT', 'REFERENCES')`

// sees returns a function that reports whether the account may poll a database. The database must be on the same
// server, and the account must have a right to all its tables.
func (d *Database) sees(ctx context.Context) (func(*Database) bool, error) {
	var names []string
	like := strings.NewReplacer(`\\_`, "_", `\\%`, "%", "_", ".", "%", ".*") // QuoteMeta doubles the backslash that escapes
	grantee := db.QuoteAccount(d.DB.Account)
	err := d.query(ctx, sqlRights, []any{grantee, grantee}, db.Rows1(func(name string) {
		names = append(names, like.Replace(regexp.QuoteMeta(name)))
	}))
	if err != nil {
		return nil, fmt.Errorf("looking for rights: %w", err)
	}
	schemas, err := regexp.Compile(`^(` + strings.Join(names, "|") + `)$`)
	return func(of *Database) bool { return of.DB.Instance == d.DB.Instance && schemas.MatchString(of.DB.Schema) }, err
}

// pattern returns a pattern that matches the names of tables with one of the prefixes, and the user tables with their
// own names.
func pattern(prefixes, tables, users []string) string {
	names := beginning(prefixes) + `(` + strings.Join(tables, "|") + `)$`
	if len(users) > 0 {
		names += `|^(` + alternatives(users) + `)$`
	}
	return names
}

// mostPrefixes limits the prefixes in a pattern, and the databases of which a poll names all tables. A pattern of hundreds
// of prefixes is slower than opening all tables, and thousands of names are a long statement.
const mostPrefixes = 50

// beginning returns the start of a pattern for tables with one of the prefixes. The prefix of a blog is followed by a
// number. If there are too many prefixes, beginning returns "", which matches any prefix.
func beginning(prefixes []string) string {
	few := alternatives(prefixes)
	if strings.Count(few, "|") >= mostPrefixes {
		return ""
	}
	return `^(` + few + `)([0-9]+_)?`
}

// alternatives returns a pattern that matches any of the names.
func alternatives(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, regexp.QuoteMeta(name))
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "|")
}

// fileChanges checks the files of SQLite databases: the database and its log.
func fileChanges(of []check) (changes, error) {
	c := changes{now: time.Now().Unix(), known: true}
	for _, check := range of {
		o, stamp := check.database, ""
		for _, path := range []string{o.DB.Server, o.DB.Server + "-wal"} {
			info, err := os.Stat(path)
			if err != nil {
				if path == o.DB.Server {
					return changes{}, err
				}
				continue
			}
			stamp += fmt.Sprintln(info.Size(), info.ModTime().UnixNano())
			// File systems count time in steps of some milliseconds. Another write within the same step would not
			// show.
			if time.Since(info.ModTime()) < 20*time.Millisecond {
				stamp += "young"
			}
		}
		if before := o.stamp.Swap(&stamp); before == nil && check.since > 0 || before != nil && *before != stamp {
			c.changed = append(c.changed, change{database: o, edited: true, last: c.now - 1}) // all later writes will show
		}
	}
	return c, nil
}
