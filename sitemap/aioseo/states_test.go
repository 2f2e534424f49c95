package aioseo_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest/expect"
)

// aioseoWith returns the catalog of AioseoSite with options of All in One SEO, after some statements.
func aioseoWith(t *testing.T, opt seo.Options, options, dynamic string, statements ...string) *sitemap.Catalog {
	t.Helper()
	return sitemaptest.Of(t, "small", opt, slices.Concat(sitemaptest.AioseoSite, sitemaptest.AioseoTable, []string{
		sitemaptest.SetOption("aioseo_options", options), sitemaptest.SetOption("aioseo_options_dynamic", dynamic),
	}, statements)...)
}

// versioned returns the statement that installs a version of All in One SEO.
func versioned(version string) string {
	return sitemaptest.SetOption("aioseo_options_internal", `{"internal":{"lastActiveVersion":"`+version+`"}}`)
}

// listing returns the sitemaps that the index names, in order, each with the paths of its entries and without dates.
func listing(t *testing.T, c *sitemap.Catalog) string {
	t.Helper()
	files := c.Files()
	if len(files) == 0 {
		if _, err := c.Render(t.Context(), seo.IndexName, 1); !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("the index of nothing: %v", err)
		}
		return "404"
	}
	var all []string
	for _, f := range files[1:] {
		var paths []string
		for _, e := range sitemaptest.Parse(t, sitemaptest.Render(t, c, f.Name, f.Page).Body).Entries {
			paths = append(paths, strings.TrimPrefix(e.Loc, c.Rules.Blog.Home()))
		}
		all = append(all, f.Name+": "+strings.Join(paths, " "))
	}
	return strings.Join(all, "; ")
}

// The effects of rare settings and rows on All in One SEO's sitemaps at level plugin.
func TestAIOSEOStates(t *testing.T) {
	t.Parallel()
	const (
		postsOnly = `"postTypes":{"all":false,"included":["post"]},"taxonomies":{"all":false,"included":[]}`
		allPosts  = "post: /nulls/ /by-term/ /excluded/ /plain/"
		front     = `UPDATE wp_options SET option_value = '2007' WHERE option_name = 'page_on_front'`
		static    = `UPDATE wp_options SET option_value = 'page' WHERE option_name = 'show_on_front'`
		fewer     = `DELETE FROM wp_posts WHERE ID = 2005`
		noPages   = `{"searchAppearance":{"postTypes":{"page":{"show":false}}}}`
	)
	general := func(settings string) string { return `{"sitemap":{"general":{` + settings + `}}}` }
	for _, tt := range []struct {
		rule, options, dynamic string
		more                   []string
		want                   string
	}{
		{"everything is noindexed: post types are listed, taxonomies and authors are not",
			`{"searchAppearance":{"advanced":{"globalRobotsMeta":{"default":false,"noindex":true}}},"sitemap":{"general":{"author":true}}}`, `{}`,
			nil,
			"addl: /; " + allPosts + "; page: /indexed/ /of-the-type/"},
		{"before version 4.9.5 nothing is",
			`{"searchAppearance":{"advanced":{"globalRobotsMeta":{"default":false,"noindex":true}}}}`, `{}`,
			[]string{versioned("4.9.4.1")},
			"addl: /; page: /indexed/"},
		{"the order of the list is that of the index", general(`"postTypes":{"all":false,"included":["page","post"]},` +
			`"taxonomies":{"all":false,"included":["post_tag","category"]}`), `{}`, nil,
			"addl: /; page: /indexed/ /of-the-type/; " + allPosts + "; category: /category/out/"},
		{"no post type is included",
			general(`"postTypes":{"all":false,"included":["gone"]},"additionalPages":{"enable":true,"pages":["{\"url\":\"/x\"}"]}`),
			`{}`, nil, "404"},
		{"pages are noindexed: home is among the additional pages", `{}`, noPages,
			[]string{front, static, `DELETE FROM wp_aioseo_posts WHERE post_id = 2008`},
			"addl: /; " + allPosts + "; category: /category/out/"},
		{"but for one", `{}`, noPages, []string{front, static}, allPosts + "; page: / /indexed/; category: /category/out/"},
		{"the front page is the posts page, too: it is no page",
			general(`"postTypes":{"all":false,"included":["page"]},"taxonomies":{"all":false,"included":[]}`),
			`{}`, []string{front, static, `UPDATE wp_options SET option_value = '2007' WHERE option_name = 'page_for_posts'`}, "page: /indexed/"},
		{"home has no slash where permalinks have none", general(postsOnly), `{}`,
			[]string{`UPDATE wp_options SET option_value = '/%postname%' WHERE option_name = 'permalink_structure'`},
			"addl: ; post: /nulls /by-term /excluded /plain"},
		{"an id in a text excludes nothing", general(postsOnly +
			`,"advancedSettings":{"excludePosts":["{\"value\":\"2003\"}","{\"value\":2001}","2004"]}`),
			`{}`, nil, "addl: /; post: /nulls/ /excluded/"},
		{"each row that lets a post in lists it", general(postsOnly), `{}`,
			[]string{`INSERT INTO wp_aioseo_posts (id, post_id, robots_default, robots_noindex) VALUES (11, 2001, 1, 0), (12, 2001, 1, 0), (13, 2001, 0, 1)`},
			"addl: /; " + allPosts + " /plain/"},
		{"a page size that is no number", general(postsOnly + `,"linksPerIndex":0`), `{}`, nil, "addl: /; " + allPosts},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			c := aioseoWith(t, seo.Options{Compat: seo.PluginLevel, Keep: true}, tt.options, tt.dynamic, append(tt.more, fewer)...)
			expect.Equal(t, listing(t, c), tt.want)
		})
	}
}

