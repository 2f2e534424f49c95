package yoast_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"

	"github.com/google/go-cmp/cmp"
)

// What Yoast never writes and yet is stored. The wanted answers at level plugin are those of WordPress 7.2 with Yoast SEO 28.3.
func TestSitemapsSwitchedByOtherValues(t *testing.T) {
	const off, yoast, core = "everything is the site's", "Yoast's", "WordPress' own"
	for _, tt := range []struct{ value, plugin, spec string }{
		{"b:1;", yoast, yoast},
		{"b:0;", core, core},
		{"i:1;", off, yoast},
		{"a:1:{i:0;i:1;}", off, yoast},
		{"N;", core, core},
		{"a:0:{}", core, core},
	} {
		t.Run(tt.value, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, "basic")
			wptest.Exec(t, dsn,
				fmt.Sprintf(`REPLACE INTO wp_options (option_name, option_value) VALUES ('wpseo', 'a:1:{s:18:"enable_xml_sitemap";%s}')`, tt.value))
			blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
			for level, want := range map[string]string{"plugin": tt.plugin, "spec": tt.spec} {
				compat, err := seo.LevelByName(level)
				wptest.Must(t, err)
				c := sitemaptest.Build(t, blog, seo.Options{Compat: compat})
				got := off
				switch {
				case c.Active() && sitemap.WhoseOf(blog, sitemap.Auto, seo.SpecLevel).Plugin() == &wpcore.Plugin:
					got = core
				case c.Active():
					got = yoast
				}
				if got != want {
					t.Errorf("level %s: %s, want %s", level, got, want)
				}
				if files := c.Files(); (len(files) > 0) != (got != off) {
					t.Errorf("level %s: %d files", level, len(files))
				}
			}
		})
	}
}

func TestNoindexOfOtherValues(t *testing.T) {
	for _, tt := range []struct{ key, value, plugin, spec string }{ // files that are missing
		{"noindex-book", `s:0:"";`, "book", "book"},      // as on the posts' own pages
		{"noindex-tax-category", "i:1;", "", "category"}, // its pages say noindex
		{"noindex-tax-category", "b:1;", "category", "category"},
		{"disable-author", `s:2:"on";`, "author", "author"},
	} {
		t.Run(tt.key+" "+tt.value, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, "basic")
			titles := "a:0:{}"
			all := map[string][]string{}
			slug := "book"
			src := wp.Source{DSN: dsn, Overrides: registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"book": {Slug: &slug}}}}
			wptest.Exec(t, dsn, `UPDATE wp_posts SET post_type = 'book' WHERE ID = 100`)
			for _, state := range []string{"without", "with"} {
				wptest.Exec(t, dsn, `REPLACE INTO wp_options (option_name, option_value) VALUES ('wpseo_titles', '`+titles+`')`)
				titles = fmt.Sprintf(`a:1:{s:%d:"%s";%s}`, len(tt.key), tt.key, tt.value)
				blog := sitemaptest.OpenSite(t, src)
				for _, level := range []seo.Level{seo.SpecLevel, seo.PluginLevel} {
					for _, f := range sitemaptest.Build(t, blog, seo.Options{Compat: level}).Files() {
						all[state+" "+string(level)] = append(all[state+" "+string(level)], f.Name)
					}
				}
			}
			for level, want := range map[string]string{"plugin": tt.plugin, "spec": tt.spec} {
				missing := slices.DeleteFunc(all["without "+level], func(name string) bool { return slices.Contains(all["with "+level], name) })
				if diff := cmp.Diff(want, strings.Join(missing, " ")); diff != "" {
					t.Errorf("level %s, missing, expected (-) and got (+):\n%s", level, diff)
				}
			}
		})
	}
}

// A front page that is none. Of a deleted one the plugin writes an entry without an address, which no level repeats.
func TestOddFrontPages(t *testing.T) {
	for _, tt := range []struct {
		name         string
		front        int64
		plugin, spec string // the first entry of the pages, without the host
	}{
		{"deleted", 99999, "/about/", "/about/"},
		{"an attachment", 9001, "/picture/", "/about/"},
		{"an attachment of a post", 9002, "/the-pier-at-dawn/below/", "/about/"},
		{"in the trash", 9003, "/", "/about/"},
		{"a post", 100, "/the-pier-at-dawn/", "/about/"},
		{"a page", 9004, "/", "/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, "basic")
			row := func(id int, kind, status, name string, parent int) string {
				return fmt.Sprintf(`INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt,
post_status, post_type, post_name, post_title, post_parent, post_mime_type)
VALUES (%d, 1, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-01-01 11:00:00', '2024-01-01 10:00:00', '%s', '%s', '%s', 't',
%d, 'image/jpeg')`, id, status, kind, name, parent)
			}
			wptest.Exec(t, dsn,
				`DELETE FROM wp_posts WHERE post_type = 'page' AND post_name <> 'about'`,
				row(9001, "attachment", "inherit", "picture", 0), row(9002, "attachment", "inherit", "below", 100), row(9003, "page", "trash", "gone", 0),
				fmt.Sprintf(`REPLACE INTO wp_options (option_name, option_value) VALUES ('show_on_front', 'page'), ('page_on_front', '%d'),
('page_for_posts', '0')`,
					tt.front))
			if tt.front == 9004 {
				wptest.Exec(t, dsn, row(9004, "page", "publish", "start", 0))
			}
			blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
			for _, level := range []seo.Level{seo.SpecLevel, seo.PluginLevel} {
				want := tt.plugin
				if string(level) == "spec" {
					want = tt.spec
				}
				doc := sitemaptest.Parse(t, sitemaptest.Render(t, sitemaptest.Build(t, blog, seo.Options{Compat: level}), "page", 1).Body)
				if got := strings.TrimPrefix(doc.Entries[0].Loc, "https://example.test"); got != want {
					t.Errorf("level %s: the first page is %s, want %s", string(level), got, want)
				}
			}
		})
	}
}
