package multilingual

import (
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// What the plugins print in the head of a page.
func TestHreflang(t *testing.T) {
	all := []Language{
		{Code: "en", Tag: "en-US", Home: "/en/"}, {Code: "de", Tag: "de-DE", Home: "/"}, {Code: "at", Tag: "de-AT", Home: "/at/"},
		{Code: "sie", Tag: "de-DE", Home: "/sie/"}, {Code: "zh-hans", Tag: "zh-Hans", Home: "/zh/"},
	}
	languages := &Languages{All: all, Main: 1}
	polylang, coded, wpml := &polylang{languages: languages}, &polylang{languages: languages, root: "https://a.test/"}, &wpml{languages: languages}
	for _, c := range []struct {
		name   string
		plugin Plugin
		page   string // codes and links
		want   string
	}{
		{"no country that is not needed", polylang, "en /en/a/ de /a/", "en /en/a/ de /a/"},
		{"two countries of a language", polylang, "en /en/a/ de /a/ at /at/a/", "en /en/a/ de-DE /a/ de-AT /at/a/"},
		{"a country without the other", polylang, "en /en/a/ at /at/a/", "en /en/a/ de /at/a/"},
		{"two locales with one tag", polylang, "en /en/a/ de /a/ sie /sie/a/", "en /en/a/ de /sie/a/"},
		{"nothing else than one tag", polylang, "de /a/ sie /sie/a/", ""},
		{"a script", polylang, "en /en/a/ zh-hans /zh/a/", "en /en/a/ zh /zh/a/"},
		{"front page, default language hidden", polylang, "en /en/ de /", "en /en/ de /"},
		{"front page", coded, "en /en/ at /at/", "en /en/ de /at/ x-default https://a.test/"},
		{"no front page", coded, "en /en/a/ at /at/a/", "en /en/a/ de /at/a/"},
		{"WPML", wpml, "en /en/a/ de /a/ zh-hans /zh/a/", "en-us /en/a/ de-de /a/ zh-hans /zh/a/ x-default /a/"},
		{"WPML without the default language", wpml, "en /en/a/ at /at/a/", "en-us /en/a/ de-at /at/a/"},
	} {
		words := strings.Fields(c.page)
		var page []Alternate
		for i := 0; i < len(words); i += 2 {
			page = append(page, Alternate{words[i], words[i+1]})
		}
		var got []string
		for _, a := range c.plugin.Hreflang(page) {
			got = append(got, a.Language, a.Link)
		}
		expect.Equal(t, strings.Join(got, " "), c.want, c.name)
	}
}
