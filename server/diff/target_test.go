package diff

import (
	"fmt"
	"testing"

	"wpsitemapd/server/live"
	"wpsitemapd/sitemap/explain"
	"wpsitemapd/wp/wptest/expect"
)

// Addresses of a copy at another host become those of the site, wherever an entry holds them.
func TestAddressesOfACopy(t *testing.T) {
	t.Parallel()
	entry := func(host string) live.Entry {
		return live.Entry{Loc: host + "song/", Extra: &live.Extra{
			Images: []live.Image{{Loc: host + "a.jpg"}, {Loc: "https://cdn.test/b.jpg"}},
			News:   []string{"title: One", "loc: " + host}, Videos: []string{"player: " + host + "v/"}, Alternates: []string{"fr " + host + "fr/", "de https://de.test/"},
		}}
	}
	const copied, home = "http://127.0.0.1:8080/", "https://a.test/"
	same := func(want, got live.Entry) {
		t.Helper()
		expect.Equal(t, got.Loc, want.Loc)
		expect.Same(t, *want.Extra, *got.Extra)
	}
	at := &target{from: copied, to: home}
	e := entry("https://other.test/")
	at.translate(&e)
	same(entry("https://other.test/"), e)
	expect.Equal(t, at.translated, false)
	bare := live.Entry{Loc: "https://other.test/"}
	at.translate(&bare)
	expect.Equal(t, at.translated, false)
	e = entry(copied)
	at.translate(&e)
	same(entry(home), e)
	expect.Equal(t, at.translated, true)
	expect.Equal(t, at.ours(copied), home)
	expect.Equal(t, at.ours(copied[:len(copied)-1]), copied[:len(copied)-1])

	none := &target{}
	e = entry(copied)
	none.translate(&e)
	same(entry(copied), e)
	expect.Equal(t, none.ours(copied), copied)
	expect.Equal(t, none.translated, false)
}

// An entry is described by its place and its date, if it has one.
func TestPlacesInWords(t *testing.T) {
	t.Parallel()
	l := listing(t, "post-sitemap: /a 05; /b -", "post-sitemap2: /c 06")
	for path, want := range map[string]string{
		"/a": "post, page 1, lastmod 2026-01-05T00:00:00+00:00", "/b": "post, page 1", "/c": "post, page 2, lastmod 2026-01-06T00:00:00+00:00",
	} {
		expect.Equal(t, key{"post", "https://a.test" + path}.describe(l), want)
	}
}

// Only the first differences are explained, because each explanation reads the database.
func TestMostExplanations(t *testing.T) {
	t.Parallel()
	found := make([]Difference, maxExplained+10)
	for i := range found {
		found[i] = Difference{Facet: onlyOurs, Sitemap: "post", URL: fmt.Sprint("https://a.test/", i)}
	}
	asked := 0
	w := why{Theirs: listing(t, "post-sitemap: /other"), Explain: func(string) *explain.Explanation { asked++; return nil }}
	w.explain(found)
	expect.Equal(t, asked, maxExplained)
}
