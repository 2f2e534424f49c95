package sitemap_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// addPost returns the statement that adds a post of user 1, in two parts.
func addPost(id int, slug, postType, status string) string {
	return sitemaptest.Insert(sitemaptest.Row{ID: id, Name: slug, Type: postType, Status: status, Date: "2025-02-01 10:00:00", Text: "a<!--nextpage-->b"})
}

// eachPlugin runs a test for the sitemaps of each plugin at both levels.
func eachPlugin(t *testing.T, dsn string, o registry.Overrides, opt seo.Options, test func(t *testing.T, c *sitemap.Catalog)) {
	for _, choice := range sitemap.Choices()[2:] {
		for _, level := range sitemaptest.Levels {
			t.Run(choice+" "+string(level), func(t *testing.T) {
				opt.Sitemaps, opt.Compat = choice, level
				c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: o}), opt)
				if !c.Active() {
					t.Skip("these are left to the site at this level")
				}
				test(t, c)
			})
		}
	}
}

// listedSlugs returns the slugs under which posts or pages are listed.
func listedSlugs(t *testing.T, c *sitemap.Catalog, slugs ...string) []string {
	t.Helper()
	all := slices.Concat(listedIn(t, c, c.Scheme.Name(seo.KindPost, "post")), listedIn(t, c, c.Scheme.Name(seo.KindPost, "page")))
	return slices.DeleteFunc(slugs, func(slug string) bool {
		return !slices.ContainsFunc(all, func(path string) bool { return strings.Trim(path, "/") == slug })
	})
}

// Posts with a status that the operator adds to their type count as published. Posts of another type
// or status do not.
func TestFurtherStatuses(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "small")
		wptest.Exec(t, dsn, addPost(9001, "kept", "post", "archived"), addPost(9002, "other-status", "post", "expired"),
			addPost(9003, "other-type", "page", "archived"), addPost(9004, "a-page", "page", "publish"))
		o := registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"post": {Statuses: []string{"archived"}}}}
		listed := func(t *testing.T, c *sitemap.Catalog) []string {
			return listedSlugs(t, c, "kept", "other-status", "other-type")
		}
		eachPlugin(t, dsn, o, seo.Options{PageSize: 100}, func(t *testing.T, c *sitemap.Catalog) {
			expect.List(t, listed(t, c), []string{"kept"}, "are listed")
			if x := sitemaptest.Explain(t, c, "https://small.test/kept/"); !x.In {
				t.Errorf("%+v", x)
			}
			x := sitemaptest.Explain(t, c, "https://small.test/?p=9002")
			if x.In || !slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool { return e.Value == `"expired"` }) {
				t.Errorf("%+v", x)
			}
		})
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: o}), seo.Options{Sitemaps: "yoast", Compat: seo.SpecLevel, PageSize: 100, Keep: true})
		wptest.Exec(t, dsn, "UPDATE wp_posts SET post_status = 'archived' WHERE ID = 9002", "UPDATE wp_posts SET post_status = 'draft' WHERE ID = 9001")
		d, _, err := c.Delta(t.Context(), nil)
		wptest.Must(t, err)
		expect.List(t, listed(t, d), []string{"other-status"}, "after a delta", "are listed")
	})
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

// The operator's form of addresses replaces permalinks, even those that only PHP knows. explain finds
// these addresses. A post without a term that the form needs has no address.
func TestFormsOfAddresses(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		wptest.Exec(t, dsn, addPost(9001, "in-tree", "post", "publish"), addPost(9002, "below", "page", "publish"), addPost(9003, "above", "page", "publish"),
			addPost(9004, "no-term", "song", "publish"), addPost(9005, "with-term", "song", "publish"),
			"UPDATE wp_posts SET post_parent = 9003 WHERE ID = 9002",
			"INSERT INTO wp_terms (term_id, name, slug, term_group) VALUES (900, 'Up', 'up', 0), (901, 'Down', 'down', 0), (902, 'Sad', 'sad', 0)",
			`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
				(950, 900, 'category', '', 0, 1), (951, 901, 'category', '', 900, 1), (952, 902, 'mood', '', 0, 1)`,
			"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (9001, 951, 0), (9005, 952, 0)",
			"DELETE FROM wp_options WHERE option_name = 'category_children'")
		yes, form := true, func(s string) *string { return &s }
		o := registry.Overrides{
			PostTypes: map[string]registry.PostTypeOverride{
				"post": {URL: form("https://example.test/blog/{term:category}/{slug}")}, "page": {URL: form("/p/{path}/")},
				"song": {Public: &yes, URL: form("/{year}/{id}-{term:mood}.html")},
			},
			Taxonomies: map[string]registry.TaxonomyOverride{"category": {URL: form("/topics/{path}")}, "mood": {Public: &yes, ObjectTypes: []string{"song"}}},
		}
		if e == wptest.MariaDB {
			wptest.Exec(t, dsn, "DELETE FROM wp_yoast_indexable", indexed("CONCAT('https://example.test/', post_name, '/')"))
		}
		eachPlugin(t, dsn, o, seo.Options{PageSize: 1000}, func(t *testing.T, c *sitemap.Catalog) {
			want := map[string]string{
				"post": "/blog/down/in-tree", "page": "/p/above/below/", "song": "/2025/9005-sad.html", "category": "/topics/up/down",
			}
			for of, path := range want {
				kind := seo.KindPost
				switch {
				case of == "category":
					kind = seo.KindTerm
				case of == "song" && strings.EqualFold(c.Plugin(), "SEOPress"): // it lists the types of its settings
					continue
				}
				all := sitemaptest.PathsIn(t, c, c.Scheme.Name(kind, of))
				if !slices.Contains(all, path) || slices.ContainsFunc(all, func(p string) bool { return strings.Contains(p, "9004") || strings.HasPrefix(p, path+"/2") }) {
					t.Errorf("%s: %q", of, all)
				}
				if x := sitemaptest.Explain(t, c, "https://example.test"+path); !x.In || x.Address != "https://example.test"+path {
					t.Errorf("%s: %+v", path, x)
				}
			}
		})
	})
}

