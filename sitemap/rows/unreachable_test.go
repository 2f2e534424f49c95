package rows_test

import (
	"crypto/md5"
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Two posts with one address, which SQL or permalinks of dates alone can make, are written once at level spec.
func TestTwoPostsWithOneAddress(t *testing.T) {
	t.Parallel()
	rows := sitemaptest.Insert(sitemaptest.Row{ID: 9001, Name: "same"}, sitemaptest.Row{ID: 9002, Name: "other"}, sitemaptest.Row{ID: 9003, Name: "same"})
	for level, want := range map[seo.Level]int{seo.SpecLevel: 1, seo.PluginLevel: 2} {
		got := 0
		for _, path := range sitemaptest.Listed(t, sitemaptest.Of(t, "small", seo.Options{Compat: level, Sitemaps: "yoast", PageSize: 1000}, rows), "post") {
			if path == "/same/" {
				got++
			}
		}
		expect.Equal(t, got, want, level)
	}
}

// At /news/2025/ WordPress looks for the archive of the year, not for a post with that slug. It keeps such slugs from posts only if
// their address begins with the slug.
func TestPostsNamedAsYears(t *testing.T) {
	t.Parallel()
	rows := sitemaptest.Insert(sitemaptest.Row{ID: 9001, Name: "2025"}, sitemaptest.Row{ID: 9002, Name: "20256"})
	date, post := []any{"news/([0-9]{4})/?$", "index.php?year=$matches[1]"}, []any{"news/([^/]+)(?:/([0-9]+))?/?$", "index.php?name=$matches[1]&page=$matches[2]"}
	for _, tt := range []struct {
		structure string
		rules     []any
		in        bool
	}{
		{"/news/%postname%/", slices.Concat(date, post), false},
		{"/news/%postname%/", post, true}, // a plugin has switched archives of dates off
		{"/%postname%/", []any{"([^/]+)(?:/([0-9]+))?/?$", "index.php?name=$matches[1]&page=$matches[2]"}, true},
	} {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel, Sitemaps: "yoast", PageSize: 1000}, rows,
			sitemaptest.SetOption("permalink_structure", tt.structure), sitemaptest.SetOption("rewrite_rules", sitemaptest.Array(tt.rules...)))
		got, folder := sitemaptest.Listed(t, c, "post"), strings.TrimSuffix(tt.structure, "%postname%/")
		if slices.Contains(got, folder+"2025/") != tt.in || !slices.Contains(got, folder+"20256/") {
			t.Errorf("%s: %q", tt.structure, got)
		}
	}
}

// ofTree returns those paths that begin with a path of TreeRows.
func ofTree(paths []string) []string {
	return slices.DeleteFunc(paths, func(path string) bool {
		return !slices.ContainsFunc([]string{"/a-page/", "/below", "/further", "/two-parts/", "/draft/"}, func(p string) bool {
			return strings.HasPrefix(path, p)
		})
	})
}

// Level spec leaves out pages that WordPress itself does not answer, for every plugin: those below a
// draft without a slug, below an object that is missing or is no page, or in a cycle of parents. If
// what is above them is mended, a delta adds the pages again.
func TestPagesBelowDrafts(t *testing.T) {
	t.Parallel()
	sites := map[string][]string{
		"Yoast SEO": nil, "Rank Math": sitemaptest.RankMathSite, "SEOPress": sitemaptest.SeopressSite, "All in One SEO": sitemaptest.AioseoSite,
	}
	for name, sql := range sites {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.MariaDB, "small")
			wptest.Exec(t, dsn, sql...)
			wptest.Exec(t, dsn, "DELETE FROM wp_posts WHERE post_type = 'page'", lostRows)
			wptest.Exec(t, dsn, "DELETE FROM wp_options WHERE option_name IN ('rank-math-options-titles', 'aioseo_options_dynamic')")
			wptest.Exec(t, dsn, sitemaptest.TreeRows...)
			c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel, Keep: true})
			if c.Plugin() != name {
				t.Fatalf("the sitemaps are those of %s", c.Plugin())
			}
			expect.List(t, ofTree(sitemaptest.Listed(t, c, "page")), plainPages, "below a draft")
			x := sitemaptest.Explain(t, c, "https://small.test/below-a-draft/")
			if x.In || x.Rule != seo.NoAddress.String() || !strings.Contains(x.Because, "An object above it has no slug") {
				t.Errorf("in %t, %s: %s", x.In, x.Rule, x.Because)
			}
			wptest.Exec(t, dsn, "UPDATE wp_posts SET post_status = 'publish', post_name = 'draft' WHERE ID = 9001",
				"UPDATE wp_posts SET post_parent = 0 WHERE ID = 9007")
			d, _, err := c.Delta(t.Context(), nil)
			wptest.Must(t, err)
			want := []string{"/draft/", "/draft/below-a-draft/", "/draft/below-a-draft/further-below/", "/a-page/", "/below-nothing/", "/below-nothing/further/"}
			expect.List(t, ofTree(sitemaptest.Listed(t, d, "page")), want, "after publishing")
		})
	}
}

