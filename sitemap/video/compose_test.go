package video_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// videoLines returns a line for each video of a document: title | description | thumbnail | file | player | duration | date.
func videoLines(t *testing.T, body []byte) (lines []string) {
	t.Helper()
	var doc struct {
		URLs []struct {
			Videos []struct {
				Title     string `xml:"title"`
				About     string `xml:"description"`
				Thumbnail string `xml:"thumbnail_loc"`
				Content   string `xml:"content_loc"`
				Player    string `xml:"player_loc"`
				Duration  string `xml:"duration"`
				Date      string `xml:"publication_date"`
			} `xml:"http://www.google.com/schemas/sitemap-video/1.1 video"`
		} `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
	}
	wptest.Must(t, xml.Unmarshal(body, &doc))
	for _, u := range doc.URLs {
		for _, v := range u.Videos {
			fields := []string{v.Title, v.About, v.Thumbnail, v.Content, v.Player, v.Duration, v.Date}
			lines = append(lines, strings.ReplaceAll(strings.Join(fields, " | "), "https://small.test/wp-content/uploads/", "/"))
		}
	}
	return lines
}

// Where the data of a video come from: the content, its attachment, the provider's stored answer, and at last the post.
func TestDataOfVideos(t *testing.T) {
	t.Parallel()
	const date = " | 2024-01-01T10:00:00+00:00"
	const uploads = "https://small.test/wp-content/uploads/"
	clip := []string{
		sitemaptest.Insert(sitemaptest.Row{ID: 4001, Type: "attachment", Status: "inherit", Name: "clip", Title: "The clip", Excerpt: "Caption",
			Text: "Long text", MIME: "video/mp4"}),
		sitemaptest.MetaRow(4001, "_wp_attached_file", "2024/clip.mp4"),
		sitemaptest.MetaRow(4001, "_wp_attachment_metadata", sitemaptest.Array("length", 61)),
		sitemaptest.MetaRow(4001, "_thumbnail_id", "4002"), sitemaptest.Picture(4002, "2024/poster.jpg"),
		sitemaptest.Picture(4003, "2024/featured.jpg"),
	}
	featured := sitemaptest.MetaRow(3001, "_thumbnail_id", "4003")
	answer := func(id, html string) string { return sitemaptest.MetaRow(3001, "_oembed_"+id, html) }
	for _, tt := range []struct {
		rule, text string
		sql        []string
		want       []string
	}{
		{"an attachment by its id", `<!-- wp:video {"id":4001} --><figure><video src="` + uploads +
			`2024/clip.mp4"></video></figure><!-- /wp:video -->`, nil,
			[]string{"The clip | Caption | /2024/poster.jpg | /2024/clip.mp4 |  | 61" + date}},
		{"an attachment by its file", `<video src="/wp-content/uploads/2024/clip.mp4" poster="/p.jpg"></video>`, nil,
			[]string{"The clip | Caption | https://small.test/p.jpg | /2024/clip.mp4 |  | 61" + date}},
		{"a file without an attachment", `<video src="/other.mp4"></video>`, []string{featured},
			[]string{"The post | About | /2024/featured.jpg | https://small.test/other.mp4 |  | " + date}},
		{"the same file twice", `<video src="/other.mp4"></video><video src="/other.mp4"></video>`, []string{featured},
			[]string{"The post | About | /2024/featured.jpg | https://small.test/other.mp4 |  | " + date}},
		{"two files", `<video src="/other.mp4"></video><video src="/clips/another.mp4"></video>`, []string{featured},
			[]string{"The post | About | /2024/featured.jpg | https://small.test/other.mp4 |  | " + date,
				"The post | About | /2024/featured.jpg | https://small.test/clips/another.mp4 |  | " + date}},
		{"no picture at all", `<video src="/other.mp4"></video>`, nil, nil},
		{"a featured image that is no image", `<video src="/other.mp4"></video>`,
			[]string{featured, "UPDATE wp_posts SET post_mime_type = 'video/mp4' WHERE ID = 4003"}, nil},
		{"a provider", "https://youtu.be/abcdefghij1", nil,
			[]string{"The post | About | https://i.ytimg.com/vi/abcdefghij1/hqdefault.jpg |  | https://www.youtube.com/embed/abcdefghij1 | " + date}},
		{"a provider's answer", "https://youtu.be/abcdefghij1",
			[]string{answer("1", `<iframe title="Answered" src="https://www.youtube.com/embed/abcdefghij1"></iframe>`)},
			[]string{"Answered | About | https://i.ytimg.com/vi/abcdefghij1/hqdefault.jpg |  | https://www.youtube.com/embed/abcdefghij1 | " + date}},
		{"a post without texts", "https://youtu.be/abcdefghij1", []string{"UPDATE wp_posts SET post_excerpt = '' WHERE ID = 3001"},
			[]string{"The post | https://www.youtube.com/watch?v=abcdefghij1 | https://i.ytimg.com/vi/abcdefghij1/hqdefault.jpg |  | https://www.youtube.com/embed/abcdefghij1 | " + date}},
		{"an imported post without a UTC date", "https://youtu.be/abcdefghij1",
			[]string{"UPDATE wp_posts SET post_date_gmt = '0000-00-00 00:00:00' WHERE ID = 3001",
				sitemaptest.SetOption("gmt_offset", "2")},
			[]string{"The post | About | https://i.ytimg.com/vi/abcdefghij1/hqdefault.jpg |  | https://www.youtube.com/embed/abcdefghij1 |  | 2024-01-01T08:00:00+00:00"}},
		{"a post to come", "https://youtu.be/abcdefghij1", []string{"UPDATE wp_posts SET post_date_gmt = '2024-12-01 10:00:00' WHERE ID = 3001"},
			[]string{"The post | About | https://i.ytimg.com/vi/abcdefghij1/hqdefault.jpg |  | https://www.youtube.com/embed/abcdefghij1 |  | "}},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			sql := append([]string{sitemaptest.Insert(sitemaptest.Row{ID: 3001, Name: "v", Title: "The post", Excerpt: "About", Text: tt.text})},
				clip...)
			c := sitemaptest.Of(t, "small", ask(seo.SpecLevel, videoTime), append(sql, tt.sql...)...)
			doc, err := c.Render(t.Context(), "video", 1)
			if tt.want == nil {
				expect.Equal(t, err != nil, true, "there is a sitemap")
				expect.Equal(t, c.LeftOut[seo.VideoWithoutThumbnail], 1)
				expect.Equal(t, c.List("video").Indexed, false)
				return
			}
			wptest.Must(t, err)
			expect.List(t, videoLines(t, doc.Body), tt.want)
			expect.Equal(t, c.List("video").Indexed, true)
		})
	}
}

