package objects

import (
	"context"
	"strings"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// WordPress may look for the archive of a year at the address of a post with a slug such as 2025.

// sqlPostsOfYears reads the part of the index post_name that begins with digits.
const sqlPostsOfYears = `SELECT ID, post_name FROM wp_posts FORCE INDEX (post_name)
WHERE post_name >= '0' AND post_name < 'a' AND LENGTH(post_name) = 4 AND post_type = 'post' AND post_status = 'publish'`

// NamedAsYears returns the published posts whose slug has the form of a year.
func NamedAsYears(ctx context.Context, blog *wp.Blog) (ids []int64, err error) {
	err = blog.Query(ctx, sqlPostsOfYears, nil, db.Rows2(func(id int64, slug string) {
		if IsYear(slug) {
			ids = append(ids, id)
		}
	}))
	return ids, blog.Wrap("looking for posts with the slug of a year", err)
}

// IsYear reports whether a slug has the form of a year.
func IsYear(slug string) bool { return len(slug) == 4 && strings.Trim(slug, "0123456789") == "" }
