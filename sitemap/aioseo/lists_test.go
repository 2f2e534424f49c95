package aioseo_test

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

// The lists that belong to no type, attachments, the order of posts and the images of All in One SEO, with their dates.
func TestListsOfThePlugin(t *testing.T) {
	t.Parallel()
	const spec, plugin = seo.SpecLevel, seo.PluginLevel
	dates := []string{"UPDATE wp_posts SET post_date = '2023-12-31 23:30:00', post_modified_gmt = '2024-05-01 10:00:00' WHERE ID = 2001",
		"UPDATE wp_posts SET post_date = '0000-00-00 00:00:00' WHERE ID = 2006",
		"UPDATE wp_posts SET post_status = 'draft', post_date = '2022-01-01 10:00:00' WHERE ID = 2004"}
	const years = "/2023/ 2024-05-01T10:00:00+00:00\n/2023/12/ 2024-05-01T10:00:00+00:00\n/2024/ 2024-02-05T10:00:00+00:00\n" +
		"/2024/01/ 2024-02-05T10:00:00+00:00\n"
	const date = `"sitemap":{"general":{"date":true}}`
	const globally = `"advanced":{"globalRobotsMeta":{"default":false,"noindex":true}}`
	const extra = `{"sitemap":{"general":{"additionalPages":{"enable":true,"pages":["{\"url\":\"/x?a=1&b=2\"}", {"url":"https://small.test/y/"}, "broken", {"url":""},
		{"url":5}, "{\"url\":\"https://elsewhere.test/\"}"]}}}}`
	const media = `{"searchAppearance":{"postTypes":{"attachment":{"redirectAttachmentUrls":"disabled"}}}}`
	files := append(append([]string{}, sitemaptest.TreeRows...), sitemaptest.Insert(
		sitemaptest.Row{ID: 9021, Type: "attachment", Status: "inherit", Name: "of-a-draft", Parent: 9001},
		sitemaptest.Row{ID: 9022, Type: "attachment", Status: "inherit", Name: "alone"},
		sitemaptest.Row{ID: 9023, Type: "attachment", Status: "publish", Name: "published"}))
	priorities := []string{"UPDATE wp_aioseo_posts SET priority = 0.9 WHERE post_id = 2006",
		"INSERT INTO wp_aioseo_posts (id, post_id, robots_default, priority) VALUES (50, 2001, 1, 0.4)"}
	const at = " 2024-01-01T10:00:00+00:00\n"
	for _, tt := range []struct {
		rule, options, dynamic string
		sql                    []string
		name                   string
		want                   map[seo.Level]string // "" if it does not exist
	}{
		{"years, each before its months", `{` + date + `}`, `{}`, dates, "date", map[seo.Level]string{spec: years, plugin: years}},
		{"date archives are off", `{` + date + `,"searchAppearance":{"archives":{"date":{"show":false}}}}`, `{}`, dates, "date",
			map[seo.Level]string{spec: "", plugin: ""}},
		{"additional pages, and home first", extra, `{}`, nil, "addl", map[seo.Level]string{
			spec: "/ 2024-02-06T10:00:00+00:00\n/y/ \n", plugin: "/ 2024-02-08T10:00:00+00:00\n/x?a=1&amp;b=2 \n/y/ \nhttps://elsewhere.test/ \n"}},
		{"no additional pages", `{}`, `{}`, nil, "addl", map[seo.Level]string{spec: "/ 2024-02-06T10:00:00+00:00\n",
			plugin: "/ 2024-02-08T10:00:00+00:00\n"}},
		{"attachments of what visitors see, or of nothing", `{}`, media, files, "attachment", map[seo.Level]string{
			spec: "/two-parts/picture/" + at + "/alone/" + at + "/published/" + at, plugin: "/two-parts/picture/" + at + "/alone/" + at}},
		{"attachments that redirect", `{}`, `{}`, files, "attachment", map[seo.Level]string{spec: "", plugin: ""}},
		{"by priority, then the one that changed last; images as they are stored", `{}`, `{}`, priorities, "post", map[seo.Level]string{
			spec: "/plain/ 2024-02-01T10:00:00+00:00\n/excluded/ 2024-02-03T10:00:00+00:00\n/by-term/ 2024-02-04T10:00:00+00:00\n" +
				"/default/ 2024-02-05T10:00:00+00:00\n/nulls/ 2024-02-06T10:00:00+00:00\n",
			plugin: "/nulls/ 2024-02-06T10:00:00+00:00\n/default/ 2024-02-05T10:00:00+00:00\n\t/a.jpg\n/plain/ 2024-02-01T10:00:00+00:00\n" +
				"/by-term/ 2024-02-04T10:00:00+00:00\n/excluded/ 2024-02-03T10:00:00+00:00\n"}},
		{"images are excluded", `{"sitemap":{"general":{"advancedSettings":{"enable":true,"excludeImages":true}}}}`, `{}`, priorities[:1], "post",
			map[seo.Level]string{
				plugin: "/nulls/ 2024-02-06T10:00:00+00:00\n/default/ 2024-02-05T10:00:00+00:00\n/by-term/ 2024-02-04T10:00:00+00:00\n" +
					"/excluded/ 2024-02-03T10:00:00+00:00\n/plain/ 2024-02-01T10:00:00+00:00\n"}},
		{"categories without their base", `{"searchAppearance":{"advanced":{"removeCategoryBase":true}}}`, `{}`, nil, "category",
			map[seo.Level]string{
				spec: "/out/ 2024-02-04T10:00:00+00:00\n", plugin: "/out/ 1970-01-01T00:00:00+00:00\n"}},
		{"the index of all", `{` + date + `}`, `{}`, dates[:1], seo.IndexName, map[seo.Level]string{
			spec: "/post-sitemap.xml 2024-05-01T10:00:00+00:00\n/page-sitemap.xml 2024-02-08T10:00:00+00:00\n" +
				"/addl-sitemap.xml 2024-05-01T10:00:00+00:00\n" +
				"/category-sitemap.xml 2024-02-04T10:00:00+00:00\n/date-sitemap.xml 2024-05-01T10:00:00+00:00\n",
			plugin: "/addl-sitemap.xml 2024-05-01T10:00:00+00:00\n/post-sitemap.xml 2024-05-01T10:00:00+00:00\n" +
				"/page-sitemap.xml 2024-02-08T10:00:00+00:00\n" +
				"/category-sitemap.xml 2024-02-04T10:00:00+00:00\n/date-sitemap.xml 2024-05-01T10:00:00+00:00\n"}},
		{"the plugin's index leaves out date archives if all is noindex, although they are not", `{` + date + `,"searchAppearance":{` + globally +
			`,"archives":{"date":{"advanced":{"robotsMeta":{"default":false,"noindex":false}}}}}}`, `{}`, dates[:1], seo.IndexName,
			map[seo.Level]string{
				spec: "/page-sitemap.xml 2024-02-08T10:00:00+00:00\n/addl-sitemap.xml \n/date-sitemap.xml 2024-05-01T10:00:00+00:00\n",
				plugin: "/addl-sitemap.xml 2024-05-01T10:00:00+00:00\n/post-sitemap.xml 2024-05-01T10:00:00+00:00\n" +
					"/page-sitemap.xml 2024-02-08T10:00:00+00:00\n"}},
	} {
		for level, want := range tt.want {
			t.Run(tt.rule+", "+string(level), func(t *testing.T) {
				t.Parallel()
				expect.Equal(t, sitemaptest.Text(t, aioseoWith(t, seo.Options{Compat: level}, tt.options, tt.dynamic, tt.sql...), tt.name), want)
			})
		}
	}
}

