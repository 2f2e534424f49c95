package sitemap_test

import (
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// state is a site with unusual stored data, and the sitemaps that result.
type state struct {
	rule string
	sql  statements
	want listing
}

type statements = []string

// listing maps names of sitemaps to their addresses without home, in order. nil means that the sitemap
// does not exist. For the index, the addresses are files.
type listing = map[string][]string

// checkStates builds a site for each state, from the same rows.
func checkStates(t *testing.T, level seo.Level, of []string, states []state) {
	t.Helper()
	for _, s := range states {
		t.Run(s.rule, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.MariaDB, "small")
			wptest.Exec(t, dsn, of...)
			wptest.Exec(t, dsn, s.sql...)
			c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: level})
			got := listing{}
			for name := range s.want {
				got[name] = listedIn(t, c, name)
			}
			expect.Same(t, s.want, got)
		})
	}
}

// listedIn returns the addresses of a sitemap's first page, without home, in order. It returns nil if
// the sitemap does not exist.
func listedIn(t *testing.T, c *sitemap.Catalog, name string) []string {
	t.Helper()
	if _, err := c.Render(t.Context(), name, 1); err != nil {
		return nil
	}
	return append([]string{}, sitemaptest.Listed(t, c, name)...)
}

// If a plugin has nothing to list, its index is answered as the plugin answers it, at both levels.
func TestIndexOfNothing(t *testing.T) {
	t.Parallel()
	for _, plugin := range []struct {
		name   string
		site   statements
		exists bool
	}{
		{"Yoast SEO", statements{sitemaptest.SetOption("wpseo_titles", sitemaptest.Array(
			"noindex-post", true, "noindex-page", true, "noindex-tax-category", true, "noindex-tax-post_tag", true, "disable-author", true))}, false},
		{"Rank Math", append(slices.Clone(sitemaptest.RankMathSite), "DELETE FROM wp_options WHERE option_name = 'rank-math-options-sitemap'"), false},
		{"SEOPress", append(slices.Clone(sitemaptest.SeopressSite), sitemaptest.SetOption("seopress_xml_sitemap_option_name",
			sitemaptest.Array("seopress_xml_sitemap_general_enable", "1", "seopress_xml_sitemap_post_types_list", "a:0:{}",
				"seopress_xml_sitemap_taxonomies_list", "a:0:{}"))), true},
	} {
		for _, level := range sitemaptest.Levels {
			c := sitemaptest.Of(t, "small", seo.Options{Compat: level}, plugin.site...)
			want := map[bool][]string{true: {}}[plugin.exists]
			expect.Same(t, want, listedIn(t, c, seo.IndexName))
			expect.Equal(t, c.Plugin(), plugin.name, level)
		}
	}
}

