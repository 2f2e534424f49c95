package wp

import (
	"context"
	"database/sql"

	"wpsitemapd/wp/db"
)

const (
	sqlPostTitles = `SELECT ID, post_title FROM wp_posts WHERE ID IN (?)`
	sqlTermNames  = `SELECT term_id, name FROM wp_terms WHERE term_id IN (?)`
	sqlUserNames  = `SELECT ID, display_name FROM wp_users WHERE ID IN (?)`
)

// PostTitles returns post_title of posts, HTML.
func (s *Site) PostTitles(ctx context.Context, ids []int64) (map[int64]string, error) {
	titles, err := s.texts(ctx, sqlPostTitles, ids)
	return titles, s.wrap("reading titles", err)
}

// TermNames returns the names of terms, HTML.
func (s *Site) TermNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	names, err := s.texts(ctx, sqlTermNames, ids)
	return names, s.wrap("reading names of terms", err)
}

// UserNames returns display_name of users, HTML.
func (s *Site) UserNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	names, err := s.texts(ctx, sqlUserNames, ids)
	return names, s.wrap("reading names of users", err)
}

// texts reads a text for each id.
func (s *Site) texts(ctx context.Context, query string, ids []int64) (map[int64]string, error) {
	texts := make(map[int64]string, len(ids))
	err := db.Batches(ids, func(ids []int64) error {
		return s.query(ctx, query, []any{ids}, func(rows *sql.Rows) error {
			var id int64
			var found string
			if err := rows.Scan(db.Number(&id), db.Text(&found)); err != nil {
				return err
			}
			texts[id] = found
			return nil
		})
	})
	return texts, err
}
