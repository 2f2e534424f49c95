package seo_test

import (
	"regexp"
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

// What the operator excludes by a term: the term and its posts, at both levels. A term of another taxonomy with the same slug stays.
func TestExcludedTerms(t *testing.T) {
	t.Parallel()
	site := append(slices.Clip(sitemaptest.AioseoSite), sitemaptest.YoastActive,
		"INSERT INTO wp_terms (term_id, name, slug) VALUES (2012, 'Out', 'out'), (2013, 'In', 'in')",
		`INSERT INTO wp_term_taxonomy (term_taxonomy_id, term_id, taxonomy, description, parent, count)
			VALUES (2012, 2012, 'post_tag', '', 0, 1), (2013, 2013, 'category', '', 0, 1)`,
		"INSERT INTO wp_term_relationships (object_id, term_taxonomy_id) VALUES (2001, 2012), (2001, 2013)")
	out := seo.TermName{Taxonomy: "category", Slug: "out"}
	for _, level := range sitemaptest.Levels {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: level,
			Exclude: seo.Exclude{Terms: []seo.TermName{out, {Taxonomy: "category", Slug: "none"}}}}, site...)
		expect.List(t, sitemaptest.Listed(t, c, "category"), []string{"/category/in/"}, level)
		expect.List(t, sitemaptest.Listed(t, c, "post_tag"), []string{"/tag/out/"}, level)
		posts := sitemaptest.Listed(t, c, "post")
		if slices.Contains(posts, "/by-term/") || !slices.Contains(posts, "/plain/") {
			t.Errorf("%s: %s", level, posts)
		}
		for path, of := range map[string]string{"/by-term/": "post 2004", "/category/out/": "category 2011"} {
			x := sitemaptest.Explain(t, c, "https://small.test"+path)
			want := seo.Evidence{Source: "[site.exclude] terms", Value: `"category:out", "category:none"`, Of: of}
			if x.In || x.Rule != seo.OfExcludedTerm.String() || !slices.Contains(x.Evidence, want) {
				t.Errorf("%s at level %s: %s, %+v; want %+v", path, level, x.Rule, x.Evidence, want)
			}
		}
	}
}

// An excluded address is explained by the expression that matches it, and home is an address as any other.
func TestExcludedAddresses(t *testing.T) {
	t.Parallel()
	exclude := seo.Exclude{URLs: []*regexp.Regexp{regexp.MustCompile("^https://small.test/$"), regexp.MustCompile("/plain/")}}
	for _, level := range sitemaptest.Levels {
		c := sitemaptest.Of(t, "small", seo.Options{Compat: level, Exclude: exclude},
			append(slices.Clip(sitemaptest.AioseoSite), sitemaptest.YoastActive)...)
		posts := sitemaptest.Listed(t, c, "post")
		if slices.Contains(posts, "/") || slices.Contains(posts, "/plain/") || !slices.Contains(posts, "/default/") {
			t.Errorf("%s: %s", level, posts)
		}
		for path, pattern := range map[string]string{"/": `"^https://small.test/$"`, "/plain/": `"/plain/"`} {
			x := sitemaptest.Explain(t, c, "https://small.test"+path)
			if x.In || !slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool {
				return strings.Contains(e.Source,
					"urls") && e.Value == pattern
			}) {
				t.Errorf("%s at level %s: %+v", path, level, x)
			}
		}
	}
}

// Nobody knows the addresses that a separate front end gives to later parts of posts.
func TestPartsOnAFrontEnd(t *testing.T) {
	t.Parallel()
	dsn := wptest.Load(t, wptest.SQLite, "small")
	wptest.Exec(t, dsn, append(slices.Clip(sitemaptest.AioseoSite), sitemaptest.YoastActive,
		"UPDATE wp_posts SET post_content = 'a<!--nextpage-->b' WHERE ID IN (2001, 2008)")...)
	url := "/front/{slug}/"
	o := registry.Overrides{PostTypes: map[string]registry.PostTypeOverride{"post": {URL: &url}}}
	c := sitemaptest.Build(t, sitemaptest.OpenSite(t, wp.Source{DSN: dsn, Overrides: o}), seo.Options{Compat: seo.SpecLevel})
	posts, pages := sitemaptest.Listed(t, c, "post"), sitemaptest.Listed(t, c, "page")
	if !slices.Contains(posts, "/front/plain/") || slices.ContainsFunc(posts, func(path string) bool { return strings.HasSuffix(path, "/2/") }) {
		t.Errorf("posts of a front end: %s", posts)
	}
	expect.List(t, pages, []string{"/of-the-type/", "/indexed/", "/indexed/2/"})
}

// An author with a canonical URL of its own is explained with that URL.
func TestCanonicalOfAnAuthor(t *testing.T) {
	t.Parallel()
	c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel}, append(slices.Clip(sitemaptest.RankMathSite),
		"INSERT INTO wp_usermeta (user_id, meta_key, meta_value) VALUES (1001, 'rank_math_canonical_url', 'https://elsewhere.test/')")...)
	x := sitemaptest.Explain(t, c, "https://small.test/author/ann/")
	expect.Equal(t, x.Because, "Its canonical URL is https://elsewhere.test/.")
}
