package formatting

import (
	"strings"
	"testing"

	"wpsitemapd/wp/php"
	"wpsitemapd/wp/wptest/expect"
)

// The expected values of this file were taken from WordPress' esc_url, with PHP 8.2.
func TestDisplayURL(t *testing.T) {
	for _, tt := range []struct{ name, url, want string }{
		{"plain is kept", "https://example.test/a-b/?p=1", "https://example.test/a-b/?p=1"},
		{"empty stays empty", "", ""},
		{"nothing allowed left", "\"<>", ""},
		{"white space before", " \t\nhttp://x.test/", "http://x.test/"},
		{"white space behind is encoded", "http://x.test/ ", "http://x.test/%20"},
		{"space inside", "http://x.test/a b", "http://x.test/a%20b"},
		{"tab inside is removed", "http://x.test/a\tb", "http://x.test/ab"},
		{"bytes off the list are removed", "http://x.test/a\"<b>^`{c}\\d", "http://x.test/abcd"},
		{"bytes above ASCII stay, valid or not", "http://x.test/é\xff", "http://x.test/é\xff"},
		{"ampersand", "http://x.test/?a=1&b=2", "http://x.test/?a=1&#038;b=2"},
		{"ampersand escaped before", "http://x.test/?a=1&amp;b=2&#38;c", "http://x.test/?a=1&#038;b=2&#038;c"},
		{"quote", "http://x.test/it's", "http://x.test/it&#039;s"},
		{"HTML reference stays", "http://x.test/?&nbsp;&frac12;", "http://x.test/?&nbsp;&frac12;"},
		{"unknown reference is text", "http://x.test/?&bogus;", "http://x.test/?&#038;bogus;"},
		{"reference in other case is text", "http://x.test/?&NBSP;", "http://x.test/?&#038;NBSP;"},
		{"decimal reference gets three digits", "http://x.test/?&#00065;", "http://x.test/?&#065;"},
		{"hexadecimal reference loses zeros and the capital X", "http://x.test/?&#X0041;", "http://x.test/?&#x41;"},
		{"reference to no character is text", "http://x.test/?&#0;&#xD800;", "http://x.test/?&#038;#0;&#038;#xD800;"},
		{"encoded line breaks go", "http://x.test/a%0Ab%0dc", "http://x.test/abc"},
		{"also those made by removing one", "http://x.test/a%0%0%0aadb", "http://x.test/ab"},
		{"but stay in mail addresses", "mailto:a@x.test?body=a%0Ab", "mailto:a@x.test?body=a%0Ab"},
		{"semicolon for colon", "http;//x.test/", "http://x.test/"},
		{"no scheme", "x.test/a", "http://x.test/a"},
		{"only line breaks", "%0a", "http://"},
		{"absolute path", "/a/b", "/a/b"},
		{"scheme relative", "//x.test/a", "//x.test/a"},
		{"query alone", "?a=1", "?a=1"},
		{"fragment alone", "#a", "#a"},
		{"PHP file", "index.php?a=1", "index.php?a=1"},
		{"colon later in a relative URL is taken for a scheme", "a/b:c", ""},
		{"colon behind /? is not", "a/?b:c", "a/?b:c"},
		{"scheme in lower case", "HTTPS://x.test/", "https://x.test/"},
		{"scheme not allowed", "javascript:alert(1)", ""},
		{"data", "data:image/gif;base64,R0lGOD", ""},
		{"colon reference is no colon yet", "javascript&#58;a", "http://javascript&#058;a"},
		{"but is one for the scheme", "javascript&#58;a:b", ""},
		{"allowed scheme", "tel:12345", "tel:12345"},
		{"feed of a scheme that is not allowed", "feed:javascript:alert(1)", ""},
		{"feed of nothing", "feed:", "feed:"},
		{"escapes that are no line breaks", "http://x.test/a%0@b%0`c%0Ec%0bd", "http://x.test/a%0@b%0c%0Ec%0bd"},
		{"feed within feed", "feed:feed:http://x.test/", "feed:feed:http://x.test/"},
		{"brackets in path and query", "http://x.test/[a]?b[]=1", "http://x.test/%5Ba%5D?b%5B%5D=1"},
		{"brackets of an IPv6 host stay", "http://[::1]:80/[a]", "http://[::1]:80/%5Ba%5D"},
		{"brackets of a host behind a user", "http://u@[::1]/[a]", "http://u@[::1]/%5Ba%5D"},
		{"brackets of a path", "/a[b]", "/a%5Bb%5D"},
	} {
		expect.Equal(t, DisplayURL(tt.url), tt.want, tt.name, "DisplayURL", tt.url, "=")
	}
}

