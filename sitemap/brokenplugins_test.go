package sitemap_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/db"
	"wpsitemapd/wp/wptest"

	"github.com/go-sql-driver/mysql"
)

// brokenPlugin is broken stored data of a plugin. The data is skipped with a warning that names it, and
// all other lists are served.
//
// If the data may say noindex and must not be read, the list is not served. If no such data can exist,
// the list is served.
type brokenPlugin struct {
	rule    string
	breaks  []string        // statements on a site on which nothing is broken
	mends   []string        // statements after which nothing is
	denied  string          // a table that the account may not read
	warning string          // a part of it
	more    map[string]int  // addresses that sitemaps have beside those of the whole site
	refused map[string]bool // sitemaps that cannot be made
	nobody  bool            // the plugin has no sitemaps then
}

func TestBrokenPlugins(t *testing.T) {
	t.Parallel()
	option := func(name, value string) string {
		return fmt.Sprintf("UPDATE wp_options SET option_value = '%s' WHERE option_name = '%s'", value, name)
	}
	cut := func(name string) string {
		return fmt.Sprintf("UPDATE wp_options SET option_value = SUBSTR(option_value, 1, LENGTH(option_value) / 2) WHERE option_name = '%s'", name)
	}
	const hidden, back = "ALTER TABLE wp_%s RENAME TO hidden", "ALTER TABLE hidden RENAME TO wp_%s"
	away := func(table string) ([]string, []string) {
		return []string{fmt.Sprintf(hidden, table)}, []string{fmt.Sprintf(back, table)}
	}
	noRows, rows := away("aioseo_posts")
	noTermMeta, termMeta := away("termmeta")
	for _, site := range []struct {
		plugin  string
		site    []string
		options []string
		tests   []brokenPlugin
	}{
		{"All in One SEO", slices.Concat(sitemaptest.AioseoSite, sitemaptest.AioseoTable), []string{"aioseo_options", "aioseo_options_dynamic"}, []brokenPlugin{
			{rule: "options", breaks: []string{option("aioseo_options", `{"sitemap":{`)}, warning: "option aioseo_options holds no JSON",
				more: map[string]int{"post": 2, "category": 1}},
			{rule: "options of types", breaks: []string{cut("aioseo_options_dynamic")}, warning: "option aioseo_options_dynamic holds no JSON",
				more: map[string]int{"page": 1}},
			{rule: "strange options", breaks: []string{option("aioseo_options", `{"sitemap":{"general":{"filename":["x"],`+
				`"additionalPages":{"enable":true,"pages":["{\"url",7,{"url":{}}]},"advancedSettings":{"excludePosts":"2001","excludeTerms":{"a":{}}}}}}`)},
				more: map[string]int{"post": 2, "category": 1}},
			{rule: "no table", breaks: noRows, mends: rows, warning: "table wp_aioseo_posts cannot be read", more: map[string]int{"post": 1, "page": -1}},
			{rule: "a table of another version", breaks: []string{"ALTER TABLE wp_aioseo_posts RENAME COLUMN robots_default TO was_default"},
				mends:   []string{"ALTER TABLE wp_aioseo_posts RENAME COLUMN was_default TO robots_default"},
				warning: "may not read table wp_aioseo_posts", refused: map[string]bool{"post": true, "page": true}},
			{rule: "no images", breaks: []string{"ALTER TABLE wp_aioseo_posts RENAME COLUMN images TO was_images"},
				mends: []string{"ALTER TABLE wp_aioseo_posts RENAME COLUMN was_images TO images"}, warning: "images of posts are not known"},
			{rule: "a table that is denied", denied: "aioseo_posts", warning: "may not read table wp_aioseo_posts",
				refused: map[string]bool{"post": true, "page": true}},
		}},
		{"Rank Math", sitemaptest.RankMathSite, []string{"rank-math-options-sitemap", "rank-math-options-titles"}, []brokenPlugin{
			{rule: "lists", breaks: []string{cut("rank-math-options-sitemap")}, warning: "option rank-math-options-sitemap is cut short", nobody: true},
			{rule: "titles", breaks: []string{cut("rank-math-options-titles")}, warning: "option rank-math-options-titles is cut short",
				more: map[string]int{"page": 1}},
			{rule: "no term meta", breaks: noTermMeta, mends: termMeta, warning: "wp_termmeta cannot be read", more: map[string]int{"category": 2}},
			{rule: "term meta of nobody's form", breaks: []string{"ALTER TABLE wp_termmeta RENAME COLUMN meta_value TO was_value"},
				mends:   []string{"ALTER TABLE wp_termmeta RENAME COLUMN was_value TO meta_value"},
				warning: "wp_termmeta cannot be read", more: map[string]int{"category": 2}},
			{rule: "term meta that is denied", denied: "termmeta", warning: "wp_termmeta cannot be read", refused: map[string]bool{"category": true}},
		}},
		{"SEOPress", sitemaptest.SeopressSite, []string{"seopress_xml_sitemap_option_name", "seopress_titles_option_name"}, []brokenPlugin{
			{rule: "lists", breaks: []string{cut("seopress_xml_sitemap_option_name")},
				warning: "option seopress_xml_sitemap_option_name is cut short", nobody: true},
			{rule: "titles", breaks: []string{cut("seopress_titles_option_name")}, warning: "option seopress_titles_option_name is cut short"},
			{rule: "no term meta", breaks: noTermMeta, mends: termMeta, warning: "wp_termmeta cannot be read",
				more: map[string]int{"category": 1, "post_tag": 1}},
			{rule: "term meta that is denied", denied: "termmeta", warning: "wp_termmeta cannot be read",
				refused: map[string]bool{"category": true, "post_tag": true}},
		}},
	} {
		t.Run(site.plugin, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.MariaDB, "small")
			wptest.Exec(t, dsn, site.site...)
			account := wptest.ReadOnlyDSN(t, dsn)
			whole := map[seo.Level]map[string]int{}
			for _, level := range sitemaptest.Levels {
				c, _ := readWhole(t, account, level)
				whole[level] = served(t, c, nil)
			}
			wptest.Exec(t, dsn, "CREATE TABLE kept AS SELECT option_name, option_value FROM wp_options WHERE option_name IN ('"+
				strings.Join(site.options, "', '")+"')")
			for _, tt := range site.tests {
				t.Run(tt.rule, func(t *testing.T) {
					wptest.Exec(t, dsn, tt.breaks...)
					mends := append(tt.mends, "UPDATE wp_options o JOIN kept k USING (option_name) SET o.option_value = k.option_value")
					if tt.denied != "" {
						on, user := selectOn(t, dsn, account, tt.denied)
						wptest.Exec(t, dsn, "REVOKE "+on+" FROM "+user)
						mends = append(mends, "GRANT "+on+" TO "+user)
					}
					defer wptest.Exec(t, dsn, mends...)
					for _, level := range sitemaptest.Levels {
						tt.check(t, account, site.plugin, level, whole[level])
					}
				})
			}
		})
	}
}

