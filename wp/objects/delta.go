package objects

import (
	"context"
	"database/sql"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// A delta reads the rows of touched posts by id. marks.go and stamps.go find these posts.

const (
	sqlPostRowsByID = `SELECT p.ID, p.post_author, p.post_date, p.post_date_gmt, p.post_modified, p.post_modified_gmt,
p.post_password <> '', COALESCE(p.post_name, '') = '', COALESCE(parent.post_status, ''), parent.post_password <> '',
p.post_type, p.post_status, COALESCE(p.post_name, '')
FROM wp_posts p LEFT JOIN wp_posts parent ON parent.ID = p.post_parent WHERE p.ID IN (?)`
	sqlAttachedTo = `SELECT ID FROM wp_posts WHERE post_parent IN (?) AND post_type = 'attachment'`
	sqlBelow      = `SELECT ID FROM wp_posts WHERE post_parent IN (?) AND post_type IN (?) LIMIT 1`
)

// PostRows calls fn with the row of each post with one of ids, of any type and status, in no fixed order.
func PostRows(ctx context.Context, blog *wp.Blog, ids []int64, fn func(PostRow)) error {
	var scan rowScan
	return blog.ByID(ctx, "reading rows of posts", sqlPostRowsByID, ids, func(rows *sql.Rows) error {
		var p PostRow
		if err := rows.Scan(append(scan.columns(&p), db.Text(&p.Type), db.Text(&p.Status), db.Text(&p.Slug))...); err != nil {
			return err
		}
		if scan.date == nil { // the date is NULL, and queries by date do not find the row either
			return nil
		}
		scan.finish(&p, p.Status)
		p.Status = blog.Overrides().Status(p.Type, p.Status)
		fn(p)
		return nil
	})
}

// AttachedTo returns the attachments of any status whose parent is one of posts.
func AttachedTo(ctx context.Context, blog *wp.Blog, posts []int64) ([]int64, error) {
	return blog.IDsOf(ctx, "reading attachments of posts", sqlAttachedTo, posts)
}

// HasBelow reports whether a post of one of the types has one of posts as its parent.
func HasBelow(ctx context.Context, blog *wp.Blog, types []string, posts []int64) (bool, error) {
	found, err := blog.IDsOf(ctx, "looking below posts", sqlBelow, posts, types)
	return len(found) > 0, err
}
