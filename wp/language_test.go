package wp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// A language of Polylang starts at the address of its static front page where redirect_lang is off, and at its code or domain
// else.
func TestLanguageHomes(t *testing.T) {
	t.Parallel()
	const options = `a:9:{s:12:"hide_default";b:1;s:7:"rewrite";b:1;s:13:"redirect_lang";b:0;s:10:"force_lang";i:1;s:7:"domains";` +
		`a:2:{s:2:"en";s:18:"https://small.test";s:2:"fr";s:18:"https://petit.test";}s:13:"media_support";b:0;s:10:"post_types";a:0:{}` +
		`s:10:"taxonomies";a:0:{}s:12:"default_lang";s:2:"en";}`
	redirected, domains := strings.NewReplacer(`redirect_lang";b:0`, `redirect_lang";b:1`), strings.NewReplacer(`force_lang";i:1`, `force_lang";i:3`)
	for options, want := range map[string]string{
		options:                     "https://small.test/fr/a-propos/",
		redirected.Replace(options): "https://small.test/fr/",
		domains.Replace(options):    "https://petit.test/",
		domains.Replace(redirected.Replace(options)): "https://petit.test/",
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
		wptest.Exec(t, dsn, "REPLACE INTO wp_options (option_name, option_value) VALUES ('polylang', '"+options+"'), "+
			"('show_on_front', 'page'), ('page_on_front', '1011')")
		all := openSite(t, Source{DSN: dsn}).Languages().All
		if i := slices.IndexFunc(all, func(l Language) bool { return l.Code == "fr" }); i < 0 || all[i].Home != want {
			t.Errorf("%s: %+v, want %s", options, all, want)
		}
	}
}

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
		s := openSite(t, Source{DSN: wptest.Load(t, wptest.SQLite, "small", seed)})
		var got []string
		note := func(id int64, language, link string, alternates []Alternate) {
			got = append(got, strings.ReplaceAll(fmt.Sprint(id, " ", language, " ", link, " ", alternates), "https://small.test/", ""))
		}
		published := func(id int64) bool { return id != 1008 }
		posts, err := s.TranslatedPosts(t.Context(), []int64{1001, 1002, 1004, 1005, 1006, 1012}, nil, published, nil)
		wptest.Must(t, err)
		for _, p := range posts {
			note(p.ID, p.Language, p.Link, p.Alternates)
		}
		terms, err := s.TranslatedTerms(t.Context(), s.Registry().Taxonomy("category"), []int64{1021, 1023}, func(int64) bool { return true })
		wptest.Must(t, err)
		for _, term := range terms {
			note(term.ID, term.Language, term.Link, term.Alternates)
		}
		all, ofPosts, ofTerms := s.Languages().All, map[int64]string{}, map[int64]string{}
		wptest.Must(t, s.Languages().Plugin.EachPost(t.Context(), "post", func(id int64, language int) {
			if id <= 1003 {
				ofPosts[id] = all[language].Code
			}
		}))
		found, err := s.TermLanguages(t.Context(), "category", []TermRow{{ID: 1021, TaxonomyID: 2021}, {ID: 1022, TaxonomyID: 2022}, {ID: 1023, TaxonomyID: 2023}})
		wptest.Must(t, err)
		for id, language := range found {
			ofTerms[id] = all[language].Code
		}
		got = append(got, fmt.Sprint("posts ", ofPosts), fmt.Sprint("terms ", ofTerms))
		expect.Same(t, want, got, seed)
	}
}
