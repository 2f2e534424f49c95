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
	zeroDate      = "0000-00-00 00:00:00" // how MySQL and the SQLite drop-in write a missing date

	sqlPostStatuses = `SELECT DISTINCT post_status FROM wp_posts WHERE post_type = ?`

	// Walk type_status_date in its own order, a batch at a time: no sort, no OFFSET. Left to itself,
	// MariaDB goes through the index from its start for every batch.
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

// PostRow is the narrow row of a post that the catalog is made of.
type PostRow struct {
	ID, Author  int64
	Modified    int64 // post_modified, site's clock
	ModifiedGMT int64
	Date        int64 // post_date, site's clock
	DateGMT     int64
	Stamp       uint32 // of what the index type_status_date holds: status and post_date
	ZeroDate    bool   // post_date is zero
	Protected   bool   // post_password is not empty
	NoName      bool   // post_name is empty

	// Attachments only: the parent's status ("" without parent) and whether it is open to all.
	ParentStatus string
	ParentOpen   bool

	NullPassword, NullParentPassword bool // it is NULL; see password
}

// rowScan reads rows of the columns of sqlPostRows, one after another.
type rowScan struct {
	date, dateGMT, modified, modifiedGMT, parentStatus sql.RawBytes
	password, parentPassword                           password
	all                                                []any
}

// columns are the places for a row, and finish fills in what they make of it.
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

// PostStatuses returns the statuses rows of a post type have.
func (s *Blog) PostStatuses(ctx context.Context, postType string) ([]string, error) {
	var statuses []string
	err := s.Query(ctx, sqlPostStatuses, []any{postType}, db.Rows1(func(status string) { statuses = append(statuses, status) }))
	return statuses, s.wrap("reading the statuses of "+postType, err)
}

// EachPost calls fn for every row of a post type with the given status, by date.
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
			return s.wrap("reading posts of type "+postType, err)
		}
	}
	return nil
}

// storedAs are the values of post_status that are a status to us: the operator counts some as publish, of a type.
func (s *Blog) storedAs(postType, status string) []string {
	if status != "publish" {
		return []string{status}
	}
	return append([]string{status}, s.network.source.Overrides.PostTypes[postType].Statuses...)
}

// status is what a value of post_status is to us.
func (s *Blog) status(postType, stored string) string {
	for name, o := range s.network.source.Overrides.PostTypes {
		if strings.EqualFold(name, postType) && slices.ContainsFunc(o.Statuses, func(of string) bool { return strings.EqualFold(of, stored) }) {
			return "publish"
		}
	}
	return stored
}