// If types have priorities of their own, a type without one has the plugin's default, not the common priority.
func TestAIOSEOPriorityOfTypes(t *testing.T) {
	t.Parallel()
	const all = `"priority":"{\"value\":\"0.9\"}","frequency":"{\"value\":\"daily\"}"`
	c := aioseoWith(t, seo.Options{Compat: seo.PluginLevel},
		`{"sitemap":{"general":{"advancedSettings":{"enable":true,"priority":{"postTypes":{"grouped":false,`+all+
			`},"taxonomies":{"grouped":false,`+all+`}}}}}}`, `{"sitemap":{"priority":{"postTypes":{"post":{"priority":"{\"value\":\"0.1\"}"}}}}}`)
	for name, want := range map[string]string{
		"post":     "<changefreq>weekly</changefreq>\n\t\t<priority>0.1</priority>",
		"page":     "<changefreq>weekly</changefreq>\n\t\t<priority>0.7</priority>",
		"category": "<changefreq>monthly</changefreq>\n\t\t<priority>0.3</priority>",
	} {
		if body := string(sitemaptest.Render(t, c, name, 1).Body); !strings.Contains(body, want) {
			t.Errorf("%s without %s:\n%s", name, want, body)
		}
	}
}

// A term of any taxonomy has its stored image.
func TestAIOSEOTermImages(t *testing.T) {
	t.Parallel()
	c := aioseoWith(t, seo.Options{Compat: seo.PluginLevel}, `{}`, `{}`, sitemaptest.Picture(2051, "2024/01/a.jpg"),
		`INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (2011, 'thumbnail_id', '2051')`)
	want := []string{c.Rules.Blog.Home() + "/wp-content/uploads/2024/01/a.jpg"}
	expect.List(t, sitemaptest.Images(t, c, "category", ""), want)
}

