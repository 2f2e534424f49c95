package writes

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wpsitemapd/wp/db"
)

const (
	sqlBinlogVariables = `SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'hostname', 'server_id', 'server_uuid', 'server_uid',
'log_bin', 'binlog_format', 'binlog_row_image', 'gtid_binlog_pos', 'gtid_mode', 'gtid_executed')`
	sqlMasterStatus = `SHOW MASTER STATUS`
	sqlBinlogStatus = `SHOW BINARY LOG STATUS` // from MySQL 8.2, where the other one was about to go
	sqlColumns      = `SELECT COLUMN_NAME, ORDINAL_POSITION FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?`
)

// Binlog is what must be known of a server before its binlog is followed.
type Binlog struct {
	MariaDB  bool
	ServerID uint32
	Server   string // identifies one of several servers behind an address
	File     string // the current place
	Offset   uint32
	GTID     string // the transactions before that place; "" without any
}

// BinlogError says why a binlog cannot be followed, and what to do about it.
type BinlogError struct{ Reason, Hint string }

func (e *BinlogError) Error() string { return e.Reason }

// BinlogHint says what to do where the account may not follow the binlog.
func (d *Database) BinlogHint() string {
	return "run as an administrator of the database: " + d.GrantBinlog(d.Account)
}

// Binlog finds out whether the binlog of the server has every write to the networks, and where it ends now. Where it
// has not, the error is a *BinlogError.
func (d *Database) Binlog(ctx context.Context, of []*Database) (Binlog, error) {
	if d.SQLite {
		return Binlog{}, &BinlogError{"SQLite has no binlog", `set changes = "poll"`}
	}
	wrap := func(err error) (Binlog, error) {
		return Binlog{}, fmt.Errorf("asking for the binlog of %s: %w", d.Server, err)
	}
	v := map[string]string{}
	err := d.query(ctx, sqlBinlogVariables, nil, db.Rows2(func(name, value string) { v[strings.ToLower(name)] = value }))
	if err != nil {
		return wrap(err)
	}
	id, _ := strconv.ParseUint(v["server_id"], 10, 32)
	b := Binlog{MariaDB: strings.Contains(v["version"], "MariaDB"), ServerID: uint32(id)}
	switch {
	case b.MariaDB:
		b.GTID = v["gtid_binlog_pos"]
	case strings.EqualFold(v["gtid_mode"], "ON"): // in all other modes MySQL keeps those there were, and sends nothing by them
		b.GTID = v["gtid_executed"]
	}
	b.GTID = strings.Join(strings.Fields(b.GTID), "")
	b.Server = strings.Join([]string{v["hostname"], v["server_id"], v["server_uuid"], v["server_uid"]}, " ")
	switch {
	case !strings.EqualFold(v["log_bin"], "ON") && v["log_bin"] != "1":
		return b, &BinlogError{"the server keeps no binlog (log_bin is off)", "set log_bin in the server's configuration, and binlog_format = ROW"}
	case v["binlog_format"] != "" && !strings.EqualFold(v["binlog_format"], "ROW"): // newer MySQL knows no other
		return b, &BinlogError{"the server's binlog_format is " + v["binlog_format"], "set binlog_format = ROW in the server's configuration"}
	case strings.EqualFold(v["binlog_row_image"], "MINIMAL"):
		return b, &BinlogError{"the server's binlog_row_image is " + v["binlog_row_image"],
			"set binlog_row_image to FULL or NOBLOB in the server's configuration"}
	}
	only, not, err := d.binlogEnd(ctx, &b)
	if db.Code(err) == db.CodeNoRight {
		d.DropIdle() // rights are those of the moment at which a connection was made
		return b, &BinlogError{"the account may not ask where the binlog ends", d.BinlogHint()}
	}
	if err != nil {
		return wrap(err)
	}
	if b.File == "" {
		return b, &BinlogError{"the server does not say where its binlog ends", `set changes = "poll"`}
	}
	for _, o := range of {
		in := func(list string) bool { return slices.Contains(strings.Split(list, ","), o.Schema) }
		if only != "" && !in(only) || in(not) {
			return b, &BinlogError{"the binlog leaves the database " + o.Schema +
				" out (binlog_do_db, binlog_ignore_db)", `have it logged, or set changes = "poll"`}
		}
	}
	return b, nil
}

