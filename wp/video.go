package wp

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
	"wpsitemapd/wp/registry"
)

// videoPlugin is the plugin file of Yoast Video SEO.
const videoPlugin = "wpseo-video/video-seo.php"

// Post meta keys of Yoast Video SEO, and those its texts come from.
const (
	metaVideo          = "_yoast_wpseo_video_meta"
	metaVideoDisable   = "_yoast_wpseo_videositemap-disable"
	metaVideoThumbnail = "_yoast_wpseo_videositemap-thumbnail"
	metaVideoDuration  = "_yoast_wpseo_videositemap-duration"
	metaVideoRating    = "_yoast_wpseo_videositemap-rating"
	metaVideoFamily    = "_yoast_wpseo_videositemap-not-family-friendly"
	metaDescription    = "_yoast_wpseo_metadesc"
	metaAttachment     = "_wp_attachment_metadata"
)

const (
	// By the index on meta_key; 'none' is what Video SEO stores where it found no video.
	sqlVideoRows = `SELECT p.ID, p.post_type, p.post_date, p.post_date_gmt, p.post_modified, p.post_modified_gmt
FROM wp_postmeta m JOIN wp_posts p ON p.ID = m.post_id
WHERE m.meta_key = ? AND m.meta_value <> 'none' AND p.post_type IN (?) AND p.post_status = 'publish'`

	// Of the posts named, those whose text may hold a video.
	sqlVideoMentions = `SELECT ID FROM wp_posts WHERE ID IN (?)
AND (post_content LIKE '%<video%' OR post_content LIKE '%<iframe%' OR post_content LIKE '%[video%'
OR post_content LIKE '%[playlist%' OR post_content LIKE '%[wpvideo%' OR post_content LIKE '%youtu%'
OR post_content LIKE '%vimeo%' OR post_content LIKE '%wistia%' OR post_content LIKE '%wi.st%' OR post_content LIKE '%dailymotion%'
OR post_content LIKE '%dai.ly%'
OR post_content LIKE '%videopress%' OR post_content LIKE '%video.wordpress.com%' OR post_content LIKE '%ted.com%'
OR post_content LIKE '%[ted%' OR post_content LIKE '%twitch%' OR post_content LIKE '%wp:video%')`

	sqlVideoPosts = `SELECT p.ID, p.post_type, p.post_status, p.post_name, p.post_parent, p.post_author, p.post_date, p.post_date_gmt,
p.post_modified_gmt, p.post_password <> '',
p.post_modified, p.post_title, p.post_excerpt, COALESCE(u.display_name, ''), COALESCE(u.user_nicename, ''), ''
FROM wp_posts p LEFT JOIN wp_users u ON u.ID = p.post_author WHERE p.ID IN (?) ORDER BY p.ID`
	sqlVideoContents = `SELECT p.ID, p.post_type, p.post_status, p.post_name, p.post_parent, p.post_author, p.post_date,
p.post_date_gmt, p.post_modified_gmt, p.post_password <> '',
p.post_modified, p.post_title, p.post_excerpt, COALESCE(u.display_name, ''), COALESCE(u.user_nicename, ''), p.post_content
FROM wp_posts p LEFT JOIN wp_users u ON u.ID = p.post_author WHERE p.ID IN (?) ORDER BY p.ID`
	sqlVideoTerms = `SELECT tr.object_id, tt.taxonomy, t.term_id, t.name FROM wp_term_relationships tr
JOIN wp_term_taxonomy tt ON tt.term_taxonomy_id = tr.term_taxonomy_id JOIN wp_terms t ON t.term_id = tt.term_id
WHERE tr.object_id IN (?) AND tt.taxonomy IN ('post_tag', 'category')`

	// The file, what WordPress read from it, and the file of its picture: an audio or video
	// attachment has a featured image of its own.
	sqlMediaColumns = `SELECT a.ID, a.post_parent, a.post_mime_type, a.post_title, a.post_excerpt, a.post_content, f.meta_value,
d.meta_value, tf.meta_value
FROM wp_posts a LEFT JOIN wp_postmeta f ON f.post_id = a.ID AND f.meta_key = '_wp_attached_file'
LEFT JOIN wp_postmeta d ON d.post_id = a.ID AND d.meta_key = '_wp_attachment_metadata'
LEFT JOIN wp_postmeta t ON t.post_id = a.ID AND t.meta_key = '_thumbnail_id'
LEFT JOIN wp_postmeta tf ON tf.post_id = CAST(t.meta_value AS UNSIGNED) AND tf.meta_key = '_wp_attached_file'
`
	sqlMedia       = sqlMediaColumns + `WHERE a.ID IN (?) AND a.post_type = 'attachment' AND a.post_status <> 'trash' ORDER BY a.ID`
	sqlMediaOf     = sqlMediaColumns + `WHERE a.post_parent IN (?) AND a.post_type = 'attachment' AND a.post_status <> 'trash' ORDER BY a.ID`
	sqlMediaByFile = `SELECT post_id FROM wp_postmeta WHERE meta_key = '_wp_attached_file' AND meta_value IN (?)`

	sqlVideoTermsByID       = `SELECT t.term_id, t.name, WEIGHT_STRING(t.name) FROM wp_terms t WHERE t.term_id IN (?)`
	sqlVideoTermsByIDSQLite = `SELECT t.term_id, t.name, t.name FROM wp_terms t WHERE t.term_id IN (?)`
)

