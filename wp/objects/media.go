package objects

import (
	"context"
	"slices"

	"wpsitemapd/wp"
	"wpsitemapd/wp/content/videos"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

const (
	// The posts of a list whose text may contain a video.
	sqlVideoMentions = `SELECT ID FROM wp_posts WHERE ID IN (?)
AND (post_content LIKE '%<video%' OR post_content LIKE '%<iframe%' OR post_content LIKE '%[video%'
OR post_content LIKE '%[wpvideo%' OR post_content LIKE '%youtu%' OR post_content LIKE '%vimeo%' OR post_content LIKE '%wistia%'
OR post_content LIKE '%wi.st%' OR post_content LIKE '%videopress%' OR post_content LIKE '%video.wordpress.com%'
OR post_content LIKE '%wp:video%')`

	// The file, what WordPress has read from it, and the file of its picture. An audio or video attachment may
	// have its own featured image.
	sqlMedia = `SELECT a.ID, a.post_mime_type, a.post_title, a.post_excerpt, a.post_content, f.meta_value,
d.meta_value, tf.meta_value
FROM wp_posts a LEFT JOIN wp_postmeta f ON f.post_id = a.ID AND f.meta_key = '_wp_attached_file'
LEFT JOIN wp_postmeta d ON d.post_id = a.ID AND d.meta_key = '_wp_attachment_metadata'
LEFT JOIN wp_postmeta t ON t.post_id = a.ID AND t.meta_key = '_thumbnail_id'
LEFT JOIN wp_postmeta tf ON tf.post_id = CAST(t.meta_value AS UNSIGNED) AND tf.meta_key = '_wp_attached_file'
WHERE a.ID IN (?) AND a.post_type = 'attachment' AND a.post_status <> 'trash' ORDER BY a.ID`
	sqlMediaByName = `SELECT post_id FROM wp_postmeta
WHERE meta_key IN ('_wp_attached_file', 'videopress_guid') AND meta_value IN (?)`

	// The answers of providers that WordPress has stored with a post. Only the first part of each answer is read.
	sqlEmbedsOf = `SELECT post_id, SUBSTR(meta_value, 1, 16384) FROM wp_postmeta
WHERE post_id IN (?) AND meta_key LIKE '!_oembed!_%' ESCAPE '!' AND meta_key NOT LIKE '!_oembed!_time!_%' ESCAPE '!'`
)

// VideoMentions returns the posts of ids whose content may contain a video, in ascending order.
func VideoMentions(ctx context.Context, blog *wp.Blog, ids []int64) ([]int64, error) {
	return blog.IDsOf(ctx, "looking for videos in posts", sqlVideoMentions, ids)
}

// Media is an attachment with what a player needs.
type Media struct {
	ID                          int64
	MIME                        string
	Title, Caption, Description string // HTML
	File                        string // _wp_attached_file, or ""
	Length                      int64  // of the video in seconds; 0 if WordPress does not know it
	Poster                      string // _wp_attached_file of its featured image, or ""
	VideoPress, Picture         string // id of the video at VideoPress, and the address of its picture there; or ""
}

// ReadMedia reads attachments by id. It also reads attachments by names: a name is the value of _wp_attached_file or
// the video's id at VideoPress. The ids take one query and the names one more. Without ids and names there is no query.
func ReadMedia(ctx context.Context, blog *wp.Blog, ids []int64, names []string) (map[int64]*Media, error) {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	for names := range slices.Chunk(names, db.IDBatch) {
		named, err := blog.IDs(ctx, "looking for attached files", sqlMediaByName, names)
		if err != nil {
			return nil, err
		}
		ids = append(ids, named...)
	}
	found := map[int64]*Media{}
	var row Media
	var metadata string
	scan := db.Row(func() {
		if found[row.ID] != nil { // meta keys that a post has twice
			return
		}
		m := row
		if v, err := php.MaybeUnserialize(metadata); err == nil && v.Kind == php.Array {
			m.Length = v.Get("length").Int()
			there := v.Get("videopress")
			m.VideoPress, m.Picture = there.Get("guid").Str(), there.Get("poster").Str()
		}
		found[m.ID] = &m
	}, &row.ID, &row.MIME, &row.Title, &row.Caption, &row.Description, &row.File, &metadata, &row.Poster)
	return found, blog.ByID(ctx, "reading attached files", sqlMedia, ids, scan)
}

// EmbedsOf calls fn for each video that posts embed from providers. It finds a video in the provider's answer that
// WordPress has stored with the post.
func EmbedsOf(ctx context.Context, blog *wp.Blog, posts []int64, fn func(post int64, v videos.Video)) error {
	return blog.ByID(ctx, "reading embeds of posts", sqlEmbedsOf, posts, db.Rows2(func(post int64, answer string) {
		if v, ok := videos.Embed(answer); ok {
			fn(post, v)
		}
	}))
}
