package video

import (
	"strings"
	"testing"

	"wpsitemapd/sitemap/seo"
	"wpsitemapd/sitemap/urlset"
	"wpsitemapd/wp/address"
	"wpsitemapd/wp/wptest/expect"
)

// Texts of videos are plain: without markup, shortcodes, scripts and characters that XML does not allow.
func TestProse(t *testing.T) {
	t.Parallel()
	replaced := &Texts{Stored: Stored{Replace: func(s string) string { return strings.ReplaceAll(s, "%%title%%", "Tide") }}}
	for text, want := range map[string]string{
		"": "", " plain\n text ": "plain text", "<b>bold</b> &amp; &eacute;": "bold & é", "&amp;amp;": "&", "a [gallery ids=\"1\"] b": "a b",
		"a <script>x</script> b <style type=y>z</style >c": "a b c", "a\x00b\x07c\x7fd\ufffee\uffff": "a b c d e", "%%title%% here": "Tide here",
		"100% sure": "100% sure",
	} {
		expect.Equal(t, replaced.Prose(text), want, text)
	}
	expect.Equal(t, new(Texts).Prose("%%title%%"), "%%title%%", "nothing replaces")
	long := new(Texts).Prose(strings.Repeat("é", maxProse))
	expect.Equal(t, len(long), maxProse, "bytes of a long text")
	expect.Equal(t, len(new(Texts).Prose(strings.Repeat("é", maxProse/2)+"a")), maxProse, "bytes of a text that is cut within a letter")
	expect.Equal(t, new(Texts).First("", " <i> </i>", "<i>second</i>", "third"), "second")
	expect.Equal(t, new(Texts).First("", "[x]<br>"), "[x]")
	expect.Equal(t, new(Texts).First(), "")
}

// A video has each tag once, and at most as many as the protocol allows.
func TestAddTag(t *testing.T) {
	t.Parallel()
	var v urlset.Video
	for _, tag := range []string{"a", "", "b", "a"} {
		AddTag(&v, tag)
	}
	expect.List(t, v.Tags, []string{"a", "b"})
	for i := range 2 * urlset.MaxVideoTags {
		AddTag(&v, strings.Repeat("x", i+1))
	}
	expect.Equal(t, len(v.Tags), urlset.MaxVideoTags)
}

// A video with all that Google requires is listed. Of another one, the address and the first lack are kept. The page itself is no
// player or file.
func TestTake(t *testing.T) {
	t.Parallel()
	const page = "https://a.test/page/"
	full := urlset.Video{ThumbnailLoc: "t", Title: "T", Description: "D", PlayerLoc: "p", ContentLoc: "c"}
	without := func(change func(*urlset.Video)) urlset.Video {
		v := full
		change(&v)
		return v
	}
	for _, tt := range []struct {
		rule    string
		video   urlset.Video
		address string
		listed  string // player and file
		lacks   incomplete
		lack    string
	}{
		{"complete", full, "", "p c", incomplete{}, ""},
		{"a file alone", without(func(v *urlset.Video) { v.PlayerLoc = "" }), "", " c", incomplete{}, ""},
		{"a player alone", without(func(v *urlset.Video) { v.ContentLoc = "" }), "", "p ", incomplete{}, ""},
		{"the player is the file", without(func(v *urlset.Video) { v.PlayerLoc = "c" }), "", " c", incomplete{}, ""},
		{"the player is the page", without(func(v *urlset.Video) { v.PlayerLoc = page }), "", " c", incomplete{}, ""},
		{"the file is the page", without(func(v *urlset.Video) { v.ContentLoc = page }), "", "p ", incomplete{}, ""},
		{"nothing to play", without(func(v *urlset.Video) { v.ContentLoc, v.PlayerLoc = page, page }), "", "",
			incomplete{page, seo.VideoWithoutPlayer},
			"its video " + page + " has no player or file"},
		{"no thumbnail", without(func(v *urlset.Video) { v.ThumbnailLoc = "" }), "named", "", incomplete{"named", seo.VideoWithoutThumbnail},
			"its video named has no thumbnail"},
		{"no title", without(func(v *urlset.Video) { v.Title = "" }), "", "", incomplete{"c", seo.VideoWithoutTitle}, "its video c has no title"},
		{"no description", without(func(v *urlset.Video) { v.Description, v.ContentLoc = "", "" }), "", "",
			incomplete{"p", seo.VideoWithoutDescription},
			"its video p has no description"},
	} {
		p := &post{FullPost: new(address.FullPost)}
		p.Link = page
		v := tt.video
		p.take(&v, tt.address)
		listed := ""
		for _, v := range p.videos {
			listed = v.PlayerLoc + " " + v.ContentLoc
		}
		expect.Equal(t, listed, tt.listed, tt.rule)
		expect.Equal(t, append(p.incomplete, incomplete{})[0], tt.lacks, tt.rule)
		expect.Equal(t, p.lack(), tt.lack, tt.rule)
		expect.Equal(t, p.none(), false, tt.rule)
		expect.Equal(t, p.lacks(tt.lacks.lacks), len(p.videos) == 0, tt.rule)
	}
	expect.Equal(t, (&post{}).none(), true, "no video at all")
	expect.Equal(t, (&post{stored: Stored{Against: seo.VideoDisabled}}).none(), false, "switched off by the editor")
	for sentence, want := range map[string]string{"Its videos are hidden.": "its videos are hidden", "": "", "X": "x"} {
		expect.Equal(t, lower(sentence), want)
	}
}
