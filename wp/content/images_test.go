package content

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"wpsitemapd/wp/wptest/expect"
)

// Every expectation of this table was taken from PHP 8.2 with libxml2 2.9.14:
// DOMDocument::loadHTML('<?xml encoding="UTF-8">' . content).
func TestAppendImages(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		want          []string
	}{
		{"no element", `a post about <image> and <imgs src=a>`, nil},
		{"document order", `<img src=a><p><img src=b></p><img src=c>`, []string{"a", "b", "c"}},
		{"what looks like one behind the last", `<img src=a><!--<img src=b>--><script><img src=c></script><img1 src=d><p title="<img src=e>">`,
			[]string{"a"}},
		{"repetitions stay", `<img src=a><img src=a>`, []string{"a", "a"}},
		{"no, empty and zero src are skipped", `<img><img src><img src=""><img src="0"><img src=00>`, []string{"00"}},

		{"upper case", `<IMG SRC=a>`, []string{"a"}},
		{"longer name", `<img-x src=a><img.x src=b><img1 src=c>`, nil},
		{"space before the name", `< img src=a>`, nil},
		{"end tag", `</img src=a>`, nil},

		{"quotes", `<img src="a"><img src='b'><img src=c>`, []string{"a", "b", "c"}},
		{"space around the equals sign", "<img src = \"a\"><img src\n=\tb>", []string{"a", "b"}},
		{"space is kept", "<img src=' a\r\nb '>", []string{" a\r\nb "}},
		{"> in a value", `<img alt="1>2" src="a>b">`, []string{"a>b"}},
		{"quotes in a bare value", `<img src=a"b'c>`, []string{`a"b'c`}},
		{"bare value keeps its slash", `<img src=a/><img src=b />`, []string{"a/", "b"}},
		{"no space between attributes", `<img src="a"alt="b">`, []string{"a"}},
		{"first of two", `<img src=a src=b><img src SRC=c>`, []string{"a"}},
		{"slash for a space hides an attribute", `<img/src=a><img/ src=b>`, []string{"b"}},
		{"form feed is no space", "<img\fsrc=a><img x\fsrc=b>", nil},
		{"bogus attributes are skipped", `<img "a" ='b' 1 src=c>`, []string{"c"}},
		{"other attributes", `<img data-src=a x:src=b .src=c srcset=d>`, nil},
		{"quoted quotes", `<img src=&quot;a&quot;>`, []string{`"a"`}},
		{"control characters stay", "<img src='a\x01b'>", []string{"a\x01b"}},

		{"HTML 4 entities", `<img src="&amp;&eacute;&hellip;&apos;&lang;">`, []string{"&é…'\u2329"}},
		{"entities need their semicolon", `<img src="?a=1&copy=2&amp">`, []string{"?a=1&copy=2&amp"}},
		{"other entities stay", `<img src="&nope;&AMP;&a.b;&">`, []string{"&nope;&AMP;&a.b;&"}},
		{"numbers", `<img src="&#233;&#xE9;&#XE9;&#x1F600;">`, []string{"ééé😀"}},

		{"elements that hide images in HTML 5", `<noscript><img src=a></noscript><textarea><img src=b></textarea>` +
			`<template><img src=c></template><iframe><img src=d></iframe><select><img src=e></select>` +
			`<title><img src=f></title><xmp><img src=g></xmp><svg><img src=h></svg><plaintext><img src=i>`,
			[]string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}},
		{"what may be a processing instruction", `<?x <img src=a><img src=b>`, []string{"b"}},
		{"what may be a processing instruction", `<?1 <img src=a><img src=b>`, []string{"a", "b"}},
		{"what may be a processing instruction", `<?>x<img src=a>`, []string{"a"}},
		{"what may be a processing instruction", `<?php <img src=a>`, nil},
		{"what may be a processing instruction", `<?z<img src=a><img src=b>`, []string{"b"}},
		{"what may be a processing instruction", `<?Z<img src=a><img src=b>`, []string{"b"}},
		{"the first letter of a name", `<z <img src=a><img src=b>`, []string{"b"}},
		{"the first letter of a name", `<Z title="<img src=a>"><img src=b>`, []string{"b"}},
		{"the first letter of a name", `<_z title="<img src=a>"><img src=b>`, []string{"a", "b"}},
		{"the first letter of a name", `<{ title="<img src=a>"><img src=b>`, []string{"a", "b"}},
		{"the first letter of a name", `<[ title="<img src=a>"><img src=b>`, []string{"a", "b"}},
		{"attributes and the end of the text", `<img _src=a src=b>`, []string{"b"}},
		{"attributes and the end of the text", `<img zsrc=a z="src=c" src=b>`, []string{"b"}},
		{"attributes and the end of the text", `<img Z src=b>`, []string{"b"}},
		{"attributes and the end of the text", `<img {src=a src=b>`, []string{"b"}},
		{"attributes and the end of the text", `<img src="a`, []string{"a"}},
		{"attributes and the end of the text", `<img src='a`, []string{"a"}},
		{"attributes and the end of the text", `<img src=a`, []string{"a"}},
		{"attributes and the end of the text", `<img src=`, nil},
		{"attributes and the end of the text", `<img src="a"`, []string{"a"}},
		{"attributes and the end of the text", `<img src="a" alt="`, []string{"a"}},
		{"attributes and the end of the text", `<img src="a"/`, []string{"a"}},
		{"attributes and the end of the text", `<img src=a `, []string{"a"}},
		{"attributes and the end of the text", `<img`, nil},
		{"attributes and the end of the text", `<img src`, nil},
		{"the end of a script", `<script>x</scripty><img src=a></script><img src=b>`, []string{"b"}},
		{"the end of a script", `<script/><img src=a></script><img src=b>`, []string{"a", "b"}},
		{"the end of a script", `<script>x<`, nil},
		{"the end of a script", `<script>x</`, nil},
		{"the end of a script", `<script>x</script`, nil},
		{"the end of a style sheet", `<style><img src=a></style ><img src=b>`, []string{"b"}},
		{"the end of a style sheet", `<style><img src=a></STYLE><img src=b>`, []string{"b"}},
		{"the end of a comment", `<!-- x>y --!><img src=a>`, []string{"a"}},
		{"the end of a comment", `<!-- x`, nil},
		{"the end of a comment", `<!-- > --><img src=a>`, []string{"a"}},
		{"the end of a comment", `<!--x-->`, nil},
		{"attributes and the end of the text", `<img src="a"  src2=b class="c">`, []string{"a"}},
		{"attributes and the end of the text", `<img  class=c  src=a  >`, []string{"a"}},
		{"attributes and the end of the text", `<img @ src=a>`, []string{"a"}},
		{"attributes and the end of the text", `<img src=a =b class=c>`, []string{"a"}},

		{"the end of an end tag", `</p <img src=a><img src=b>`, []string{"b"}},
		{"the end of an end tag", `</p title=">"><img src=a>`, []string{"a"}},
		{"the end of an end tag", `</ <img src=a><img src=b>`, []string{"a", "b"}},
		{"the end of an end tag", `</1 <img src=a><img src=b>`, []string{"a", "b"}},
		{"the end of an end tag", `</_ <img src=a><img src=b>`, []string{"b"}},
		{"the end of an end tag", `</p<img src=a><img src=b>`, []string{"b"}},
		{"the end of an end tag", `</>x<img src=a>`, []string{"a"}},
		{"the end of an end tag", `<p>x</p`, nil},
		{"the end of an end tag", `</`, nil},
		{"the end of an end tag", `<p></p><img src=a></p><img src=b>`, []string{"a", "b"}},
		{"a longer name than script", `<script>x</script<img src=a><img src=b>`, []string{"b"}},
		{"a longer name than script", `<script>x</scripty</script><img src=b>`, nil},
		{"a longer name than script", `<script>x</scripty a="</script>"><img src=b></script><img src=c>`, []string{"c"}},
		{"a longer name than script", `<style>x</styles></style><img src=b>`, []string{"b"}},
		{"a longer name than script", `<script>x</scripty`, nil},
		{"a longer name than script", `<script>x</scripty>`, nil},
		{"a longer name than script", `<script>x</script1><img src=a></script><img src=b>`, []string{"b"}},
		{"a longer name than script", `<script>x</scripté><img src=a></script><img src=b>`, []string{"a", "b"}},
		{"a longer name than script", `<script>x</script-x><img src=a></script><img src=b>`, []string{"b"}},
		{"a longer name than script", `<script></script <img src=a><img src=b>`, []string{"b"}},
		{"the end of an end tag", `</img<img src=a>`, nil},
		{"the end of an end tag", `</.<img src=a>`, nil},
		{"the end of an end tag", `</:<img src=a>`, nil},
		{"the end of an end tag", `</-<img src=a>`, []string{"a"}},
		{"the end of an end tag", `</p/><img src=a>`, []string{"a"}},
		{"the end of an end tag", `</é<img src=a>`, []string{"a"}},

		{"after the end", `a</body></html><img src=b>`, []string{"b"}},
		{"comment", `<!-- <img src=a> --><img src=b>`, []string{"b"}},
		{"block comment", `<!-- wp:image {"x":"<img src=a>"} --><img src=b><!-- /wp:image -->`, []string{"b"}},
		{"conditional comments", `<!--[if IE]><img src=a><![endif]--><![if !IE]><img src=b><![endif]>`, []string{"b"}},
		{"comment closed wrongly", `<!-- a --!><img src=b>`, []string{"b"}},
		{"short comments do not close", `<!--><img src=a>--><img src=b><!---><img src=c>--><img src=d>`, []string{"b", "d"}},
		{"empty comment", `<!----><img src=a>`, []string{"a"}},
		{"unterminated comment", `<img src=a><!-- <img src=b>`, []string{"a"}},
		{"CDATA section", `<![CDATA[<img src=a>]]>`, []string{"a"}},
		{"PHP code ends at the first >", `<?php <img src=a> ?><img src=b><?php if (1 > 0) echo '<img src=c>' ?>`, []string{"b", "c"}},
		{"no name after <?", `<? <img src=a> ?>`, []string{"a"}},
		{"document type in the middle", `a<!doctype html><img src=a>`, []string{"a"}},

		{"script and style", `<script>"<img src=a>"</script><style><img src=b></style><img src=c>`, []string{"c"}},
		{"upper-case script", `<SCRIPT>"<img src=a>"</SCRIPT><img src=b>`, []string{"b"}},
		{"script closed in its tag", `<script/><img src=a></script>`, []string{"a"}},
		{"end tag in a script, of no open element", `<p><script>"</b><img src=a>"</script><img src=b>`, []string{"b"}},
		{"noscript later in a script", `<script>1<noscript><img src=a></noscript>`, nil},
		{"unterminated script", `<script>"<img src=a>`, nil},
		{"unterminated script tag", `<img src=a><script "<img src=b>`, []string{"a"}},

		{"unterminated tag", `<img src=a`, []string{"a"}},
		{"unterminated value", `<img src="a><img src=b>`, []string{"a><img src=b>"}},
		{"tag in a tag", `<img src=a <img src=b><img src=c>`, []string{"a", "c"}},
		{"value of another tag", `<a title="<img src=a>"><img src=b></a>`, []string{"b"}},
		{"lone < are text", `1 < 2 <> <3 <! </> <img src=a>`, []string{"a"}},

		{"UTF-8", `<img src="é">`, []string{"é"}},
	} {
		var got []string
		for _, i := range AppendImages(nil, tt.content) {
			got = append(got, i.Src)
		}
		expect.List(t, got, tt.want, tt.name, "AppendImages", tt.content)
	}
}

