package provider_test

import (
	"bytes"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
)

// What is read at once for all pages is what every page would read.
func TestAllPagesChangesNothing(t *testing.T) {
	all := sitemaptest.Seeds(t)
	for _, name := range []string{"attachments", "network", "small-images", "small-polylang", "small-video"} {
		seed := all[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				for _, blog := range sitemaptest.Open(t, wp.Source{DSN: wptest.Load(t, e, seed...)}) {
					for _, level := range sitemaptest.Levels {
						one := sitemaptest.Build(t, blog, seo.Options{Compat: level})
						all := sitemaptest.Build(t, blog, seo.Options{Compat: level, AllPages: true})
						for _, f := range one.Files() {
							if f.Elsewhere {
								continue
							}
							want, got := sitemaptest.Render(t, one, f.Name, f.Page), sitemaptest.Render(t, all, f.Name, f.Page)
							if !bytes.Equal(want.Body, got.Body) {
								t.Errorf("level %s, %s differs:\n%s\nwant\n%s", string(level), f.Filename, got.Body, want.Body)
							}
						}
					}
				}
			})
		})
	}
}
