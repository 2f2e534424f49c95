package objects

import (
	"context"
	"database/sql"
	"maps"
	"math"
	"slices"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

const (
	sqlHighestPost = `SELECT MAX(ID) FROM wp_posts`
	sqlHighestMeta = `SELECT MAX(meta_id) FROM wp_postmeta`
	// These read ranges of the primary keys above the last ids that were seen.
	sqlNewPosts = `SELECT ID, post_parent, post_type FROM wp_posts WHERE ID > ? ORDER BY ID LIMIT ?`
	sqlNewMeta  = `SELECT meta_id, post_id, COALESCE(meta_key, '') FROM wp_postmeta WHERE meta_id > ? ORDER BY meta_id LIMIT ?`

	// The index type_status_date holds all these columns, so that no row is read.
	sqlPostStamps = `SELECT p.ID, p.post_date FROM wp_posts p FORCE INDEX (type_status_date)
WHERE p.post_type = ? AND p.post_status = ? AND p.post_date >= ? ORDER BY p.post_date LIMIT ?`
	sqlNextScheduled = `SELECT p.post_date FROM wp_posts p WHERE p.post_type = ? AND p.post_status = 'future' AND p.post_date > ?
ORDER BY p.post_date LIMIT 1`

	sqlPostRowsByID = `SELECT p.ID, p.post_author, p.post_date, p.post_date_gmt, p.post_modified, p.post_modified_gmt,
p.post_password <> '', COALESCE(p.post_name, '') = '', COALESCE(parent.post_status, ''), parent.post_password <> '',
p.post_type, p.post_status, COALESCE(p.post_name, '')
FROM wp_posts p LEFT JOIN wp_posts parent ON parent.ID = p.post_parent WHERE p.ID IN (?)`
	sqlAttachedTo   = `SELECT ID FROM wp_posts WHERE post_parent IN (?) AND post_type = 'attachment'`
	sqlBelow        = `SELECT ID FROM wp_posts WHERE post_parent IN (?) AND post_type IN (?) LIMIT 1`
	sqlRelationsOf  = `SELECT tr.object_id, tr.term_taxonomy_id FROM wp_term_relationships tr WHERE tr.object_id IN (?)`
	sqlTermRowsByID = `SELECT tt.term_taxonomy_id, tt.term_id, tt.parent, tt.count, tt.taxonomy FROM wp_term_taxonomy tt
WHERE tt.term_taxonomy_id IN (?)`
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

// stamp returns a hash of a post's status and date, which the index type_status_date holds.
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

// RelationsOf calls fn for every term_taxonomy_id of each object.
func RelationsOf(ctx context.Context, blog *wp.Blog, objects []int64, fn func(object, taxonomyID int64)) error {
	return blog.ByID(ctx, "reading the terms of objects", sqlRelationsOf, objects, db.Rows2(fn))
}

// TermRows calls fn with the row of each term with one of the term_taxonomy_ids.
func TermRows(ctx context.Context, blog *wp.Blog, taxonomyIDs []int64, fn func(taxonomy string, r TermRow)) error {
	var r TermRow
	var taxonomy string
	return blog.ByID(ctx, "reading rows of terms", sqlTermRowsByID, taxonomyIDs,
		db.Row(func() { fn(taxonomy, r) }, &r.TaxonomyID, &r.ID, &r.Parent, &r.Count, &taxonomy))
}

// NextScheduled returns the date of the first post of a type that is scheduled after a date. Both are seconds of the
// site's clock. It returns NoTime if there is no such post.
func NextScheduled(ctx context.Context, blog *wp.Blog, postType string, after int64) (int64, error) {
	next := wp.NoTime
	date := time.Unix(after, 0).UTC().Format(time.DateTime)
	err := blog.Query(ctx, sqlNextScheduled, []any{postType, date}, db.Rows1(func(date string) { next = wp.ParseDate(date) }))
	return next, blog.Wrap("reading scheduled posts of type "+postType, err)
}
