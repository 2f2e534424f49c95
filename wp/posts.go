package wp

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
	"unsafe"

	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/php"
)

// Post meta keys that decide about an entry.
const (
	MetaNoindex   = "_yoast_wpseo_meta-robots-noindex"
	MetaCanonical = "_yoast_wpseo_canonical"

	metaThumbnail    = "_thumbnail_id"
	metaAttachedFile = "_wp_attached_file"
	metaTrashStatus  = "_wp_trash_meta_status"
	metaPrimary      = "_yoast_wpseo_primary_category"
)

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
	sqlNodes     = `SELECT ID, post_name, post_parent FROM wp_posts WHERE ID IN (?)`

	sqlAttachments     = `SELECT ID, post_parent, post_type, post_status, post_mime_type, post_date, post_title, post_excerpt FROM wp_posts WHERE ID IN (?)`
	sqlAttachmentsOf   = `SELECT ID, post_parent, post_type, post_status, post_mime_type, post_date, post_title, post_excerpt FROM wp_posts WHERE post_parent IN (?) AND post_type = 'attachment' AND post_status = 'inherit'`
	sqlNicenames       = `SELECT ID, user_nicename FROM wp_users WHERE ID IN (?)`
	sqlTermsOfPosts    = `SELECT tr.object_id, tt.term_id, tt.parent FROM wp_term_relationships tr JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id WHERE tr.object_id IN (?) AND tt.taxonomy = ?`
	sqlTermNodes       = `SELECT t.term_id, t.slug, tt.parent FROM wp_terms t JOIN wp_term_taxonomy tt ON tt.term_id = t.term_id WHERE t.term_id IN (?) AND tt.taxonomy = ?`
	zeroDate           = "0000-00-00 00:00:00"
	productCategory    = "product_cat"
	maxAncestorQueries = 30 // deeper chains end there; core has no limit, but no site nests so deep
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

// links builds permalinks for this site.
func (s *Site) links() *permalink.Builder {
	set := s.set.Permalinks
	set.Home = s.home
	return permalink.New(set)
}

// link computes the permalinks of posts, with what they need read in batches: ancestors of
// hierarchical types, parents of attachments, authors and categories where the structure names them.
func (s *Site) link(ctx context.Context, posts []*Post) error {
	b := s.links()
	var need linkNeeds
	for _, p := range posts {
		s.needs(b, p, &need)
	}
	if len(need.parents) > 0 { // attachments hang below posts of any type
		parents, err := s.attachmentParents(ctx, need.parents)
		if err != nil {
			return err
		}
		if err := s.speakPosts(ctx, parents); err != nil {
			return err
		}
		need.attachedTo = parents
		for _, p := range parents {
			s.needs(b, p, &need)
		}
	}
	facts, err := s.linkFacts(ctx, need)
	if err != nil {
		return err
	}
	for _, p := range posts {
		p.Link = s.localize(p, b.Post(s.linkPost(p, need, facts)), s.linkRoot(p, need.attachedTo))
	}
	return nil
}

// linkNeeds are the ids that links depend on.
type linkNeeds struct {
	ancestors, authors, categorised, productCategorised, parents []int64
	nodes                                                        nodes // the posts themselves
	attachedTo                                                   map[int64]*Post
	primaries                                                    map[int64]int64
}

// linkFacts are the rows behind those ids.
type linkFacts struct {
	nodes      nodes
	authors    map[int64]string
	categories map[int64]string // post → slug path
	products   map[int64]string
}

func (s *Site) needs(b *permalink.Builder, p *Post, need *linkNeeds) {
	t := s.registry.PostType(p.Type)
	switch {
	case p.Type == "attachment":
		if p.Parent > 0 && p.Parent != p.ID {
			need.parents = append(need.parents, p.Parent)
		}
		return
	case p.Type == "post":
		if b.Needs("author") {
			need.authors = append(need.authors, p.Author)
		}
		if b.Needs("category") {
			need.categorised = append(need.categorised, p.ID)
			if need.primaries == nil {
				need.primaries = map[int64]int64{}
			}
			if s.set.Yoast.Active { // it is a rule of its own
				need.primaries[p.ID] = php.NewString(p.primary).Int()
			}
		}
	case t != nil && strings.Contains(t.Slug, "%"+productCategory+"%"):
		need.productCategorised = append(need.productCategorised, p.ID)
	}
	if t != nil && t.Hierarchical {
		if need.nodes == nil {
			need.nodes = nodes{}
		}
		need.nodes[p.ID] = node{p.Name, p.Parent}
		need.ancestors = append(need.ancestors, p.Parent)
	}
}