// indexedAs returns a statement that stores the address of a post in yoast_indexable.
func indexedAs(id int, postType, link string) string {
	return fmt.Sprintf("INSERT INTO wp_yoast_indexable (object_id, object_type, object_sub_type, permalink, permalink_hash, "+
		"post_status, version, blog_id, object_last_modified, updated_at) SELECT ID, 'post', '%s', '%s', '%d:%x', 'publish', 2, 1, "+
		"post_modified_gmt, '2026-01-01 00:00:00' FROM wp_posts WHERE ID = %d", postType, link, len(link), md5.Sum([]byte(link)), id)
}

// WordPress finds the posts of each hierarchical type by the slugs of what is above them, so level spec leaves out those it does not
// find: below a missing post, one of another type or one without a slug, and in a cycle. A draft or a trashed post with a slug, and
// an attachment, hide nothing below them. Neither do parents of a flat type, or of posts whose addresses are not made of the slugs
// above them: set by hand, in a form of the operator without {path}, or stored by Yoast SEO because a plugin changes them.
func TestLostPostsOfTrees(t *testing.T) {
	t.Parallel()
	found := []string{"/books/a-book/", "/books/a-book/below-a-book/", "/books/draft/below-a-draft/", "/books/old__trashed/below-trash/", "/books/photo/below-photo/"}
	lost := []string{"/books/a-page/below-a-page/", "/books/below-nothing/", "/books/below-nothing/further/", "/books/below-slugless/",
		"/books/ring-1/ring-2/", "/books/ring-2/ring-1/"}
	rows := sitemaptest.Insert(
		sitemaptest.Row{ID: 9100, Type: "book", Name: "a-book"}, sitemaptest.Row{ID: 9101, Type: "book", Name: "below-a-book", Parent: 9100},
		sitemaptest.Row{ID: 9102, Type: "book", Name: "draft", Status: "draft"}, sitemaptest.Row{ID: 9103, Type: "book", Name: "below-a-draft", Parent: 9102},
		sitemaptest.Row{ID: 9104, Type: "book", Name: "old__trashed", Status: "trash"}, sitemaptest.Row{ID: 9105, Type: "book", Name: "below-trash", Parent: 9104},
		sitemaptest.Row{ID: 9106, Type: "attachment", Name: "photo", Status: "inherit"}, sitemaptest.Row{ID: 9107, Type: "book", Name: "below-photo", Parent: 9106},
		sitemaptest.Row{ID: 9108, Type: "book", Name: "below-nothing", Parent: 99999}, sitemaptest.Row{ID: 9109, Type: "book", Name: "further", Parent: 9108},
		sitemaptest.Row{ID: 9110, Type: "book", Status: "draft"}, sitemaptest.Row{ID: 9111, Type: "book", Name: "below-slugless", Parent: 9110},
		sitemaptest.Row{ID: 9112, Type: "page", Name: "a-page"}, sitemaptest.Row{ID: 9113, Type: "book", Name: "below-a-page", Parent: 9112},
		sitemaptest.Row{ID: 9114, Type: "book", Name: "ring-1", Parent: 9115}, sitemaptest.Row{ID: 9115, Type: "book", Name: "ring-2", Parent: 9114})
	yes, no, slug, none := true, false, "books", ""
	byHand := []string{sitemaptest.Activate("custom-permalinks/custom-permalinks.php"), sitemaptest.MetaRow(9108, "custom_permalink", "own/path/")}
	formOfSlug, formOfPath := "/library/{slug}/", "/library/{path}/"
	stored := []string{sitemaptest.YoastActive, "DELETE FROM wp_yoast_indexable",
		`REPLACE INTO wp_options (option_name, option_value) VALUES ('rewrite_rules', 'a:1:{s:15:"lib/([0-9]+)/?$";s:38:"index.php?post_type=book&p=$matches[1]";}')`}
	for _, id := range []int{9100, 9101, 9103, 9105, 9107, 9108, 9109, 9111, 9113, 9114, 9115} {
		stored = append(stored, indexedAs(id, "book", fmt.Sprintf("https://small.test/lib/%d/", id)))
	}
	for _, tt := range []struct {
		name  string
		books registry.PostTypeOverride
		sql   []string
		lost  int // how many lost posts are left out
	}{
		{"a tree", registry.PostTypeOverride{Public: &yes, Hierarchical: &yes, Slug: &slug}, nil, len(lost)},
		{"without rewriting", registry.PostTypeOverride{Public: &yes, Hierarchical: &yes, Slug: &none}, nil, len(lost)},
		{"by number", registry.PostTypeOverride{Public: &yes, Hierarchical: &yes, Slug: &none, QueryVar: &none}, nil, 0},
		{"flat", registry.PostTypeOverride{Public: &yes, Hierarchical: &no, Slug: &slug}, nil, 0},
		{"by hand", registry.PostTypeOverride{Public: &yes, Hierarchical: &yes, Slug: &slug}, byHand, len(lost) - 1},
		{"a form of the operator with {slug}", registry.PostTypeOverride{Public: &yes, Hierarchical: &yes, URL: &formOfSlug}, nil, 0},
		{"a form of the operator with {path}", registry.PostTypeOverride{Public: &yes, Hierarchical: &yes, URL: &formOfPath}, nil, len(lost)},
		{"as stored", registry.PostTypeOverride{Public: &yes, Hierarchical: &yes}, stored, 0},
	} {
		for sitemaps, name := range map[string]string{"yoast": "book", "core": "posts-book"} {
			t.Run(tt.name+" "+sitemaps, func(t *testing.T) {
				t.Parallel()
				dsn := wptest.Load(t, wptest.SQLite, "small")
				wptest.Exec(t, dsn, append([]string{rows}, tt.sql...)...)
				src := wp.Source{DSN: dsn}
				src.Overrides.PostTypes = map[string]registry.PostTypeOverride{"book": tt.books}
				book := sitemaptest.OpenSite(t, src)
				all := sitemaptest.Build(t, book, seo.Options{Compat: seo.PluginLevel, Sitemaps: sitemaps})
				c := sitemaptest.Build(t, book, seo.Options{Compat: seo.SpecLevel, Sitemaps: sitemaps, Keep: true})
				got := sitemaptest.PathsIn(t, c, name)
				expect.Equal(t, len(got), len(found)+len(lost)-tt.lost, "listed")
				expect.Equal(t, len(sitemaptest.PathsIn(t, all, name)), len(found)+len(lost), "listed at level plugin")
				if tt.name != "a tree" {
					return
				}
				expect.List(t, got, found, "listed")
				x := sitemaptest.Explain(t, c, c.Rules.Blog.Home()+lost[0])
				if x.In || x.Rule != seo.NoAddress.String() {
					t.Errorf("in %t, %s: %s", x.In, x.Rule, x.Because)
				}
				wptest.Exec(t, dsn, "UPDATE wp_posts SET post_parent = 0 WHERE ID = 9108")
				d, _, err := c.Delta(t.Context(), nil)
				wptest.Must(t, err)
				expect.List(t, sitemaptest.PathsIn(t, d, name), slices.Concat(found[:2], lost[1:3], found[2:]), "after the parent was mended")
			})
		}
	}
}

