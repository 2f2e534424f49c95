package catalog_test

import (
	"strings"
	"testing"
	"time"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// changesAt is the time of the catalogs that are compared.
var changesAt = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// told returns changes as texts, each with its sitemap and path.
func told(changes []catalog.Change) (texts []string) {
	for _, c := range changes {
		path := strings.TrimPrefix(c.URL, "https://small.test")
		texts = append(texts, strings.Join(strings.Fields(c.What+" "+c.Sitemap+" "+c.Object+" "+path+" "+c.Note), " "))
	}
	return texts
}

// Whatever comes to a sitemap, goes from it or changes is named once, also if a rule excludes it.
func TestChanges(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change []string
		want   []string
	}{
		{name: "nothing"},
		{name: "a new post changes what lists it", change: []string{announcePost(5, "post", "fifth", may, 0)}, want: []string{
			"came post post 5 /fifth/", "changed post /", "changed author author 7 /author/ann/"}},
		{name: "an edited page", change: []string{touch(11, may)}, want: []string{"changed page page 11 /about/"}},
		{name: "trashed: with the address it had", change: []string{trash(11)}, want: []string{"went page page 11 /about/"}},
		{name: "deleted: its address is not known", change: []string{"DELETE FROM wp_posts WHERE ID = 11"}, want: []string{
			"went page page 11", "went page page 12 /team/"}}, // WordPress does not find a page below a missing one
		{name: "noindexed", change: []string{sitemaptest.MetaRow(11, noMeta, "1")}, want: []string{"went page page 11 /about/"}},
		{name: "a noindexed term", change: []string{
			sitemaptest.SetOption("wpseo_taxonomy_meta", `a:1:{s:8:"category";a:1:{i:22;a:1:{s:13:"wpseo_noindex";s:7:"noindex";}}}`)},
			want: []string{"went category category 22 /category/fruit/apples/"}},
		{name: "a taxonomy without its sitemap", change: []string{sitemaptest.SetOption("wpseo_titles", `a:1:{s:20:"noindex-tax-category";b:1;}`)},
			want: []string{"went category category 22 /category/fruit/apples/", "went category category 21 /category/fruit/"}},
		{name: "a deleted term", change: []string{"DELETE FROM wp_terms WHERE term_id = 22", "DELETE FROM wp_term_taxonomy WHERE term_id = 22"},
			want: []string{"went category category 22"}},
		{name: "more than the limit", change: []string{"UPDATE wp_posts SET post_status = 'draft'"}, want: []string{
			"went post post 4 /fourth/", "went author author 7 /author/ann/", "went post post 3 /third/", "note And 4 more went.",
			"changed post /", "changed category category 21 /category/fruit/", "changed category category 22 /category/fruit/apples/",
			"note And 1 more changed."}},
		{name: "other permalinks", change: []string{sitemaptest.SetOption("permalink_structure", "/%post_id%/")},
			want: []string{"note All URLs have changed, because the permalink settings have changed."}},
		{name: "another plugin", change: []string{sitemaptest.SetOption("active_plugins", `a:0:{}`)},
			want: []string{"note The sitemaps are now those of WordPress, no longer those of Yoast SEO."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, announceSite...)
			known := specOf(t, dsn)
			wptest.Exec(t, dsn, tt.change...)
			changes, err := specOf(t, dsn).Changes(t.Context(), known.Catalog, changesAt, 3)
			wptest.Must(t, err)
			expect.List(t, told(changes), tt.want)
		})
	}
}
