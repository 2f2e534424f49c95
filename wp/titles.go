package wp

import "context"

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
