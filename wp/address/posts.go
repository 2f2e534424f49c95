package address

import (
	"context"
	"database/sql"
	"slices"
	"unsafe"

	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/php"
)

// Filled returns the post's meta _filled, with which WP Job Manager says that a position is filled. It returns "" if
// the post has no such meta or if the value looks serialized.
func (p *Post) Filled() string { return plain(p.Meta(wp.MetaFilled)) }

// plain returns a meta value that is plain text. It returns "" for a value that looks serialized.
func plain(value string) string {
	if php.IsSerialized(value) {
		return ""
	}
	return value
}

// LinksTo returns the post's meta _links_to: the address to which the plugin Page Links To leads visitors of the
// post. It returns "" if the post has no such meta or if the value looks serialized.
func (p *Post) LinksTo() string { return plain(p.Meta(wp.MetaLinksTo)) }

const (
	sqlPostColumns = `SELECT p.ID, p.post_type, p.post_status, p.post_name, p.post_parent, p.post_author, p.post_date, p.post_date_gmt,
p.post_modified, p.post_modified_gmt, p.post_password <> '', `
	sqlPosts    = sqlPostColumns + `'' FROM wp_posts p WHERE p.ID IN (?)`
	sqlContents = sqlPostColumns + `p.post_content FROM wp_posts p WHERE p.ID IN (?)`
)

// Post is a post with its public address.
type Post struct {
	ID                   int64
	Type, Status, Name   string
	StoredStatus         string // post_status; if the operator counts it as publish, Status is publish
	Parent, Author       int64
	Date                 string // post_date as stored, in the time of the site
	Dates                wp.Dates
	Protected            bool
	Link                 string      // permalink; "" if the address is not known, see Addressing
	LinkStored           bool        // Link is the address of yoast_indexable, or "", in place of another one that was computed
	Thumbnail            int64       // _thumbnail_id, or 0
	meta                 []metaValue // meta that decides whether the post is listed, see Meta
	primary, trashStatus string
	custom, own          string // custom: the meta custom_permalink; own: the path below home by this meta or another plugin

	Language   string         // code; "" without a language, or without a multilingual plugin
	Alternates []wp.Alternate // see TranslatedPosts
}

// postScan reads rows with the columns of sqlPosts. Several queries use one postScan, so that its buffers serve
// all rows.
type postScan struct {
	book                                                    *Book
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
	p.Type, p.StoredStatus = objects.Word(s.kind), objects.Word(s.status)
	p.Status = s.book.Blog.Overrides().Status(p.Type, p.StoredStatus)
	p.Name, p.Date = string(s.name), string(s.date)
	p.Dates = wp.ParseDates(s.date, s.modified, s.dateGMT, s.modifiedGMT)
	if string(s.content) == db.TooLong {
		s.book.Blog.NoteLong("post_content", s.id)
		return "", nil
	}
	return unsafe.String(unsafe.SliceData(s.content), len(s.content)), nil
}