func (s *Site) linkFacts(ctx context.Context, need linkNeeds) (linkFacts, error) {
	f := linkFacts{nodes: need.nodes, authors: map[int64]string{}}
	if err := s.ancestors(ctx, f.nodes, need.ancestors); err != nil {
		return f, err
	}
	err := batches(distinct(need.authors), func(ids []int64) error {
		return s.query(ctx, sqlNicenames, []any{ids}, func(rows *sql.Rows) error {
			var id int64
			var name string
			if err := rows.Scan(number(&id), &name); err != nil {
				return err
			}
			f.authors[id] = name
			return nil
		})
	})
	if err != nil {
		return f, s.wrap("reading authors", err)
	}
	if len(need.categorised) > 0 {
		f.categories, err = s.termPaths(ctx, "category", need.categorised, func(post int64, terms []permalink.ProductCategory) int64 {
			ids := make([]int64, len(terms))
			for i, t := range terms {
				ids[i] = t.ID
			}
			return permalink.CategoryChoice(ids, need.primaries[post])
		})
		if err != nil {
			return f, err
		}
	}
	if len(need.productCategorised) > 0 {
		f.products, err = s.termPaths(ctx, productCategory, need.productCategorised, func(_ int64, terms []permalink.ProductCategory) int64 {
			return permalink.ProductCategoryChoice(terms)
		})
		if err != nil {
			return f, err
		}
	}
	return f, nil
}

// linkPost puts together what the link of one post is computed from.
func (s *Site) linkPost(p *Post, need linkNeeds, f linkFacts) permalink.Post {
	l := permalink.Post{
		ID: p.ID, Type: s.registry.PostType(p.Type), Status: p.Status, Name: p.Name, Date: p.Date,
		Author: f.authors[p.Author], Category: f.categories[p.ID], ParentID: p.Parent, TrashedStatus: p.trashStatus,
	}
	if path, ok := f.products[p.ID]; ok {
		l.Terms = map[string]string{productCategory: path}
	}
	if _, ok := f.nodes[p.ID]; ok {
		l.Path = f.nodes.path(p.ID)
	}
	if parent := need.attachedTo[p.Parent]; parent != nil && p.Type == "attachment" && p.Parent != p.ID {
		up := s.linkPost(parent, linkNeeds{}, f)
		l.Parent = &up
	}
	return l
}

// attachmentParents reads the rows attachments hang on, whatever their type or status.
func (s *Site) attachmentParents(ctx context.Context, ids []int64) (map[int64]*Post, error) {
	parents := map[int64]*Post{}
	ids = distinct(ids)
	var trashed []int64
	err := batches(ids, func(ids []int64) error {
		return s.query(ctx, sqlPosts, []any{ids}, func(rows *sql.Rows) error {
			p := new(Post)
			var dateGMT, modifiedGMT, text sql.RawBytes
			if err := rows.Scan(number(&p.ID), &p.Type, &p.Status, &p.Name, number(&p.Parent), number(&p.Author), &p.Date, &dateGMT, &modifiedGMT, &p.MIME, &p.Protected, &text); err != nil {
				return err
			}
			parents[p.ID] = p
			if p.Status == "trash" {
				trashed = append(trashed, p.ID)
			}
			return nil
		})
	})
	if err != nil {
		return nil, s.wrap("reading parents of attachments", err)
	}
	err = s.meta(ctx, ids, []string{metaPrimary, metaTrashStatus}, func(id int64, key, value string) {
		if p := parents[id]; p != nil {
			if key == metaPrimary {
				p.primary = value
			} else {
				p.trashStatus = value
			}
		}
	})
	return parents, err
}

// node is a row of a tree of slugs.
type node struct {
	name   string
	parent int64
}

type nodes map[int64]node

func (n nodes) get(id int64) (slug string, parent int64, ok bool) {
	row, ok := n[id]
	return row.name, row.parent, ok
}

// path joins the slugs from the root down to id.
func (n nodes) path(id int64) string { return permalink.Path(id, n.get) }

// ancestors reads rows and all their ancestors into n, one query a generation.
func (s *Site) ancestors(ctx context.Context, n nodes, ids []int64) error {
	return s.tree(ctx, n, ids, sqlNodes)
}

