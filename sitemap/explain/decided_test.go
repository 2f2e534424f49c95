package explain_test

import (
	gocmp "cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func openSeeds(t *testing.T, seeds, environment string, opt seo.Options, change ...string) *sitemap.Catalog {
	t.Helper()
	dsn := wptest.Load(t, wptest.SQLite, strings.Fields(seeds)...)
	wptest.Exec(t, dsn, change...)
	return sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Environment: environment}), opt)
}

// evidence returns a fact as "source: value (object)".
func evidence(e seo.Evidence) string {
	if e.Of != "" {
		return e.Source + ": " + e.Value + " (" + e.Of + ")"
	}
	return e.Source + ": " + e.Value
}

// vendors are the statements of a type whose URLs its plugin makes in PHP.
var vendors = []string{
	sitemaptest.With(true, "hivepress/hivepress.php"), sitemaptest.Insert(sitemaptest.Row{ID: 9001, Type: "hp_vendor", Name: "acme"}),
	sitemaptest.SetOption("rewrite_rules", sitemaptest.Array("vendor/?$", "index.php?post_type=hp_vendor",
		"vendor/([^/]+)(?:/([0-9]+))?/?$", "index.php?hp_vendor=$matches[1]&page=$matches[2]")),
}

// What decides about archives, home, front pages and the later parts of posts, and about a whole site or type.
func TestExplainArchivesAndParts(t *testing.T) {
	t.Parallel()
	const spec, plugin = seo.SpecLevel, seo.PluginLevel
	urls := func(pattern string) seo.Exclude {
		return seo.Exclude{URLs: []*regexp.Regexp{regexp.MustCompile(pattern)}}
	}
	parts := []string{"UPDATE wp_posts SET post_content = 'a<!--nextpage-->b'", "DELETE FROM wp_postmeta"}
	seopress := slices.Concat(sitemaptest.SeopressSite, parts)
	inFolder := []string{sitemaptest.SetOption("home", "https://small.test/blog")}
	noindexed := sitemaptest.SetOption("wpseo_titles", sitemaptest.Array("noindex-post", true, "noindex-page", true))
	songs := []string{sitemaptest.SetOption("rewrite_rules", sitemaptest.Array("songs/([^/]+)/?$", "index.php?song=$matches[1]")),
		sitemaptest.Insert(sitemaptest.Row{ID: 2001, Type: "song", Name: "hey"})}
	const byPHP = "post type `hp_vendor` has URLs that its plugin makes in PHP, so wpsitemapd leaves its sitemap to the site."
	listed := func(object string) string {
		return object + " itself is listed, in https://small.test/post-sitemap.xml."
	}
	for _, tt := range []struct {
		rule, seeds, environment string
		level                    seo.Level
		exclude                  seo.Exclude
		change                   []string
		path, object             string
		decided                  string
		evidence, notes          string // joined with |
	}{
		{"an archive", "basic types", "", spec, seo.Exclude{}, nil, "/library/",
			"archive of book", "listed", "option rewrite_rules: archive = true (archive of book)", ""},
		{"an archive that is noindex", "basic types", "", spec, seo.Exclude{}, nil, "/stage/on-stage/",
			"archive of concert", "archive noindex", "wp_options.wpseo_titles[noindex-ptarchive-concert]: true", ""},
		{"the archive of a noindex type", "basic types", "", spec, seo.Exclude{}, []string{
			`UPDATE wp_options SET option_value = REPLACE(option_value, 's:12:"noindex-book";b:0', 's:12:"noindex-book";b:1')`}, "/library/",
			"archive of book", "type noindex", "wp_options.wpseo_titles[noindex-book]: true", ""},
		{"an archive that the operator excludes", "basic types", "", spec, urls("library/$"), nil, "/library/",
			"archive of book", "excluded by configuration", `[site.exclude] urls: "library/$" (archive of book)`, ""},
		{"an archive without posts", "basic types", "", spec, seo.Exclude{}, []string{"DELETE FROM wp_posts WHERE post_type = 'book'"}, "/library/",
			"archive of book", "empty sitemap", "sitemap book: no entry", ""},
		{"an archive without posts, in a list that exists", "basic types", "", plugin, seo.Exclude{},
			[]string{"DELETE FROM wp_posts WHERE post_type = 'book'"}, "/library/", "archive of book", "empty sitemap",
			"option rewrite_rules: archive = true (archive of book)|sitemap book: no entry",
			"https://example.test/book-sitemap.xml lists it, but the index does not name that sitemap."},
		{"a term of a taxonomy whose type has no posts", "basic types", "", spec, seo.Exclude{},
			[]string{"DELETE FROM wp_posts WHERE post_type = 'book'"}, "/genre/fiction/", "genre 40", "empty sitemap", "sitemap genre: no entry",
			"https://example.test/genre-sitemap.xml lists it, but the index does not name that sitemap."},
		{"a term of a noindex taxonomy", "basic types", "", spec, seo.Exclude{}, nil, "/feels/cheerful/", "mood 42", "type noindex",
			"wp_options.wpseo_titles[noindex-tax-mood]: true", ""},
		{"a post of a type that is not public", "basic types", "", spec, seo.Exclude{}, nil, "/?post_type=secret&p=206", "secret 206",
			"type not public",
			`option wpseo[last_known_public_post_types]: public = false (post type secret)|wp_posts.post_status: "publish" (secret 206)`, ""},
		{"home", "small small-home", "", spec, seo.Exclude{}, nil, "/", "home", "listed", `wp_options.show_on_front: "posts"`, ""},
		{"home that the operator excludes", "small small-home", "", spec, urls("test/$"), nil, "/",
			"home", "excluded by configuration", `[site.exclude] urls: "test/$" (home)`, ""},
		{"home without a list", "small small-home", "", spec, seo.Exclude{}, []string{noindexed}, "/", "home", "type noindex",
			`wp_options.show_on_front: "posts"|wp_options.wpseo_titles[noindex-post]: true|wp_options.wpseo_titles[noindex-page]: true`, ""},
		{"a front page that is noindex", "small small-front", "", spec, seo.Exclude{}, nil, "/", "page 1011", "noindex",
			`wp_options.page_on_front: "1011"|wp_postmeta._yoast_wpseo_meta-robots-noindex: "1" (page 1011)`, ""},
		{"a front page that is noindex, for the plugin", "small small-front", "", plugin, seo.Exclude{}, nil, "/", "page 1011", "listed",
			`wp_options.page_on_front: "1011"|wp_postmeta._yoast_wpseo_meta-robots-noindex: "1" (page 1011)`, ""},
		{"a posts page with another canonical URL", "small small-front", "", spec, seo.Exclude{}, nil, "/journal/", "page 1012",
			"canonical elsewhere",
			`wp_options.page_for_posts: "1012"|wp_postmeta._yoast_wpseo_canonical: "https://elsewhere.test/journal/" (page 1012)|` +
				`permalink: "https://small.test/journal/" (page 1012)`, ""},
		{"a former front page", "small small-home", "", spec, seo.Exclude{}, nil, "/welcome/", "page 1011", "listed",
			`wp_posts.post_status: "publish" (page 1011)`, ""},
		{"a former front page, for the plugin", "small small-home", "", plugin, seo.Exclude{}, nil, "/welcome/", "page 1011", "listed",
			`wp_options.page_on_front: "1011"`, "Its URL is listed, although the page itself is left out: front page."},
		{"archives of authors are off", "basic", "", spec, seo.Exclude{},
			[]string{sitemaptest.SetOption("wpseo_titles", sitemaptest.Array("disable-author", true))}, "/author/ada/", "author 1",
			"author archives off", "wp_options.wpseo_titles[disable-author]: true", ""},
		{"a site for tests", "small small-home", "staging", spec, seo.Exclude{}, nil, "/hello/", "post 1001", "not production",
			`WP_ENVIRONMENT_TYPE: "staging" (wp-config.php or the configuration)`, ""},
		{"a private site", "small small-private", "", spec, seo.Exclude{}, nil, "/hello/", "post 1001", "private site", `wp_options.blog_public: "0"`,
			""},
		{"a part that the operator excludes", "small small-home", "", spec, urls("/2/$"), parts, "/hello/2/", "post 1001, part 2 of 2",
			"excluded by configuration", `[site.exclude] urls: "/2/$" (post 1001)`, listed("post 1001")},
		{"a part of SEOPress without titles", "small", "", spec, seo.Exclude{}, seopress, "/plain/2/", "post 1001, part 2 of 2", "listed",
			`wp_posts.post_status: "publish" (post 1001)`, "Parts follow their post and do not count towards page_size."},
		{"a part of SEOPress", "small", "", spec, seo.Exclude{}, append(slices.Clip(seopress), sitemaptest.SetOption("seopress_toggle",
			sitemaptest.Array("toggle-xml-sitemap", "1", "toggle-titles", "1"))), "/plain/2/", "post 1001, part 2 of 2",
			"noindex of later parts", "", "post 1001 itself is listed, in https://small.test/post-sitemap1.xml."},
		{"a part of a draft", "small small-home", "", spec, seo.Exclude{}, append(slices.Clip(parts), "UPDATE wp_posts SET post_status = 'draft'"),
			"/?p=1001&page=2", "post 1001, part 2 of 2", "not published", `wp_posts.post_status: "draft" (post 1001)`, ""},
		{"the first part has no URL of its own", "small small-home", "", spec, seo.Exclude{}, parts, "/hello/1/", "", "nothing at this URL", "",
			listed("post 1001") + "|post 1001 has 2 parts; its URL is https://small.test/hello/."},
		{"a part after the last", "small small-home", "", spec, seo.Exclude{}, parts, "/hello/3/", "", "nothing at this URL", "",
			listed("post 1001") + "|post 1001 has 2 parts; its URL is https://small.test/hello/."},
		{"a part of the front page", "small small-front", "", spec, seo.Exclude{}, parts, "/page/2/", "page 1011, part 2 of 2", "listed",
			`wp_options.page_on_front: "1011"`, "Parts follow their post and do not count towards page_size."},
		{"the parts of the front page are below page", "small small-front", "", spec, seo.Exclude{}, parts, "/2/", "", "nothing at this URL", "", ""},
		{"a later page of home", "small small-home", "", spec, seo.Exclude{}, nil, "/page/2/", "pagination of home", "pagination", "",
			listed("home")},
		{"a later page of the posts page", "small small-front", "", spec, seo.Exclude{}, parts, "/journal/page/2/", "pagination of page 1012",
			"pagination",
			"", listed("page 1012")},
		{"the feed of all comments", "small small-home", "", spec, seo.Exclude{}, nil, "/comments/feed/", "feed", "feed", "", ""},
		{"a feed of nothing", "small small-home", "", spec, seo.Exclude{}, nil, "/a/b/feed/", "", "nothing at this URL", "", ""},
		{"a date after index.php", "small small-home", "", spec, seo.Exclude{}, nil, "/index.php/2024/", "date archive", "date archive", "", ""},
		{"a home in a folder", "small small-home", "", spec, seo.Exclude{}, inFolder, "/hello/", "post 1001", "listed",
			`wp_posts.post_status: "publish" (post 1001)`, ""},
		{"a type of which nothing says that it is public", "small small-home", "", spec, seo.Exclude{}, songs, "/?p=2001", "song 2001",
			"type not known to be public", `registered types: nothing tells whether it is public (song)|wp_posts.post_status: "publish" (song 2001)`,
			"post type `song` has 1 published post, but nothing tells whether it is public: add [site.post_type.song] to the configuration."},
		{"a type with URLs that PHP makes", "small", "", spec, seo.Exclude{}, vendors, "/vendor/acme/", "hp_vendor 9001", "type left to the site",
			`registered types: its URLs differ from those computed (hp_vendor)|wp_posts.post_status: "publish" (hp_vendor 9001)`, byPHP},
		{"the archive of a type with URLs that PHP makes", "small", "", spec, seo.Exclude{}, vendors, "/vendor/", "archive of hp_vendor",
			"type left to the site",
			`registered types: its URLs differ from those computed (hp_vendor)`, byPHP},
		{"a name with its folder in a query", "basic", "", spec, seo.Exclude{}, nil, "/?pagename=/about/crew/", "", "nothing at this URL", "",
			"page 5 has this name; its URL is https://example.test/about/crew/."},
		{"a category by number", "basic", "", plugin, seo.Exclude{}, nil, "/?cat=2", "category 2", "listed", "", ""},
		{"a tag by the number of a category", "basic", "", spec, seo.Exclude{}, nil, "/?cat=20", "", "nothing at this URL", "", ""},
		{"a term by its taxonomy and slug", "basic", "", spec, seo.Exclude{}, nil, "/?taxonomy=post_tag&term=10-knots", "post_tag 27", "listed", "",
			""},
		{"a term of another taxonomy", "basic", "", spec, seo.Exclude{}, nil, "/?taxonomy=category&term=10-knots", "", "nothing at this URL", "",
			"post_tag 27 has this name; its URL is https://example.test/tag/10-knots/."},
		{"an author by number", "basic", "", spec, seo.Exclude{}, nil, "/?author=2", "author 2", "listed", "", ""},
		{"the name of an author without the base", "basic", "", spec, seo.Exclude{}, nil, "/bram/", "", "nothing at this URL", "", ""},
		{"the name of an author below another base", "basic", "", spec, seo.Exclude{}, nil, "/x/bram/", "", "nothing at this URL", "",
			"author 2 has this name; its URL is https://example.test/author/bram/."},
		{"a file of another host that a post shows", "basic", "", spec, seo.Exclude{}, nil, "/wp-content/uploads/2024/05/ferry.jpg",
			"file wp-content/uploads/2024/05/ferry.jpg", "listed",
			`post-sitemap.xml: has "https://example.test/wp-content/uploads/2024/05/ferry.jpg" (https://example.test/every-kind-of-image/)`, ""},
		{"search results without words", "basic", "", spec, seo.Exclude{}, nil, "/?s=", "search results", "search", "", ""},
		{"a page named search", "basic", "", spec, seo.Exclude{}, nil, "/search/", "", "nothing at this URL", "", ""},
		{"at most three similar names", "basic", "", spec, seo.Exclude{},
			[]string{"UPDATE wp_posts SET post_name = 'similar-' || ID WHERE ID BETWEEN 100 AND 104"}, "/similar-1/", "", "nothing at this URL", "",
			"post 100 has a similar name; its URL is https://example.test/similar-100/.|" +
				"post 101 has a similar name; its URL is https://example.test/similar-101/.|" +
				"post 102 has a similar name; its URL is https://example.test/similar-102/."},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			c := openSeeds(t, tt.seeds, tt.environment, seo.Options{Compat: tt.level, Exclude: tt.exclude}, tt.change...)
			x := sitemaptest.Explain(t, c, c.Rules.Blog.Home()+tt.path)
			var facts []string
			for _, e := range x.Evidence {
				facts = append(facts, evidence(e))
			}
			expect.Equal(t, x.Rule, tt.decided)
			expect.Equal(t, x.In, tt.decided == "listed")
			expect.Equal(t, x.Object, tt.object)
			expect.Equal(t, strings.Join(facts, "|"), tt.evidence)
			expect.Equal(t, strings.Join(x.Notes, "|"), tt.notes)
			expect.Equal(t, x.Because != "", true, "it has a sentence")
		})
	}
}

