package formatting

import (
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// What is expected was printed by PHP 8.2 and WordPress' own functions.

func TestSpecialChars(t *testing.T) {
	for _, tt := range []struct{ in, without, quotes string }{
		{"plain \xff", "plain \xff", "plain \xff"},
		{`Fish & "chips" <b>'`, `Fish &amp; "chips" &lt;b&gt;'`, "Fish &amp; &quot;chips&quot; &lt;b&gt;&#039;"},
		{"&amp; &#38; &eacute; &bogus; &apos;", "&amp; &#038; &eacute; &amp;bogus; &amp;apos;", "&amp; &#038; &eacute; &amp;bogus; &amp;apos;"},
		{"\xff<", "", ""},
	} {
		expect.Equal(t, SpecialChars(tt.in, false), tt.without, tt.in)
		expect.Equal(t, SpecialChars(tt.in, true), tt.quotes, tt.in, "with quotes")
	}
	expect.Equal(t, EscHTML("caf\xe9"), "", "of a text that is not UTF-8", "is left")
}

func TestStripShortcodes(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"alone", `a [gallery ids="1"] b`, "a  b"},
		{"unknown", "a [other] b", "a [other] b"},
		{"longer name", "a [gallery-x] [galleryx] b", "a [gallery-x] [galleryx] b"},
		{"with content", "a [caption]x [other] y[/caption] b", "a  b"},
		{"closed in itself", "a [video /] b[/video]", "a  b[/video]"},
		{"doubled brackets", "a [[gallery]] b", "a [gallery] b"},
		{"one bracket too many", "[[gallery] x [gallery]] y", "[ x ] y"},
		{"not closed", "a [gallery b", "a [gallery b"},
		{"inside of a tag", `<a title="[gallery]">x</a>`, `<a title="[gallery]">x</a>`},
		{"behind a < that no > ends", "1 < 2 [gallery]", "1 < 2 [gallery]"},
		{"around a tag", `[caption]<img alt="[x]">[/caption]z`, "z"},
		{"closed at once", "a [gallery][/gallery] b", "a  b"},
		{"closed in itself, without a space", "a [video/] b[/video]", "a  b[/video]"},
		{"at the end", "a [gallery]", "a "},
		{"a bracket at the end", "a [", "a ["},
		{"two brackets at the end", "a [[", "a [["},
		{"a name at the end", "a [gallery", "a [gallery"},
		{"doubled brackets at the end", "a [[gallery]]", "a [gallery]"},
		{"several, of which the first is closed", "[gallery]x[/gallery]y[gallery]z", "yz"},
		{"inside of a comment", "<!-- [gallery] -->[gallery]", "<!-- [gallery] -->"},
	} {
		expect.Equal(t, StripShortcodes(tt.in), tt.want, tt.name)
	}
}

func TestStripShortcodesIsLinear(t *testing.T) {
	in := strings.Repeat("[gallery]<", 100_000)
	if got := StripShortcodes(in); len(got) >= len(in) {
		t.Errorf("%d bytes are left of %d", len(got), len(in))
	}
}

// A slug holds bytes outside of ASCII as escapes in lower case.
func TestStoredSlug(t *testing.T) {
	for name, want := range map[string]string{"a-b c": "a-b c", "Über": "%c3%9cber", "\x7f\x80": "\x7f%80", "": ""} {
		expect.Equal(t, StoredSlug(name), want, name)
	}
}
