package wpcore_test

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/wp/wptest/expect"
)

// robots.txt of WordPress forbids wp-admin below the folder of WordPress, but not the file that themes and plugins call. WooCommerce
// forbids its folders of uploads, too.
func TestRobots(t *testing.T) {
	t.Parallel()
	const shop = "Disallow: /wp/wp-content/uploads/wc-logs/\nDisallow: /wp/wp-content/uploads/woocommerce_transient_files/\n" +
		"Disallow: /wp/wp-content/uploads/woocommerce_uploads/\n"
	for _, tt := range []struct {
		siteurl string
		plugins []string
		want    string
	}{
		{"https://small.test", nil, "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n"},
		{"https://small.test/wp/", nil, "User-agent: *\nDisallow: /wp/wp-admin/\nAllow: /wp/wp-admin/admin-ajax.php\n"},
		{"https://small.test/wp", []string{"woocommerce/woocommerce.php"}, "User-agent: *\n" + shop +
			"Disallow: /wp/wp-admin/\nAllow: /wp/wp-admin/admin-ajax.php\n"},
		{"https://small.test/%zz", nil, "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n"},
	} {
		c := sitemaptest.Of(t, "small small-core", seo.Options{Compat: seo.SpecLevel}, sitemaptest.SetOption("siteurl", tt.siteurl),
			sitemaptest.Activate(tt.plugins...))
		expect.Equal(t, wpcore.Robots(c.Rules.Blog), tt.want, tt.siteurl)
	}
}

// Terms, authors and the index have no dates. Home is listed before the pages if it shows the latest posts, with the date of the newest of
// these: the number of posts_per_page, and sticky ones.
func TestDatesOfCore(t *testing.T) {
	t.Parallel()
	post := func(id int, name, date, changed string) string {
		return sitemaptest.Insert(sitemaptest.Row{ID: id, Name: name, Date: date}) + "; UPDATE wp_posts SET post_modified_gmt = '" + changed +
			"' WHERE ID = " + fmt.Sprint(id)
	}
	site := []string{"DELETE FROM wp_posts", sitemaptest.SetOption("show_on_front", "posts"),
		post(1, "first", "2024-01-01 10:00:00", "2024-06-01 10:00:00"), post(2, "second", "2024-02-01 10:00:00", "2024-05-01 10:00:00"),
		post(3, "third", "2024-03-01 10:00:00", "2024-04-01 10:00:00"),
		sitemaptest.Insert(sitemaptest.Row{ID: 4, Type: "page", Name: "a-page"})}
	for _, tt := range []struct {
		rule string
		sql  []string
		home string // the first entry of the pages
	}{
		{"the latest post", []string{sitemaptest.SetOption("posts_per_page", "1")}, "https://small.test/ 2024-04-01T06:30:00-03:30"},
		{"the two latest posts", []string{sitemaptest.SetOption("posts_per_page", "2")}, "https://small.test/ 2024-05-01T06:30:00-03:30"},
		{"all posts", []string{sitemaptest.SetOption("posts_per_page", "-1")}, "https://small.test/ 2024-06-01T06:30:00-03:30"},
		{"a sticky post", []string{sitemaptest.SetOption("posts_per_page", "1"), sitemaptest.SetOption("sticky_posts", sitemaptest.Array(0, 1))},
			"https://small.test/ 2024-06-01T06:30:00-03:30"},
		{"a sticky post that is a draft", []string{sitemaptest.SetOption("posts_per_page", "1"),
			sitemaptest.SetOption("sticky_posts", sitemaptest.Array(0, 1)),
			"UPDATE wp_posts SET post_status = 'draft' WHERE ID = 1"}, "https://small.test/ 2024-04-01T06:30:00-03:30"},
		{"before 6.5, no date", []string{sitemaptest.SetOption("db_version", "56657")}, "https://small.test/ "},
		{"a static front page", []string{sitemaptest.SetOption("show_on_front", "page")}, "https://small.test/a-page/ 2024-01-01T06:30:00-03:30"},
	} {
		for _, level := range sitemaptest.Levels {
			c := sitemaptest.Of(t, "small small-core", seo.Options{Compat: level}, append(append([]string{}, site...), tt.sql...)...)
			line, _, _ := strings.Cut(sitemaptest.Parse(t, sitemaptest.Render(t, c, "posts-page", 1).Body).String(), "\n")
			expect.Equal(t, line, tt.home, tt.rule, level)
			for _, name := range []string{seo.IndexName, "taxonomies-category", "users"} {
				if c.List(name) == nil && name != seo.IndexName || name != seo.IndexName && !c.List(name).Indexed {
					continue
				}
				body := string(sitemaptest.Render(t, c, name, 1).Body)
				expect.Equal(t, strings.Contains(body, "lastmod") || strings.Contains(body, "image:"), false, tt.rule, name)
			}
		}
	}
}

// The index names a list of posts if it has entries, also if home is the only one.
func TestIndexOfCore(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule string
		sql  []string
		want string
	}{
		{"nothing but home", []string{"DELETE FROM wp_posts", "DELETE FROM wp_term_taxonomy"}, "wp-sitemap-posts-page-1.xml"},
		{"nothing", []string{"DELETE FROM wp_posts", "DELETE FROM wp_term_taxonomy", sitemaptest.SetOption("show_on_front", "page")}, ""},
		{"before 6.1, sticky posts alone", []string{"DELETE FROM wp_posts", "DELETE FROM wp_term_taxonomy",
			sitemaptest.SetOption("show_on_front", "page"),
			sitemaptest.SetOption("db_version", "51917"), sitemaptest.SetOption("sticky_posts", sitemaptest.Array(0, 9001)),
			sitemaptest.Insert(sitemaptest.Row{ID: 9001, Name: "sticky", Author: 1001})}, "wp-sitemap-posts-post-1.xml wp-sitemap-users-1.xml"},
	} {
		for _, level := range sitemaptest.Levels {
			c := sitemaptest.Of(t, "small small-core", seo.Options{Compat: level}, tt.sql...)
			var names []string
			for _, e := range sitemaptest.Parse(t, sitemaptest.Render(t, c, seo.IndexName, 1).Body).Entries {
				names = append(names, strings.TrimPrefix(e.Loc, "https://small.test/"))
			}
			expect.Equal(t, strings.Join(names, " "), tt.want, tt.rule, level)
		}
	}
}
