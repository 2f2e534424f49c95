package news_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// openNews opens the seed small-news after it has run the statements.
func openNews(t *testing.T, e wptest.Engine, statements ...string) *address.Book {
	t.Helper()
	dsn := wptest.Load(t, e, "small", "small-news")
	wptest.Exec(t, dsn, statements...)
	return sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: sitemaptest.NewsOverrides()})
}

// The plugin adds its news only to an index that names another sitemap.
func TestNewsAloneMakeNoIndexAtLevelPlugin(t *testing.T) {
	blog := openNews(t, wptest.SQLite,
		`DELETE FROM wp_posts`, `DELETE FROM wp_term_taxonomy`,
		`REPLACE INTO wp_options (option_name, option_value) VALUES ('wpseo_titles', 'a:3:{s:12:"noindex-post";b:1;s:12:"noindex-page";`+
			`b:1;s:14:"disable-author";b:1;}')`)
	c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.PluginLevel, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)})
	expect.Equal(t, len(c.Files()), 0, "files", "want none")
	if n := sitemaptest.Render(t, c, "news", 1).Entries; n != 13 { // with the one whose term is gone
		t.Errorf("%d articles, want 13", n)
	}
}

// These are rare behaviours of the plugin. It lists dates in the future. Its index has the date of the
// newest post of any public type, even of one that visitors cannot view.
func TestNewsOfThePlugin(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "small", "small-news")
		wptest.Exec(t, dsn,
			`INSERT INTO wp_yoast_indexable (id, object_id, object_type, object_sub_type, post_status, permalink, breadcrumb_title,
object_published_at) VALUES (4001, 2001, 'post', 'post', 'publish', 'https://small.test/tomorrow/', 'Tomorrow',
'2024-04-02 12:00:00')`,
			sitemaptest.Insert(sitemaptest.Row{ID: 2002, Author: 1001, Type: "leaflet", Name: "leaflet", Date: "2024-04-01 12:30:00"}))
		overrides, yes, no, slug := sitemaptest.NewsOverrides(), true, false, "leaflet"
		overrides.PostTypes["leaflet"] = registry.PostTypeOverride{Public: &yes, Viewable: &no, Slug: &slug}
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: overrides}), seo.Options{Compat: seo.PluginLevel, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)})
		if got := sitemaptest.Slugs(t, sitemaptest.Render(t, c, "news", 1)); !strings.HasPrefix(got, "tomorrow first ") {
			t.Errorf("%s, want tomorrow first", got)
		}
		entries := sitemaptest.Parse(t, sitemaptest.Render(t, c, seo.IndexName, 1).Body).Entries
		expect.Equal(t, entries[len(entries)-1].LastMod, "2024-04-01T12:30:00+00:00", "the index ends in")
	})
}

// The plugin writes the stored name as HTML. A stored reference stays a reference; other text stays
// text.
func TestNewsNameOfThePlugin(t *testing.T) {
	for stored, want := range map[string]string{
		"Fish &amp; Chips": "Fish & Chips", "Fish & Chips": "Fish & Chips", "Caf&eacute;&nbsp;&#38;": "Café\u00a0&",
		"&bogus; &": "&bogus; &", "& x; &eacute;": "& x; é", "&amp;eacute;": "&eacute;", "<i>": "<i>", "": "",
	} {
		option := fmt.Sprintf(`a:1:{s:17:"news_sitemap_name";s:%d:"%s";}`, len(stored), stored)
		blog := openNews(t, wptest.SQLite, `REPLACE INTO wp_options (option_name, option_value) VALUES ('wpseo_news', '`+option+`')`)
		c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.PluginLevel, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)})
		expect.Equal(t, sitemaptest.ParseNews(t, sitemaptest.Render(t, c, "news", 1).Body)[0].News[0].Name, want, stored)
	}
}

// The operator can exclude articles by their stored address.
func TestNewsThatTheOperatorExcludes(t *testing.T) {
	blog := openNews(t, wptest.SQLite)
	list := func(exclude seo.Exclude) []string {
		opt := seo.Options{Compat: seo.PluginLevel, Now: sitemaptest.ClockAt(sitemaptest.NewsTime), Exclude: exclude}
		return strings.Fields(sitemaptest.Slugs(t, sitemaptest.Render(t, sitemaptest.Build(t, blog, opt), "news", 1)))
	}
	all, less := list(seo.Exclude{}), list(seo.Exclude{URLs: []*regexp.Regexp{regexp.MustCompile("/first/$")}})
	if !slices.Contains(all, "first") || slices.Contains(less, "first") || len(less) != len(all)-1 {
		t.Errorf("%q, and without /first/ %q", all, less)
	}
}
