package news_test

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The articles as the plugin writes them from its index table. The expected file is written by hand from the rows of the seed.
func TestArticlesOfThePlugin(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Build(t, openNews(t, wptest.SQLite), seo.Options{Compat: seo.PluginLevel, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)})
	want := sitemaptest.ParseNews(t, sitemaptest.ReadFile(t, "expected", "small-news-plugin", "news-sitemap.xml"))
	expect.Same(t, want, sitemaptest.ParseNews(t, sitemaptest.Render(t, c, "news", 1).Body))
}

// The language is that of the site, two letters of its locale, unless the operator sets one.
func TestLanguageOfThePlugin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ locale, operator, want string }{
		{"nl_NL", "", "nl"}, {"", "", "en"}, {"x", "", "en"}, {"de", "", "de"}, {"nl_NL", "fr", "fr"},
	} {
		c := sitemaptest.Build(t, openNews(t, wptest.SQLite, sitemaptest.SetOption("WPLANG", tt.locale)), seo.Options{
			Compat: seo.PluginLevel, Now: sitemaptest.ClockAt(sitemaptest.NewsTime), News: seo.News{Language: tt.operator, Publication: "Tide & Co"},
		})
		first := sitemaptest.ParseNews(t, sitemaptest.Render(t, c, "news", 1).Body)[0].News[0]
		expect.Equal(t, first.Language, tt.want, tt.locale, tt.operator)
		expect.Equal(t, first.Name, "Tide & Co", "the operator's name")
	}
}

// Types that are not registered, or not public, are no news.
func TestTypesOfThePlugin(t *testing.T) {
	t.Parallel()
	box := sitemaptest.Array("post", "on", "gone", "on", "report", "on")
	for _, public := range []bool{true, false} {
		o := sitemaptest.NewsOverrides()
		report := o.PostTypes["report"]
		report.Public = &public
		o.PostTypes["report"] = report
		dsn := wptest.Load(t, wptest.SQLite, "small", "small-news")
		wptest.Exec(t, dsn, sitemaptest.SetOption("wpseo_news", sitemaptest.Array("news_sitemap_include_post_types", box)))
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: o}),
			seo.Options{Compat: seo.PluginLevel, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)})
		got := sitemaptest.Slugs(t, sitemaptest.Render(t, c, "news", 1))
		expect.Equal(t, strings.Contains(got, "of-another-type"), public, got)
	}
}

// Why a post is not in the plugin's news.
func TestAbsentArticles(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Build(t, openNews(t, wptest.SQLite), seo.Options{Compat: seo.PluginLevel, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)})
	const excluded = "excluded by wp_postmeta._yoast_wpseo_newssitemap-robots-index or wp_options.wpseo_news[news_sitemap_exclude_terms]"
	for slug, want := range map[string]string{
		"first": "", "page": "", "marked": excluded, "sponsored": excluded,
		"late":        "it is older than 48 hours (wp_posts.post_date_gmt = 2024-03-30T11:59:59Z; the window begins at 2024-03-30T12:00:00Z)",
		"not-indexed": "Yoast's table wp_yoast_indexable has no such row, or says noindex",
	} {
		got := ""
		for _, note := range sitemaptest.Explain(t, c, "https://small.test/"+slug+"/").Notes {
			if text, ok := strings.CutPrefix(note, "Not in news: "); ok {
				got = strings.TrimSuffix(text, ".")
			}
		}
		expect.Equal(t, got, want, slug)
	}
	c = sitemaptest.Build(t, openNews(t, wptest.SQLite), seo.Options{Compat: seo.PluginLevel, Now: sitemaptest.ClockAt(sitemaptest.NewsTime),
		News: seo.News{ExcludeTerms: []int64{1021}}})
	x := sitemaptest.Explain(t, c, "https://small.test/sponsored/")
	expect.Contains(t, fmt.Sprint(x.Notes), "robots-index or [site.news] exclude_terms")
}
