package news_test

import (
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/news"
	"wpsitemapd/sitemap/seo"
	yoastnews "wpsitemapd/sitemap/yoast/news"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The operator's settings replace those of the add-on, one by one. What nobody sets follows from the site.
func TestOf(t *testing.T) {
	t.Parallel()
	stored := sitemaptest.SetOption("wpseo_news", sitemaptest.Array("news_sitemap_name", "The Quay", "news_sitemap_include_post_types",
		sitemaptest.Array("page", "on"), "news_sitemap_exclude_terms", sitemaptest.Array("1021_for_page", "on")))
	for _, tt := range []struct {
		rule     string
		operator seo.News
		sql      []string
		want     news.Settings
	}{
		{"of the add-on", seo.News{}, []string{stored},
			news.Settings{On: true, Name: "news", Publication: "The Quay", PostTypes: []string{"page"},
				ExcludedTerms: map[string][]int64{"page": {1021}}}},
		{"of the site", seo.News{}, []string{sitemaptest.SetOption("wpseo_news", "a:0:{}")},
			news.Settings{On: true, Name: "news", Publication: "Small", PostTypes: []string{"post"}, ExcludedTerms: map[string][]int64{}}},
		{"a site without a title", seo.News{}, []string{sitemaptest.SetOption("wpseo_news", "a:0:{}"), sitemaptest.SetOption("blogname", "")},
			news.Settings{On: true, Name: "news", Publication: "small.test", PostTypes: []string{"post"}, ExcludedTerms: map[string][]int64{}}},
		{"of the operator", seo.News{Publication: "Tide", Language: "fr", PostTypes: []string{"post", "page"}, ExcludeTerms: []int64{7}},
			[]string{stored},
			news.Settings{On: true, Name: "news", Publication: "Tide", Language: "fr", PostTypes: []string{"post", "page"},
				ExcludedTerms: map[string][]int64{"": {7}}}},
		{"no term is excluded", seo.News{ExcludeTerms: []int64{}}, []string{stored},
			news.Settings{On: true, Name: "news", Publication: "The Quay", PostTypes: []string{"page"}, ExcludedTerms: map[string][]int64{"": {}}}},
		{"off", seo.News{Enabled: seo.SwitchedOff}, []string{stored},
			news.Settings{Name: "news", Publication: "The Quay", PostTypes: []string{"page"}, ExcludedTerms: map[string][]int64{"page": {1021}}}},
		{"on without the add-on", seo.News{Enabled: seo.SwitchedOn}, []string{sitemaptest.SetOption("wpseo_news", "a:0:{}"), sitemaptest.YoastActive},
			news.Settings{On: true, Name: "news", Publication: "Small", PostTypes: []string{"post"}, ExcludedTerms: map[string][]int64{}}},
	} {
		c := sitemaptest.Build(t, openNews(t, wptest.SQLite, tt.sql...), seo.Options{Compat: seo.SpecLevel, News: tt.operator})
		expect.Same(t, tt.want, yoastnews.Provider.Of(c.Rules), tt.rule)
		expect.Equal(t, yoastnews.Provider.Names(c.Rules)["news"], tt.want.On, tt.rule)
		expect.Equal(t, len(yoastnews.Provider.Absent(c.Rules)) == 0, tt.want.On, tt.rule)
		expect.Equal(t, len(yoastnews.Provider.Watched(c.Rules)) > 0, tt.want.On, tt.rule)
		expect.Equal(t, yoastnews.Provider.Deltas(c.Rules), true, tt.rule)
	}
	plugin := sitemaptest.Build(t, openNews(t, wptest.SQLite), seo.Options{Compat: seo.PluginLevel})
	expect.Equal(t, yoastnews.Provider.Deltas(plugin.Rules), false, "the add-on's own rules")
	expect.Equal(t, len(yoastnews.Provider.Watched(plugin.Rules)), 0, "the add-on's own rules")
}

// Why a listed post is not in the news by Google's rules.
func TestAbsentNews(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ window, slug, want string }{
		{"", "first", ""},
		{"", "page", ""},
		{"", "late", "it is older than 48 hours (wp_posts.post_date_gmt = 2024-03-30T11:59:59Z; the window begins at 2024-03-30T12:00:00Z)"},
		{"", "to-come", "it has changed since the sitemaps were read"},
		{seo.ByPublication, "to-come",
			"it is older than 48 hours (wp_posts.post_date_gmt = 2023-05-01T10:00:00Z; the window begins at 2024-03-30T12:00:00Z)"},
		{seo.ByPublication, "revised",
			"it is older than 48 hours (wp_posts.post_date_gmt = 2023-05-01T10:00:00Z; the window begins at 2024-03-30T12:00:00Z)"},
		{"", "marked", "excluded by wp_postmeta._yoast_wpseo_newssitemap-robots-index or wp_options.wpseo_news[news_sitemap_exclude_terms]"},
	} {
		c := sitemaptest.Build(t, openNews(t, wptest.SQLite), seo.Options{Compat: seo.SpecLevel, Now: sitemaptest.ClockAt(sitemaptest.NewsTime),
			News: seo.News{Window: tt.window}})
		got := ""
		for _, note := range sitemaptest.Explain(t, c, "https://small.test/"+tt.slug+"/").Notes {
			if text, ok := strings.CutPrefix(note, "Not in news: "); ok {
				got = strings.TrimSuffix(text, ".")
			}
		}
		expect.Equal(t, got, tt.want, tt.window, tt.slug)
	}
}

// An article that was changed after the sitemaps were read makes the page one that is behind. One that is no longer published is gone.
func TestNewsThatMoved(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]struct {
		behind bool
		first  string
	}{
		"": {false, "first"}, "post_title = 'New'": {false, "first"},
		"post_modified_gmt = '2024-04-01 11:59:59', post_status = 'draft'":                 {true, "marked-0"},
		"post_modified = '2024-04-01 14:00:00', post_modified_gmt = '2024-04-01 12:00:00'": {true, "first"},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small", "small-news")
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: sitemaptest.NewsOverrides()}),
			seo.Options{Compat: seo.SpecLevel, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)})
		if change != "" {
			wptest.Exec(t, dsn, "UPDATE wp_posts SET "+change+" WHERE ID = 1001")
		}
		doc := sitemaptest.Render(t, c, "news", 1)
		slug, _, _ := strings.Cut(sitemaptest.Slugs(t, doc), " ")
		expect.Equal(t, doc.Behind, want.behind, change)
		expect.Equal(t, slug, want.first, change)
	}
}
