package objects

import (
	"context"
	"maps"
	"math"
	"slices"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

// New rows have higher ids. So a delta reads only the ids above those that were seen, by the primary keys of wp_posts and
// wp_postmeta. This finds every post with a new row, and no post of which only old rows have changed.

const (
	sqlHighestPost = `SELECT MAX(ID) FROM wp_posts`
	sqlHighestMeta = `SELECT MAX(meta_id) FROM wp_postmeta`
	sqlNewPosts    = `SELECT ID, post_parent, post_type FROM wp_posts WHERE ID > ? ORDER BY ID LIMIT ?`
	sqlNewMeta     = `SELECT meta_id, post_id, COALESCE(meta_key, '') FROM wp_postmeta WHERE meta_id > ? ORDER BY meta_id LIMIT ?`
)

// markOverlap is how many ids below the highest are checked again. A smaller id may be committed after a larger one.
const markOverlap = 32

// Marks says up to which ids the rows of a blog were read. The zero value is not valid: ReadMarks returns the first
// marks.
type Marks struct{ post, meta mark }

// mark says up to which id the rows of one table were seen.
type mark struct {
	id   int64          // the highest id
	late map[int64]bool // ids just below the highest that were seen
}

// ReadMarks returns the marks of this moment, from which Touched can continue. The caller must call it before reading
// the rows of the blog, so that no row is missed.
func ReadMarks(ctx context.Context, blog *wp.Blog) (Marks, error) {
	var m Marks
	for query, to := range map[string]*int64{sqlHighestPost: &m.post.id, sqlHighestMeta: &m.meta.id} {
		err := blog.Query(ctx, query, nil, db.Row(func() {}, to))
		if err != nil {
			return Marks{}, blog.Wrap("reading the highest ids", err)
		}
	}
	if m.post.id == math.MaxInt64 || m.meta.id == math.MaxInt64 { // no id can follow
		return Marks{}, nil
	}
	// The next reading of the rows will see what is near the highest ids now.
	_, m, _, err := Touched(ctx, blog, m, 0)
	return m, err
}

// Touched returns the posts that new rows concern. A new post or attachment concerns itself, and an attachment also
// its parent. A revision concerns its post. New meta concerns its post if sitemaps depend on the key.
//
// to are the marks to continue from. If a table has more than limit new rows, more is true, ids is nil, and to is
// from.
func Touched(ctx context.Context, blog *wp.Blog, from Marks, limit int) (ids []int64, to Marks, more bool, err error) {
	touched := map[int64]bool{}
	limit += markOverlap + 1
	to.post, more, err = newRows(ctx, blog, sqlNewPosts, from.post, limit, func(id, parent int64, kind string) {
		if kind != "revision" {
			touched[id] = true
		}
		if parent > 0 && (kind == "revision" || kind == "attachment") {
			touched[parent] = true
		}
	})
	if err == nil && !more {
		to.meta, more, err = newRows(ctx, blog, sqlNewMeta, from.meta, limit, func(_, post int64, key string) {
			if post > 0 && blog.Declared().PostMeta.Has(key) {
				touched[post] = true
			}
		})
	}
	if err != nil || more {
		return nil, from, more, blog.Wrap("reading new rows", err)
	}
	return slices.Sorted(maps.Keys(touched)), to, false, nil
}

// newRows calls fn for the rows above a mark, and for rows just below it that were not seen. It returns the mark to
// continue from. more reports whether the query returned limit rows.
func newRows(
	ctx context.Context, blog *wp.Blog, query string, from mark, limit int, fn func(id, other int64, text string),
) (to mark, more bool, err error) {
	to, n := mark{from.id, map[int64]bool{}}, 0
	err = blog.Query(ctx, query, []any{max(0, from.id-markOverlap), limit}, db.Rows3(func(id, other int64, text string) {
		n++
		to.id = max(to.id, id)
		to.late[id] = true
		if !from.late[id] {
			fn(id, other, text)
		}
	}))
	maps.DeleteFunc(to.late, func(id int64, _ bool) bool { return id <= to.id-markOverlap })
	return to, n >= limit, err
}
