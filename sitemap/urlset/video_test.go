package urlset

import (
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"wpsitemapd/sitemap/urlset/schematest"
	"wpsitemapd/wp/wptest"
	"wpsitemapd/wp/wptest/expect"
)

// tide is a video with nothing left out.
func tide() Video {
	return Video{
		Title: "Tide & <b>moon</b>", Published: 1714979289, Description: "How it turns", PlayerLoc: "https://example.test/player?v=1&w=2",
		ContentLoc: "https://example.test/tide one.mp4", ThumbnailLoc: "//example.test/tide.jpg", Duration: 98, ViewCount: 367, Category: "Sea",
		Tags: []string{"boats", "", "wind"}, Rated: true, Rating: 4.5, Uploader: "Ann", UploaderInfo: "https://example.test/author/ann/",
		Expires: 1893456000, Subscription: "no", Live: "yes",
	}
}

// videoLines is what is inside of the video:video elements of a file of one entry, a line
// each; "refused" for an entry that is.
func videoLines(t *testing.T, encoding Encoding, videos ...Video) []string {
	t.Helper()
	w := Writer{Encoding: encoding, Extensions: Videos}
	w.Begin(URLSet)
	err := w.AppendURL(URL{Loc: "https://example.test/a/", LastMod: NoDate, Videos: videos})
	if errors.Is(err, ErrRefused) {
		return []string{"refused"}
	}
	wptest.Must(t, err)
	w.End()
	if encoding == Strict {
		schematest.Validate(t, w.Bytes())
	}
	var lines []string
	for line := range strings.Lines(string(w.Bytes())) {
		if after, ok := strings.CutPrefix(line, "\t\t\t<video:"); ok {
			lines = append(lines, strings.TrimSuffix(after, "\n"))
		}
	}
	return lines
}

func TestVideoElementsInTheirOrder(t *testing.T) {
	want := []string{
		"title>Tide &amp; &lt;b&gt;moon&lt;/b&gt;</video:title>",
		"publication_date>2024-05-06T07:08:09+00:00</video:publication_date>",
		"description>How it turns</video:description>",
		`player_loc allow_embed="yes">https://example.test/player?v=1&amp;w=2</video:player_loc>`,
		"content_loc>https://example.test/tide%20one.mp4</video:content_loc>",
		"thumbnail_loc>http://example.test/tide.jpg</video:thumbnail_loc>",
		"duration>98</video:duration>",
		"view_count>367</video:view_count>",
		"category>Sea</video:category>",
		"tag>boats</video:tag>",
		"tag>wind</video:tag>",
		"rating>4.5</video:rating>",
		"family_friendly>yes</video:family_friendly>",
		`uploader info="https://example.test/author/ann/">Ann</video:uploader>`,
		"expiration_date>2030-01-01T00:00:00+00:00</video:expiration_date>",
		"requires_subscription>no</video:requires_subscription>",
		"live>yes</video:live>",
	}
	expect.Same(t, want, videoLines(t, Strict, tide()))
}

func TestVideoLimits(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(*Video)
		element string   // whose lines are looked at; "" for all
		want    []string // nil: none
	}{
		{"no title", func(v *Video) { v.Title = "" }, "", []string{"refused"}},
		{"no description", func(v *Video) { v.Description = "" }, "", []string{"refused"}},
		{"no thumbnail", func(v *Video) { v.ThumbnailLoc = "" }, "", []string{"refused"}},
		{"a thumbnail that is no address", func(v *Video) { v.ThumbnailLoc = "tide.jpg" }, "", []string{"refused"}},
		{"neither player nor file", func(v *Video) { v.PlayerLoc, v.ContentLoc = "", "javascript:alert(1)" }, "", []string{"refused"}},
		{"no player", func(v *Video) { v.PlayerLoc = "" }, "player_loc", nil},
		{"no file", func(v *Video) { v.ContentLoc = "" }, "content_loc", nil},
		{"duration 0", func(v *Video) { v.Duration = 0 }, "duration", nil},
		{"duration of eight hours", func(v *Video) { v.Duration = 28800 }, "duration", []string{"duration>28800</video:duration>"}},
		{"duration above", func(v *Video) { v.Duration = 28801 }, "duration", nil},
		{"negative views", func(v *Video) { v.ViewCount = -1 }, "view_count", nil},
		{"rating 0", func(v *Video) { v.Rating = 0 }, "rating", []string{"rating>0.0</video:rating>"}},
		{"rating above 5", func(v *Video) { v.Rating = 5.1 }, "rating", nil},
		{"not rated", func(v *Video) { v.Rated = false }, "rating", nil},
		{"not for families", func(v *Video) { v.NotFamily = true }, "family_friendly", []string{"family_friendly>no</video:family_friendly>"}},
		{"uploader without a page", func(v *Video) { v.UploaderInfo = "" }, "uploader", []string{"uploader>Ann</video:uploader>"}},
		{"uploader with a page that is none", func(v *Video) { v.UploaderInfo = `x" y="` }, "uploader", []string{"uploader>Ann</video:uploader>"}},
		{"no uploader", func(v *Video) { v.Uploader = "" }, "uploader", nil},
		{"a flag that is none", func(v *Video) { v.Live = "perhaps" }, "live", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := tide()
			tt.change(&v)
			got := videoLines(t, Strict, v)
			if tt.element != "" {
				got = slices.DeleteFunc(got, func(l string) bool {
					return !strings.HasPrefix(l, tt.element+">") && !strings.HasPrefix(l, tt.element+" ")
				})
			}
			expect.List(t, got, tt.want)
		})
	}
	v := tide()
	v.Tags = nil
	for i := range 40 {
		v.Tags = append(v.Tags, fmt.Sprint("tag ", i))
	}
	v.Description, v.Uploader = strings.Repeat("é", 3000), strings.Repeat("ü", 300)
	tags := 0
	for _, l := range videoLines(t, Strict, v) {
		name, text, _ := strings.Cut(l, ">")
		text, _, _ = strings.Cut(text, "<")
		switch n := utf8.RuneCountInString(text); {
		case name == "tag":
			tags++
		case name == "description" && n != maxVideoDescription, strings.HasPrefix(name, "uploader") && n != maxVideoName:
			t.Errorf("%s of %d characters", name, n)
		}
	}
	expect.Equal(t, tags, MaxVideoTags, "tags")
}