// These states of SEOPress result from its own screens or from old versions.
func TestSEOPressStates(t *testing.T) {
	t.Parallel()
	lists := func(pairs ...string) string {
		return sitemaptest.SetOption("seopress_xml_sitemap_option_name", strings.NewReplacer(pairs...).Replace(sitemaptest.SeopressLists))
	}
	const pages, posts, tags, categories, authors = "/page-sitemap1.xml", "/post-sitemap1.xml", "/post_tag-sitemap1.xml", "/category-sitemap1.xml", "/author.xml"
	latest := func(home string) listing {
		return listing{"post": {home, "/canonical-null/", "/café/", "/canonical-own/", "/noindex-of-another-kind/", "/plain/"}}
	}
	checkStates(t, seo.PluginLevel, sitemaptest.SeopressSite, []state{
		{"authors that are not ticked have no sitemap, nor a line in the index", statements{lists(`author_enable";s:1:"1"`, `author_enable";s:1:"0"`)},
			listing{"author": nil, seo.IndexName: {pages, posts, tags, categories}}},
		{"ticked taxonomies that nothing registers are named and empty",
			statements{lists(`s:8:"post_tag"`, `s:4:"gone"`, `s:8:"category"`, `s:8:"nav_menu"`), "UPDATE wp_term_taxonomy SET taxonomy = 'nav_menu' WHERE term_id = 1021"},
			listing{"gone": {}, "nav_menu": {}, seo.IndexName: {pages, posts, "/gone-sitemap1.xml", "/nav_menu-sitemap1.xml", authors}}},
		{"a box of any name counts in the index", statements{lists(`s:4:"page";a:1:{s:7:"include"`, `s:4:"page";a:1:{s:7:"exclude"`)},
			listing{seo.IndexName: {pages, posts, tags, categories, authors}}},
		{"home has no slash where permalinks have none", statements{sitemaptest.SetOption("permalink_structure", "/%postname%")},
			listing{"post": {"", "/canonical-null", "/noindex-of-another-kind", "/plain"}}},
		{"home has a slash where permalinks have one", nil, latest("/")},
		{"a posts page that is not public is linked by its id, with a slash",
			statements{sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_for_posts", "1011"), "UPDATE wp_posts SET post_status = 'draft' WHERE ID = 1011"},
			latest("/?page_id=1011/")},
	})
}

// These states of Rank Math result from its own screens, from old versions, or from other code that
// writes its options.
func TestRankMathStates(t *testing.T) {
	t.Parallel()
	const home = "/"
	options := func(more ...any) string {
		return sitemaptest.SetOption("rank-math-options-sitemap", sitemaptest.Array(append([]any{
			"items_per_page", "200", "authors_sitemap", "on", "pt_post_sitemap", "on", "pt_page_sitemap", "on", "tax_category_sitemap", "on",
		}, more...)...))
	}
	titles := func(pairs ...any) string {
		return sitemaptest.SetOption("rank-math-options-titles", sitemaptest.Array(pairs...))
	}
	front := func(show, front, posts string, more ...string) statements {
		return append(statements{options(), sitemaptest.SetOption("show_on_front", show), sitemaptest.SetOption("page_on_front", front),
			sitemaptest.SetOption("page_for_posts", posts)}, more...)
	}
	robots := func(value string) string {
		return "INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1011, 'rank_math_robots', '" + value + "')"
	}
	const posts, pages, categories, authors = "/post-sitemap.xml", "/page-sitemap.xml", "/category-sitemap.xml", "/author-sitemap.xml"
	published := func(first ...string) []string { // without what decides about them
		return append(first, "/by-id/", "/null/", "/cut-in-half/", "/own/", "/nofollow/", "/plain/")
	}
	broken := listing{seo.IndexName: {posts, pages, categories}, "author": {"/author/ann/"}}
	checkStates(t, seo.PluginLevel, slices.Concat(sitemaptest.RankMathSite, statements{titles("x", "y")}), []state{
		{"authors that need no posts are named by the index", statements{options("include_authors_without_posts", "on")},
			listing{seo.IndexName: {posts, pages, categories, authors}}},
		{"roles under keys of text break the query for the index", statements{options("exclude_roles", sitemaptest.Array("subscriber", "subscriber"))}, broken},
		{"users with a comma at the end break the query for the index", statements{options("exclude_users", "1002,")}, broken},
		{"users with spaces break the query for the index", statements{options("exclude_users", "1002 1003")}, broken},
		{"users in a list break the query for the index", statements{options("exclude_users", sitemaptest.Array(0, "1002"))}, broken},
		{"users between commas do not break it", statements{options("exclude_users", "1002 , 1003")},
			listing{seo.IndexName: {posts, pages, categories, authors}, "author": {"/author/ann/"}}},
		{"an author without a row of roles is out where roles are",
			statements{options("exclude_roles", sitemaptest.Array(0, "editor")), "DELETE FROM wp_usermeta WHERE user_id = 1001"}, listing{"author": {"/author/bo/"}}},
		{"front page and posts page of before stand first, the one changed first before the other", front("posts", "1012", "1011"),
			listing{"page": {"/of-the-type/", "/with-index/"}, "post": published("/of-the-type/")}},
		{"a posts page of before stands before the other pages", front("posts", "0", "1012"), listing{"page": {home, "/with-index/", "/of-the-type/"}}},
		{"a posts page with index and noindex is listed", front("page", "1012", "1011", robots(sitemaptest.Array(0, "index", 1, "noindex"))),
			listing{"post": published("/of-the-type/")}},
		{"a posts page with a text is listed", front("page", "1012", "1011", robots("noindex")), listing{"post": published("/of-the-type/")}},
		{"a posts page with noindex is not", front("page", "1012", "1011", robots(sitemaptest.Array(0, "noindex"))), listing{"post": published()}},
		{"index of the type beats the global noindex, with a canonical of its own, too",
			statements{options(), titles("robots_global", sitemaptest.Array(0, "noindex"), "pt_post_custom_robots", "on", "pt_post_robots", sitemaptest.Array(0, "index"))},
			listing{"post": published(home), "page": {home, "/with-index/"}}},
		{"robots in a text are a list of one", statements{options(), titles("pt_page_custom_robots", "on", "pt_page_robots", "noindex", "robots_global", "index")},
			listing{"page": {home, "/with-index/"}}},
		{"ids in a list are excluded", statements{options("exclude_posts", sitemaptest.Array(0, "1009", 1, 1008))},
			listing{"post": append([]string{home}, published()[2:]...)}},
		{"minus two on a page are two", statements{options("items_per_page", -2)}, listing{"post": {home, "/by-id/", "/null/"}}},
		{"a canonical address 0 is none", statements{options(), "UPDATE wp_postmeta SET meta_value = '0' WHERE meta_key = 'rank_math_canonical_url'"},
			listing{"post": {home, "/by-id/", "/null/", "/cut-in-half/", "/own/", "/elsewhere/", "/nofollow/", "/plain/"}}},
	})
}

// In the index, the page of authors has its date from a list of its own. The greatest value of all
// updates counts, and so do users whose only post has a type that visitors cannot see.
func TestRankMathAuthorDates(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "small")
	wptest.Exec(t, dsn, sitemaptest.RankMathSite...)
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
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.PluginLevel})
		index := sitemaptest.Render(t, c, seo.IndexName, 1).Body
		expect.Equal(t, sitemaptest.IndexDate(t, index, "https://small.test/author-sitemap.xml"), tt.want, tt.rule)
	}
}

