package others_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/others"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Where the sitemaps of these plugins are, which option switches them off, and whether WordPress' own sitemaps answer then.
func TestPresent(t *testing.T) {
	t.Parallel()
	const slim, jetpack, framework, squirrly = "slim-seo/slim-seo.php", "jetpack/jetpack.php", "autodescription/autodescription.php", "squirrly-seo/squirrly.php"
	array := sitemaptest.Array
	for _, tt := range []struct {
		rule, plugin string
		set          []string
		want         string // name, index, and the option that switches the sitemaps off
		core         bool   // WordPress' own sitemaps answer
	}{
		{"none", "akismet/akismet.php", nil, "", true},
		{"always on", "smartcrawl-seo/wpmu-dev-seo.php", nil, "SmartCrawl /sitemap.xml ", false},
		{"without permalinks", "xml-sitemap-feed/xml-sitemap.php", []string{sitemaptest.SetOption("permalink_structure", "")},
			"XML Sitemap & Google News /?feed=sitemap ", false},
		{"Jetpack without its module", jetpack, nil, "Jetpack /sitemap.xml jetpack_active_modules", true},
		{"Jetpack with its module", jetpack, []string{sitemaptest.SetOption("jetpack_active_modules", array(0, "sitemaps"))}, "Jetpack /sitemap.xml ", false},
		{"Jetpack on a private site", jetpack, []string{sitemaptest.SetOption("jetpack_active_modules", array(0, "sitemaps")), sitemaptest.SetOption("blog_public", "0")},
			"Jetpack /sitemap.xml blog_public", false},
		{"Slim SEO, never saved", slim, nil, "Slim SEO /sitemap.xml ", false},
		{"Slim SEO with sitemaps", slim, []string{sitemaptest.SetOption("slim_seo", array("features", array(0, "x", 1, "sitemaps")))}, "Slim SEO /sitemap.xml ", false},
		{"Slim SEO without", slim, []string{sitemaptest.SetOption("slim_seo", array("features", array(0, "x")))}, "Slim SEO /sitemap.xml slim_seo.features", true},
		{"The SEO Framework", framework, nil, "The SEO Framework /sitemap.xml ", false},
		{"The SEO Framework, off", framework, []string{sitemaptest.SetOption("autodescription-site-settings", array("sitemaps_output", ""))},
			"The SEO Framework /sitemap.xml autodescription-site-settings.sitemaps_output", false},
		{"Squirrly", squirrly, []string{sitemaptest.SetOption("sq_options", `{"sq_auto_sitemap":"1"}`)}, "Squirrly SEO /sitemap.xml ", true},
		{"Squirrly, off", squirrly, []string{sitemaptest.SetOption("sq_options", `{"sq_auto_sitemap":"0"}`)}, "Squirrly SEO /sitemap.xml sq_options.sq_auto_sitemap", true},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small")
		wptest.Exec(t, dsn, append(tt.set, sitemaptest.Activate(tt.plugin))...)
		blog := sitemaptest.OpenSite(t, wp.Source{DSN: dsn}).Blog
		var got []string
		for _, p := range others.Present(blog) {
			off := ""
			if p.Off != nil {
				off = strings.TrimPrefix(p.Off.Evidence[0].Source, "wp_options.")
			}
			got = append(got, fmt.Sprint(p.Name, " ", strings.TrimPrefix(p.Index, "https://small.test"), " ", off))
		}
		expect.Equal(t, strings.Join(got, ", "), tt.want, tt.rule)
		expect.Equal(t, blog.Settings().Core.Sitemaps, tt.core, tt.rule, "WordPress' own sitemaps")
	}
}

// Slim SEO can take the base from the addresses of categories.
func TestLinks(t *testing.T) {
	t.Parallel()
	strip := sitemaptest.SetOption("slim_seo", sitemaptest.Array("features", sitemaptest.Array(0, "no_category_base")))
	for plugin, want := range map[string]string{"slim-seo/slim-seo.php": "/plain-term/", "jetpack/jetpack.php": "/category/plain-term/"} {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel, Sitemaps: "yoast"},
			slices.Concat(sitemaptest.SeopressSite, []string{strip, sitemaptest.Activate(plugin)})...)
		expect.Equal(t, strings.Contains(strings.Join(sitemaptest.Listed(t, c, "category"), " ")+" ", want+" "), true, plugin)
	}
}
