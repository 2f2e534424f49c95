package urlset

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"wpsitemapd/wp/wptest/expect"
)

func TestAppendText(t *testing.T) {
	for _, tt := range []struct {
		name     string
		keeps    bool // references
		in, want string
	}{
		{"ordinary", false, "A title", "A title"},
		{"empty", false, "", ""},
		{"markup", false, `a <b> & "c" 'd'`, "a &lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;"},
		{"references are text", false, "&amp;&lt;&#65;", "&amp;amp;&amp;lt;&amp;#65;"},
		{"end of CDATA", false, "]]>", "]]&gt;"},
		{"beyond ASCII", false, "é 日本 🙂", "é 日本 🙂"},
		{"invalid UTF-8", false, "a\xffb\xc3", "a\uFFFDb\uFFFD"},
		{"surrogates in UTF-8", false, "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
		{"a replacement character stays", false, "\uFFFD", "\uFFFD"},
		{"control characters", false, "a\x00\x01\x0b\x0c\x1fb", "ab"},
		{"white space", false, "a\tb\nc", "a\tb\nc"},
		{"carriage return survives the parser", false, "a\r\n", "a&#13;\n"},
		{"delete and C1 controls are characters of XML", false, "\x7f\u0085", "\x7f\u0085"},
		{"noncharacters", false, "a\uFFFEb\uFFFFc", "abc"},
		{"other noncharacters are characters of XML", false, "\uFDD0\U0001FFFE", "\uFDD0\U0001FFFE"},

		{"the five of XML", true, "&amp;&lt;&gt;&quot;&apos;", "&amp;&lt;&gt;&quot;&apos;"},
		{"numbers", true, "&#65;&#x41;&#x10FFFF;", "&#65;&#x41;&#x10FFFF;"},
		{"of HTML alone", true, "&nbsp;&AMP;", "&amp;nbsp;&amp;AMP;"},
		{"numbers of no character", true, "&#0;&#xFFFE;&#x110000;&#xD800;", "&amp;#0;&amp;#xFFFE;&amp;#x110000;&amp;#xD800;"},
		{"capital X is not XML", true, "&#X41;", "&amp;#X41;"},
		{"not closed", true, "&amp &#65", "&amp;amp &amp;#65"},
		{"empty", true, "&;&#;&#x;&", "&amp;;&amp;#;&amp;#x;&amp;"},
		{"signs", true, "&#+65;&#-1;", "&amp;#+65;&amp;#-1;"},
	} {
		got := string(appendEscaped([]byte("x"), tt.in, tt.keeps))
		if got != "x"+tt.want || !tt.keeps && got != string(appendText([]byte("x"), tt.in)) {
			t.Errorf("%s: %q gave %q, want %q", tt.name, tt.in, got[1:], tt.want)
		}
	}
}

func FuzzAppendText(f *testing.F) {
	for _, s := range []string{"a<b>&\"'", "\xff\r\n\uFFFE", "&amp;&#0;&nbsp;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		text := string(appendText(nil, s))
		if err := xml.Unmarshal([]byte(`<a b="`+text+`">`+text+`</a>`), &got); err != nil {
			t.Fatalf("%q gave %q: %v", s, text, err)
		}
		want := strings.Map(func(r rune) rune {
			if !isChar(uint64(r)) {
				return -1
			}
			return r
		}, strings.ToValidUTF8(s, "\x00"))
		want = strings.ReplaceAll(want, "\uFFFD", "")
		expect.Equal(t, strings.ReplaceAll(got, "\uFFFD", ""), want, s, "came back as")
		kept := appendEscaped(nil, s, true)
		if err := xml.Unmarshal([]byte(`<a b="`+string(kept)+`">`+string(kept)+`</a>`), &got); err != nil || !utf8.Valid(kept) {
			t.Fatalf("%q gave %q: %v", s, kept, err)
		}
	})
}

// The expected values with a zone were taken from date(DATE_W3C) of PHP 8.2.
func TestAppendDate(t *testing.T) {
	const noon = 1719835200
	for _, tt := range []struct {
		name string
		zone int // seconds east of UTC
		sec  int64
		want string
	}{
		{"ordinary", 0, 1714979289, "2024-05-06T07:08:09+00:00"},
		{"epoch", 0, 0, "1970-01-01T00:00:00+00:00"},
		{"before the epoch", 0, -1, "1969-12-31T23:59:59+00:00"},
		{"leap day", 0, 1709164800, "2024-02-29T00:00:00+00:00"},
		{"first of year 1", 0, minDate, "0001-01-01T00:00:00+00:00"},
		{"last of year 9999", 0, maxDate, "9999-12-31T23:59:59+00:00"},
		{"year 0 has no date", 0, minDate - 1, ""},
		{"year 10000 has no date", 0, maxDate + 1, ""},
		{"none", 0, NoDate, ""},
		{"as far as it goes", 0, 1<<63 - 1, ""},
		{"behind UTC, into the day before", -14 * 3600, noon, "2024-06-30T22:00:00-14:00"},
		{"half an hour behind UTC", -1800, noon, "2024-07-01T11:30:00-00:30"},
		{"quarters of an hour", 5*3600 + 45*60, noon, "2024-07-01T17:45:00+05:45"},
		{"local mean time has no seconds", 17*60 + 30, noon, "2024-07-01T12:17:00+00:17"},
		{"no date, in a zone", 3600, NoDate, ""},
		{"a zone that would lead beyond the year 9999", 3600, maxDate, "9999-12-31T23:59:59+00:00"},
	} {
		got := string(appendDateIn(nil, tt.sec, time.FixedZone("", tt.zone)))
		if got != tt.want || tt.zone == 0 && got != string(AppendDate(nil, tt.sec)) {
			t.Errorf("%s: %d gives %q, want %q", tt.name, tt.sec, got, tt.want)
		}
		if back, err := time.Parse(time.RFC3339, got); got != "" && (err != nil || back.Unix() != tt.sec) {
			t.Errorf("%s: %q is %d seconds (%v), want %d", tt.name, got, back.Unix(), err, tt.sec)
		}
	}
}