func (s *Site) tree(ctx context.Context, n nodes, ids []int64, query string, args ...any) error {
	for range maxAncestorQueries {
		var missing []int64
		for _, id := range distinct(ids) {
			if _, ok := n[id]; !ok && id > 0 {
				missing = append(missing, id)
			}
		}
		if len(missing) == 0 {
			return nil
		}
		ids = ids[:0:0]
		err := batches(missing, func(batch []int64) error {
			return s.query(ctx, query, append([]any{batch}, args...), func(rows *sql.Rows) error {
				var id int64
				var row node
				if err := rows.Scan(number(&id), &row.name, number(&row.parent)); err != nil {
					return err
				}
				n[id] = row
				ids = append(ids, row.parent)
				return nil
			})
		})
		if err != nil {
			return s.wrap("reading ancestors", err)
		}
	}
	return nil
}

// termPaths returns for every post the slug path of the term that choose picks among its terms of a taxonomy.
func (s *Site) termPaths(ctx context.Context, taxonomy string, posts []int64, choose func(post int64, terms []permalink.ProductCategory) int64) (map[int64]string, error) {
	terms := map[int64][]permalink.ProductCategory{}
	err := batches(posts, func(ids []int64) error {
		return s.query(ctx, sqlTermsOfPosts, []any{ids, taxonomy}, func(rows *sql.Rows) error {
			var post int64
			var t permalink.ProductCategory
			if err := rows.Scan(number(&post), number(&t.ID), number(&t.Parent)); err != nil {
				return err
			}
			terms[post] = append(terms[post], t)
			return nil
		})
	})
	if err != nil {
		return nil, s.wrap("reading the terms of posts", err)
	}
	chosen := map[int64]int64{}
	var ids []int64
	for post, of := range terms {
		chosen[post] = choose(post, of)
		ids = append(ids, chosen[post])
	}
	if taxonomy == "category" && len(terms) < len(posts) {
		ids = append(ids, s.set.DefaultCategory)
	}
	tree := nodes{}
	if err := s.tree(ctx, tree, ids, sqlTermNodes, taxonomy); err != nil {
		return nil, err
	}
	paths := make(map[int64]string, len(posts))
	for _, post := range posts {
		switch id, ok := chosen[post]; {
		case ok && taxonomy == "category":
			paths[post] = permalink.CategoryPath(id, tree.get)
		case ok:
			paths[post] = permalink.TermPath(id, tree.get)
		case taxonomy == "category":
			paths[post] = tree[s.set.DefaultCategory].name // without its ancestors, as core does
		default:
			paths[post] = permalink.NoProductCategory
		}
	}
	return paths, nil
}

// Attachment is a row of the media library as galleries and images need it.
type Attachment struct {
	ID, Parent           int64
	Type, Status, MIME   string
	Date                 string
	Title, Caption, File string // File is _wp_attached_file
}

// IsImage tells whether galleries show it: an attachment with an image MIME type that is not in the trash.
func (a *Attachment) IsImage() bool {
	return a.Type == "attachment" && a.Status == "inherit" && len(a.MIME) > 5 && a.MIME[:6] == "image/"
}

// Attachments reads rows by id, and those that hang on parents when they are of the media
// library, with their files. A file can be known for an id that has no row.
func (s *Site) Attachments(ctx context.Context, ids, parents []int64) (map[int64]*Attachment, map[int64]string, error) {
	rowsByID := map[int64]*Attachment{}
	scan := func(rows *sql.Rows) error {
		a := new(Attachment)
		if err := rows.Scan(number(&a.ID), number(&a.Parent), &a.Type, &a.Status, &a.MIME, &a.Date, &a.Title, &a.Caption); err != nil {
			return err
		}
		rowsByID[a.ID] = a
		return nil
	}
	ids = distinct(ids)
	if err := batches(ids, func(ids []int64) error { return s.query(ctx, sqlAttachments, []any{ids}, scan) }); err != nil {
		return nil, nil, s.wrap("reading attachments", err)
	}
	if err := batches(distinct(parents), func(ids []int64) error { return s.query(ctx, sqlAttachmentsOf, []any{ids}, scan) }); err != nil {
		return nil, nil, s.wrap("reading attachments of posts", err)
	}
	for id := range rowsByID {
		ids = append(ids, id)
	}
	files := map[int64]string{}
	err := s.meta(ctx, distinct(ids), []string{metaAttachedFile}, func(id int64, _, value string) { files[id] = value })
	return rowsByID, files, err
}

// distinct returns the ids in ascending order, each once.
func distinct(ids []int64) []int64 {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}
