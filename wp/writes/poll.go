package writes

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"wpsitemapd/wp/db"
)

// sqlChanges asks for the tables that were written since a time, for any number of sites. The first row is the
// server's clock. One part is added for each scope.
//
// InnoDB keeps UPDATE_TIME in memory and forgets it when a table has not been used for long. AUTO_INCREMENT of the
// posts stays, and every new post, revision or upload raises it. The server opens every table whose name matches,
// which takes about 50 microseconds, or more if the table was closed.
const (
	sqlChanges = `SELECT UNIX_TIMESTAMP(), '', '', 0, MICROSECOND(NOW(6)), 0`
	sqlWritten = ` UNION ALL SELECT COALESCE(UNIX_TIMESTAMP(UPDATE_TIME), 0), TABLE_SCHEMA, TABLE_NAME,
COALESCE(UNIX_TIMESTAMP(CREATE_TIME), 0), COALESCE(AUTO_INCREMENT, 0), ?
FROM information_schema.TABLES
WHERE TABLE_SCHEMA IN (?) AND TABLE_NAME REGEXP ?
AND (UPDATE_TIME >= FROM_UNIXTIME(?) OR CREATE_TIME >= FROM_UNIXTIME(?) OR TABLE_NAME LIKE '%posts')`
	// MariaDB finds a table by its exact name without listing the others of its database.
	sqlOneWritten = ` UNION ALL SELECT COALESCE(UNIX_TIMESTAMP(UPDATE_TIME), 0), TABLE_SCHEMA, TABLE_NAME,
COALESCE(UNIX_TIMESTAMP(CREATE_TIME), 0), COALESCE(AUTO_INCREMENT, 0), ?
FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?`
)

// Scope says which tables of a database a poll checks.
type Scope int

const (
	Posts Scope = iota
	Edits       // tables that every edit writes to, and tables declared as watched
	All
	shared // tables that all blogs of a large network share; replaces any other scope
)

