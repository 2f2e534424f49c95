package video_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// noPlugins deactivates all plugins, so that WordPress' own sitemaps answer.
const noPlugins = `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:0:{}')`

// asked is a configuration that enables news and videos.
var asked = seo.Options{News: seo.News{Enabled: seo.SwitchedOn}, Video: seo.Video{Enabled: seo.SwitchedOn}}

// ask returns options with news and videos enabled, for a level and a moment.
func ask(level seo.Level, at time.Time) seo.Options {
	opt := asked
	opt.Compat, opt.Now = level, sitemaptest.ClockAt(at)
	return opt
}

// addOnSites are sites without an add-on that have videos, and news of one day. disabled names videos
// that an editor switched off when there was an add-on.
var addOnSites = []struct {
	name       string
	statements []string
	news       string // address below home
	video      string
	articles   string
	videos     string // of posts and pages, at level spec
	out        map[seo.Verdict]int
}{
	{"Yoast", []string{sitemaptest.YoastActive}, "/news-sitemap.xml", "/video-sitemap.xml", "embed-block record",
		"record embed-block video-block video-shortcode featured page", map[seo.Verdict]int{seo.VideoWithoutThumbnail: 1, seo.VideoDisabled: 1}},
	{"WordPress' own", []string{noPlugins}, "/news-sitemap.xml", "/video-sitemap.xml", "embed-block record",
		"record embed-block video-block video-shortcode featured disabled noindex page",
		map[seo.Verdict]int{seo.VideoWithoutThumbnail: 1, seo.VideoProtected: 1}},
	{"WordPress' own without permalinks", []string{noPlugins, sitemaptest.SetOption("permalink_structure", "")},
		"/?sitemap=news&paged=1", "/?sitemap=video&paged=1", "?p=1002 ?p=1001", "", nil},
	{"WordPress' own with index permalinks", []string{noPlugins, sitemaptest.SetOption("permalink_structure", "/index.php/%postname%/")},
		"/news-sitemap.xml", "/video-sitemap.xml", "embed-block record", "", nil},
}

// openAsked opens a site with videos. Its posts of January 2024 are news only in their own days.
func openAsked(t *testing.T, e wptest.Engine, statements ...string) (blog *address.Book, dsn string) {
	t.Helper()
	dsn = wptest.Load(t, e, "small", "small-video")
	wptest.Exec(t, dsn, `DELETE FROM wp_options WHERE option_name IN ('wpseo_video', 'wpseo_taxonomy_meta')`,
		`DELETE FROM wp_postmeta WHERE meta_key LIKE '%wpseo_video_meta'`)
	wptest.Exec(t, dsn, statements...)
	return sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), dsn
}

var videoTime = time.Date(2024, 2, 28, 12, 0, 0, 0, time.UTC)

