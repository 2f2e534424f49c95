package wpcore_test

import (
	"errors"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/sitemap/wpcore"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// atPluginLevel are entries that WordPress lists although it does not find their pages: they are below each other or below a missing
// page, or have no slug. Level spec leaves them out.
var atPluginLevel = []string{"https://example.test/egg/hen/", "https://example.test/hen/egg/", "https://example.test/orphan/", "https://example.test/ 2024-07-09"}

// WordPress' own sitemaps are the same at both levels but for atPluginLevel. The expected files in testdata/expected are written by
// hand from the rows of the seed.
func TestCore(t *testing.T) {
	for _, tt := range []struct{ name, seed string }{
		{"Yoast's sitemaps are switched off", "disabled"},
		{"Yoast is not active", "small-core"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				blog := sitemaptest.OpenSite(t, wp.Source{DSN: wptest.Load(t, e, sitemaptest.Seeds(t)[tt.seed]...)})
				want := map[string]string{}
				expected, err := filepath.Glob(filepath.Join(wptest.Testdata, "expected", tt.seed, "*.xml"))
				wptest.Must(t, err)
				for _, file := range expected {
					name := filepath.Base(file)
					want[name] = sitemaptest.Parse(t, sitemaptest.ReadFile(t, "expected", tt.seed, name)).String()
				}
				for _, level := range sitemaptest.Levels {
					c := sitemaptest.Build(t, blog, seo.Options{Compat: level, PageSize: 2})
					var docs [][]byte
					got := map[string]string{}
					for _, f := range c.Files() {
						body := sitemaptest.Render(t, c, f.Name, f.Page).Body
						if level == seo.PluginLevel {
							body = sitemaptest.WithoutZeroDates(body)
						}
						docs = append(docs, body)
						got[f.Filename] = sitemaptest.Parse(t, body).String()
					}
					want := maps.Clone(want)
					for name, text := range want {
						lines := slices.Collect(strings.Lines(text))
						want[name] = strings.Join(slices.DeleteFunc(lines, func(line string) bool {
							return level == seo.SpecLevel && slices.ContainsFunc(atPluginLevel, func(s string) bool { return strings.HasPrefix(line, s) })
						}), "")
					}
					expect.Same(t, want, got, "level", string(level))
					schematest.Validate(t, docs...)
					for name, page := range map[string]int{
						"post": 1, "author": 1, "posts-attachment": 1, "posts-post": 2, "posts-page": 2, "users": 2, "taxonomies-category": 0,
						"taxonomies-nav_menu": 1,
					} {
						if _, err := c.Render(t.Context(), name, page); !errors.Is(err, catalog.ErrNotFound) {
							t.Errorf("level %s: %s page %d: %v, want ErrNotFound", string(level), name, page, err)
						}
					}
				}
			})
		})
	}
}

// Whether a site has WordPress' own sitemaps.
func TestCoreIsOn(t *testing.T) {
	t.Parallel()
	option, active := sitemaptest.SetOption, sitemaptest.Activate
	for _, tt := range []struct {
		name, change string
		want         bool
	}{
		{"Yoast is not active", "", true},
		{"Yoast is active", sitemaptest.YoastActive, false},
		{"a private site", option("blog_public", "0"), false},
		{"nobody said that the site is public", "DELETE FROM wp_options WHERE option_name = 'blog_public'", false},
		{"another plugin's sitemaps", active("google-sitemap-generator/sitemap.php"), false},
		{"a plugin that gives each language its files", active("polylang/polylang.php"), false},
		{"WordPress 5.4", option("db_version", "47018"), false},
		{"WordPress 5.5", option("db_version", "48748"), true},
		{"rewrite rules with theirs", option("rewrite_rules", `a:1:{s:17:"^wp-sitemap\.xml$";s:23:"index.php?sitemap=index";}`), true},
		{"rewrite rules without theirs", option("rewrite_rules", `a:1:{s:13:"favicon\.ico$";s:19:"index.php?favicon=1";}`), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := sitemaptest.Of(t, "small small-core", seo.Options{Compat: seo.SpecLevel}, tt.change)
			expect.Equal(t, c.Whose.Plugin() == &wpcore.Plugin, tt.want, "Core is")
			if files := c.Files(); tt.want != (len(files) > 0 && files[0].Filename == wpcore.IndexFile) {
				t.Errorf("the files are %+v", files)
			}
		})
	}
}

