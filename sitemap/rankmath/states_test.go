package rankmath_test

import (
	"slices"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

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
	front := func(show, front, posts string, more ...string) []string {
		return append([]string{options(), sitemaptest.SetOption("show_on_front", show), sitemaptest.SetOption("page_on_front", front),
			sitemaptest.SetOption("page_for_posts", posts)}, more...)
	}
	robots := func(value string) string {
		return "INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1011, 'rank_math_robots', '" + value + "')"
	}
	const posts, pages, categories, authors = "/post-sitemap.xml", "/page-sitemap.xml", "/category-sitemap.xml", "/author-sitemap.xml"
	published := func(first ...string) []string { // without what decides about them
		return append(first, "/by-id/", "/null/", "/cut-in-half/", "/own/", "/nofollow/", "/plain/")
	}
	broken := sitemaptest.Listing{seo.IndexName: {posts, pages, categories}, "author": {"/author/ann/"}}
	sitemaptest.CheckStates(t, seo.PluginLevel, slices.Concat(sitemaptest.RankMathSite, []string{titles("x", "y")}), []sitemaptest.State{
		{Rule: "authors that need no posts are named by the index", SQL: []string{options("include_authors_without_posts", "on")},
			Want: sitemaptest.Listing{seo.IndexName: {posts, pages, categories, authors}}},
		{Rule: "roles under keys of text break the query for the index",
			SQL:  []string{options("exclude_roles", sitemaptest.Array("subscriber", "subscriber"))},
			Want: broken},
		{Rule: "users with a comma at the end break the query for the index", SQL: []string{options("exclude_users", "1002,")}, Want: broken},
		{Rule: "users with spaces break the query for the index", SQL: []string{options("exclude_users", "1002 1003")}, Want: broken},
		{Rule: "users in a list break the query for the index", SQL: []string{options("exclude_users", sitemaptest.Array(0, "1002"))}, Want: broken},
		{Rule: "users between commas do not break it", SQL: []string{options("exclude_users", "1002 , 1003")},
			Want: sitemaptest.Listing{seo.IndexName: {posts, pages, categories, authors}, "author": {"/author/ann/"}}},
		{Rule: "an author without a row of roles is out where roles are",
			SQL:  []string{options("exclude_roles", sitemaptest.Array(0, "editor")), "DELETE FROM wp_usermeta WHERE user_id = 1001"},
			Want: sitemaptest.Listing{"author": {"/author/bo/"}}},
		{Rule: "front page and posts page of before stand first, the one changed first before the other", SQL: front("posts", "1012", "1011"),
			Want: sitemaptest.Listing{"page": {"/of-the-type/", "/with-index/"}, "post": published("/of-the-type/")}},
		{Rule: "a posts page of before stands before the other pages", SQL: front("posts", "0", "1012"),
			Want: sitemaptest.Listing{"page": {home, "/with-index/", "/of-the-type/"}}},
		{Rule: "a posts page with index and noindex is listed",
			SQL:  front("page", "1012", "1011", robots(sitemaptest.Array(0, "index", 1, "noindex"))),
			Want: sitemaptest.Listing{"post": published("/of-the-type/")}},
		{Rule: "a posts page with a text is listed", SQL: front("page", "1012", "1011", robots("noindex")),
			Want: sitemaptest.Listing{"post": published("/of-the-type/")}},
		{Rule: "a posts page with noindex is not", SQL: front("page", "1012", "1011", robots(sitemaptest.Array(0, "noindex"))),
			Want: sitemaptest.Listing{"post": published()}},
		{Rule: "a front page with a text is noindex if the text says so, as any page", SQL: front("page", "1011", "0", robots("noindex")),
			Want: sitemaptest.Listing{"page": {"/with-index/"}}},
		{Rule: "a front page without a posts page: posts have no first link", SQL: front("page", "1011", "0"),
			Want: sitemaptest.Listing{"post": published(), "page": {home, "/with-index/"}}},
		{Rule: "home shows posts, and a front page is still stored: home is the archive of posts, which has no slash",
			SQL:  front("posts", "1011", "0"),
			Want: sitemaptest.Listing{"post": published("")}},
		{Rule: "a posts page that is excluded by its id", SQL: append(front("page", "1012", "1011"), options("exclude_posts", "1011")),
			Want: sitemaptest.Listing{"post": published()}},
		{Rule: "the HTML sitemap is no type", SQL: []string{options("pt_song_html_sitemap", "on", "tax_mood_html_sitemap", "on"),
			sitemaptest.Insert(sitemaptest.Row{ID: 9031, Type: "song_html", Name: "hey"})},
			Want: sitemaptest.Listing{seo.IndexName: {posts, pages, categories, authors}}},
		{Rule: "another page with a text is noindex if the text says so", SQL: front("page", "1012", "0", robots("noindex")),
			Want: sitemaptest.Listing{"page": {home}}},
		{Rule: "index of the type beats the global noindex, with a canonical of its own, too",
			SQL: []string{options(), titles("robots_global", sitemaptest.Array(0, "noindex"), "pt_post_custom_robots", "on", "pt_post_robots",
				sitemaptest.Array(0, "index"))},
			Want: sitemaptest.Listing{"post": published(home), "page": {home, "/with-index/"}}},
		{Rule: "robots in a text are a list of one",
			SQL:  []string{options(), titles("pt_page_custom_robots", "on", "pt_page_robots", "noindex", "robots_global", "index")},
			Want: sitemaptest.Listing{"page": {home, "/with-index/"}}},
		{Rule: "ids in a list are excluded", SQL: []string{options("exclude_posts", sitemaptest.Array(0, "1009", 1, 1008))},
			Want: sitemaptest.Listing{"post": append([]string{home}, published()[2:]...)}},
		{Rule: "minus two on a page are two", SQL: []string{options("items_per_page", -2)},
			Want: sitemaptest.Listing{"post": {home, "/by-id/", "/null/"}}},
		{Rule: "a canonical address 0 is none",
			SQL:  []string{options(), "UPDATE wp_postmeta SET meta_value = '0' WHERE meta_key = 'rank_math_canonical_url'"},
			Want: sitemaptest.Listing{"post": {home, "/by-id/", "/null/", "/cut-in-half/", "/own/", "/elsewhere/", "/nofollow/", "/plain/"}}},
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

// Level spec lists nothing that Rank Math makes noindex, even if its own sitemaps list it.
func TestSpecKeepsToNoindex(t *testing.T) {
	t.Parallel()
	rankmath := func(titles ...any) []string {
		return []string{sitemaptest.SetOption("rank-math-options-titles", sitemaptest.Array(titles...))}
	}
	open := []string{"/plain/", "/nofollow/", "/own/", "/cut-in-half/", "/null/", "/two-parts/", "/two-parts/2/"}
	sitemaptest.CheckStates(t, seo.SpecLevel, slices.Concat(sitemaptest.RankMathSite, sitemaptest.TreeRows), []sitemaptest.State{
		{Rule: "Rank Math, of home", SQL: rankmath("homepage_custom_robots", "on", "homepage_robots", sitemaptest.Array(0, "noindex")),
			Want: sitemaptest.Listing{"post": open}},
		{Rule: "Rank Math, of the whole site, home and authors, too", SQL: rankmath("robots_global", sitemaptest.Array(0, "noindex")),
			Want: sitemaptest.Listing{"post": nil, "author": nil, "page": {"/with-index/"}}},
		{Rule: "Rank Math, an author with a canonical URL elsewhere",
			SQL:  []string{"INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (1001, 'rank_math_canonical_url', 'https://elsewhere.test/')"},
			Want: sitemaptest.Listing{"author": nil}},
		{Rule: "Rank Math, an author with a canonical URL that PHP reads as a list",
			SQL: []string{"INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (1001, 'rank_math_canonical_url', '" +
				sitemaptest.Array(0, "https://elsewhere.test/") + "')"},
			Want: sitemaptest.Listing{"author": {"/author/ann/"}}},
		{Rule: "Rank Math, parts of a post with a canonical URL of its own",
			SQL:  []string{sitemaptest.MetaRow(9005, "rank_math_canonical_url", "https://small.test/two-parts/")},
			Want: sitemaptest.Listing{"post": append([]string{"/"}, open[:6]...)}},
	})
}

// Level plugin follows the rules of the installed version.
func TestRulesOfVersions(t *testing.T) {
	t.Parallel()
	open := func(sql ...string) *sitemap.Catalog {
		return sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel}, sql...)
	}
	static := []string{sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_on_front", "1012"),
		sitemaptest.SetOption("page_for_posts", "1011"),
		sitemaptest.SetOption("rank-math-options-titles", sitemaptest.Array("tax_category_custom_robots", "on", "tax_category_robots",
			sitemaptest.Array(0, "noindex"))),
		`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1011, 'rank_math_canonical_url', 'https://elsewhere.test/')`,
		`INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (1021, 'rank_math_robots', '` + sitemaptest.Array(0, "index") + `')`,
	}
	for version, want := range map[string]struct{ postsPage, again, category bool }{
		"1.0.210": {true, true, false}, "1.0.218": {true, false, false}, "1.0.245": {true, false, true}, "1.0.273": {false, false, true},
	} {
		c := open(slices.Concat(sitemaptest.RankMathSite, static, []string{sitemaptest.SetOption("rank_math_version", version)})...)
		expect.Equal(t, slices.Contains(sitemaptest.ListedIn(t, c, "post"), "/of-the-type/"), want.postsPage, "Rank Math", version)
		rows := sitemaptest.ListedIn(t, open(slices.Concat(sitemaptest.RankMathSite, static[:4],
			[]string{sitemaptest.SetOption("rank_math_version", version)})...), "page")
		expect.Equal(t, slices.Contains(rows, "/of-the-type/"), want.again, "Rank Math", version, "lists the posts page with the pages")
		expect.Equal(t, c.List("category") != nil, want.category, "Rank Math", version, "has categories that are noindex")
	}
}
