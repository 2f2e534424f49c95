package rankmath_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// At level spec a site lists the addresses that Rank Math lists, except those that docs/seo/compatibility.md names.
func TestRankMathSetOfAddresses(t *testing.T) {
	t.Parallel()
	sites := map[string]sitemaptest.Differs{
		// An author has another canonical URL, and an archive is of a noindexed type. The canonical URL of a post has letters
		// of another case.
		"rankmath-main": {Without: []string{"/author/quill/", "/sheet/"}, With: []string{"-34/", "/sheet/sheet-"}}, // both levels list its posts
		// The index names no authors, though there is a sitemap of them. Empty terms are noindex.
		"rankmath-paged": {Without: []string{"/empty/", "/only-drafts/", "/uncategorized/"}, With: []string{"/people/", "-34/"}},
		// Pages that a shop needs, and the shop page once.
		"rankmath-shop":  {Without: []string{"/author/quill/", "/cart/", "/checkout/", "/my-account/"}, With: []string{"-34/"}},
		"rankmath-plain": {Without: []string{"/author/quill"}},
		"rankmath-net":   {Without: []string{"/author/aquill/", "/author/fquill/"}},
		// Posts without a language are left out, terms and archives of all languages are listed.
		"rankmath-poly": {Without: []string{"/stateless-"}, With: []string{"/de/", "/fr/"}},
	}
	sitemaptest.SameAddresses(t, "Rank Math", sites, func(_ []*sitemap.Catalog, want, got []string) (w, g []string) {
		return want, slices.DeleteFunc(got, isLaterPart(want))
	})
}

// isLaterPart returns a function that reports whether an address is a later part of a post whose first part is in of.
func isLaterPart(of []string) func(string) bool {
	return func(loc string) bool {
		for _, end := range []string{"/2/", "/3/", "/2", "/3", "&page=2", "&page=3", "/page/2/"} {
			if own, ok := strings.CutSuffix(loc, end); ok && (slices.Contains(of, own) || slices.Contains(of, own+"/")) {
				return true
			}
		}
		return false
	}
}

// The stored settings of posts, terms and users decide. Index beats the noindex of the type. Unreadable values are ignored.
func TestRankMathDecides(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		t.Parallel()
		dsn := wptest.Load(t, e, "small")
		wptest.Exec(t, dsn, sitemaptest.RankMathSite...)
		var log bytes.Buffer
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if c.Plugin() != "Rank Math" || !c.Active() {
			t.Fatalf("%s, active %t: %s", c.Plugin(), c.Active(), c.Whose.Why())
		}
		expect.Contains(t, log.String(), "are damaged, and are ignored", "no warning of what is cut in half", &log)
		expect.Contains(t, log.String(), "objects=1", "no warning of what is cut in half", &log)
		want := map[string][]string{
			"post":     {"/", "/cut-in-half/", "/nofollow/", "/null/", "/own/", "/plain/"},
			"page":     {"/with-index/"},
			"category": {"/category/plain-term/"},
			"author":   {"/author/ann/"},
		}
		got := map[string][]string{}
		for name := range want {
			got[name] = slices.DeleteFunc(sitemaptest.PathsIn(t, c, name), func(path string) bool { return strings.Contains(path, "hello") })
		}
		expect.Same(t, want, got)
		if c.List("post_tag") != nil {
			t.Error("a taxonomy that is switched off has a list")
		}
	})
}

// WordPress unserializes stored canonical addresses. Rank Math 1.0.218 leaves out a post whose canonical address is neither empty nor that
// of the post. But its page prints only texts as canonical.
func TestRankMathSerializedCanonicals(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, sitemaptest.RankMathSite...)
	cases := []struct {
		name, stored string
		plugin, spec bool // listed
	}{
		{"url", "https://x.test/", false, false},
		{"text", `s:15:"https://x.test/";`, false, false},
		{"own-text", `s:28:"https://small.test/own-text/";`, true, true},
		{"empty-text", `s:0:"";`, true, true},
		{"zero", "0", true, true},
		{"array", `a:1:{i:0;s:15:"https://x.test/";}`, false, true},
		{"empty-array", "a:0:{}", true, true},
		{"object", `O:8:"stdClass":1:{s:1:"a";i:1;}`, false, true},
		{"int", "i:5;", false, true},
		{"float", "d:1.5;", false, true},
		{"true", "b:1;", false, true},
		{"false", "b:0;", true, true},
		{"null-value", "N;", true, true},
		{"broken", `a:1:{i:0;s:15:"htt";}`, true, true},
	}
	for i, c := range cases {
		id := 1100 + i
		wptest.Exec(t, dsn, sitemaptest.Insert(sitemaptest.Row{ID: id, Author: 1001, Type: "post", Status: "publish", Name: c.name}),
			sitemaptest.MetaRow(id, "rank_math_canonical_url", c.stored))
	}
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	for _, level := range sitemaptest.Levels {
		paths := sitemaptest.PathsIn(t, sitemaptest.Build(t, blog, seo.Options{Compat: level}), "post")
		for _, c := range cases {
			want := c.plugin
			if level == seo.SpecLevel {
				want = c.spec
			}
			expect.Equal(t, slices.Contains(paths, "/"+c.name+"/"), want, level, c.name)
		}
	}
}

