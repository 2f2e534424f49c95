package ledger_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/ledger"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// announceSite has posts 1 to 4, pages 11 and 12 below it, a category with two posts and one
// with one below it, and an author.
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

func TestCompare(t *testing.T) {
	home := func(paths ...string) []string {
		urls := []string{}
		for _, p := range paths {
			urls = append(urls, "https://small.test"+p)
		}
		slices.Sort(urls)
		return urls
	}
	for _, tt := range []struct {
		name    string
		change  []string
		want    []string
		unknown int
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
		{name: "deleted: nothing is left to tell it by", change: []string{"DELETE FROM wp_posts WHERE ID = 1"}, want: home(), unknown: 1},
		{name: "noindexed is not told", change: []string{sitemaptest.MetaRow(2, noMeta, "1")}, want: home()},
		{name: "noindexed in an edit", change: []string{sitemaptest.MetaRow(11, noMeta, "1"), touch(11, may)}, want: home()},
		{name: "canonical elsewhere", change: []string{sitemaptest.MetaRow(11, "_yoast_wpseo_canonical", "https://other.test/"), touch(11, may)}, want: home()},
		{name: "protected by a password", change: []string{"UPDATE wp_posts SET post_password = 'x' WHERE ID = 11", touch(11, may)}, want: home()},
		{name: "new and noindexed", change: []string{announcePost(5, "page", "hidden", may, 0), sitemaptest.MetaRow(5, noMeta, "1")}, want: home()},
		{name: "a term's name", change: []string{"UPDATE wp_terms SET name = 'Fruits' WHERE term_id = 21"}, want: home("/category/fruit/")},
		{name: "a term's slug moves it and those below", change: []string{"UPDATE wp_terms SET slug = 'fruits' WHERE term_id = 21"},
			want: home("/category/fruit/", "/category/fruits/", "/category/fruit/apples/", "/category/fruits/apples/")},
		{
			name:   "a deleted term",
			change: []string{"DELETE FROM wp_terms WHERE term_id = 22", "DELETE FROM wp_term_taxonomy WHERE term_id = 22"},
			want:   home("/category/fruit/apples/"),
		},
		{
			name:   "the only term of its taxonomy",
			change: []string{"DELETE FROM wp_terms WHERE term_id = 23", "DELETE FROM wp_term_taxonomy WHERE term_id = 23"},
			want:   home("/tag/pears/"),
		},
		{name: "a noindexed term is not told", change: []string{
			sitemaptest.SetOption("wpseo_taxonomy_meta", `a:1:{s:8:"category";a:1:{i:22;a:1:{s:13:"wpseo_noindex";s:7:"noindex";}}}`)}, want: home()},
		{name: "nor a taxonomy switched off", change: []string{sitemaptest.SetOption("wpseo_titles", `a:1:{s:20:"noindex-tax-category";b:1;}`)}, want: home()},
		{name: "nor a post type", change: []string{sitemaptest.SetOption("wpseo_titles", `a:1:{s:12:"noindex-page";b:1;}`)}, want: home()},
		{name: "nor a site that hides", change: []string{public("0")}, want: home()},
		{name: "nor a noindexed author", change: []string{"INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (7, 'wpseo_noindex_author', 'on')"}, want: home()},
		{name: "an author's address", change: []string{"UPDATE wp_users SET user_nicename = 'anne' WHERE ID = 7"}, want: home("/author/ann/", "/author/anne/")},
		{name: "an author's name", change: []string{"UPDATE wp_users SET display_name = 'Anne' WHERE ID = 7"}, want: home("/author/ann/")},
		{name: "a new author, and one without posts", change: []string{"UPDATE wp_posts SET post_author = 8"}, want: home("/author/ann/", "/author/bob/")},
		{name: "other permalinks move every post", change: []string{sitemaptest.SetOption("permalink_structure", "/%post_id%/")},
			want: home("/1/", "/2/", "/3/", "/4/", "/about/", "/about/team/")},
		{name: "an address that has to be encoded", change: []string{announcePost(5, "page", "caffè", may, 0)}, want: home("/caff%C3%A8/")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				dsn := wptest.Load(t, e, "small")
				wptest.Exec(t, dsn, announceSite...)
				known, news := compare(t, specOf(t, dsn), nil, 100)
				if len(news.URLs) > 0 {
					t.Fatalf("at first something is news: %q", news.URLs)
				}
				expect.Equal(t, known.Objects(), 4+2+1+3+1, "objects are known")
				wptest.Exec(t, dsn, tt.change...)
				c := specOf(t, dsn)
				next, news := compare(t, c, known, 100)
				slices.Sort(news.URLs)
				expect.Same(t, tt.want, append([]string{}, news.URLs...))
				if news.Unknown != tt.unknown || news.Left != 0 {
					t.Errorf("%+v", news)
				}
				if _, again := compare(t, c, next, 100); len(again.URLs) > 0 || again.Unknown > 0 {
					t.Errorf("told twice: %+v", again)
				}
			})
		})
	}
}

// specOf returns the catalog of level spec.
func specOf(t *testing.T, dsn string) *sitemap.Catalog {
	return sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel})
}

// compare compares, with the ledger gone through its form on disk.
func compare(t *testing.T, c *sitemap.Catalog, known *ledger.Ledger, limit int) (*ledger.Ledger, ledger.News) {
	t.Helper()
	next, news, err := c.Compare(t.Context(), known, limit)
	wptest.Must(t, err)
	text, err := json.Marshal(next)
	wptest.Must(t, err)
	back := new(ledger.Ledger)
	wptest.Must(t, json.Unmarshal(text, back))
	return back, news
}

