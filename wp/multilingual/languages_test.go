package multilingual

import (
	"testing"

	"wpsitemapd/wp/permalink"
	"wpsitemapd/wp/wptest/expect"
)

// site has English as its default language, at home itself, and French below /fr/.
func site(plugin string) *Languages {
	l := &Languages{
		All:   []Language{{Code: "en", Home: "https://a.test/"}, {Code: "fr", Home: "https://a.test/fr/"}},
		Links: permalink.NewLanguages(permalink.LanguageSettings{Home: "https://a.test", Structure: "/%postname%/", Codes: []string{"en", "fr"}, Hidden: "en"}),
		home:  "https://a.test", PostTypes: map[string]bool{"post": true}, Taxonomies: map[string]bool{"category": true, "post_tag": false},
	}
	l.Filters, l.listsWithoutLanguage, l.ByTaxonomyID = plugin == "Polylang", plugin == "WPML", plugin == "WPML"
	return l
}

// Without a multilingual plugin, nothing changes.
func TestNoLanguages(t *testing.T) {
	l := new(Languages)
	_, known := l.Asked()
	expect.Equal(t, known, false)
	expect.Equal(t, l.Default()+l.OfDomain(), "")
	expect.Equal(t, l.HidesDefault() && l.ListsWithoutLanguage(), true)
	expect.Equal(t, l.Term("category", "https://a.test/category/a/", ""), "https://a.test/category/a/")
	expect.Equal(t, l.Archive("https://a.test/book/", ""), "https://a.test/book/")
}

// The sitemaps have the language of their domain. Without domains they have the default language.
func TestAsked(t *testing.T) {
	l := site("WPML")
	asked, known := l.Asked()
	expect.Equal(t, asked.Code, "en")
	expect.Equal(t, known && l.OfDomain() == "", true)
	l.Domains, l.Current = true, 1
	asked, _ = l.Asked()
	expect.Equal(t, asked.Code+l.OfDomain()+l.Default(), "frfren")
	expect.Equal(t, l.HidesDefault(), true)
	l.All[0].Home = "https://a.test/en/"
	expect.Equal(t, l.HidesDefault(), false)
}

// The plugins differ in which terms they give a language, and in the ids by which they know terms.
func TestTermsOfPlugins(t *testing.T) {
	polylang, wpml, content := site("Polylang"), site("WPML"), site("Polylang")
	content.Content, polylang.Current, wpml.Current = true, 1, 1
	for _, c := range []struct {
		languages      *Languages
		taxonomy, want string
	}{
		{polylang, "category", "https://a.test/fr/x/"}, {wpml, "category", "https://a.test/fr/x/"}, {content, "category", "https://a.test/x/"},
		{polylang, "post_tag", "https://a.test/x/"}, {polylang, "post_format", "https://a.test/fr/x/"}, {wpml, "post_format", "https://a.test/x/"},
	} {
		expect.Equal(t, c.languages.Term(c.taxonomy, "https://a.test/x/", "fr"), c.want, c.taxonomy)
	}
	expect.Equal(t, polylang.ObjectID(1, 2), 1)
	expect.Equal(t, wpml.ObjectID(1, 2), 2)
	expect.Equal(t, wpml.ListsWithoutLanguage() && !polylang.ListsWithoutLanguage(), true)
	expect.Equal(t, wpml.Archive("https://a.test/book/", ""), "https://a.test/fr/book/")
	expect.Equal(t, wpml.Archive("https://a.test/book/", "en"), "https://a.test/book/")
}

// Only listed members are named, and none if the object itself or all its translations are not listed.
func TestAlternates(t *testing.T) {
	l, members := site("WPML"), map[string]int64{"fr": 2, "en": 1, "de": 3}
	both := l.Alternates(members, 2, map[int64]string{1: "/a/", 2: "/fr/a/", 3: "/de/a/"})
	expect.List(t, both, []Alternate{{"en", "/a/"}, {"fr", "/fr/a/"}})
	expect.List(t, l.Alternates(members, 2, map[int64]string{1: "/a/"}), nil)
	expect.List(t, l.Alternates(members, 1, map[int64]string{1: "/a/"}), nil)
}
