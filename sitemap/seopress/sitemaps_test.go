package seopress_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The stored settings of posts and terms decide. The noindex of a whole type does not.
func TestSEOPressDecides(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		t.Parallel()
		dsn := wptest.Load(t, e, "small")
		wptest.Exec(t, dsn, sitemaptest.SeopressSite...)
		c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel})
		if c.Plugin() != "SEOPress" || !c.Active() {
			t.Fatalf("%s, active %t: %s", c.Plugin(), c.Active(), c.Whose.Why())
		}
		want := map[string][]string{
			"post":     {"/", "/caf%c3%a9/", "/canonical-null/", "/canonical-own/", "/noindex-of-another-kind/", "/plain/"},
			"page":     {"/in-a-noindexed-type/"},
			"category": {"/category/plain-term/"},
			"author":   {"/author/ann/", "/author/bo/"}, // their only post has a password,
		}
		got := map[string][]string{}
		for name := range want {
			got[name] = sitemaptest.PathsIn(t, c, name)
		}
		expect.Same(t, want, got)
	})
}

// If the lists were never saved, they are those of a newly activated plugin.
func TestSEOPressNeverSaved(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel, Sitemaps: "seopress"},
		append(slices.Clone(sitemaptest.SeopressSite), "DELETE FROM wp_options WHERE option_name = 'seopress_xml_sitemap_option_name'")...)
	var names []string
	for _, n := range c.Types() {
		names = append(names, n.Name)
	}
	expect.Same(t, []string{"post", "page", "category"}, names)
	c = sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel, Sitemaps: "seopress"}, append(slices.Clone(sitemaptest.SeopressSite),
		"DELETE FROM wp_options WHERE option_name = 'seopress_xml_sitemap_option_name'", "DELETE FROM wp_postmeta WHERE meta_key = '_thumbnail_id'",
		sitemaptest.Picture(2051, "2024/01/a.jpg"), sitemaptest.MetaRow(1001, "_thumbnail_id", "2051"))...)
	expect.List(t, sitemaptest.Images(t, c, "post", "/plain/"), []string{"https://small.test/wp-content/uploads/2024/01/a.jpg"})
}

// Explain names the stored row of SEOPress that decides.
func TestSEOPressExplains(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel}, sitemaptest.SeopressSite...)
	for _, tt := range []struct{ path, rule, source string }{
		{"/noindex/", "noindex", "wp_postmeta._seopress_robots_index"},
		{"/canonical-elsewhere/", "canonical elsewhere", "wp_postmeta._seopress_robots_canonical"},
		{"/category/noindex-term/", "noindex", "wp_termmeta._seopress_robots_index"},
		{"/tag/elsewhere-term/", "canonical elsewhere", "wp_termmeta._seopress_robots_canonical"},
		{"/plain/", "listed", "wp_posts.post_status"},
	} {
		x := sitemaptest.Explain(t, c, "https://small.test"+tt.path)
		named := slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool { return e.Source == tt.source })
		if x.Rule != tt.rule || !named || x.In != (tt.rule == "listed") {
			t.Errorf("%s: in %t, %s, %+v", tt.path, x.In, x.Rule, x.Evidence)
		}
	}
}

