package rows_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// editedSite is a site of two authors with a tree of pages and of categories.
var editedSite = []string{
	`INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
		(1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann'), (1002, 'bo', '!', 'bo', 'bo@small.test', 'Bo')`,
	sitemaptest.Insert(
		sitemaptest.Row{ID: 9001, Author: 1001, Name: "one", Date: "2024-01-05 10:00:00"},
		sitemaptest.Row{ID: 9002, Author: 1001, Name: "two", Date: "2024-01-03 10:00:00"},
		sitemaptest.Row{ID: 9003, Author: 1002, Name: "three", Date: "2024-01-04 10:00:00"},
		sitemaptest.Row{ID: 9004, Author: 1001, Type: "page", Name: "top"},
		sitemaptest.Row{ID: 9005, Author: 1001, Type: "page", Name: "below", Parent: 9004},
		sitemaptest.Row{ID: 9006, Author: 1001, Type: "attachment", Status: "inherit", Name: "photo", Parent: 9001, MIME: "image/jpeg"},
		sitemaptest.Row{ID: 9007, Author: 1001, Name: "locked", Password: "x", Date: "2024-01-06 10:00:00"},
		sitemaptest.Row{ID: 9008, Author: 1001, Name: "draft", Status: "draft"},
	),
	`INSERT INTO wp_terms (term_id, name, slug) VALUES (11, 'Sea', 'sea'), (12, 'Wind', 'wind'), (13, 'Bay', 'bay'), (14, 'Empty', 'empty')`,
	`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
		(21, 11, 'category', '', 0, 2), (22, 12, 'post_tag', '', 0, 1), (23, 13, 'category', '', 11, 1), (24, 14, 'post_tag', '', 0, 0)`,
	`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (9001, 21), (9002, 21), (9001, 22), (9003, 23), (9007, 23)`,
}

// countTerms counts the posts of terms, as WordPress does after every change of a post.
const countTerms = `UPDATE wp_term_taxonomy SET count = (SELECT COUNT(*) FROM wp_term_relationships tr JOIN wp_posts p ON p.ID = tr.object_id
	WHERE tr.term_taxonomy_id = wp_term_taxonomy.term_taxonomy_id AND p.post_status = 'publish')`

func setPost(id int, set string) string {
	return fmt.Sprintf("UPDATE wp_posts SET %s WHERE ID = %d", set, id)
}

func changedAt(date string) string {
	return fmt.Sprintf("post_modified = '%[1]s', post_modified_gmt = '%[1]s'", date)
}

// edited is one change of a site.
type edited struct {
	name     string
	sql      []string
	touched  int
	declined string // a part of the error; "" if the delta follows
}

