package video

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/sitemap/video"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/content/videos"
	"wpsitemapd/wp/php"
)

// Post implements video.AddOn: it returns the values that the plugin has stored for a post.
func (addOn) Post(c *video.Reader, p *address.FullPost) video.Stored {
	m := newMeta(p.Meta)
	s := video.Stored{
		Description: m.description, Thumbnail: m.thumbnail, Duration: wholeNumber(m.duration), NotFamily: m.notFamilyFriendly,
		Replace: postVariables(c.Rules, p).replace,
	}
	s.Rating, s.Rated = storedRating(m.rating)
	if m.disabled {
		s.Against = seo.VideoDisabled
	}
	if rec := (&record{m.record}); rec.Len() > 0 {
		s.Attachment = rec.Get("attachment_id").Int()
		s.Video = func(t *video.Texts) (urlset.Video, []string) {
			v := recordVideo(c, rec, t)
			return v, recordKeys(rec, &v)
		}
	}
	return s
}

// recordVideo returns the video of a stored record.
func recordVideo(c *video.Reader, rec *record, t *video.Texts) urlset.Video {
	v := video.NewVideo(t)
	found, atProvider := recordProvider(rec)
	v.Title = t.First(rec.text("title"), t.Title)
	v.PlayerLoc, v.ContentLoc = c.Listable(rec.text("player_loc")), c.Listable(rec.text("content_loc"))
	if v.PlayerLoc == "" && v.ContentLoc == "" && atProvider {
		v.PlayerLoc = found.Player
	}
	v.Description = t.First(rec.text("description"), t.Description, t.Excerpt, cmp.Or(found.Address, v.ContentLoc, v.PlayerLoc))
	v.ThumbnailLoc = c.FirstListable(t.Stored.Thumbnail, rec.text("thumbnail_loc"), found.Thumbnail, t.Thumbnail)
	if at := w3cDate(rec.text("publication_date")); at != wp.NoTime {
		v.Published = at
	}
	v.Expires = w3cDate(rec.text("expiration_date"))
	v.Duration = cmp.Or(v.Duration, wholeNumber(rec.text("duration")))
	v.ViewCount = wholeNumber(rec.text("view_count"))
	if !v.Rated {
		v.Rating, v.Rated = storedRating(rec.text("rating"))
	}
	v.Category = cmp.Or(v.Category, t.First(scalarTexts(rec.Get("category"))...))
	for _, tag := range scalarTexts(rec.Get("tag")) {
		video.AddTag(&v, t.Prose(tag))
	}
	v.Live, v.Subscription = strings.ToLower(rec.text("live")), strings.ToLower(rec.text("requires_subscription"))
	return v
}

// recordProvider returns the video at a provider that a record names. It returns false if the record
// names none.
func recordProvider(rec *record) (videos.Video, bool) {
	for _, key := range []string{"player_loc", "url", "content_loc"} {
		if v, ok := videos.ParseAddress(rec.text(key)); ok {
			return v, true
		}
	}
	return videos.Of(rec.text("type"), rec.text("id"))
}

// recordKeys returns keys of a record's video: its addresses, and its provider with its id. A video in the
// content with one of these keys is the same video.
func recordKeys(rec *record, v *urlset.Video) []string {
	keys := []string{v.ContentLoc, v.PlayerLoc}
	if found, ok := recordProvider(rec); ok {
		keys = append(keys, found.Provider+" "+found.ID)
	}
	if id := rec.text("id"); id != "" {
		keys = append(keys, rec.text("type")+" "+id)
	}
	return slices.DeleteFunc(append(keys, rec.text("url")), func(k string) bool { return k == "" })
}

// scalarTexts returns the text of a value, or the texts of all values of a list. The text of a value
// that is not a scalar is "".
func scalarTexts(v php.Value) []string {
	texts := []string{scalarText(v)}
	for _, p := range v.Pairs() {
		texts = append(texts, scalarText(p.Value))
	}
	return texts
}

// wholeNumber parses a positive number. It returns 0 for anything else.
func wholeNumber(s string) int64 {
	if n := php.NewString(s).Int(); n > 0 {
		return n
	}
	return 0
}

// isDate reports whether s is a date in a form that records use.
func isDate(s string) bool { return w3cDate(s) != wp.NoTime }

// w3cDate parses a date of a record. It returns wp.NoTime if s is not a date. A time without a zone is
// UTC, as the plugin stores it.
func w3cDate(s string) int64 {
	s = strings.TrimSpace(s)
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", time.DateTime, time.DateOnly,
	} {
		if t, err := time.Parse(layout, s); err == nil && t.Unix() >= wp.MinTime && t.Unix() <= wp.MaxTime {
			return t.Unix()
		}
	}
	return wp.NoTime
}