// Level plugin has the plugin's order, dates by the site's clock, and short pages. The index has the cached dates, or else
// those of the newest rows.
func TestSEOPressAtLevelPlugin(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, sitemaptest.SeopressSite...)
	build := func() *sitemap.Catalog {
		return sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.PluginLevel, Now: sitemaptest.ClockAt(time.Unix(1_800_000_000, 0))})
	}
	c := build()
	var got []string
	for _, e := range sitemaptest.Parse(t, sitemaptest.Render(t, c, "post", 1).Body).Entries {
		got = append(got, e.Loc+" "+e.LastMod)
	}
	want := []string{
		"https://small.test/ ", "https://small.test/canonical-null/ 2024-02-08T11:00:00+00:00",
		"https://small.test/café/ 2024-02-07T11:00:00+00:00",
		"https://small.test/canonical-own/ 2024-02-05T11:00:00+00:00", "https://small.test/noindex-of-another-kind/ 2024-02-03T11:00:00+00:00",
		"https://small.test/plain/ 2024-02-01T11:00:00+00:00",
	}
	expect.Same(t, want, got)
	if entries := sitemaptest.Parse(t, sitemaptest.Render(t, c, "post", 99).Body).Entries; len(entries) > 0 {
		t.Errorf("past the end: %v", entries)
	}
	wptest.Exec(t, dsn, "UPDATE wp_posts SET post_name = 'caf%c3%a9s' WHERE post_name = 'in-a-noindexed-type'",
		"UPDATE wp_options SET option_value = 'page' WHERE option_name = 'show_on_front'",
		"UPDATE wp_options SET option_value = (SELECT ID FROM wp_posts WHERE post_name = 'caf%c3%a9s') WHERE option_name = 'page_for_posts'")
	first := sitemaptest.Parse(t, sitemaptest.Render(t, build(), "post", 1).Body).Entries[0].Loc
	expect.Equal(t, first, "https://small.test/cafés/", "the posts page")
	for _, tt := range []struct{ until, want string }{
		{"1799999999", "2024-02-08T11:00:00+00:00"}, {"1800003600", "2020-05-05T05:05:05+00:00"},
	} {
		wptest.Exec(t, dsn, "REPLACE INTO wp_options (option_name, option_value) VALUES "+
			"('_transient_timeout_seopress_sitemap_lastmod_all_post_1000', '"+tt.until+"'), "+
			`('_transient_seopress_sitemap_lastmod_all_post_1000', 'a:1:{i:0;s:19:"2020-05-05 05:05:05";}')`)
		index := sitemaptest.Render(t, build(), seo.IndexName, 1).Body
		expect.Equal(t, sitemaptest.IndexDate(t, index, "https://small.test/post-sitemap1.xml"), tt.want, "until", tt.until)
	}
}

// A ticked type without rewrite rules counts as no longer registered, unless a known active plugin registers it. Before 10.0
// the plugin lists it anyway. If an active plugin is unknown, the site answers. At level spec there is no sitemap in any case.
func TestSEOPressTypesWithoutRules(t *testing.T) {
	t.Parallel()
	box := sitemaptest.Array("include", "1")
	for _, tt := range []struct {
		version, plugin, postType, loc string
		undecided                      bool
	}{
		{"9.7.4", "elementor/elementor.php", "elementor_library", "/?elementor_library=kit", false},
		{"10.0", "elementor/elementor.php", "elementor_library", "/?elementor_library=kit", false},
		{"9.7.4", "elementor/elementor.php", "flyer", "/?p=9001", false},
		{"10.0", "elementor/elementor.php", "flyer", "", false},
		{"9.7.4", "other/other.php", "elementor_library", "/?p=9001", false},
		{"10.0", "other/other.php", "flyer", "", true},
	} {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel}, append(slices.Clone(sitemaptest.SeopressSite),
			sitemaptest.SetOption("seopress_xml_sitemap_option_name", sitemaptest.Array("seopress_xml_sitemap_general_enable", "1",
				"seopress_xml_sitemap_post_types_list", sitemaptest.Array("post", box, tt.postType, box),
				"seopress_xml_sitemap_taxonomies_list", sitemaptest.Array("paper", box))),
			sitemaptest.Activate("wp-seopress/seopress.php", tt.plugin), versioned(tt.version),
			sitemaptest.SetOption("rewrite_rules", sitemaptest.Array("([^/]+)/?$", "index.php?name=$matches[1]")),
			sitemaptest.Insert(sitemaptest.Row{ID: 9001, Type: tt.postType, Name: "kit"}),
			"INSERT INTO wp_terms (term_id, name, slug) VALUES (9002, '', 'glossy')",
			"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, count) VALUES (9002, 9002, 'paper', '', 1)")...)
		switch l := c.List(tt.postType); {
		case c.Undecided(tt.postType) != tt.undecided || c.Undecided("paper") != (tt.plugin == "other/other.php"):
			t.Errorf("%+v: post type undecided %t, taxonomy %t", tt, c.Undecided(tt.postType), c.Undecided("paper"))
		case tt.undecided && (l != nil || !c.Undecided(seo.IndexName)):
			t.Errorf("%+v: %+v, index undecided %t", tt, l, c.Undecided(seo.IndexName))
		case tt.loc == "" && (l != nil || c.List("paper") != nil):
			t.Errorf("%+v: %+v, %+v", tt, l, c.List("paper"))
		case tt.loc != "":
			expect.List(t, sitemaptest.Listed(t, c, tt.postType), []string{tt.loc}, tt)
		}
		if c = sitemaptest.Build(t, c.Rules.Book, seo.Options{Compat: seo.SpecLevel}); c.List(tt.postType) != nil || c.Undecided(seo.IndexName) {
			t.Errorf("%+v at level spec: %+v", tt, c.List(tt.postType))
		}
	}
}

