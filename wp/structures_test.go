package wp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
)

// What is wanted was printed by WordPress 7.0.4 with Custom Post Type Permalinks 3.5.5 for the same rows.
func TestStructuresOfPostTypes(t *testing.T) {
	text := func(s string) string { return fmt.Sprintf(`s:%d:"%s";`, len(s), s) }
	option := func(name, value string) string {
		return fmt.Sprintf("REPLACE INTO wp_options (option_name, option_value) VALUES ('%s', '%s')", name, value)
	}
	rules := text("(book)/(.+?)(?:/([0-9]+))?/?$") + text("index.php?post_type=book&slug=$matches[1]&book=$matches[2]&page=$matches[3]") +
		text("shelf/(.+?)/?$") + text("index.php?shelf=$matches[1]")
	seed := []string{
		option("permalink_structure", "/%postname%/"), option("home", "https://a.test"),
		option("active_plugins", "a:1:{i:0;"+text("custom-post-type-permalinks/custom-post-type-permalinks.php")+"}"),
		option("rewrite_rules", "a:2:{"+rules+"}"),
		"REPLACE INTO wp_users (ID, user_login, user_nicename, user_email, display_name) VALUES (1, 'admin', 'admin', '', '')", "DELETE FROM wp_posts", "DELETE FROM wp_terms", "DELETE FROM wp_term_taxonomy", "DELETE FROM wp_term_relationships",
		`INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type, post_name, post_title, post_parent, post_password, post_content, post_excerpt, to_ping, pinged, post_content_filtered)
SELECT n, 1, '2024-03-04 05:06:07', '2024-03-04 05:06:07', '2024-03-04 05:06:07', '2024-03-04 05:06:07', 'publish', 'book', na, '', pa, '', '', '', '', '', '' FROM (
SELECT 1 n, 'one' na, 0 pa UNION SELECT 2, 'two', 1 UNION SELECT 3, 'three', 0) x`,
		"INSERT INTO wp_terms (term_id, name, slug) VALUES (7, 'Zeta', 'zeta'), (8, 'alpha', 'alpha'), (9, 'Beta', 'beta')",
		`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
VALUES (7, 7, 'shelf', '', 0, 2), (8, 8, 'shelf', '', 7, 2), (9, 9, 'shelf', '', 0, 1)`,
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1, 7), (1, 8), (2, 8), (2, 9)",
	}
	for _, c := range []struct {
		rule    string
		options []string
		want    map[string]string
	}{
		{"not chosen", nil, map[string]string{"1": "book/one", "2": "book/one/two", "3": "book/three", "8": "shelf/zeta/alpha/"}},
		{
			"dates and ids", []string{option("book_structure", "/%year%/%hour%/%post_id%/%postname%/")},
			map[string]string{"1": "book/2024/05/1/one/", "2": "book/2024/05/2/one/two/", "3": "book/2024/05/3/three/", "8": "shelf/zeta/alpha/"},
		},
		{
			"terms", []string{option("book_structure", "/%shelf%-x/%author%/%post_id%"), option("no_taxonomy_structure", "")},
			map[string]string{"1": "book/zeta/alpha-x/admin/1", "2": "book/zeta/alpha-x/admin/2", "3": "book/%shelf%-x/admin/3", "8": "book/shelf/zeta/alpha/"},
		},
		{"terms have none", []string{option("no_taxonomy_structure", "1")}, map[string]string{"1": "book/one", "2": "book/one/two", "3": "book/three", "8": "shelf/zeta/alpha/"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, append(seed, c.options...)...)
			sites, err := open(t, Source{DSN: dsn, Overrides: registry.Overrides{Taxonomies: map[string]registry.TaxonomyOverride{
				"shelf": {Public: new(true), ObjectTypes: []string{"book"}},
			}}}).ReadBlogs(t.Context())
			wptest.Must(t, err)
			blog := sites[0]
			posts, err := blog.Posts(t.Context(), []int64{1, 2, 3}, nil)
			wptest.Must(t, err)
			got := map[string]string{}
			for _, p := range posts {
				got[fmt.Sprint(p.ID)] = strings.TrimPrefix(p.Link, "https://a.test/")
			}
			terms, err := blog.TermsByID(t.Context(), blog.Registry().Taxonomy("shelf"), []int64{8})
			wptest.Must(t, err)
			for _, term := range terms {
				got[fmt.Sprint(term.ID)] = strings.TrimPrefix(term.Link, "https://a.test/")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("expected (-) and got (+):\n%s", diff)
			}
			if book := blog.Registry().PostType("book"); !book.Public {
				t.Errorf("the plugin has structures of public types alone: %+v", book)
			}
		})
	}
}