// Home among the additional pages has the date of a stale front page. Additional pages may have dates in words that PHP parses.
func TestAIOSEODatesOfAdditionalPages(t *testing.T) {
	t.Parallel()
	page := func(n int, date string) string {
		return fmt.Sprintf(`"{\"url\":\"/%d\",\"lastModified\":\"%s\"}"`, n, date)
	}
	c := aioseoWith(t, seo.Options{Compat: seo.PluginLevel},
		`{"sitemap":{"general":{"additionalPages":{"enable":true,"pages":[`+strings.Join([]string{
			page(1, "01/02/2025"), page(2, "2025-01-03"), page(3, "2025-01-04T05:06:07+02:00"), page(4, "no date"),
		}, ",")+`]}}}}`, `{}`, `UPDATE wp_options SET option_value = '2007' WHERE option_name = 'page_on_front'`)
	var got []string
	for _, e := range sitemaptest.Parse(t, sitemaptest.Render(t, c, "addl", 1).Body).Entries {
		got = append(got, e.LastMod)
	}
	want := []string{"2024-02-07T10:00:00+00:00", "2025-01-02T00:00:00+00:00", "2025-01-03T00:00:00+00:00", "2025-01-04T03:06:07+00:00", ""}
	expect.List(t, got, want)
	if f := c.Files()[1]; f.Name != "addl" || f.LastMod.Unix() != 1735776000 {
		t.Errorf("in the index %s is of %s", f.Name, f.LastMod)
	}
}

// Types that were registered after the settings were saved are listed if a table shows that visitors can see them. Other types
// are left to the site.
func TestAIOSEOLaterTypes(t *testing.T) {
	t.Parallel()
	setUp := []string{
		sitemaptest.SetOption("rewrite_rules", sitemaptest.Array(
			"novel/([^/]+)(?:/([0-9]+))?/?$", "index.php?novel=$matches[1]&page=$matches[2]",
			"vault/([^/]+)(?:/([0-9]+))?/?$", "index.php?vault=$matches[1]&page=$matches[2]",
			"mood/([^/]+)/embed/?$", "index.php?mood=$matches[1]&embed=true", "mood/([^/]+)/?$", "index.php?mood=$matches[1]",
			"flag/([^/]+)/embed/?$", "index.php?flag=$matches[1]&embed=true", "flag/([^/]+)/?$", "index.php?flag=$matches[1]")),
		`UPDATE wp_posts SET post_type = 'novel' WHERE ID = 2001`, `UPDATE wp_posts SET post_type = 'vault' WHERE ID = 2002`,
		`INSERT INTO wp_terms (term_id, name, slug) VALUES (2021, 'Calm', 'calm'), (2022, 'Red', 'red')`,
		`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
			VALUES (2021, 2021, 'mood', '', 0, 1), (2022, 2022, 'flag', '', 0, 1)`,
		`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (2005, 2021), (2005, 2022)`,
		`CREATE TABLE wp_aioseo_cache (id INTEGER PRIMARY KEY, name TEXT, value TEXT)`,
	}
	const index = `INSERT INTO wp_aioseo_cache (name, value) VALUES ('aioseo_sitemap_sitemap.xml', '{"counts":{"https://small.test/post-sitemap.xml":3},
		"datetime":{"https://small.test/novel-sitemap.xml":{},"https://small.test/mood-sitemap.xml":{}}}')`
	const scanned = `UPDATE wp_aioseo_posts SET image_scan_date = '2026-01-01 00:00:00'`
	const row = `INSERT INTO wp_aioseo_posts (id, post_id, robots_default, robots_noindex) VALUES (21, 2001, 1, 0)`
	const off = `UPDATE wp_options SET option_value = '{"sitemap":{"general":{"enable":false}}}' WHERE option_name = 'aioseo_options'`
	saved := `{"searchAppearance":{"postTypes":{"post":{"show":true},"page":{"show":true}},"taxonomies":{"category":{"show":true}}}}`
	for _, tt := range []struct {
		rule      string
		more      []string
		listed    []string
		undecided []string
	}{
		{"the index as PHP made it names them", []string{index}, []string{"novel", "mood"}, nil},
		{"its posts were searched for images", []string{row, scanned}, []string{"novel"}, []string{"mood", "flag"}},
		{"its posts and pages were", []string{row, scanned + " WHERE post_id IN (2001, 2008)"}, []string{"novel"}, []string{"mood", "flag"}},
		{"its posts alone were, which are none that PHP looks at first", []string{row, scanned + " WHERE post_id = 2001"}, nil,
			[]string{"novel", "vault", "mood", "flag"}},
		{"no table tells", []string{row}, nil, []string{"novel", "vault", "mood", "flag"}},
		{"the plugin's sitemaps are off", []string{row, off}, nil, nil},
	} {
		for _, level := range sitemaptest.Levels {
			t.Run(tt.rule+", "+string(level), func(t *testing.T) {
				t.Parallel()
				more := slices.Concat(setUp, []string{`DELETE FROM wp_aioseo_posts WHERE post_id = 2002`}, tt.more)
				c := aioseoWith(t, seo.Options{Compat: level}, `{}`, saved, more...)
				for _, name := range []string{"novel", "mood", "vault", "flag"} {
					list := c.List(name)
					expect.Equal(t, list != nil && list.Indexed, slices.Contains(tt.listed, name), name, "is listed")
					expect.Equal(t, c.Undecided(name), slices.Contains(tt.undecided, name), name, "is undecided")
				}
			})
		}
	}
}

