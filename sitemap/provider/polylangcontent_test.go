package provider_test

import (
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// If Polylang takes the language from the content, the links of posts and terms do not show it. Links of archives, authors and
// post formats do. They show the default language if nothing names another one. The expected addresses come from WordPress 7.2
// with Yoast SEO 28.3 and Polylang 3.8.7 on the same rows.
func TestLanguageFromContent(t *testing.T) {
	tours := []string{
		sitemaptest.Insert(sitemaptest.Row{ID: 1101, Author: 1001, Type: "tour", Name: "city", Date: "2024-03-01 10:00:00"},
			sitemaptest.Row{ID: 1102, Author: 1001, Type: "tour", Name: "ville", Date: "2024-03-02 10:00:00"}),
		`INSERT INTO wp_terms (term_id, name, slug) VALUES (1151, 'aside', 'post-format-aside'), (1152, 'alpha', 'alpha')`,
		`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
(2151, 1151, 'post_format', '', 0, 1), (2152, 1152, 'topic', '', 0, 2)`,
		`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1101, 2031), (1102, 2032), (1001, 2151), (1101, 2152), (1102, 2152)`,
		`REPLACE INTO wp_options (option_name, option_value) VALUES ('wpseo_titles', 'a:1:{s:23:"noindex-tax-post_format";b:0;}')`,
	}
	static := []string{
		`REPLACE INTO wp_options (option_name, option_value) VALUES ('show_on_front', 'page'), ('page_on_front', '1012')`, // of the French
	}
	slug, topic := "tour", "topic"
	source := wp.Source{Overrides: registry.Overrides{
		PostTypes:  map[string]registry.PostTypeOverride{"tour": {Slug: &slug, ArchiveSlug: &slug}},
		Taxonomies: map[string]registry.TaxonomyOverride{"topic": {Slug: &topic, ObjectTypes: []string{"tour"}}},
	}}
	for _, tt := range []struct {
		name       string
		hidden     bool // the code of the default language
		plain      bool // without permalinks
		more       []string
		compat     seo.Level
		want       map[string][]string // file → addresses in order
		topicsDate string              // in the index
	}{
		{
			name: "by the plugin, the default language shown", compat: seo.PluginLevel,
			want: map[string][]string{
				"tour-sitemap.xml":        {"/en/tour/", "/tour/city/", "/tour/ville/", "/fr/tour/", "/de/tour/"},
				"author-sitemap.xml":      {"/en/author/ann/"},
				"post_format-sitemap.xml": {"/en/type/aside/"},
				"topic-sitemap.xml":       {"/topic/alpha/"},
				"page-sitemap.xml":        {"/", "/about/", "/a-propos/"},
			},
			topicsDate: "2024-03-01T10:00:00+00:00", // of the default language's posts
		},
		{
			name: "by the plugin, the default language hidden", compat: seo.PluginLevel, hidden: true,
			want: map[string][]string{
				"tour-sitemap.xml":        {"/tour/", "/tour/city/", "/tour/ville/", "/fr/tour/", "/de/tour/"},
				"author-sitemap.xml":      {"/author/ann/"},
				"post_format-sitemap.xml": {"/type/aside/"},
			},
		},
		{
			name: "by the plugin, a front page that is stored in another language", compat: seo.PluginLevel, more: static,
			want: map[string][]string{"page-sitemap.xml": {"/about/", "/a-propos/"}},
		},
		{
			name: "at level spec, the default language shown", compat: seo.SpecLevel,
			want: map[string][]string{
				"tour-sitemap.xml":        {"/en/tour/", "/fr/tour/", "/tour/city/", "/tour/ville/"},
				"author-sitemap.xml":      {"/en/author/ann/"},
				"post_format-sitemap.xml": {"/en/type/aside/"},
			},
		},
		{
			name: "at level spec, the default language hidden", compat: seo.SpecLevel, hidden: true,
			want: map[string][]string{
				"tour-sitemap.xml":   {"/tour/", "/fr/tour/", "/tour/city/", "/tour/ville/"},
				"author-sitemap.xml": {"/author/ann/"},
			},
		},
		{
			name: "without permalinks", compat: seo.PluginLevel, plain: true,
			want: map[string][]string{
				"tour-sitemap.xml":   {"/?post_type=tour&lang=en", "/?tour=city", "/?tour=ville", "/?post_type=tour&lang=fr", "/?post_type=tour&lang=de"},
				"author-sitemap.xml": {"/?author=1001&lang=en"},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
			settings := strings.Replace(polylangContent, `s:10:"post_types";a:0:{}`, `s:10:"post_types";a:1:{i:0;s:4:"tour";}`, 1)
			if !tt.hidden {
				settings = strings.Replace(settings, `s:12:"hide_default";b:1;`, `s:12:"hide_default";b:0;`, 1)
			}
			statements := append(tours, "REPLACE INTO wp_options (option_name, option_value) VALUES ('polylang', '"+settings+"')",
				"INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (1001, '_yoast_wpseo_profile_updated', '1704103200')")
			if tt.plain {
				statements = append(statements, "UPDATE wp_options SET option_value = '' WHERE option_name = 'permalink_structure'")
			}
			wptest.Exec(t, dsn, append(statements, tt.more...)...)
			src := source
			src.DSN = dsn
			c := sitemaptest.Build(t, sitemaptest.OpenSite(t, src), seo.Options{Compat: tt.compat})
			for _, f := range c.Files() {
				if f.Filename == "topic-sitemap.xml" && tt.topicsDate != "" && sitemaptest.Written(f.LastMod) != tt.topicsDate {
					t.Errorf("topics are dated %s in the index, want %s", sitemaptest.Written(f.LastMod), tt.topicsDate)
				}
				want, ok := tt.want[f.Filename]
				if !ok {
					continue
				}
				delete(tt.want, f.Filename)
				var got []string
				for _, e := range sitemaptest.Parse(t, sitemaptest.Render(t, c, f.Name, f.Page).Body).Entries {
					got = append(got, strings.TrimPrefix(e.Loc, "https://small.test"))
				}
				expect.Same(t, want, got, f.Filename)
			}
			for name := range tt.want {
				t.Errorf("there is no %s", name)
			}
		})
	}
}
