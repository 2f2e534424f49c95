package rows_test

import (
	"fmt"
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

// If no row of posts was written, the delta does not look for moved posts, but finds changes of meta.
func TestDeltaOfStillPosts(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	var c sitemaptest.Counter
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Observe: c.Observe})
	catalog := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel, Keep: true})
	wptest.Exec(t, dsn, "INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (101, '_yoast_wpseo_meta-robots-noindex', '1')")
	for _, still := range []bool{true, false} {
		c.Take()
		delta, touched, err := catalog.Delta(t.Context(), map[bool][]string{true: {"postmeta"}, false: {"posts"}}[still])
		if err != nil || touched != 1 || delta.LeftOut[seo.MetaNoindex] != catalog.LeftOut[seo.MetaNoindex]+1 {
			t.Fatalf("%d posts, %v", touched, err)
		}
		passes := 0
		for _, statement := range c.Take() {
			if strings.HasPrefix(statement, "SELECT p.ID, p.post_date FROM") {
				passes++
			}
		}
		expect.Equal(t, passes == 0, still, "still", passes, "passes over the index")
	}
}

// On a large site, a delta of a write that other traces explain leaves the index of dates to a later delta, which then finds what
// has changed without another trace.
func TestDeltaLeavesTheIndex(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100100)
		INSERT INTO wp_posts (ID, post_type, post_status, post_name, post_date, post_date_gmt, post_modified, post_modified_gmt,
		post_parent, post_author, post_title, post_excerpt, post_content, post_mime_type, post_password, to_ping, pinged,
		post_content_filtered, guid, ping_status, comment_status)
		SELECT 10000 + i, 'post', 'publish', 'p-' || i, '2025-01-01 00:00:00', '2025-01-01 00:00:00', '2025-01-01 00:00:00',
		'2025-01-01 00:00:00', 0, 1, 'T', '', '', '', '', '', '', '', '', '', '' FROM n`)
	var c sitemaptest.Counter
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Observe: c.Observe})
	opt := seo.Options{Sitemaps: "yoast", Compat: seo.SpecLevel, Keep: true}
	catalog := sitemaptest.Build(t, blog, opt)
	posts := []string{"posts"}
	for _, tt := range []struct {
		name    string
		sql     []string
		written []string
		touched int
		reads   bool // reads the index
		left    bool
	}{
		{"an edit, and a post is deleted", []string{sitemaptest.Revision(20000), "DELETE FROM wp_posts WHERE ID = 20001"}, posts, 1, false, true},
		{"another table", []string{sitemaptest.MetaRow(20002, "_yoast_wpseo_meta-robots-noindex", "1")}, []string{"postmeta"}, 1, false, true},
		{"unknown tables", nil, nil, 1, true, false},
		{"a post becomes a draft", []string{"UPDATE wp_posts SET post_status = 'draft' WHERE ID = 20003"}, posts, 1, true, false},
		{"and an order comes", []string{"UPDATE wp_posts SET post_status = 'draft' WHERE ID = 20004",
			sitemaptest.Insert(sitemaptest.Row{ID: 200000, Name: "order", Type: "shop_order", Status: "wc-processing"})}, posts, 2, true, false},
		{"a post of another type is published", []string{
			sitemaptest.Insert(sitemaptest.Row{ID: 200001, Name: "new", Type: "page"})}, posts, 1, false, true},
	} {
		wptest.Exec(t, dsn, tt.sql...)
		c.Take()
		delta, touched, err := catalog.Delta(t.Context(), tt.written)
		wptest.Must(t, err)
		reads := slices.ContainsFunc(c.Take(), func(s string) bool { return strings.HasPrefix(s, "SELECT p.ID, p.post_date FROM") })
		expect.Equal(t, touched, tt.touched, tt.name, "touched")
		expect.Equal(t, reads, tt.reads, tt.name, "reads the index")
		expect.Equal(t, delta.DatesUnread(), tt.left, tt.name, "dates unread")
		catalog = delta
	}
	built := sitemaptest.Build(t, blog, opt)
	expect.Same(t, built.LeftOut, catalog.LeftOut)
	for _, l := range built.Lists {
		expect.Equal(t, catalog.List(l.Name).Listed(), l.Listed(), l.Name)
	}
}

// A delta reads the trees and the objects with the slugs of pages only if what was written can change which posts are unreachable.
// Then it finds what a build finds.
func TestWhatReadsTheTrees(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, sitemaptest.SetOption("permalink_structure", "/%postname%/"), sitemaptest.Insert(
		sitemaptest.Row{ID: 9001, Name: "guide", Type: "page"}, sitemaptest.Row{ID: 9002, Name: "chapter", Type: "page", Parent: 9001},
		sitemaptest.Row{ID: 9003, Name: "both", Type: "page"}, sitemaptest.Row{ID: 9004, Name: "both"}, sitemaptest.Row{ID: 9005, Name: "plain"},
		sitemaptest.Row{ID: 9006, Name: "photo", Type: "attachment", Status: "inherit", Parent: 9005},
		sitemaptest.Row{ID: 9007, Name: "below-a-photo", Type: "page", Parent: 9006}, sitemaptest.Row{ID: 9008, Name: "category", Type: "page"},
		sitemaptest.Row{ID: 9009, Name: "inner", Type: "page", Parent: 9008}, sitemaptest.Row{ID: 9010, Name: "old"}))
	var c sitemaptest.Counter
	book := sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Observe: c.Observe})
	opt := seo.Options{PageSize: 100, Sitemaps: "yoast", Compat: seo.SpecLevel, Keep: true}
	catalog := sitemaptest.Build(t, book, opt)
	change := func(set string, id int) []string {
		return []string{fmt.Sprintf("UPDATE wp_posts SET %s WHERE ID = %d", set, id), sitemaptest.Revision(int64(id))}
	}
	posts := []string{"posts", "postmeta", "term_relationships", "term_taxonomy"}
	for _, tt := range []struct {
		name    string
		sql     []string
		written []string // the tables that were written
		reads   bool
	}{
		{"a post is edited", change("post_title = 'another'", 9005), posts, false},
		{"a post gets another slug", change("post_name = 'simple'", 9005), posts, false},
		{"a post is new", []string{sitemaptest.Insert(sitemaptest.Row{ID: 9100, Name: "new"})}, posts, false},
		{"a post becomes a draft", change("post_status = 'draft'", 9100), posts, false},
		{"a post is deleted", []string{"DELETE FROM wp_posts WHERE ID = 9010"}, posts, false},
		{"an upload", []string{sitemaptest.Insert(sitemaptest.Row{ID: 9200, Name: "picture", Type: "attachment", Status: "inherit", Parent: 9005})}, posts, false},
		{"tables are not known", change("post_title = 'a third'", 9005), nil, true},
		{"an attachment with the slug of a page", []string{sitemaptest.Insert(
			sitemaptest.Row{ID: 9300, Name: "guide", Type: "attachment", Status: "inherit", Parent: 9005})}, posts, true},
		{"a post gets the slug of a page", change("post_name = 'guide'", 9005), posts, true},
		{"a post has no longer the slug of a page", change("post_name = 'simple'", 9005), posts, true},
		{"the post at the address of a page becomes a draft", change("post_status = 'draft'", 9004), posts, true},
		{"the post is published again", change("post_status = 'publish'", 9004), posts, true},
		{"a page gets the slug of a post", change("post_name = 'simple'", 9003), posts, true},
		{"a page gets a parent", change("post_parent = 9001", 9003), posts, true},
		{"a page gets a parent that is missing", change("post_parent = 99999", 9003), posts, true},
		{"a page becomes a draft without a slug", change("post_status = 'draft', post_name = ''", 9001), posts, true},
		{"a draft is published", change("post_status = 'publish', post_name = 'guide'", 9001), posts, true},
		{"the attachment above a page loses its slug", append(change("post_name = ''", 9006), sitemaptest.MetaRow(9006, "_wp_attached_file", "a.jpg")), posts, true},
		{"a page becomes a post", change("post_type = 'post'", 9002), posts, true},
		{"a post becomes a page", change("post_type = 'page'", 9002), posts, true},
		{"a page is deleted", []string{"DELETE FROM wp_posts WHERE ID = 9002"}, posts, true},
		{"a page gets another parent without a trace", []string{"UPDATE wp_posts SET post_parent = 99999 WHERE ID = 9009"}, posts, true},
		{"and back", []string{"UPDATE wp_posts SET post_parent = 9008 WHERE ID = 9009"}, posts, true},
		{"a post with the slug of a year", change("post_name = '2025'", 9005), posts, true},
		{"a category gets the slug of a page", append(change("post_title = 'a fourth'", 9004),
			"INSERT INTO wp_terms (term_id, name, slug, term_group) VALUES (900, 'Inner', 'inner', 0)",
			"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (950, 900, 'category', '', 0, 1)",
			"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (9004, 950, 0)"), append(posts, "terms"), true},
		{"only meta is written", []string{sitemaptest.MetaRow(9005, "_yoast_wpseo_meta-robots-noindex", "1")}, []string{"postmeta"}, false},
	} {
		wptest.Exec(t, dsn, tt.sql...)
		c.Take()
		delta, touched, err := catalog.Delta(t.Context(), tt.written)
		if err != nil || touched == 0 {
			t.Fatalf("%s: %d posts, %v", tt.name, touched, err)
		}
		reads := slices.ContainsFunc(c.Take(), func(s string) bool {
			return strings.HasPrefix(s, "SELECT ID, post_name, post_parent FROM wp_posts WHERE post_type = ")
		})
		expect.Equal(t, reads, tt.reads, tt.name, "reads the trees")
		built := sitemaptest.Build(t, book, opt)
		expect.Same(t, bodies(t, built), bodies(t, delta), tt.name, "build (-) and delta (+) differ")
		catalog = built
	}
}

// bodies renders every page of a catalog.
func bodies(t *testing.T, c *sitemap.Catalog) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, f := range c.Files() {
		if !f.Elsewhere {
			all[f.Filename] = string(sitemaptest.Render(t, c, f.Name, f.Page).Body)
		}
	}
	return all
}
