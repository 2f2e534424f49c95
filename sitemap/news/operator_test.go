package news_test

import (
	"testing"
	"time"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// noPlugins deactivates all plugins, so that WordPress' own sitemaps answer.
const noPlugins = `REPLACE INTO wp_options (option_name, option_value) VALUES ('active_plugins', 'a:0:{}')`

// If a post type is named news, it keeps the address. The operator's settings override those of an
// add-on.
func TestNewsByTheOperator(t *testing.T) {
	t.Parallel()
	yes := true
	for _, tt := range []struct {
		name      string
		statement string
		news      seo.News
		typed     bool // there is a type news
		sitemap   string
		want      string // slugs
		says      string // part of the XML
	}{
		{"the site's name and language", noPlugins, seo.News{}, false, "news", "embed-block record", "<news:name>Small &amp; wet</news:name>"},
		{"a name", noPlugins, seo.News{Publication: "Tide & Co"}, false, "news", "embed-block record", "<news:name>Tide &amp; Co</news:name>"},
		{"a language", sitemaptest.YoastActive, seo.News{Language: "zh-tw"}, false, "news", "embed-block record", "<news:language>zh-tw</news:language>"},
		{"a type", sitemaptest.YoastActive, seo.News{PostTypes: []string{"page"}}, false, "news", "-", ""},
		{"a type nobody knows", noPlugins, seo.News{PostTypes: []string{"film", "post"}}, false, "news", "embed-block record", ""},
		{"a term", noPlugins, seo.News{ExcludeTerms: []int64{1021, 77}}, false, "news", "embed-block", ""},
		{"a type is called news", noPlugins, seo.News{}, true, "google-news", "embed-block record", ""},
		{"and with Yoast", sitemaptest.YoastActive, seo.News{}, true, "yoast-news", "embed-block record", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "small", "small-video")
			wptest.Exec(t, dsn, tt.statement)
			src := wp.Source{DSN: dsn}
			if tt.typed {
				src.Overrides = registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"news": {Public: &yes}}}
			}
			for _, level := range sitemaptest.Levels {
				opt := seo.Options{Compat: level, Now: sitemaptest.ClockAt(time.Date(2024, 2, 28, 12, 0, 0, 0, time.UTC)), News: tt.news}
				opt.News.Enabled = seo.SwitchedOn
				c := sitemaptest.Build(t, sitemaptest.OpenSite(t, src), opt)
				doc := sitemaptest.Render(t, c, tt.sitemap, 1)
				if got := sitemaptest.Slugs(t, doc); got != tt.want && (tt.want != "-" || got != "") {
					t.Errorf("%s: %s, want %s", level, got, tt.want)
				}
				expect.Contains(t, string(doc.Body), tt.says, level, doc.Body)
			}
		})
	}
}