// At level spec, noindexed objects, objects with another canonical address and later parts of posts are excluded. The front
// page is never excluded.
func TestAIOSEOSpecStates(t *testing.T) {
	t.Parallel()
	const (
		global = `{"searchAppearance":{"advanced":{"globalRobotsMeta":{"default":false,"noindex":true,"noindexPaginated":%t}}}}`
		parts  = `UPDATE wp_posts SET post_content = 'a<!--nextpage-->b' WHERE ID IN (2001, 2008)`
		static = `UPDATE wp_options SET option_value = CASE option_name WHEN 'show_on_front' THEN 'page' ELSE '2007' END
			WHERE option_name IN ('show_on_front', 'page_on_front')`
		canonical = `INSERT INTO wp_aioseo_posts (id, post_id, robots_default, robots_noindex, canonical_url) VALUES
			(11, 2001, 1, 0, 'https://elsewhere.test/'), (12, 2003, 1, 0, '/excluded/'), (13, 2004, 1, 0, 'small.test/other/')`
	)
	for _, tt := range []struct {
		rule, options, dynamic string
		more                   []string
		want                   string
	}{
		{"everything is noindexed", fmt.Sprintf(global, true), `{}`, []string{static, parts}, "page: / /indexed/"},
		{"everything is noindexed, and home shows the latest posts", fmt.Sprintf(global, true), `{}`, nil, "page: /indexed/; addl: /"},
		{"and later parts are not", fmt.Sprintf(global, false), `{}`, []string{static, parts}, "page: / /indexed/ /indexed/2/"},
		{"later parts are noindexed by default", `{"sitemap":{"general":{"taxonomies":{"all":false}}}}`, `{}`, []string{parts},
			"post: /plain/ /excluded/ /by-term/ /default/ /nulls/; page: /of-the-type/ /indexed/; addl: /; category: /category/out/"},
		{"a canonical URL is that of the parts, too", fmt.Sprintf(global, false), `{}`, []string{static, parts,
			`UPDATE wp_aioseo_posts SET canonical_url = '/indexed/' WHERE post_id = 2008`}, "page: / /indexed/"},
		{"parts are canonicalized to the first", fmt.Sprintf(global, false), `{}`, []string{static, parts,
			`INSERT INTO wp_options (option_name, option_value) VALUES ('aioseo_options_internal', '{"internal":{"deprecatedOptions":["noPaginationForCanonical"]}}')`},
			"page: / /indexed/"},
		{"canonical elsewhere", `{}`, `{}`, []string{canonical},
			"post: /excluded/ /default/ /nulls/; page: /of-the-type/ /indexed/; addl: /; category: /category/out/"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			c := aioseoWith(t, seo.Options{Compat: seo.SpecLevel}, tt.options, tt.dynamic, tt.more...)
			expect.Equal(t, listing(t, c), tt.want)
		})
	}
	c := aioseoWith(t, seo.Options{Compat: seo.SpecLevel}, `{}`, `{}`, parts, canonical)
	for path, because := range map[string]string{
		"/plain/":     "Its canonical URL is https://elsewhere.test/.",
		"/indexed/2/": "The SEO plugin keeps search engines from the later parts of posts.",
	} {
		if x, err := c.Explain(t.Context(), "https://small.test"+path); err != nil || x.In || x.Because != because {
			t.Errorf("%s: %+v, %v", path, x, err)
		}
	}
	row := seo.Evidence{Source: "wp_aioseo_posts.robots_noindex", Value: "1", Of: "post 2002"}
	if x := sitemaptest.Explain(t, c, "https://small.test/noindex/"); !slices.Contains(x.Evidence, row) {
		t.Errorf("%+v is not among %+v", row, x.Evidence)
	}
}

