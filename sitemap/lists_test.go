package sitemap

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wpsitemapd/wp"
)

// Facts that only Yoast's rules look at.
func TestCoreJudge(t *testing.T) {
	c := NewRules(new(wp.Site), Options{}, coreSettings{}, coreDecisions)
	o := Object{Kind: KindPost, ID: 1, Published: true, FirstLink: true, ArchiveNoindex: true, Noindex: true, Canonical: "https://elsewhere.test/", Link: "https://small.test/a/"}
	if rule := c.judge(o); rule != Listed {
		t.Errorf("left out: %s", rule)
	}
}

// Pages hold 2,000 posts beside home; addresses follow the permalinks.
func TestCoreFiles(t *testing.T) {
	rules := NewRules(new(wp.Site), Options{PageSize: corePageSize, Now: time.Now}, coreSettings{}, coreDecisions)
	c := NewCatalog(rules, "WordPress", coreURLs{}, Dress{}, true)
	b := &coreBuild{build: newBuild(c, newReader(rules, nil, false), &corePolicy)}
	many := func(n int) []entry { return make([]entry, n) }
	home := []firstLink{{loc: "H", lastmod: wp.NoTime}}
	for _, l := range []*list{
		{name: "posts-a", entries: many(2000)}, {name: "posts-b", entries: many(2001)}, {name: "posts-none"},
		{name: "posts-page", first: home}, {name: "posts-full", first: home, entries: many(2000)},
	} {
		b.add(b.list(*l))
	}
	want := []Count{{"posts-a", 1, 2000}, {"posts-b", 2, 2001}, {"posts-page", 1, 1}, {"posts-full", 1, 2001}}
	if diff := cmp.Diff(want, c.Types()); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}
