package sitemap_test

import (
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap"
	"wpsitemapd/sitemap/framework"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/jetpack"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/slimseo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"

	"github.com/google/go-cmp/cmp"
)

// autoRows are posts, a page and terms over small. Their names say which rule each is there for.
var autoRows = []string{
	`INSERT INTO wp_posts (ID, post_author, post_date, post_date_gmt, post_modified, post_modified_gmt, post_status, post_type,
		post_name, post_title, post_password, post_content) VALUES
		(1001, 1, '2024-01-01 11:00:00', '2024-01-01 10:00:00', '2024-02-01 11:00:00', '2024-02-01 10:00:00', 'publish', 'post', 'plain', 'Plain', '', ''),
		(1002, 1, '2024-01-02 11:00:00', '2024-01-02 10:00:00', '2024-02-02 11:00:00', '2024-02-02 10:00:00', 'publish', 'post', 'noindex', 'No', '', ''),
		(1003, 1, '2024-01-03 11:00:00', '2024-01-03 10:00:00', '2024-02-03 11:00:00', '2024-02-03 10:00:00', 'publish', 'post', 'odd', 'Odd', '', ''),
		(1004, 1, '2024-01-04 11:00:00', '2024-01-04 10:00:00', '2024-02-04 11:00:00', '2024-02-04 10:00:00', 'publish', 'post', 'sent', 'Sent', '', ''),
		(1005, 1, '2024-01-05 11:00:00', '2024-01-05 10:00:00', '2024-02-05 11:00:00', '2024-02-05 10:00:00', 'publish', 'post', 'locked', 'L', 'x', ''),
		(1011, 1, '2024-01-09 11:00:00', '2024-01-09 10:00:00', '2024-02-09 11:00:00', '2024-02-09 10:00:00', 'publish', 'page', 'page', 'Page', '', ''),
		(1012, 1, '2024-01-09 11:00:00', '2024-01-09 10:00:00', '2024-02-09 11:00:00', '2024-02-09 10:00:00', 'publish', 'page', 'open', 'Open', '', '')`,
	`INSERT INTO wp_terms (term_id, name, slug) VALUES (1021, 'Plain', 'plain-term'), (1022, 'Noindex', 'noindex-term')`,
	`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count) VALUES
		(1021, 1021, 'category', '', 0, 1), (1022, 1022, 'category', '', 0, 1)`,
	`INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (1001, 1021), (1001, 1022)`,
}