// The archives of types have a sitemap of their own. The plugin heeds only the robots of the archive itself, level spec also a switch.
func TestArchivesOfAioseo(t *testing.T) {
	t.Parallel()
	yes, slug := true, "songs"
	o := registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"song": {Public: &yes, Slug: &slug, Archive: &yes}}}
	const listed = "/songs/ 2024-01-01T10:00:00+00:00\n"
	for _, tt := range []struct {
		rule, dynamic, sql string
		want               map[seo.Level]string
	}{
		{"with posts", `{}`, "", map[seo.Level]string{seo.SpecLevel: listed, seo.PluginLevel: listed}},
		{"without posts", `{}`, "DELETE FROM wp_posts WHERE post_type = 'song'", map[seo.Level]string{seo.SpecLevel: "", seo.PluginLevel: ""}},
		{"noindex", `{"searchAppearance":{"archives":{"song":{"advanced":{"robotsMeta":{"default":false,"noindex":true}}}}}}`, "",
			map[seo.Level]string{seo.SpecLevel: "", seo.PluginLevel: ""}},
		{"not shown", `{"searchAppearance":{"archives":{"song":{"show":false}}}}`, "",
			map[seo.Level]string{seo.SpecLevel: "", seo.PluginLevel: listed}},
	} {
		for level, want := range tt.want {
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, append(append([]string{}, sitemaptest.AioseoSite...), sitemaptest.SetOption("aioseo_options_dynamic", tt.dynamic),
				sitemaptest.SetOption("aioseo_options", "{}"), sitemaptest.Insert(sitemaptest.Row{ID: 3001, Type: "song", Name: "hey"}), tt.sql)...)
			c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: o}), seo.Options{Compat: level})
			expect.Equal(t, sitemaptest.Text(t, c, "post-archive"), want, tt.rule, level)
		}
	}
}

