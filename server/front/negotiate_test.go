package front

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"wpsitemapd/server/pages"
	"wpsitemapd/wp/wptest/expect"
)

func TestChooseCoding(t *testing.T) {
	for _, test := range []struct {
		rule   string
		accept []string
		want   string
	}{
		{"no header: what everybody understands", nil, pages.Identity},
		{"an empty header", []string{""}, pages.Identity},
		{"gzip", []string{"gzip"}, "gzip"},
		{"gzip by its old name, in capitals", []string{"X-GZIP"}, "gzip"},
		{"brotli", []string{"br"}, pages.Identity},
		{"what browsers send", []string{"gzip, deflate, br, zstd"}, "gzip"},
		{"several headers are one list", []string{"deflate", "br", "gzip"}, "gzip"},
		{"the heavier one", []string{"br;q=0.5, gzip;q=0.8"}, "gzip"},
		{"of equal weight the smaller one", []string{"gzip;q=0.5, br;q=0.5"}, "gzip"},
		{"identity is better when it says so", []string{"gzip;q=0.5, identity;q=0.8"}, pages.Identity},
		{"identity of equal weight", []string{"identity, gzip"}, "gzip"},
		{"a tiny weight is enough", []string{"gzip;q=0.001"}, "gzip"},
		{"a weight of 0 is a refusal", []string{"gzip;q=0"}, pages.Identity},
		{"with more digits too", []string{"gzip;q=0.000, br;q=0.0"}, pages.Identity},
		{"spaces around a weight", []string{"gzip ; q=1.0 ,br ; Q=0.1"}, "gzip"},
		{"everything", []string{"*"}, "gzip"},
		{"everything but brotli", []string{"*, br;q=0"}, "gzip"},
		{"everything but gzip", []string{"gzip;q=0, *"}, pages.Identity},
		{"everything, lightly", []string{"*;q=0.2"}, "gzip"},
		{"a name beats the asterisk", []string{"*;q=0.9, br;q=0.1"}, "gzip"},
		{"unknown ones alone", []string{"zstd, compress"}, pages.Identity},
		{"not as it is, but gzip", []string{"identity;q=0, gzip"}, "gzip"},
		{"not as it is, everything else", []string{"identity;q=0, *"}, "gzip"},
		{"nothing at all", []string{"*;q=0"}, pages.Identity},
		{"nothing but as it is", []string{"identity, *;q=0"}, pages.Identity},
		{"a malformed weight is a refusal", []string{"gzip;q=much"}, pages.Identity},
		{"so is one above 1", []string{"gzip;q=2"}, pages.Identity},
		{"and a negative one", []string{"gzip;q=-1"}, pages.Identity},
		{"and one that is no decimal", []string{"gzip;q=1e-1"}, pages.Identity},
		{"and another parameter", []string{"gzip;level=9"}, pages.Identity},
		{"empty members are none", []string{", ,gzip,,"}, "gzip"},
	} {
		expect.Equal(t, chooseCoding(test.accept), test.want, test.rule)
	}
}