// binlogEnd asks where the binlog ends, and which databases it is kept for, and not for.
func (d *Database) binlogEnd(ctx context.Context, b *Binlog) (only, not string, err error) {
	err = d.QueryKnown(ctx, db.RowsByName(func(_ []string, values []sql.NullString) {
		if len(values) < 4 {
			return
		}
		if offset, err := strconv.ParseUint(values[1].String, 10, 64); err == nil {
			b.File, b.Offset = values[0].String, uint32(min(offset, math.MaxUint32))
		}
		only, not = values[2].String, values[3].String
	}), sqlMasterStatus, sqlBinlogStatus)
	return only, not, err
}

// WrittenTable is a table whose rows sitemaps depend on.
type WrittenTable struct {
	Name  string // in full, in lower case
	Posts string // the name of the table of posts of the same blog
	short string

	declared *Declared
}

// WrittenTable returns the table where sitemaps of the network depend on it.
func (d *Database) WrittenTable(schema, name string) (WrittenTable, bool) {
	if !strings.EqualFold(schema, d.Schema) {
		return WrittenTable{}, false
	}
	name = strings.ToLower(name)
	if i := slices.Index(d.users, name); i >= 0 {
		return WrittenTable{Name: name, short: "users", declared: d.declared}, true
	}
	rest, ok := strings.CutPrefix(name, strings.ToLower(d.base))
	if !ok {
		return WrittenTable{}, false
	}
	short := rest
	if number, after, ok := strings.Cut(rest, "_"); ok && isNumber(number) {
		short = after
	}
	if !slices.Contains(d.declared.names, short) {
		return WrittenTable{}, false
	}
	return WrittenTable{Name: name, Posts: strings.TrimSuffix(name, short) + "posts", short: short, declared: d.declared}, true
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// RowsTell reports whether the values of rows of the table say more than that it was written.
func (t WrittenTable) RowsTell() bool { return t.declared.keys(t.short) != nil }

// Columns are the places of a table's columns in its rows.
type Columns struct {
	all int
	at  []int // as in Table.Keys
}

// Columns reads them; ok is false where the account cannot see all that are needed.
func (d *Database) Columns(ctx context.Context, t WrittenTable) (c Columns, ok bool, err error) {
	names := t.declared.keys(t.short)
	c.at = make([]int, len(names))
	found := 0
	err = d.query(ctx, sqlColumns, []any{d.Schema, t.Name}, db.Rows2(func(name string, place int) {
		c.all = max(c.all, place)
		if i := slices.Index(names, strings.ToLower(name)); i >= 0 {
			c.at[i] = place - 1
			found++
		}
	}))
	if err != nil {
		return Columns{}, false, fmt.Errorf("reading the columns of %s: %w", t.Name, err)
	}
	return c, found == len(names), nil
}

// WrittenRow is what a row that was written means.
type WrittenRow struct {
	Matters bool    // sitemaps depend on it
	Exact   bool    // Posts and Terms are all that depends on the row
	Posts   []int64 // that are concerned
	Terms   []int64 // term_taxonomy_id of terms whose count has changed
}

// Row returns what a row means that was inserted (before is nil), deleted (after is nil) or changed. Values are those
// of the binlog: integers, texts, or nil where it has none.
func (t WrittenTable) Row(c Columns, before, after []any) WrittenRow {
	unknown := WrittenRow{Matters: true}
	var rows [][]any
	for _, row := range [][]any{before, after} {
		if row == nil {
			continue
		}
		if len(row) != c.all {
			return unknown // of a definition before the current one
		}
		rows = append(rows, row)
	}
	var w WrittenRow
	switch t.short {
	case "posts":
		w.Exact = true
		for _, row := range rows {
			id, ok := integerOf(row[c.at[0]])
			kind, typed := textOf(row[c.at[1]])
			parent, _ := integerOf(row[c.at[2]])
			if !ok || !typed {
				return unknown
			}
			if kind == "revision" { // its post is written, too, if it changes
				continue
			}
			w.Matters = true
			w.add(id)
			if kind == "attachment" { // which any post may show
				w.add(parent)
				w.Exact = false
			}
		}
	case "postmeta":
		w.Exact = true
		for _, row := range rows {
			id, ok := integerOf(row[c.at[0]])
			key, keyed := textOf(row[c.at[1]])
			if !ok || !keyed && row[c.at[1]] != nil {
				return unknown
			}
			if t.declared.PostMeta.Has(key) {
				w.Matters = true
				w.add(id)
				w.Exact = w.Exact && !strings.HasPrefix(key, "_wp_attach") // which any post may show
			}
		}
	case "term_taxonomy":
		if before == nil || after == nil {
			return unknown
		}
		id, ok := integerOf(after[c.at[0]])
		if !ok {
			return unknown
		}
		for i := range after {
			if i != c.at[1] && !sameValue(before[i], after[i]) {
				return unknown
			}
		}
		w.Matters, w.Exact, w.Terms = true, true, []int64{id}
	case "options", "usermeta", "termmeta", "sitemeta":
		for _, row := range rows {
			key, ok := textOf(row[c.at[0]])
			if !ok && row[c.at[0]] != nil {
				return unknown
			}
			w.Matters = w.Matters || t.reads(key)
		}
	default: // whose rows are of posts: the relationships of terms, and tables of plugins
		if t.short != "term_relationships" && !slices.Equal(t.declared.keys(t.short), []string{"post_id"}) {
			return unknown
		}
		w.Matters, w.Exact = true, true
		for _, row := range rows {
			id, ok := integerOf(row[c.at[0]])
			if !ok {
				return unknown
			}
			w.add(id)
		}
	}
	return w
}

func (w *WrittenRow) add(id int64) {
	if id > 0 && !slices.Contains(w.Posts, id) {
		w.Posts = append(w.Posts, id)
	}
}

// Written returns what a write to a table means without knowing its rows.
func (t WrittenTable) Written() WrittenRow {
	return WrittenRow{
		Matters: true,
		Exact:   t.short == "yoast_indexable", // no catalog that takes deltas is made from it
	}
}

// reads reports whether a row of options, or of meta of users, terms or the network, is ever read. WordPress keeps
// its cron, caches and sessions beside those that are.
func (t WrittenTable) reads(key string) bool {
	switch t.short {
	case "options":
		return t.declared.Options.Has(key)
	case "usermeta":
		return t.declared.UserMeta.Has(key)
	case "termmeta":
		return t.declared.TermMeta.Has(key)
	}
	return t.declared.NetworkOptions.Has(key)
}

// Concerns reports whether a statement that ran in a schema may have changed or defined tables of
// the network.
func (d *Database) Concerns(schema, statement string) bool {
	const enough = 64 << 10 // bytes in which a statement names its tables
	statement = strings.ToLower(statement[:min(len(statement), enough)])
	mine := strings.ToLower(d.Schema)
	switch {
	case databaseForm.MatchString(statement):
		return strings.Contains(statement, mine)
	case !strings.EqualFold(schema, mine) && !strings.Contains(statement, mine):
		return false
	}
	if slices.ContainsFunc(d.users, func(name string) bool { return strings.Contains(statement, name) }) {
		return true
	}
	return d.tableForm().MatchString(statement)
}

var databaseForm = regexp.MustCompile(`^\s*(create|alter|drop)\s+(database|schema)\b`)

func integerOf(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		if v < 0 { // of an unsigned column
			return math.MaxInt64, true
		}
		return v, true
	case uint64:
		return int64(min(v, math.MaxInt64)), true
	case int32:
		return int64(uint32(v)), true
	case uint32:
		return int64(v), true
	case int16:
		return int64(uint16(v)), true
	case uint16:
		return int64(v), true
	case int8:
		return int64(uint8(v)), true
	case uint8:
		return int64(v), true
	}
	return 0, false
}

// textOf returns a text as MySQL compares it: without letter case and spaces at the end.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return strings.ToLower(strings.TrimRight(v, " ")), true
	case []byte:
		return strings.ToLower(string(bytes.TrimRight(v, " "))), true
	}
	return "", false
}

func sameValue(a, b any) bool {
	x, ok := a.([]byte)
	y, also := b.([]byte)
	if ok || also {
		return ok && also && bytes.Equal(x, y)
	}
	return a == b
}