// versioned returns the statement that installs a version of SEOPress.
func versioned(version string) string {
	return sitemaptest.SetOption("_site_transient_update_plugins",
		`O:8:"stdClass":2:{s:12:"last_checked";i:1900000000;s:7:"checked";`+sitemaptest.Array("wp-seopress/seopress.php", version)+`}`)
}

// A type that is not ticked has no sitemap since 10.0. Before, it had one that the index did not name.
func TestSEOPressTypesNotTicked(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{"9.7.4": true, "10.0": false} {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.PluginLevel}, append(slices.Clone(sitemaptest.SeopressSite), versioned(version),
			sitemaptest.SetOption("seopress_xml_sitemap_option_name", sitemaptest.Array("seopress_xml_sitemap_general_enable", "1",
				"seopress_xml_sitemap_post_types_list", sitemaptest.Array("post", sitemaptest.Array("include", "0")),
				"seopress_xml_sitemap_taxonomies_list", sitemaptest.Array("category", sitemaptest.Array("include", "0")))))...)
		if post, category := c.List("post") != nil, c.List("category") != nil; post != want || category != want {
			t.Errorf("%s: post %t, category %t", version, post, category)
		}
		if files := c.Files(); len(files) > 1 {
			t.Errorf("%s: the index names %v", version, files[1:])
		}
	}
}

// ownEscaped is the slug of a post with its own address as canonical, which the plugin takes for another address.
const ownEscaped = "/日本語の-記事/"

// At level spec a site lists the addresses that SEOPress lists, except those that docs/seo/compatibility.md names.
func TestSEOPressSetOfAddresses(t *testing.T) {
	t.Parallel()
	authors := []string{"expected/author.xml", "expected/*/author.xml"}
	sitemaptest.SameAddresses(t, "SEOPress", map[string]sitemaptest.Differs{
		// An archive has no posts, or is of a noindexed type, as tags and authors are. The canonical URL of one post is its own
		// with escapes; that of another has letters of another case.
		"seopress-main": {Without: []string{"/author/", "/lone/", "/sheet/", "/tag/"}, With: []string{ownEscaped, "-34/"}, More: authors},
		// A type that is no longer registered.
		"seopress-paged": {Without: []string{"/author/", "/tag/", "?p="}, With: []string{ownEscaped, "-34/"}, More: authors},
		// Pages that a shop needs.
		"seopress-shop": {
			Without: []string{"/author/", "/cart/", "/checkout/", "/my-account/"}, With: []string{ownEscaped, "-34/"}, More: authors,
		},
		// Addresses that could not be recorded.
		"seopress-plain": {Without: []string{"?author="}, With: []string{"?book=", "?tag="}, More: []string{"unlisted/__*.xml"}},
		"seopress-net":   {Without: []string{"/blog/author/"}, With: []string{ownEscaped}, More: authors},
		// Posts without a language.
		"seopress-poly": {Without: []string{"/author/", "/tag/", "/stateless-"}, More: authors},
	}, nil)
}

// Attachments that redirect to their parent or their file are not listed. Without the module of advanced settings nothing redirects.
func TestSEOPressRedirectsAttachments(t *testing.T) {
	t.Parallel()
	lists := strings.Replace(sitemaptest.SeopressLists, `s:4:"page";a:1`, `s:10:"attachment";a:1`, 1)
	for _, tt := range []struct {
		module, key string
		listed      bool
	}{
		{"1", "x", true}, {"1", "seopress_advanced_advanced_attachments", false}, {"1", "seopress_advanced_advanced_attachments_file", false},
		{"0", "seopress_advanced_advanced_attachments", true},
	} {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel}, slices.Concat(sitemaptest.SeopressSite, sitemaptest.TreeRows, []string{
			sitemaptest.SetOption("seopress_xml_sitemap_option_name", lists),
			sitemaptest.SetOption("seopress_advanced_option_name", sitemaptest.Array(tt.key, "1")),
			sitemaptest.SetOption("seopress_toggle", sitemaptest.Array("toggle-xml-sitemap", "1", "toggle-advanced", tt.module)),
		})...)
		_, err := c.Render(t.Context(), "attachment", 1)
		expect.Equal(t, err == nil, tt.listed, tt)
	}
}
