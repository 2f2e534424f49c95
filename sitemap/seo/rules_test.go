package seo_test

import (
	"strings"
	"testing"

	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// If each language has a domain, an object of a language is listed below the home of that language. Only the blogs of other
// languages than the default one are foreign.
func TestHomeOfLanguages(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
	wptest.Exec(t, dsn, sitemaptest.SetOption("polylang", sitemaptest.Array("hide_default", true, "rewrite", true,
		"redirect_lang", false, "force_lang", 3, "default_lang", "en",
		"domains", sitemaptest.Array("en", "https://small.test", "fr", "https://petit.test", "de", "https://klein.test"))))
	sites := sitemaptest.Open(t, wp.Source{DSN: dsn})
	homes := []string{"https://small.test", "https://petit.test", "https://klein.test"}
	expect.Equal(t, len(sites), len(homes), "sites")
	for i, site := range sites {
		rules := sitemaptest.Build(t, site, seo.Options{Compat: seo.SpecLevel}).Rules
		expect.Equal(t, rules.IsForeign(), i > 0, homes[i], "is foreign")
		expect.Equal(t, rules.HomeOf(""), homes[i], "without a language")
		for n, code := range []string{"en", "fr", "de"} {
			expect.Equal(t, rules.HomeOf(code), homes[n], homes[i], code)
		}
	}
}

// If all pages are noindex, the posts page is left out, but no other object.
func TestPostsPageOfNoindexedPages(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]seo.Verdict{"noindex-page": seo.TypeNoindex, "disable-page": seo.Listed, "noindex-post": seo.Listed} {
		rules := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel, Sitemaps: "yoast"},
			sitemaptest.SetOption("wpseo_titles", sitemaptest.Array("noindex-page", false, key, true))).Rules
		expect.Equal(t, rules.Judge(seo.Object{Kind: seo.KindPostsPage, Published: true}), want, key)
		expect.Equal(t, rules.Judge(seo.Object{Kind: seo.KindFrontPage, Published: true}), seo.Listed, key)
	}
}

// The evidence of a plugin names its folder, and the options that keep its sitemaps from being served.
func TestEvidenceOfPresence(t *testing.T) {
	t.Parallel()
	blog := sitemaptest.Of(t, "small", seo.Options{}).Rules.Blog
	off, byPHP := seo.OffBy(blog, "X", "x_on", "0"), seo.Because("x", "", "", seo.OptionOf(blog, "x_php", "1"))
	for want, p := range map[string]seo.Presence{
		`wp_options.active_plugins "x"`:                     {Folder: "x"},
		`wp_options.active_plugins "x", wp_options.x_on 0`:  {Folder: "x", Off: off},
		`wp_options.active_plugins "x", wp_options.x_php 1`: {Folder: "x", ByPHP: byPHP},
	} {
		var got []string
		for _, e := range p.Evidence(blog) {
			got = append(got, e.Source+" "+e.Value)
		}
		expect.Equal(t, strings.Join(got, ", "), want)
	}
}

// Posts and terms whose stored values cannot be read are counted once each, whenever the values of all of them are read.
func TestFaultsOfMeta(t *testing.T) {
	t.Parallel()
	blog := sitemaptest.Of(t, "small", seo.Options{}, sitemaptest.MetaRow(1, "one", "bad"), sitemaptest.MetaRow(1, "two", "bad"),
		sitemaptest.MetaRow(2, "one", "good"), sitemaptest.MetaRow(3, "two", "bad"),
		`INSERT INTO wp_termmeta (term_id, meta_key, meta_value) VALUES (5, 'one', 'bad'), (6, 'two', 'good')`).Rules.Blog
	m := seo.Meta{Blog: blog, Keys: []string{"one", "two"}, Means: func(k seo.ObjectKind, value func(key string) string) seo.Flags {
		return seo.Flags{Noindex: k == seo.KindTerm, Broken: value("one") == "bad" || value("two") == "bad"}
	}}
	wptest.Must(t, m.Load(t.Context()))
	expect.Equal(t, m.Faults().Broken, 1, "terms")
	expect.List(t, m.TermEvidence("category", 5), []seo.Evidence{{Source: "wp_termmeta.one", Value: `"bad"`, Of: "category 5"}})
	flags, err := m.Posts(t.Context(), nil)
	wptest.Must(t, err)
	expect.Same(t, map[int64]seo.Flags{1: {Broken: true}, 2: {}, 3: {Broken: true}}, flags)
	expect.Equal(t, m.Faults().Broken, 3, "terms and posts")
	_, err = m.Posts(t.Context(), []int64{2})
	wptest.Must(t, err)
	expect.Equal(t, m.Faults().Broken, 3, "after some posts were read")
}