// A delta after each edit of a site finds what a full scan finds, as does a delta after that delta. A page with other bytes has
// another fingerprint.
func TestDeltaFindsWhatABuildFinds(t *testing.T) {
	t.Parallel()
	const noindex, canonical = "_yoast_wpseo_meta-robots-noindex", "_yoast_wpseo_canonical"
	edits := []edited{
		{"nothing", nil, 0, ""},
		{"an edit", []string{setPost(9002, "post_content = 'more', "+changedAt("2024-02-01 10:00:00")), sitemaptest.Revision(9002)}, 1, ""},
		{"an edit without another date", []string{setPost(9002, "post_name = 'second'"), sitemaptest.Revision(9002)}, 1, ""},
		{"an edit of the post that dates a term", []string{setPost(9002, changedAt("2024-02-02 10:00:00")), sitemaptest.Revision(9002)}, 1, ""},
		{"the newest post of a term gets an older date", []string{setPost(9002, changedAt("2024-01-01 10:00:00")), sitemaptest.Revision(9002)}, 1,
			""},
		{"the newest post of a term becomes a draft", []string{setPost(9001, "post_status = 'draft'"), countTerms}, 1, ""},
		{"a draft is published",
			[]string{setPost(9008, "post_status = 'publish', post_date = '2024-03-01 10:00:00', post_date_gmt = '2024-03-01 10:00:00'"),
				countTerms}, 1, ""},
		{"the post is published again", []string{setPost(9001, "post_status = 'publish'"), countTerms}, 1, ""},
		{"the only post of a tag loses it", []string{"DELETE FROM wp_term_relationships WHERE term_taxonomy_id = 22", countTerms,
			sitemaptest.Revision(9001)}, 1, ""},
		{"a post gets a tag that no post had", []string{"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (9003, 24)",
			countTerms,
			sitemaptest.Revision(9003)}, 1, ""},
		{"a post gets a new tag", []string{"INSERT INTO wp_terms (term_id, name, slug) VALUES (15, 'A first', 'a-first')",
			"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (25, 15, 'post_tag', '', 0, 1)",
			"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (9002, 25)", sitemaptest.Revision(9002)}, 1, ""},
		{"the only open post of a category gets a password", []string{setPost(9003, "post_password = 'x'"), sitemaptest.Revision(9003)}, 1, ""},
		{"and loses it", []string{setPost(9003, "post_password = ''"), sitemaptest.Revision(9003)}, 1, ""},
		{"noindex", []string{sitemaptest.MetaRow(9002, noindex, "1")}, 1, ""},
		{"noindex is changed in place", []string{"UPDATE wp_postmeta SET meta_value = '2' WHERE meta_key = '" + noindex + "'"}, 1, ""},
		{"noindex is deleted", []string{"DELETE FROM wp_postmeta WHERE meta_key = '" + noindex + "'"}, 0, ""},
		{"another canonical URL", []string{sitemaptest.MetaRow(9003, canonical, "https://elsewhere.test/")}, 1, ""},
		{"its own canonical URL", []string{"UPDATE wp_postmeta SET meta_value = 'https://small.test/three/' WHERE meta_key = '" + canonical + "'"}, 1,
			""},
		{"the canonical URL is deleted", []string{"DELETE FROM wp_postmeta WHERE meta_key = '" + canonical + "'"}, 1, ""},
		{"another author", []string{setPost(9001, "post_author = 1002"), sitemaptest.Revision(9001)}, 1, ""},
		{"the last post of an author", []string{"UPDATE wp_posts SET post_author = 1001 WHERE post_author = 1002 AND post_type = 'post'",
			sitemaptest.Revision(9001), sitemaptest.Revision(9003)}, 2, ""},
		{"a post becomes a page", []string{setPost(9002, "post_type = 'page'"), sitemaptest.Revision(9002)}, 1, ""},
		{"and a post again", []string{setPost(9002, "post_type = 'post'"), sitemaptest.Revision(9002)}, 1, ""},
		{"a page is renamed", []string{setPost(9004, "post_name = 'peak'"), sitemaptest.Revision(9004)}, 1, ""},
		{"a post between others", []string{sitemaptest.Insert(sitemaptest.Row{ID: 8000, Author: 1002, Name: "before"},
			sitemaptest.Row{ID: 9100, Author: 1002, Name: "after"})}, 2, ""},
		{"a post becomes inherited", []string{setPost(9003, "post_status = 'inherit'")}, 1, ""},
		{"another post, while one is inherited", []string{setPost(9100, changedAt("2024-05-01 10:00:00")), sitemaptest.Revision(9100)}, 1, ""},
		{"the inherited post is published", []string{setPost(9003, "post_status = 'publish'")}, 1, ""},
		{"posts are deleted", []string{"DELETE FROM wp_posts WHERE ID IN (8000, 9100)", countTerms}, 2, ""},
		{"a page with pages below is deleted", []string{"DELETE FROM wp_posts WHERE ID = 9004", setPost(9005, "post_parent = 0")}, 1, ""},
	}
	attachments := []edited{
		{"a picture is uploaded", []string{sitemaptest.Insert(sitemaptest.Row{ID: 9200, Author: 1001, Type: "attachment", Status: "inherit",
			Name:   "second",
			Parent: 9001, MIME: "image/jpeg"})}, 3, ""}, // with its post and the picture beside it
		{"the post of pictures gets a password", []string{setPost(9001, "post_password = 'x'"), sitemaptest.Revision(9001)}, 3, ""},
		{"and loses it", []string{setPost(9001, "post_password = ''"), sitemaptest.Revision(9001)}, 3, ""},
		{"a picture in the trash", []string{setPost(9200, "post_status = 'trash'")}, 1, ""},
		{"a post is deleted", []string{"DELETE FROM wp_posts WHERE ID = 9003"}, 0, "a post was deleted"},
	}
	attached := sitemaptest.SetOption("wpseo_titles", sitemaptest.Array("disable-attachment", ""))
	manyPosts := `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO wp_posts (ID, post_type, post_status, post_name,
		post_date, post_date_gmt, post_modified, post_modified_gmt, post_password, post_parent, post_author) SELECT 20000 + i, 'post', 'publish', 'p' || i,
		'2024-01-01 10:00:00', '2024-01-01 10:00:00', '2024-01-01 10:00:00', '2024-01-01 10:00:00', '', 0, 1001 FROM n`
	inMany := []string{fmt.Sprintf(manyPosts, 4000),
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) SELECT ID, 21 FROM wp_posts WHERE ID > 20000", countTerms}
	for _, tt := range []struct {
		name  string
		opt   seo.Options
		sql   []string
		edits []edited
	}{
		{"spec", seo.Options{Compat: seo.SpecLevel, PageSize: 1}, nil, edits},
		{"plugin", seo.Options{Compat: seo.PluginLevel, PageSize: 2}, nil, edits},
		{"WordPress' own", seo.Options{Compat: seo.SpecLevel, Sitemaps: "core"}, nil, slices.DeleteFunc(slices.Clone(edits), func(e edited) bool {
			return strings.Contains(e.name, "noindex") || strings.Contains(e.name, "canonical") // WordPress has neither
		})},
		{"attachments", seo.Options{Compat: seo.SpecLevel}, []string{attached}, attachments},
		{"many attachments", seo.Options{Compat: seo.SpecLevel, PageSize: 10_000},
			[]string{attached, strings.NewReplacer("'post', 'publish'", "'attachment', 'inherit'",
				"'', 0, 1001", "'', 9002, 1001").Replace(fmt.Sprintf(manyPosts, 2001))}, []edited{
				{"a post with many pictures", []string{sitemaptest.Revision(9002)}, 0, "2001 attachments of changed posts"},
				{"a post with few pictures", []string{sitemaptest.Revision(9001)}, 2, ""},
			}},
		{"a rule of URLs", seo.Options{Compat: seo.SpecLevel, Exclude: seo.Exclude{URLs: []*regexp.Regexp{regexp.MustCompile("/two/")}}}, nil,
			[]edited{
				{"a URL that is excluded", []string{setPost(9003, "post_name = 'two'"), setPost(9002, "post_name = 'free'"), sitemaptest.Revision(9002),
					sitemaptest.Revision(9003)}, 2, ""},
				{"the URLs below a page may be excluded", []string{setPost(9004, "post_name = 'two'"), sitemaptest.Revision(9004)}, 1,
					"the links of a tree decide"},
			}},
		{"redirects", seo.Options{Compat: seo.SpecLevel}, []string{sitemaptest.PlainRedirects("/two/", "/peak/below/", "/tag/wind/")}, []edited{
			{"a post gets a URL that redirects", []string{setPost(9003, "post_name = 'two'"), setPost(9002, "post_name = 'free'"),
				sitemaptest.Revision(9002),
				sitemaptest.Revision(9003)}, 2, ""},
			{"a page gets a URL that redirects, by another page", []string{setPost(9004, "post_name = 'peak'"), sitemaptest.Revision(9004)}, 1, ""},
			{"and another URL", []string{setPost(9004, "post_name = 'top'"), sitemaptest.Revision(9004)}, 1, ""},
		}},
		{"canonical URLs below a page", seo.Options{Compat: seo.SpecLevel, PageSize: 1},
			[]string{sitemaptest.MetaRow(9005, canonical, "https://small.test/peak/below/")}, []edited{
				{"the page gets the name that the canonical URL has", []string{setPost(9004, "post_name = 'peak'"), sitemaptest.Revision(9004)}, 1,
					""},
				{"and another name", []string{setPost(9004, "post_name = 'top'"), sitemaptest.Revision(9004)}, 1, ""},
			}},
		{"very many posts with settings", seo.Options{Compat: seo.SpecLevel},
			[]string{`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
			INSERT INTO wp_postmeta (post_id, meta_key, meta_value) SELECT 30000 + i, '` + noindex + `', '1' FROM n`}, []edited{
				{"noindex", []string{sitemaptest.MetaRow(9002, noindex, "1")}, 1, ""},
				{"noindex is deleted, and the post edited", []string{"DELETE FROM wp_postmeta WHERE post_id = 9002", sitemaptest.Revision(9002)}, 1, ""},
				{"a page is renamed", []string{setPost(9004, "post_name = 'peak'"), sitemaptest.Revision(9004)}, 1, "the links of a tree decide"},
			}},
		{"too much", seo.Options{Compat: seo.SpecLevel, PageSize: 10_000}, inMany, []edited{
			{"a term with very many posts loses its newest", []string{setPost(9001, "post_status = 'draft'"), countTerms}, 1, "lost their newest"},
			{"more posts changed than a delta reads", []string{"UPDATE wp_posts SET post_status = 'draft' WHERE ID BETWEEN 20001 AND 20501"}, 0,
				"more than 500 posts changed"},
			{"more new rows than a delta reads", []string{`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
				INSERT INTO wp_postmeta (post_id, meta_key, meta_value) SELECT 20000, 'x', '' FROM n`}, 0, "more than 500 new rows"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, editedSite...)
			wptest.Exec(t, dsn, tt.sql...)
			book := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
			tt.opt.Keep, tt.opt.Now = true, sitemaptest.ClockAt(time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC))
			catalog := sitemaptest.Build(t, book, tt.opt)
			before := bodies(t, catalog)
			for _, e := range tt.edits {
				wptest.Exec(t, dsn, e.sql...)
				delta, touched, err := catalog.Delta(t.Context(), nil)
				built := sitemaptest.Build(t, book, tt.opt)
				if e.declined != "" {
					if !errors.Is(err, rows.ErrDeclined) || !strings.Contains(err.Error(), e.declined) {
						t.Errorf("%s: %v, want one with %q", e.name, err, e.declined)
					}
					catalog, before = built, bodies(t, built)
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", e.name, err)
				}
				expect.Equal(t, touched, e.touched, e.name, "touched")
				now := bodies(t, delta)
				expect.Same(t, bodies(t, built), now, e.name, "build (-) and delta (+) differ")
				expect.Same(t, built.LeftOut, delta.LeftOut, e.name, "left out")
				samePrints(t, e.name, catalog, delta, before, now)
				catalog, before = delta, now
			}
		})
	}
}

