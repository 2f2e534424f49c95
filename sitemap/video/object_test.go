package video

import (
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/wptest/expect"
)

// What the checks on videos have against a post.
func TestObject(t *testing.T) {
	t.Parallel()
	complete := []urlset.Video{{Title: "Tide"}}
	untitled := []incomplete{{"https://a.test/v.mp4", seo.VideoWithoutTitle}, {"https://a.test/w.mp4", seo.VideoWithoutPlayer}}
	protected := new(address.FullPost)
	protected.Protected = true
	for _, tt := range []struct {
		rule string
		post post
		want seo.Verdict
	}{
		{"no video at all", post{}, seo.Listed},
		{"a complete video", post{videos: complete}, seo.Listed},
		{"a complete and an incomplete video", post{videos: complete, incomplete: untitled}, seo.Listed},
		{"only incomplete videos: what the first one lacks", post{incomplete: untitled}, seo.VideoWithoutTitle},
		{"a password", post{FullPost: protected, videos: complete}, seo.VideoProtected},
		{"the add-on's own check comes first", post{FullPost: protected, stored: Stored{Against: seo.VideoWithoutThumbnail}}, seo.VideoWithoutThumbnail},
	} {
		if tt.post.FullPost == nil {
			tt.post.FullPost = new(address.FullPost)
		}
		expect.Equal(t, tt.post.object().Flags.Against, tt.want, tt.rule)
	}
}
