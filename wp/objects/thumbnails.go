package objects

import (
	"context"
	"database/sql"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

// If one row in five has the key, MySQL would read all rows without the hint.
const sqlThumbnails = `SELECT post_id, meta_id, meta_value FROM wp_postmeta FORCE INDEX (meta_key) WHERE meta_key = '_thumbnail_id' LIMIT ?`

const maxThumbnails = 4_000_000 // most featured images of a site that are read at once

// Thumbnails holds the featured images of all posts.
type Thumbnails ofAll[int64]

// Of returns the attachment that is the featured image of a post, or 0 if the post has none.
func (t Thumbnails) Of(post int64) int64 {
	image, _ := ofAll[int64](t).of(post)
	return image
}

// ReadThumbnails reads the featured images of all posts. It returns nil if each post must be queried, see readAll.
func ReadThumbnails(ctx context.Context, blog *wp.Blog) (Thumbnails, error) {
	images, err := readAll(ctx, blog, sqlThumbnails, maxThumbnails, func(rows *sql.Rows) (post, meta, image int64, err error) {
		var value sql.RawBytes
		err = rows.Scan(db.Number(&post), db.Number(&meta), &value)
		return post, meta, php.NewString(string(value)).Int(), err
	})
	return Thumbnails(images), blog.Wrap("reading featured images", err)
}

// ThumbnailsOf returns the featured images of posts, by id.
func ThumbnailsOf(ctx context.Context, blog *wp.Blog, posts []int64) (map[int64]int64, error) {
	images := make(map[int64]int64, len(posts))
	return images, blog.EachMeta(ctx, posts, []string{wp.MetaThumbnail}, func(id int64, _, value string) {
		images[id] = php.NewString(value).Int()
	})
}