// A changed box takes effect. For a post, a delta sees the change. For a term, the fingerprint of the
// settings changes, so a new catalog is made. Other meta of terms changes nothing.
func TestEditsOfBoxes(t *testing.T) {
	t.Parallel()
	if !slices.Contains(sitemap.Declared.Names(func(t wp.Table) bool { return t.Settings && t.Watched }), "termmeta") {
		t.Error("polls do not check the meta of terms, or no reading of the settings follows")
	}
	for key, of := range map[string]struct {
		site    []string
		noindex string
	}{"rank_math_robots": {sitemaptest.RankMathSite, sitemaptest.Array(0, "noindex")}, "_seopress_robots_index": {sitemaptest.SeopressSite, "yes"}} {
		wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
			dsn := wptest.Load(t, e, "small")
			wptest.Exec(t, dsn, of.site...)
			open := func() *address.Book { return sitemaptest.OpenSite(t, wp.Source{DSN: dsn}) }
			before := open()
			wptest.Exec(t, dsn, "INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (1021, 'order', '3')")
			expect.Equal(t, open().SettingsFingerprint(), before.SettingsFingerprint(), key, "the order of a term changes the settings")
			c := sitemaptest.Build(t, before, seo.Options{Compat: seo.SpecLevel, Keep: true})
			wptest.Exec(t, dsn, sitemaptest.MetaRow(1001, key, of.noindex), "DELETE FROM wp_postmeta WHERE post_id = 1002",
				"DELETE FROM wp_termmeta WHERE term_id = 1021", "INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (1021, '"+key+"', '"+of.noindex+"')")
			d, touched, err := c.Delta(t.Context(), nil)
			wptest.Must(t, err)
			if got := sitemaptest.PathsIn(t, d, "post"); slices.Contains(got, "/plain/") || !slices.Contains(got, "/noindex/") || touched != 2 {
				t.Errorf("%s: %d touched: %q", key, touched, got)
			}
			after := open()
			if after.SettingsFingerprint() == before.SettingsFingerprint() {
				t.Errorf("%s: noindex of a term does not change the settings", key)
			}
			if got := sitemaptest.Build(t, after, seo.Options{Compat: seo.SpecLevel}).List("category"); got.Listed() != 0 {
				t.Errorf("%s: %d categories are listed", key, got.Listed())
			}
		})
	}
}