func TestAttachmentID(t *testing.T) {
	for _, tt := range []struct {
		name, class string
		want        int64
		full        bool
	}{
		{"no class", ``, 0, false},
		{"class", `class="alignleft wp-image-12 size-large"`, 12, false},
		{"full size needs no other file", `class="wp-image-12 size-full"`, 12, true},
		{"full size anywhere in the class", `class="wp-image-12 x-size-fully"`, 12, true},
		{"first with digits", `class="wp-image- wp-image-x wp-image-12 wp-image-13"`, 12, false},
		{"inside a word", `class="my-wp-image-12px"`, 12, false},
		{"leading zeros", `class="wp-image-0012"`, 12, false},
		{"zero", `class="wp-image-0"`, 0, false},
		{"no such number", `class="wp-image-99999999999999999999"`, 0, false},
		{"case matters", `class="WP-Image-12"`, 0, false},
		{"decoded", `class="wp&#45;image&#45;12"`, 12, false},
		{"first of two attributes", `class=a class=wp-image-12`, 0, false},
	} {
		got := AppendImages(nil, `<img src="a" `+tt.class+`>`)
		if len(got) != 1 || got[0].AttachmentID != tt.want || got[0].Full != tt.full {
			t.Errorf("%s: got %+v, want id %d, full %v", tt.name, got, tt.want, tt.full)
		}
	}
}

