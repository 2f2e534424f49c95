package formatting

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// The expected values of this file were taken from Yoast's renderer and PHP 8.2.
func TestEncodeRFC3986(t *testing.T) {
	for _, tt := range []struct{ name, url, want string }{
		{"valid URL keeps lower-case escapes", "https://x.test/%e6%97,(a)/?b", "https://x.test/%e6%97,(a)/?b"},
		{"valid by PHP though not by the RFC", "https://x.test/a\"<b>|{}", "https://x.test/a\"<b>|{}"},
		{"space makes the whole path encoded", "https://x.test/%e6%97 ,(a)+:@/", "https://x.test/%E6%97%20%2C%28a%29%2B%3A%40/"},
		{"raw UTF-8", "https://x.test/é/日", "https://x.test/%C3%A9/%E6%97%A5"},
		{"invalid UTF-8", "https://x.test/\xff/", "https://x.test/%FF/"},
		{"encoded slash stays encoded", "https://x.test/é%2fa/", "https://x.test/%C3%A9%2Fa/"},
		{"percent sign alone", "https://x.test/100% é", "https://x.test/100%25%20%C3%A9"},
		{"underscore in the host", "https://a_b.test/%e6/,", "https://a_b.test/%E6/%2C"},
		{"host is not encoded", "https://bücher.test/ü/", "https://bücher.test/%C3%BC/"},
		{"the path's text is replaced in the host too", "https://ü.test/ü", "https://%C3%BC.test/%C3%BC"},
		{"path of one slash is left", "https://ü.test/", "https://ü.test/"},
		{"relative", "a b/c", "a%20b/c"},
		{"path 0 is empty to PHP", "0", "0"},
		{"scheme relative", "//x.test/é", "//x.test/%C3%A9"},
		{"control byte hides the path from the replacement", "https://x.test/é\x01", "https://x.test/é\x01"},
		{"fragment is left", "https://x.test/#é", "https://x.test/#é"},
		{"query", "https://x.test/?é=ü&b=c d", "https://x.test/?%C3%A9=%C3%BC&amp;b=c%20d"},
		{"query and path", "https://x.test/é?a=b+c", "https://x.test/%C3%A9?a=b%20c"},
		{"query 0 is empty to PHP", "https://ü.test/a?0", "https://ü.test/a?0"},
		{"the query's text is replaced everywhere", "https://ü.test/?t", "ht=t=ps://ü.t=est=/?t="},
		{"no URL to parse_url", "http:///é", "http:///é"},
	} {
		expect.Equal(t, EncodeRFC3986(tt.url), tt.want, tt.name, "EncodeRFC3986", tt.url, "=")
	}
}
