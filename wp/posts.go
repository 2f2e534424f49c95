package wp

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
	"unsafe"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

const (
	metaThumbnail = "_thumbnail_id"
	zeroDate      = "0000-00-00 00:00:00" // MySQL and the SQLite drop-in store this for a missing date

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

	sqlMetaByKeys = `SELECT post_id, meta_id, meta_key, meta_value FROM wp_postmeta WHERE meta_key IN (?)`
	sqlMetaByPost = `SELECT post_id, meta_id, meta_key, meta_value FROM wp_postmeta WHERE post_id IN (?) AND meta_key IN (?)`

	sqlPostColumns = `SELECT p.ID, p.post_type, p.post_status, p.post_name, p.post_parent, p.post_author, p.post_date, p.post_date_gmt,
p.post_modified, p.post_modified_gmt, p.post_password <> '', `
	sqlPosts    = sqlPostColumns + `'' FROM wp_posts p WHERE p.ID IN (?)`
	sqlContents = sqlPostColumns + `p.post_content FROM wp_posts p WHERE p.ID IN (?)`
)

// PostRow holds the columns of a post that the catalog needs.
type PostRow struct {
	ID, Author  int64
	Modified    int64 // post_modified, site's clock
	ModifiedGMT int64
	Date        int64 // post_date, in the time of the site
	DateGMT     int64
	Stamp       uint32 // hash of the status and post_date, which the index type_status_date holds
	ZeroDate    bool   // post_date is zero
	Protected   bool   // post_password is not empty
	NoName      bool   // post_name is empty

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
	r.Date, r.DateGMT = ParseDate(string(s.date)), ParseDate(string(s.dateGMT))
	r.Modified = ParseDate(string(s.modified))
	r.ModifiedGMT = ParseDate(string(s.modifiedGMT))
	r.Protected, r.NullPassword = s.password.set, s.password.null
	r.ParentStatus = word(s.parentStatus)
	r.ParentOpen, r.NullParentPassword = !s.parentPassword.set, s.parentPassword.null
	r.Stamp = stamp(status, s.date)
}

// PostStatuses returns the statuses that rows of a post type have.
func (s *Blog) PostStatuses(ctx context.Context, postType string) ([]string, error) {
	var statuses []string
	err := s.Query(ctx, sqlPostStatuses, []any{postType}, db.Rows1(func(status string) { statuses = append(statuses, status) }))
	return statuses, s.Wrap("reading the statuses of "+postType, err)
}

// EachPost calls fn for every row of a post type with this status, in the order of dates.
func (s *Blog) EachPost(ctx context.Context, postType, status string, fn func(PostRow) error) error {
	query := sqlPostRows
	if postType == "attachment" {
		query = sqlAttachmentRows
	}
	var scan rowScan
	var r PostRow
	for _, status := range s.storedAs(postType, status) {
		err := s.byDate(ctx, query, postType, status, db.ScanBatch, func(rows *sql.Rows) (int64, []byte, error) {
			r = PostRow{}
			err := rows.Scan(scan.columns(&r)...)
			return r.ID, scan.date, err
		}, func() error {
			scan.finish(&r, status)
			return fn(r)
		})
		if err != nil {
			return s.Wrap("reading posts of type "+postType, err)
		}
	}
	return nil
}

// storedAs returns the values of post_status that count as a status. The operator may let more values of a post
// type count as publish.
func (s *Blog) storedAs(postType, status string) []string {
	if status != "publish" {
		return []string{status}
	}
	return append([]string{status}, s.network.source.Overrides.PostTypes[postType].Statuses...)
}

// status returns the status as which a stored value of post_status counts.
func (s *Blog) status(postType, stored string) string {
	for name, o := range s.network.source.Overrides.PostTypes {
		if strings.EqualFold(name, postType) && slices.ContainsFunc(o.Statuses, func(of string) bool { return strings.EqualFold(of, stored) }) {
			return "publish"
		}
	}
	return stored
}

