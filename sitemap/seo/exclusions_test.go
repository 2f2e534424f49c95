package seo_test

import (
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/registry"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

func TestParseAge(t *testing.T) {
	for text, want := range map[string]seo.Age{
		"3y": {Text: "3y", Years: 3}, "18m": {Text: "18m", Months: 18}, "36500d": {Text: "36500d", Days: 36500},
		"": {}, "3": {}, "y": {}, "5w": {}, "0d": {}, "-1d": {}, "36501d": {}, "1e1d": {},
	} {
		if age, ok := seo.ParseAge(text); ok != (want != seo.Age{}) || ok && age != want {
			t.Errorf("%q: %+v, %v", text, age, ok)
		}
	}
}

// Objects that other plugins leave out are left out if those plugins are active. They are explained and counted.
func TestExclusionsOfOtherPlugins(t *testing.T) {
	const (
		jobs  = "wp-job-manager/wp-job-manager.php"
		links = "page-links-to/page-links-to.php"
		woo   = "woocommerce/woocommerce.php"
		edd   = "easy-digital-downloads/easy-digital-downloads.php"
	)
	// The types of posts 101 and 102.
	asJobs := []string{
		"UPDATE wp_posts SET post_type = 'job_listing' WHERE ID IN (101, 102)",
		sitemaptest.SetOption("wpseo", `a:1:{s:28:"last_known_public_post_types";a:3:{i:0;s:4:"post";i:1;s:4:"page";i:2;s:11:"job_listing";}}`),
		sitemaptest.SetOption("rewrite_rules", `a:2:{s:17:"^wp-sitemap\.xml$";s:23:"index.php?sitemap=index";`+
			`s:28:"job/([^/]+)(?:/([0-9]+))?/?$";s:50:"index.php?job_listing=$matches[1]&page=$matches[2]";}`),
	}
	cart, thanks := sitemaptest.SetOption("woocommerce_cart_page_id", "4"), sitemaptest.SetOption("edd_settings", `a:1:{s:12:"success_page";s:1:"4";}`)
	filled := func(value string) string { return sitemaptest.MetaRow(101, "_filled", value) }
	job := func(value string, more ...string) []string {
		return slices.Concat(asJobs, []string{filled(value)}, more)
	}
	leads := func(to string) string { return sitemaptest.MetaRow(101, "_links_to", to) }
	for _, tt := range []struct {
		name         string
		plugins      string
		change       []string
		list         string
		id           int64
		spec, plugin seo.Verdict
		evidence     string
	}{
		{"a filled position", sitemaptest.With(true, jobs), job("1"), "job_listing", 101, seo.JobFilled, seo.JobFilled, `wp_postmeta._filled "1"`},
		{"any text but 0 is filled", sitemaptest.With(true, jobs), job("yes"), "job_listing", 101, seo.JobFilled, seo.JobFilled, `wp_postmeta._filled "yes"`},
		{"a vacant position", sitemaptest.With(true, jobs), job("0"), "job_listing", 101, seo.Listed, seo.Listed, ""},
		{"without WP Job Manager", sitemaptest.With(true), job("1"), "job_listing", 101, seo.Listed, seo.Listed, ""},
		{"the meta of a post", sitemaptest.With(true, jobs), []string{filled("1")}, "post", 101, seo.Listed, seo.Listed, ""},
		{"a post that leads away", sitemaptest.With(true, links), []string{leads("https://elsewhere.test/")}, "post", 101,
			seo.LinksElsewhere, seo.LinksElsewhere, `wp_postmeta._links_to "https://elsewhere.test/"`},
		{"a post that leads to a place of the site", sitemaptest.With(true, links), []string{leads("https://example.test/about/")}, "post", 101,
			seo.LinksElsewhere, seo.Listed, `wp_postmeta._links_to "https://example.test/about/"`},
		{"without Page Links To", sitemaptest.With(true), []string{leads("https://elsewhere.test/")}, "post", 101, seo.Listed, seo.Listed, ""},
		{"the cart of WooCommerce", sitemaptest.With(true, woo), []string{cart}, "page", 4, seo.ServicePage, seo.Listed,
			`wp_options.woocommerce_cart_page_id "4"`},
		{"the cart, with Yoast's WooCommerce SEO", sitemaptest.With(true, woo, "wpseo-woocommerce/wpseo-woocommerce.php"), []string{cart}, "page", 4,
			seo.ServicePage, seo.ServicePage, `wp_options.woocommerce_cart_page_id "4"`},
		{"the cart of WooCommerce that is switched off", sitemaptest.With(true), []string{cart}, "page", 4, seo.Listed, seo.Listed, ""},
		{"a page of Easy Digital Downloads", sitemaptest.With(true, edd), []string{thanks}, "page", 4, seo.ServicePage, seo.Listed,
			`wp_options.edd_settings[success_page] "4"`},
		{"WordPress' own sitemaps hide filled positions where that is set", sitemaptest.With(false, jobs),
			job("1", sitemaptest.SetOption("job_manager_hide_filled_positions", "1"), sitemaptest.MetaRow(102, "_filled", "0")),
			"posts-job_listing", 101, seo.JobFilled, seo.JobFilled, `wp_postmeta._filled "1"`},
		{"and not where it is not", sitemaptest.With(false, jobs), job("1"), "posts-job_listing", 101, seo.Listed, seo.Listed, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wptest.Engines(t, func(t *testing.T, e wptest.Engine) {
				dsn := wptest.Load(t, e, "basic")
				wptest.Exec(t, dsn, tt.change...)
				wptest.Exec(t, dsn, tt.plugins)
				public, slug := true, "job"
				src := wp.Source{DSN: wptest.ReadOnlyDSN(t, dsn)}
				src.Overrides.PostTypes = map[string]registry.PostTypeOverride{}
				if strings.HasPrefix(tt.list, "posts-") {
					src.Overrides.PostTypes["job_listing"] = registry.PostTypeOverride{Public: &public, Slug: &slug}
				}
				blog := sitemaptest.OpenSite(t, src)
				for level, want := range map[seo.Level]seo.Verdict{seo.SpecLevel: tt.spec, seo.PluginLevel: tt.plugin} {
					c := sitemaptest.Build(t, blog, seo.Options{Compat: level})
					posts, err := blog.Posts(t.Context(), []int64{tt.id}, nil)
					wptest.Must(t, err)
					body := sitemaptest.Parse(t, sitemaptest.Render(t, c, tt.list, 1).Body)
					listed := slices.ContainsFunc(body.Entries, func(e sitemaptest.ParsedEntry) bool { return e.Loc == posts[0].Link })
					expect.Equal(t, listed, want == seo.Listed, string(level), "listed =", body.Entries)
					if n := c.LeftOut[want]; want != seo.Listed && n != 1 {
						t.Errorf("%s: %d counted as left out", string(level), n)
					}
					x := sitemaptest.Explain(t, c, posts[0].Link)
					expect.Equal(t, x.Rule, want.String(), string(level), want)
					expect.Equal(t, x.In, listed, string(level), want)
					told := slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool { return e.Source+" "+e.Value == tt.evidence })
					if want != seo.Listed && !told {
						t.Errorf("%s: %q is not among %+v", string(level), tt.evidence, x.Evidence)
					}
				}
			})
		})
	}
}

// At level spec, a front page that Page Links To sends elsewhere is not listed, because visitors of
// home are sent there. The plugins check posts only.
func TestFrontPageLinksElsewhere(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "basic")
	wptest.Exec(t, dsn, sitemaptest.With(true, "page-links-to/page-links-to.php"), sitemaptest.MetaRow(2, "_links_to", "https://elsewhere.test/"))
	blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn})
	for level, rule := range map[seo.Level]string{seo.SpecLevel: seo.LinksElsewhere.String(), seo.PluginLevel: seo.Listed.String()} {
		c := sitemaptest.Build(t, blog, seo.Options{Compat: level})
		expect.Equal(t, slices.Contains(sitemaptest.PathsIn(t, c, "page"), "/"), level == seo.PluginLevel, level, "home is listed")
		if x, err := c.Explain(t.Context(), blog.Blog.Home()+"/"); err != nil || x.Rule != rule {
			t.Errorf("%s: %+v, %v", level, x, err)
		}
	}
}
