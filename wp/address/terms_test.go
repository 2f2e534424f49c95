package address

import (
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// In old databases, terms of several taxonomies may share one id.
func TestNamedTermsOfOneID(t *testing.T) {
	dsn := wptest.Load(t, wptest.MariaDB, "basic")
	wptest.Exec(t, dsn, "INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (950, 3, 'post_tag', '', 0, 1)")
	b := openSite(t, wp.Source{DSN: dsn})
	r := b.Blog.Registry()
	for range 30 {
		terms, err := b.NamedTerms(t.Context(), map[*registry.Taxonomy][]int64{r.Taxonomy("post_tag"): {3}, r.Taxonomy("category"): {3}})
		wptest.Must(t, err)
		var of []string
		for _, term := range terms {
			of = append(of, term.Taxonomy)
		}
		expect.List(t, of, []string{"category", "post_tag"}, "taxonomies")
	}
}
