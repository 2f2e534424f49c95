package catalog_test

import (
	"errors"
	"slices"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// For every name and page, the outline predicts Render: the page exists, or not, or the outline cannot
// know.
func TestOutlineTellsWhatRenderWould(t *testing.T) {
	for _, seed := range []string{"small-news", "small-video", "small-core", "small-polylang"} {
		dsn := wptest.Load(t, wptest.SQLite, "small", seed)
		blog := sitemaptest.Open(t, wp.Source{DSN: dsn, Overrides: sitemaptest.NewsOverrides()})[0]
		for _, compat := range []seo.Level{seo.SpecLevel, seo.PluginLevel} {
			t.Run(seed+" "+string(compat), func(t *testing.T) {
				c := sitemaptest.Build(t, blog, seo.Options{Compat: compat, PageSize: 3, Now: sitemaptest.ClockAt(sitemaptest.NewsTime), Text: true, Atom: true})
				o := c.Outline()
				expect.Equal(t, len(o.Timed) == 1, seed == "small-news", "timed", o.Timed)
				if o.Active != c.Active() || len(o.Files) < 3 || len(o.Files) != len(c.Files()) {
					t.Fatalf("%+v", o)
				}
				for _, f := range o.Files {
					expect.Equal(t, o.URL(sitemap.PluginNamed(o.Plugin).URLs, f.Name, f.Page), f.URL, f.Name, "page", f.Page, "is at")
				}
				expect.Equal(t, o.URL(sitemap.PluginNamed(o.Plugin).URLs, "nobody", 3), c.URL("nobody", 3), "a sitemap without a file is at")
				missing := 0
				for _, name := range append(slices.Clone(o.Owned), "nobody") {
					expect.Equal(t, c.Owns(name), slices.Contains(o.Owned, name), name, "is owned")
					if want := c.QueryName(name); o.Asked[name] != want && (o.Asked[name] != "" || want != name) {
						t.Errorf("%s is asked for as %q, want %q", name, o.Asked[name], want)
					}
					if slices.Contains(o.Types, name) && o.Unnamed(name) {
						t.Errorf("it is not known which pages %s has", name)
					}
					for page := 1; page < 9; page++ {
						named := o.Names(name, page)
						if !named && o.Unnamed(name) || name == seo.IndexName && page > 1 {
							continue
						}
						_, err := c.Render(t.Context(), name, page)
						expect.Equal(t, !errors.Is(err, catalog.ErrNotFound), named, name, "page", page, "named", "but Render says", err)
						if !named {
							missing++
						}
					}
				}
				if missing == 0 {
					t.Error("nothing was known to be missing")
				}
			})
		}
	}
}

// A sitemap has a page here if a file of ours is named, if a page has no file, or if nobody knows its pages.
func TestOutlineHas(t *testing.T) {
	o := catalog.Outline{
		Files: []catalog.File{{Name: "post", Page: 1}, {Name: "forum", Page: 1, Elsewhere: true}}, Others: []catalog.File{{Name: catalog.TextName, Page: 1}},
		Open: []string{"news"}, More: map[string][]int{"video": {2}, "empty": nil},
	}
	for name, want := range map[string]bool{
		"post": true, catalog.TextName: true, "news": true, "video": true, "forum": false, "empty": false, "nobody": false,
	} {
		expect.Equal(t, o.Has(name), want, name)
	}
}

// The outline distinguishes a type that settings leave out from a type whose entries no longer exist.
func TestOutlineOfSettings(t *testing.T) {
	for _, tt := range []struct {
		name    string
		option  string
		level   seo.Level
		private bool
		off     string
	}{
		{"a private site at level spec", "('blog_public', '0')", seo.SpecLevel, true, ""},
		{"a private site at level plugin", "('blog_public', '0')", seo.PluginLevel, false, ""},
		{
			"Yoast's sitemaps switched off and WordPress' own too",
			"('wpseo', 'a:1:{s:18:\"enable_xml_sitemap\";b:0;}'), ('blog_public', '0')", seo.SpecLevel, true, "",
		},
		{"a post type", "('wpseo_titles', 'a:1:{s:12:\"noindex-post\";b:1;}')", seo.SpecLevel, false, "post"},
		{"a taxonomy", "('wpseo_titles', 'a:1:{s:20:\"noindex-tax-category\";b:1;}')", seo.SpecLevel, false, "category"},
		{"the authors", "('wpseo_titles', 'a:1:{s:14:\"disable-author\";b:1;}')", seo.SpecLevel, false, "author"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := wptest.Load(t, wptest.SQLite, "small")
			before := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: tt.level}).Outline()
			wptest.Exec(t, dsn, "REPLACE INTO wp_options (option_name, option_value) VALUES "+tt.option)
			o := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn}), seo.Options{Compat: tt.level}).Outline()
			if o.Private != tt.private || before.Private {
				t.Errorf("private: %v, before %v", o.Private, before.Private)
			}
			if got := slices.Contains(o.Off, tt.off); got != (tt.off != "") || slices.Contains(before.Off, tt.off) {
				t.Errorf("off: %q, before %q", o.Off, before.Off)
			}
		})
	}
}