// Check names a database that a poll checks for writes in or after a second of the server's clock.
type Check struct {
	Database *Database
	Since    int64 // 0: it was never checked
	Scope    Scope
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

// New returns a Database for tables with the prefix base. users are the user tables that have their own names, in
// lower case. New does not call prefix.
func New(d *db.DB, declared *Declared, base string, users []string, prefix func(blog int64) string) *Database {
	opened := &Database{DB: d, declared: declared, base: base, users: users, prefix: prefix}
	opened.Watch(0, nil, nil)
	return opened
}

// query runs a statement that names no table except the table of blogs.
func (d *Database) query(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return d.DB.Query(ctx, db.NewTables("wp_blogs", d.base+"blogs"), query, args, scan)
}

// Changes is the result of a poll.
type Changes struct {
	Now     int64         // the server's clock at the time of the query, in whole Unix seconds
	Past    time.Duration // the elapsed part of that second; 0 for SQLite
	Known   bool          // this poll shows that the server keeps times of change
	Changed []Change
	Unseen  []*Database // databases of which the polling account sees no table
}

// Change describes the writes to one network.
type Change struct {
	Database    *Database
	Edited      bool     // a post, a term or a blog was written, not just what WordPress writes at every visit
	Tables      []string // full names in lower case; nil: not known
	Blogs       []int64  // blogs of a large network that are not watched and have published something
	Last        int64    // the second of the last write, by the server's clock; if not known, the second of the poll
	MaybeRepeat bool     // no write since the last poll is known, but there may be one in the same second
}

// Changes returns which of some networks were written, as far as the account of this database sees it.
func (d *Database) Changes(ctx context.Context, of []Check) (Changes, error) {
	if d.DB.SQLite {
		return d.fileChanges(of)
	}
	var c Changes
	var large []*Database
	of = slices.Clone(of)
	for i, check := range of {
		if check.Database.Large() {
			of[i].Scope, large = shared, append(large, check.Database)
		}
	}
	all := map[*Database]*found{}
	bySchema := map[string][]Check{}
	var statement strings.Builder // of hundreds of tables
	statement.WriteString(sqlChanges)
	var args []any
	for scope, tables := range []string{"blogs|posts", d.declared.watched, strings.Join(d.declared.names, "|"), ""} {
		var prefixes, schemas, users []string
		from := int64(math.MaxInt64)
		for _, check := range of {
			if check.Scope != Scope(scope) {
				continue
			}
			o := check.Database
			all[o] = &found{change: Change{Database: o}, seen: check.Scope == shared}
			schema := strings.ToLower(o.DB.Schema) // some servers store names in lower case
			bySchema[schema] = append(bySchema[schema], check)
			if check.Scope == shared || d.DB.MariaDB && check.Scope == Posts {
				for _, table := range o.exactly(check.Scope) {
					statement.WriteString(sqlOneWritten)
					args = append(args, scope, o.DB.Schema, table)
				}
				continue
			}
			prefixes, schemas, from = append(prefixes, o.base), append(schemas, schema), min(from, check.Since)
			if check.Scope == All {
				users = append(users, o.users...)
			}
		}
		if len(prefixes) == 0 {
			continue
		}
		slices.Sort(schemas)
		statement.WriteString(sqlWritten)
		args = append(args, scope, slices.Compact(schemas), pattern(prefixes, tables, users), from, from)
	}
	first := true
	err := d.query(ctx, statement.String(), args, func(rows *sql.Rows) error {
		var updated, created, increment, scope int64
		var schema, table string
		if err := rows.Scan(db.Number(&updated), &schema, &table, db.Number(&created), db.Number(&increment), db.Number(&scope)); err != nil {
			return err
		}
		if first {
			c.Now, c.Past, first = updated, time.Duration(increment)*time.Microsecond, false
			return nil
		}
		c.Known = c.Known || updated > 0
		table = strings.ToLower(table)
		for _, check := range bySchema[strings.ToLower(schema)] {
			o := check.Database
			own, ours := strings.CutPrefix(table, strings.ToLower(o.base))
			if check.Scope != Scope(scope) || !ours && !slices.Contains(o.users, table) {
				continue
			}
			is := all[o]
			if ours && strings.TrimLeft(own, "0123456789_") == "posts" { // every poll returns these rows
				is.seen, is.increments = true, is.increments+increment
			}
			if updated >= check.Since || created >= check.Since {
				is.change.add(table, max(updated, created))
			}
		}
		return nil
	})
	if err != nil {
		return Changes{}, fmt.Errorf("looking for changes: %w", err)
	}
	for _, check := range of {
		o := check.Database
		is := all[o]
		before := o.increments.Swap(is.increments)
		more := before != is.increments && before != 0
		if !is.seen {
			c.Unseen = append(c.Unseen, o)
		}
		if more && !is.change.Edited { // the server forgot the time of change
			is.change.Edited, is.change.Tables, is.change.Last = true, nil, c.Now
		}
		if more || is.change.Tables != nil {
			is.change.MaybeRepeat = o.written.Swap(is.change.Last) == is.change.Last
			c.Changed = append(c.Changed, is.change)
		}
	}
	for _, d := range large {
		if err := d.published(ctx, &c); err != nil {
			return Changes{}, fmt.Errorf("looking for changes: %w", err)
		}
	}
	return c, nil
}

// found holds what a poll found of a database: its change, whether the account sees tables, and the sum of
// AUTO_INCREMENT of the posts.
type found struct {
	change     Change
	seen       bool
	increments int64
}

// exactly returns the names of the tables of a scope. For shared, these are the tables that all blogs share. For
// Posts, these are the posts of the watched blogs and, for a network, the table of blogs.
func (d *Database) exactly(scope Scope) []string {
	if scope == shared {
		return append([]string{d.base + "blogs", d.base + "users", d.base + "usermeta"}, d.users...)
	}
	watch := d.watch.Load()
	names := []string{d.base + "posts"}
	if watch.all > 1 {
		names = append(names, d.base+"blogs")
	}
	for _, blog := range watch.ids {
		names = append(names, d.prefix(blog)+"posts")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// sqlRights lists, as patterns for LIKE, the databases to whose every table an account has a right. The account then
// sees all tables there, including later ones, and when they are written.
const sqlRights = `SELECT TABLE_SCHEMA FROM information_schema.SCHEMA_PRIVILEGES WHERE GRANTEE = ? AND PRIVILEGE_TYPE IN ('SELECT', 'REFERENCES')
UNION SELECT '%' FROM information_schema.USER_PRIVILEGES WHERE GRANTEE = ? AND PRIVILEGE_TYPE IN ('SELECT', 'REFERENCES')`

// Sees returns a function that reports whether the account may poll a database. The database must be on the same
// server, and the account must have a right to all its tables.
func (d *Database) Sees(ctx context.Context) (func(*Database) bool, error) {
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
func pattern(prefixes []string, tables string, users []string) string {
	names := beginning(prefixes) + `(` + tables + `)$`
	if len(users) > 0 {
		names += `|^(` + alternatives(users) + `)$`
	}
	return names
}

// mostPrefixes limits the prefixes in a pattern. A pattern of hundreds of prefixes is slower than opening all tables.
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
func (d *Database) fileChanges(of []Check) (Changes, error) {
	c := Changes{Now: time.Now().Unix(), Known: true}
	for _, check := range of {
		o, stamp := check.Database, ""
		for _, path := range []string{o.DB.Server, o.DB.Server + "-wal"} {
			info, err := os.Stat(path)
			if err != nil {
				if path == o.DB.Server {
					return Changes{}, fmt.Errorf("looking for changes: %w", err)
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
		if before := o.stamp.Swap(&stamp); before == nil && check.Since > 0 || before != nil && *before != stamp {
			c.Changed = append(c.Changed, Change{Database: o, Edited: true, Last: c.Now - 1}) // all later writes will show
		}
	}
	return c, nil
}