// A post whose video is gone, or is behind a password now, is not on the page. A changed one makes the page one that is behind.
func TestVideosThatChanged(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]struct {
		entries int
		behind  bool
	}{
		"post_title = 'New'": {1, false}, "post_content = ''": {0, false}, "post_password = 'x'": {0, false},
		"post_status = 'draft'": {0, true}, "post_modified_gmt = '2024-02-01 10:00:00'": {1, true},
	} {
		blog, dsn := openAsked(t, wptest.SQLite, "DELETE FROM wp_posts",
			sitemaptest.Insert(sitemaptest.Row{ID: 3001, Name: "v", Title: "T", Excerpt: "E",
				Text: "https://youtu.be/abcdefghij1"}))
		c := sitemaptest.Build(t, blog, ask(seo.SpecLevel, videoTime))
		wptest.Exec(t, dsn, "UPDATE wp_posts SET "+change+" WHERE ID = 3001")
		doc := sitemaptest.Render(t, c, "video", 1)
		expect.Equal(t, doc.Entries, want.entries, change)
		expect.Equal(t, doc.Behind, want.behind, change)
	}
}

// The types whose videos are listed: all public ones, or those that the operator names.
func TestTypesOfVideos(t *testing.T) {
	t.Parallel()
	const text = "https://youtu.be/abcdefghij"
	for _, tt := range []struct {
		types []string
		want  string
	}{{nil, "a b"}, {[]string{"page"}, "b"}, {[]string{"post", "gone"}, "a"}} {
		opt := ask(seo.SpecLevel, videoTime)
		opt.Video.PostTypes = tt.types
		c := sitemaptest.Of(t, "small", opt, sitemaptest.Insert(sitemaptest.Row{ID: 3001, Name: "a", Title: "A", Excerpt: "E", Text: text + "1"},
			sitemaptest.Row{ID: 3002, Type: "page", Name: "b", Title: "B", Excerpt: "E", Text: text + "2"}))
		expect.Equal(t, sitemaptest.Slugs(t, sitemaptest.Render(t, c, "video", 1)), tt.want, tt.types)
	}
}
