package wp

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// What is wanted was printed by WordPress 7.0.4 with Custom Post Type Permalinks 3.5.5 for the same rows.
func TestStructuresOfPostTypes(t *testing.T) {
	rules := phpText("(book)/(.+?)(?:/([0-9]+))?/?$") + phpText("index.php?post_type=book&slug=$matches[1]&book=$matches[2]&page=$matches[3]") +
		phpText("shelf/(.+?)/?$") + phpText("index.php?shelf=$matches[1]")
	seed := []string{
		setOption("permalink_structure", "/%postname%/"), setOption("home", "https://a.test"),
		setOption("active_plugins", phpList("custom-post-type-permalinks/custom-post-type-permalinks.php")),
		setOption("rewrite_rules", "a:2:{"+rules+"}"),
		"REPLACE INTO wp_users (ID, user_login, user_nicename, user_email, display_name) VALUES (1, 'admin', 'admin', '', '')", "DELETE FROM wp_posts", "DELETE FROM wp_terms", "DELETE FROM wp_term_taxonomy", "DELETE FROM wp_term_relationships",
		addPost(1, "book", "publish", "one", 0), addPost(2, "book", "publish", "two", 1), addPost(3, "book", "publish", "three", 0),
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
			"dates and ids", []string{setOption("book_structure", "/%year%/%hour%/%post_id%/%postname%/")},
			map[string]string{"1": "book/2024/05/1/one/", "2": "book/2024/05/2/one/two/", "3": "book/2024/05/3/three/", "8": "shelf/zeta/alpha/"},
		},
		{
			"terms", []string{setOption("book_structure", "/%shelf%-x/%author%/%post_id%"), setOption("no_taxonomy_structure", "")},
			map[string]string{"1": "book/zeta/alpha-x/admin/1", "2": "book/zeta/alpha-x/admin/2", "3": "book/%shelf%-x/admin/3", "8": "book/shelf/zeta/alpha/"},
		},
		{"terms have none", []string{setOption("no_taxonomy_structure", "1")}, map[string]string{"1": "book/one", "2": "book/one/two", "3": "book/three", "8": "shelf/zeta/alpha/"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, append(seed, c.options...)...)
			blog := openSite(t, Source{DSN: dsn, Overrides: registry.Overrides{Taxonomies: map[string]registry.TaxonomyOverride{
				"shelf": {Public: new(true), ObjectTypes: []string{"book"}},
			}}})
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
			expect.Same(t, c.want, got)
			if book := blog.Registry().PostType("book"); !book.Public {
				t.Errorf("the plugin has structures of public types alone: %+v", book)
			}
		})
	}
}
