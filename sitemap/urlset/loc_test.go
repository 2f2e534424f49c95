package urlset

import (
	"encoding/xml"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// The expected values of Plugin were taken from Yoast's renderer with PHP 8.2.
func TestAppendLoc(t *testing.T) {
	for _, tt := range []struct {
		name, url, plugin string
		strict            string // "same" as plugin, "" for refused
	}{
		{"plain", "https://x.test/a/?p=1", "https://x.test/a/?p=1", "same"},
		{"lower-case escapes of slugs stay", "https://x.test/%e6%97%a5/", "https://x.test/%e6%97%a5/", "same"},
		{"ampersand", "https://x.test/?a=1&b=2", "https://x.test/?a=1&amp;b=2", "same"},
		{"ampersand escaped before", "https://x.test/?a=1&amp;b=2&#038;c=3", "https://x.test/?a=1&amp;b=2&amp;c=3", "same"},
		{"quote", "https://x.test/it's", "https://x.test/it&apos;s", "same"},
		{"port", "https://x.test:8443/a", "https://x.test:8443/a", "same"},
		{"sub-delimiters of a valid URL stay", "https://x.test/a,(b)+:@=;!$*/", "https://x.test/a,(b)+:@=;!$*/", "same"},
		{"space: path encoded anew", "https://x.test/%e6 ,(b)/", "https://x.test/%E6%20%2C%28b%29/", "same"},
		{"raw UTF-8 in the path", "https://x.test/日/", "https://x.test/%E6%97%A5/", "same"},
		{"invalid UTF-8 in the path", "https://x.test/\xff/", "https://x.test/%FF/", "same"},
		{"query encoded anew", "https://x.test/é?a=ü&b=c d", "https://x.test/%C3%A9?a=%C3%BC&amp;b=c%20d", "same"},
		{"underscore in the host counts as invalid", "https://a_b.test/%e6,/", "https://a_b.test/%E6%2C/", "same"},
		{"square brackets", "https://x.test/[a]?b[]=1", "https://x.test/%5Ba%5D?b%5B%5D=1", "same"},
		{"IPv6", "http://[::1]:8080/[a]", "http://[::1]:8080/%5Ba%5D", "same"},
		{"scheme relative becomes http", "//x.test/a b", "http://x.test/a%20b", "same"},
		{"scheme in capitals", "HTTPS://x.test/", "https://x.test/", "same"},
		{"white space around a valid URL", "https://x.test/\n", "https://x.test/", "same"},

		{"host beyond ASCII", "https://bücher.test/ü/", "https://bücher.test/%C3%BC/", "https://xn--bcher-kva.test/%C3%BC/"},
		{"host that is also the path", "https://ü.test/ü", "https://%C3%BC.test/%C3%BC", "https://xn--tda.test/%C3%BC"},
		{"host with underscore beyond ASCII", "https://a_ü.test/", "https://a_ü.test/", "https://xn--a_-yka.test/"},
		{"capitals of a host stay", "https://X.Test/", "https://X.Test/", "same"},
		{"fragment", "https://x.test/a#b", "https://x.test/a#b", "https://x.test/a"},
		{"user information", "https://user:pass@x.test/", "https://user:pass@x.test/", "https://x.test/"},
		{"empty port", "https://x.test:/", "https://x.test:/", "https://x.test/"},
		{"vertical bar", "https://x.test/a|b", "https://x.test/a|b", "https://x.test/a%7Cb"},
		{"bytes esc_url removes", "https://x.test/\"<a>^`{b}\\", "https://x.test/ab", "https://x.test/%22%3Ca%3E%5E%60%7Bb%7D%5C"},
		{"encoded line break", "https://x.test/a%0ab", "https://x.test/ab", "https://x.test/a%0ab"},
		{"percent sign without escape", "https://x.test/100%/", "https://x.test/100%/", "https://x.test/100%25/"},
		{"HTML reference that XML has not", "https://x.test/?&nbsp;", "https://x.test/?&amp;nbsp;", "same"},
		{"reference that XML has", "https://x.test/?a=&lt;", "https://x.test/?a=&lt;", "https://x.test/?a=&amp;lt;"},
		{"invalid UTF-8 in the host", "https://\xff.test/", "https://\uFFFD.test/", ""},
		{"replacement character in the host", "https://\uFFFD.test/", "https://\uFFFD.test/", ""},
		{"noncharacter in the fragment", "https://x.test/a#\uFFFE", "https://x.test/a#", "https://x.test/a"},

		{"no scheme", "x.test/a", "http://x.test/a", ""},
		{"relative", "/a/b", "/a/b", ""},
		{"empty", "", "", ""},
		{"no host", "https:///a", "https:///a", ""},
		{"other scheme", "ftp://x.test/", "ftp://x.test/", ""},
		{"scheme not allowed", "javascript:alert(1)", "", ""},
		{"port with letters", "https://x.test:80a/", "https://x.test:80a/", ""},
		{"port too high", "https://x.test:65536/", "https://x.test:65536/", ""},
		{"space in the host", "https://x y.test/", "https://x%20y.test/", ""},
		{"empty first label", "https://.test/", "https://.test/", ""},
		{"character that maps to a slash", "https://x／y.test/", "https://x／y.test/", ""},
		{"back-slash in the host", "https://x.test\\a", "https://x.testa", ""},
		{"IPv6 that is none", "http://[::g]/", "http://[::g]/", ""},
		{"IPv6 not closed", "http://[::1/", "http://[::1/", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := Plugin.AppendLoc(nil, tt.url); string(got) != tt.plugin || ok != (tt.plugin != "") {
				t.Errorf("plugin: %q gave %q, %v, want %q", tt.url, got, ok, tt.plugin)
			}
			want := tt.strict
			if want == "same" {
				want = tt.plugin
			}
			if got, ok := Strict.AppendLoc(nil, tt.url); string(got) != want || ok != (want != "") {
				t.Errorf("strict: %q gave %q, %v, want %q", tt.url, got, ok, want)
			}
		})
	}
}