// Level spec lists nothing that a plugin makes noindex, even if the plugin's own sitemaps list it.
func TestSpecKeepsToNoindex(t *testing.T) {
	t.Parallel()
	seopress := func(titles ...any) statements {
		return statements{
			sitemaptest.SetOption("seopress_toggle", sitemaptest.Array("toggle-xml-sitemap", "1", "toggle-advanced", "1", "toggle-titles", "1")),
			sitemaptest.SetOption("seopress_titles_option_name", sitemaptest.Array(titles...)),
		}
	}
	posts := func(parts ...string) listing {
		return listing{"post": append([]string{"/", "/plain/", "/noindex-of-another-kind/", "/canonical-own/", "/caf%c3%a9/", "/canonical-null/", "/two-parts/"}, parts...)}
	}
	media := sitemaptest.SetOption("seopress_xml_sitemap_option_name", strings.Replace(sitemaptest.SeopressLists, `s:4:"page";a:1`, `s:10:"attachment";a:1`, 1))
	checkStates(t, seo.SpecLevel, slices.Concat(sitemaptest.SeopressSite, sitemaptest.TreeRows), []state{
		{"SEOPress, of the whole site", seopress("seopress_titles_noindex", "1"), listing{"post": nil, "page": nil, "category": nil, "author": nil}},
		{"SEOPress, of a post type, not of home", seopress("seopress_titles_single_titles", sitemaptest.Array("post", sitemaptest.Array("noindex", "1"))),
			listing{"post": {"/"}, "category": {"/category/plain-term/"}}},
		{"SEOPress, of a taxonomy", seopress("seopress_titles_tax_titles", sitemaptest.Array("category", sitemaptest.Array("noindex", "1"))),
			listing{"category": nil}},
		{"SEOPress, of authors", seopress("seopress_titles_archives_author_noindex", "1"), listing{"author": nil}},
		{"SEOPress, without archives of authors", seopress("seopress_titles_archives_author_disable", "1"), listing{"author": nil}},
		{"SEOPress names the first part as canonical", seopress("x", "y"), posts()},
		{"SEOPress without its module of titles says nothing",
			statements{sitemaptest.SetOption("seopress_titles_option_name", sitemaptest.Array("seopress_titles_noindex", "1"))}, posts("/two-parts/2/")},
		{"SEOPress redirects attachments",
			statements{media, sitemaptest.SetOption("seopress_advanced_option_name", sitemaptest.Array("seopress_advanced_advanced_attachments_file", "1"))},
			listing{"attachment": nil}},
		{"SEOPress lists attachments that it does not redirect, also those that are attached to nothing, but not to a draft",
			statements{media, sitemaptest.Insert(sitemaptest.Row{ID: 9020, Type: "attachment", Status: "inherit", Name: "alone", MIME: "image/jpeg"},
				sitemaptest.Row{ID: 9021, Type: "attachment", Status: "inherit", Name: "of-a-draft", Parent: 9001, MIME: "image/jpeg"})},
			listing{"attachment": {"/two-parts/picture/", "/alone/"}}},
		{"a canonical URL of other letters or escapes is the post's own",
			statements{"UPDATE wp_postmeta SET meta_value = 'https://small.test/Canonical-Own/' WHERE post_id = 1005",
				"UPDATE wp_postmeta SET meta_value = 'https://small.test/caf%C3%A9/' WHERE post_id = 1007"}, posts("/two-parts/2/")},
	})
	rankmath := func(titles ...any) statements {
		return statements{sitemaptest.SetOption("rank-math-options-titles", sitemaptest.Array(titles...))}
	}
	open := []string{"/plain/", "/nofollow/", "/own/", "/cut-in-half/", "/null/", "/two-parts/", "/two-parts/2/"}
	checkStates(t, seo.SpecLevel, slices.Concat(sitemaptest.RankMathSite, sitemaptest.TreeRows), []state{
		{"Rank Math, of home", rankmath("homepage_custom_robots", "on", "homepage_robots", sitemaptest.Array(0, "noindex")), listing{"post": open}},
		{"Rank Math, of the whole site, home and authors, too", rankmath("robots_global", sitemaptest.Array(0, "noindex")),
			listing{"post": nil, "author": nil, "page": {"/with-index/"}}},
		{"Rank Math, an author with a canonical URL elsewhere",
			statements{"INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (1001, 'rank_math_canonical_url', 'https://elsewhere.test/')"},
			listing{"author": nil}},
		{"Rank Math, an author with a canonical URL that PHP reads as a list",
			statements{"INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (1001, 'rank_math_canonical_url', '" + sitemaptest.Array(0, "https://elsewhere.test/") + "')"},
			listing{"author": {"/author/ann/"}}},
		{"Rank Math, parts of a post with a canonical URL of its own",
			statements{sitemaptest.MetaRow(9005, "rank_math_canonical_url", "https://small.test/two-parts/")}, listing{"post": append([]string{"/"}, open[:6]...)}},
	})
}