// The installed version decides what takes a place on the pages, and what the index counts.
func TestRankMathRulesByVersion(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, sitemaptest.RankMathSite...)
	wptest.Exec(t, dsn, sitemaptest.SetOption("rank-math-options-general", `a:1:{s:24:"attachment_redirect_urls";s:3:"off";}`),
		`UPDATE wp_options SET option_value = REPLACE(option_value, 'a:8:{', 'a:9:{s:21:"pt_attachment_sitemap";s:2:"on";')
			WHERE option_name = 'rank-math-options-sitemap'`,
		`UPDATE wp_posts SET post_author = 1002 WHERE ID = 1006`, // an author without another open post
		`UPDATE wp_posts SET post_status = 'draft' WHERE ID = 1002`,
		`UPDATE wp_postmeta SET meta_value = 'a:1:{i:0;s:7:"noindex";}' WHERE post_id = 1003`,
		`UPDATE wp_usermeta SET meta_value = 'a:1:{s:6:"author";b:1;}' WHERE user_id = 1002 AND meta_key = 'wp_capabilities'`)
	for id, parent := range map[int]int{1051: 1001, 1052: 1002, 1053: 1006, 1054: 0} { // a post, a draft, one with a password, none
		file := sitemaptest.Row{ID: id, Author: 1001, Type: "attachment", Status: "inherit", Name: fmt.Sprint("file-", id), Parent: parent}
		wptest.Exec(t, dsn, sitemaptest.Insert(file))
	}
	counted := func(version string) string { // entries/files in the index
		wptest.Exec(t, dsn, sitemaptest.SetOption("rank_math_version", version))
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.PluginLevel, PageSize: 1})
		var all []string
		for _, name := range []string{"post", "attachment", "category", "author"} {
			all = append(all, fmt.Sprintf("%s %d/%d", name, len(c.List(name).Places), len(c.List(name).Dates)))
		}
		return strings.Join(all, ", ")
	}
	for version, want := range map[string]string{
		"1.0.202": "post 7/7, attachment 2/2, category 3/3, author 2/2",
		"1.0.203": "post 6/6, attachment 0/0, category 3/2, author 2/2",
		"1.0.209": "post 6/6, attachment 0/0, category 3/2, author 2/2",
		"1.0.210": "post 6/6, attachment 0/0, category 3/2, author 2/1",
		"1.0.211": "post 6/6, attachment 4/4, category 3/2, author 2/1",
		"1.0.217": "post 6/6, attachment 4/4, category 3/2, author 2/1",
		"1.0.218": "post 6/6, attachment 4/4, category 2/2, author 2/1",
		"":        "post 6/6, attachment 4/4, category 2/2, author 2/1",
	} {
		expect.Equal(t, counted(version), want, "Rank Math", version)
	}
}

// The posts page comes before the posts with its images, before 1.0.264 as a link alone.
func TestRankMathPostsPage(t *testing.T) {
	t.Parallel()
	sql := append(slices.Clone(sitemaptest.RankMathSite),
		sitemaptest.Insert(sitemaptest.Row{ID: 1060, Author: 1001, Type: "page", Name: "blog", Text: `<img src="https://small.test/blog.jpg">`}),
		`UPDATE wp_options SET option_value = REPLACE(option_value, 'a:8:{', 'a:9:{s:14:"include_images";s:2:"on";')
			WHERE option_name = 'rank-math-options-sitemap'`,
		`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1060, 'rank_math_robots', 'a:1:{i:0;s:5:"index";}')`, // other pages have noindex
		sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_on_front", "1061"),
		sitemaptest.SetOption("page_for_posts", "1060"))
	for version, want := range map[string]int{"1.0.263": 0, "1.0.264": 1} {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel}, append(sql, sitemaptest.SetOption("rank_math_version", version))...)
		first := sitemaptest.Listed(t, c, "post")[0]
		expect.Equal(t, first, "/blog/", "Rank Math", version)
		expect.Equal(t, len(sitemaptest.Images(t, c, "post", "/blog/")), want, "Rank Math", version)
	}
}

