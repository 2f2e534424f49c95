package diff

import (
	"testing"

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
