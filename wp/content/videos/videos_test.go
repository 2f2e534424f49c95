package videos

import (
	"fmt"
	"strings"
	"testing"

	"wpsitemapd/wp/content"
	"wpsitemapd/wp/wptest/expect"
)

// sketch is a video in one line.
func sketch(v Video) string {
	var words []string
	if v.Provider != "" {
		words = append(words, v.Provider, v.ID)
	} else {
		words = append(words, "file", v.File)
	}
	if v.AttachmentID != 0 {
		words = append(words, fmt.Sprint("attachment ", v.AttachmentID))
	}
	if v.Poster != "" {
		words = append(words, "poster "+v.Poster)
	}
	if v.Title != "" {
		words = append(words, "title "+v.Title)
	}
	return strings.Join(words, " ")
}

func TestVideos(t *testing.T) {
	const tube = "youtube abcdefghij1"
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "Text with [brackets] and <b>markup</b>.", nil},
		{"embed block",
			`<!-- wp:embed {"url":"https:\/\/youtu.be\/abcdefghij1","type":"video","providerNameSlug":"youtube"} -->` +
				`<figure class="wp-block-embed"><div class="wp-block-embed__wrapper">
https://youtu.be/abcdefghij1
</div><figcaption>High <em>tide</em></figcaption></figure><!-- /wp:embed -->`, []string{tube + ""}},
		{"embed block of an older editor", `<!-- wp:core-embed/vimeo {"url":"https://vimeo.com/123"} /-->`, []string{"vimeo 123"}},
		{
			"url with escapes in a block",
			`<!-- wp:embed {"caption":"a \"b\"","url":"https://www.youtube.com/watch?v=abcdefghij1\u0026t=3"} /-->`, []string{tube},
		},
		{"attributes of a block that are cut off", `<!-- wp:embed {"url":"https:\/\/youtu.be\/abcdefghij1 -->`, nil},
		{"bare address on a line", "One\nhttps://www.youtube.com/watch?v=abcdefghij1&amp;t=9\nTwo", []string{tube}},
		{"bare address with blanks around", "One\r\n  https://youtu.be/abcdefghij1 \r\nTwo", []string{tube}},
		{"bare address as a paragraph", `<p class="x">https://youtu.be/abcdefghij1</p>`, []string{tube}},
		{"address inside of a sentence", "See https://youtu.be/abcdefghij1 now", nil},
		{"address before a tag on its line", "https://youtu.be/abcdefghij1<br>", nil},
		{"address as a link", `<a href="https://youtu.be/abcdefghij1">https://youtu.be/abcdefghij1</a>`, nil},
		{"address as a link on a line of its own", "<a href=\"https://youtu.be/abcdefghij1\">\nhttps://youtu.be/abcdefghij1\n</a>", nil},
		{"iframe", `<iframe width="1" src="//www.youtube-nocookie.com/embed/abcdefghij1?rel=0&amp;a=b"></iframe>`, []string{tube}},
		{"iframe of a lazy loader", `<iframe src="about:blank" data-src="https://player.vimeo.com/video/123?h=0a1b"></iframe>`, []string{"vimeo 123"}},
		{"iframe of somebody else", `<iframe src="https://maps.example.test/embed/abcdefghij1"></iframe>`, nil},
		{"address before the end of an inline tag on its line", "<em>https://youtu.be/abcdefghij1</em>", nil},
		{"iframe in a comment", `<!-- <iframe src="https://youtu.be/abcdefghij1"></iframe> -->`, nil},
		{"iframe in a script", `<script>'<iframe src="https://www.youtube.com/embed/abcdefghij1">'</script>`, nil},
		{
			"each once",
			"https://youtu.be/abcdefghij1\n<iframe src=\"https://www.youtube.com/embed/abcdefghij1\"></iframe>\nhttps://youtu.be/abcdefghij2",
			[]string{tube, "youtube abcdefghij2"},
		},
		{"[embed]", `[embed width="1"]https://youtu.be/abcdefghij1[/embed]`, []string{tube}},
		{"doubled brackets", `[[embed]https://youtu.be/abcdefghij1[/embed]]`, nil},
		{
			"[youtube] of Jetpack",
			`[youtube=https://www.youtube.com/watch?v=abcdefghij1&w=640] [youtube abcdefghij2] [youtube id="abcdefghij3"]`,
			[]string{tube, "youtube abcdefghij2", "youtube abcdefghij3"},
		},
		{"[vimeo]", `[vimeo 123 w=500] [vimeo https://vimeo.com/124]`, []string{"vimeo 123", "vimeo 124"}},
		{"[wpvideo] and [videopress]", `[wpvideo AbCdEf01] [videopress AbCdEf02 w=500]`, []string{"videopress AbCdEf01", "videopress AbCdEf02"}},
		{"[wistia]", `[wistia id="abcdefghi9"]`, []string{"wistia abcdefghi9"}},
		{"frame with a title", `<iframe title="Low tide &amp; more" src="https://www.youtube.com/embed/abcdefghij1?feature=oembed"></iframe>` +
			`<iframe title="YouTube video player" src="https://www.youtube.com/embed/abcdefghij2"></iframe>`,
			[]string{tube + " title Low tide & more", "youtube abcdefghij2"}},
		{"videopress block", `<!-- wp:videopress/video {"title":"Ebb","poster":"https:\/\/small.test\/a.jpg","id":7,"guid":"AbCdEf01"} -->`,
			[]string{"videopress AbCdEf01 poster https://small.test/a.jpg title Ebb"}},
		{"wistia's own element", `<div class="wistia_embed wistia_async_abcdefghi9 x">&nbsp;</div>`, []string{"wistia abcdefghi9"}},
		{"video element", `<video src="/a.mp4" poster="a.jpg"></video>`, []string{"file /a.mp4 poster a.jpg"}},
		{
			"sources",
			`<video poster=a.jpg><source src="a.ogg" type="audio/ogg"><source src="a.mp4?x=1&amp;y=2" type="video/mp4"><source src="b.webm"></video>`,
			[]string{"file a.mp4?x=1&y=2 poster a.jpg"},
		},
		{"video element that is not closed", `<video src="a.mp4">`, []string{"file a.mp4"}},
		{"video element of a script", `<video src="blob:https://x"></video><video></video>`, nil},
		{"video block",
			`<!-- wp:video {"id":51} --><figure class="wp-block-video"><video controls src="https://small.test/a.mp4"></video>` +
				`<figcaption>Ebb</figcaption></figure><!-- /wp:video --><video src="b.mp4"></video>`,
			[]string{"file https://small.test/a.mp4 attachment 51", "file b.mp4"}},
		{"video block without an element", "<!-- wp:video {\"id\":51} --><!-- /wp:video --><video src=\"b.mp4\"></video>", []string{"file b.mp4"}},
		{"[video]", `[video width="640" mp4="https://small.test/a.mp4" poster='p.jpg'][/video]`, []string{"file https://small.test/a.mp4 poster p.jpg"}},
		{"[video] on several lines", "[video\n mp4=\"a.mp4\"\n]\nhttps://youtu.be/abcdefghij1", []string{"file a.mp4", tube}},
		{"[video] of a provider", `[video src="https://youtu.be/abcdefghij1" poster="p.jpg"]`, []string{tube + " poster p.jpg"}},
		{"[video] without a file", `[video][playlist type="video" ids="3,1,2"]`, nil},
	} {
		var got []string
		for _, v := range Find(tt.in) {
			got = append(got, sketch(v))
		}
		expect.Same(t, tt.want, got, tt.name)
	}
}

