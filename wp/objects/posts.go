// Package objects reads rows of posts, terms, users and media of a blog. It reads what lists are made of, finds
// objects by name, and finds what was written. Package address reads posts, terms and authors with their addresses.
package objects

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"time"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
)

const (
	zeroDate        = "0000-00-00 00:00:00" // MySQL and the SQLite drop-in store this for a missing date
	sqlPostStatuses = `SELECT DISTINCT post_status FROM wp_posts WHERE post_type = ?`
	// The query reads the index type_status_date in its own order, batch by batch: no sort, no OFFSET. Without
	// FORCE INDEX MariaDB reads the index from its start for every batch.
	sqlPostRows = `SELECT p.ID, p.post_author, p.post_date, p.post_date_gmt, p.post_modified, p.post_modified_gmt,
p.post_password <> '', COALESCE(p.post_name, '') = '', '', 0
FROM wp_posts p FORCE INDEX (type_status_date)
WHERE p.post_type = ? AND p.post_status = ? AND p.post_date >= ? ORDER BY p.post_date LIMIT ?`
	sqlAttachmentRows = `SELECT p.ID, p.post_author, p.post_date, p.post_date_gmt, p.post_modified, p.post_modified_gmt,
p.post_password <> '', COALESCE(p.post_name, '') = '', COALESCE(parent.post_status, ''), parent.post_password <> ''
FROM wp_posts p FORCE INDEX (type_status_date) LEFT JOIN wp_posts parent ON parent.ID = p.post_parent
WHERE p.post_type = ? AND p.post_status = ? AND p.post_date >= ? ORDER BY p.post_date LIMIT ?`
)

// PostRow holds the columns of a post that decide whether lists contain it.
type PostRow struct {
	ID, Author int64
	Type       string
	Status     string // post_status; if the operator counts it as publish, it is publish
	Dates      wp.Dates
	Stamp      uint32 // hash of the status and post_date, which the index type_status_date holds
	ZeroDate   bool   // post_date is zero
	Protected  bool   // post_password is not empty
	NoName     bool   // post_name is empty
	Slug       string // post_name; only PostRows sets it

	// The status of an attachment's parent ("" without a parent), and whether the parent has no password.
	ParentStatus string
	ParentOpen   bool

	NullPassword, NullParentPassword bool // the column is NULL; see password
}

// rowScan reads rows with the columns of sqlPostRows, one after another.
type rowScan struct {
	date, dateGMT, modified, modifiedGMT, parentStatus sql.RawBytes
	password, parentPassword                           password
	all                                                []any
}

// columns returns the places for the columns of a row. After the scan, finish sets the fields of r from them.
func (s *rowScan) columns(r *PostRow) []any {
	s.all = append(s.all[:0], db.Number(&r.ID), db.Number(&r.Author), &s.date, &s.dateGMT, &s.modified,
		&s.modifiedGMT, &s.password, db.Bool(&r.NoName), &s.parentStatus, &s.parentPassword)
	return s.all
}

func (s *rowScan) finish(r *PostRow, status string) {
	r.ZeroDate = string(s.date) == zeroDate
	r.Dates = wp.ParseDates(s.date, s.modified, s.dateGMT, s.modifiedGMT)
	r.Protected, r.NullPassword = s.password.set, s.password.null
	r.ParentStatus = Word(s.parentStatus)
	r.ParentOpen, r.NullParentPassword = !s.parentPassword.set, s.parentPassword.null
	r.Stamp = stamp(status, s.date)
}

// PostStatuses returns the statuses that rows of a post type have.
func PostStatuses(ctx context.Context, blog *wp.Blog, postType string) ([]string, error) {
	var statuses []string
	err := blog.Query(ctx, sqlPostStatuses, []any{postType}, db.Rows1(func(status string) { statuses = append(statuses, status) }))
	return statuses, blog.Wrap("reading the statuses of "+postType, err)
}

// EachPost calls fn for every row of a post type with this status, in the order of dates.
func EachPost(ctx context.Context, blog *wp.Blog, postType, status string, fn func(PostRow) error) error {
	query := sqlPostRows
	if postType == "attachment" {
		query = sqlAttachmentRows
	}
	var scan rowScan
	var r PostRow
	for _, stored := range blog.Overrides().StoredAs(postType, status) {
		err := byDate(ctx, blog, query, postType, stored, db.ScanBatch, func(rows *sql.Rows) (int64, []byte, error) {
			r = PostRow{Type: postType, Status: status}
			err := rows.Scan(scan.columns(&r)...)
			return r.ID, scan.date, err
		}, func() error {
			scan.finish(&r, stored)
			return fn(r)
		})
		if err != nil {
			return blog.Wrap("reading posts of type "+postType, err)
		}
	}
	return nil
}

// byDate reads the rows of a post type and status in the order of dates. It calls scan for each row and then fn. It
// reads them in batches. A batch begins with the last date of the batch before, and skips the rows of that date that
// were read already.
//
// The order of rows with the same date is unknown, because some plugins put another column before ID into the index.
func byDate(ctx context.Context, blog *wp.Blog, query, postType, status string, batch int,
	scan func(*sql.Rows) (id int64, date []byte, err error), fn func() error) error {
	date := zeroDate
	var ofDate []int64 // ids of rows with this date that were met
	for {
		n, limit := 0, batch+2*len(ofDate) // so large that a date with many rows is read at most twice
		begin, met := date, slices.Sorted(slices.Values(ofDate))
		err := blog.Query(ctx, query, []any{postType, status, date, limit}, func(rows *sql.Rows) error {
			id, at, err := scan(rows)
			if err != nil {
				return err
			}
			n++
			if string(at) != date {
				date, ofDate = string(at), ofDate[:0]
			}
			beyond := id == math.MaxInt64 // ids beyond this are cut to it, see db.Number
			if date == begin && !beyond {
				if _, again := slices.BinarySearch(met, id); again {
					return nil
				}
			}
			ofDate = append(ofDate, id)
			if beyond {
				return nil
			}
			return fn()
		})
		if err != nil || n < limit {
			return err
		}
	}
}

// password is the state of a column post_password. PHP and WordPress read NULL as an empty password, but in SQL a
// comparison of NULL with an empty text is not true.
type password struct {
	set  bool // not empty
	null bool
}

// Scan implements sql.Scanner for the condition that post_password is not empty. NULL means that the
// password is NULL.
func (p *password) Scan(value any) (err error) {
	p.null = value == nil
	p.set, err = db.Condition(value)
	return err
}

// words holds frequent texts: nearly every row contains one of them.
var words = []string{"", "publish", "inherit", "post", "page", "attachment", "product", "image/jpeg", "image/png", "image/webp"}

// Word returns a text. If the text is one of words, Word allocates no memory.
func Word(b []byte) string {
	for _, w := range words {
		if string(b) == w {
			return w
		}
	}
	return string(b)
}

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