// An address beside the home's folder is another site's.
func TestExplainBesideTheFolder(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Of(t, "small small-home", seo.Options{Compat: seo.SpecLevel}, sitemaptest.SetOption("home", "https://small.test/blog"))
	for address, want := range map[string]string{
		"https://small.test/BLOG/hello/": "listed", "https://small.test/blog": "listed", "https://small.test/blogs/hello/": "outside home",
		"https://small.test/hello/": "outside home", "https://small.test/": "outside home", "https://www.small.test/blog/hello/": "another host",
	} {
		expect.Equal(t, sitemaptest.Explain(t, c, address).Rule, want, address)
	}
}

// What explain says about sitemaps that have nothing to list, do not exist, or are not XML.
func TestExplainSitemapWithoutEntries(t *testing.T) {
	t.Parallel()
	const spec, plugin = seo.SpecLevel, seo.PluginLevel
	noPosts := []string{"DELETE FROM wp_posts"}
	formats := seo.Options{Compat: spec, Text: true, Atom: true}
	none := "Nothing in the database or the configuration says that this type is public."
	nothing := "It has nothing to list. The index does not name it, and the answer is "
	for _, tt := range []struct {
		rule, seeds string
		opt         seo.Options
		change      []string
		name        string
		page        int
		file        string
		decided     string
		because     string // the begin of the sentence
		evidence    string // the first
		elsewhere   bool   // the site itself answers
	}{
		{"text", "small small-formats", formats, nil, catalog.TextName, 1, "sitemap.txt", "listed", "This file repeats", "sitemap.txt: 7 objects",
			false},
		{"text, a later page", "small small-formats", formats, nil, catalog.TextName, 2, "sitemap2.txt",
			"empty sitemap", "Its sitemap has nothing", "sitemap.txt: off, or nothing to list", false},
		{"Atom", "small small-formats", formats, nil, catalog.AtomName, 1, "sitemap.atom", "listed", "This file repeats", "sitemap.atom: 7 objects",
			false},
		{"RSS is off", "small small-formats", formats, nil, catalog.RSSName, 1, "sitemap.rss",
			"empty sitemap", "Its sitemap has nothing", "sitemap.rss: off, or nothing to list", false},
		{"the index of a private site", "small small-private", seo.Options{Compat: spec}, nil, seo.IndexName, 1, "sitemap_index.xml",
			"listed", "It is the index", "sitemap_index.xml: names 0 sitemaps; excluded: 4 private site", false},
		{"the index of one sitemap", "small", seo.Options{Compat: spec}, nil, seo.IndexName, 1, "sitemap_index.xml",
			"listed", "It is the index", "sitemap_index.xml: names 1 sitemap; none excluded", false},
		{"no index", "small", seo.Options{Compat: plugin}, nil, seo.IndexName, 1, "sitemap_index.xml",
			"empty sitemap", "No sitemap has anything to list", "sitemap index: no sitemap to name", false},
		{"a list of a private site", "small small-private", seo.Options{Compat: spec}, nil, "post", 1, "post-sitemap.xml",
			"empty sitemap", nothing + "404", "sitemap post: 0 objects on 0 pages; excluded: 1 private site", false},
		{"the site has no sitemaps", "small small-private", seo.Options{Compat: spec}, []string{sitemaptest.Activate()}, "post", 1,
			"post-sitemap.xml",
			"no sitemaps", "no SEO plugin", "wp_options.active_plugins: without one", false},
		{"authors are off", "basic", seo.Options{Compat: spec},
			[]string{sitemaptest.SetOption("wpseo_titles", sitemaptest.Array("disable-author", true))},
			"author", 1, "author-sitemap.xml", "author archives off", "Author archives are off", "wp_options.wpseo_titles[disable-author]: true",
			false},
		{"no authors", "small small-authors", seo.Options{Compat: spec}, noPosts, "author", 1, "author-sitemap.xml",
			"empty sitemap", nothing + "404", "sitemap author: 0 objects on 0 pages; none excluded", false},
		{"no posts, but home", "small small-authors", seo.Options{Compat: spec}, noPosts, "post", 1, "post-sitemap.xml",
			"listed", "The index names it", "sitemap post: 1 object on 1 page; none excluded", false},
		{"no posts, as the plugin answers", "small small-authors", seo.Options{Compat: plugin}, noPosts, "post", 1, "post-sitemap.xml",
			"empty sitemap", nothing + "200", "sitemap post: 1 object on 0 pages; none excluded", false},
		{"a page after the last", "basic types", seo.Options{Compat: spec}, nil, "book", 2, "book-sitemap2.xml",
			"behind the last page", "This page number", "sitemap book: 3 objects on 1 page; none excluded", false},
		{"a type that is gone", "basic types", seo.Options{Compat: spec}, nil, "removed", 1, "removed-sitemap.xml",
			"type not known to be public", none, "registered types: none of this name (removed)", true},
		{"a type that is not public", "basic types", seo.Options{Compat: spec}, nil, "secret", 1, "secret-sitemap.xml",
			"type not public", "This type is not public.", "option wpseo[last_known_public_post_types]: public = false (post type secret)", false},
		{"a type with URLs that PHP makes", "small", seo.Options{Compat: spec}, vendors, "hp_vendor", 1, "hp_vendor-sitemap.xml",
			"type left to the site", "The URLs of this type differ", "registered types: its URLs differ from those computed (hp_vendor)", true},
		{"a type that a private site hides", "small small-private", seo.Options{Compat: spec}, nil, "attachment", 1, "attachment-sitemap.xml",
			"private site", "The site asks search engines to stay away", `wp_options.blog_public: "0"`, false},
		{"news without the add-on", "small", seo.Options{Compat: spec}, nil, "news", 1, "news-sitemap.xml",
			"plugin not active", "There is no news sitemap", "wp_options.active_plugins: without wpseo-news", true},
		{"no news at present", "small small-news", seo.Options{Compat: spec}, nil, "news", 1, "news-sitemap.xml",
			"empty sitemap", nothing + "200", "sitemap news: 0 objects on 0 pages; none excluded", false},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			c := openSeeds(t, tt.seeds, "", tt.opt, tt.change...)
			x := c.ExplainSitemap(tt.name, tt.page)
			expect.Equal(t, x.Rule, tt.decided)
			expect.Equal(t, x.In, tt.decided == "listed")
			expect.Equal(t, x.URL, c.Rules.Blog.Home()+"/"+tt.file)
			expect.Equal(t, x.Address, x.URL)
			expect.Contains(t, x.Because, tt.because)
			expect.Equal(t, evidence(x.Evidence[0]), tt.evidence)
			expect.Equal(t, slices.Contains(x.Notes, "The site itself answers this URL."), tt.elsewhere)
			expect.Equal(t, len(x.Places), 0, "a sitemap is in no sitemap")
			expect.Equal(t, x.Object, gocmp.Or(map[string]string{seo.IndexName: "sitemap index", catalog.TextName: catalog.TextName,
				catalog.AtomName: catalog.AtomName, catalog.RSSName: catalog.RSSName}[tt.name], fmt.Sprintf("sitemap %s, page %d", tt.name, tt.page)))
			if x.In {
				expect.Equal(t, x.File, x.URL)
				expect.Equal(t, x.Page, tt.page)
			}
		})
	}
}