func TestParseAddress(t *testing.T) {
	const none = ""
	for address, want := range map[string]string{
		"https://www.youtube.com/watch?v=abcdefghij1":            "https://www.youtube.com/embed/abcdefghij1",
		"http://m.youtube.com/watch?feature=x&v=abcdefghij1#t=1": "https://www.youtube.com/embed/abcdefghij1",
		"https://www.youtube.com/shorts/abcdefghij1":             "https://www.youtube.com/embed/abcdefghij1",
		"https://www.youtube.com/live/abcdefghij1":               "https://www.youtube.com/embed/abcdefghij1",
		"https://www.youtube.com/v/abcdefghij1&hl=en":            "https://www.youtube.com/embed/abcdefghij1",
		"https://www.youtube.com/embed/videoseries?list=PL1":     none,
		"https://www.youtube.com/playlist?list=PL1":              none,
		"https://www.youtube.com/@somebody":                      none,
		"https://youtube.example.test/watch?v=abcdefghij1":       none,
		"https://notyoutube.com/watch?v=abcdefghij1":             none,
		"ftp://youtu.be/abcdefghij1":                             none,
		"https://youtu.be/abc\"><b>ij1":                          none,
		"https://vimeo.com/123":                                  "https://player.vimeo.com/video/123",
		"https://vimeo.com/123/0a1b":                             "https://player.vimeo.com/video/123?h=0a1b",
		"https://vimeo.com/channels/staff/123":                   "https://player.vimeo.com/video/123",
		"https://vimeo.com/groups/x/videos/123":                  "https://player.vimeo.com/video/123",
		"https://vimeo.com/event/123":                            none,
		"https://vimeo.com/somebody":                             none,
		"https://home.wistia.com/medias/abcdefghi9":              "https://fast.wistia.net/embed/iframe/abcdefghi9",
		"https://fast.wistia.net/embed/iframe/abcdefghi9?x":      "https://fast.wistia.net/embed/iframe/abcdefghi9",
		"https://fast.wistia.com/embed/medias/abcdefghi9.jsonp":  "https://fast.wistia.net/embed/iframe/abcdefghi9",
		"https://notwistia.com/medias/abcdefghi9":                none,
		"https://videopress.com/v/AbCdEf01":                      "https://videopress.com/embed/AbCdEf01",
		"https://video.wordpress.com/embed/AbCdEf01?x=1":         "https://videopress.com/embed/AbCdEf01",
		"": none, "https://": none, "%zz": none, "https://youtu.be": none,
	} {
		if v, ok := ParseAddress(address); v.Player != want || ok != (want != none) {
			t.Errorf("%s: %q, %t; want %q", address, v.Player, ok, want)
		}
	}
}

func TestVideosAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 2 * maxVideos {
		fmt.Fprintf(&b, "https://vimeo.com/%d\n", i+1)
	}
	expect.Equal(t, len(Find(b.String())), maxVideos, "videos")
	if v := Find("<video src=\"" + strings.Repeat("a", content.MaxSrc+1) + "\"></video>"); v != nil {
		t.Error("an address longer than any")
	}
}

func FuzzVideos(f *testing.F) {
	for _, s := range []string{
		"https://youtu.be/abcdefghij1\n[video mp4=\"a\"]", `<!-- wp:embed {"url":"\` + `"} -->`,
		"[embed]", "[[video] <video><source src=a>",
		"<figure><iframe src=//youtu.be/abcdefghij1></figure><figcaption>[video", "[youtube=",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, v := range Find(s) {
			if v.Provider != "" && (v.ID == "" || v.Player == "" || v.Address == "" || strings.ContainsAny(v.Player, " <>\"'\\")) {
				t.Errorf("%+v", v)
			}
			if v.Provider == "" && v.File == "" && v.AttachmentID == 0 {
				t.Errorf("%+v leads nowhere", v)
			}
		}
	})
}

func BenchmarkVideosNone(b *testing.B) {
	text := strings.Repeat("<!-- wp:paragraph --><p>Some text of a post, with an <a "+
		"href=\"https://example.test/\">address</a>.</p><!-- /wp:paragraph -->\n", 200)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if Find(text) != nil {
			b.Fatal("found one")
		}
	}
}

func TestEmbed(t *testing.T) {
	for _, tt := range []struct{ name, answer, want, thumbnail string }{
		{"nothing is known there", "{{unknown}}", "", ""},
		{"a frame", `<iframe title="Low tide" width="500" src="https://www.youtube.com/embed/abcdefghij1?feature=oembed"></iframe>`,
			"youtube abcdefghij1 title Low tide", "https://i.ytimg.com/vi/abcdefghij1/hqdefault.jpg"},
		{"a frame without a picture", `<iframe title="Reef" src="https://player.vimeo.com/video/123?dnt=1&amp;app_id=122963"></iframe>`,
			"vimeo 123 title Reef", ""},
		{"a picture in the answer", `<div class="wistia_embed wistia_async_abcdefghi9">` +
			`<img src="https://embed-ssl.wistia.com/deliveries/0a.jpg?x=1&amp;y=2"></div>`,
			"wistia abcdefghi9", "https://embed-ssl.wistia.com/deliveries/0a.jpg?x=1&y=2"},
		{"two videos are not one", `<iframe src="https://player.vimeo.com/video/123"></iframe>` +
			`<iframe src="https://player.vimeo.com/video/124"></iframe>`, "", ""},
		{"a file is no answer of a provider", `<video src="a.mp4"></video>`, "", ""},
	} {
		got := ""
		v, ok := Embed(tt.answer)
		if ok {
			got = sketch(v)
		}
		expect.Equal(t, got, tt.want, tt.name)
		expect.Equal(t, v.Thumbnail, tt.thumbnail, tt.name)
	}
}
