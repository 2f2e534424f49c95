package seo_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
)

// The expected files in testdata/expected are written by hand from the rows of the seed. Each seed
// named small-… covers one row of the table in the README.
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

				expected, err := filepath.Glob(filepath.Join(wptest.Testdata, "expected", tt.seed, "*.xml"))
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
				if index := "sitemap_index.xml"; slices.Contains(expected, filepath.Join(wptest.Testdata, "expected", tt.seed, index)) {
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

// A row of Yoast's index shows that a type is public, from version 19.11 on. It does not for a type that other plugins keep for
// themselves.
func TestTypesWithIndexRows(t *testing.T) {
	private := []string{"shop_coupon", "shop_order", "wpcf7_contact_form", "flamingo_inbound", "wpforms", "acf-field-group", "acf-field",
		"tablepress_table", "mc4wp-form", "popup", "popup_theme", "feedback", "scheduled-action", "elementor_library", "elementor_snippet",
		"wp_block", "wp_template", "wp_navigation", "edd_payment", "give_payment", "llms_coupon", "tutor_enrolled", "et_pb_layout", "um_form"}
	wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
		dsn := wptest.Load(t, e, "basic")
		wptest.Exec(t, dsn, sitemaptest.Activate("wordpress-seo/wp-seo.php"),
			sitemaptest.SetOption("rewrite_rules", `a:1:{s:7:"feed/?$";s:20:"index.php?&feed=feed";}`))
		for i, name := range append(private, "poem") {
			wptest.Exec(t, dsn, sitemaptest.Insert(sitemaptest.Row{ID: 7000 + i, Type: name, Name: "one"}),
				fmt.Sprintf(`INSERT INTO wp_yoast_indexable (object_id, object_type, object_sub_type, permalink, post_status, version, blog_id)
				VALUES (%d, 'post', '%s', 'https://example.test/?%s=one', 'publish', 2, 1)`, 7000+i, name, name))
		}
		for version, public := range map[string]bool{"19.10": false, "19.11": true} {
			wptest.Exec(t, dsn, sitemaptest.SetOption("wpseo", fmt.Sprintf(`a:1:{s:7:"version";s:5:"%s";}`, version)))
			c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: seo.SpecLevel})
			var unsettled []string
			for _, u := range c.Unsettled() {
				unsettled = append(unsettled, u.Name)
			}
			if (c.List("poem") != nil) != public || slices.Contains(unsettled, "poem") == public {
				t.Errorf("Yoast %s: poems are listed: %t, unsettled: %q", version, c.List("poem") != nil, unsettled)
			}
			for _, name := range private {
				if c.List(name) != nil || slices.Contains(unsettled, name) {
					t.Errorf("Yoast %s: %s is listed, or unsettled: %q", version, name, unsettled)
				}
			}
		}
	})
}