// selectOn returns the right to read a table, as SQL writes it, and the account that has the right.
func selectOn(t *testing.T, dsn, account, table string) (on, user string) {
	t.Helper()
	whole, err := mysql.ParseDSN(dsn)
	wptest.Must(t, err)
	reader, err := mysql.ParseDSN(account)
	wptest.Must(t, err)
	return fmt.Sprintf("SELECT ON `%s`.`wp_%s`", whole.DBName, table), "'" + reader.User + "'@'localhost'"
}

// readWhole builds a catalog and returns it with all warnings.
func readWhole(t *testing.T, dsn string, level seo.Level) (*sitemap.Catalog, string) {
	t.Helper()
	var log bytes.Buffer
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	c := sitemaptest.Build(t, blog, seo.Options{Compat: level, Text: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	return c, strings.Join(blog.Blog.Warnings(), "\n") + "\n" + log.String()
}

// served renders every sitemap of an index and returns its number of addresses. Sitemaps in refused
// must fail.
func served(t *testing.T, c *sitemap.Catalog, refused map[string]bool) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, f := range c.Files() {
		doc, err := c.Render(t.Context(), f.Name, f.Page)
		switch {
		case refused[f.Name]:
			if !db.Unreadable(err) || errors.Is(err, catalog.ErrNotFound) {
				t.Errorf("%s: %v", f.Filename, err)
			}
			continue
		case err != nil:
			t.Errorf("%s: %v", f.Filename, err)
			continue
		}
		sitemaptest.Parse(t, doc.Body)
		counts[f.Name] += doc.Entries
	}
	return counts
}

// check reads a broken site and compares it with the whole one.
func (tt *brokenPlugin) check(t *testing.T, dsn, plugin string, level seo.Level, whole map[string]int) {
	t.Helper()
	c, warnings := readWhole(t, dsn, level)
	if n := strings.Count(warnings, tt.warning); n == 0 {
		t.Errorf("%s: no warning %q: %s", level, tt.warning, warnings)
	}
	if tt.nobody {
		if c.Plugin() == plugin && len(served(t, c, nil)) > 1 {
			t.Errorf("%s: %v", level, served(t, c, nil))
		}
		return
	}
	if c.Plugin() != plugin || !c.Active() {
		t.Fatalf("%s: %s: %s", level, c.Plugin(), c.Whose.Why())
	}
	got := served(t, c, tt.refused)
	for _, name := range slices.Concat(slices.Collect(maps.Keys(whole)), slices.Collect(maps.Keys(got))) {
		if want := whole[name] + tt.more[name]; name != seo.IndexName && !tt.refused[name] && got[name] != want {
			t.Errorf("%s: %s has %d addresses, want %d", level, name, got[name], want)
		}
	}
	for name := range tt.refused {
		if _, err := c.Render(t.Context(), name, 1); !db.Unreadable(err) { // also one that the index does not name
			t.Errorf("%s: %s: %v", level, name, err)
		}
		address := c.Rules.Blog.Home() + map[string]string{"post": "/plain/", "category": "/category/plain-term/"}[name]
		if x, err := c.Explain(t.Context(), address); address != c.Rules.Blog.Home() && (err != nil || !x.Unknown || x.In) {
			t.Errorf("%s: %s: %+v, %v", level, address, x, err)
		}
	}
	if _, err := c.Render(t.Context(), catalog.TextName, 1); len(tt.refused) > 0 && !db.Unreadable(err) {
		t.Errorf("%s: as text: %v", level, err)
	}
}
