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

// newTables returns the table names for statements that are written with the prefix wp_. blog is the prefix of the
// blog, and base is the prefix of the network. users and usermeta are the full names of the shared user tables.
func newTables(blog, base, users, usermeta string) db.Tables {
	return db.NewTables(
		"'_wp_", "'_wp_", // a meta key, which has no prefix
		"wp_usermeta", usermeta, "wp_users", users,
		"wp_blogs", base+"blogs", "wp_sitemeta", base+"sitemeta", "wp_site ", base+"site ",
		"wp_", blog,
	)
}

// query runs one statement on the tables of the network and of its first blog.
func (n *Network) query(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return n.db.Query(ctx, n.tables(n.base), query, args, scan)
}

// ByID runs a statement like Query. The first argument of the statement is a list of ids, which ByID splits into
// batches, see db.Batches. what is used in the error.
func (b *Blog) ByID(ctx context.Context, what, query string, ids []int64, scan func(*sql.Rows) error, more ...any) error {
	return b.Wrap(what, db.Batches(ids, func(ids []int64) error { return b.Query(ctx, query, append([]any{ids}, more...), scan) }))
}

// Query runs one statement on the tables of the blog. The statement names tables with the prefix wp_, and "IN (?)"
// takes a slice. If the statement names an index that does not exist, it runs without that name.
func (b *Blog) Query(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return b.network.db.QueryForced(ctx, b.tables, query, args, scan)
}

// QueryIndexed runs a statement like Query, but fails if the statement names an index that does not exist.
func (b *Blog) QueryIndexed(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return b.network.db.Query(ctx, b.tables, query, args, scan)
}

// StoredArray reads an option from the database. It returns null if the option is not stored or holds no PHP array.
func (b *Blog) StoredArray(ctx context.Context, option string) (php.Value, error) {
	o, err := readOptions(ctx, b.network.db, b.tables, []string{option}, func(string) {})
	return o.serialized(option, func(string) {}), b.Wrap("reading option "+option, err)
}

// readable reports whether a table of a plugin could be read. err is the error of the statement that tried to read
// it.
//
// If the table is missing, denied or lacks a column, readable returns false and no error, so that the reading of the
// site goes on. It then warns the operator. follows is the consequence, for the warning.
func (r *reading) readable(table, follows string, err error) (bool, error) {
	if db.Unreadable(err) { // if the account has rights to single tables, a missing table is denied too
		r.blog.Notice(fmt.Sprintf("table %s%s cannot be read, so %s: %v%s", r.blog.prefix, table, follows, err, hint(err)))
		return false, nil
	}
	return err == nil, r.blog.Wrap("reading table "+r.blog.prefix+table, err)
}

// Table returns the full name of one of the site's tables, given without prefix: posts, users …
func (b *Blog) Table(name string) string { return strings.TrimSpace(b.tables.Bind("wp_" + name + " ")) }

// IDs returns the ids that a statement finds, in ascending order and without repeats.
func (b *Blog) IDs(ctx context.Context, what, query string, args ...any) (ids []int64, err error) {
	err = b.Query(ctx, query, args, scanIDs(&ids))
	return Distinct(ids), b.Wrap(what, err)
}

// IDsOf returns the ids that a statement finds, as IDs does. The first argument of the statement is a list of ids.
func (b *Blog) IDsOf(ctx context.Context, what, query string, of []int64, more ...any) (ids []int64, err error) {
	err = b.ByID(ctx, what, query, of, scanIDs(&ids), more...)
	return Distinct(ids), err
}

func scanIDs(ids *[]int64) func(*sql.Rows) error {
	return db.Rows1(func(id int64) { *ids = append(*ids, id) })
}

// Distinct returns the ids in ascending order and without repeats.
func Distinct(ids []int64) []int64 {
	return slices.Compact(slices.Sorted(slices.Values(ids)))
}

// Texts returns one text for each id, by id. The query must return an id and a text.
func (b *Blog) Texts(ctx context.Context, what, query string, ids []int64) (map[int64]string, error) {
	texts := make(map[int64]string, len(ids))
	err := b.ByID(ctx, what, query, ids, db.Rows2(func(id int64, text string) { texts[id] = text }))
	return texts, err
}

const (
	sqlPostTitles = `SELECT ID, post_title FROM wp_posts WHERE ID IN (?)`
	sqlTermNames  = `SELECT term_id, name FROM wp_terms WHERE term_id IN (?)`
	sqlUserNames  = `SELECT ID, display_name FROM wp_users WHERE ID IN (?)`
)

// PostTitles returns the titles of posts as HTML, by id.
func (b *Blog) PostTitles(ctx context.Context, ids []int64) (map[int64]string, error) {
	return b.Texts(ctx, "reading titles", sqlPostTitles, ids)
}

// TermNames returns the names of terms as HTML, by id.
func (b *Blog) TermNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	return b.Texts(ctx, "reading names of terms", sqlTermNames, ids)
}

// UserNames returns the display names of users as HTML, by id.
func (b *Blog) UserNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	return b.Texts(ctx, "reading names of users", sqlUserNames, ids)
}