// All attributes of products share a sitemap, with terms in use. The plugin's index dates it by the newest post of the site.
func TestAttributesAreOneList(t *testing.T) {
	t.Parallel()
	for level, date := range map[seo.Level]string{seo.SpecLevel: "2024-08-22T10:00:00+00:00", seo.PluginLevel: "2024-10-27T02:00:00+00:00"} {
		c := sitemaptest.Of(t, "basic woo", seo.Options{Compat: level, Sitemaps: "aioseo"}, append(append([]string{}, sitemaptest.AioseoTable...),
			sitemaptest.Activate("woocommerce/woocommerce.php", "all-in-one-seo-pack/all_in_one_seo_pack.php"),
			sitemaptest.SetOption("aioseo_options", `{"sitemap":{"general":{"taxonomies":{"all":true}}}}`),
			sitemaptest.SetOption("aioseo_options_dynamic", "{}"),
			"INSERT INTO wp_terms (term_id, name, slug) VALUES (90, 'Blue', 'blue'), (91, 'Empty', 'empty')",
			"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (1090, 90, 'pa_colour', '', 0, 1), (1091, 91, 'pa_colour', '', 0, 0)",
			"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (302, 1090)")...)
		expect.Equal(t, sitemaptest.Text(t, c, "product_attributes"),
			"/spec/colour/red/ 2024-08-22T10:00:00+00:00\n/spec/colour/blue/ 2024-08-23T10:00:00+00:00\n", level)
		index := sitemaptest.IndexDate(t, sitemaptest.Render(t, c, seo.IndexName, 1).Body, "https://example.test/product_attributes-sitemap.xml")
		if level == seo.SpecLevel {
			date = "2024-08-23T10:00:00+00:00"
		}
		expect.Equal(t, index, date, level)
		x := sitemaptest.Explain(t, c, "https://example.test/spec/colour/blue/")
		expect.Equal(t, x.In, true, level)
		expect.Equal(t, x.Sitemap, "product_attributes", level)
	}
}

// Polylang's languages are terms with the homes of the languages as addresses, if taxonomies are not chosen one by one.
func TestLanguagesOfAioseo(t *testing.T) {
	t.Parallel()
	site := func(options string) []string {
		return []string{sitemaptest.Activate("all-in-one-seo-pack/all_in_one_seo_pack.php", "polylang/polylang.php"),
			sitemaptest.SetOption("aioseo_options", options)}
	}
	const none = " 1970-01-01T00:00:00+00:00\n"
	for options, want := range map[string]string{
		`{}`: "/" + none + "/fr/" + none + "/de/" + none, `{"sitemap":{"general":{"taxonomies":{"all":false,"included":["category"]}}}}`: "",
		`{"sitemap":{"general":{"taxonomies":{"all":false,"included":["language"]}}}}`: "/" + none + "/fr/" + none + "/de/" + none,
	} {
		c := sitemaptest.Of(t, "small small-polylang", seo.Options{Compat: seo.PluginLevel}, site(options)...)
		expect.Equal(t, sitemaptest.Text(t, c, "language"), want, options)
	}
}

