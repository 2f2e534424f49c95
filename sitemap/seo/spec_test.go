package seo_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"

	"github.com/google/go-cmp/cmp"
)

// Level spec. What is expected is in testdata/expected, written by hand from the rows
// of the seed; each seed named small-… is about one row of the table in the README.
func TestLevelSpec(t *testing.T) {
	yes := true
	book := registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"book": {Public: &yes, Archive: &yes}}}
	for _, tt := range []struct {
		name, seed string
		options    seo.Options
		overrides  registry.Overrides
		absent     []string
	}{
		{name: "an ordinary site", seed: "basic", absent: []string{"attachment", "post_format", "nav_menu"}},
		{name: "archives stand before their posts, unless noindexed", seed: "types"},
		{name: "an archive that is a page stands among the pages", seed: "woo"},
		{name: "by id", seed: "small-order"},
		{name: "excluded entries leave before paging; index dates are those of the page", seed: "small-pages", options: seo.Options{PageSize: 2}},
		{name: "image titles", seed: "small-titles"},
		{name: "images once; attachments list their own file", seed: "small-images"},
		{name: "authors have the date of their newest post", seed: "small-authors"},
		{name: "a private site has an empty index", seed: "small-private", absent: []string{"post", "page", "category", "author"}},
		{
			name: "what has nothing to list has no sitemap", seed: "small-empty", overrides: book,
			absent: []string{"page", "category", "post_tag", "author", "book"},
		},
		{name: "front page and posts page are judged", seed: "small-front"},
		{name: "home is listed once", seed: "small-home"},
		{name: "home is listed among the pages where posts are not", seed: "small-noposts", absent: []string{"post"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				dsn := wptest.Load(t, e, sitemaptest.Seeds(t)[tt.seed]...)
				tt.options.Compat = seo.SpecLevel
				c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: tt.overrides}), tt.options)

				expected, err := filepath.Glob(filepath.Join(sitemaptest.Testdata, "expected", tt.seed, "*.xml"))
				if err != nil || len(expected) == 0 {
					t.Fatalf("nothing is expected of %s (%v)", tt.seed, err)
				}
				got := map[string]string{}
				for _, f := range c.Files() {
					got[f.Filename] = sitemaptest.Parse(t, sitemaptest.Render(t, c, f.Name, f.Page).Body).String()
				}
				for _, file := range expected {
					body, err := os.ReadFile(file)
					wptest.Must(t, err)
					name := filepath.Base(file)
					if diff := cmp.Diff(strings.Split(sitemaptest.Parse(t, body).String(), "\n"), strings.Split(got[name], "\n")); diff != "" {
						t.Errorf("%s: expected (-) and got (+) differ:\n%s", name, diff)
					}
				}
				if index := "sitemap_index.xml"; slices.Contains(expected, filepath.Join(sitemaptest.Testdata, "expected", tt.seed, index)) {
					if n := len(sitemaptest.Parse(t, sitemaptest.ReadFile(t, "expected", tt.seed, index)).Entries); len(got) != n+1 {
						t.Errorf("%d sitemaps beside the index, want %d", len(got)-1, n)
					}
				}
				for _, name := range tt.absent {
					if _, err := c.Render(t.Context(), name, 1); !errors.Is(err, catalog.ErrNotFound) {
						t.Errorf("%s: %v, want ErrNotFound", name, err)
					}
				}
			})
		})
	}
}
