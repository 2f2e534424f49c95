package explain_test

import (
	"slices"
	"strings"
	"testing"

	"wpsitemapd/sitemap/explain"
	"wpsitemapd/sitemap/internal/sitemaptest"
	"wpsitemapd/sitemap/seo"
)

// explain and the sitemap agree about a part of a post.
func TestExplainPartsOfCanonicalPosts(t *testing.T) {
	t.Parallel()
	own := sitemaptest.MetaRow(9005, "rank_math_canonical_url", "https://small.test/two-parts/")
	c := sitemaptest.Of(t, "small", seo.Options{Compat: seo.SpecLevel}, slices.Concat(sitemaptest.RankMathSite, sitemaptest.TreeRows, []string{own})...)
	if x := sitemaptest.Explain(t, c, "https://small.test/two-parts/2/"); x.In || x.Rule != seo.CanonicalElsewhere.String() {
		t.Errorf("in %t, %s: %s", x.In, x.Rule, x.Because)
	}
}

// At level plugin, explain says that a listed object is noindexed, too. It also says so of a sitemap
// that the index names but that is answered with 404.
func TestListedAndNoindexed(t *testing.T) {
	t.Parallel()
	opt := seo.Options{Compat: seo.PluginLevel}
	private := sitemaptest.Of(t, "small", opt, append(slices.Clone(sitemaptest.TreeRows), sitemaptest.SetOption("blog_public", "0"))...)
	x := sitemaptest.Explain(t, private, "https://small.test/two-parts/")
	named := slices.ContainsFunc(x.Evidence, func(e seo.Evidence) bool { return e.Source == "wp_options.blog_public" })
	if !x.In || !named || !strings.HasSuffix(x.Because, "but search engines are told not to index it: The site asks search engines to stay away.") {
		t.Errorf("in %t, %s, %+v", x.In, x.Because, x.Evidence)
	}
	c := sitemaptest.Of(t, "small", opt, append(slices.Clone(sitemaptest.RankMathSite), "DELETE FROM wp_postmeta WHERE post_id = 1012",
		sitemaptest.SetOption("show_on_front", "page"), sitemaptest.SetOption("page_on_front", "1012"))...)
	p := explain.Sitemap(c.Catalog, seo.Reason{}, "page", 1)
	if p.In || !strings.HasPrefix(p.Because, "The index names it, as the index of Rank Math does. But") {
		t.Errorf("in %t: %s", p.In, p.Because)
	}
}