// byDate calls fn for every row of a post type and status that scan has read, by date. A batch begins with the date
// at which the one before it ended, and rows of that date that were met are left out: the order of rows with the same
// date is not known, as some plugins put another column before ID into the index.
func (s *Blog) byDate(ctx context.Context, query, postType, status string, batch int,
	scan func(*sql.Rows) (id int64, date []byte, err error), fn func() error) error {
	date := zeroDate
	var ofDate []int64 // ids of that date that were met
	for {
		n, limit := 0, batch+2*len(ofDate) // a date with many rows is through after reading each twice
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
			beyond := id == math.MaxInt64 // see number
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

// valuesByKey are the values of meta keys, by key and object.
type valuesByKey map[string]map[int64]string

func newValues(keys []string) valuesByKey {
	values := make(valuesByKey, len(keys))
	for _, key := range keys {
		values[key] = map[int64]string{}
	}
	return values
}

func (v valuesByKey) set(id int64, key, value string) { v[key][id] = value }

// firstOf scans rows of an id, meta_id, a meta key and its value; "" is the value of one that is too long. It calls set with the value of the smallest meta_id, as
// WordPress reads single values; it is called again where a smaller one follows.
func (s *Blog) firstOf(keys []string, set func(id int64, key, value string)) func(*sql.Rows) error {
	first := make([]map[int64]int64, len(keys))
	for i := range first {
		first[i] = map[int64]int64{}
	}
	return db.Rows4(func(id, metaID int64, stored sql.RawBytes, value db.Value) {
		i := slices.IndexFunc(keys, func(k string) bool { return strings.EqualFold(k, string(stored)) }) // as the collation compares
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

// MetaByKeys is MetaOf; ids nil: of every post that has the keys.
func (s *Blog) MetaByKeys(ctx context.Context, ids []int64, keys ...string) (map[string]map[int64]string, error) {
	if ids != nil {
		return s.MetaOf(ctx, ids, keys...)
	}
	values := newValues(keys)
	err := s.Query(ctx, sqlMetaByKeys, []any{keys}, s.firstOf(keys, values.set))
	if err == nil && s.set.FormMeta {
		err = s.Query(ctx, sqlFormMetaByKeys, []any{keys}, s.firstOf(keys, values.set))
	}
	return values, s.wrap("reading post meta", err)
}

// MetaOf returns the first values of meta keys of posts, by key and post.
func (s *Blog) MetaOf(ctx context.Context, ids []int64, keys ...string) (map[string]map[int64]string, error) {
	values := newValues(keys)
	err := s.meta(ctx, ids, keys, values.set)
	if err == nil && s.set.FormMeta {
		err = s.metaFrom(ctx, sqlFormMeta, ids, keys, values.set)
	}
	return values, err
}

// Post is one row with its public address.
type Post struct {
	ID                   int64
	Type, Status, Name   string
	StoredStatus         string // post_status; Status is publish where the operator counts it as that
	Parent, Author       int64
	Date                 string // post_date as stored, site's clock
	DateGMT, ModifiedGMT int64
	LocalModified        int64 // post_modified, site's clock
	Protected            bool
	Link                 string      // permalink; "" where the address is not known, see Addressing
	LinkStored           bool        // Link is as stored in yoast_indexable, and not as computed
	Thumbnail            int64       // _thumbnail_id, 0 without
	meta                 []metaValue // of the keys that decide, see Meta
	primary, trashStatus string
	custom, own          string // custom_permalink, and what the address is below home by it or by another plugin

	Language   string      // code; "" without a language, or without a multilingual plugin
	Alternates []Alternate // see TranslatedPosts
}

// postScan reads rows of the columns of sqlPosts. It is used for one query after another: what
// it needs for a row is the same for all.
type postScan struct {
	blog                                                    *Blog
	id, parent, author                                      int64
	kind, status, name, date, dateGMT, modifiedGMT, content sql.RawBytes
	modified                                                sql.RawBytes
	protected                                               bool
	columns                                                 []any
}

// row reads a row, with more before the last column, which is the text it returns. That one
// shares the driver's buffer, until the next row.
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

// eachPost calls fn for rows by id, with the last column of the query, which shares the driver's buffer.
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

// words are texts that nearly every row has one of.
var words = []string{"", "publish", "inherit", "post", "page", "attachment", "product", "image/jpeg", "image/png", "image/webp"}

// word returns a text without memory of its own, if it is one of words.
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

// Meta is the value of a meta key that decides whether posts are listed, as it is stored; "" without.
func (p *Post) Meta(key string) string {
	for i := range p.meta {
		if p.meta[i].key == key {
			return p.meta[i].value
		}
	}
	return ""
}

// setMeta sets what the value of a meta key is; it can come again, with a smaller meta_id.
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

// Posts reads rows by id, with the meta that decides and with their permalinks, in the
// order of ids. Ids without a row are left out. content, if not nil, is called for every row
// with its post_content, which shares the driver's buffer: it is valid during the call only, and
// what is kept of it must be copied. Then the posts have neither Noindex nor Canonical, which
// are for deciding about them, not for listing them.
func (s *Blog) Posts(ctx context.Context, ids []int64, content func(p *Post, content string)) ([]*Post, error) {
	return s.TranslatedPosts(ctx, ids, content, nil, nil)
}

// TranslatedPosts is Posts with the Alternates of each: of its translations, those that keep lets pass. thumbnails,
// if not nil, holds those of all posts, which are not read once more.
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

// complete reads meta of posts, of which set gets the first value of each key, and makes their links. keep is as in TranslatedPosts.
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

// inOrder returns what is known of ids, in their order.
func inOrder[T any](byID map[int64]*T, ids []int64) []*T {
	all := make([]*T, 0, len(byID))
	for _, id := range ids {
		if v := byID[id]; v != nil {
			all = append(all, v)
		}
	}
	return all
}

// postMeta calls fn with the first value of every key for every post, and with the featured images of GiveWP's forms.
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

// password is what a query says of a post_password. PHP reads NULL as an empty one, and so does WordPress where it asks
// for a password; a condition of SQL such as post_password = ” is not true of it.
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