// Archives that are left out are told with the reason of the plugin or the operator.
func TestEachLeftOutArchive(t *testing.T) {
	t.Parallel()
	told := func(c *sitemap.Catalog, opt seo.Options) (all []string) {
		wptest.Must(t, sitemap.EachLeftOut(t.Context(), c.Rules.Book, opt, "", func(l explain.LeftOut) error {
			if strings.HasPrefix(l.Object, "archive") {
				all = append(all, fmt.Sprintf("%s, %s: %s: %s %s", l.Object, l.Address, l.Rule, l.Because, l.Do))
			}
			return nil
		}))
		return all
	}
	opt := seo.Options{Compat: seo.SpecLevel, Log: sitemaptest.Quiet}
	expect.List(t, told(openSeeds(t, "basic types", "", opt), opt), []string{
		"archive of concert, https://example.test/stage/on-stage/: archive noindex: The archive is set to noindex in Yoast SEO. " +
			"In Yoast SEO, Settings, Content types, switch “Show the archive in search results” on.",
	})
	opt.Exclude.URLs = []*regexp.Regexp{regexp.MustCompile("test/$")}
	expect.List(t, told(openSeeds(t, "small small-home", "", opt), opt), []string{
		"archive, https://small.test/: excluded by configuration: The configuration of wpsitemapd excludes it. " +
			"Take it out of [site.exclude] in the configuration of wpsitemapd.",
	})
}

