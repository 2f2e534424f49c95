package wp

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"unsafe"

	"wpsitemapd/wp/php"
)

// Post meta keys that decide about an entry.
const (
	MetaNoindex   = "_yoast_wpseo_meta-robots-noindex"
	MetaCanonical = "_yoast_wpseo_canonical"

	metaThumbnail = "_thumbnail_id"
	metaPrimary   = "_yoast_wpseo_primary_category"
)

// zeroDate is how MySQL and the SQLite drop-in write a date that is none.
const zeroDate = "0000-00-00 00:00:00"

const (
	sqlPostStatuses = `SELECT DISTINCT post_status FROM wp_posts WHERE post_type = ?`

	// Walks type_status_date in its own order, a batch at a time: no sort, no OFFSET.
	sqlPostRows = `SELECT p.ID, p.post_author, p.post_date, p.post_date_gmt, p.post_modified, p.post_modified_gmt, p.post_password <> '', p.post_name = '', '', ''
FROM wp_posts p
WHERE p.post_type = ? AND p.post_status = ? AND p.post_date >= ? AND (p.post_date > ? OR p.ID > ?)
ORDER BY p.post_date, p.ID LIMIT ?`
	sqlAttachmentRows = `SELECT p.ID, p.post_author, p.post_date, p.post_date_gmt, p.post_modified, p.post_modified_gmt, p.post_password <> '', p.post_name = '', COALESCE(parent.post_status, ''), COALESCE(parent.post_password, 'none')
FROM wp_posts p LEFT JOIN wp_posts parent ON parent.ID = p.post_parent
WHERE p.post_type = ? AND p.post_status = ? AND p.post_date >= ? AND (p.post_date > ? OR p.ID > ?)
ORDER BY p.post_date, p.ID LIMIT ?`

	sqlMetaByKey  = `SELECT post_id, meta_id, meta_value FROM wp_postmeta WHERE meta_key = ?`
	sqlMetaByPost = `SELECT post_id, meta_id, meta_key, meta_value FROM wp_postmeta WHERE post_id IN (?) AND meta_key IN (?)`

	sqlPostDates = `SELECT ID, post_type, post_status, post_modified, post_modified_gmt, post_password <> '' FROM wp_posts WHERE ID IN (?)`
	sqlPosts     = `SELECT ID, post_type, post_status, post_name, post_parent, post_author, post_date, post_date_gmt, post_modified_gmt, post_mime_type, post_password <> '', '' FROM wp_posts WHERE ID IN (?)`
	sqlContents  = `SELECT ID, post_type, post_status, post_name, post_parent, post_author, post_date, post_date_gmt, post_modified_gmt, post_mime_type, post_password <> '', post_content FROM wp_posts WHERE ID IN (?)`
)

// PostRow is the narrow row of a post that the catalog is made of.
type PostRow struct {
	ID, Author  int64
	Modified    int64 // post_modified, site's clock
	ModifiedGMT int64
	DateGMT     int64
	ZeroDate    bool // post_date is zero
	Protected   bool // post_password is not empty
	NoName      bool // post_name is empty

	// Attachments only: the parent's status ("" without parent) and whether it is open to all.
	ParentStatus string
	ParentOpen   bool
}

// PostStatuses returns the statuses rows of a post type have.
func (s *Site) PostStatuses(ctx context.Context, postType string) ([]string, error) {
	var statuses []string
	err := s.query(ctx, sqlPostStatuses, []any{postType}, func(rows *sql.Rows) error {
		var status string
		if err := rows.Scan(&status); err != nil {
			return err
		}
		statuses = append(statuses, status)
		return nil
	})
	return statuses, s.wrap("reading the statuses of "+postType, err)
}

// EachPost calls fn for every row of a post type with the given status, by date.
func (s *Site) EachPost(ctx context.Context, postType, status string, fn func(PostRow) error) error {
	query := sqlPostRows
	if postType == "attachment" {
		query = sqlAttachmentRows
	}
	date, id := zeroDate, int64(0)
	for {
		n := 0
		err := s.query(ctx, query, []any{postType, status, date, date, id, scanBatch}, func(rows *sql.Rows) error {
			var postDate, dateGMT, modified, modifiedGMT sql.RawBytes
			var parentPassword string
			var r PostRow
			if err := rows.Scan(number(&r.ID), number(&r.Author), &postDate, &dateGMT, &modified, &modifiedGMT, &r.Protected, &r.NoName, &r.ParentStatus, &parentPassword); err != nil {
				return err
			}
			n++
			id = r.ID
			if id == math.MaxInt64 { // or beyond, see number
				return nil
			}
			if date != string(postDate) {
				date = string(postDate)
			}
			r.ZeroDate = date == zeroDate
			r.DateGMT = ParseDate(string(dateGMT))
			r.Modified = ParseDate(string(modified))
			r.ModifiedGMT = ParseDate(string(modifiedGMT))
			r.ParentOpen = parentPassword == ""
			return fn(r)
		})
		if err != nil {
			return s.wrap("reading posts of type "+postType, err)
		}
		if n < scanBatch {
			return nil
		}
	}
}

// MetaByKey returns the first value (smallest meta_id, as WordPress reads single values) of one meta key for every post that has it.
func (s *Site) MetaByKey(ctx context.Context, key string) (map[int64]string, error) {
	type first struct {
		metaID int64
		value  string
	}
	found := map[int64]first{}
	err := s.query(ctx, sqlMetaByKey, []any{key}, func(rows *sql.Rows) error {
		var postID, metaID int64
		var value sql.NullString
		if err := rows.Scan(number(&postID), number(&metaID), &value); err != nil {
			return err
		}
		if old, ok := found[postID]; !ok || metaID < old.metaID {
			found[postID] = first{metaID, value.String}
		}
		return nil
	})
	values := make(map[int64]string, len(found))
	for id, f := range found {
		values[id] = f.value
	}
	return values, s.wrap("reading post meta "+key, err)
}

