package wpcore

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/sitemap/catalog"
	"wpsitemapd/sitemap/provider"
	"wpsitemapd/sitemap/rows"
	"wpsitemapd/sitemap/seo"
	"wpsitemapd/wp"
)

// Facts that only Yoast's rules look at.
func TestCoreJudge(t *testing.T) {
	c := seo.NewRules(new(wp.Blog), seo.Options{}, settings{}, Decisions)
	o := seo.Object{
		Kind:           seo.KindPost,
		ID:             1,
		Published:      true,
		FirstLink:      true,
		ArchiveNoindex: true,
		Noindex:        true,
		Canonical:      "https://elsewhere.test/",
		Link:           "https://small.test/a/",
	}
	if rule := c.Judge(o); rule != seo.Listed {
		t.Errorf("left out: %s", rule)
	}
}

// Pages hold 2,000 posts beside home; addresses follow the permalinks.
func TestCoreFiles(t *testing.T) {
	rules := seo.NewRules(new(wp.Blog), seo.Options{PageSize: PageSize(nil, 0), Now: time.Now}, settings{}, Decisions)
	c := catalog.New(rules, "WordPress", scheme{}, catalog.Dress{}, true)
	b := &lister{Build: provider.New(c, rows.NewReader(rules, nil, false), &Policy)}
	many := func(n int) []catalog.Entry { return make([]catalog.Entry, n) }
	home := []catalog.FirstLink{{Loc: "H", LastMod: wp.NoTime}}
	for _, l := range []*catalog.List{
		{Name: "posts-a", Entries: many(2000)}, {Name: "posts-b", Entries: many(2001)}, {Name: "posts-none"},
		{Name: "posts-page", First: home}, {Name: "posts-full", First: home, Entries: many(2000)},
	} {
		b.add(b.List(*l))
	}
	want := []catalog.Count{
		{Name: "posts-a", Pages: 1, URLs: 2000}, {Name: "posts-b", Pages: 2, URLs: 2001}, {Name: "posts-page", Pages: 1, URLs: 1},
		{Name: "posts-full", Pages: 1, URLs: 2001},
	}
	if diff := cmp.Diff(want, c.Types()); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}