// The plugins that are served only where they are active: what they store decides, and explain names it.
func TestServedWhereActive(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		plugin     string
		statements []string
		files      map[string][]string // paths by the name of a sitemap
		index      []string            // files that the index names
		out        map[string]string   // paths that are left out, and the evidence of that
	}{
		{
			"The SEO Framework",
			[]string{
				sitemaptest.Activate("autodescription/autodescription.php"),
				sitemaptest.SetOption("autodescription-site-settings", `a:1:{s:18:"noindex_post_types";a:1:{s:4:"page";i:1;}}`),
				`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1002, '_genesis_noindex', '1'),
					(1003, '_genesis_noindex', 'a:1:{'), (1004, 'redirect', 'https://elsewhere.test/'), (1012, '_genesis_noindex', '-1')`,
			},
			map[string][]string{"post": {"/", "/odd/", "/plain/"}, "page": {"/open/"}},
			[]string{"post-sitemap.xml", "page-sitemap.xml"},
			map[string]string{
				"/noindex/": "wp_postmeta._genesis_noindex", "/sent/": "wp_postmeta.redirect",
				"/page/":                "wp_options.autodescription-site-settings[noindex_post_types][page]",
				"/category/plain-term/": "The SEO Framework",
			},
		},
		{
			"The SEO Framework",
			[]string{
				sitemaptest.Activate("autodescription/autodescription.php"),
				sitemaptest.SetOption("autodescription-site-settings", `a:1:{s:16:"homepage_noindex";i:1;}`),
			},
			map[string][]string{"post": {"/noindex/", "/odd/", "/plain/", "/sent/"}},
			[]string{"post-sitemap.xml", "page-sitemap.xml"},
			map[string]string{"/": "wp_options.autodescription-site-settings[homepage_noindex]"},
		},
		{
			"Jetpack",
			[]string{
				sitemaptest.Activate("jetpack/jetpack.php"), sitemaptest.SetOption("jetpack_active_modules", `a:2:{i:0;s:8:"sitemaps";i:1;s:9:"seo-tools";}`),
				sitemaptest.SetOption("jetpack_sitemap_post_types", `a:1:{i:0;s:4:"post";}`),
				`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1002, 'jetpack_seo_noindex', '1'), (1003, 'jetpack_seo_noindex', NULL)`,
			},
			map[string][]string{"post": {"/", "/odd/", "/plain/", "/sent/"}},
			[]string{"post-sitemap.xml"},
			map[string]string{"/noindex/": "wp_postmeta.jetpack_seo_noindex", "/page/": "wp_options.jetpack_sitemap_post_types"},
		},
		{
			"Slim SEO",
			[]string{
				sitemaptest.Activate("slim-seo/slim-seo.php"),
				sitemaptest.SetOption("slim_seo", `a:1:{s:8:"post_tag";a:1:{s:7:"noindex";s:1:"1";}}`),
				`INSERT INTO wp_postmeta (post_id, meta_key, meta_value) VALUES (1002, 'slim_seo', 'a:1:{s:7:"noindex";i:1;}'),
					(1003, 'slim_seo', 'a:1:{s:7:"noin'), (1004, 'slim_seo', NULL)`,
				`INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (1022, 'slim_seo', 'a:1:{s:7:"noindex";i:1;}')`,
			},
			map[string][]string{
				"post-type-post": {"/", "/odd/", "/plain/", "/sent/"}, "post-type-page": {"/open/", "/page/"}, "taxonomy-category": {"/category/plain-term/"},
			},
			[]string{"sitemap-post-type-post.xml", "sitemap-post-type-page.xml", "sitemap-taxonomy-category.xml"},
			map[string]string{"/noindex/": "wp_postmeta.slim_seo", "/category/noindex-term/": "wp_termmeta.slim_seo"},
		},
	} {
		t.Run(tt.plugin, func(t *testing.T) {
			t.Parallel()
			dsn := wptest.Load(t, wptest.SQLite, "small")
			wptest.Exec(t, dsn, autoRows...)
			wptest.Exec(t, dsn, tt.statements...)
			site := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
			c := sitemaptest.Build(t, site, seo.Options{Compat: seo.SpecLevel})
			if c.Plugin() != tt.plugin || !c.Active() {
				t.Fatalf("%s, active %t: %s", c.Plugin(), c.Active(), c.Whose.Why())
			}
			got := map[string][]string{}
			for name := range tt.files {
				got[name] = sitemaptest.PathsIn(t, c, name)
			}
			if diff := cmp.Diff(tt.files, got); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
			var index []string
			for _, f := range c.Files()[1:] {
				index = append(index, f.Filename)
			}
			if diff := cmp.Diff(tt.index, index); diff != "" {
				t.Errorf("index: want (-), got (+):\n%s", diff)
			}
			for path, evidence := range tt.out {
				x, err := c.Explain(t.Context(), site.Home()+path)
				is := func(e seo.Evidence) bool { return e.Source == evidence }
				if err != nil || x.In || !slices.ContainsFunc(x.Evidence, is) {
					t.Errorf("%s: %+v, %v", path, x, err)
				}
			}
			// At level plugin the site itself answers.
			if w := sitemap.WhoseOf(site, sitemap.Auto, seo.PluginLevel); w.On() || !strings.Contains(w.Why(), `compat = "spec"`) {
				t.Errorf("level plugin: %t, %s", w.On(), w.Why())
			}
		})
	}
}