// The index names the sitemaps of news and videos. Their addresses are recognised, and all documents
// are valid.
func TestNewsAndVideosWithoutAddOns(t *testing.T) {
	t.Parallel()
	for _, tt := range addOnSites {
		t.Run(tt.name, func(t *testing.T) {
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				blog, _ := openAsked(t, e, tt.statements...)
				for _, level := range sitemaptest.Levels {
					c := sitemaptest.Build(t, blog, ask(level, videoTime))
					var docs [][]byte
					found := map[string]string{}
					for _, f := range c.Files() {
						docs = append(docs, sitemaptest.Render(t, c, f.Name, f.Page).Body)
						found[f.Name] = strings.TrimPrefix(f.URL, "https://small.test")
					}
					if level == seo.SpecLevel {
						schematest.Validate(t, docs...)
					} else {
						schematest.Validate(t, sitemaptest.Render(t, c, "news", 1).Body, sitemaptest.Render(t, c, "video", 1).Body)
					}
					if found["news"] != tt.news || found["video"] != tt.video {
						t.Errorf("%s: the index names %v", level, found)
					}
					pretty := blog.Blog.Settings().Permalinks.Structure != ""
					for name, uri := range map[string]string{"news": tt.news, "video": tt.video} {
						path, _, _ := strings.Cut(strings.Trim(uri, "/"), "?")
						r := c.Scheme.Parse(seo.Request{URI: uri, Rest: path, Pretty: pretty, Plain: !pretty})
						if r.Kind != seo.Sitemap || r.Name != name || r.Page != 1 {
							t.Errorf("%s: %s means %+v", level, uri, r)
						}
					}
					expect.Equal(t, sitemaptest.Slugs(t, sitemaptest.Render(t, c, "news", 1)), tt.articles, level, "news")

					auto := sitemaptest.Build(t, blog, seo.Options{Compat: level, Now: sitemaptest.ClockAt(videoTime)})
					for _, name := range []string{"news", "video"} {
						if _, err := auto.Render(t.Context(), name, 1); !errors.Is(err, catalog.ErrNotFound) || auto.Owns(name) {
							t.Errorf("%s: nobody asked for %s: %v, owned %t", level, name, err, auto.Owns(name))
						}
					}
				}
				if tt.videos == "" {
					return
				}
				opt := ask(seo.SpecLevel, videoTime)
				opt.Video.PostTypes = []string{"post", "page"}
				c := sitemaptest.Build(t, blog, opt)
				expect.Equal(t, sitemaptest.Slugs(t, sitemaptest.Render(t, c, "video", 1)), tt.videos)
				for _, v := range []seo.Verdict{
					seo.VideoWithoutThumbnail, seo.VideoWithoutTitle, seo.VideoWithoutDescription, seo.VideoWithoutPlayer, seo.VideoProtected, seo.VideoDisabled,
				} {
					expect.Equal(t, c.LeftOut[v], tt.out[v], "left out", v)
				}
			})
		})
	}
}

// A video that was uploaded to VideoPress on the site has an attachment on the site.
func TestVideosOfVideoPress(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		blog, _ := openAsked(t, e, noPlugins,
			`UPDATE wp_posts SET post_content = '<!-- wp:videopress/video {"title":"","guid":"AbCdEf02"} /-->' WHERE ID = 1007`,
			sitemaptest.Insert(sitemaptest.Row{ID: 1091, Status: "inherit", Type: "attachment", Name: "vp", Title: "Uploaded", MIME: "video/videopress"}),
			`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1091, 'videopress_guid', 'AbCdEf02'),
				(1091, '_wp_attachment_metadata', 'a:2:{s:6:"length";i:9;s:10:"videopress";a:2:{s:4:"guid";s:8:"AbCdEf02";s:6:"poster";`+
				`s:42:"https://videos.files.wordpress.com/a/b.jpg";}}')`)
		body := string(sitemaptest.Render(t, sitemaptest.Build(t, blog, ask(seo.SpecLevel, videoTime)), "video", 1).Body)
		expect.Parts(t, body,
			"<video:title>Uploaded</video:title>", "<video:player_loc allow_embed=\"yes\">https://videopress.com/embed/AbCdEf02</video:player_loc>",
			"<video:thumbnail_loc>https://videos.files.wordpress.com/a/b.jpg</video:thumbnail_loc>", "<video:duration>9</video:duration>",
		)
	})
}

