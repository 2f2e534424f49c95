package address

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/wp"
	"wpsitemapd/wp/objects"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// The languages and translations of posts and terms, by the rows of Polylang and of WPML.
func TestTranslations(t *testing.T) {
	for seed, want := range map[string][]string{
		"small-polylang": {
			"1001 en hello/ [{en hello/} {fr fr/bonjour/} {de de/hallo/}]", "1002 fr fr/bonjour/ [{en hello/} {fr fr/bonjour/} {de de/hallo/}]",
			"1004 en only-english/ []", "1005  nameless/ []", "1006 fr fr/cote-francais/ [{en english-side/} {fr fr/cote-francais/}]",
			"1012 fr fr/a-propos/ [{en about/} {fr fr/a-propos/}]",
			"1021 en category/news/ [{en category/news/} {fr fr/category/actualites/}]", "1023  category/misc/ []", "posts map[1001:en 1002:fr 1003:de]",
			"terms map[1021:en 1022:fr]",
		},
		"small-wpml": {
			"1001 en hello/ [{en hello/} {de de/hallo/} {fr fr/bonjour/}]", "1002 fr fr/bonjour/ [{en hello/} {de de/hallo/} {fr fr/bonjour/}]",
			"1004 en only-english/ []", "1005  nameless/ []", "1006 fr fr/cote-francais/ [{en english-side/} {fr fr/cote-francais/}]",
			"1012 fr fr/a-propos/ [{en about/} {fr fr/a-propos/}]",
			"1021 en category/news/ [{en category/news/} {fr fr/category/actualites/}]", "1023  category/misc/ []", "posts map[1001:en 1002:fr 1003:de]",
			"terms map[1021:en 1022:fr]",
		},
	} {
		s := openSite(t, wp.Source{DSN: wptest.Load(t, wptest.SQLite, "small", seed)})
		var got []string
		note := func(id int64, language, link string, alternates []wp.Alternate) {
			got = append(got, strings.ReplaceAll(fmt.Sprint(id, " ", language, " ", link, " ", alternates), "https://small.test/", ""))
		}
		published := func(id int64) bool { return id != 1008 }
		posts, err := s.TranslatedPosts(t.Context(), []int64{1001, 1002, 1004, 1005, 1006, 1012}, nil, published, nil)
		wptest.Must(t, err)
		for _, p := range posts {
			note(p.ID, p.Language, p.Link, p.Alternates)
		}
		terms, err := s.TranslatedTerms(t.Context(), s.Blog.Registry().Taxonomy("category"), []int64{1021, 1023}, func(int64) bool { return true })
		wptest.Must(t, err)
		for _, term := range terms {
			note(term.ID, term.Language, term.Link, term.Alternates)
		}
		all, ofPosts, ofTerms := s.Blog.Languages().All, map[int64]string{}, map[int64]string{}
		wptest.Must(t, s.Blog.Languages().Plugin.EachPost(t.Context(), "post", func(id int64, language int) {
			if id <= 1003 {
				ofPosts[id] = all[language].Code
			}
		}))
		found, err := objects.TermLanguages(t.Context(), s.Blog, "category", []objects.TermRow{{ID: 1021, TaxonomyID: 2021}, {ID: 1022, TaxonomyID: 2022}, {ID: 1023, TaxonomyID: 2023}})
		wptest.Must(t, err)
		for id, language := range found {
			ofTerms[id] = all[language].Code
		}
		got = append(got, fmt.Sprint("posts ", ofPosts), fmt.Sprint("terms ", ofTerms))
		expect.Same(t, want, got, seed)
	}
}