// explain and the sitemap agree about a part of a post.
func TestExplainPartsOfCanonicalPosts(t *testing.T) {
	t.Parallel()
	own := sitemaptest.MetaRow(9005, "rank_math_canonical_url", "https://small.test/two-parts/")
	c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel}, slices.Concat(sitemaptest.RankMathSite, sitemaptest.TreeRows, []string{own})...)
	if x := sitemaptest.Explain(t, c, "https://small.test/two-parts/2/"); x.In || x.Rule != seo.CanonicalElsewhere.String() {
		t.Errorf("in %t, %s: %s", x.In, x.Rule, x.Because)
	}
}

// At level plugin, explain says that a listed object is noindexed, too. It also says so of a sitemap
// that the index names but that is answered with 404.
func TestListedAndNoindexed(t *testing.T) {
	t.Parallel()
	opt := seo.Options{Compat: seo.PluginLevel}
	private := sitemaptest.Of(t, "small", opt, append(slices.Clone(sitemaptest.TreeRows), sitemaptest.SetOption("blog_public", "0"))...)
	x := sitemaptest.Explain(t, private, "https://small.test/two-parts/")
	named := slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool { return e.Source == "wp_options.blog_public" })
	if !x.In || !named || !strings.HasSuffix(x.Because, "but search engines are told not to index it: The site asks search engines to stay away.") {
		t.Errorf("in %t, %s, %+v", x.In, x.Because, x.Evidence)
	}
	c := sitemaptest.Of(t, "small", opt, append(slices.Clone(sitemaptest.RankMathSite), "DELETE FROM wp_postmeta WHERE post_id = 1012",
		sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_on_front", "1012"))...)
	p := explain.Sitemap(c.Catalog, seo.Reason{}, "page", 1)
	if p.In || !strings.HasPrefix(p.Because, "The index names it, as the index of Rank Math does. But") {
		t.Errorf("in %t: %s", p.In, p.Because)
	}
}

// Level plugin follows the rules of the installed version.
func TestRulesOfVersions(t *testing.T) {
	t.Parallel()
	open := func(sql ...string) *sitemap.Catalog {
		return sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel}, sql...)
	}
	for version, want := range map[string]struct {
		date string
		caf  bool // whether a post is listed whose canonical URL is its own, decoded
		term string
	}{
		"7.6": {"", false, "/category/thé/"}, "8.4": {"", false, "/category/thé/"}, "8.5": {"2024-02-08T10:00:00+00:00", false, "/category/thé/"},
		"8.8.1": {"2024-02-08T10:00:00+00:00", true, "/category/thé/"}, "9.2": {"2024-02-08T11:00:00+00:00", true, "/category/thé/"},
		"9.4": {"2024-02-08T11:00:00+00:00", true, "/category/th%c3%a9/"}, "": {"2024-02-08T11:00:00+00:00", true, "/category/th%c3%a9/"},
	} {
		c := open(append(slices.Clone(sitemaptest.SeopressSite), "UPDATE wp_users SET user_nicename = 'b%c3%a9' WHERE user_nicename = 'bo'",
			"UPDATE wp_terms SET slug = 'th%c3%a9' WHERE term_id = (SELECT MIN(term_id) FROM wp_term_taxonomy WHERE taxonomy = 'category' AND count > 0)",
			sitemaptest.SetOption("_site_transient_update_plugins",
				`O:8:"stdClass":2:{s:12:"last_checked";i:1900000000;s:7:"checked";`+sitemaptest.Array("wp-seopress/seopress.php", version)+`}`))...)
		index := sitemaptest.Render(t, c, seo.IndexName, 1).Body
		expect.Equal(t, sitemaptest.IndexDate(t, index, "https://small.test/post-sitemap1.xml"), want.date, "SEOPress", version)
		expect.Equal(t, slices.Contains(listedIn(t, c, "post"), "/café/"), want.caf, "SEOPress", version)
		if got := listedIn(t, c, "category"); !slices.Contains(got, want.term) {
			t.Errorf("SEOPress %s lists the categories %q", version, got)
		}
		expect.Equal(t, c.Outline().NotInRobots, version == "7.6", "SEOPress", version, "is not in robots.txt")
		if got := listedIn(t, c, "author"); slices.Contains(got, "/author/bé/") != (want.term == "/category/thé/") {
			t.Errorf("SEOPress %s lists the authors %q", version, got)
		}
	}
	static := []string{sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_on_front", "1012"), sitemaptest.SetOption("page_for_posts", "1011"),
		sitemaptest.SetOption("rank-math-options-titles", sitemaptest.Array("tax_category_custom_robots", "on", "tax_category_robots", sitemaptest.Array(0, "noindex"))),
		`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1011, 'rank_math_canonical_url', 'https://elsewhere.test/')`,
		`INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (1021, 'rank_math_robots', '` + sitemaptest.Array(0, "index") + `')`,
	}
	for version, want := range map[string]struct{ postsPage, again, category bool }{
		"1.0.210": {true, true, false}, "1.0.218": {true, false, false}, "1.0.245": {true, false, true}, "1.0.273": {false, false, true},
	} {
		c := open(slices.Concat(sitemaptest.RankMathSite, static, []string{sitemaptest.SetOption("rank_math_version", version)})...)
		expect.Equal(t, slices.Contains(listedIn(t, c, "post"), "/of-the-type/"), want.postsPage, "Rank Math", version)
		rows := listedIn(t, open(slices.Concat(sitemaptest.RankMathSite, static[:4], []string{sitemaptest.SetOption("rank_math_version", version)})...), "page")
		expect.Equal(t, slices.Contains(rows, "/of-the-type/"), want.again, "Rank Math", version, "lists the posts page with the pages")
		expect.Equal(t, c.List("category") != nil, want.category, "Rank Math", version, "has categories that are noindex")
	}
}