// WordPress stores the answers of video providers. Such an answer names a video and may show it.
func TestVideosOfKeptAnswers(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		blog, _ := openAsked(t, e, noPlugins,
			`UPDATE wp_posts SET post_content = 'https://vimeo.com/124
https://youtu.be/abcdefghij3
https://fast.wistia.net/embed/iframe/abcdefghi9' WHERE ID = 1007`,
			`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
				(1007, '_oembed_0a', '<iframe title="Reef &amp; rain" src="https://player.vimeo.com/video/124?dnt=1"></iframe>'),
				(1007, '_oembed_time_0a', '1709000000'),
				(1007, '_oembed_0b', '{{unknown}}'),
				(1007, '_oembed_0c', '<iframe title="Surf" src="https://www.youtube.com/embed/abcdefghij3?feature=oembed"></iframe>'),
				(1007, '_oembed_0d', '<div class="wistia_embed wistia_async_abcdefghi9"><img src="https://embed-ssl.wistia.com/deliveries/0a.jpg"></div>'),
				(1008, '_oembed_0c', '<iframe title="Not of this post" src="https://www.youtube.com/embed/abcdefghij3"></iframe>')`)
		c := sitemaptest.Build(t, blog, ask(seo.SpecLevel, videoTime))
		entry := ""
		for part := range strings.SplitSeq(string(sitemaptest.Render(t, c, "video", 1).Body), "<url>") {
			if strings.Contains(part, "/no-thumbnail/") {
				entry = part
			}
		}
		var got []string
		for _, line := range strings.Split(entry, "\n") {
			for _, name := range []string{"video:title", "video:thumbnail_loc"} {
				if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "<"+name+">"); ok {
					got = append(got, strings.TrimSuffix(rest, "</"+name+">"))
				}
			}
		}
		want := []string{
			"Surf", "https://i.ytimg.com/vi/abcdefghij3/hqdefault.jpg",
			"Nobody knows a picture", "https://embed-ssl.wistia.com/deliveries/0a.jpg",
		}
		expect.Same(t, want, got, entry)
		x := sitemaptest.Explain(t, c, "https://small.test/no-thumbnail/")
		if !x.In || !slices.Contains(x.Notes, "Not in video: its video https://vimeo.com/124 has no thumbnail.") {
			t.Errorf("in %t, notes %q", x.In, x.Notes)
		}
	})
}

func TestExplainNewsAndVideosWithoutAddOns(t *testing.T) {
	t.Parallel()
	blog, dsn := openAsked(t, wptest.SQLite, noPlugins)
	wptest.Exec(t, dsn, sitemaptest.YoastActive)
	withYoast := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	wptest.Exec(t, dsn, sitemaptest.VideoActive)
	withAddOn := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	off := seo.Options{Video: seo.Video{Enabled: seo.SwitchedOff}}
	for _, tt := range []struct {
		name     string
		blog     *address.Book
		opt      seo.Options
		sitemap  string
		in       bool
		rule     string
		evidence string
	}{
		{"nobody asks", blog, seo.Options{}, "video", false, seo.RuleNoPlugin, `[site.video] enabled: "auto"`},
		{"no add-on", withYoast, seo.Options{}, "news", false, seo.RuleNoPlugin,
			`wp_options.active_plugins: without wpseo-news; [site.news] enabled: "auto"`},
		{"switched off beside the add-on", withAddOn, off, "video", false, seo.RuleSwitchedOff, `[site.video] enabled: false`},
		{"asked for", blog, asked, "video", true, "listed", `[site.video] enabled: true`},
		{"the add-on", withAddOn, seo.Options{}, "video", true, "listed", "wp_options.active_plugins: with wpseo-video"},
	} {
		for _, level := range sitemaptest.Levels {
			opt := tt.opt
			opt.Compat, opt.Now = level, sitemaptest.ClockAt(videoTime)
			c := sitemaptest.Build(t, tt.blog, opt)
			expect.Equal(t, c.Owns(tt.sitemap), tt.in, tt.name, "owned")
			if tt.name == "the add-on" && level == seo.PluginLevel {
				continue // its records are gone
			}
			x := c.ExplainSitemap(tt.sitemap, 1)
			var all []string
			for _, e := range x.Evidence {
				all = append(all, e.Source+": "+e.Value)
			}
			if x.In != tt.in || x.Rule != tt.rule || !strings.HasSuffix(strings.Join(all, "; "), tt.evidence) {
				t.Errorf("%s, %s: %t, %s, %q: %s", tt.name, level, x.In, x.Rule, all, x.Because)
			}
		}
	}
	c := sitemaptest.Build(t, blog, ask(seo.SpecLevel, videoTime))
	for address, want := range map[string]string{
		"https://small.test/no-thumbnail/": "Not in video: its video https://vimeo.com/124 has no thumbnail.",
		"https://small.test/locked/":       "Not in video: its videos are behind a password.",
	} {
		x := sitemaptest.Explain(t, c, address)
		if !x.In || !slices.Contains(x.Notes, want) {
			t.Errorf("%s: in %t, notes %q", address, x.In, x.Notes)
		}
	}
	for _, address := range []string{"https://small.test/featured/", "https://small.test/link/"} { // one has videos, one has none
		x := sitemaptest.Explain(t, c, address)
		if slices.ContainsFunc(x.Notes, func(n string) bool { return strings.Contains(n, "video") }) {
			t.Errorf("%s: %q", address, x.Notes)
		}
	}
}