// Video is what Yoast Video SEO's option wpseo_video and its constant say. Keys that were
// never saved have the plugin's defaults.
type Video struct {
	Active     bool     // the plugin is active on this blog or on its network
	Basename   string   // constant YOAST_VIDEO_SITEMAP_BASENAME, "" without
	AllTypes   bool     // videositemap_posttypes was never saved: every public type
	PostTypes  []string // videositemap_posttypes, unless AllTypes
	Taxonomies []string // videositemap_taxonomies
	Cloaked    bool     // video_cloak_sitemap: for administrators and verified robots only
}

func (s *Site) video(o options, active bool) Video {
	v := Video{Active: active, Basename: s.network.constant("YOAST_VIDEO_SITEMAP_BASENAME")}
	stored := o.serialized("wpseo_video", s.warn)
	types, saved := stored.Lookup("videositemap_posttypes")
	v.AllTypes, v.PostTypes = !saved, types.Strings()
	v.Taxonomies = stored.Get("videositemap_taxonomies").Strings()
	v.Cloaked = stored.Get("video_cloak_sitemap").IsTrue()
	return v
}

// VideoRow is the narrow row of a published post with a record of Video SEO.
type VideoRow struct {
	ID                    int64
	Type                  string
	Modified, ModifiedGMT int64
	Dated                 bool // post_date_gmt or post_date is a date
}

// VideoRows returns the published posts of the given types that have a record, each once, in
// no order.
func (s *Site) VideoRows(ctx context.Context, postTypes []string) ([]VideoRow, error) {
	if len(postTypes) == 0 {
		return nil, nil
	}
	var found []VideoRow
	seen := map[int64]bool{}
	err := s.query(ctx, sqlVideoRows, []any{metaVideo, postTypes}, func(rows *sql.Rows) error {
		var r VideoRow
		var date, dateGMT, modified, modifiedGMT sql.RawBytes
		if err := rows.Scan(db.Number(&r.ID), &r.Type, &date, &dateGMT, &modified, &modifiedGMT); err != nil {
			return err
		}
		if !seen[r.ID] {
			seen[r.ID] = true
			r.Modified, r.ModifiedGMT = ParseDate(string(modified)), ParseDate(string(modifiedGMT))
			r.Dated = ParseDate(string(date)) != NoTime || ParseDate(string(dateGMT)) != NoTime
			found = append(found, r)
		}
		return nil
	})
	return found, s.wrap("reading posts with videos", err)
}

// VideoMentions returns those of the posts whose content may hold a video, in the order of ids.
func (s *Site) VideoMentions(ctx context.Context, ids []int64) ([]int64, error) {
	var found []int64
	err := db.Batches(distinct(ids), func(ids []int64) error {
		return s.query(ctx, sqlVideoMentions, []any{ids}, scanIDs(&found))
	})
	return distinct(found), s.wrap("looking for videos in posts", err)
}

// VideoMeta is what the post meta of Video SEO says of a post.
type VideoMeta struct {
	Record            php.Value // the stored video; an array, unless there is none
	Disabled          bool
	ThumbnailLoc      string // overrides, "" for none
	Duration, Rating  string
	NotFamilyFriendly bool
	Description       string // _yoast_wpseo_metadesc, the description of the post
}

var videoKeys = []string{metaVideo, metaVideoDisable, metaVideoThumbnail, metaVideoDuration, metaVideoRating, metaVideoFamily}