// eachPost runs a query for posts by id and calls fn for each row. text is the last column of the query. It shares
// the driver's buffer and is valid until fn returns.
func (b *Book) eachPost(ctx context.Context, query string, ids []int64, fn func(p *Post, text string)) error {
	scan := postScan{book: b}
	return b.Blog.ByID(ctx, "reading posts", query, ids, func(rows *sql.Rows) error {
		p := new(Post)
		text, err := scan.row(rows, p)
		if err == nil {
			fn(p, text)
		}
		return err
	})
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
func (b *Book) setMeta(p *Post, key, value string) {
	if key == wp.MetaThumbnail {
		p.Thumbnail = php.NewString(value).Int()
		return
	}
	if b.setLinkMeta(p, key, value) {
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

// Posts reads posts by id, in the order of ids. It also reads their links, and the meta that decides whether they are
// listed. It leaves out ids without a row.
//
// If content is not nil, Posts calls it for every row with post_content. This text shares the driver's buffer and is
// valid only during the call. The posts then lack the meta that decides whether they are listed.
func (b *Book) Posts(ctx context.Context, ids []int64, content func(p *Post, content string)) ([]*Post, error) {
	return b.TranslatedPosts(ctx, ids, content, nil, nil)
}

// TranslatedPosts does what Posts does and sets Alternates to the translations for which keep is true. If
// thumbnails is not nil, it holds the thumbnails of all posts, which are then not read again, except those of GiveWP's forms.
func (b *Book) TranslatedPosts(ctx context.Context, ids []int64, content func(p *Post, content string),
	keep func(id int64) bool, thumbnails objects.Thumbnails) ([]*Post, error) {
	byID := make(map[int64]*Post, len(ids))
	query := sqlPosts
	if content != nil {
		query = sqlContents
	}
	err := b.eachPost(ctx, query, ids, func(p *Post, text string) {
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
		keys = append(keys, wp.MetaThumbnail)
	}
	if content == nil {
		keys = append(keys, b.Blog.DecisiveMeta()...)
	}
	if b.showsCategories() {
		keys = b.withLinkMeta(keys...)
	}
	posts := inOrder(byID, ids)
	return posts, b.complete(ctx, posts, keep, b.withHandSet(keys...), b.setMeta)
}

// complete reads meta of posts and sets their links. It calls set with the first value of each key. keep is as in
// TranslatedPosts.
func (b *Book) complete(ctx context.Context, posts []*Post, keep func(id int64) bool, keys []string, set func(p *Post, key, value string)) error {
	t, err := b.translatePosts(ctx, posts, keep)
	if err != nil {
		return err
	}
	all := slices.Concat(t.others, posts)
	read := posts
	if b.showsCategories() || b.hand.custom {
		read = all
	}
	if err := b.postMeta(ctx, read, keys, set); err != nil {
		return err
	}
	if err := b.link(ctx, all); err != nil {
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

// postMeta calls fn for every post with the values of every key, as EachMeta does. For GiveWP's forms, it then calls fn with the values
// in their own table, and with the featured image there.
func (b *Book) postMeta(ctx context.Context, posts []*Post, keys []string, fn func(p *Post, key, value string)) error {
	byID := make(map[int64]*Post, len(posts))
	ids := make([]int64, len(posts))
	var forms []int64
	for i, p := range posts {
		byID[p.ID], ids[i] = p, p.ID
		if b.Blog.Settings().FormMeta && p.Type == wp.TypeForm {
			forms = append(forms, p.ID)
		}
	}
	set := func(id int64, key, value string) { fn(byID[id], key, value) }
	if err := b.Blog.EachMeta(ctx, ids, keys, set); err != nil {
		return err
	}
	return b.Blog.EachFormMeta(ctx, forms, append(keys, wp.MetaThumbnail), set)
}

// withLinkMeta adds to keys the meta keys that permalinks need: the primary categories of posts and products, and the
// address set by hand.
func (b *Book) withLinkMeta(keys ...string) []string {
	for _, key := range []string{b.Blog.LinkRules().PrimaryCategory, b.Blog.LinkRules().PrimaryProductCategory} {
		if key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return b.withHandSet(keys...)
}

// setLinkMeta stores a meta value in p if the post's permalink depends on the key. It reports whether the permalinks of
// any posts depend on the key.
func (b *Book) setLinkMeta(p *Post, key, value string) bool {
	if key == metaCustomPermalink && b.hand.custom {
		p.custom = pathByHand(value, func(string) {})
		return true
	}
	own := b.Blog.LinkRules().PrimaryCategory
	if p.Type == typeProduct {
		own = b.Blog.LinkRules().PrimaryProductCategory
	}
	if key == own {
		p.primary = value
	}
	return key == b.Blog.LinkRules().PrimaryCategory || key == b.Blog.LinkRules().PrimaryProductCategory
}
