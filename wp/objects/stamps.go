package objects

import (
	"context"
	"database/sql"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// A delta must notice posts that were published, unpublished or moved to another date. All three change the columns of the index
// type_status_date. So the delta reads the index, which is much smaller than the rows, and compares one hash a post.

// The index type_status_date holds all these columns, so that no row is read.
const sqlPostStamps = `SELECT p.ID, p.post_date FROM wp_posts p FORCE INDEX (type_status_date)
WHERE p.post_type = ? AND p.post_status = ? AND p.post_date >= ? ORDER BY p.post_date LIMIT ?`

// stampBatch is how many rows of the index one statement reads. The program takes them one at a time, so that they need no memory.
const stampBatch = 200_000

// EachStamp calls fn with the PostRow.Stamp of every post of a type and status, in the order of dates. It reads only
// the index type_status_date.
func EachStamp(ctx context.Context, blog *wp.Blog, postType, status string, fn func(id int64, stamp uint32) error) error {
	var id int64
	var date sql.RawBytes
	for _, status := range blog.Overrides().StoredAs(postType, status) {
		err := byDate(ctx, blog, sqlPostStamps, postType, status, stampBatch, func(rows *sql.Rows) (int64, []byte, error) {
			err := rows.Scan(db.Number(&id), &date)
			return id, date, err
		}, func() error { return fn(id, stamp(status, date)) })
		if err != nil {
			return blog.Wrap("reading the index of posts of type "+postType, err)
		}
	}
	return nil
}

// stamp returns a hash of a post's status and date. Letter case of the status does not count, as in the collation.
func stamp(status string, date []byte) uint32 {
	h := uint32(2166136261) // FNV-1a
	for i := range len(status) {
		h = (h ^ uint32(status[i]|0x20)) * 16777619
	}
	for _, c := range date {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}