func TestEvaluate(t *testing.T) {
	const at, before, after = "Fri, 02 Jan 2026 03:04:05 GMT", "Fri, 02 Jan 2026 03:04:04 GMT", "Fri, 02 Jan 2026 03:04:06 GMT"
	tests := []struct {
		rule   string
		header []string
		want   int
	}{
		{"no condition", nil, 200},
		{"If-Match: the tag", []string{"If-Match", `"a"`}, 200},
		{"If-Match: among others", []string{"If-Match", `"x", "a"`}, 200},
		{"If-Match: in a second header", []string{"If-Match", `"x"`, "If-Match", `"b"`}, 200},
		{"If-Match: any", []string{"If-Match", "*"}, 200},
		{"If-Match: another", []string{"If-Match", `"x"`}, 412},
		{"If-Match: a weak one is never the same", []string{"If-Match", `W/"a"`}, 412},
		{"If-Match: nothing", []string{"If-Match", ""}, 412},
		{"If-Match: no tag", []string{"If-Match", "a"}, 412},
		{"If-Match beats If-Unmodified-Since", []string{"If-Match", `"a"`, "If-Unmodified-Since", before}, 200},
		{"If-Match holds, and the client has it", []string{"If-Match", `"a"`, "If-None-Match", `"a"`}, 304},
		{"If-Match fails before all else", []string{"If-Match", `"x"`, "If-None-Match", `"a"`}, 412},
		{"If-Unmodified-Since: the date", []string{"If-Unmodified-Since", at}, 200},
		{"If-Unmodified-Since: later", []string{"If-Unmodified-Since", after}, 200},
		{"If-Unmodified-Since: earlier", []string{"If-Unmodified-Since", before}, 412},
		{"If-Unmodified-Since: no date", []string{"If-Unmodified-Since", "yesterday"}, 200},
		{"If-None-Match: the tag", []string{"If-None-Match", `"a"`}, 304},
		{"If-None-Match: that of another encoding", []string{"If-None-Match", `"b"`}, 304},
		{"If-None-Match: a weak form", []string{"If-None-Match", `W/"a"`}, 304},
		{"If-None-Match: a list", []string{"If-None-Match", `"x" , W/"y",	"a"`}, 304},
		{"If-None-Match: a comma inside a tag", []string{"If-None-Match", `"x,y", "a"`}, 304},
		{"If-None-Match: a tag inside another", []string{"If-None-Match", `"x,\"a\""`}, 200},
		{"If-None-Match: empty members", []string{"If-None-Match", `,, "a",`}, 304},
		{"If-None-Match: any", []string{"If-None-Match", " * "}, 304},
		{"If-None-Match: an asterisk in a list is no tag", []string{"If-None-Match", `"x", *`}, 200},
		{"If-None-Match: without quotes", []string{"If-None-Match", "a"}, 200},
		{"If-None-Match: half a quote", []string{"If-None-Match", `"a`}, 200},
		{"If-None-Match: a small w", []string{"If-None-Match", `w/"a"`}, 200},
		{"If-None-Match: tags without a comma", []string{"If-None-Match", `"x" "a"`}, 200},
		{"If-None-Match: empty", []string{"If-None-Match", ""}, 200},
		{"another tag beats the date", []string{"If-None-Match", `"x"`, "If-Modified-Since", after}, 200},
		{"the tag beats an earlier date", []string{"If-None-Match", `"a"`, "If-Modified-Since", before}, 304},
		{"If-Modified-Since: the date", []string{"If-Modified-Since", at}, 304},
		{"If-Modified-Since: later", []string{"If-Modified-Since", after}, 304},
		{"If-Modified-Since: in the next century", []string{"If-Modified-Since", "Fri, 02 Jan 2126 03:04:05 GMT"}, 304},
		{"If-Modified-Since: earlier", []string{"If-Modified-Since", before}, 200},
		{"If-Modified-Since: as in RFC 850", []string{"If-Modified-Since", "Friday, 02-Jan-26 03:04:05 GMT"}, 304},
		{"If-Modified-Since: as in asctime()", []string{"If-Modified-Since", "Fri Jan  2 03:04:05 2026"}, 304},
		{"If-Modified-Since: earlier, as in RFC 850", []string{"If-Modified-Since", "Friday, 02-Jan-26 03:04:04 GMT"}, 200},
		{"If-Modified-Since: earlier, as in asctime()", []string{"If-Modified-Since", "Fri Jan  2 03:04:04 2026"}, 200},
		{"If-Modified-Since: as in RFC 3339", []string{"If-Modified-Since", "2026-01-02T03:04:05Z"}, 200},
		{"If-Modified-Since: a number", []string{"If-Modified-Since", "1767323045"}, 200},
		{"If-Modified-Since: no such day", []string{"If-Modified-Since", "Fri, 32 Jan 2026 03:04:05 GMT"}, 200},
		{"If-Modified-Since: empty", []string{"If-Modified-Since", ""}, 200},
		{"If-Modified-Since: two of them", []string{"If-Modified-Since", at, "If-Modified-Since", after}, 200},
	}
	modified := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(999 * time.Millisecond) // a header has whole seconds only
	for _, test := range tests {
		h := http.Header{}
		for i := 0; i+1 < len(test.header); i += 2 {
			h.Add(test.header[i], test.header[i+1])
		}
		expect.Equal(t, evaluate(h, modified, []string{`"a"`, `"b"`}), test.want, test.rule)
		dated := strings.Contains(strings.Join(test.header, " "), "-Since")
		if got := evaluate(h, time.Time{}, []string{`"a"`, `"b"`}); dated && len(test.header) == 2 && got != 200 {
			t.Errorf("%s, of what has no date: %d, want 200", test.rule, got)
		}
	}
}

func FuzzParseTags(f *testing.F) {
	f.Add(`"a", W/"b" ,"c,d"`)
	f.Fuzz(func(t *testing.T, text string) {
		_, tags := parseTags([]string{text})
		for _, tag := range tags {
			if bare := strings.TrimPrefix(tag, "W/"); len(bare) < 2 || bare[0] != '"' || strings.Count(bare, `"`) != 2 || !strings.Contains(text, tag) {
				t.Errorf("%q is no tag of %q", tag, text)
			}
		}
		if q := weight(text); q < 0 || q > 1 {
			t.Errorf("weight %v of %q", q, text)
		}
	})
}