func TestValidAttribute(t *testing.T) {
	for _, tt := range []struct {
		name, url string
		want      bool
	}{
		{"plain", "https://x.test/a.jpg", true},
		{"empty", "", true},
		{"ampersand is not replaced here", "https://x.test/?a=1&b=2", true},
		{"nor is a quote", "https://x.test/it's.jpg", true},
		{"raw bytes above ASCII", "https://x.test/\xffé.jpg", true},
		{"fragment", "https://x.test/a.svg#b", true},
		{"space", "https://x.test/a b.jpg", false},
		{"double quote", "https://x.test/a\".jpg", false},
		{"angle bracket", "https://x.test/<a>.jpg", false},
		{"back-slash", "https://x.test/a\\b.jpg", false},
		{"brace", "https://x.test/{a}.jpg", false},
		{"control byte", "https://x.test/a\x01.jpg", false},
		{"square bracket in the path", "https://x.test/a[1].jpg", false},
		{"encoded line break", "https://x.test/a%0A.jpg", false},
		{"scheme not allowed", "data:image/gif;base64,R0lGOD", false},
		{"scheme in capitals", "HTTPS://x.test/a.jpg", false},
		{"no scheme", "x.test/a.jpg", false},
		{"absolute path", "/a.jpg", true},
		{"PHP file", "image.php?id=1", true},
	} {
		expect.Equal(t, ValidAttribute(tt.url), tt.want, tt.name, "ValidAttribute", tt.url, "=")
	}
}

func TestPlain(t *testing.T) {
	label := strings.Repeat("a", 63)
	for _, tt := range []struct {
		name, url string
		want      bool
	}{
		{"https", "https://x.test/a/", true},
		{"http", "http://x.test/a/", true},
		{"lower-case escapes", "https://x.test/%e6%97%a5/", true},
		{"query behind the host", "https://x.test?a=1", true},
		{"host alone", "https://x.test", true},
		{"longest label", "https://" + label + ".test/", true},
		{"longest name", "https://" + strings.Repeat(label+".", 3) + label[:61] + "/a", true},
		{"one character more", "https://" + strings.Repeat(label+".", 3) + label[:62] + "/a", false},
		{"label too long", "https://" + label + "a.test/", false},
		{"name too long", "https://" + strings.Repeat("a.", 127) + "b/", false},
		{"empty label", "https://x..test/", false},
		{"hyphen first in a label", "https://x.-a.test/", false},
		{"hyphen last in a label", "https://x.a-.test/", false},
		{"no host", "https:///a", false},
		{"port", "https://x.test:80/", false},
		{"user", "https://u@x.test/", false},
		{"underscore in the host", "https://a_b.test/", false},
		{"scheme relative", "//x.test/", false},
		{"ampersand", "https://x.test/?a&b", false},
		{"fragment", "https://x.test/#a", false},
		{"encoded line feed", "https://x.test/%0A", false},
		{"percent sign without escape", "https://x.test/100%", false},
		{"percent sign with half an escape", "https://x.test/%e", false},
	} {
		expect.Equal(t, Plain(tt.url), tt.want, tt.name, "Plain", tt.url, "=")
	}
}

func FuzzURL(f *testing.F) {
	for _, s := range []string{"https://x.test/a b?é=1&c[]=2", "//[::1]:8/[", "feed:feed:&#58;", "%0%0aa", "a[[b]]=1&&=2", "&&&#0000;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, url string) {
		display, encoded := escURL(url, true), EncodeRFC3986(url)
		if strings.ContainsAny(display, "\"<> \x00\n'") {
			t.Errorf("DisplayURL(%q) = %q is not safe in an attribute", url, display)
		}
		if php.ValidURL(url) && encoded != url {
			t.Errorf("EncodeRFC3986(%q) changed a valid URL to %q", url, encoded)
		}
		if Plain(url) && (display != url || !php.ValidURL(url) || escURL(url, false) != url) {
			t.Errorf("Plain(%q), but the rules change it to %q (valid: %v)", url, display, php.ValidURL(url))
		}
	})
}

func TestPlainURLsDoNotAllocate(t *testing.T) {
	url := "https://www.example.test/2024/05/wp-content/uploads/%e6%97%a5-a_b.jpg?p=12"
	n := testing.AllocsPerRun(100, func() {
		if DisplayURL(url) != url || EncodeRFC3986(url) != url || !ValidAttribute(url) || !php.ValidURL(url) {
			t.Error("changed")
		}
	})
	expect.Equal(t, n, 0, "allocations, want 0")
}

func BenchmarkPlain(b *testing.B) {
	url := "https://www.example.test/2024/05/a-fairly-ordinary-title-of-a-post/"
	for b.Loop() {
		Plain(url)
	}
}

func BenchmarkEncodeRFC3986Valid(b *testing.B) {
	url := "https://www.example.test/2024/05/?a=1&b=an-ordinary-value"
	for b.Loop() {
		EncodeRFC3986(url)
	}
}

func TestPlainText(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"as it is", "A pier", "A pier"},
		{"white space around", " A pier\t", "A pier"},
		{"line ends", "A\r\npier", "A pier"},
		{"markup", "The <em>old</em> <a href='/x'>pier</a>", "The old pier"},
		{"references", "Fish &amp; chips &#8211; fresh&hellip;", "Fish & chips – fresh…"},
		{"a comparison", "5 < 6 > 4", "5 < 6 > 4"},
		{"a lone ampersand", "R&D", "R&D"},
		{"cut in a tag", "A <a href=", "A"},
		{"only markup", "<img src=x>", ""},
		{"nothing", "", ""},
	} {
		expect.Equal(t, PlainText(tt.in), tt.want, tt.name)
	}
}

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
