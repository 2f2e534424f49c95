package sitemap

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// seopressLists is the option of SEOPress' sitemaps: pages and posts, tags and categories, authors, images.
const seopressLists = `a:5:{s:35:"seopress_xml_sitemap_general_enable";s:1:"1";` +
	`s:31:"seopress_xml_sitemap_img_enable";s:1:"1";` +
	`s:34:"seopress_xml_sitemap_author_enable";s:1:"1";` +
	`s:36:"seopress_xml_sitemap_post_types_list";a:2:{s:4:"page";a:1:{s:7:"include";s:1:"1";}s:4:"post";a:1:{s:7:"include";s:1:"1";}}` +
	`s:36:"seopress_xml_sitemap_taxonomies_list";a:2:{s:8:"post_tag";a:1:{s:7:"include";s:1:"1";}s:8:"category";a:1:{s:7:"include";s:1:"1";}}}`

// seopressSite is a site with SEOPress, over small: boxes of posts and terms, each in every form that the plugin or a hand may
// have stored. The names of the posts say which rule each is there for.
var seopressSite = []string{
	`REPLACE INTO wp_options (option_name, option_value, autoload) VALUES
		('active_plugins', 'a:1:{i:0;s:24:"wp-seopress/seopress.php";}', 'on'),
		('seopress_toggle', 'a:2:{s:18:"toggle-xml-sitemap";s:1:"1";s:15:"toggle-advanced";s:1:"1";}', 'on'),
		('seopress_xml_sitemap_option_name', '` + seopressLists + `', 'on'),
		('seopress_titles_option_name', 'a:1:{s:29:"seopress_titles_single_titles";a:1:{s:4:"page";a:1:{s:7:"noindex";s:1:"1";}}}', 'on')`,
	`INSERT INTO wp_users (ID, user_login, user_pass, user_nicename, user_email, display_name) VALUES
		(1001, 'ann', '!', 'ann', 'ann@small.test', 'Ann'), (1002, 'bo', '!', 'bo', 'bo@small.test', 'Bo')`,
	`INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type,
		post_name, post_title, post_parent, post_password, post_content) VALUES
		(1001, 1001, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-02-01 11:00:00', '2024-02-01 10:00:00', 'publish', 'post',
		'plain', 'Plain', 0, '', ''),
		(1002, 1001, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-02-02 11:00:00', '2024-02-02 10:00:00', 'publish', 'post',
		'noindex', 'Noindex', 0, '', ''),
		(1003, 1001, '2024-01-03 11:00:00', '2024-01-03 10:00:00', '2024-02-03 11:00:00', '2024-02-03 10:00:00', 'publish', 'post',
		'noindex-of-another-kind', 'Stored by hand', 0, '', ''),
		(1004, 1001, '2024-01-04 11:00:00', '2024-01-04 10:00:00', '2024-02-04 11:00:00', '2024-02-04 10:00:00', 'publish', 'post',
		'canonical-elsewhere', 'Elsewhere', 0, '', ''),
		(1005, 1001, '2024-01-05 11:00:00', '2024-01-05 10:00:00', '2024-02-05 11:00:00', '2024-02-05 10:00:00', 'publish', 'post',
		'canonical-own', 'Own', 0, '', ''),
		(1006, 1002, '2024-01-06 11:00:00', '2024-01-06 10:00:00', '2024-02-06 11:00:00', '2024-02-06 10:00:00', 'publish', 'post',
		'locked', 'Locked', 0, 'secret', ''),
		(1007, 1001, '2024-01-07 11:00:00', '2024-01-07 10:00:00', '2024-02-07 11:00:00', '2024-02-07 10:00:00', 'publish', 'post',
		'caf%c3%a9', 'Canonical decoded', 0, '', ''),
		(1008, 1001, '2024-01-08 11:00:00', '2024-01-08 10:00:00', '2024-02-08 11:00:00', '2024-02-08 10:00:00', 'publish', 'post',
		'canonical-null', 'NULL', 0, '', ''),
		(1011, 1001, '2024-01-09 11:00:00', '2024-01-09 10:00:00', '2024-02-09 11:00:00', '2024-02-09 10:00:00', 'publish', 'page',
		'in-a-noindexed-type', 'Its type is noindexed', 0, '', '')`,
	`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES
		(1002, '_seopress_robots_index', 'yes'), (1003, '_seopress_robots_index', '1'),
		(1004, '_seopress_robots_canonical', 'https://elsewhere.test/'), (1005, '_seopress_robots_canonical',
		'https://small.test/canonical-own/'),
		(1007, '_seopress_robots_canonical', 'https://small.test/café/'), (1008, '_seopress_robots_canonical', NULL), (1008,
		'_seopress_robots_index', NULL)`,
	`INSERT INTO wp_terms (term_id, name, slug) VALUES (1021, 'Plain', 'plain-term'), (1022, 'Noindex', 'noindex-term'), (1023,
		'Elsewhere', 'elsewhere-term')`,
	`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
		(1021, 1021, 'category', '', 0, 1), (1022, 1022, 'category', '', 0, 1), (1023, 1023, 'post_tag', '', 0, 1)`,
	`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1001, 1021), (1001, 1022), (1001, 1023)`,
	`INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES
		(1022, '_seopress_robots_index', 'anything'), (1023, '_seopress_robots_canonical', 'https://elsewhere.test/'), (1021,
		'_seopress_robots_index', '0')`,
}

// pathsIn returns the addresses of a sitemap, without home, in order.
func pathsIn(t *testing.T, c *Catalog, name string) []string {
	t.Helper()
	var paths []string
	for _, e := range parse(t, mustRender(t, c, name, 1).Body).Entries {
		paths = append(paths, strings.TrimPrefix(e.Loc, c.Site().Home()))
	}
	slices.Sort(paths)
	return paths
}

// What SEOPress stores of posts and terms decides; its noindex of a whole type does not.
func TestSEOPressDecides(t *testing.T) {
	t.Parallel()
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		t.Parallel()
		dsn := wptest.Load(t, e, "small")
		wptest.Exec(t, dsn, seopressSite...)
		c := mustBuild(t, openSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel})
		if c.Plugin() != "SEOPress" || !c.Active() {
			t.Fatalf("%s, active %t: %s", c.Plugin(), c.Active(), c.Whose.Why())
		}
		want := map[string][]string{
			"post":     {"/", "/caf%c3%a9/", "/canonical-null/", "/canonical-own/", "/noindex-of-another-kind/", "/plain/"},
			"page":     {"/in-a-noindexed-type/"},
			"category": {"/category/plain-term/"},
			"author":   {"/author/ann/", "/author/bo/"}, // whose one post is locked,
		}
		got := map[string][]string{}
		for name := range want {
			got[name] = pathsIn(t, c, name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
	})
}
