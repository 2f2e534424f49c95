package wptest

import (
	"cmp"
	"context"
	"database/sql"
	"strings"
	"time"
)

// Writer collects rows and inserts many with one statement, so that a site with a million posts takes only minutes. After the
// first error it does nothing.
type Writer struct {
	ctx    context.Context
	db     *sql.DB
	tx     *sql.Tx
	err    error
	tables []*rows

	posts, PostMeta, Terms, Taxonomy, Relations, users, usermeta, options *rows
}

// rows are the rows of one table that are not yet inserted.
type rows struct {
	insert string // the statement up to VALUES, without the values
	width  int
	values []any
	bytes  int // of the strings in values
}

// Limits for one statement. 500 rows of 20 columns stay below SQLite's 32,766 values, and 1 MB is far below MariaDB's 16 MB.
const (
	batchRows  = 500
	batchBytes = 1 << 20
)

// NewWriter returns a writer for the tables with the prefix wp_.
func NewWriter(ctx context.Context, db *sql.DB) *Writer {
	w := &Writer{ctx: ctx, db: db}
	table := func(name string, columns ...string) *rows {
		r := &rows{insert: "INSERT INTO wp_" + name + " (" + strings.Join(columns, ", ") + ") VALUES ", width: len(columns)}
		w.tables = append(w.tables, r)
		return r
	}
	w.posts = table("posts", "ID", "post_author", "post_date", "post_date_gmt", "post_modified", "post_modified_gmt",
		"post_status", "post_type", "post_name", "post_title", "post_content", "post_excerpt", "post_parent",
		"post_password", "post_mime_type", "guid", "menu_order", "to_ping", "pinged", "post_content_filtered")
	w.PostMeta = table("postmeta", "post_id", "meta_key", "meta_value")
	w.Terms = table("terms", "term_id", "name", "slug")
	w.Taxonomy = table("term_taxonomy", "term_taxonomy_id", "term_id", "taxonomy", "description", "parent", "count")
	w.Relations = table("term_relationships", "object_id", "term_taxonomy_id")
	w.users = table("users", "ID", "user_login", "user_pass", "user_nicename", "user_email", "user_registered", "display_name")
	w.usermeta = table("usermeta", "user_id", "meta_key", "meta_value")
	w.options = table("options", "option_name", "option_value", "autoload")
	return w
}

// Add adds a row. The values have the order of the table's columns.
func (w *Writer) Add(r *rows, values ...any) {
	r.values = append(r.values, values...)
	for _, v := range values {
		if s, ok := v.(string); ok {
			r.bytes += len(s)
		}
	}
	if len(r.values) >= batchRows*r.width || r.bytes >= batchBytes {
		w.flush(r)
	}
}

func (w *Writer) flush(r *rows) {
	if w.err == nil && w.tx == nil {
		w.tx, w.err = w.db.BeginTx(w.ctx, nil)
	}
	if w.err == nil && len(r.values) > 0 {
		row := "(" + strings.Repeat("?,", r.width-1) + "?)"
		n := len(r.values) / r.width
		_, w.err = w.tx.ExecContext(w.ctx, r.insert+strings.Repeat(row+",", n-1)+row, r.values...)
	}
	r.values, r.bytes = r.values[:0], 0
}

// Commit writes all collected rows and commits. After an error it rolls the transaction back and returns the error.
func (w *Writer) Commit() error {
	for _, r := range w.tables {
		w.flush(r)
	}
	if w.err == nil {
		w.err = w.tx.Commit()
	} else if w.tx != nil {
		w.tx.Rollback()
	}
	w.tx = nil
	return w.err
}

// Post is a row of posts. An empty Status means publish, an empty Kind means post.
type Post struct {
	ID, Author, Parent, order        int
	Status, Kind, Slug, Title        string
	Content, excerpt, password, mime string
	Published, Modified              time.Time     // UTC; if Modified is zero, it is Published
	offset                           time.Duration // what local time is ahead of UTC
}

const (
	sqlTime  = "2006-01-02 15:04:05"
	zeroTime = "0000-00-00 00:00:00"
)

func (w *Writer) AddPost(p Post, home string) {
	p.Status = cmp.Or(p.Status, "publish")
	p.Kind = cmp.Or(p.Kind, "post")
	if p.Modified.IsZero() {
		p.Modified = p.Published
	}
	publishedGMT := p.Published.Format(sqlTime)
	if p.Status == "draft" || p.Status == "pending" {
		publishedGMT = zeroTime // WordPress sets the date when it publishes
	}
	w.Add(w.posts, p.ID, p.Author,
		p.Published.Add(p.offset).Format(sqlTime), publishedGMT,
		p.Modified.Add(p.offset).Format(sqlTime), p.Modified.Format(sqlTime),
		p.Status, p.Kind, p.Slug, p.Title, p.Content, p.excerpt, p.Parent,
		p.password, p.mime, home+"/?p="+itoa(p.ID), p.order, "", "", "")
}

// AddImage adds an attachment. file is a path below the uploads directory.
func (w *Writer) AddImage(p Post, file, home string) {
	p.Kind, p.Status, p.mime = "attachment", "inherit", "image/jpeg"
	w.AddPost(p, home)
	w.Add(w.PostMeta, p.ID, "_wp_attached_file", file)
}

// AddUser adds a user with a role. updated is the Unix time that Yoast SEO stores for the profile, 0 for none.
func (w *Writer) AddUser(id int, login, name, role string, level, updated int) {
	w.Add(w.users, id, login, "!", login, login+"@example.test", "2020-01-01 00:00:00", name)
	w.Add(w.usermeta, id, "wp_capabilities", serialize(array{{role, true}}))
	w.Add(w.usermeta, id, "wp_user_level", itoa(level))
	if updated > 0 {
		w.Add(w.usermeta, id, "_yoast_wpseo_profile_updated", itoa(updated))
	}
}
