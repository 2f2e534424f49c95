package video

import (
	"context"
	"fmt"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/video"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/php"
)

// These are the post meta keys of Yoast Video SEO. metaDescription belongs to Yoast SEO; the add-on reads it, too.
const (
	metaRecord      = "_yoast_wpseo_video_meta"
	metaDisable     = "_yoast_wpseo_videositemap-disable"
	metaThumbnail   = "_yoast_wpseo_videositemap-thumbnail"
	metaDuration    = "_yoast_wpseo_videositemap-duration"
	metaRating      = "_yoast_wpseo_videositemap-rating"
	metaFamily      = "_yoast_wpseo_videositemap-not-family-friendly"
	metaDescription = "_yoast_wpseo_metadesc"
)

var metaKeys = []string{metaRecord, metaDisable, metaThumbnail, metaDuration, metaRating, metaFamily, metaDescription}

const pluginName = "Yoast SEO: Video"

// Inputs lists the stored data of Yoast Video SEO.
var Inputs = []wp.Inputs{{
	Name: pluginName, Plugins: []string{"wpseo-video/video-seo.php"}, Options: []string{"wpseo_video"}, PostMeta: metaKeys,
	Decode: decode,
}}

// settings holds the option wpseo_video and the plugin's constant. A key that was never saved has the
// plugin's default.
type settings struct {
	video.Settings
	taxonomies []string // videositemap_taxonomies
}

func of(blog *wp.Blog) *settings { return seo.Decoded[settings](blog, pluginName) }

func decode(o *wp.Stored) wp.Decoded {
	stored := o.Array("wpseo_video")
	types, saved := stored.Lookup("videositemap_posttypes")
	s := &settings{
		Settings: video.Settings{
			On: o.Active(), Name: o.Constant("YOAST_VIDEO_SITEMAP_BASENAME"), Named: saved, PostTypes: types.Strings(),
		},
		taxonomies: stored.Get("videositemap_taxonomies").Strings(),
	}
	if stored.Get("video_cloak_sitemap").IsTrue() { // only administrators and verified robots may see it
		s.Elsewhere = "wpseo_video[video_cloak_sitemap]"
	}
	return wp.Decoded{Value: s, Settings: *s}
}

// Provider makes the video list. At level plugin it prints the plugin's records. At level spec, or if the
// operator switches videos on, it follows Google's rules.
var Provider = video.Provider{AddOn: addOn{}}

// addOn implements video.AddOn for Yoast Video SEO.
type addOn struct{}

func (addOn) Is() seo.AddOn {
	return seo.AddOn{Usual: video.Usual, Name: "Video SEO", Plugin: "wpseo-video", Prefix: "yoast-"}
}

func (addOn) Settings(r *seo.Rules) video.Settings { return of(r.Blog).Settings }
func (addOn) Keys() []string                       { return metaKeys }
func (addOn) Checks() []seo.Check                  { return []seo.Check{disabledCheck} }

func (addOn) Posts(ctx context.Context, r *seo.Rules, types []string) ([]int64, error) {
	recorded, err := recorded(ctx, r.Blog, types)
	ids := make([]int64, len(recorded))
	for i := range recorded {
		ids[i] = recorded[i].id
	}
	return ids, err
}

var disabledCheck = seo.AgainstCheck(seo.VideoDisabled, "Its video is switched off in Yoast Video SEO ("+metaDisable+" is \"on\").",
	"In the post's Video tab of Yoast SEO, untick “Disable video for this post”.", nil)

// sqlRecorded uses the index on meta_key. The plugin stores 'none' if it found no video.
const sqlRecorded = `SELECT p.ID, p.post_date, p.post_date_gmt, p.post_modified, p.post_modified_gmt
FROM wp_postmeta m JOIN wp_posts p ON p.ID = m.post_id
WHERE m.meta_key = ? AND m.meta_value <> 'none' AND p.post_type IN (?) AND p.post_status = 'publish'`

// row is the narrow row of a published post that has a video record.
type row struct {
	id                    int64
	modified, modifiedGMT int64
	dated                 bool // post_date_gmt or post_date holds a date
}

// recorded returns the published posts of some types that have a video record, each once, in no order.
func recorded(ctx context.Context, blog *wp.Blog, types []string) ([]row, error) {
	if len(types) == 0 {
		return nil, nil
	}
	var found []row
	seen := map[int64]bool{}
	var r row
	var date, dateGMT, modified, modifiedGMT string
	err := blog.Query(ctx, sqlRecorded, []any{metaRecord, types}, db.Row(func() {
		if !seen[r.id] {
			seen[r.id] = true
			r.modified, r.modifiedGMT = wp.ParseDate(modified), wp.ParseDate(modifiedGMT)
			r.dated = wp.ParseDate(date) != wp.NoTime || wp.ParseDate(dateGMT) != wp.NoTime
			found = append(found, r)
		}
	}, &r.id, &date, &dateGMT, &modified, &modifiedGMT))
	if err != nil {
		return nil, fmt.Errorf("reading posts with videos: %w", err)
	}
	return found, nil
}

// meta are the values that the plugin has stored for a post.
type meta struct {
	record            php.Value // the stored video: an array, or null if there is none
	disabled          bool
	thumbnail         string // replaces the thumbnail of the record; "" if not set
	duration, rating  string
	notFamilyFriendly bool
	description       string // description of the page
}

// newMeta decodes the values that are stored under the keys. Only the record may be serialized.
func newMeta(stored func(key string) string) *meta {
	text := func(key string) string {
		if value := stored(key); !php.IsSerialized(value) {
			return value
		}
		return ""
	}
	m := &meta{
		disabled: text(metaDisable) == "on", thumbnail: text(metaThumbnail), duration: text(metaDuration), rating: text(metaRating),
		notFamilyFriendly: text(metaFamily) == "on", description: text(metaDescription),
	}
	if v, err := php.MaybeUnserialize(stored(metaRecord)); err == nil && v.Kind == php.Array {
		m.record = v
	}
	return m
}