// A form that is not below home is an error. It never leads to an address of another site.
func TestFormElsewhere(t *testing.T) {
	for _, form := range []string{"https://other.test/{slug}", "http://small.test/{slug}", "https://small.test.evil.test/{slug}"} {
		dsn := wptest.Load(t, wptest.SQLite, "small")
		n, err := wp.Open(t.Context(), wp.Source{
			Name: "small", DSN: dsn, Overrides: registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"post": {URL: &form}}},
		})
		wptest.Must(t, err)
		defer n.Close()
		sites, err := address.ReadAll(t.Context(), n)
		if err == nil || !strings.Contains(err.Error(), "[site.post_type.post] url is not below home, https://small.test") {
			t.Errorf("%s: %d sites, %v", form, len(sites), err)
		}
	}
}

// Objects that the operator leaves out by term, age or stock are out for every plugin. explain names
// the key.
func TestExcludedByOperator(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "small")
		wptest.Exec(t, dsn,
			sitemaptest.Insert(
				sitemaptest.Row{ID: 9001, Name: "with-term", Date: "2026-02-01 10:00:00"}, sitemaptest.Row{ID: 9002, Name: "without", Date: "2026-02-01 10:00:00"},
				sitemaptest.Row{ID: 9003, Name: "old", Date: "2023-02-28 10:00:00"}, sitemaptest.Row{ID: 9004, Name: "not-yet", Date: "2023-03-02 10:00:00"}),
			`INSERT INTO wp_terms (term_id, name, slug, term_group) VALUES (900, 'Internal', 'internal', 0), (901, 'outofstock', 'outofstock', 0)`,
			`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
				(950, 900, 'category', '', 0, 1), (951, 900, 'post_tag', '', 0, 1), (952, 901, 'product_visibility', '', 0, 1)`,
			`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (9001, 950, 0), (9002, 951, 0)`)
		opt := seo.Options{
			PageSize: 100, Keep: true, Now: sitemaptest.ClockAt(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)),
			Exclude: seo.Exclude{Terms: []seo.TermName{{Taxonomy: "category", Slug: "internal"}}, Types: map[string]seo.TypeExclude{
				"post": {OlderThan: seo.Age{Text: "3y", Years: 3}}, "product": {OutOfStock: true},
			}},
		}
		listed := func(t *testing.T, c *sitemap.Catalog) []string {
			return listedSlugs(t, c, "with-term", "without", "old", "not-yet")
		}
		eachPlugin(t, dsn, registry.Overrides{}, opt, func(t *testing.T, c *sitemap.Catalog) {
			expect.List(t, listed(t, c), []string{"without", "not-yet"}, "are listed")
			terms := append(listedIn(t, c, c.Scheme.Name(seo.KindTerm, "category")), listedIn(t, c, c.Scheme.Name(seo.KindTerm, "post_tag"))...)
			if slices.Contains(terms, "/category/internal/") || c.Plugin() == "Yoast SEO" && !slices.Contains(terms, "/tag/internal/") {
				t.Errorf("terms listed: %q", terms)
			}
			x := sitemaptest.Explain(t, c, "https://small.test/category/internal/")
			if x.In || !slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool { return e.Source == "[site.exclude] terms" }) {
				t.Errorf("the term: %+v", x)
			}
			for slug, key := range map[string]string{"with-term": "[site.exclude] terms", "old": "[site.post_type.post] older_than"} {
				x := sitemaptest.Explain(t, c, "https://small.test/"+slug+"/")
				if x.In || !slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool { return e.Source == key }) {
					t.Errorf("%s: %+v", slug, x)
				}
			}
		})
		opt.Sitemaps, opt.Compat = "yoast", seo.SpecLevel
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), opt)
		wptest.Exec(t, dsn, "INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (9002, 950, 0), (9004, 952, 0)",
			"DELETE FROM wp_term_relationships WHERE object_id = 9001")
		d, _, err := c.Delta(t.Context(), nil)
		wptest.Must(t, err)
		expect.List(t, listed(t, d), []string{"with-term"}, "after a delta", "are listed")
	})
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
		return slices.Contains(listedIn(t, c, c.Scheme.Name(seo.KindPost, "page")), path) ||
			slices.Contains(listedIn(t, c, c.Scheme.Name(seo.KindPost, "post")), path)
	}
	excludes := func(exclude seo.Exclude, source string, paths ...string) {
		t.Helper()
		eachPlugin(t, dsn, registry.Overrides{}, seo.Options{PageSize: 100, Exclude: exclude}, func(t *testing.T, c *sitemap.Catalog) {
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