// The plugin makes no sitemaps until its set-up is done: skipped, or connected to an account.
func TestRankMathSetUp(t *testing.T) {
	t.Parallel()
	for connection, want := range map[string]string{
		"": "WordPress", "not serialized": "WordPress", sitemaptest.Array("connected", true): "WordPress",
		sitemaptest.Array("connected", false, "api_key", "k"): "WordPress", sitemaptest.Array("connected", true, "api_key", "k"): "Rank Math",
	} {
		c := sitemaptest.Of(t, "small", seo.Options{}, append(slices.Clone(sitemaptest.RankMathSite),
			sitemaptest.SetOption("rank_math_registration_skip", ""), sitemaptest.SetOption("rank_math_connect_data", connection))...)
		expect.Equal(t, c.Plugin(), want, connection)
	}
}

// An operator who asks for level plugin is told which parts of the output no database holds.
func TestRankMathSaysWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	for images, want := range map[string]bool{"on": true, "off": false} {
		blog := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel}, append(slices.Clone(sitemaptest.RankMathSite), sitemaptest.SetOption(
			"rank-math-options-sitemap", sitemaptest.Array("pt_post_sitemap", "on", "include_images", images)))...).Rules.Blog
		for _, level := range sitemaptest.Levels {
			says := strings.Contains(sitemap.WhoseOf(blog, sitemap.Auto, level).Warning(), "dynamic blocks and page builders")
			if says != (want && level == seo.PluginLevel) {
				t.Errorf("images %s, %s: %q", images, level, sitemap.WhoseOf(blog, sitemap.Auto, level).Warning())
			}
		}
	}
}

// If authors need no posts, a user without a role is told that this excludes him, and not that he has no posts.
func TestRankMathExplainsMembers(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel}, append(slices.Clone(sitemaptest.RankMathSite), sitemaptest.SetOption(
		"rank-math-options-sitemap", sitemaptest.Array("authors_sitemap", "on", "pt_post_sitemap", "on",
			"include_authors_without_posts", "on", "exclude_roles", sitemaptest.Array(0, "subscriber"))))...)
	if x, err := c.Explain(t.Context(), "https://small.test/author/bo/"); err != nil || x.In || x.Rule != "role excluded" {
		t.Errorf("%+v, %v", x, err)
	}
}

// Polylang shows Rank Math only the terms of the request's language, and none without a language. With WPML, Rank Math reads
// all terms.
func TestRankMathTermsOfLanguages(t *testing.T) {
	t.Parallel()
	for plugin, want := range map[string][]string{
		"polylang": {"/category/news/"},
		"wpml":     {"/category/misc/", "/category/news/", "/fr/category/actualites/"},
	} {
		file := map[string]string{"polylang": "polylang/polylang.php", "wpml": "sitepress-multilingual-cms/sitepress.php"}[plugin]
		c := sitemaptest.Of(t, "small small-"+plugin, seo.Options{Compat: seo.PluginLevel}, slices.Concat(sitemaptest.RankMathSite[:1], []string{
			sitemaptest.Activate("seo-by-rank-math/rank-math.php", file)})...)
		expect.List(t, sitemaptest.PathsIn(t, c, "category"), want, plugin)
	}
}

// Empty terms are listed if the settings include them. Another setting makes them noindex, and level spec follows it.
func TestRankMathEmptyTerms(t *testing.T) {
	for _, level := range sitemaptest.Levels {
		for _, noindex := range []string{"off", "on"} {
			c := sitemaptest.Of(t, "small", seo.Options{Compat: level}, append(slices.Clone(sitemaptest.RankMathSite),
				sitemaptest.SetOption("rank-math-options-sitemap", sitemaptest.Array("tax_category_sitemap", "on", "tax_category_include_empty", "on")),
				sitemaptest.SetOption("rank-math-options-titles", sitemaptest.Array("noindex_empty_taxonomies", noindex)),
				"INSERT INTO wp_terms (term_id, name, slug) VALUES (1090, 'Bare', 'bare'), (1091, 'Above', 'above'), (1092, 'Below', 'below')",
				`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
					(1090, 1090, 'category', '', 0, 0), (1091, 1091, 'category', '', 0, 0), (1092, 1092, 'category', '', 1091, 1)`,
				sitemaptest.SetOption("category_children", "a:1:{i:1091;a:1:{i:0;i:1092;}}"))...)
			in := level == seo.PluginLevel || noindex == "off"
			if !slices.Contains(sitemaptest.Listed(t, c, "category"), "/category/above/") {
				t.Errorf("%s, %s: one with terms below it is not listed", level, noindex)
			}
			if got := sitemaptest.Listed(t, c, "category"); slices.Contains(got, "/category/bare/") != in {
				t.Errorf("%s, %s: %q", level, noindex, got)
			}
		}
	}
}
