package formatting

import (
	"strings"
	"testing"
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
		t.Run(tt.name, func(t *testing.T) {
			if got := EncodeRFC3986(tt.url); got != tt.want {
				t.Errorf("EncodeRFC3986(%q) = %q, want %q", tt.url, got, tt.want)
			}
		})
	}
}

func TestEncodeQuery(t *testing.T) {
	deep := "a" + strings.Repeat("[b]", maxNesting-1)
	for _, tt := range []struct{ name, query, want string }{
		{"order is kept", "b=1&a=2", "b=1&a=2"},
		{"no value gets an equals sign", "a&b=", "a=&b="},
		{"empty pieces go", "&&a=1&", "a=1"},
		{"no name", "=1", ""},
		{"value with equals sign", "a=b=c", "a=b%3Dc"},
		{"last of equal names at the first place", "a=1&b=2&a=3", "a=3&b=2"},
		{"plus is a space", "a+b=c+d", "a_b=c%20d"},
		{"dots and spaces in names", "a.b%20c=1", "a_b_c=1"},
		{"spaces before the name go", "%20%20a=1", "a=1"},
		{"dots and spaces in indexes stay", "a[b.c d]=1", "a%5Bb.c%20d%5D=1"},
		{"unreserved stay", "a=-._~", "a=-._~"},
		{"all else is encoded", "a=!*'(),:@/", "a=%21%2A%27%28%29%2C%3A%40%2F"},
		{"list", "a[]=1&a[]=2", "a%5B0%5D=1&a%5B1%5D=2"},
		{"list goes on behind a number", "a[5]=1&a[]=2", "a%5B5%5D=1&a%5B6%5D=2"},
		{"also behind a negative one", "a[-5]=1&a[]=2", "a%5B-5%5D=1&a%5B-4%5D=2"},
		{"a number with zeros is a name", "a[05]=1&a[]=2", "a%5B05%5D=1&a%5B0%5D=2"},
		{"nothing behind the highest number", "a[9223372036854775807]=1&a[]=2", "a%5B9223372036854775807%5D=1"},
		{"nested", "a[b][]=1&a[b][]=2&a[c]=3", "a%5Bb%5D%5B0%5D=1&a%5Bb%5D%5B1%5D=2&a%5Bc%5D=3"},
		{"encoded brackets are brackets", "a%5B%5D=1", "a%5B0%5D=1"},
		{"one space is no index", "a[ ]=1", "a%5B0%5D=1"},
		{"bracket not closed in the name", "a[b.c[d=1", "a_b_c_d=1"},
		{"bracket not closed behind an index", "a[b][c=1", "a%5Bb%5D=1"},
		{"text behind an index", "a[b]c=1", "a%5Bb%5D=1"},
		{"string replaces array", "a[]=1&a=2", "a=2"},
		{"array replaces string", "a=2&a[]=1", "a%5B0%5D=1"},
		{"a NUL ends the name", "a%00b=1", "a=1"},
		{"but not the value", "a=b%00c", "a=b%00c"},
		{"deepest nesting", deep + "=1&c=2", "a" + strings.Repeat("%5Bb%5D", maxNesting-1) + "=1&c=2"},
		{"deeper takes the variable away", deep + "=1&c=2&" + deep + "[b][b]=1", "c=2"},
		{"variables beyond the limit", strings.Repeat("a=1&", maxVariables) + "b=1", "a=1"},
		{"variables up to the limit", strings.Repeat("a=1&", maxVariables-1) + "b=1", "a=1&b=1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := EncodeQuery(tt.query, "&"); got != tt.want {
				t.Errorf("EncodeQuery(%q) = %q, want %q", tt.query, got, tt.want)
			}
		})
	}
}

func TestValidURL(t *testing.T) {
	label := strings.Repeat("a", 63)
	for _, tt := range []struct {
		name, url string
		want      bool
	}{
		{"ordinary", "https://x.test/a?b#c", true},
		{"scheme in capitals", "HTTPS://x.test/", true},
		{"host alone", "https://localhost", true},
		{"port", "http://x.test:8080/", true},
		{"port 0", "http://x.test:0/", true},
		{"port too high", "http://x.test:65536/", false},
		{"port too long", "http://x.test:000080/", false},
		{"port with something behind", "http://x.test:80a/", true},
		{"empty port", "http://x.test:/", true},
		{"characters the RFC forbids", "http://x.test/\"<>\\^`{|}", true},
		{"space", "http://x.test/a b", false},
		{"control byte", "http://x.test/\x7f", false},
		{"beyond ASCII", "http://x.test/é", false},
		{"empty", "", false},
		{"no scheme", "//x.test/", false},
		{"no host", "http:/a", false},
		{"empty host", "http:///a", false},
		{"underscore in the host", "http://a_b.test/", false},
		{"underscore in the host of another scheme", "ftp://a_b.test/", true},
		{"trailing dot", "http://x.test./", true},
		{"dot alone", "http://./", false},
		{"empty label", "http://a..b/", false},
		{"hyphen first", "http://-a.test/", false},
		{"hyphen last in a label", "http://a-.test/", false},
		{"hyphen last in the host", "http://a-/", false},
		{"hyphen before a trailing dot", "http://a-./", true},
		{"longest label", "http://" + label + ".test/", true},
		{"label too long", "http://" + label + "a.test/", false},
		{"longest name", "http://" + strings.Repeat("a.", 126) + "b/", true},
		{"name too long", "http://" + strings.Repeat("a.", 126) + "bc/", false},
		{"user and password", "http://u%20:p!@x.test/", true},
		{"escape of a letter in the user", "http://u%e6@x.test/", false},
		{"bracket in the user", "http://u[@x.test/", false},
		{"IPv6", "http://[2001:db8::1]:80/", true},
		{"IPv6 with IPv4", "http://[::ffff:1.2.3.4]/", true},
		{"IPv6 without compression", "http://[1:2:3:4:5:6:7:8]/", true},
		{"IPv6 too short", "http://[1:2:3:4:5:6:7]/", false},
		{"IPv6 too long", "http://[1:2:3:4:5:6:7:8:9]/", false},
		{"IPv6 compressed twice", "http://[1::2::3]/", false},
		{"IPv6 with a bad IPv4", "http://[::1.2.3.256]/", false},
		{"IPv6 with a bad user", "http://u[@[::1]/", false},
		{"mail has no host", "mailto:a@x.test", true},
		{"but not in capitals", "MAILTO:a@x.test", false},
		{"other schemes have", "tel:12345a", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ValidURL(tt.url); got != tt.want {
				t.Errorf("ValidURL(%q) = %v, want %v", tt.url, got, tt.want)
			}
		})
	}
}