func TestAppendImagesDropsHugeSrc(t *testing.T) {
	got := AppendImages(nil, `<img src="`+strings.Repeat("a", MaxSrc+1)+`"><img src="`+strings.Repeat("b", MaxSrc)+`">`)
	if len(got) != 1 || got[0].Src[0] != 'b' {
		t.Errorf("got %d images, want the second only", len(got))
	}
}

// Input that would make a careless scanner go back over it for every token. Quadratic time takes minutes here.
func TestLinearTime(t *testing.T) {
	late := time.AfterFunc(2*time.Minute, func() { panic("not in linear time") })
	defer late.Stop()
	for _, unit := range []string{
		"<", "<img", "<img ", "<img>", `<img src="`, "<!--", "<!-- -", "<!doctype", "<?", "<?x", "</", "</a", "</a>", "<a>", "<p>",
		"[", "[gallery", "[gallery]", "[gallery ", "[gallery/", "[gallery a=\"", "[/gallery]", "[[gallery]] ", "a=\"", "a='b\" ", "a = ", "\u00a0",
		nextPage, "\n" + nextPage, "<!-- wp:nextpage -->",
	} {
		s := strings.Repeat(unit, 1<<19/len(unit))
		AppendImages(nil, s+"<img src=a>")
		Galleries(s + "]")
		Galleries("[gallery " + s + "]")
		Parts(s)
	}
}

