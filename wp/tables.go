package wp

import (
	"context"
	"database/sql"

	"wpsitemapd/wp/db"
)

// newTables returns the names of the tables of the blog with prefix blog in the network with prefix base, for statements
// that are written for the prefix wp_. users and usermeta are the names of the shared user tables, in full.
func newTables(blog, base, users, usermeta string) db.Tables {
	return db.NewTables(
		"'_wp_", "'_wp_", // a meta key, which has no prefix
		"wp_usermeta", usermeta, "wp_users", users,
		"wp_blogs", base+"blogs", "wp_sitemeta", base+"sitemeta", "wp_site ", base+"site ",
		"wp_domain_mapping", base+"domain_mapping",
		"wp_", blog,
	)
}

// query runs one statement on the tables of the network, and of its first blog.
func (n *Network) query(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return n.db.Query(ctx, n.tables(n.base), query, args, scan)
}

// query runs one statement on the tables of the blog.
func (s *Blog) query(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return s.network.db.Query(ctx, s.tables, query, args, scan)
}

// byID is ByID with what it reads, for the error.
func (s *Blog) byID(ctx context.Context, what, query string, ids []int64, scan func(*sql.Rows) error, more ...any) error {
	return s.wrap(what, s.ByID(ctx, query, ids, scan, more...))
}

// ByID is Query with a statement of which the first argument is a list of ids, see db.Batches.
func (s *Blog) ByID(ctx context.Context, query string, ids []int64, scan func(*sql.Rows) error, more ...any) error {
	return db.Batches(ids, func(ids []int64) error { return s.query(ctx, query, append([]any{ids}, more...), scan) })
}

// Query runs a statement for a plugin's package. Names of tables are in it with the prefix wp_, and "IN (?)" takes a
// slice.
func (s *Blog) Query(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	return s.query(ctx, query, args, scan)
}

// queryForced runs a statement that names the index it goes by.
func (s *Blog) queryForced(ctx context.Context, query *string, args []any, scan func(*sql.Rows) error) error {
	return s.network.db.QueryForced(ctx, s.tables, query, args, scan)
}
