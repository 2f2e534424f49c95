package diff

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestCutSlug(t *testing.T) {
	t.Parallel()
	const home = "https://a.test/"
	for _, tt := range []struct {
		name, loc, front, slug string
		start, rest            string
		ok                     bool
	}{
		{"an object", home + "song/blue/", "", "song", home, "/blue/", true},
		{"the archive", home + "song", "", "song", home, "", true},
		{"a longer first folder", home + "songs/blue/", "", "song", home, "s/blue/", false},
		{"another folder", home + "tune/blue/", "", "song", home, "", false},
		{"no slug", home + "blue/", "", "", home, "/blue/", true},
		{"a front", home + "blog/song/blue/", "blog/", "song", home + "blog/", "/blue/", true},
		{"a URL without the front", home + "song/blue/", "blog/", "song", home, "/blue/", true},
		{"another site", "https://b.test/song/blue/", "", "song", "", "", false},
	} {
		start, rest, ok := cutSlug(tt.loc, home, tt.front, tt.slug)
		expect.Equal(t, ok, tt.ok, tt.name)
		if ok {
			expect.Equal(t, start, tt.start, tt.name, "start")
			expect.Equal(t, rest, tt.rest, tt.name, "rest")
		}
	}
}

// The folder that most examples of a sitemap are in, without the fixed text at the start of the permalinks.
func TestCommonFolder(t *testing.T) {
	t.Parallel()
	examples := []Difference{
		{Sitemap: "song", URL: "https://a.test/other/two/"}, {Sitemap: "song", URL: "https://a.test/blog/tunes/one/"},
		{Sitemap: "song", URL: "https://a.test/blog/tunes/three/?x=1"}, {Sitemap: "song", URL: "https://b.test/other/four/"},
		{Sitemap: "page", URL: "https://a.test/other/five/"},
	}
	urls, folder := commonFolder(examples, "song", "https://a.test/", "blog/")
	expect.Equal(t, folder, "tunes")
	expect.Equal(t, len(urls), 3)
}