// Before 4.9.7.1, a product that WooCommerce hides only from its catalog is excluded. A product that is also hidden from
// searches is always excluded.
func TestAIOSEOHiddenProducts(t *testing.T) {
	t.Parallel()
	for version, want := range map[string][]string{"4.9.9": {"/product/catalog/", "/product/shown/"}, "4.9.6.2": {"/product/shown/"}} {
		c := aioseoWith(t, seo.Options{Compat: seo.PluginLevel}, `{}`, `{"searchAppearance":{"postTypes":{"product":{"show":true}}}}`,
			versioned(version),
			sitemaptest.With(false, "all-in-one-seo-pack/all_in_one_seo_pack.php", "woocommerce/woocommerce.php"),
			`UPDATE wp_posts SET post_type = 'product', post_name = CASE ID WHEN 2001 THEN 'shown' WHEN 2003 THEN 'catalog' ELSE 'both' END
				WHERE ID IN (2001, 2003, 2006)`,
			`INSERT INTO wp_terms (term_id, name, slug) VALUES (2031, 'exclude-from-catalog', 'exclude-from-catalog'),
				(2032, 'exclude-from-search', 'exclude-from-search')`,
			`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
				VALUES (2031, 2031, 'product_visibility', '', 0, 2), (2032, 2032, 'product_visibility', '', 0, 1)`,
			`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (2003, 2031), (2006, 2031), (2006, 2032)`)
		for _, level := range sitemaptest.Levels {
			expect.List(t, sitemaptest.PathsIn(t, sitemaptest.Build(t, c.Rules.Book, seo.Options{Compat: level}), "product"), want, version, level)
		}
	}
}

