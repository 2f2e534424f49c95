package wp

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"unsafe"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

const (
	metaThumbnail = "_thumbnail_id"

	sqlMetaByKeys = `SELECT post_id, meta_id, meta_key, meta_value FROM wp_postmeta WHERE meta_key IN (?)`
	sqlMetaByPost = `SELECT post_id, meta_id, meta_key, meta_value FROM wp_postmeta WHERE post_id IN (?) AND meta_key IN (?)`

	sqlPostColumns = `SELECT p.ID, p.post_type, p.post_status, p.post_name, p.post_parent, p.post_author, p.post_date, p.post_date_gmt,
p.post_modified, p.post_modified_gmt, p.post_password <> '', `
	sqlPosts    = sqlPostColumns + `'' FROM wp_posts p WHERE p.ID IN (?)`
	sqlContents = sqlPostColumns + `p.post_content FROM wp_posts p WHERE p.ID IN (?)`
)

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
	err := s.EachMeta(ctx, ids, keys, values.set)
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
	Dates                Dates
	Protected            bool
	Link                 string      // permalink; "" if the address is not known, see Addressing
	LinkStored           bool        // Link comes from yoast_indexable and was not computed
	Thumbnail            int64       // _thumbnail_id, or 0
	meta                 []metaValue // meta that decides whether the post is listed, see Meta
	primary, trashStatus string
	custom, own          string // custom: the meta custom_permalink; own: the path below home by this meta or another plugin

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
	p.Type, p.StoredStatus = Word(s.kind), Word(s.status)
	p.Status = s.blog.Overrides().Status(p.Type, p.StoredStatus)
	p.Name, p.Date = string(s.name), string(s.date)
	p.Dates = ParseDates(s.date, s.modified, s.dateGMT, s.modifiedGMT)
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
	return s.ByID(ctx, "reading posts", query, ids, func(rows *sql.Rows) error {
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

// Word returns a text. If the text is one of words, Word allocates no memory.
func Word(b []byte) string {
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
	if err := s.EachMeta(ctx, ids, keys, set); err != nil {
		return err
	}
	return s.metaFrom(ctx, sqlFormMeta, forms, append(keys, metaThumbnail), set)
}

// EachMeta calls fn with the first value of every key for every post.
func (s *Blog) EachMeta(ctx context.Context, ids []int64, keys []string, fn func(id int64, key, value string)) error {
	return s.metaFrom(ctx, sqlMetaByPost, ids, keys, fn)
}

func (s *Blog) metaFrom(ctx context.Context, query string, ids []int64, keys []string, fn func(id int64, key, value string)) error {
	if len(keys) == 0 {
		return nil
	}
	return s.ByID(ctx, "reading post meta", query, ids, s.firstOf(keys, fn), keys)
}

// MetaValues returns all values of one meta key, by post.
func (s *Blog) MetaValues(ctx context.Context, ids []int64, key string) (map[int64][]sql.NullString, error) {
	values := map[int64][]sql.NullString{}
	err := s.ByID(ctx, "reading post meta "+key, sqlMetaByPost, ids, db.Rows4(func(id, _ int64, _ string, value sql.NullString) {
		values[id] = append(values[id], value)
	}), []string{key})
	return values, err
}
