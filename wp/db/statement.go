package db

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"
)

// Tables replaces the names of tables in statements.
type Tables struct{ r *strings.Replacer }

// NewTables returns a Tables from pairs of names: the name in statements, then the name of the table.
func NewTables(pairs ...string) Tables { return Tables{strings.NewReplacer(pairs...)} }

// Bind returns a statement with the real names of its tables.
func (t Tables) Bind(query string) string {
	if t.r == nil {
		return query
	}
	return t.r.Replace(query)
}

// prepare returns a statement and its arguments as the database gets them. The order of the steps matters. The bounds
// come first, because they search the statement for names of columns, and the name of a table may contain such a name.
// The ids come last, because each step before would read them, and there may be thousands.
func (d *DB) prepare(t Tables, query string, args []any) (string, []any, error) {
	stmt := t.Bind(bounded(query))
	if d.SQLite { // it knows neither FORCE INDEX nor STRAIGHT_JOIN; CROSS JOIN keeps the order of the tables, too
		stmt = strings.Replace(unforced(stmt), "STRAIGHT_JOIN", "CROSS JOIN", 1)
	}
	return d.expand(stmt, args)
}

// QueryForced runs a statement that forces an index. Without the index's name MariaDB may read the index from its start for every
// batch. If the index does not exist, QueryForced runs the statement again without FORCE INDEX.
func (d *DB) QueryForced(ctx context.Context, t Tables, query string, args []any, scan func(*sql.Rows) error) error {
	err := d.Query(ctx, t, query, args, scan)
	if MissingIndex(err) {
		err = d.Query(ctx, t, unforced(query), args, scan)
	}
	return err
}

// unforced returns a statement without its FORCE INDEX.
func unforced(query string) string {
	before, rest, _ := strings.Cut(query, " FORCE INDEX (")
	_, after, _ := strings.Cut(rest, ")")
	return before + after
}

// IDBatch is how many ids an IN list has at most.
const IDBatch = 5000

// Batches calls fn with at most IDBatch ids at a time. fn gets each id once, in ascending order.
func Batches(ids []int64, fn func([]int64) error) error {
	for some := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(ids))), IDBatch) {
		if err := fn(some); err != nil {
			return err
		}
	}
	return nil
}

// MySQL reads a range of ids in one pass, but looks up single ids one by one. So consecutive ids become a range.
const (
	rangeFrom = 8   // a range has at least so many ids
	maxRanges = 200 // ranges of a list, because MySQL plans each of them; SQLite, which needs no plan of them, gets none
)

// expand replaces each list in args, and the IN (?) that it is for. Other values stay arguments.
//
// Ids, which are a []int64, become text of the statement, because thousands of arguments would cost more than the
// query. "column IN (?)" becomes a condition in brackets, see appendIDs. NOT IN (?) takes no ids, because no statement
// needs that. For lists of other types, such as []string, sqlx.In makes IN (?, ?).
func (d *DB) expand(query string, args []any) (string, []any, error) {
	if !slices.ContainsFunc(args, isIDs) {
		return sqlx.In(query, args...)
	}
	texts := strings.Split(query, "?") // texts[i] stands before the place of args[i]
	if len(args) >= len(texts) {
		return "", nil, errors.New("more arguments than places for them")
	}
	most := maxRanges
	if d.SQLite {
		most = 0
	}
	b := make([]byte, 0, len(query)+4096)
	var rest []any
	for i, arg := range args {
		ids, listed := arg.([]int64)
		if !listed {
			b, rest = append(append(b, texts[i]...), '?'), append(rest, arg)
			continue
		}
		before, isList := strings.CutSuffix(texts[i], " IN (")
		after, closed := strings.CutPrefix(texts[i+1], ")")
		name := strings.LastIndexByte(before, ' ') + 1
		if !isList || !closed || before[name:] == "NOT" || len(ids) == 0 {
			return "", nil, errors.New("ids belong into column IN (?), and there must be one at least")
		}
		b = appendIDs(append(b, before[:name]...), before[name:], ids, most)
		texts[i+1] = after
	}
	b = append(b, strings.Join(texts[len(args):], "?")...)
	return sqlx.In(string(b), rest...)
}

func isIDs(arg any) bool {
	_, ok := arg.([]int64)
	return ok
}

// appendIDs appends to b the condition that column is one of ids, in brackets. At most ranges ranges of consecutive
// ids stand first, and a list of the other ids follows.
func appendIDs(b []byte, column string, ids []int64, ranges int) []byte {
	if !slices.IsSorted(ids) {
		ids = slices.Sorted(slices.Values(ids))
	}
	b = append(b, '(')
	single := make([]int64, 0, len(ids))
	for n := 0; len(ids) > 0; ids = ids[n:] {
		n = 1 // ids[:n] are consecutive
		for ranges > 0 && n < len(ids) && ids[n] == ids[n-1]+1 {
			n++
		}
		if n < rangeFrom {
			single = append(single, ids[:n]...)
			continue
		}
		ranges--
		b = append(append(b, column...), " BETWEEN "...)
		b = append(strconv.AppendInt(b, ids[0], 10), " AND "...)
		b = append(strconv.AppendInt(b, ids[n-1], 10), " OR "...)
	}
	if len(single) == 0 {
		return append(b[:len(b)-len(" OR ")], ')')
	}
	b = append(append(b, column...), " IN ("...)
	for _, id := range single {
		b = append(strconv.AppendInt(b, id, 10), ',')
	}
	b[len(b)-1] = ')'
	return append(b, ')')
}