// Rules that changed follow the installed version.
func TestAIOSEORulesByVersion(t *testing.T) {
	t.Parallel()
	const (
		authors   = `{"sitemap":{"general":{"author":true}}}`
		excluding = `{"sitemap":{"general":{"advancedSettings":{"enable":true,"excludePosts":["{\"value\":2003}"]}}}}`
		unticked  = `{"sitemap":{"general":{"advancedSettings":{"excludePosts":["{\"value\":2003}"]}}}}`
		users     = `INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name)
			VALUES (2081, 'zed', '!', 'zed', '', 'Zed'), (2082, 'abe', '!', 'abe', '', 'Abe')`
		of     = `INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (2081, 'wp_capabilities', 'a:0:{}'), (2082, 'wp_capabilities', 'a:0:{}')`
		zed    = `UPDATE wp_posts SET post_author = 2081 WHERE ID = 2006`
		abe    = `UPDATE wp_posts SET post_author = 2082 WHERE ID = 2001`
		static = `UPDATE wp_options SET option_value = CASE option_name WHEN 'show_on_front' THEN 'page' WHEN 'page_on_front' THEN '2007' ELSE '2008' END
			WHERE option_name IN ('show_on_front', 'page_on_front', 'page_for_posts')`
		terms = `INSERT INTO wp_terms (term_id, name, slug) VALUES (2012, 'Up', 'up'), (2013, 'Down', 'down')`
		taxed = `INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
			VALUES (2022, 2012, 'category', '', 0, 0), (2023, 2013, 'category', '', 2012, 1)`
		filed = `INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (2001, 2023)`
	)
	for _, tt := range []struct {
		rule, options string
		more          []string
		sitemap, want string // in the XML: parts in their order; "!": not there
		since, before string // the last version without the rule, "" for none, and the last with it
		ended         string
	}{
		{"posts have the date of their change", `{}`, []string{`UPDATE wp_posts SET post_date_gmt = '2025-05-05 10:00:00' WHERE ID = 2001`},
			"post", "!2025-05-05", "", "4.6.2", "4.6.3"},
		{"drafts date their terms", `{}`, []string{`UPDATE wp_posts SET post_status = 'draft' WHERE ID = 2004`},
			"category", "2024-02-04", "", "4.4.3", "4.4.4"},
		{"the id of a term is taken for another", `{}`, []string{terms, taxed, filed}, "category", "!/down/ 1970-01-01", "", "4.6.8.1", "4.6.9.1"},
		{"addresses of images are below the site's", `{}`,
			[]string{`INSERT INTO wp_aioseo_posts (id, post_id, robots_default, images) VALUES (91, 2003, 1, '[{"image:loc":"/a.jpg"}]')`},
			"post", "<image:loc>https://small.test/a.jpg<", "4.8.2", "4.8.3.1", ""},
		{"terms above those in use are out", `{}`, []string{terms, taxed, filed}, "category", "!/up/<", "", "4.7.4.2", "4.7.5"},
		{"a posts page lets excluded posts in", excluding, []string{static}, "post", "/excluded/", "", "4.7.8", "4.7.9.1"},
		{"the index dates what is excluded, too", excluding,
			[]string{`UPDATE wp_posts SET post_modified_gmt = '2030-03-03 10:00:00' WHERE ID = 2003`},
			seo.IndexName, "/post-sitemap.xml 2030-03-03", "4.3.8", "4.4.6", "4.4.7"},
		{"the index dates added pages by home, which is first", `{"sitemap":{"general":{"additionalPages":{"enable":true,
			"pages":["{\"url\":\"/x\",\"lastModified\":\"2031-03-03T10:00:00\"}"]}}}}`, nil, seo.IndexName, "!2031-03-03", "", "4.4.6", "4.4.7"},
		{"nothing is excluded without advanced settings", unticked, nil, "post", "/excluded/", "", "4.4.3", "4.4.4"},
		{"a page that was added without a date has the first one", `{"sitemap":{"general":{"additionalPages":{"enable":true,
			"pages":["{\"url\":\"/x\"}"]}}}}`, nil, "addl", "1970-01-01", "", "4.8.2", "4.8.3.1"},
		{"writers of pages are authors", authors, []string{users, of, abe, `UPDATE wp_posts SET post_author = 2081 WHERE ID = 2008`}, "author",
			"/zed/",
			"4.3.8", "4.4.3", "4.4.4"},
		{"authors are in the order of their names", authors, []string{users, of, zed, abe}, "author",
			"/abe/ /zed/", "", "4.3.8", "4.3.9"},
		{"the index dates authors by the site", authors, []string{users, of, zed}, seo.IndexName, "/author-sitemap.xml 2024-02-08", "", "4.3.8",
			"4.3.9"},
		{"the index dates authors by all they wrote", authors,
			[]string{users, of, zed, `UPDATE wp_posts SET post_author = 2081, post_modified_gmt = '2030-03-03 10:00:00' WHERE ID = 2008`},
			seo.IndexName, "/author-sitemap.xml 2030-03-03", "", "4.9.8", "4.9.9"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			for version, want := range map[string]bool{tt.since: false, tt.before: true, tt.ended: false} {
				if version == "" {
					continue
				}
				c := aioseoWith(t, seo.Options{Compat: seo.PluginLevel}, tt.options, `{}`, append(slices.Clone(tt.more), versioned(version))...)
				text, holds := string(sitemaptest.Render(t, c, tt.sitemap, 1).Body), true
				parts, not := strings.CutPrefix(tt.want, "!")
				for part := range strings.SplitSeq(parts, " ") {
					var found bool
					_, text, found = strings.Cut(text, part)
					holds = holds && found
				}
				if holds == not == want {
					t.Errorf("%s has the rule: %t", version, !want)
				}
			}
		})
	}
}