// set takes the value of one key; it can come again, with a smaller meta_id. Of them only the
// record may be serialized.
func (m *VideoMeta) set(key, value string) {
	if key == metaVideo {
		var err error
		if m.Record, err = php.MaybeUnserialize(value); err != nil || m.Record.Kind != php.Array {
			m.Record = php.Value{}
		}
		return
	}
	if php.IsSerialized(value) {
		value = ""
	}
	switch key {
	case metaVideoDisable:
		m.Disabled = value == "on"
	case metaVideoThumbnail:
		m.ThumbnailLoc = value
	case metaVideoDuration:
		m.Duration = value
	case metaVideoRating:
		m.Rating = value
	case metaVideoFamily:
		m.NotFamilyFriendly = value == "on"
	case metaDescription:
		m.Description = value
	}
}

// VideoMeta reads what Video SEO says of posts; those it says nothing of have no entry.
func (s *Site) VideoMeta(ctx context.Context, ids []int64) (map[int64]*VideoMeta, error) {
	found := map[int64]*VideoMeta{}
	err := s.meta(ctx, ids, videoKeys, func(id int64, key, value string) {
		if found[id] == nil {
			found[id] = new(VideoMeta)
		}
		found[id].set(key, value)
	})
	return found, err
}

// VideoPost is a post with all that stands beside its videos.
type VideoPost struct {
	Post
	VideoMeta
	Modified          string // post_modified as stored, site's clock
	Title, Excerpt    string // HTML
	AuthorName        string // display_name, HTML
	AuthorLink        string
	Tags              []string // names of the post's tags, HTML
	Category, Primary string   // the primary category, else the first; only the primary
	Categories        []string // names
	categories        []videoTerm
	nicename          string
}

type videoTerm struct {
	id   int64
	name string
}

// VideoPosts reads posts by id, with their permalinks, in the order of ids; content as in Posts.
// It takes three queries, and those of the permalinks.
func (s *Site) VideoPosts(ctx context.Context, ids []int64, content func(p *VideoPost, content string)) ([]*VideoPost, error) {
	byID := make(map[int64]*VideoPost, len(ids))
	query := sqlVideoPosts
	if content != nil {
		query = sqlVideoContents
	}
	var scan postScan
	err := db.Batches(ids, func(ids []int64) error {
		return s.query(ctx, query, []any{ids}, func(rows *sql.Rows) error {
			p := new(VideoPost)
			text, err := scan.row(rows, &p.Post, db.Text(&p.Modified), db.Text(&p.Title), db.Text(&p.Excerpt), &p.AuthorName, &p.nicename)
			if err != nil {
				return err
			}
			byID[p.ID] = p
			if content != nil {
				content(p, text)
			}
			return nil
		})
	})
	if err != nil {
		return nil, s.wrap("reading posts with videos", err)
	}
	posts := make([]*VideoPost, 0, len(byID))
	plain := make([]*Post, 0, len(byID))
	rows := make(map[int64]*Post, len(byID))
	for _, id := range ids {
		if p := byID[id]; p != nil {
			posts, plain, rows[id] = append(posts, p), append(plain, &p.Post), &p.Post
		}
	}
	keys := append(s.withPrimary(metaThumbnail, metaDescription), videoKeys...)
	err = s.meta(ctx, ids, keys, func(id int64, key, value string) {
		switch p := byID[id]; {
		case p == nil:
		case key == metaThumbnail:
			p.Thumbnail = php.NewString(value).Int()
		case key == s.linked.PrimaryCategory:
			p.primary = value
		default:
			p.set(key, value)
		}
	})
	if err != nil {
		return nil, err
	}
	if err := s.setPostLanguages(ctx, rows); err != nil {
		return nil, err
	}
	if err := s.link(ctx, plain); err != nil {
		return nil, err
	}
	links := s.links()
	for _, p := range posts {
		p.AuthorLink = links.Author(p.Author, p.nicename)
	}
	return posts, s.videoTerms(ctx, ids, byID)
}