// WordPress tries the rewrite rules of categories, custom types and authors before those of pages. So level spec leaves out pages
// below a page that has the base of these as its slug, but not the top page. Rules that a plugin writes for single pages keep these
// pages. Without rules, or with a rule that Go does not understand, all pages stay.
func TestPagesBelowBases(t *testing.T) {
	t.Parallel()
	pages := []any{"(.?.+?)(?:/([0-9]+))?/?$", "index.php?pagename=$matches[1]&page=$matches[2]"}
	posts := func(before string) []any {
		return []any{before + "([^/]+)(?:/([0-9]+))?/?$", "index.php?name=$matches[1]&page=$matches[2]"}
	}
	top := []any{
		"category/(.+?)/?$", "index.php?category_name=$matches[1]",
		"services/[^/]+/([^/]+)/?$", "index.php?attachment=$matches[1]",
		"services/([^/]+)(?:/([0-9]+))?/?$", "index.php?service=$matches[1]&page=$matches[2]",
		"author/([^/]+)/?$", "index.php?author_name=$matches[1]",
	}
	tops := []string{"/author/", "/category/", "/other/", "/other/services/", "/services/"}
	all := slices.Sorted(slices.Values(append([]string{"/author/of-us/", "/category/a-page/", "/services/ours/", "/services/ours/deep/"}, tops...)))
	slug, public := "services", true
	for _, tt := range []struct {
		name, structure string
		rules           []any
		want            []string
	}{
		{"pages behind posts", "/%year%/%postname%/", slices.Concat(top, posts("([0-9]{4})/"), pages), tops},
		{"verbose rules of pages", "/%postname%/", slices.Concat(top, pages, posts("")), tops},
		{"rules of single pages", "/%postname%/", slices.Concat([]any{"services/ours/?$", "index.php?pagename=services/ours"}, top, pages, posts("")),
			slices.Sorted(slices.Values(append([]string{"/services/ours/"}, tops...)))},
		{"no rules of other types", "/%postname%/", slices.Concat(pages, posts("")), all},
		{"no rules", "/%postname%/", nil, all},
		{"a rule that is not understood", "/%postname%/", slices.Concat([]any{"(?!x)y", "index.php?pagename=z"}, top, pages, posts("")), all},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, "DELETE FROM wp_posts WHERE post_type = 'page'", sitemaptest.SetOption("permalink_structure", tt.structure),
				sitemaptest.SetOption("rewrite_rules", sitemaptest.Array(tt.rules...)), sitemaptest.Insert(
					sitemaptest.Row{ID: 9001, Type: "page", Name: "category"},
					sitemaptest.Row{ID: 9002, Type: "page", Name: "a-page", Parent: 9001},
					sitemaptest.Row{ID: 9003, Type: "page", Name: "services"},
					sitemaptest.Row{ID: 9004, Type: "page", Name: "ours", Parent: 9003},
					sitemaptest.Row{ID: 9005, Type: "page", Name: "deep", Parent: 9004},
					sitemaptest.Row{ID: 9006, Type: "page", Name: "author"},
					sitemaptest.Row{ID: 9007, Type: "page", Name: "of-us", Parent: 9006},
					sitemaptest.Row{ID: 9008, Type: "page", Name: "other"},
					sitemaptest.Row{ID: 9009, Type: "page", Name: "services", Parent: 9008},
					sitemaptest.Row{ID: 9010, Type: "service", Name: "one"}))
			src := wp.Source{DSN: dsn}
			src.Overrides.PostTypes = map[string]registry.PostTypeOverride{"service": {Public: &public, Slug: &slug}}
			book := sitemaptest.OpenSite(t, src)
			for _, level := range sitemaptest.Levels {
				c := sitemaptest.Build(t, book, seo.Options{Compat: level, Keep: true})
				want := tt.want
				if level == seo.PluginLevel {
					want = all
				}
				got := slices.DeleteFunc(slices.Sorted(slices.Values(sitemaptest.Listed(t, c, "page"))), func(path string) bool { return path == "/" })
				expect.List(t, got, want, level)
				if level == seo.PluginLevel || len(want) > len(tops) {
					continue
				}
				x := sitemaptest.Explain(t, c, "https://small.test/services/ours/")
				told := slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool { return e.Value == `"services/…"` })
				if x.In || x.Rule != seo.Shadowed.String() || !strings.Contains(x.Because, "WordPress looks for another kind of object") || !told {
					t.Errorf("in %t, %s: %s %v", x.In, x.Rule, x.Because, x.Evidence)
				}
				wptest.Exec(t, dsn, "UPDATE wp_posts SET post_name = 'our-services', post_modified_gmt = '2024-03-01 00:00:00' WHERE ID = 9003")
				d, _, err := c.Delta(t.Context(), nil)
				wptest.Must(t, err)
				if got := sitemaptest.Listed(t, d, "page"); !slices.Contains(got, "/our-services/ours/") {
					t.Errorf("after the top page got another slug: %q", got)
				}
				wptest.Exec(t, dsn, "UPDATE wp_posts SET post_name = 'services' WHERE ID = 9003")
			}
		})
	}
}

