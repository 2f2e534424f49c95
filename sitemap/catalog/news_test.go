package catalog_test

import (
	"fmt"
	"slices"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// announceSite has posts 1 to 4, pages 11 and 12 (12 is below 11), categories with posts, and an
// author.
var announceSite = []string{
	`INSERT INTO wp_users (ID, user_login, user_nicename, display_name) VALUES (7, 'ann', 'ann', 'Ann'), (8, 'bob', 'bob', 'Bob')`,
	`INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (7, '_yoast_wpseo_profile_updated', '1700000000'),
(8, '_yoast_wpseo_profile_updated', '1700000000')`,
	announcePost(1, "post", "first", "2026-01-01 10:00:00", 0), announcePost(2, "post", "second", "2026-01-02 10:00:00", 0),
	announcePost(3, "post", "third", "2026-01-03 10:00:00", 0), announcePost(4, "post", "fourth", "2026-01-04 10:00:00", 0),
	announcePost(11, "page", "about", "2026-01-01 10:00:00", 0), announcePost(12, "page", "team", "2026-01-01 10:00:00", 11),
	`INSERT INTO wp_terms (term_id, name, slug) VALUES (21, 'Fruit', 'fruit'), (22, 'Apples', 'apples'), (23, 'Pears', 'pears')`,
	`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
(21, 21, 'category', '', 0, 2), (22, 22, 'category', '', 21, 1), (23, 23, 'post_tag', '', 0, 1)`,
	`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1, 21), (2, 21), (3, 22), (4, 23)`,
	`UPDATE wp_posts SET post_author = 7`,
}

func announcePost(id int, kind, name, date string, parent int) string {
	return sitemaptest.Insert(sitemaptest.Row{ID: id, Type: kind, Name: name, Date: date, Parent: parent, Author: 7, Title: "T"})
}

func public(value string) string { return sitemaptest.SetOption("blog_public", value) }

func touch(id int64, date string) string {
	return fmt.Sprintf("UPDATE wp_posts SET post_modified = '%s', post_modified_gmt = '%[1]s' WHERE ID = %d", date, id)
}

func trash(id int64) string {
	return fmt.Sprintf("UPDATE wp_posts SET post_status = 'trash', post_name = post_name || '__trashed' WHERE ID = %d", id)
}

const (
	may    = "2026-05-01 10:00:00"
	noMeta = "_yoast_wpseo_meta-robots-noindex"
)

// Added, redated and deleted objects are news. Objects that a rule excludes are not.
func TestNews(t *testing.T) {
	home := func(paths ...string) []string {
		urls := []string{}
		for _, p := range paths {
			urls = append(urls, "https://small.test"+p)
		}
		slices.Sort(urls)
		return urls
	}
	for _, tt := range []struct {
		name   string
		change []string
		want   []string
	}{
		{name: "nothing", want: home()},
		{name: "a new post changes what lists it", change: []string{announcePost(5, "post", "fifth", may, 0)}, want: home("/", "/fifth/", "/author/ann/")},
		{name: "an edited post, too", change: []string{touch(1, may)}, want: home("/", "/first/", "/author/ann/", "/category/fruit/")},
		{name: "an edited page stands alone", change: []string{touch(11, may)}, want: home("/about/")},
		{
			name:   "a page's parts are told with it",
			change: []string{touch(11, may), "UPDATE wp_posts SET post_content = '<p>a</p><!--nextpage--><p>b</p>' WHERE ID = 11"},
			want:   home("/about/", "/about/2/"),
		},
		{name: "trashed: by the address it had", change: []string{trash(1)}, want: home("/first/")},
		{name: "trashed, with its slug remembered", change: []string{trash(1), sitemaptest.MetaRow(1, "_wp_desired_post_slug", "the-first")}, want: home("/the-first/")},
		{name: "trashed with the page above it", change: []string{trash(11), trash(12)}, want: home("/about/", "/about/team/")},
		{name: "unpublished", change: []string{"UPDATE wp_posts SET post_status = 'draft' WHERE ID = 1"}, want: home("/first/")},
		{
			name:   "unpublished, and the newest of its term, which is dated by another now",
			change: []string{"UPDATE wp_posts SET post_status = 'draft' WHERE ID = 2"}, want: home("/second/", "/category/fruit/"),
		},
		{name: "made private", change: []string{"UPDATE wp_posts SET post_status = 'private' WHERE ID = 1"}, want: home("/first/")},
		{name: "deleted: nothing is left to tell it by", change: []string{"DELETE FROM wp_posts WHERE ID = 1"}, want: home()},
		{name: "noindexed is not told", change: []string{sitemaptest.MetaRow(2, noMeta, "1")}, want: home()},
		{name: "noindexed in an edit", change: []string{sitemaptest.MetaRow(11, noMeta, "1"), touch(11, may)}, want: home()},
		{name: "canonical elsewhere", change: []string{sitemaptest.MetaRow(11, "_yoast_wpseo_canonical", "https://other.test/"), touch(11, may)}, want: home()},
		{name: "protected by a password", change: []string{"UPDATE wp_posts SET post_password = 'x' WHERE ID = 11", touch(11, may)}, want: home()},
		{name: "new and noindexed", change: []string{announcePost(5, "page", "hidden", may, 0), sitemaptest.MetaRow(5, noMeta, "1")}, want: home()},
		{
			name:   "a deleted term leaves no address",
			change: []string{"DELETE FROM wp_terms WHERE term_id = 22", "DELETE FROM wp_term_taxonomy WHERE term_id = 22"}, want: home(),
		},
		{name: "a new term", change: []string{"INSERT INTO wp_terms (term_id, name, slug) VALUES (24, 'Plums', 'plums')",
			"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (24, 24, 'post_tag', '', 0, 1)",
			"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1, 24)"}, want: home("/tag/plums/")},
		{name: "the last post of its type", change: []string{trash(11), "DELETE FROM wp_posts WHERE ID = 12"}, want: home("/about/")},
		{name: "unpublished, where Yoast has stored a link by its id", change: []string{"UPDATE wp_posts SET post_status = 'draft' WHERE ID = 1",
			"DELETE FROM wp_yoast_indexable WHERE object_id = 1", "INSERT INTO wp_yoast_indexable (object_id, object_type, object_sub_type, permalink, post_status) " +
				"VALUES (1, 'post', 'post', 'https://small.test/?p=1', 'draft')"}, want: home("/first/")},
		{name: "a noindexed term is not told", change: []string{
			sitemaptest.SetOption("wpseo_taxonomy_meta", `a:1:{s:8:"category";a:1:{i:22;a:1:{s:13:"wpseo_noindex";s:7:"noindex";}}}`)}, want: home()},
		{name: "nor a taxonomy switched off", change: []string{sitemaptest.SetOption("wpseo_titles", `a:1:{s:20:"noindex-tax-category";b:1;}`)}, want: home()},
		{name: "nor a post type", change: []string{sitemaptest.SetOption("wpseo_titles", `a:1:{s:12:"noindex-page";b:1;}`)}, want: home()},
		{name: "nor a site that hides", change: []string{public("0")}, want: home()},
		{name: "nor a noindexed author", change: []string{"INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (7, 'wpseo_noindex_author', 'on')"}, want: home()},
		{name: "a new author", change: []string{"UPDATE wp_posts SET post_author = 8"}, want: home("/author/bob/")},
		{name: "other permalinks move every post", change: []string{sitemaptest.SetOption("permalink_structure", "/%post_id%/")},
			want: home("/", "/1/", "/2/", "/3/", "/4/", "/about/", "/about/team/", "/author/ann/", "/category/fruit/", "/category/fruit/apples/", "/tag/pears/")},
		{name: "an address that has to be encoded", change: []string{announcePost(5, "page", "caffè", may, 0)}, want: home("/caff%C3%A8/")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				dsn := wptest.Load(t, e, "small")
				wptest.Exec(t, dsn, announceSite...)
				known := specOf(t, dsn)
				wptest.Exec(t, dsn, tt.change...)
				c := specOf(t, dsn)
				news := newsOf(t, c, known, 0, 100)
				slices.Sort(news.URLs)
				expect.Same(t, tt.want, append([]string{}, news.URLs...))
				if again := newsOf(t, c, c, 0, 100); len(again.URLs)+news.Left > 0 {
					t.Errorf("told twice: %+v", again)
				}
			})
		})
	}
}

