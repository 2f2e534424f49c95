package sitemap

import (
	"fmt"
	"slices"
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

// array is a PHP array, serialized: keys and values in turn, of which texts that begin with "a:" are arrays themselves.
func array(pairs ...any) string {
	one := func(v any) string {
		s := fmt.Sprint(v)
		if _, is := v.(int); is {
			return "i:" + s + ";"
		}
		if strings.HasPrefix(s, "a:") {
			return s
		}
		return fmt.Sprintf(`s:%d:"%s";`, len(s), s)
	}
	var b strings.Builder
	for _, v := range pairs {
		b.WriteString(one(v))
	}
	return fmt.Sprintf("a:%d:{%s}", len(pairs)/2, b.String())
}

// States of Rank Math that its own screens leave behind, old versions, or those who write its options.
func TestRankMathStates(t *testing.T) {
	t.Parallel()
	const home = "/"
	options := func(more ...any) string {
		return stored("rank-math-options-sitemap", array(append([]any{
			"items_per_page", "200", "authors_sitemap", "on", "pt_post_sitemap", "on", "pt_page_sitemap", "on", "tax_category_sitemap", "on",
		}, more...)...))
	}
	titles := func(pairs ...any) string { return stored("rank-math-options-titles", array(pairs...)) }
	const posts, pages, categories, authors = "/post-sitemap.xml", "/page-sitemap.xml", "/category-sitemap.xml", "/author-sitemap.xml"
	published := []string{"/by-id/", "/null/", "/cut-in-half/", "/own/", "/nofollow/", "/plain/"} // without what decides about them
	checkStates(t, slices.Concat(rankMathSite, []string{titles("x", "y")}), []state{
		{
			rule: "authors that need no posts are named by the index",
			sql:  []string{options("include_authors_without_posts", "on")},
			want: map[string][]string{seo.IndexName: {posts, pages, categories, authors}},
		},
		{
			rule: "roles under keys of text break the query for the index",
			sql:  []string{options("exclude_roles", array("subscriber", "subscriber"))},
			want: map[string][]string{seo.IndexName: {posts, pages, categories}, "author": {"/author/ann/"}},
		},
		{
			rule: "users with a comma at the end break the query for the index",
			sql:  []string{options("exclude_users", "1002,")},
			want: map[string][]string{seo.IndexName: {posts, pages, categories}, "author": {"/author/ann/"}},
		},
		{
			rule: "users with spaces break the query for the index",
			sql:  []string{options("exclude_users", "1002 1003")},
			want: map[string][]string{seo.IndexName: {posts, pages, categories}, "author": {"/author/ann/"}},
		},
		{
			rule: "users in a list break the query for the index",
			sql:  []string{options("exclude_users", array(0, "1002"))},
			want: map[string][]string{seo.IndexName: {posts, pages, categories}, "author": {"/author/ann/"}},
		},
		{
			rule: "users between commas do not break it",
			sql:  []string{options("exclude_users", "1002 , 1003")},
			want: map[string][]string{seo.IndexName: {posts, pages, categories, authors}, "author": {"/author/ann/"}},
		},
		{
			rule: "an author without a row of roles is out where roles are",
			sql:  []string{options("exclude_roles", array(0, "editor")), "DELETE FROM wp_usermeta WHERE user_id = 1001"},
			want: map[string][]string{"author": {"/author/bo/"}},
		},
		{
			rule: "front page and posts page of before stand first, the one changed first before the other",
			sql:  []string{options(), stored("page_on_front", "1012"), stored("page_for_posts", "1011")},
			want: map[string][]string{
				"page": {"/of-the-type/", "/with-index/"}, "post": append([]string{"/of-the-type/"}, published...),
			},
		},
		{
			rule: "a posts page of before stands before home",
			sql:  []string{options(), stored("page_for_posts", "1012")},
			want: map[string][]string{"page": {"/with-index/", home, "/of-the-type/"}},
		},
		{
			rule: "a posts page with index and noindex is listed",
			sql: []string{
				options(), stored("show_on_front", "page"), stored("page_on_front", "1012"), stored("page_for_posts", "1011"),
				`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1011, 'rank_math_robots', '` + array(0, "index", 1, "noindex") + `')`,
			},
			want: map[string][]string{"post": append([]string{"/of-the-type/"}, published...)},
		},
		{
			rule: "a posts page with a text is listed",
			sql: []string{
				options(), stored("show_on_front", "page"), stored("page_on_front", "1012"), stored("page_for_posts", "1011"),
				`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1011, 'rank_math_robots', 'noindex')`,
			},
			want: map[string][]string{"post": append([]string{"/of-the-type/"}, published...)},
		},
		{
			rule: "a posts page with noindex is not",
			sql: []string{
				options(), stored("show_on_front", "page"), stored("page_on_front", "1012"), stored("page_for_posts", "1011"),
				`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1011, 'rank_math_robots', '` + array(0, "noindex") + `')`,
			},
			want: map[string][]string{"post": published},
		},
		{
			rule: "index of the type beats the global noindex, with a canonical of its own, too",
			sql:  []string{options(), titles("robots_global", array(0, "noindex"), "pt_post_custom_robots", "on", "pt_post_robots", array(0, "index"))},
			want: map[string][]string{"post": append([]string{home}, published...), "page": {home, "/with-index/"}},
		},
		{
			rule: "robots in a text are a list of one",
			sql:  []string{options(), titles("pt_page_custom_robots", "on", "pt_page_robots", "noindex", "robots_global", "index")},
			want: map[string][]string{"page": {home, "/with-index/"}},
		},
		{
			rule: "ids in a list are excluded",
			sql:  []string{options("exclude_posts", array(0, "1009", 1, 1008))},
			want: map[string][]string{"post": append([]string{home}, published[2:]...)},
		},
		{
			rule: "minus two on a page are two",
			sql:  []string{options("items_per_page", -2)},
			want: map[string][]string{"post": {home, "/by-id/", "/null/"}},
		},
		{
			rule: "a canonical address 0 is none",
			sql:  []string{options(), "UPDATE wp_postmeta SET meta_value = '0' WHERE meta_key = 'rank_math_canonical_url'"},
			want: map[string][]string{"post": {home, "/by-id/", "/null/", "/cut-in-half/", "/own/", "/elsewhere/", "/nofollow/", "/plain/"}},
		},
	})
}

// The index dates the authors' page by its own list: of all values of an update the greatest, and users whose only post is of a
// type that is nobody's to see count.
func TestRankMathAuthorDates(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "small")
	wptest.Exec(t, dsn, rankMathSite...)
	wptest.Exec(t, dsn, `INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES
		(1001, 'last_update', '1600000000'), (1001, 'last_update', '1700000000')`)
	for _, tt := range []struct{ rule, sql, want string }{
		{"two values", "", "2023-11-14T22:13:20+00:00"},
		{
			"a menu's author", `INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (1004, 'last_update', '1750000000'),
			(1004, 'wp_capabilities', 'a:1:{s:6:"author";b:1;}')`, "2025-06-15T15:06:40+00:00",
		},
	} {
		if tt.sql != "" {
			wptest.Exec(t, dsn, tt.sql, `INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name)
				VALUES (1004, 'di', '!', 'di', 'di@small.test', 'Di')`, `INSERT INTO wp_posts (ID, post_author, post_status, post_type, post_name)
				VALUES (1030, 1004, 'publish', 'nav_menu_item', 'item')`)
		}
		c := mustBuild(t, openSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.PluginLevel})
		index := mustRender(t, c, seo.IndexName, 1).Body
		if got := indexDate(t, index, "https://small.test/author-sitemap.xml"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.rule, got, tt.want)
		}
	}
}