// videoTerms reads the tags and categories of posts.
func (s *Site) videoTerms(ctx context.Context, ids []int64, byID map[int64]*VideoPost) error {
	err := db.Batches(ids, func(ids []int64) error {
		return s.query(ctx, sqlVideoTerms, []any{ids}, func(rows *sql.Rows) error {
			var post int64
			var taxonomy string
			var t videoTerm
			if err := rows.Scan(db.Number(&post), &taxonomy, db.Number(&t.id), db.Text(&t.name)); err != nil {
				return err
			}
			switch p := byID[post]; {
			case p == nil:
			case taxonomy == "category":
				p.categories = append(p.categories, t)
			default:
				p.Tags = append(p.Tags, t.name)
			}
			return nil
		})
	})
	for _, p := range byID {
		slices.Sort(p.Tags) // the engines have no order of their own
		slices.SortFunc(p.categories, func(x, y videoTerm) int { return cmp.Compare(x.id, y.id) })
		primary := php.NewString(p.primary).Int()
		for _, t := range p.categories {
			p.Categories = append(p.Categories, t.name)
			if t.id == primary {
				p.Primary = t.name
			}
		}
		if p.Category = p.Primary; p.Category == "" && len(p.Categories) > 0 {
			p.Category = p.Categories[0]
		}
	}
	return s.wrap("reading the terms of posts with videos", err)
}

// Media is an attachment as a player needs it.
type Media struct {
	ID, Parent                  int64
	MIME                        string
	Title, Caption, Description string // HTML
	File                        string // _wp_attached_file, "" without
	Length                      int64  // of the video in seconds, 0 where WordPress does not know
	Poster                      string // _wp_attached_file of its featured image, "" without
}

// Media reads attachments: by id, all of some parents, and those whose _wp_attached_file is one
// of files. Each part is one query, and none where nothing is asked; files take a second one.
func (s *Site) Media(ctx context.Context, ids, parents []int64, files []string) (map[int64]*Media, error) {
	if len(files) > 0 {
		slices.Sort(files)
		for files := range slices.Chunk(slices.Compact(files), db.IDBatch) {
			if err := s.query(ctx, sqlMediaByFile, []any{files}, scanIDs(&ids)); err != nil {
				return nil, s.wrap("looking for attached files", err)
			}
		}
	}
	found := map[int64]*Media{}
	scan := func(rows *sql.Rows) error {
		m := new(Media)
		var file, metadata, poster sql.NullString
		if err := rows.Scan(db.Number(&m.ID), db.Number(&m.Parent), db.Text(&m.MIME), db.Text(&m.Title),
			db.Text(&m.Caption), db.Text(&m.Description), &file, &metadata, &poster); err != nil {
			return err
		}
		if found[m.ID] != nil { // meta keys that a post has twice
			return nil
		}
		m.File, m.Poster = file.String, poster.String
		if v, err := php.MaybeUnserialize(metadata.String); err == nil && v.Kind == php.Array {
			m.Length = v.Get("length").Int()
		}
		found[m.ID] = m
		return nil
	}
	err := db.Batches(distinct(ids), func(ids []int64) error { return s.query(ctx, sqlMedia, []any{ids}, scan) })
	if err == nil {
		err = db.Batches(distinct(parents), func(ids []int64) error { return s.query(ctx, sqlMediaOf, []any{ids}, scan) })
	}
	return found, s.wrap("reading attached files", err)
}

// VideoTerm is a term with a video.
type VideoTerm struct {
	Term
	Taxonomy string
	Name     string // HTML
	key      []byte
}

// VideoTerms reads terms of several taxonomies with their links, ordered by name in the
// collation of the table, then by id.
func (s *Site) VideoTerms(ctx context.Context, ids map[*registry.Taxonomy][]int64) ([]*VideoTerm, error) {
	query := sqlVideoTermsByID
	if s.network.db.SQLite {
		query = sqlVideoTermsByIDSQLite
	}
	var found []*VideoTerm
	for t, ids := range ids {
		terms, err := s.TermsByID(ctx, t, distinct(ids))
		if err != nil {
			return nil, err
		}
		byID := map[int64]*VideoTerm{}
		for _, term := range terms {
			byID[term.ID] = &VideoTerm{Term: *term, Taxonomy: t.Name}
			found = append(found, byID[term.ID])
		}
		err = db.Batches(distinct(ids), func(ids []int64) error {
			return s.query(ctx, query, []any{ids}, func(rows *sql.Rows) error {
				var id int64
				var name string
				var key []byte
				if err := rows.Scan(db.Number(&id), db.Text(&name), &key); err != nil {
					return err
				}
				if s.network.db.SQLite {
					foldASCII(key) // COLLATE NOCASE
				}
				if term := byID[id]; term != nil {
					term.Name, term.key = name, key
				}
				return nil
			})
		})
		if err != nil {
			return nil, s.wrap("reading terms with videos", err)
		}
	}
	slices.SortFunc(found, func(x, y *VideoTerm) int {
		return cmp.Or(slices.Compare(x.key, y.key), cmp.Compare(x.ID, y.ID))
	})
	return found, nil
}