// What was switched off for a while is not told again when it is back, unless it has changed.
func TestCompareWhatComesBack(t *testing.T) {
	option := func(name, key string, on int) string {
		return sitemaptest.SetOption(name, fmt.Sprintf(`a:1:{s:%d:"%s";b:%d;}`, len(key), key, on))
	}
	for _, tt := range []struct{ name, off, back string }{
		{"a site that hid", public("0"), public("1")},
		{"a taxonomy", option("wpseo_titles", "noindex-tax-category", 1), option("wpseo_titles", "noindex-tax-category", 0)},
		{"a post type", option("wpseo_titles", "noindex-page", 1), option("wpseo_titles", "noindex-page", 0)},
		{"the authors", option("wpseo_titles", "disable-author", 1), option("wpseo_titles", "disable-author", 0)},
		{"sitemaps of any kind", option("wpseo", "enable_xml_sitemap", 0) + ";" + public("0"), option("wpseo", "enable_xml_sitemap", 1) + ";" + public("1")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, announceSite...)
			known, _ := compare(t, specOf(t, dsn), nil, 100)
			wptest.Exec(t, dsn, tt.off)
			known, news := compare(t, specOf(t, dsn), known, 100)
			if len(news.URLs) > 0 {
				t.Errorf("told while off: %q", news.URLs)
			}
			wptest.Exec(t, dsn, tt.back, touch(12, may))
			_, news = compare(t, specOf(t, dsn), known, 100)
			expect.Same(t, []string{"https://small.test/about/team/"}, news.URLs)
		})
	}
}

// A site's launch is news; Yoast's going away for a while is not.
func TestCompareLaunchAndUpdate(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, announceSite...)
	wptest.Exec(t, dsn, public("0"))
	known, _ := compare(t, specOf(t, dsn), nil, 100)
	wptest.Exec(t, dsn, public("1"))
	known, news := compare(t, specOf(t, dsn), known, 100)
	expect.Equal(t, len(news.URLs), 11, news)
	expect.Equal(t, news.New, 11, news)
	wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = 'a:0:{}' WHERE option_name = 'active_plugins'")
	c := specOf(t, dsn)
	if c.Whose.Plugin() != &wpcore.Plugin {
		t.Fatal("WordPress' own sitemaps are not there")
	}
	known, news = compare(t, c, known, 100)
	if len(news.URLs) > 0 {
		t.Errorf("told while Yoast is off: %q", news.URLs)
	}
	wptest.Exec(t, dsn, touch(11, may))
	known, news = compare(t, specOf(t, dsn), known, 100)
	expect.List(t, news.URLs, []string{"https://small.test/about/"}, "WordPress' own sitemaps tell")
	wptest.Exec(t, dsn, `UPDATE wp_options SET option_value = 'a:1:{i:0;s:24:"wordpress-seo/wp-seo.php";}' WHERE option_name = 'active_plugins'`)
	if _, news = compare(t, specOf(t, dsn), known, 100); len(news.URLs) > 0 {
		t.Errorf("told when Yoast is back: %q", news.URLs)
	}
}

// Where much has changed it is told in parts, the newest first, each address once.
func TestCompareInParts(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	var rows []string
	const posts = 100
	for i := range posts {
		rows = append(rows, announcePost(100+i, "page", fmt.Sprint("p-", i), fmt.Sprintf("2026-01-01 10:%02d:%02d", i/60, i%60), 0))
	}
	wptest.Exec(t, dsn, rows...)
	known, _ := compare(t, specOf(t, dsn), nil, 1)
	wptest.Exec(t, dsn, "UPDATE wp_options SET option_value = '/blog/%post_id%' WHERE option_name = 'permalink_structure'",
		trash(150), announcePost(500, "page", "new", may, 0))
	c := specOf(t, dsn)
	told := map[string]int{}
	parts := 0
	for more := true; more; parts++ {
		var news ledger.News
		known, news = compare(t, c, known, 30)
		if len(news.URLs) > 30 || parts > 10 {
			t.Fatalf("%d addresses in part %d", len(news.URLs), parts)
		}
		if parts == 0 && news.URLs[0] != "https://small.test/new" {
			t.Errorf("the first is %s, not the newest", news.URLs[0])
		}
		for _, u := range news.URLs {
			told[u]++
		}
		more = news.Left > 0
	}
	expect.Equal(t, len(told), posts+1)
	expect.Equal(t, parts, 4)
	for u, n := range told {
		if n != 1 || !strings.HasPrefix(u, "https://small.test/") {
			t.Errorf("%s was told %d times", u, n)
		}
	}
}

// A copy for tests announces nothing, at level plugin neither, where its sitemaps list what the plugin lists.
func TestCompareOutsideProduction(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, announceSite...)
	for _, level := range []seo.Level{seo.SpecLevel, seo.PluginLevel} {
		build := func(environment string) *sitemap.Catalog {
			return sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Environment: environment}), seo.Options{Compat: level})
		}
		known, _ := compare(t, build("production"), nil, 100)
		wptest.Exec(t, dsn, touch(1, may))
		if _, news := compare(t, build("staging"), known, 100); len(news.URLs) > 0 {
			t.Errorf("level %s announces %q", level, news.URLs)
		}
		if _, news := compare(t, build(""), known, 100); len(news.URLs) == 0 {
			t.Errorf("level %s announces nothing in production", level)
		}
		wptest.Exec(t, dsn, touch(1, "2026-01-01 10:00:00"))
	}
}