func TestAppendLocRefusesLongLocs(t *testing.T) {
	for _, tt := range []struct {
		name, url      string
		strict, plugin bool
	}{
		{"2,047 characters", pad("https://x.test/", "a", 2047), true, true},
		{"2,048 characters", pad("https://x.test/", "a", 2048), false, false},
		{"2,047 characters, more when escaped for XML", pad("https://x.test/?", "&", 2047), true, true},
		{"2,048 characters with ampersands", pad("https://x.test/?", "&", 2048), false, false},
		{"short, but long when percent-encoded", "https://x.test/" + strings.Repeat("日", 300), false, false},
		{"long fragment that goes", pad("https://x.test/#", "a", 3000), true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := Strict.AppendLoc(nil, tt.url); ok != tt.strict || !ok && len(got) > 0 {
				t.Errorf("strict: %d bytes, %v, want %v", len(got), ok, tt.strict)
			}
			if got, ok := Plugin.AppendLoc(nil, tt.url); ok != tt.plugin || !ok && len(got) > 0 {
				t.Errorf("plugin: %d bytes, %v, want %v", len(got), ok, tt.plugin)
			}
		})
	}
}

func pad(s, with string, length int) string { return s + strings.Repeat(with, length-len(s)) }

func FuzzAppendLoc(f *testing.F) {
	for _, s := range awkwardLocs {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, loc string) {
		const before = "https://before.test/"
		for _, encoding := range []Encoding{Strict, Plugin} {
			out, ok := encoding.AppendLoc([]byte(before), loc)
			text, found := strings.CutPrefix(string(out), before)
			if !found || !ok && text != "" {
				t.Fatalf("%q gave %q, %v", loc, out, ok)
			}
			var decoded string
			if err := xml.Unmarshal([]byte("<loc>"+text+"</loc>"), &decoded); err != nil {
				t.Fatalf("%q gave %q: %v", loc, text, err)
			}
			if encoding == Strict && ok {
				checkStrict(t, loc, decoded)
			}
		}
	})
}

// checkStrict checks the promises of Strict with Go's own parser and the RFC's alphabet.
func checkStrict(t *testing.T, loc, out string) {
	t.Helper()
	u, err := url.Parse(out)
	if err != nil {
		t.Fatalf("%q gave %q: %v", loc, out, err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.Contains(out, "#") {
		t.Errorf("%q gave %q", loc, out)
	}
	if len(out) >= MaxLoc {
		t.Errorf("%q gave %d characters", loc, len(out))
	}
	_, rest, _ := strings.Cut(out, u.Host)
	if !rfc3986.MatchString(rest) {
		t.Fatalf("%q gave %q, which RFC 3986 does not allow", loc, out)
	}
}

// rfc3986 is a port, path and query without characters that have to be encoded.
var rfc3986 = regexp.MustCompile(`^([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$`)

// WordPress prints esc_url's result through SimpleXML. The expected values were taken from
// esc_url and SimpleXMLElement::addChild with PHP 8.2.
func TestAppendLocCore(t *testing.T) {
	for _, tt := range []struct{ name, url, want string }{
		{"plain", "https://x.test/a/?p=1", "https://x.test/a/?p=1"},
		{"lower-case escapes of slugs stay", "https://x.test/%e6%97%a5 ,(b)/", "https://x.test/%e6%97%a5%20,(b)/"},
		{"ampersand", "https://x.test/?sitemap=users&paged=1", "https://x.test/?sitemap=users&amp;paged=1"},
		{"raw UTF-8 stays", "https://x.test/日/", "https://x.test/日/"},
		{"quote", "https://x.test/it's", "https://x.test/it&apos;s"}, // ' there, which is the same
		{"bytes esc_url removes", "https://x.test/\"<a>^`{b}\\", "https://x.test/ab"},
		{"scheme not allowed", "javascript:alert(1)", ""},
		{"too long", "https://x.test/é" + strings.Repeat("a", MaxLoc), ""},
	} {
		got, ok := Core.AppendLoc(nil, tt.url)
		expect.Equal(t, string(got), tt.want, tt.name, got)
		expect.Equal(t, ok, tt.want != "", tt.name, got)
	}
}