// byDate calls fn for every row of a post type and status, in the order of dates, after scan has read the row. A
// batch begins with the last date of the batch before it, and skips the rows of that date that it has met. The
// order of rows with the same date is unknown, because some plugins put another column before ID into the index.
func (s *Blog) byDate(ctx context.Context, query, postType, status string, batch int,
	scan func(*sql.Rows) (id int64, date []byte, err error), fn func() error) error {
	date := zeroDate
	var ofDate []int64 // ids of rows with this date that were met
	for {
		n, limit := 0, batch+2*len(ofDate) // so large that a date with many rows is read at most twice
		begin, met := date, slices.Sorted(slices.Values(ofDate))
		err := s.Query(ctx, query, []any{postType, status, date, limit}, func(rows *sql.Rows) error {
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

// valuesByKey holds values of meta, by key and object.
type valuesByKey map[string]map[int64]string

func newValues(keys []string) valuesByKey {
	values := make(valuesByKey, len(keys))
	for _, key := range keys {
		values[key] = map[int64]string{}
	}
	return values
}

func (v valuesByKey) set(id int64, key, value string) { v[key][id] = value }

// firstOf returns a function that reads rows of an id, a meta_id, a meta key and its value. It calls set with the
// value of the smallest meta_id, which WordPress takes for single values. If a row with a smaller meta_id follows,
// it calls set again. A value that is too long is "".
func (s *Blog) firstOf(keys []string, set func(id int64, key, value string)) func(*sql.Rows) error {
	first := make([]map[int64]int64, len(keys))
	for i := range first {
		first[i] = map[int64]int64{}
	}
	return db.Rows4(func(id, metaID int64, stored sql.RawBytes, value db.Value) {
		i := slices.IndexFunc(keys, func(k string) bool { return strings.EqualFold(k, string(stored)) }) // letter case does not count, as in the collation
		if i < 0 {
			return
		}
		if old, ok := first[i][id]; !ok || metaID <= old {
			first[i][id] = metaID
			set(id, keys[i], value.Text)
			if value.TooLong {
				s.long.add(keys[i], id)
			}
		}
	})
}

// MetaByKeys does what MetaOf does. If ids is nil, it reads the meta of every post that has the keys.
func (s *Blog) MetaByKeys(ctx context.Context, ids []int64, keys ...string) (map[string]map[int64]string, error) {
	if ids != nil {
		return s.MetaOf(ctx, ids, keys...)
	}
	values := newValues(keys)
	err := s.Query(ctx, sqlMetaByKeys, []any{keys}, s.firstOf(keys, values.set))
	if err == nil && s.set.FormMeta {
		err = s.Query(ctx, sqlFormMetaByKeys, []any{keys}, s.firstOf(keys, values.set))
	}
	return values, s.Wrap("reading post meta", err)
}

// MetaOf returns the first value of each meta key of posts, by key and post.
func (s *Blog) MetaOf(ctx context.Context, ids []int64, keys ...string) (map[string]map[int64]string, error) {
	values := newValues(keys)
	err := s.meta(ctx, ids, keys, values.set)
	if err == nil && s.set.FormMeta {
		err = s.metaFrom(ctx, sqlFormMeta, ids, keys, values.set)
	}
	return values, err
}

// Post is a post with its public address.
type Post struct {
	ID                   int64
	Type, Status, Name   string
	StoredStatus         string // post_status; if the operator counts it as publish, Status is publish
	Parent, Author       int64
	Date                 string // post_date as stored, in the time of the site
	DateGMT, ModifiedGMT int64
	LocalModified        int64 // post_modified, site's clock
	Protected            bool
	Link                 string      // permalink; "" if the address is not known, see Addressing
	LinkStored           bool        // Link comes from yoast_indexable and was not computed
	Thumbnail            int64       // _thumbnail_id, or 0
	meta                 []metaValue // meta that decides whether the post is listed, see Meta
	primary, trashStatus string
	custom, own          string // the meta custom_permalink; and the address below home by it or by another plugin

	Language   string      // code; "" without a language, or without a multilingual plugin
	Alternates []Alternate // see TranslatedPosts
}

// postScan reads rows with the columns of sqlPosts. Several queries use one postScan, so that its buffers serve
// all rows.
type postScan struct {
	blog                                                    *Blog
	id, parent, author                                      int64
	kind, status, name, date, dateGMT, modifiedGMT, content sql.RawBytes
	modified                                                sql.RawBytes
	protected                                               bool
	columns                                                 []any
}

// row reads a row into p, with more columns before the last one. It returns the text of the last column. This text
// shares the driver's buffer and is valid until the next row.
func (s *postScan) row(rows *sql.Rows, p *Post, more ...any) (string, error) {
	s.columns = append(s.columns[:0], db.Number(&s.id), &s.kind, &s.status, &s.name, db.Number(&s.parent),
		db.Number(&s.author), &s.date, &s.dateGMT, &s.modified, &s.modifiedGMT, db.Bool(&s.protected))
	s.columns = append(append(s.columns, more...), &s.content)
	if err := rows.Scan(s.columns...); err != nil {
		return "", err
	}
	p.ID, p.Parent, p.Author, p.Protected = s.id, s.parent, s.author, s.protected
	p.Type, p.StoredStatus = word(s.kind), word(s.status)
	p.Status = s.blog.status(p.Type, p.StoredStatus)
	p.Name, p.Date = string(s.name), string(s.date)
	p.DateGMT, p.ModifiedGMT = ParseDate(string(s.dateGMT)), ParseDate(string(s.modifiedGMT))
	p.LocalModified = ParseDate(string(s.modified))
	if string(s.content) == db.TooLong {
		s.blog.long.add("post_content", s.id)
		return "", nil
	}
	return unsafe.String(unsafe.SliceData(s.content), len(s.content)), nil
}

// eachPost calls fn for each row, by id. text is the last column of the query. It shares the driver's buffer and
// is valid until fn returns.
func (s *Blog) eachPost(ctx context.Context, query string, ids []int64, fn func(p *Post, text string)) error {
	scan := postScan{blog: s}
	return s.byID(ctx, "reading posts", query, ids, func(rows *sql.Rows) error {
		p := new(Post)
		text, err := scan.row(rows, p)
		if err == nil {
			fn(p, text)
		}
		return err
	})
}

// words holds frequent texts: nearly every row contains one of them.
var words = []string{"", "publish", "inherit", "post", "page", "attachment", "product", "image/jpeg", "image/png", "image/webp"}

// word returns a text. If the text is one of words, word allocates no memory.
func word(b []byte) string {
	for _, w := range words {
		if string(b) == w {
			return w
		}
	}
	return string(b)
}

// metaValue is the first value of a meta key.
type metaValue struct{ key, value string }

// Meta returns the stored value of a meta key that decides whether posts are listed, or "".
func (p *Post) Meta(key string) string {
	for i := range p.meta {
		if p.meta[i].key == key {
			return p.meta[i].value
		}
	}
	return ""
}

// setMeta stores the value of a meta key in p. A later call for the same key, with a smaller meta_id, replaces the
// value.
func (s *Blog) setMeta(p *Post, key, value string) {
	if key == metaThumbnail {
		p.Thumbnail = php.NewString(value).Int()
		return
	}
	if s.setPrimary(p, key, value) {
		return
	}
	for i := range p.meta {
		if p.meta[i].key == key {
			p.meta[i].value = value
			return
		}
	}
	p.meta = append(p.meta, metaValue{key, value})
}

// Posts reads posts by id, with the meta that decides and with their links, in the order of ids. It leaves out ids
// without a row.
//
// If content is not nil, Posts calls it for every row with post_content. This text shares the driver's buffer and
// is valid only during the call. The posts then lack the meta that decides whether they are listed.
func (s *Blog) Posts(ctx context.Context, ids []int64, content func(p *Post, content string)) ([]*Post, error) {
	return s.TranslatedPosts(ctx, ids, content, nil, nil)
}

// TranslatedPosts does what Posts does and sets Alternates to the translations for which keep is true. If
// thumbnails is not nil, it holds the thumbnails of all posts, which are then not read again.
func (s *Blog) TranslatedPosts(ctx context.Context, ids []int64, content func(p *Post, content string),
	keep func(id int64) bool, thumbnails Thumbnails) ([]*Post, error) {
	byID := make(map[int64]*Post, len(ids))
	query := sqlPosts
	if content != nil {
		query = sqlContents
	}
	err := s.eachPost(ctx, query, ids, func(p *Post, text string) {
		byID[p.ID] = p
		p.Thumbnail = thumbnails.Of(p.ID)
		if content != nil {
			content(p, text)
		}
	})
	if err != nil {
		return nil, err
	}
	var keys []string
	if thumbnails == nil {
		keys = append(keys, metaThumbnail)
	}
	if content == nil {
		keys = append(keys, s.DecisiveMeta()...)
	}
	if s.showsCategories() {
		keys = s.withPrimary(keys...)
	}
	posts := inOrder(byID, ids)
	return posts, s.complete(ctx, posts, keep, s.withHandSet(keys...), s.setMeta)
}

// complete reads meta of posts and sets their links. It calls set with the first value of each key. keep is as in
// TranslatedPosts.
func (s *Blog) complete(ctx context.Context, posts []*Post, keep func(id int64) bool, keys []string, set func(p *Post, key, value string)) error {
	t, err := s.translatePosts(ctx, posts, keep)
	if err != nil {
		return err
	}
	all := slices.Concat(t.others, posts)
	read := posts
	if s.showsCategories() || s.set.HandSet.Custom {
		read = all
	}
	if err := s.postMeta(ctx, read, keys, set); err != nil {
		return err
	}
	if err := s.link(ctx, all); err != nil {
		return err
	}
	t.fill(posts)
	return nil
}

// inOrder returns the values of byID in the order of ids. It leaves out ids without a value.
func inOrder[T any](byID map[int64]*T, ids []int64) []*T {
	all := make([]*T, 0, len(byID))
	for _, id := range ids {
		if v := byID[id]; v != nil {
			all = append(all, v)
		}
	}
	return all
}

// postMeta calls fn with the first value of every key for every post. For GiveWP's forms it also reads the
// featured images.
func (s *Blog) postMeta(ctx context.Context, posts []*Post, keys []string, fn func(p *Post, key, value string)) error {
	byID := make(map[int64]*Post, len(posts))
	ids := make([]int64, len(posts))
	var forms []int64
	for i, p := range posts {
		byID[p.ID], ids[i] = p, p.ID
		if s.set.FormMeta && p.Type == typeForm {
			forms = append(forms, p.ID)
		}
	}
	set := func(id int64, key, value string) { fn(byID[id], key, value) }
	if err := s.meta(ctx, ids, keys, set); err != nil {
		return err
	}
	return s.metaFrom(ctx, sqlFormMeta, forms, append(keys, metaThumbnail), set)
}

// meta calls fn with the first value of every key for every post.
func (s *Blog) meta(ctx context.Context, ids []int64, keys []string, fn func(id int64, key, value string)) error {
	return s.metaFrom(ctx, sqlMetaByPost, ids, keys, fn)
}

func (s *Blog) metaFrom(ctx context.Context, query string, ids []int64, keys []string, fn func(id int64, key, value string)) error {
	if len(keys) == 0 {
		return nil
	}
	return s.byID(ctx, "reading post meta", query, ids, s.firstOf(keys, fn), keys)
}

// MetaValues returns all values of one meta key, by post.
func (s *Blog) MetaValues(ctx context.Context, ids []int64, key string) (map[int64][]sql.NullString, error) {
	values := map[int64][]sql.NullString{}
	err := s.byID(ctx, "reading post meta "+key, sqlMetaByPost, ids, db.Rows4(func(id, _ int64, _ string, value sql.NullString) {
		values[id] = append(values[id], value)
	}), []string{key})
	return values, err
}

// password is the state of a column post_password. PHP and WordPress read NULL as an empty password, but in SQL a
// comparison of NULL with an empty text is not true.
type password struct {
	set  bool // not empty
	null bool
}

// Scan reads the condition post_password <> ”.
func (p *password) Scan(value any) (err error) {
	p.null = value == nil
	p.set, err = db.Condition(value)
	return err
}
