package wp

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

// sqlChanges asks which tables were written since a time, for any number of sites at once.
// InnoDB keeps UPDATE_TIME in memory and forgets it with a table that has not been used for
// long; AUTO_INCREMENT of the posts, which a new post, revision or upload raises, outlives
// that. The server opens every table whose name passes, about 50 microseconds each, and
// skips the others. The first row is the server's clock.
const sqlChanges = `SELECT UNIX_TIMESTAMP(), '', '', 0, MICROSECOND(NOW(6))
UNION ALL SELECT COALESCE(UNIX_TIMESTAMP(UPDATE_TIME), 0), TABLE_SCHEMA, TABLE_NAME, COALESCE(UNIX_TIMESTAMP(CREATE_TIME), 0),
COALESCE(AUTO_INCREMENT, 0)
FROM information_schema.TABLES
WHERE TABLE_SCHEMA IN (?) AND TABLE_NAME REGEXP ?
AND (UPDATE_TIME >= FROM_UNIXTIME(?) OR CREATE_TIME >= FROM_UNIXTIME(?) OR TABLE_NAME LIKE '%posts')`

// polled is what the last poll saw.
type polled struct {
	increments atomic.Int64
	written    atomic.Int64
	stamp      atomic.Pointer[string]
	rounds     rounds                        // of a large network
	tableForm  atomic.Pointer[regexp.Regexp] // see Network.tableForm
}

// Account identifies the account and the server by which a network is read. One call of Changes serves the networks
// of one account. A SQLite file counts as a server of its own.
func (n *Network) Account() (server, user string) { return n.db.Server, n.db.User }

// Changes is what a poll of the times of change found.
type Changes struct {
	Now     int64         // the server's clock at the time of the query, in whole Unix seconds
	Past    time.Duration // the elapsed part of that second; 0 for SQLite
	Known   bool          // the server keeps times of change, as far as this poll shows
	Changed []Change
}

// Change is a network that was written.
type Change struct {
	*Network
	Edited      bool     // a post, a term or a blog was written; not just what WordPress writes at every visit
	Tables      []string // in full and in lower case; nil: it is not known which
	Last        int64    // the second of the last write, by the server's clock; where that is not known, the poll's second
	MaybeRepeat bool     // no write since the last poll is known, but there may be one in the same second
}

// Changes returns which of the networks of this one's account were written in or after the second since, by the
// server's clock. It checks only the tables that every edit is written to and those that are declared as watched, and
// all tables of those networks that closely accepts.
func (n *Network) Changes(ctx context.Context, since int64, of []*Network, closely func(*Network) bool) (Changes, error) {
	if n.db.SQLite {
		return n.fileChanges(since, of)
	}
	var c Changes
	found, tells, last := map[*Network][]string{}, map[*Network]bool{}, map[*Network]int64{}
	next := map[*Network]int64{} // sums of AUTO_INCREMENT
	bySchema := map[string][]*Network{}
	var closer []string
	of, large := splitLarge(of)
	if len(of) == 0 {
		return n.largeChanges(ctx, c, large)
	}
	for _, o := range of {
		schema := strings.ToLower(o.db.Schema) // some servers do so themselves
		bySchema[schema] = append(bySchema[schema], o)
		if closely(o) {
			closer = append(closer, regexp.QuoteMeta(o.base))
			closer = append(closer, o.userTables()...)
		}
	}
	pattern := `(` + declared.watched + `)$`
	switch slices.Sort(closer); {
	case len(closer) >= len(of) && len(of) > 1: // a pattern of hundreds of prefixes is slower than all tables
		pattern = `(` + strings.Join(declared.tableNames, "|") + `)$`
	case len(closer) > 0:
		pattern += `|^(` + strings.Join(slices.Compact(closer), "|") + `)([0-9]+_)?(` + declared.others + `)?$`
	}
	schemas := make([]string, 0, len(bySchema))
	for schema := range bySchema {
		schemas = append(schemas, schema)
	}
	first := true
	err := n.query(ctx, sqlChanges, []any{schemas, pattern, since, since}, func(rows *sql.Rows) error {
		var updated, created, increment int64
		var schema, table string
		if err := rows.Scan(db.Number(&updated), &schema, &table, db.Number(&created), db.Number(&increment)); err != nil {
			return err
		}
		if first {
			c.Now, c.Past, first = updated, time.Duration(increment)*time.Microsecond, false
			return nil
		}
		c.Known = c.Known || updated > 0
		table = strings.ToLower(table)
		for _, o := range bySchema[strings.ToLower(schema)] {
			if !strings.HasPrefix(table, strings.ToLower(o.base)) && !slices.Contains(o.userTables(), table) {
				continue
			}
			if strings.HasSuffix(table, "posts") { // these come with every poll
				next[o] += increment
			}
			if updated >= since || created >= since {
				found[o] = append(found[o], table)
				last[o] = max(last[o], updated, created)
				tells[o] = tells[o] || declared.editedForm.MatchString(table)
			}
		}
		return nil
	})
	if err != nil {
		return Changes{}, fmt.Errorf("looking for changes: %w", err)
	}
	for _, o := range of {
		before := o.polled.increments.Swap(next[o])
		more, tables := before != next[o] && before != 0, found[o]
		if more && !tells[o] { // the server forgot its time of change
			tables = nil
		}
		if more || tables != nil {
			change := Change{Network: o, Edited: more || tells[o], Tables: tables, Last: last[o]}
			if change.Tables == nil {
				change.Last = c.Now
			}
			change.MaybeRepeat = o.polled.written.Swap(change.Last) == change.Last
			c.Changed = append(c.Changed, change)
		}
	}
	return n.largeChanges(ctx, c, large)
}

// userTables are the tables of users where they have names of their own.
func (n *Network) userTables() []string {
	var names []string
	for _, constant := range []string{"CUSTOM_USER_TABLE", "CUSTOM_USER_META_TABLE"} {
		if name := n.constant(constant); prefixForm.MatchString(name) {
			names = append(names, strings.ToLower(name))
		}
	}
	return names
}

// fileChanges checks the files of SQLite databases: the database and its log.
func (n *Network) fileChanges(since int64, of []*Network) (Changes, error) {
	c := Changes{Now: time.Now().Unix(), Known: true}
	for _, o := range of {
		stamp := ""
		for _, path := range []string{o.db.Server, o.db.Server + "-wal"} {
			info, err := os.Stat(path)
			if err != nil {
				if path == o.db.Server {
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
		if before := o.polled.stamp.Swap(&stamp); before == nil && since > 0 || before != nil && *before != stamp {
			c.Changed = append(c.Changed, Change{Network: o, Edited: true, Last: c.Now - 1}) // later writes will all show
		}
	}
	return c, nil
}
