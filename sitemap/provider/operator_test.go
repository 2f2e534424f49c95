package provider_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// addPost returns the statement that adds a post of user 1, in two parts.
func addPost(id int, slug, postType, status string) string {
	return sitemaptest.Insert(sitemaptest.Row{ID: id, Name: slug, Type: postType, Status: status, Date: "2025-02-01 10:00:00", Text: "a<!--nextpage-->b"})
}

// The operator can list the archive of a type without its posts, or the posts without their archive.
func TestArchiveAndSingles(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "small")
	wptest.Exec(t, dsn, sitemaptest.YoastActive, addPost(9001, "a-song", "song", "publish"), "UPDATE wp_posts SET post_content = '' WHERE ID = 9001")
	yes, no, slug := true, false, "songs"
	for _, archive := range []*bool{&yes, &no} {
		o := registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"song": {Public: &yes, Slug: &slug, Archive: archive}}}
		exclude := seo.Exclude{Types: map[string]seo.TypeExclude{"song": {Singles: *archive}}}
		for _, level := range sitemaptest.Levels {
			c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: o}),
				seo.Options{Sitemaps: "yoast", Compat: level, PageSize: 100, Exclude: exclude})
			want := []string{"/songs/a-song/"}
			if *archive {
				want = []string{"/songs/"}
				if x := sitemaptest.Explain(t, c, "https://small.test/songs/a-song/"); x.In || x.Rule != "no singles" {
					t.Errorf("%s: %+v", level, x)
				}
			}
			expect.List(t, sitemaptest.PathsIn(t, c, "song"), want, level)
		}
	}
}

// SEOPress has a noindex of its own for the archive of a type. Noindex of its posts leaves the archive listed; noindex of both leaves
// out the sitemap. All in One SEO leaves out the archive with the posts. The setting of Rank Math is for both.
func TestArchiveOfNoindexedPosts(t *testing.T) {
	t.Parallel()
	array, yes, slug := sitemaptest.Array, true, "songs"
	seopress := func(titles ...any) []string {
		lists := strings.Replace(sitemaptest.SeopressLists, `s:4:"page";a:1`, `s:4:"song";a:1`, 1)
		return append(slices.Clone(sitemaptest.SeopressSite), sitemaptest.SetOption("seopress_xml_sitemap_option_name", lists),
			sitemaptest.SetOption("seopress_toggle", array("toggle-xml-sitemap", "1", "toggle-titles", "1")),
			sitemaptest.SetOption("seopress_titles_option_name", array(titles...)))
	}
	const robots = `"song":{"advanced":{"robotsMeta":{"default":false,"noindex":true}}}`
	aioseo := func(dynamic string) []string {
		return append(slices.Clone(sitemaptest.AioseoSite), sitemaptest.SetOption("aioseo_options_dynamic", `{"searchAppearance":{`+dynamic+`}}`))
	}
	for _, tt := range []struct {
		name string
		site []string
		list string
		want []string
	}{
		{"SEOPress, posts", seopress("seopress_titles_single_titles", array("song", array("noindex", "1"))), "song", []string{"/songs/"}},
		{"SEOPress, both", seopress("seopress_titles_single_titles", array("song", array("noindex", "1")),
			"seopress_titles_archive_titles", array("song", array("noindex", "1"))), "song", nil},
		{"All in One SEO, posts", aioseo(`"postTypes":{` + robots + `}`), "post-archive", nil},
		{"Rank Math", append(slices.Clone(sitemaptest.RankMathSite), sitemaptest.SetOption("rank-math-options-sitemap", array("pt_song_sitemap", "on")),
			sitemaptest.SetOption("rank-math-options-titles", array("pt_song_custom_robots", "on", "pt_song_robots", array(0, "noindex")))), "song", nil},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small")
		wptest.Exec(t, dsn, append(slices.Clone(tt.site), addPost(9001, "a-song", "song", "publish"))...)
		o := registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"song": {Public: &yes, Slug: &slug, Archive: &yes}}}
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: o}), seo.Options{Compat: seo.SpecLevel})
		var files []string
		for _, f := range c.Files() {
			files = append(files, f.Name)
		}
		if slices.Contains(files, tt.list) != (tt.want != nil) {
			t.Errorf("%s: %q", tt.name, files)
			continue
		}
		if tt.want != nil {
			expect.List(t, sitemaptest.PathsIn(t, c, tt.list), tt.want, tt.name)
		}
	}
}

// The operator's exclusions also apply to the front page, the posts page and home.
func TestFirstPagesThatTheOperatorExcludes(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_on_front", "9001"),
		sitemaptest.SetOption("page_for_posts", "9002"),
		sitemaptest.Posts(0, "9001 page front", "9002 page blog"),
		"INSERT INTO wp_terms (term_id, name, slug, term_group) VALUES (900, 'Internal', 'internal', 0)",
		"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (950, 900, 'category', '', 0, 1)",
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (9001, 950, 0), (9002, 950, 0)")
	lists := func(t *testing.T, c *sitemap.Catalog, path string) bool {
		return slices.Contains(sitemaptest.ListedIn(t, c, c.Scheme.Name(seo.KindPost, "page")), path) ||
			slices.Contains(sitemaptest.ListedIn(t, c, c.Scheme.Name(seo.KindPost, "post")), path)
	}
	excludes := func(exclude seo.Exclude, source string, paths ...string) {
		t.Helper()
		sitemaptest.EachPlugin(t, dsn, registry.Overrides{}, seo.Options{PageSize: 100, Exclude: exclude}, func(t *testing.T, c *sitemap.Catalog) {
			for _, path := range paths {
				listed := lists(t, c, path)
				if source == "" {
					if c.Rules.Options.Compat == seo.SpecLevel && !listed && !sitemaptest.Explain(t, c, "https://small.test"+path).In {
						t.Errorf("%s is not listed", path)
					}
					continue
				}
				x := sitemaptest.Explain(t, c, "https://small.test"+path)
				if listed || x.In || !slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool { return e.Source == source }) {
					t.Errorf("%s is listed: %v, %+v", path, listed, x)
				}
			}
		})
	}
	urls := []*regexp.Regexp{regexp.MustCompile(`/blog/$`), regexp.MustCompile(`^https://small.test/?$`)}
	excludes(seo.Exclude{Terms: []seo.TermName{{Taxonomy: "category", Slug: "other"}}}, "", "/", "/blog/")
	excludes(seo.Exclude{Terms: []seo.TermName{{Taxonomy: "category", Slug: "internal"}}}, "[site.exclude] terms", "/", "/blog/")
	excludes(seo.Exclude{PostIDs: []int64{9001, 9002}}, "[site.exclude] post_ids", "/", "/blog/")
	excludes(seo.Exclude{URLs: urls}, "[site.exclude] urls", "/", "/blog/")
	wptest.Exec(t, dsn, sitemaptest.SetOption("show_on_front", "posts"), sitemaptest.SetOption("page_on_front", "0"),
		sitemaptest.SetOption("page_for_posts", "0"))
	excludes(seo.Exclude{}, "", "/")
	excludes(seo.Exclude{URLs: urls}, "[site.exclude] urls", "/")
}
