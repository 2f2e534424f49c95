package wp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wpsitemapd/wp/permalink"
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

// If each language has a domain of its own, a blog is read once for each language. The default language also answers at home, unless
// another language has that host.
func TestLanguagesWithDomains(t *testing.T) {
	options := func(domains ...string) string {
		text := fmt.Sprintf("a:%d:{", len(domains)/2)
		for _, d := range domains {
			text += fmt.Sprintf(`s:%d:"%s";`, len(d), d)
		}
		return storeOption("polylang", `a:9:{s:12:"hide_default";b:1;s:7:"rewrite";b:1;s:13:"redirect_lang";b:0;s:10:"force_lang";i:3;s:7:"domains";`+text+
			`}s:13:"media_support";b:0;s:10:"post_types";a:0:{}s:10:"taxonomies";a:0:{}s:12:"default_lang";s:2:"en";}`)
	}
	front := []string{storeOption("show_on_front", "page"), storeOption("page_on_front", "1011"), storeOption("page_for_posts", "1001")}
	for _, tt := range []struct {
		rule string
		sql  []string
		want []string // home, hosts, page on front and page for posts
	}{
		{
			"each language has a domain", append(front, options("en", "https://small.test", "fr", "https://petit.test", "de", "https://klein.test")),
			[]string{"https://small.test [small.test] 1011 1001", "https://petit.test [petit.test] 1012 1002", "https://klein.test [klein.test] 1011 1003"},
		},
		{
			"home is at the host of no language", append(front, options("en", "https://english.test", "fr", "https://petit.test", "de", "https://klein.test")),
			[]string{"https://english.test [english.test small.test] 1011 1001", "https://petit.test [petit.test] 1012 1002",
				"https://klein.test [klein.test] 1011 1003"},
		},
		{
			"home is at the host of another language",
			append(front, options("en", "https://english.test", "fr", "https://small.test", "de", "https://klein.test")),
			[]string{"https://english.test [english.test] 1011 1001", "https://small.test [small.test] 1012 1002",
				"https://klein.test [klein.test] 1011 1003"},
		},
	} {
		dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
		wptest.Exec(t, dsn, tt.sql...)
		blogs, err := open(t, Source{DSN: dsn}).ReadBlogs(t.Context())
		wptest.Must(t, err)
		var got []string
		for _, b := range blogs {
			got = append(got, fmt.Sprint(b.Home(), " ", b.Hosts(), " ", b.Settings().PageOnFront, " ", b.Settings().PageForPosts))
			expect.Equal(t, b.Settings().Permalinks.PageOnFront, b.Settings().PageOnFront, tt.rule)
			at := b.AtHome()
			expect.Equal(t, at.Home(), "https://small.test", tt.rule, "the blog as if its language had no domain")
			expect.Equal(t, at == b, b.Home() == "https://small.test", tt.rule, "the blog itself")
		}
		expect.List(t, got, tt.want, tt.rule)
	}
}

// A change of the languages changes the fingerprint.
func TestFingerprintOfLanguages(t *testing.T) {
	dsn := wptest.Load(t, wptest.SQLite, "small", "small-polylang")
	before := openSite(t, Source{DSN: dsn}).Fingerprint()
	wptest.Exec(t, dsn, `UPDATE wp_term_taxonomy SET description = REPLACE(description, 'fr_FR', 'fr_CA') WHERE taxonomy = 'language'`)
	expect.Equal(t, openSite(t, Source{DSN: dsn}).Fingerprint() != before, true, "the fingerprint changes with the locale of a language")
}

// The front page and the posts page are those of the language, if they are translated.
func TestUseLanguage(t *testing.T) {
	for _, tt := range []struct {
		show         string
		front, posts int64
		want         [2]int64
	}{{"page", 1, 1, [2]int64{1, 1}}, {"page", 0, 3, [2]int64{10, 3}}, {"page", 3, 0, [2]int64{3, 11}}, {"posts", 1, 1, [2]int64{10, 11}}} {
		b := new(Blog)
		b.set.ShowOnFront, b.set.PageOnFront, b.set.PageForPosts = tt.show, 10, 11
		b.languages.All = []Language{{}, {Front: tt.front, Posts: tt.posts}}
		b.useLanguage(1)
		expect.Equal(t, [2]int64{b.set.PageOnFront, b.set.PageForPosts}, tt.want, tt)
		expect.Equal(t, b.languages.Current, 1, tt)
	}
}

// If each language has its own blog, that of the default language has the warnings. A language that is not active has none.
func TestPerLanguage(t *testing.T) {
	b := &Blog{network: &Network{declared: ownAlone}, home: "https://a.test", warnings: []string{"x"}}
	b.languages.All = []Language{{Code: "de", Active: true}, {Code: "en", Active: true}, {Code: "fr"}, {Code: "nl", Active: true}}
	b.languages.Main, b.languages.Links = 1, &permalink.Languages{}
	expect.Equal(t, len(b.PerLanguage()), 1, "no domains")
	b.languages.Domains = true
	var got []string
	for _, own := range b.PerLanguage() {
		got = append(got, fmt.Sprint(own.languages.All[own.languages.Current].Code, own.warnings))
	}
	expect.List(t, got, []string{"de[]", "en[x]", "nl[]"})
}
