package objects

import (
	"context"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

const sqlNextScheduled = `SELECT p.post_date FROM wp_posts p WHERE p.post_type = ? AND p.post_status = 'future' AND p.post_date > ?
ORDER BY p.post_date LIMIT 1`

// NextScheduled returns the date of the first post of a type that is scheduled after a date. Both are seconds of the
// site's clock. It returns NoTime if there is no such post.
func NextScheduled(ctx context.Context, blog *wp.Blog, postType string, after int64) (int64, error) {
	next := wp.NoTime
	date := time.Unix(after, 0).UTC().Format(time.DateTime)
	err := blog.Query(ctx, sqlNextScheduled, []any{postType, date}, db.Rows1(func(date string) { next = wp.ParseDate(date) }))
	return next, blog.Wrap("reading scheduled posts of type "+postType, err)
}