// What the index names is recognised as what it is, with all kinds of permalinks, and what the plugins have beside.
func TestAddressesWhereActive(t *testing.T) {
	t.Parallel()
	request := func(base seo.Base, address string) seo.Request {
		uri := strings.TrimPrefix(address, "https://small.test")
		path, _, _ := strings.Cut(uri, "?")
		return seo.Request{
			URI: uri, Rest: strings.Trim(path, "/"), Pretty: base.Pretty, Plain: !base.Pretty, Index: strings.HasSuffix(base.Front, "/index.php/"),
		}
	}
	bases := map[string]seo.Base{
		"pretty": {Home: "https://small.test", Front: "https://small.test/", Pretty: true},
		"index":  {Home: "https://small.test", Front: "https://small.test/index.php/", Pretty: true},
		"plain":  {Home: "https://small.test", Front: "https://small.test/"},
	}
	for _, p := range []*seo.Plugin{&framework.Plugin, &jetpack.Plugin, &slimseo.Plugin} {
		for kind, base := range bases {
			names := []string{seo.IndexName, "news", "video", p.URLs.Name(seo.KindPost, "post"), p.URLs.Name(seo.KindPost, "model-3"),
				p.URLs.Name(seo.KindTerm, "category"), p.URLs.Name(seo.KindUser, "")}
			for _, name := range names {
				for page := 1; page <= 2 && (name != seo.IndexName || page == 1); page++ {
					address := p.URLs.URL(base, p.URLs.File(name, page, 2))
					to := p.URLs.Parse(request(base, address))
					if to.Kind != seo.Sitemap || to.Name != name || to.Page != page {
						t.Errorf("%s, %s: %s is %+v, want page %d of %s", p.Name, kind, address, to, page, name)
					}
				}
			}
		}
		for _, none := range []string{"/a/sitemap.xml", "/sitemap.txt-sitemap.xml", "/1-sitemap.xml", "/wp-content/sitemap.xml", "/", "/?sitemap=1"} {
			if to := p.URLs.Parse(request(bases["pretty"], none)); to.Kind != seo.NoResource {
				t.Errorf("%s: %s is %+v", p.Name, none, to)
			}
		}
	}
	for _, tt := range []struct {
		plugin        *seo.Plugin
		base, address string
		want          seo.Resource
	}{
		{&framework.Plugin, "pretty", "/Sitemap_Index.xml", seo.Resource{Kind: seo.Sitemap, Name: seo.IndexName, Page: 1}},
		{&framework.Plugin, "pretty", "/post-sitemap1.xml", seo.Resource{Kind: seo.Redirect, Name: "post", Location: "/post-sitemap.xml"}},
		{&framework.Plugin, "pretty", "/sitemap.xsl", seo.Resource{Kind: seo.Stylesheet, Name: "main"}},
		{&framework.Plugin, "plain", "/sitemap.xml", seo.Resource{}},
		{&jetpack.Plugin, "pretty", "/sitemap_index.xml", seo.Resource{}},
		{&jetpack.Plugin, "pretty", "/image-sitemap-index-2.xml", seo.Resource{Kind: seo.Redirect, Name: seo.IndexName, Location: "/sitemap.xml"}},
		{&jetpack.Plugin, "index", "/index.php/sitemap-1.xml", seo.Resource{Kind: seo.Redirect, Name: seo.IndexName, Location: "/index.php/sitemap.xml"}},
		{&jetpack.Plugin, "plain", "/?jetpack-sitemap=sitemap-1.xml",
			seo.Resource{Kind: seo.Redirect, Name: seo.IndexName, Location: "/?jetpack-sitemap=sitemap.xml"}},
		{&slimseo.Plugin, "pretty", "/sitemap-post-type-post-02.xml", seo.Resource{Kind: seo.Sitemap, Name: "post-type-post", Page: 2}},
		{&slimseo.Plugin, "pretty", "/?ss_sitemap=taxonomy-post_tag", seo.Resource{Kind: seo.Sitemap, Name: "taxonomy-post_tag", Page: 1, ByQuery: true}},
		{&slimseo.Plugin, "pretty", "/sitemap-users.xml", seo.Resource{}},
	} {
		if to := tt.plugin.URLs.Parse(request(bases[tt.base], tt.address)); to != tt.want {
			t.Errorf("%s, %s: %s is %+v, want %+v", tt.plugin.Name, tt.base, tt.address, to, tt.want)
		}
	}
}

// Whether a plugin's sitemaps are served, and not WordPress' own or none.
func TestFromPlugin(t *testing.T) {
	t.Parallel()
	site := sitemaptest.OpenSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "small")})
	for choice, want := range map[string]bool{"yoast": true, "seopress": true, "core": false, "off": false} {
		if got := sitemaptest.Build(t, site, seo.Options{Sitemaps: choice}).FromPlugin(); got != want {
			t.Errorf("%s: %t", choice, got)
		}
	}
}