// Explain says when the clock alone takes an article out of the news, and why an old one is not there. Later parts of an article
// are in the sitemap of posts only.
func TestExplainLeavingNews(t *testing.T) {
	t.Parallel()
	const first = "It leaves the sitemap news at 2024-04-03T12:00:00Z, unless it changes." // the second after 48 hours
	for _, tt := range []struct {
		level               seo.Level
		path, notes, places string
	}{
		{seo.SpecLevel, "first/", first, "post news"},
		{seo.SpecLevel, "first/2/", first + "|Parts follow their post and do not count towards page_size.", "post"},
		{seo.SpecLevel, "revised/", "It leaves the sitemap news at 2024-04-01T12:00:01Z, unless it changes.", "post news"},
		{seo.PluginLevel, "first/", first, "post news"},
		{seo.PluginLevel, "revised/", "Not in news: it is older than 48 hours (wp_posts.post_date_gmt = 2023-05-01T10:00:00Z; " +
			"the window begins at 2024-03-30T12:00:00Z).", "post"},
	} {
		c := openSeeds(t, "small small-news", "", seo.Options{Compat: tt.level, Now: sitemaptest.ClockAt(sitemaptest.NewsTime)},
			"UPDATE wp_posts SET post_content = 'a<!--nextpage-->b' WHERE post_name = 'first'")
		x := sitemaptest.Explain(t, c, "https://small.test/"+tt.path)
		var places []string
		for _, p := range x.Places {
			places = append(places, p.Sitemap)
		}
		expect.Equal(t, strings.Join(x.Notes, "|"), tt.notes, tt.level, tt.path)
		expect.Equal(t, strings.Join(places, " "), tt.places, tt.level, tt.path)
	}
}

