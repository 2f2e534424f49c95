package diff

import (
	"context"
	"fmt"
	"io"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/live"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// Differences with the same facet and cause are one group. The largest group comes first, and keeps a bounded number of examples.
func TestGrouped(t *testing.T) {
	known := Cause{ID: "a", Known: true}
	found := []Difference{
		{Facet: lastMod, Sitemap: "post", URL: "1"},
		{Facet: onlyOurs, Cause: known, Sitemap: "post", URL: "2"}, {Facet: onlyOurs, Cause: known, Sitemap: "page", URL: "3"},
		{Facet: onlyOurs, Cause: known, Sitemap: "post", URL: "4"},
		{Facet: onlyOurs, Sitemap: "post", URL: "5"},
	}
	groups := grouped(found, 2)
	expect.Equal(t, len(groups), 3)
	g := groups[0]
	expect.Equal(t, g.Cause, "a")
	expect.Equal(t, g.Count, 3)
	expect.Equal(t, len(g.Examples), 2)
	expect.Same(t, g.Sitemaps, map[string]int{"post": 2, "page": 1})
	expect.Equal(t, groups[1].What+", "+groups[2].What, string(onlyOurs)+", "+string(lastMod))
}

// It is safe to switch only if every file was read and every difference is explained.
func TestVerdict(t *testing.T) {
	for _, tt := range []struct {
		unexplained, known int
		failed             []FailedFile
		safe               bool
		want               string
	}{
		{0, 0, nil, true, "safe to switch: no differences"},
		{0, 2, nil, true, "safe to switch: 0 unexplained differences, 2 known ones"},
		{1, 2, nil, false, "not yet safe to switch: 1 unexplained difference, 2 known ones"},
		{0, 1, make([]FailedFile, 1), false, "no verdict: 1 of 3 sitemaps could not be read; among the rest 0 unexplained differences, 1 known one"},
	} {
		l := &LevelReport{Unexplained: tt.unexplained, Known: tt.known}
		l.judge(&BlogReport{Sitemaps: 3, Failed: tt.failed})
		expect.Equal(t, l.Verdict, tt.want)
		expect.Equal(t, l.Safe, tt.safe, tt.want)
	}
}

// Unexplained groups come before known ones, and only Verbose prints more than a few examples.
func TestText(t *testing.T) {
	known := Group{What: "lastmod", Cause: "a", Why: "by rule", Known: true, Count: 2, Sitemaps: map[string]int{"post": 2},
		Examples: []Difference{{URL: "https://a.test/k1", Theirs: "1", Ours: "2"}, {URL: "https://a.test/k2"}}}
	open := Group{What: "URL only in ours", Why: "unknown", Count: 6, Sitemaps: map[string]int{"page": 6}, Add: []string{"[site.exclude]\npost_ids = [1]"}}
	for range 6 {
		open.Examples = append(open.Examples, Difference{URL: "https://a.test/open", Theirs: "absent", Ours: "listed", Detail: "a row"})
	}
	r := &Report{Sites: []*SiteReport{{Name: "a", Blogs: []*BlogReport{{
		ID: 1, Home: "https://a.test", Live: "https://a.test/sitemap.xml", Sitemaps: 2, URLs: 9,
		Levels: []*LevelReport{{Level: "spec", URLs: 8, Groups: []Group{known, open}, Verdict: "not yet safe to switch"}},
	}}}}}
	text := r.Text()
	expect.Parts(t, text, "site a", "https://a.test (blog 1)", "written by an unknown program: 2 sitemaps with 9 URLs", "6 UNEXPLAINED: URL only in ours",
		"theirs: absent", "… and 1 more", "          [site.exclude]\n          post_ids = [1]", "2 known: lastmod", "https://a.test/k2", "level spec: not yet")
	r.Verbose = true
	expect.Parts(t, r.Text(), "theirs: 1\n          ours:   2")
}

// The whole report: what could not be read, what was compared, and of each level the unexplained groups first.
func TestWholeText(t *testing.T) {
	group := func(what string, known bool, n int) Group {
		g := Group{What: what, Why: "by rule", Known: known, Count: n, Sitemaps: map[string]int{"post": n, "page": 1200}}
		for i := range n {
			g.Examples = append(g.Examples, Difference{URL: fmt.Sprintf("https://a.test/%d", i), Theirs: "1", Ours: "2"})
		}
		return g
	}
	r := &Report{Sites: []*SiteReport{
		{Name: "a", Errors: []string{"site a: cannot open"}},
		{Name: "b", Blogs: []*BlogReport{
			{ID: 1, Home: "https://b.test", Error: "it does not answer", Live: "https://b.test/sitemap.xml"},
			{ID: 2, Home: "https://b.test/two", Live: "https://b.test/two/sitemap.xml", Generator: "Yoast SEO", Sitemaps: 1, URLs: 1, Notes: []string{"a note"},
				Failed: []FailedFile{{"https://b.test/x.xml", "404"}}, Levels: []*LevelReport{
					{Level: "plugin", URLs: 1, Groups: []Group{group("known thing", true, 4), group("open thing", false, 5)}, NotCompared: 1200, Verdict: "no verdict"},
				}},
		}},
	}}
	expect.Equal(t, r.Text(), `site a
  TROUBLE: cannot open

site b
  https://b.test (blog 1)
    TROUBLE: it does not answer
  https://b.test/two (blog 2)
    compared with https://b.test/two/sitemap.xml, written by Yoast SEO: 1 sitemap with 1 URL
    note: a note
    TROUBLE: https://b.test/x.xml: 404

    level plugin, 1 URL
      5 UNEXPLAINED: open thing (by rule)
        1,200 in the sitemap page, 5 in the sitemap post
        https://a.test/0
          theirs: 1
          ours:   2
        https://a.test/1
          theirs: 1
          ours:   2
        https://a.test/2
          theirs: 1
          ours:   2
        https://a.test/3
          theirs: 1
          ours:   2
        https://a.test/4
          theirs: 1
          ours:   2
      4 known: known thing (by rule)
        1,200 in the sitemap page, 4 in the sitemap post
        https://a.test/0
        https://a.test/1
        https://a.test/2
      1,200 URLs of ours not compared: they may be in a sitemap that could not be read
    level plugin: no verdict
`)
}

// The sitemaps of a copy at another address are compared as if they were at home. That concerns each part of an entry.
func TestEntriesOfCopy(t *testing.T) {
	entry := func() live.Entry {
		return live.Entry{Loc: "https://copy.test/a/", Extra: &live.Extra{
			Images: []live.Image{{Loc: "https://copy.test/a.png"}, {Loc: "https://cdn.test/b.png"}}, News: []string{"title: https://copy.test/ is new"},
			Videos: []string{"player: https://copy.test/v\nloc: https://copy.test/w"}, Alternates: []string{"fr https://copy.test/fr/"},
		}}
	}
	here := &target{from: "https://copy.test/", to: "https://home.test/"}
	e := entry()
	here.translate(&e)
	expect.Equal(t, here.translated, true)
	expect.Same(t, live.Entry{Loc: "https://home.test/a/", Extra: &live.Extra{
		Images: []live.Image{{Loc: "https://home.test/a.png"}, {Loc: "https://cdn.test/b.png"}}, News: []string{"title: https://home.test/ is new"},
		Videos: []string{"player: https://home.test/v\nloc: https://home.test/w"}, Alternates: []string{"fr https://home.test/fr/"},
	}}.Extra, e.Extra)
	expect.Equal(t, e.Loc, "https://home.test/a/")
	elsewhere := live.Entry{Loc: "https://other.test/a/"}
	another := &target{from: "https://copy.test/", to: "https://home.test/"}
	another.translate(&elsewhere)
	expect.Equal(t, elsewhere.Loc, "https://other.test/a/")
	expect.Equal(t, another.translated, false)
	e = entry()
	new(target).translate(&e)
	expect.Same(t, entry().Extra, e.Extra)
}

// All differences are kept if that is wanted, else a bounded number of examples.
func TestNumberOfExamples(t *testing.T) {
	for all, want := range map[bool]int{true: maxExamples + 1, false: maxExamples} {
		var found []Difference
		for i := range maxExamples + 1 {
			found = append(found, Difference{Facet: onlyOurs, Sitemap: "post", URL: fmt.Sprint(i), Cause: Cause{Known: true}})
		}
		x := &sitemaps{Run: &Run{All: all}, theirs: newListing(nil), served: new(BlogReport)}
		l := x.summarize(&side{level: "spec", listing: newListing(nil), found: found})
		expect.Equal(t, len(l.Groups[0].Examples), want, all)
		expect.Equal(t, l.Groups[0].Count, maxExamples+1, all)
		expect.Equal(t, l.Known, maxExamples+1)
	}
}

// A site that cannot be read has the reason, and a run that was stopped has none.
func TestSiteThatCannotBeRead(t *testing.T) {
	s := &config.Site{Name: "a", DSN: "sqlite:/nowhere/x"}
	r, err := (&Run{Err: io.Discard}).Site(t.Context(), s)
	wptest.Must(t, err)
	expect.Equal(t, len(r.Errors), 1)
	expect.Equal(t, r.OK, false)
	expect.Equal(t, r.Blogs != nil, true, "a program gets an empty list:")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = (&Run{Err: io.Discard}).Site(ctx, s)
	expect.Equal(t, err, context.Canceled)
}