// If WordPress redirects the pages of attachments to their files, level spec lists no attachments.
func TestAttachmentPages(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int{"": 1, "1": 1, "0": 0} {
		sql := append(slices.Clone(sitemaptest.TreeRows), sitemaptest.SetOption("wpseo_titles", sitemaptest.Array("disable-attachment", "")))
		if value != "" {
			sql = append(sql, sitemaptest.SetOption("wp_attachment_pages_enabled", value))
		}
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel}, sql...)
		listed := 0
		if _, err := c.Render(t.Context(), "attachment", 1); err == nil {
			listed = len(sitemaptest.Listed(t, c, "attachment"))
		}
		expect.Equal(t, listed, want, value)
		if value == "0" {
			if x := sitemaptest.Explain(t, c, "https://small.test/two-parts/picture/"); x.Rule != "attachment redirected" {
				t.Errorf("%s: %s", x.Rule, x.Because)
			}
		}
	}
}

// lostRows are pages below an object that is missing, below a post, and below each other.
var lostRows = sitemaptest.Insert(
	sitemaptest.Row{ID: 9007, Author: 1001, Type: "page", Name: "below-nothing", Parent: 99999},
	sitemaptest.Row{ID: 9008, Author: 1001, Type: "page", Name: "further", Parent: 9007},
	sitemaptest.Row{ID: 9009, Author: 1001, Type: "page", Name: "below-a-post", Parent: 9005},
	sitemaptest.Row{ID: 9010, Author: 1001, Type: "page", Name: "below-a-cycle", Parent: 9011},
	sitemaptest.Row{ID: 9011, Author: 1001, Type: "page", Name: "below-the-same", Parent: 9010},
)

// plainPages are the pages of TreeRows that every plugin lists.
var plainPages = []string{"/a-page/"}