func BenchmarkAppendImages(b *testing.B) {
	text := strings.Repeat("<!-- wp:paragraph -->\n<p>Lorem <strong>ipsum</strong> <a href=\"https://example.com/?b=1&amp;c=2\">dolor</a>.</p>\n<!-- /wp:paragraph -->\n"+
		"<figure><img src=\"https://example.com/a-1024x683.jpg?x=1&amp;y=2\" alt=\"Lorem\" class=\"wp-image-12\"/></figure>\n", 100)
	for name, content := range map[string]string{"with": text, "without": strings.ReplaceAll(text, "<img", "<b")} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				AppendImages(nil, content)
			}
		})
	}
}

func FuzzAppendImages(f *testing.F) {
	for _, s := range []string{
		"", "<img", `<img src="a" class="wp-image-1">`, `<p>x<script>"</p><img src=a>"</script>`, "<!-- --!><img src=&#x41;&amp>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		images := AppendImages(nil, s)
		if n := strings.Count(strings.ToLower(s), "img"); len(images) > n {
			t.Fatalf("%d images of %d tags", len(images), n)
		}
		verbatim := !strings.Contains(s, "&") && utf8.ValidString(s)
		for _, i := range images {
			if i.Src == "" || i.Src == "0" || len(i.Src) > MaxSrc || i.AttachmentID < 0 {
				t.Fatalf("impossible %+v", i)
			}
			if verbatim && !strings.Contains(s, i.Src) {
				t.Fatalf("%q is not in the content", i.Src)
			}
			if utf8.ValidString(s) && !utf8.ValidString(i.Src) {
				t.Fatalf("%q is not UTF-8", i.Src)
			}
		}
	})
}
