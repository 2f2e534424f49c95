package aioseo_test

import (
	"slices"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
)

// All in One SEO has one sitemap of product attributes if its setting names one attribute, or all as
// one.
func TestAttributesOfAioseo(t *testing.T) {
	t.Parallel()
	const noindex = `{"searchAppearance":{"taxonomies":{"product_attributes":{"show":true,"advanced":{"robotsMeta":{"default":false,"noindex":true}}}}}}`
	for _, tt := range []struct {
		name, taxonomies, dynamic string
		at                        []seo.Level // where they are listed
	}{
		{"all", `{"all":true}`, "{}", sitemaptest.Levels},
		{"others", `{"all":false,"included":["category","product_cat"]}`, "{}", nil},
		{"one of them", `{"all":false,"included":["pa_colour"]}`, "{}", sitemaptest.Levels},
		{"as one", `{"all":false,"included":["product_attributes"]}`, "{}", sitemaptest.Levels},
		{"as one, noindex", `{"all":false,"included":["product_attributes"]}`, noindex, nil},
		{"all, noindex", `{"all":true}`, noindex, []seo.Level{seo.PluginLevel}},
	} {
		for _, level := range sitemaptest.Levels {
			t.Run(tt.name+" "+string(level), func(t *testing.T) {
				t.Parallel()
				c := sitemaptest.Of(t, "basic woo", seo.Options{Compat: level, PageSize: 1000, Sitemaps: "aioseo"},
					append([]string{sitemaptest.Activate("woocommerce/woocommerce.php", "all-in-one-seo-pack/all_in_one_seo_pack.php"),
						sitemaptest.SetOption("aioseo_options", `{"sitemap":{"general":{"enable":true,"taxonomies":`+tt.taxonomies+`}}}`),
						sitemaptest.SetOption("aioseo_options_dynamic", tt.dynamic)}, sitemaptest.AioseoTable...)...)
				l := c.List("product_attributes")
				if want := slices.Contains(tt.at, level); (l != nil && l.Indexed) != want {
					t.Errorf("a sitemap of attributes: %v, want %v", !want, want)
				}
			})
		}
	}
}