func TestCoreHeedsTheOperator(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-core")
	yes := true
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: registry.Overrides{
		PostTypes:  map[string]registry.PostTypeOverride{"page": {Exclude: &yes}},
		Taxonomies: map[string]registry.TaxonomyOverride{"post_format": {Exclude: &yes}},
	}})
	c := sitemaptest.Build(t, blog, seo.Options{Compat: seo.SpecLevel, Exclude: seo.Exclude{
		PostIDs: []int64{1001}, TermIDs: []int64{1021}, UserIDs: []int64{1001},
		URLs: []*regexp.Regexp{regexp.MustCompile(`/locked/$|/author/bert|/tag/`)},
	}})
	var got []string
	for _, f := range c.Files()[1:] {
		got = append(got, sitemaptest.Listed(t, c, f.Name)...)
	}
	want := []string{
		"/parent/child/not-in-front/", "/zebra/kept-out-by-yoast/", "/zebra/%e6%b5%b7/", "/category/zebra/apple/",
		"/category/parent/child/", "/author/emil/",
	}
	expect.Same(t, want, got)
	expect.Equal(t, c.LeftOut[seo.Excluded], 6, "objects are counted as excluded, want 6")
}

// Yoast lists a public taxonomy that cannot be queried; WordPress itself does not.
func TestCoreListsQueryableTaxonomies(t *testing.T) {
	t.Parallel()
	taxonomy := func(name, queryable string) string {
		return sitemaptest.Array("name", name, "label", name, "public", "true", "publicly_queryable", queryable, "hierarchical", "false",
			"query_var", "true", "rewrite", "true", "object_types", sitemaptest.Array(0, "post"))
	}
	c := sitemaptest.Of(t, "small small-core", seo.Options{Compat: seo.SpecLevel}, sitemaptest.Activate("custom-post-type-ui/custom-post-type-ui.php"),
		sitemaptest.SetOption("cptui_taxonomies", sitemaptest.Array("mood", taxonomy("mood", "true"), "shelf", taxonomy("shelf", "false"))),
		"INSERT INTO wp_terms (term_id, name, slug) VALUES (1030, 'calm', 'calm'), (1031, 'top', 'top')",
		"INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES (2030, 1030, 'mood', '', "+
			"0, 1), (2031, 1031, 'shelf', '', 0, 1)")
	expect.Equal(t, sitemaptest.Render(t, c, "taxonomies-mood", 1).Entries, 1, "terms of the one that can, want 1")
	if _, err := c.Render(t.Context(), "taxonomies-shelf", 1); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("the one that cannot: %v, want ErrNotFound", err)
	}
}

func TestCoreAddresses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ structure, index, list, typed, users, xsl string }{
		{"/%postname%/", "/wp-sitemap.xml", "/wp-sitemap-posts-post-1.xml", "/wp-sitemap-taxonomies-my-type-12.xml",
			"/wp-sitemap-users-3.xml", "/wp-sitemap.xsl"},
		{"/index.php/%postname%/", "/wp-sitemap.xml", "/wp-sitemap-posts-post-1.xml", "/wp-sitemap-taxonomies-my-type-12.xml",
			"/wp-sitemap-users-3.xml", "/wp-sitemap.xsl"},
		{"", "/?sitemap=index", "/?sitemap=posts&sitemap-subtype=post&paged=1", "/?sitemap=taxonomies&sitemap-subtype=my-type&paged=12",
			"/?sitemap=users&paged=3", "/?sitemap-stylesheet=sitemap"},
	} {
		c := sitemaptest.Of(t, "small small-core", seo.Options{Compat: seo.PluginLevel, Stylesheet: "xsl"},
			sitemaptest.SetOption("permalink_structure", tt.structure))
		got := []string{
			c.BaseURL(wpcore.IndexFile), c.BaseURL(wpcore.Plugin.URLs.File("posts-post", 1, 1)),
			c.BaseURL(wpcore.Plugin.URLs.File("taxonomies-my-type", 12, 0)), c.BaseURL(wpcore.Plugin.URLs.File("users", 3, 0)),
		}
		var want []string
		for _, path := range []string{tt.index, tt.list, tt.typed, tt.users} {
			want = append(want, "https://small.test"+path)
		}
		expect.Same(t, want, got, "structure", tt.structure)
		if body := string(sitemaptest.Render(t, c, "users", 1).Body); !strings.Contains(body, `<?xml-stylesheet type="text/xsl" href="`+tt.xsl+`"?>`) {
			t.Errorf("structure %q: no stylesheet %s in %.200s", tt.structure, tt.xsl, body)
		}
		schematest.Validate(t, sitemaptest.Render(t, c, seo.IndexName, 1).Body)
	}
}
