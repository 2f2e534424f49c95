package seopress_test

import (
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp/wptest/expect"
)

// These states of SEOPress result from its own screens or from old versions.
func TestSEOPressStates(t *testing.T) {
	t.Parallel()
	lists := func(pairs ...string) string {
		return sitemaptest.SetOption("seopress_xml_sitemap_option_name", strings.NewReplacer(pairs...).Replace(sitemaptest.SeopressLists))
	}
	const pages, posts, tags, categories, authors = "/page-sitemap1.xml", "/post-sitemap1.xml", "/post_tag-sitemap1.xml", "/category-sitemap1.xml", "/author.xml"
	latest := func(home string) sitemaptest.Listing {
		return sitemaptest.Listing{"post": {home, "/canonical-null/", "/café/", "/canonical-own/", "/noindex-of-another-kind/", "/plain/"}}
	}
	sitemaptest.CheckStates(t, seo.PluginLevel, sitemaptest.SeopressSite, []sitemaptest.State{
		{Rule: "authors that are not ticked have no sitemap, nor a line in the index",
			SQL:  []string{lists(`author_enable";s:1:"1"`, `author_enable";s:1:"0"`)},
			Want: sitemaptest.Listing{"author": nil, seo.IndexName: {pages, posts, tags, categories}}},
		{Rule: "ticked taxonomies that nothing registers are named and empty",
			SQL:  []string{lists(`s:8:"post_tag"`, `s:4:"gone"`, `s:8:"category"`, `s:8:"nav_menu"`), "UPDATE wp_term_taxonomy SET taxonomy = 'nav_menu' WHERE term_id = 1021"},
			Want: sitemaptest.Listing{"gone": {}, "nav_menu": {}, seo.IndexName: {pages, posts, "/gone-sitemap1.xml", "/nav_menu-sitemap1.xml", authors}}},
		{Rule: "a box of any name counts in the index", SQL: []string{lists(`s:4:"page";a:1:{s:7:"include"`, `s:4:"page";a:1:{s:7:"exclude"`)},
			Want: sitemaptest.Listing{seo.IndexName: {pages, posts, tags, categories, authors}}},
		{Rule: "home has no slash where permalinks have none", SQL: []string{sitemaptest.SetOption("permalink_structure", "/%postname%")},
			Want: sitemaptest.Listing{"post": {"", "/canonical-null", "/noindex-of-another-kind", "/plain"}}},
		{Rule: "home has a slash where permalinks have one", Want: latest("/")},
		{Rule: "a posts page that is not public is linked by its id, with a slash",
			SQL:  []string{sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_for_posts", "1011"), "UPDATE wp_posts SET post_status = 'draft' WHERE ID = 1011"},
			Want: latest("/?page_id=1011/")},
	})
}

// Level spec lists nothing that SEOPress makes noindex, even if its own sitemaps list it.
func TestSpecKeepsToNoindex(t *testing.T) {
	t.Parallel()
	seopress := func(titles ...any) []string {
		return []string{
			sitemaptest.SetOption("seopress_toggle", sitemaptest.Array("toggle-xml-sitemap", "1", "toggle-advanced", "1", "toggle-titles", "1")),
			sitemaptest.SetOption("seopress_titles_option_name", sitemaptest.Array(titles...)),
		}
	}
	posts := func(parts ...string) sitemaptest.Listing {
		return sitemaptest.Listing{"post": append([]string{"/", "/plain/", "/noindex-of-another-kind/", "/canonical-own/", "/caf%c3%a9/", "/canonical-null/", "/two-parts/"}, parts...)}
	}
	media := sitemaptest.SetOption("seopress_xml_sitemap_option_name", strings.Replace(sitemaptest.SeopressLists, `s:4:"page";a:1`, `s:10:"attachment";a:1`, 1))
	sitemaptest.CheckStates(t, seo.SpecLevel, slices.Concat(sitemaptest.SeopressSite, sitemaptest.TreeRows), []sitemaptest.State{
		{Rule: "SEOPress, of the whole site", SQL: seopress("seopress_titles_noindex", "1"),
			Want: sitemaptest.Listing{"post": nil, "page": nil, "category": nil, "author": nil}},
		{Rule: "SEOPress, of a post type, not of home",
			SQL:  seopress("seopress_titles_single_titles", sitemaptest.Array("post", sitemaptest.Array("noindex", "1"))),
			Want: sitemaptest.Listing{"post": {"/"}, "category": {"/category/plain-term/"}}},
		{Rule: "SEOPress, of a taxonomy", SQL: seopress("seopress_titles_tax_titles", sitemaptest.Array("category", sitemaptest.Array("noindex", "1"))),
			Want: sitemaptest.Listing{"category": nil}},
		{Rule: "SEOPress, of authors", SQL: seopress("seopress_titles_archives_author_noindex", "1"), Want: sitemaptest.Listing{"author": nil}},
		{Rule: "SEOPress, without archives of authors", SQL: seopress("seopress_titles_archives_author_disable", "1"),
			Want: sitemaptest.Listing{"author": nil}},
		{Rule: "SEOPress names the first part as canonical", SQL: seopress("x", "y"), Want: posts()},
		{Rule: "SEOPress without its module of titles says nothing",
			SQL:  []string{sitemaptest.SetOption("seopress_titles_option_name", sitemaptest.Array("seopress_titles_noindex", "1"))},
			Want: posts("/two-parts/2/")},
		{Rule: "SEOPress redirects attachments",
			SQL:  []string{media, sitemaptest.SetOption("seopress_advanced_option_name", sitemaptest.Array("seopress_advanced_advanced_attachments_file", "1"))},
			Want: sitemaptest.Listing{"attachment": nil}},
		{Rule: "SEOPress lists attachments that it does not redirect, also those that are attached to nothing, but not to a draft",
			SQL: []string{media, sitemaptest.Insert(sitemaptest.Row{ID: 9020, Type: "attachment", Status: "inherit", Name: "alone", MIME: "image/jpeg"},
				sitemaptest.Row{ID: 9021, Type: "attachment", Status: "inherit", Name: "of-a-draft", Parent: 9001, MIME: "image/jpeg"})},
			Want: sitemaptest.Listing{"attachment": {"/two-parts/picture/", "/alone/"}}},
		{Rule: "a canonical URL of other letters or escapes is the post's own",
			SQL: []string{"UPDATE wp_postmeta SET meta_value = 'https://small.test/Canonical-Own/' WHERE post_id = 1005",
				"UPDATE wp_postmeta SET meta_value = 'https://small.test/caf%C3%A9/' WHERE post_id = 1007"}, Want: posts("/two-parts/2/")},
	})
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
		expect.Equal(t, slices.Contains(sitemaptest.ListedIn(t, c, "post"), "/café/"), want.caf, "SEOPress", version)
		if got := sitemaptest.ListedIn(t, c, "category"); !slices.Contains(got, want.term) {
			t.Errorf("SEOPress %s lists the categories %q", version, got)
		}
		expect.Equal(t, c.Outline().NotInRobots, version == "7.6", "SEOPress", version, "is not in robots.txt")
		if got := sitemaptest.ListedIn(t, c, "author"); slices.Contains(got, "/author/bé/") != (want.term == "/category/thé/") {
			t.Errorf("SEOPress %s lists the authors %q", version, got)
		}
	}
}