// PostDates is what other objects' dates are computed from.
type PostDates struct {
	ID                    int64
	Type, Status          string
	Modified, ModifiedGMT int64
	Protected             bool
}

// PostDates reads the dates of posts by id.
func (s *Site) PostDates(ctx context.Context, ids []int64, fn func(PostDates)) error {
	return s.wrap("reading dates of posts", batches(ids, func(ids []int64) error {
		return s.query(ctx, sqlPostDates, []any{ids}, func(rows *sql.Rows) error {
			var d PostDates
			var modified, modifiedGMT string
			if err := rows.Scan(&d.ID, &d.Type, &d.Status, &modified, &modifiedGMT, &d.Protected); err != nil {
				return err
			}
			d.Modified, d.ModifiedGMT = ParseDate(modified), ParseDate(modifiedGMT)
			fn(d)
			return nil
		})
	}))
}

// Post is one row with its public address.
type Post struct {
	ID                   int64
	Type, Status, Name   string
	Parent, Author       int64
	Date                 string // post_date as stored, site's clock
	DateGMT, ModifiedGMT int64
	MIME                 string
	Protected            bool
	Link                 string // permalink
	Thumbnail            int64  // _thumbnail_id, 0 without
	noindex, canonical   string
	primary, trashStatus string

	Language   string      // code; "" without a language, or without a multilingual plugin
	Alternates []Alternate // see TranslatedPosts
}

// Noindex is the value of _yoast_wpseo_meta-robots-noindex, "" without.
func (p *Post) Noindex() string { return p.noindex }

// Canonical is the value of _yoast_wpseo_canonical, "" without.
func (p *Post) Canonical() string { return p.canonical }

// Posts reads rows by id, with the meta that decides and with their permalinks, in the
// order of ids. Ids without a row are left out. content, if not nil, is called for every row
// with its post_content, which shares the driver's buffer: it is valid during the call only, and
// what is kept of it must be copied.
func (s *Site) Posts(ctx context.Context, ids []int64, content func(p *Post, content string)) ([]*Post, error) {
	return s.TranslatedPosts(ctx, ids, content, nil)
}

// TranslatedPosts is Posts with the Alternates of each: of its translations, those that keep lets pass.
func (s *Site) TranslatedPosts(ctx context.Context, ids []int64, content func(p *Post, content string), keep func(id int64) bool) ([]*Post, error) {
	byID := make(map[int64]*Post, len(ids))
	query := sqlPosts
	if content != nil {
		query = sqlContents
	}
	err := batches(ids, func(ids []int64) error {
		return s.query(ctx, query, []any{ids}, func(rows *sql.Rows) error {
			p := new(Post)
			var dateGMT, modifiedGMT, text sql.RawBytes
			if err := rows.Scan(number(&p.ID), &p.Type, &p.Status, &p.Name, number(&p.Parent), number(&p.Author), &p.Date, &dateGMT, &modifiedGMT, &p.MIME, &p.Protected, &text); err != nil {
				return err
			}
			p.DateGMT, p.ModifiedGMT = ParseDate(string(dateGMT)), ParseDate(string(modifiedGMT))
			byID[p.ID] = p
			if content != nil {
				content(p, unsafe.String(unsafe.SliceData(text), len(text)))
			}
			return nil
		})
	})
	if err != nil {
		return nil, s.wrap("reading posts", err)
	}
	posts := make([]*Post, 0, len(byID))
	for _, id := range ids {
		if p := byID[id]; p != nil {
			posts = append(posts, p)
		}
	}
	t, err := s.translatePosts(ctx, posts, keep)
	if err != nil {
		return nil, err
	}
	if len(t.others) > 0 && s.links().Needs("category") {
		ids = slices.Clone(ids)
		for _, p := range t.others {
			ids = append(ids, p.ID)
			byID[p.ID] = p
		}
	}
	keys := []string{metaThumbnail, MetaNoindex, MetaCanonical, metaPrimary}
	err = s.meta(ctx, ids, keys, func(id int64, key, value string) {
		p := byID[id]
		if p == nil {
			return
		}
		switch key {
		case metaThumbnail:
			p.Thumbnail = php.NewString(value).Int()
		case MetaNoindex:
			p.noindex = value
		case MetaCanonical:
			p.canonical = value
		case metaPrimary:
			p.primary = value
		}
	})
	if err != nil {
		return nil, err
	}
	if err := s.link(ctx, append(t.others, posts...)); err != nil {
		return nil, err
	}
	t.fill(posts)
	return posts, nil
}

// meta calls fn with the first value of every key for every post.
func (s *Site) meta(ctx context.Context, ids []int64, keys []string, fn func(id int64, key, value string)) error {
	type slot struct {
		id  int64
		key string
	}
	return s.wrap("reading post meta", batches(ids, func(ids []int64) error {
		first := map[slot]int64{}
		return s.query(ctx, sqlMetaByPost, []any{ids, keys}, func(rows *sql.Rows) error {
			var at slot
			var metaID int64
			var value sql.NullString
			if err := rows.Scan(number(&at.id), number(&metaID), &at.key, &value); err != nil {
				return err
			}
			if old, ok := first[at]; ok && old < metaID {
				return nil
			}
			first[at] = metaID
			fn(at.id, at.key, value.String)
			return nil
		})
	}))
}

// distinct returns the ids in ascending order, each once.
func distinct(ids []int64) []int64 {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}
