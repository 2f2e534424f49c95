package sitemap_test

import (
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
)

// addPost returns the statement that adds a post of user 1, in two parts.
func addPost(id int, slug, postType, status string) string {
	return sitemaptest.Insert(sitemaptest.Row{ID: id, Name: slug, Type: postType, Status: status, Date: "2025-02-01 10:00:00", Text: "a<!--nextpage-->b"})
}

// The operator's form of addresses replaces permalinks, even those that only PHP knows. explain finds
// these addresses. A post without a term that the form needs has no address.
func TestFormsOfAddresses(t *testing.T) {
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		wptest.Exec(t, dsn, addPost(9001, "in-tree", "post", "publish"), addPost(9002, "below", "page", "publish"), addPost(9003, "above", "page", "publish"),
			addPost(9004, "no-term", "song", "publish"), addPost(9005, "with-term", "song", "publish"),
			"UPDATE wp_posts SET post_parent = 9003 WHERE ID = 9002",
			"INSERT INTO wp_terms (term_id, name, slug, term_group) VALUES (900, 'Up', 'up', 0), (901, 'Down', 'down', 0), (902, 'Sad', 'sad', 0)",
			`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
				(950, 900, 'category', '', 0, 1), (951, 901, 'category', '', 900, 1), (952, 902, 'mood', '', 0, 1)`,
			"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id, term_order) VALUES (9001, 951, 0), (9005, 952, 0)",
			"DELETE FROM wp_options WHERE option_name = 'category_children'")
		yes, form := true, func(s string) *string { return &s }
		o := registry.Overrides{
			PostTypes: map[string]registry.PostTypeOverride{
				"post": {URL: form("https://example.test/blog/{term:category}/{slug}")}, "page": {URL: form("/p/{path}/")},
				"song": {Public: &yes, URL: form("/{year}/{id}-{term:mood}.html")},
			},
			Taxonomies: map[string]registry.TaxonomyOverride{"category": {URL: form("/topics/{path}")}, "mood": {Public: &yes, ObjectTypes: []string{"song"}}},
		}
		if e == wptest.MariaDB {
			wptest.Exec(t, dsn, "DELETE FROM wp_yoast_indexable", indexed("CONCAT('https://example.test/', post_name, '/')"))
		}
		sitemaptest.EachPlugin(t, dsn, o, seo.Options{PageSize: 1000}, func(t *testing.T, c *sitemap.Catalog) {
			want := map[string]string{
				"post": "/blog/down/in-tree", "page": "/p/above/below/", "song": "/2025/9005-sad.html", "category": "/topics/up/down",
			}
			for of, path := range want {
				kind := seo.KindPost
				switch {
				case of == "category":
					kind = seo.KindTerm
				case of == "song" && strings.EqualFold(c.Plugin(), "SEOPress"): // it lists the types of its settings
					continue
				}
				all := sitemaptest.PathsIn(t, c, c.Scheme.Name(kind, of))
				if !slices.Contains(all, path) || slices.ContainsFunc(all, func(p string) bool { return strings.Contains(p, "9004") || strings.HasPrefix(p, path+"/2") }) {
					t.Errorf("%s: %q", of, all)
				}
				if x := sitemaptest.Explain(t, c, "https://example.test"+path); !x.In || x.Address != "https://example.test"+path {
					t.Errorf("%s: %+v", path, x)
				}
			}
		})
	})
}

// A form that is not below home is an error. It never leads to an address of another site.
func TestFormElsewhere(t *testing.T) {
	for _, form := range []string{"https://other.test/{slug}", "http://small.test/{slug}", "https://small.test.evil.test/{slug}"} {
		dsn := wptest.Load(t, wptest.SQLite, "small")
		n, err := wp.Open(t.Context(), wp.Source{
			Name: "small", DSN: dsn, Overrides: registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"post": {URL: &form}}},
		})
		wptest.Must(t, err)
		defer n.Close()
		sites, err := address.ReadAll(t.Context(), n)
		if err == nil || !strings.Contains(err.Error(), "[site.post_type.post] url is not below home, https://small.test") {
			t.Errorf("%s: %d sites, %v", form, len(sites), err)
		}
	}
}