// samePrints reports an error if a page with other bytes has the fingerprint that it had before.
func samePrints(t *testing.T, name string, was, is *sitemap.Catalog, before, now map[string]string) {
	t.Helper()
	for _, f := range is.Files() {
		old, had := before[f.Filename]
		if had && old != now[f.Filename] && f.Name != seo.IndexName && was.Fingerprint(f.Name, f.Page) == is.Fingerprint(f.Name, f.Page) {
			t.Errorf("%s: %s keeps its fingerprint", name, f.Filename)
		}
	}
}

// A delta knows when the next scheduled post becomes due. It looks again if another post was scheduled, or if the time has come.
func TestDeltaOfScheduledPosts(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, sitemaptest.SetOption("gmt_offset", "2"))
	now := time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)
	c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}),
		seo.Options{Compat: seo.SpecLevel, Keep: true, Now: func() time.Time { return now }})
	future := func(id int, date string) string {
		return sitemaptest.Insert(sitemaptest.Row{ID: id, Name: fmt.Sprint("later-", id), Status: "future", Date: date})
	}
	for _, tt := range []struct{ name, sql, now, due string }{
		{"none", "", "2024-06-01T00:00:00Z", ""},
		{"one", future(9001, "2024-06-20 10:00:00"), "2024-06-01T00:00:00Z", "2024-06-20T08:00:00Z"},
		{"a sooner one", future(9002, "2024-06-10 10:00:00"), "2024-06-01T00:00:00Z", "2024-06-10T08:00:00Z"},
		{"a later one", future(9003, "2024-06-30 10:00:00"), "2024-06-01T00:00:00Z", "2024-06-10T08:00:00Z"},
		{"one of a type without a sitemap", "UPDATE wp_posts SET post_type = 'revision' WHERE ID = 9003", "2024-06-01T00:00:00Z",
			"2024-06-10T08:00:00Z"},
		{"the first is due", "UPDATE wp_posts SET post_status = 'publish' WHERE ID = 9002", "2024-06-10T08:00:00Z", "2024-06-20T08:00:00Z"},
		{"all are due", "", "2024-06-20T08:00:00Z", ""},
	} {
		var err error
		if now, err = time.Parse(time.RFC3339, tt.now); err != nil {
			t.Fatal(err)
		}
		wptest.Exec(t, dsn, tt.sql)
		if c, _, err = c.Delta(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		got := ""
		if at, ok := c.Due(); ok {
			got = time.Unix(at, 0).UTC().Format(time.RFC3339)
		}
		expect.Equal(t, got, tt.due, tt.name)
	}
}

// A catalog without Keep takes no delta.
func TestDeltaWithoutRows(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel})
	if _, _, err := c.Delta(t.Context(), nil); !errors.Is(err, rows.ErrDeclined) {
		t.Errorf("%v, want ErrDeclined", err)
	}
}