// specOf returns the catalog at level spec.
func specOf(t *testing.T, dsn string) *sitemap.Catalog {
	return sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel})
}

func newsOf(t *testing.T, c, known *sitemap.Catalog, since int64, limit int) catalog.News {
	t.Helper()
	if known == nil {
		known = new(sitemap.Catalog)
	}
	news, err := c.News(t.Context(), known.Catalog, since, limit)
	wptest.Must(t, err)
	return news
}

// After a restart, everything dated later than the last announcement is news, the newest first, up to
// a limit.
func TestNewsSince(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, announceSite...)
	c := specOf(t, dsn)
	expect.Same(t, catalog.News{}, newsOf(t, c, nil, c.Newest(), 100))
	newest := c.Newest()
	wptest.Exec(t, dsn, touch(11, may), touch(12, "2026-05-02 10:00:00"))
	c = specOf(t, dsn)
	expect.List(t, newsOf(t, c, nil, newest, 100).URLs, []string{"https://small.test/about/team/", "https://small.test/about/"})
	expect.Same(t, catalog.News{URLs: []string{"https://small.test/about/team/"}, Left: 1}, newsOf(t, c, nil, newest, 1))
}

// The launch of a site is news. A copy for tests announces nothing, even at level plugin, where its
// sitemaps list what the plugin lists.
func TestWhatMayBeTold(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, announceSite...)
	for _, level := range sitemaptest.Levels {
		for environment, want := range map[string]bool{"production": true, "": true, "staging": false} {
			c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Environment: environment}), seo.Options{Compat: level})
			expect.Equal(t, c.Tells(), want, level, environment)
		}
	}
	wptest.Exec(t, dsn, public("0"))
	before := specOf(t, dsn)
	wptest.Exec(t, dsn, public("1"))
	now := specOf(t, dsn)
	if before.Tells() || !now.Tells() {
		t.Error("a private site tells, or a public one does not")
	}
	expect.Equal(t, len(newsOf(t, now, before, 0, 100).URLs), 11)
}