func TestEntryWithoutAVideoThatCanBeWritten(t *testing.T) {
	expect.List(t, videoLines(t, Strict), []string{"refused"}, "an entry without videos")
	bad := tide()
	bad.ThumbnailLoc = ""
	expect.Equal(t, len(videoLines(t, Strict, bad, tide())), 17, "elements beside a video that is left out, want 17")
}

func TestStoredVideo(t *testing.T) {
	v := Video{Stored: []VideoElement{
		{Name: "width", Text: "640"},
		{Name: "title", Text: `Fish &amp; "chips" ]]> &nbsp;`, CDATA: true},
		{Name: "player_loc", Text: "https://example.test/?a=1&amp;b=2&nbsp;"},
		{Name: "uploader", Text: "&#200;ve &#38; Co", Info: "https://example.test/?author=1&#038;x='\"><y"},
		{Name: "0", Text: "a number"}, {Name: "", Text: "nothing"}, {Name: "a b", Text: "space"}, {Name: "a>b", Text: "markup"},
		{Name: "xmlns:x", Text: "colon"}, {Name: "é", Text: "letter"}, {Name: strings.Repeat("a", 101), Text: "long"},
		{Name: "short_id", Text: "left over"},
	}}
	want := []string{
		"width>640</video:width>",
		`title><![CDATA[Fish &amp; "chips" ]]]]><![CDATA[> &nbsp;]]></video:title>`,
		"player_loc>https://example.test/?a=1&amp;b=2&amp;nbsp;</video:player_loc>",
		`uploader info="https://example.test/?author=1&#038;x=&apos;&quot;&gt;&lt;y">&#200;ve &#38; Co</video:uploader>`,
		"short_id>left over</video:short_id>",
	}
	expect.Same(t, want, videoLines(t, Plugin, v))
}

func TestLocOfStoredVideos(t *testing.T) {
	for _, tt := range []struct{ loc, want string }{
		{"https://example.test/?p=1&q=2", "https://example.test/?p=1&q=2"},
		{"https://example.test/é/", "https://example.test/é/"}, // esc_url encodes nothing
		{"javascript:alert(1)", ""},
		{"https://example.test/" + strings.Repeat("a", MaxLoc), ""},
	} {
		w := Writer{Encoding: Plugin, Extensions: Videos}
		w.Begin(URLSet)
		err := w.AppendURL(URL{Loc: tt.loc, LastMod: NoDate, Videos: []Video{{Stored: []VideoElement{{Name: "title", Text: "Tide"}}}}})
		w.End()
		var doc struct {
			Loc []string `xml:"url>loc"`
		}
		wptest.Must(t, xml.Unmarshal(w.Bytes(), &doc))
		if got := strings.Join(doc.Loc, " "); got != tt.want || (got == "") != errors.Is(err, ErrRefused) {
			t.Errorf("%.40q: %.40q (%v), want %.40q", tt.loc, got, err, tt.want)
		}
	}
}

// Whatever the strings hold, the file is XML, and at Strict what the schema asks for.
func FuzzVideo(f *testing.F) {
	f.Add("title", "a <b> & \"c\" 'd' ]]> \x00\xff\uFFFE\r\n", "https://example.test/\x01?a&b")
	f.Fuzz(func(t *testing.T, name, text, address string) {
		stored := Video{Stored: []VideoElement{{name, text, true, address}, {name, text, false, ""}}}
		typed := Video{
			Title: text, Description: text, PlayerLoc: address, ContentLoc: address, ThumbnailLoc: address, Category: text, Tags: []string{text},
			Uploader: text, UploaderInfo: address, Live: text, Subscription: text, Duration: int64(len(text)), Expires: int64(len(name)) - 2,
		}
		for encoding, v := range map[Encoding]Video{Plugin: stored, Strict: typed} {
			w := Writer{Encoding: encoding, Extensions: Videos}
			w.Begin(URLSet)
			if err := w.AppendURL(URL{Loc: "https://example.test/", LastMod: NoDate, Videos: []Video{v}}); err != nil && !errors.Is(err, ErrRefused) {
				t.Fatal(err)
			}
			w.End()
			var doc struct{}
			expect.Equal(t, xml.Unmarshal(w.Bytes(), &doc), nil, w.Bytes())
		}
	})
}
