package urlset

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestAppendText(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"ordinary", "A title", "A title"},
		{"empty", "", ""},
		{"markup", `a <b> & "c" 'd'`, "a &lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;"},
		{"references are text", "&amp;&lt;&#65;", "&amp;amp;&amp;lt;&amp;#65;"},
		{"end of CDATA", "]]>", "]]&gt;"},
		{"beyond ASCII", "é 日本 🙂", "é 日本 🙂"},
		{"invalid UTF-8", "a\xffb\xc3", "a\uFFFDb\uFFFD"},
		{"surrogates in UTF-8", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
		{"a replacement character stays", "\uFFFD", "\uFFFD"},
		{"control characters", "a\x00\x01\x0b\x0c\x1fb", "ab"},
		{"white space", "a\tb\nc", "a\tb\nc"},
		{"carriage return survives the parser", "a\r\n", "a&#13;\n"},
		{"delete and C1 controls are characters of XML", "\x7f\u0085", "\x7f\u0085"},
		{"noncharacters", "a\uFFFEb\uFFFFc", "abc"},
		{"other noncharacters are characters of XML", "\uFDD0\U0001FFFE", "\uFDD0\U0001FFFE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(AppendText([]byte("x"), tt.in)); got != "x"+tt.want {
				t.Errorf("AppendText(%q) = %q, want %q", tt.in, got[1:], tt.want)
			}
		})
	}
}

func TestAppendEscapedKeepsReferences(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"the five of XML", "&amp;&lt;&gt;&quot;&apos;", "&amp;&lt;&gt;&quot;&apos;"},
		{"numbers", "&#65;&#x41;&#x10FFFF;", "&#65;&#x41;&#x10FFFF;"},
		{"of HTML alone", "&nbsp;&AMP;", "&amp;nbsp;&amp;AMP;"},
		{"numbers of no character", "&#0;&#xFFFE;&#x110000;&#xD800;", "&amp;#0;&amp;#xFFFE;&amp;#x110000;&amp;#xD800;"},
		{"capital X is not XML", "&#X41;", "&amp;#X41;"},
		{"not closed", "&amp &#65", "&amp;amp &amp;#65"},
		{"empty", "&;&#;&#x;&", "&amp;;&amp;#;&amp;#x;&amp;"},
		{"signs", "&#+65;&#-1;", "&amp;#+65;&amp;#-1;"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(appendEscaped(nil, tt.in, true)); got != tt.want {
				t.Errorf("%q gave %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzAppendText(f *testing.F) {
	for _, s := range []string{"a<b>&\"'", "\xff\r\n\uFFFE", "&amp;&#0;&nbsp;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		text := string(AppendText(nil, s))
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
		if got := strings.ReplaceAll(got, "\uFFFD", ""); got != want {
			t.Errorf("%q came back as %q", s, got)
		}
		kept := appendEscaped(nil, s, true)
		if err := xml.Unmarshal([]byte(`<a b="`+string(kept)+`">`+string(kept)+`</a>`), &got); err != nil || !utf8.Valid(kept) {
			t.Fatalf("%q gave %q: %v", s, kept, err)
		}
	})
}

func TestAppendDate(t *testing.T) {
	for _, tt := range []struct {
		name string
		sec  int64
		want string
	}{
		{"ordinary", 1714979289, "2024-05-06T07:08:09+00:00"},
		{"epoch", 0, "1970-01-01T00:00:00+00:00"},
		{"before the epoch", -1, "1969-12-31T23:59:59+00:00"},
		{"leap day", 1709164800, "2024-02-29T00:00:00+00:00"},
		{"first of year 1", minDate, "0001-01-01T00:00:00+00:00"},
		{"last of year 9999", maxDate, "9999-12-31T23:59:59+00:00"},
		{"year 0 has no date", minDate - 1, ""},
		{"year 10000 has no date", maxDate + 1, ""},
		{"none", NoDate, ""},
		{"as far as it goes", 1<<63 - 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := string(AppendDate(nil, tt.sec))
			if got != tt.want {
				t.Errorf("AppendDate(%d) = %q, want %q", tt.sec, got, tt.want)
			}
			if got == "" {
				return
			}
			if back, err := time.Parse(time.RFC3339, got); err != nil || back.Unix() != tt.sec {
				t.Errorf("%q is %d seconds (%v), want %d", got, back.Unix(), err, tt.sec)
			}
		})
	}
}

// The expected values were taken from date(DATE_W3C) of PHP 8.2.
func TestAppendDateIn(t *testing.T) {
	for _, tt := range []struct {
		name string
		zone *time.Location
		sec  int64
		want string
	}{
		{"UTC", time.UTC, 1719835200, "2024-07-01T12:00:00+00:00"},
		{"behind UTC, into the day before", time.FixedZone("", -14*3600), 1719835200, "2024-06-30T22:00:00-14:00"},
		{"half an hour behind UTC", time.FixedZone("", -1800), 1719835200, "2024-07-01T11:30:00-00:30"},
		{"quarters of an hour", time.FixedZone("", 5*3600+45*60), 1719835200, "2024-07-01T17:45:00+05:45"},
		{"local mean time has no seconds", time.FixedZone("", 17*60+30), 1719835200, "2024-07-01T12:17:00+00:17"},
		{"no date", time.FixedZone("", 3600), NoDate, ""},
		{"a zone that would lead beyond the year 9999", time.FixedZone("", 3600), maxDate, "9999-12-31T23:59:59+00:00"},
	} {
		if got := string(appendDateIn(nil, tt.sec, tt.zone)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