// Hints of the kinds of pages: stored ones that are valid, if advanced settings are on. Additional pages have their own. Pro is named.
func TestHintsOfAioseo(t *testing.T) {
	t.Parallel()
	hints := func(advanced bool) string {
		return `{"sitemap":{"general":{"date":true,"additionalPages":{"enable":true,"pages":["{\"url\":\"/x/\"}", {"url":"/y/","priority":{"value":"0.9"},"frequency":"{\"value\":\"hourly\"}"}]},
			"advancedSettings":{"enable":` + map[bool]string{true: "true", false: "false"}[advanced] + `,"priority":{"homePage":{"priority":"{\"value\":\"0.2\"}","frequency":"{\"value\":\"default\"}"},
			"archive":{"priority":"{\"value\":\"0.8\"}","frequency":"{\"value\":\"daily\"}"},"postTypes":{"priority":"{\"value\":\"0.4\"}","frequency":"{\"value\":\"sometimes\"}"}}}}}}`
	}
	const own = "weekly 0.5, hourly 0.9"
	for advanced, want := range map[bool]map[string]string{
		true:  {"addl": "always 0.2, " + own, "date": "daily 0.8", "post": "weekly 0.4", "category": "monthly 0.3"},
		false: {"addl": "always 1, " + own, "date": "weekly 0.5", "post": "weekly 0.7", "category": "monthly 0.3"},
	} {
		c := aioseoWith(t, seo.Options{Compat: seo.PluginLevel}, hints(advanced), `{}`)
		for name, all := range want {
			body := string(sitemaptest.Render(t, c, name, 1).Body)
			for i, one := range strings.Split(all, ", ") {
				freq, priority, _ := strings.Cut(one, " ")
				url := strings.Split(body, "<url>")[i+1]
				expect.Parts(t, url, "<changefreq>"+freq+"</changefreq>", "<priority>"+priority+"</priority>")
			}
		}
	}
	pro := aioseoWith(t, seo.Options{Compat: seo.PluginLevel}, `{}`, `{}`, sitemaptest.Activate("all-in-one-seo-pack-pro/all_in_one_seo_pack.php"))
	expect.Contains(t, pro.Whose.Warning(), "All in One SEO Pro is active.")
	free := aioseoWith(t, seo.Options{Compat: seo.PluginLevel}, `{}`, `{}`)
	expect.Equal(t, free.Whose.Warning(), "")
}

