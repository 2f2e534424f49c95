package front

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"wpsitemapd/wp/wptest/expect"
)

func TestAcceptsGzip(t *testing.T) {
	for _, tt := range []struct {
		rule   string
		accept []string
		want   bool
	}{
		{"no header: what everybody understands", nil, false},
		{"an empty header", []string{""}, false},
		{"gzip", []string{"gzip"}, true},
		{"gzip by its old name, in capitals", []string{"X-GZIP"}, true},
		{"brotli", []string{"br"}, false},
		{"what browsers send", []string{"gzip, deflate, br, zstd"}, true},
		{"several headers are one list", []string{"deflate", "br", "gzip"}, true},
		{"a tiny weight is enough", []string{"gzip;q=0.001"}, true},
		{"a weight of 0 is a refusal", []string{"gzip;q=0"}, false},
		{"with more digits too", []string{"gzip;q=0.000, br;q=0.0"}, false},
		{"spaces around a weight", []string{"gzip ; q=1.0 ,br ; Q=0.1"}, true},
		{"everything", []string{"*"}, true},
		{"everything but gzip", []string{"gzip;q=0, *"}, false},
		{"everything but gzip, which comes behind", []string{"*, gzip;q=0"}, false},
		{"unknown ones alone", []string{"zstd, compress"}, false},
		{"not as it is, but gzip", []string{"identity;q=0, gzip"}, true},
		{"nothing at all", []string{"*;q=0"}, false},
		{"a malformed weight is a refusal", []string{"gzip;q=much"}, false},
		{"and a negative one", []string{"gzip;q=-1"}, false},
		{"empty members are none", []string{", ,gzip,,"}, true},
	} {
		expect.Equal(t, acceptsGzip(tt.accept), tt.want, tt.rule)
	}
}

func TestNotModified(t *testing.T) {
	const at, before, after = "Fri, 02 Jan 2026 03:04:05 GMT", "Fri, 02 Jan 2026 03:04:04 GMT", "Fri, 02 Jan 2026 03:04:06 GMT"
	tests := []struct {
		rule   string
		header []string
		want   bool
	}{
		{"no condition", nil, false},
		{"If-None-Match: the tag", []string{"If-None-Match", `"a"`}, true},
		{"If-None-Match: that of another encoding", []string{"If-None-Match", `"b"`}, true},
		{"If-None-Match: a weak form", []string{"If-None-Match", `W/"a"`}, true},
		{"If-None-Match: a list", []string{"If-None-Match", `"x" , W/"y",	"a"`}, true},
		{"If-None-Match: a comma inside a tag", []string{"If-None-Match", `"x,y", "a"`}, true},
		{"If-None-Match: empty members", []string{"If-None-Match", `,, "a",`}, true},
		{"If-None-Match: any", []string{"If-None-Match", " * "}, true},
		{"If-None-Match: an asterisk in a list is no tag", []string{"If-None-Match", `"x", *`}, false},
		{"If-None-Match: without quotes", []string{"If-None-Match", "a"}, false},
		{"If-None-Match: half a quote", []string{"If-None-Match", `"a`}, false},
		{"If-None-Match: empty", []string{"If-None-Match", ""}, false},
		{"another tag beats the date", []string{"If-None-Match", `"x"`, "If-Modified-Since", after}, false},
		{"the tag beats an earlier date", []string{"If-None-Match", `"a"`, "If-Modified-Since", before}, true},
		{"If-Modified-Since: the date", []string{"If-Modified-Since", at}, true},
		{"If-Modified-Since: later", []string{"If-Modified-Since", after}, true},
		{"If-Modified-Since: in the next century", []string{"If-Modified-Since", "Fri, 02 Jan 2126 03:04:05 GMT"}, true},
		{"If-Modified-Since: earlier", []string{"If-Modified-Since", before}, false},
		{"If-Modified-Since: as in RFC 850", []string{"If-Modified-Since", "Friday, 02-Jan-26 03:04:05 GMT"}, true},
		{"If-Modified-Since: as in asctime()", []string{"If-Modified-Since", "Fri Jan  2 03:04:05 2026"}, true},
		{"If-Modified-Since: earlier, as in RFC 850", []string{"If-Modified-Since", "Friday, 02-Jan-26 03:04:04 GMT"}, false},
		{"If-Modified-Since: earlier, as in asctime()", []string{"If-Modified-Since", "Fri Jan  2 03:04:04 2026"}, false},
		{"If-Modified-Since: as in RFC 3339", []string{"If-Modified-Since", "2026-01-02T03:04:05Z"}, false},
		{"If-Modified-Since: a number", []string{"If-Modified-Since", "1767323045"}, false},
		{"If-Modified-Since: no such day", []string{"If-Modified-Since", "Fri, 32 Jan 2026 03:04:05 GMT"}, false},
		{"If-Modified-Since: empty", []string{"If-Modified-Since", ""}, false},
	}
	modified := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(999 * time.Millisecond) // header dates have whole seconds only
	for _, test := range tests {
		h := http.Header{}
		for i := 0; i+1 < len(test.header); i += 2 {
			h.Add(test.header[i], test.header[i+1])
		}
		expect.Equal(t, notModified(h, modified, []string{`"a"`, `"b"`}), test.want, test.rule)
		dated := strings.Contains(strings.Join(test.header, " "), "-Since")
		if got := notModified(h, time.Time{}, []string{`"a"`, `"b"`}); dated && len(test.header) == 2 && got {
			t.Errorf("%s, of what has no date", test.rule)
		}
	}
}
