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

// sqlChanges asks which tables were written since a time, for any number of sites at once.
// InnoDB keeps UPDATE_TIME in memory and forgets it with a table that has not been used for
// long; AUTO_INCREMENT of the posts, which a new post, revision or upload raises, outlives
// that. The server opens every table whose name passes, about 50 microseconds each, more where it has closed it, and
// skips the others. The first row is the server's clock; one part is for the databases that are checked closely.
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

// Scope is which tables of a database a poll checks.
type Scope int

// The scopes.
const (
	Posts Scope = iota
	Edits       // those that every edit is written to, and those that are declared as watched
	All
	shared // those that all blogs of a large network share, whatever scope was asked for
)

// Check is a database that a poll checks for what was written in or after a second, by the server's clock.
type Check struct {
	Database *Database
	Since    int64 // 0: it was not checked before
	Scope    Scope
}

// Database is the database of one network of WordPress as far as it is written. It is safe for concurrent use.
type Database struct {
	DB       *db.DB
	declared *Declared
	base     string                  // prefix of the tables
	users    []string                // the tables of users where they have names of their own, in lower case
	prefix   func(blog int64) string // of the tables of a blog

	// What the last poll saw.
	increments, written atomic.Int64
	stamp               atomic.Pointer[string]
	blogs               blogs // of a network

	watch atomic.Pointer[watch]
}

// New returns a database whose tables have the prefix base. users are its tables of users where they have names of their
// own, in lower case. prefix is not called before something is asked.
func New(d *db.DB, declared *Declared, base string, users []string, prefix func(blog int64) string) *Database {
	opened := &Database{DB: d, declared: declared, base: base, users: users, prefix: prefix}
	opened.Watch(0, nil, nil)
	return opened
}

// query runs a statement that names none of the tables but that of the blogs.
func (d *Database) query(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return d.DB.Query(ctx, db.NewTables("wp_blogs", d.base+"blogs"), query, args, scan)
}

// Changes is what a poll of the times of change found.
type Changes struct {
	Now     int64         // the server's clock at the time of the query, in whole Unix seconds
	Past    time.Duration // the elapsed part of that second; 0 for SQLite
	Known   bool          // the server keeps times of change, as far as this poll shows
	Changed []Change
	Unseen  []*Database // of which the account that asks sees no table
}

// Change is a network that was written.
type Change struct {
	Database    *Database
	Edited      bool     // a post, a term or a blog was written; not just what WordPress writes at every visit
	Tables      []string // in full and in lower case; nil: it is not known which
	Blogs       []int64  // further blogs of a large network that have published something
	Last        int64    // the second of the last write, by the server's clock; where that is not known, the poll's second
	MaybeRepeat bool     // no write since the last poll is known, but there may be one in the same second
}

// Changes returns which of some networks were written, as the account of this one sees it.
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
			schema := strings.ToLower(o.DB.Schema) // some servers do so themselves
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
			if ours && strings.TrimLeft(own, "0123456789_") == "posts" { // these come with every poll
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
		if more && !is.change.Edited { // the server forgot its time of change
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

// found is what a poll found of a database: its change, whether its account sees tables, and the sum of AUTO_INCREMENT of its posts.
type found struct {
	change     Change
	seen       bool
	increments int64
}

// exactly returns the names of the tables of a scope: of Posts those of the blogs that are watched, and of a network that of the blogs.
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

// sqlRights lists the databases to whose every table an account has a right, as patterns of LIKE: of those it sees which tables
// there are, later ones too, and when they are written.
const sqlRights = `SELECT TABLE_SCHEMA FROM information_schema.SCHEMA_PRIVILEGES WHERE GRANTEE = ? AND PRIVILEGE_TYPE IN ('SELECT', 'REFERENCES')
UNION SELECT '%' FROM information_schema.USER_PRIVILEGES WHERE GRANTEE = ? AND PRIVILEGE_TYPE IN ('SELECT', 'REFERENCES')`

// Sees returns which databases the account may poll: those at its very server to whose every table it has a right.
func (d *Database) Sees(ctx context.Context) (func(*Database) bool, error) {
	var names []string
	like := strings.NewReplacer(`\\_`, "_", `\\%`, "%", "_", ".", "%", ".*") // QuoteMeta doubles what escapes
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

// pattern matches the names of tables with some prefixes, and those of users that have names of their own.
func pattern(prefixes []string, tables string, users []string) string {
	names := beginning(prefixes) + `(` + tables + `)$`
	if len(users) > 0 {
		names += `|^(` + alternatives(users) + `)$`
	}
	return names
}

// mostPrefixes bounds a pattern: one of hundreds of prefixes is slower than opening the tables of others, too.
const mostPrefixes = 50

// beginning is the part of a pattern that the names of tables with some prefixes begin with. Those of blogs have a number behind
// it. For too many prefixes it accepts any.
func beginning(prefixes []string) string {
	few := alternatives(prefixes)
	if strings.Count(few, "|") >= mostPrefixes {
		return ""
	}
	return `^(` + few + `)([0-9]+_)?`
}

// alternatives is the part of a pattern that matches any of some names.
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
			// File systems count time in steps of some milliseconds: another write within the
			// step of the last one would not show.
			if time.Since(info.ModTime()) < 20*time.Millisecond {
				stamp += "young"
			}
		}
		if before := o.stamp.Swap(&stamp); before == nil && check.Since > 0 || before != nil && *before != stamp {
			c.Changed = append(c.Changed, Change{Database: o, Edited: true, Last: c.Now - 1}) // later writes will all show
		}
	}
	return c, nil
}
