package wp

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

// newTables returns the names of the tables of the blog with prefix blog in the network with prefix base, for statements
// that are written for the prefix wp_. users and usermeta are the names of the shared user tables, in full.
func newTables(blog, base, users, usermeta string) db.Tables {
	return db.NewTables(
		"'_wp_", "'_wp_", // a meta key, which has no prefix
		"wp_usermeta", usermeta, "wp_users", users,
		"wp_blogs", base+"blogs", "wp_sitemeta", base+"sitemeta", "wp_site ", base+"site ",
		"wp_", blog,
	)
}

// query runs one statement on the tables of the network, and of its first blog.
func (n *Network) query(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return n.db.Query(ctx, n.tables(n.base), query, args, scan)
}

// ByID is Query with a statement whose first argument is a list of ids, see db.Batches. what is for the error.
func (s *Blog) ByID(ctx context.Context, what, query string, ids []int64, scan func(*sql.Rows) error, more ...any) error {
	return s.Wrap(what, db.Batches(ids, func(ids []int64) error { return s.Query(ctx, query, append([]any{ids}, more...), scan) }))
}

// Query runs one statement on the tables of the blog. Names of tables are in it with the prefix wp_, and "IN (?)" takes a
// slice. One that names an index which is not there goes without its name.
func (s *Blog) Query(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return s.network.db.QueryForced(ctx, s.tables, &query, args, scan)
}

// QueryIndexed is Query, but fails if an index that the statement names is not there.
func (s *Blog) QueryIndexed(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return s.network.db.Query(ctx, s.tables, query, args, scan)
}

// StoredArray reads an option now. It returns null if the option is not stored, or holds no PHP array.
func (s *Blog) StoredArray(ctx context.Context, option string) (php.Value, error) {
	o, err := readOptions(ctx, s.network.db, s.tables, []string{option}, func(string) {})
	return o.serialized(option, func(string) {}), s.Wrap("reading option "+option, err)
}

// readable reports whether a table of a plugin could be read, by the error of a statement. The table may be missing or denied, or lack a
// column in another version of the plugin: then the operator is warned, with what follows. The site is read nevertheless.
func (s *Blog) readable(table, follows string, err error) (bool, error) {
	if db.Unreadable(err) { // a table that is not there is denied, too, where the account has rights to single ones
		s.Notice(fmt.Sprintf("table %s%s cannot be read: %s: %v", s.prefix, table, follows, err))
		return false, nil
	}
	return err == nil, s.Wrap("reading table "+s.prefix+table, err)
}

// Table returns the full name of one of the site's tables, given without prefix: posts, users …
func (s *Blog) Table(name string) string { return strings.TrimSpace(s.tables.Bind("wp_" + name + " ")) }

// IDs returns the ids that a statement finds, each once and in ascending order.
func (s *Blog) IDs(ctx context.Context, what, query string, args ...any) (ids []int64, err error) {
	err = s.Query(ctx, query, args, scanIDs(&ids))
	return Distinct(ids), s.Wrap(what, err)
}

// IDsOf is IDs with a statement of which the first argument is a list of ids.
func (s *Blog) IDsOf(ctx context.Context, what, query string, of []int64, more ...any) (ids []int64, err error) {
	err = s.ByID(ctx, what, query, of, scanIDs(&ids), more...)
	return Distinct(ids), err
}

func scanIDs(ids *[]int64) func(*sql.Rows) error {
	return db.Rows1(func(id int64) { *ids = append(*ids, id) })
}

// Distinct returns the ids in ascending order, each once.
func Distinct(ids []int64) []int64 {
	return slices.Compact(slices.Sorted(slices.Values(ids)))
}

// Texts reads a text for each id.
func (s *Blog) Texts(ctx context.Context, what, query string, ids []int64) (map[int64]string, error) {
	texts := make(map[int64]string, len(ids))
	err := s.ByID(ctx, what, query, ids, db.Rows2(func(id int64, text string) { texts[id] = text }))
	return texts, err
}