// A full scan sees an edit that adds a video. A delta sees an edit that makes news.
func TestEditsOfNewsAndVideosWithoutAddOns(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		_, dsn := openAsked(t, e, sitemaptest.YoastActive)
		edit := `UPDATE wp_posts SET post_content = 'https://youtu.be/abcdefghij7', post_modified_gmt = '2024-02-28 11:00:00',
			post_modified = '2024-02-28 12:00:00' WHERE ID = 1012`
		opt := ask(seo.SpecLevel, videoTime)
		opt.Keep = true
		both := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), opt)
		opt.Video.Enabled = seo.Auto
		news := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), opt)
		wptest.Exec(t, dsn, edit, sitemaptest.Revision(1012))
		if _, _, err := both.Delta(t.Context(), nil); !errors.Is(err, rows.ErrDeclined) {
			t.Errorf("videos: %v", err)
		}
		opt.Video.Enabled = seo.SwitchedOn
		again, err := sitemap.Rebuild(t.Context(), both.Rules.Book, opt, both)
		wptest.Must(t, err)
		if got := sitemaptest.Slugs(t, sitemaptest.Render(t, again, "video", 1)); !slices.Contains(strings.Fields(got), "link") {
			t.Errorf("videos %s", got)
		}
		d, _, err := news.Delta(t.Context(), nil)
		wptest.Must(t, err)
		expect.Equal(t, sitemaptest.Slugs(t, sitemaptest.Render(t, d, "news", 1)), "link embed-block record", "news")
	})
}

// A page of videos costs the same number of statements on a site without an add-on, however many
// videos there are.
func TestVideoStatementsWithoutAddOn(t *testing.T) {
	t.Parallel()
	_, dsn := openAsked(t, wptest.SQLite, noPlugins)
	var count sitemaptest.Counter
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Observe: count.Observe})
	c := sitemaptest.Build(t, blog, ask(seo.SpecLevel, videoTime))
	count.Take()
	sitemaptest.Render(t, c, "video", 1)
	first := len(count.Take())
	const most = 9 // rows, meta, terms, embeds, links, attachments by id, by parent, and their names
	if first > most {
		t.Errorf("%d statements", first)
	}
	var posts []sitemaptest.Row
	for id := 5000; id < 5400; id++ {
		posts = append(posts, sitemaptest.Row{ID: id, Author: 1001, Name: fmt.Sprint("v-", id), Title: "V", Text: fmt.Sprint("https://youtu.be/abcdefg", id)})
	}
	wptest.Exec(t, dsn, sitemaptest.Insert(posts...))
	c = sitemaptest.Build(t, blog, ask(seo.SpecLevel, videoTime))
	count.Take()
	if n := sitemaptest.Render(t, c, "video", 1).Entries; n < 400 {
		t.Errorf("%d entries", n)
	}
	expect.Equal(t, len(count.Take()), first, "statements for 400 posts more", "before")
}
