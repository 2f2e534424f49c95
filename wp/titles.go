package wp

import (
	"context"

	"wpsitemapd/wp/db"
)

const (
	sqlPostTitles = `SELECT ID, post_title FROM wp_posts WHERE ID IN (?)`
	sqlTermNames  = `SELECT term_id, name FROM wp_terms WHERE term_id IN (?)`
	sqlUserNames  = `SELECT ID, display_name FROM wp_users WHERE ID IN (?)`
)

// PostTitles returns post_title of posts, HTML.
func (s *Blog) PostTitles(ctx context.Context, ids []int64) (map[int64]string, error) {
	return s.texts(ctx, "reading titles", sqlPostTitles, ids)
}

// TermNames returns the names of terms, HTML.
func (s *Blog) TermNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	return s.texts(ctx, "reading names of terms", sqlTermNames, ids)
}

// UserNames returns display_name of users, HTML.
func (s *Blog) UserNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	return s.texts(ctx, "reading names of users", sqlUserNames, ids)
}

// texts reads a text for each id.
func (s *Blog) texts(ctx context.Context, what, query string, ids []int64) (map[int64]string, error) {
	texts := make(map[int64]string, len(ids))
	err := s.byID(ctx, what, query, ids, db.Rows2(func(id int64, text string) { texts[id] = text }))
	return texts, err
}