// Rows that changed after the sitemaps were read are explained as not settled.
func TestExplainAfterAChange(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel})
	wptest.Exec(t, dsn, sitemaptest.Insert(sitemaptest.Row{ID: 9001, Name: "fresh"}),
		"INSERT INTO wp_terms (term_id, name, slug) VALUES (91, 'Fresh', 'fresh-tag')",
		`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (91, 91, 'post_tag', '', 0, 1)`)
	for path, object := range map[string]string{"/fresh/": "post 9001", "/tag/fresh-tag/": "post_tag 91"} {
		x := sitemaptest.Explain(t, c, "https://example.test"+path)
		expect.Equal(t, fmt.Sprint(x.In, x.Object, " ", x.Rule), "false"+object+" not settled", path)
		expect.Contains(t, x.Do, "Ask again in a minute.", path)
	}
	wptest.Exec(t, dsn, "DELETE FROM wp_term_taxonomy WHERE term_taxonomy_id = 1020", "DELETE FROM wp_posts WHERE ID = 120")
	var gone []string
	left := []seo.Left{{Kind: seo.KindPost, Of: "post", ID: 120, Verdict: seo.MetaNoindex},
		{Kind: seo.KindPost, Of: "page", ID: 12, Verdict: seo.MetaNoindex},
		{Kind: seo.KindTerm, Of: "category", ID: 9, Verdict: seo.CanonicalElsewhere},
		{Kind: seo.KindUser, Of: "author", ID: 3, Verdict: seo.MetaNoindex}}
	wptest.Must(t, explain.EachLeftOut(t.Context(), c.Catalog, left, func(l explain.LeftOut) error {
		gone = append(gone, l.Object+": "+l.Rule)
		return nil
	}))
	expect.List(t, gone, []string{"post type attachment: type disabled", "object 120, which is gone now: noindex", "page 12: noindex",
		"category 9: canonical elsewhere", "author 3: noindex"})
}

