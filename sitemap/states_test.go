package sitemap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// state is a site with something stored that few sites have, and what its sitemaps are then.
type state struct {
	rule  string
	sql   []string
	level seo.Level           // "": plugin
	want  map[string][]string // sitemap → addresses without home, in order; nil: there is none. Of the index, the files.
}

// checkStates builds a site for each state, over the same rows.
func checkStates(t *testing.T, rows []string, states []state) {
	t.Helper()
	for _, s := range states {
		t.Run(s.rule, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.MariaDB, "small")
			wptest.Exec(t, dsn, rows...)
			wptest.Exec(t, dsn, s.sql...)
			level := s.level
			if level == "" {
				level = seo.PluginLevel
			}
			c := mustBuild(t, openSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: level})
			got := map[string][]string{}
			for name := range s.want {
				got[name] = listedIn(t, c, name)
			}
			if diff := cmp.Diff(s.want, got); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

// listedIn returns the addresses of a sitemap's first page, without home, in order; nil where there is no such sitemap.
func listedIn(t *testing.T, c *Catalog, name string) []string {
	t.Helper()
	doc, err := c.Render(t.Context(), name, 1)
	if err != nil {
		return nil
	}
	paths := []string{}
	for _, e := range parse(t, doc.Body).Entries {
		paths = append(paths, strings.TrimPrefix(e.Loc, c.Site().Home()))
	}
	return paths
}

// stored is a statement that stores an option.
func stored(name, value string) string {
	return fmt.Sprintf("REPLACE INTO wp_options (option_name, option_value, autoload) VALUES ('%s', '%s', 'on')", name, value)
}

// replaced is a value with texts in the place of others of the same length, as those of a serialized one have to be.
func replaced(value string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(value)
}

// States of SEOPress that its own screens leave behind, or old versions.
func TestSEOPressStates(t *testing.T) {
	t.Parallel()
	const option = "seopress_xml_sitemap_option_name"
	latest := []string{"/canonical-null/", "/café/", "/canonical-own/", "/noindex-of-another-kind/", "/plain/"}
	checkStates(t, seopressSite, []state{
		{
			rule: "authors that are not ticked have no sitemap, nor a line in the index",
			sql:  []string{stored(option, replaced(seopressLists, `author_enable";s:1:"1"`, `author_enable";s:1:"0"`))},
			want: map[string][]string{
				"author":      nil,
				seo.IndexName: {"/page-sitemap1.xml", "/post-sitemap1.xml", "/post_tag-sitemap1.xml", "/category-sitemap1.xml"},
			},
		},
		{
			rule: "ticked taxonomies that nothing registers are named and empty",
			sql: []string{
				stored(option, replaced(seopressLists, `s:8:"post_tag"`, `s:4:"gone"`, `s:8:"category"`, `s:8:"nav_menu"`)),
				"UPDATE wp_term_taxonomy SET taxonomy = 'nav_menu' WHERE term_id = 1021",
			},
			want: map[string][]string{
				"gone": {}, "nav_menu": {},
				seo.IndexName: {"/page-sitemap1.xml", "/post-sitemap1.xml", "/gone-sitemap1.xml", "/nav_menu-sitemap1.xml", "/author.xml"},
			},
		},
		{
			rule: "a box of any name counts in the index",
			sql:  []string{stored(option, replaced(seopressLists, `s:4:"page";a:1:{s:7:"include"`, `s:4:"page";a:1:{s:7:"exclude"`))},
			want: map[string][]string{seo.IndexName: {
				"/page-sitemap1.xml", "/post-sitemap1.xml", "/post_tag-sitemap1.xml", "/category-sitemap1.xml", "/author.xml",
			}},
		},
		{
			rule: "home has no slash where permalinks have none",
			sql:  []string{stored("permalink_structure", "/%postname%")},
			want: map[string][]string{"post": {"", "/canonical-null", "/noindex-of-another-kind", "/plain"}},
		},
		{
			rule: "home has a slash where permalinks have one",
			want: map[string][]string{"post": append([]string{"/"}, latest...)},
		},
		{
			rule: "a posts page that is not public is linked by its id, with a slash",
			sql: []string{
				stored("show_on_front", "page"), stored("page_for_posts", "1011"), "UPDATE wp_posts SET post_status = 'draft' WHERE ID = 1011",
			},
			want: map[string][]string{"post": append([]string{"/?page_id=1011/"}, latest...)},
		},
	})
}
