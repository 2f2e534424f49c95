package video_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestPages(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "small", "small-video")
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
		c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.PluginLevel, PageSize: 2})
		// By post_modified the order is 1016, 1014, 1013, 1009, 1001. 1016 and 1009 are counted but not
		// printed.
		var dates []string
		for _, f := range c.Files() {
			if f.Name == "video" {
				dates = append(dates, f.Filename+" "+sitemaptest.Written(f.LastMod))
			}
		}
		want := []string{
			"video-sitemap.xml 2024-02-15T10:00:00+00:00", "video-sitemap2.xml 2024-02-20T10:00:00+00:00", "video-sitemap3.xml 2024-02-28T10:00:00+00:00",
		}
		expect.Same(t, want, dates)
		const trailer = "https://small.test/category/trailers/ "
		for page, want := range map[int][]string{
			1: {"https://small.test/hostile/ ", trailer}, 2: {"https://small.test/chosen/ ", trailer}, 3: {"https://small.test/record/ ", trailer},
			4: {trailer}, 99: {trailer}, 1 << 60: {trailer},
		} {
			got := strings.Split(strings.TrimSuffix(sitemaptest.Parse(t, sitemaptest.Render(t, c, "video", page).Body).String(), "\n"), "\n")
			expect.Same(t, want, got, "page", page)
		}
		if _, err := c.Render(t.Context(), "video", 0); !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("page 0: %v", err)
		}

		wptest.Exec(t, dsn, `DELETE FROM wp_postmeta WHERE meta_key = '_yoast_wpseo_video_meta'`, `UPDATE wp_posts SET post_content = ''`)
		c = sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.PluginLevel})
		if slices.ContainsFunc(c.Files(), func(f catalog.File) bool { return f.Name == "video" }) {
			t.Error("plugin: terms alone are in the index")
		}
		expect.Equal(t, sitemaptest.Render(t, c, "video", 1).Entries, 1, "plugin", "terms")
		wptest.Exec(t, dsn, `DELETE FROM wp_options WHERE option_name = 'wpseo_taxonomy_meta'`)
		c = sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel})
		if _, err := c.Render(t.Context(), "video", 1); !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("spec: nothing: %v", err)
		}
		c = sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.PluginLevel})
		expect.Equal(t, sitemaptest.Render(t, c, "video", 7).Entries, 0, "plugin", "entries where nothing is")
	})
}

// By Google's rules, complete videos of listed posts are listed, in the order of ids. Other videos are left out, and explain says
// why.
func TestListByGoogle(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Of(t, "small small-video", seo.Options{Compat: seo.SpecLevel})
	expect.Equal(t, strings.Join(sitemaptest.Listed(t, c, "video"), " "),
		"/record/ /embed-block/ /video-block/ /video-shortcode/ /featured/ /page/ /chosen/ /hostile/")
	for path, want := range map[string]string{
		"/no-thumbnail/": "Not in video: its video https://vimeo.com/124 has no thumbnail.",
		"/disabled/":     `Not in video: its video is switched off in Yoast Video SEO (_yoast_wpseo_videositemap-disable is "on").`,
		"/record/":       "", "/link/": "", "/draft/": "",
	} {
		expect.Equal(t, strings.Join(sitemaptest.Explain(t, c, "https://small.test"+path).Notes, "; "), want, path)
	}
	expect.Equal(t, c.LeftOut[seo.VideoWithoutThumbnail], 2, "without a thumbnail")
	expect.Equal(t, c.LeftOut[seo.VideoDisabled], 1, "switched off")
}

// A page of videos costs two statements more than a page of posts.
func TestPageStatements(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "small", "small-video")
		var count sitemaptest.Counter
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Observe: count.Observe})
		for _, level := range sitemaptest.Levels {
			c := sitemaptest.Build(t, blog, seo.Options{Compat: level})
			tailless(c) // terms are two more, once for all of them
			count.Take()
			sitemaptest.Render(t, c, "video", 1)
			videos := count.Take()
			const posts = 5 // rows, meta, attachments by id, by parent, and their files
			if len(videos) > posts+2 {
				t.Errorf("%s: %d statements:\n%s", string(level), len(videos), strings.Join(videos, "\n"))
			}
		}
	})
}

// tailless removes the terms from the list of videos.
func tailless(c *sitemap.Catalog) {
	for _, l := range c.Lists {
		if l.Name == "video" {
			l.Tail = nil
		}
	}
}