// Authors, pages of a stored size, a front page and a posts page, by the plugin's rules.
func TestPagesOfAioseo(t *testing.T) {
	t.Parallel()
	users := func(more ...string) []string {
		return append(more, `INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name)
			VALUES (2081, 'zoe', '!', 'zo%c3%ab', '', 'Zoe'), (2082, 'abe', '!', 'abe', '', 'Abe')`,
			`INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (2081, 'wp_capabilities', 'a:0:{}'), (2082, 'wp_capabilities', 'a:0:{}')`,
			`UPDATE wp_posts SET post_author = 2081 WHERE ID IN (2006, 2003)`, `UPDATE wp_posts SET post_author = 2082 WHERE ID IN (2001, 2008)`)
	}
	static := func(more ...string) []string {
		return append(more,
			`UPDATE wp_options SET option_value = CASE option_name WHEN 'show_on_front' THEN 'page' WHEN 'page_on_front' THEN '2008' ELSE '2007' END
			WHERE option_name IN ('show_on_front', 'page_on_front', 'page_for_posts')`)
	}
	option := func(general string) string { return `{"sitemap":{"general":{` + general + `}}}` }
	above := []string{`INSERT INTO wp_terms (term_id, name, slug) VALUES (2012, 'Up', 'up'), (2013, 'Down', 'down')`,
		`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
			VALUES (2012, 2012, 'category', '', 0, 0), (2013, 2013, 'category', '', 2012, 1)`,
		`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (2001, 2013)`}
	const out, up = "/category/out/ 1970-01-01T00:00:00+00:00\n", "/category/up/ 2024-02-01T10:00:00+00:00\n"
	const down = "/category/up/down/ 1970-01-01T00:00:00+00:00\n"
	const authors, two, one = `"author":true`, `"linksPerIndex":2`, `"author":true,"linksPerIndex":1`
	const ann, abe = "/author/zoë/ 2024-02-06T10:00:00+00:00\n", "/author/abe/ 2024-02-01T10:00:00+00:00\n"
	const encoded = "/author/zo%c3%ab/ 2024-02-06T10:00:00+00:00\n"
	const rest = "/default/ 2024-02-05T10:00:00+00:00\n\t/a.jpg\n/nulls/ 2024-02-06T10:00:00+00:00\n/by-term/ 2024-02-04T10:00:00+00:00\n" +
		"/excluded/ 2024-02-03T10:00:00+00:00\n/plain/ "
	for _, tt := range []struct {
		rule, options string
		sql           []string
		name          string
		want          string // the end of it; "" if it does not exist
	}{
		{"the author of the newest post is first, with a decoded address", option(authors), users(), "author", ann + abe},
		{"and the other way round", option(authors),
			append(users(), "UPDATE wp_posts SET post_author = 2081 + 2082 - post_author WHERE post_author IN (2081, 2082)"), "author",
			"/author/abe/ 2024-02-06T10:00:00+00:00\n/author/zo\u00eb/ 2024-02-01T10:00:00+00:00\n"},
		{"addresses were not decoded before 4.6.9.1", option(authors), users(versioned("4.6.8")), "author", encoded + abe},
		{"authors were sorted by name before 4.3.9", option(authors), users(versioned("4.3.8")), "author", abe + encoded},
		{"and all in one file, with the newest date of posts and pages", option(one), users(versioned("4.3.8")), seo.IndexName,
			"/category-sitemap.xml 2024-02-04T10:00:00+00:00\n/author-sitemap.xml 2024-02-08T10:00:00+00:00\n"},
		{"the index has the dates of the pages", option(one), users(), seo.IndexName,
			"/author-sitemap1.xml 2024-02-06T10:00:00+00:00\n/author-sitemap2.xml 2024-02-01T10:00:00+00:00\n"},
		{"before 4.9.9, those of all who have written anything", option(one), users(versioned("4.9.8")), seo.IndexName,
			"/author-sitemap1.xml 2024-02-08T10:00:00+00:00\n/author-sitemap2.xml 2024-02-06T10:00:00+00:00\n"},
		{"authors are not in the index if all is noindex", `{"sitemap":{"general":{"author":true}},"searchAppearance":{"advanced":{` +
			`"globalRobotsMeta":{"default":false,"noindex":true}}}}`, users(), seo.IndexName, "/page-sitemap.xml 2024-02-08T10:00:00+00:00\n"},
		{"pages of posts in the index are sorted by date", option(two), nil, seo.IndexName,
			"/addl-sitemap.xml 2024-02-08T10:00:00+00:00\n/post-sitemap.xml 2024-02-06T10:00:00+00:00\n" +
				"/post-sitemap2.xml 2024-02-04T10:00:00+00:00\n" +
				"/post-sitemap3.xml 2024-02-01T10:00:00+00:00\n/page-sitemap.xml 2024-02-08T10:00:00+00:00\n" +
				"/category-sitemap.xml 2024-02-04T10:00:00+00:00\n"},
		{"of pages with one post the index has only the first", `{"sitemap":{"general":{"linksPerIndex":1}}}`, nil, seo.IndexName,
			"/addl-sitemap.xml 2024-02-08T10:00:00+00:00\n/post-sitemap.xml 2024-02-06T10:00:00+00:00\n" +
				"/page-sitemap.xml 2024-02-08T10:00:00+00:00\n" +
				"/category-sitemap.xml 2024-02-04T10:00:00+00:00\n"},
		{"the posts page counts among the posts", option(two), static(), seo.IndexName,
			"/post-sitemap.xml 2024-02-07T10:00:00+00:00\n/post-sitemap2.xml 2024-02-05T10:00:00+00:00\n" +
				"/post-sitemap3.xml 2024-02-03T10:00:00+00:00\n" +
				"/page-sitemap.xml 2024-02-08T10:00:00+00:00\n/category-sitemap.xml 2024-02-04T10:00:00+00:00\n"},
		{"not before 4.4.7", option(two), static(versioned("4.4.6")), seo.IndexName, "/post-sitemap.xml 2024-02-06T10:00:00+00:00\n" +
			"/post-sitemap2.xml 2024-02-04T10:00:00+00:00\n/post-sitemap3.xml 2024-02-01T10:00:00+00:00\n" +
			"/page-sitemap.xml 2024-02-08T10:00:00+00:00\n/category-sitemap.xml 2024-02-04T10:00:00+00:00\n"},
		{"the posts page is the first post", option(two), static(), "post",
			"/of-the-type/ 2024-02-07T10:00:00+00:00\n/default/ 2024-02-05T10:00:00+00:00\n\t/a.jpg\n"},
		{"even with a password", `{}`, static("UPDATE wp_posts SET post_password = 'x' WHERE ID = 2007"), "post",
			"/of-the-type/ 2024-02-07T10:00:00+00:00\n" + rest + "2024-02-01T10:00:00+00:00\n"},
		{"a draft is no front page", `{}`, static("UPDATE wp_posts SET post_status = 'draft' WHERE ID = 2008"), "page", ""},
		{"a post is no front page", `{}`, append(static(), "UPDATE wp_options SET option_value = '2001' WHERE option_name = 'page_on_front'"), "page",
			"/indexed/ 2024-02-08T10:00:00+00:00\n"},
		{"a front page is no additional page", `{}`, static(), "addl", ""},
		{"a noindex front page is not named by the index", `{}`, static("UPDATE wp_aioseo_posts SET robots_noindex = 1 WHERE post_id = 2008"),
			seo.IndexName,
			"/post-sitemap.xml 2024-02-07T10:00:00+00:00\n/category-sitemap.xml 2024-02-04T10:00:00+00:00\n"},
		{"an excluded front page without settings of its own is left out",
			option(`"advancedSettings":{"enable":true,"excludePosts":["{\"value\":2007}"]}`), static(
				"DELETE FROM wp_aioseo_posts WHERE post_id = 2008",
				"UPDATE wp_options SET option_value = REPLACE(option_value, '2007', '2008') WHERE option_name = 'aioseo_options'"),
			"page", ""},
		{"home has no slash where permalinks have none", `{}`,
			static(`UPDATE wp_options SET option_value = '/%postname%' WHERE option_name = 'permalink_structure'`), "page",
			" 2024-02-08T10:00:00+00:00\n"},
		{"a post without a date", `{}`,
			[]string{"UPDATE wp_posts SET post_modified_gmt = '0000-00-00 00:00:00', post_date_gmt = '0000-00-00 00:00:00' WHERE ID = 2001"}, "post",
			rest + "-0001-11-30T00:00:00+00:00\n"},
		{"a category has the newest date of those below it", `{}`, above, "category", out + up + down},
		{"an excluded category leaves out itself only", option(`"advancedSettings":{"enable":true,"excludeTerms":[2013]}`), above, "category", out +
			up},
		{"an excluded category without posts leaves out nothing", option(`"advancedSettings":{"enable":true,"excludeTerms":[2012]}`), above,
			"category", out + up + down},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			got := sitemaptest.Text(t, aioseoWith(t, seo.Options{Compat: seo.PluginLevel}, tt.options, `{}`, tt.sql...), tt.name)
			if !strings.HasSuffix(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("it ends in\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
