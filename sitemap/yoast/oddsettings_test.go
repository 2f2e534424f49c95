package yoast_test

import (
	"fmt"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/wpcore"
)

// What Yoast never writes and yet is stored. The wanted answers at level plugin are those of WordPress 7.2 with Yoast SEO 28.3.
func TestSitemapsSwitchedByOtherValues(t *testing.T) {
	const off, yoast, core = "everything is the site's", "Yoast's", "WordPress' own"
	for _, tt := range []struct{ value, plugin, spec string }{
		{"b:1;", yoast, yoast},
		{"b:0;", core, core},
		{"i:1;", off, yoast},
		{"a:1:{i:0;i:1;}", off, yoast},
		{"N;", core, core},
		{"a:0:{}", core, core},
	} {
		t.Run(tt.value, func(t *testing.T) {
			t.Parallel()
			for level, want := range map[seo.Level]string{seo.PluginLevel: tt.plugin, seo.SpecLevel: tt.spec} {
				c := sitemaptest.Of(t, "basic", seo.Options{Compat: level},
					sitemaptest.SetOption("wpseo", fmt.Sprintf(`a:1:{s:18:"enable_xml_sitemap";%s}`, tt.value)))
				got := off
				switch {
				case c.Active() && sitemap.WhoseOf(c.Blog, sitemap.Auto, seo.SpecLevel).Plugin() == &wpcore.Plugin:
					got = core
				case c.Active():
					got = yoast
				}
				if got != want {
					t.Errorf("level %s: %s, want %s", level, got, want)
				}
				if files := c.Files(); (len(files) > 0) != (got != off) {
					t.Errorf("level %s: %d files", level, len(files))
				}
			}
		})
	}
}