// If the account may not read what decides, it is unknown whether the object is listed.
func TestExplainWithheld(t *testing.T) {
	t.Parallel()
	c := openSeeds(t, "small small-home", "", seo.Options{Compat: seo.SpecLevel})
	c.List("post").Withheld = errors.New("denied")
	x := sitemaptest.Explain(t, c, "https://small.test/hello/")
	expect.Equal(t, x.Unknown, true)
	expect.Equal(t, x.In, false)
	expect.Equal(t, x.Rule, explain.RuleUnknown)
	expect.Equal(t, evidence(x.Evidence[len(x.Evidence)-1]), "database: denied")
	x = sitemaptest.Explain(t, c, "https://small.test/welcome/")
	expect.Equal(t, x.In, true, "another list")
}

// An address that the operator adds has no object, but a sitemap. The file of a page is looked for in all pages that can be had.
func TestExplainAddedAddresses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tours.csv")
	wptest.Must(t, os.WriteFile(file, []byte("/tour/,2026-03-01\n/a/b/,\n"), 0o600))
	c := openSeeds(t, "small small-home", "", seo.Options{Compat: seo.SpecLevel, Extra: []seo.Extra{{Name: "tours", File: file}}})
	x := sitemaptest.Explain(t, c, "https://small.test/tour")
	expect.Equal(t, x.In, true)
	expect.List(t, []string{x.Object, x.Rule, x.Address, x.File, x.LastMod, evidence(x.Evidence[0])},
		[]string{"URL of the sitemap extra-tours", "listed",
			"https://small.test/tour/", "https://small.test/extra-tours-sitemap.xml", "2026-03-01T00:00:00+00:00",
			`sitemap extra-tours: "https://small.test/tour/"`})
	expect.Equal(t, sitemaptest.Explain(t, c, "https://small.test/tours/").In, false)
	missing := func(ctx context.Context, f catalog.File) ([]byte, error) {
		if f.Name == "page" {
			return nil, nil
		}
		doc, err := c.Render(ctx, f.Name, f.Page)
		wptest.Must(t, err)
		return doc.Body, nil
	}
	x, err := c.ExplainIn(t.Context(), "https://small.test/a.jpg", missing)
	wptest.Must(t, err)
	expect.Equal(t, x.Unknown, true, "one page is missing")
	expect.Contains(t, x.Because, "Of 4 pages only 3 could be searched")
}

// The homes of Polylang's languages are terms for All in One SEO.
func TestExplainHomesOfLanguages(t *testing.T) {
	t.Parallel()
	c := openSeeds(t, "small small-polylang", "", seo.Options{Compat: seo.PluginLevel},
		sitemaptest.Activate("all-in-one-seo-pack/all_in_one_seo_pack.php", "polylang/polylang.php"))
	for _, path := range []string{"/fr/", "/de/"} {
		x := sitemaptest.Explain(t, c, "https://small.test"+path)
		expect.Equal(t, fmt.Sprint(x.In, " ", x.Object, " ", x.Sitemap, " ", x.Page, " ", x.LastMod),
			"true home language 1 1970-01-01T00:00:00+00:00", path)
	}
}
