package php

import (
	"strconv"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestRebuildQuery(t *testing.T) {
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
		{"brackets are no numbers", "a[]=1&a[]=2&a[b]=3", "a%5B%5D=1&a%5B%5D=2&a%5Bb%5D=3"},
		{"a NUL ends the name", "a%00b=1", "a=1"},
		{"but not the value", "a=b%00c", "a=b%00c"},
	} {
		expect.Equal(t, RebuildQuery(tt.query, "&"), tt.want, tt.name, "RebuildQuery", tt.query, "=")
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
		{"empty port", "http://x.test:/", true},
		{"characters the RFC forbids", "http://x.test/\"<>\\^`{|}", true},
		{"space", "http://x.test/a b", false},
		{"control byte", "http://x.test/\x7f", false},
		{"an opening bracket alone", "http://[::1/", false},
		{"text behind the brackets", "http://[::1]x/", false},
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
		expect.Equal(t, ValidURL(tt.url), tt.want, tt.name, "ValidURL", tt.url, "=")
	}
}

// What parse_url of PHP 8.2 prints for each address, but for a host and port without slashes.
func TestParseURL(t *testing.T) {
	for url, want := range map[string]string{
		"http://a.test":              "scheme=http host=a.test",
		"http://a.test:80":           "scheme=http host=a.test port=80",
		"http://a.test:8080/x?y=1#z": "scheme=http host=a.test port=8080 path=/x query=y=1 fragment=z",
		"a.test:80":                  "scheme=a.test path=80",
		"http://a.test:80a/":         "false",
		"a.test:123456":              "scheme=a.test path=123456",
		"//a.test/x":                 "host=a.test path=/x",
		"//a.test:99":                "host=a.test port=99",
		"http://a.test:0/":           "scheme=http host=a.test path=/",
		"http://a.test:65535":        "scheme=http host=a.test port=65535",
		"http://a.test:65536":        "false",
		"http:///x":                  "false",
		"http://:80/":                "false",
		"http://x.test/a\x01b\x1fc\x7fd e?\x02#\x03": "scheme=http host=x.test path=/a_b_c_d e query=_ fragment=_",
		"http://u\x01:p\x02@h\x03.test/":             "scheme=http host=h_.test user=u_ pass=p_ path=/",
		"/\x7f":                                      "path=/_",
		"mailto:a@b.test":                            "scheme=mailto path=a@b.test",
		"http://u:p@a.test/":                         "scheme=http host=a.test user=u pass=p path=/",
		"http://u@a.test:1":                          "scheme=http host=a.test port=1 user=u",
		"http://[::1]:80/x":                          "scheme=http host=[::1] port=80 path=/x",
		"http://[::1":                                "scheme=http host=[: port=1",
		"/x?y:80":                                    "path=/x query=y:80",
		"?q#f":                                       "query=q fragment=f",
		"#f":                                         "fragment=f",
		"":                                           "",
		"http://a.test?q":                            "scheme=http host=a.test query=q",
		"http://a.test#f?x":                          "scheme=http host=a.test fragment=f?x",
		"a b://c":                                    "path=a b://c",
		"http:/x":                                    "scheme=http path=/x",
		"http:":                                      "scheme=http",
		"zlib:data/x":                                "scheme=zlib path=data/x",
		"1://x":                                      "scheme=1 host=x",
		"http://a.test:/x":                           "scheme=http host=a.test path=/x",
		"http://a@b@c/":                              "scheme=http host=c user=a@b path=/",
	} {
		u, ok := ParseURL(url)
		var got []string
		for _, part := range [][2]string{
			{"scheme", u.Scheme}, {"host", u.Host}, {"port", strconv.Itoa(u.Port)}, {"user", u.User}, {"pass", u.Pass}, {"path", u.Path}, {"query", u.Query},
			{"fragment", u.Fragment},
		} {
			if part[1] != "" && part[1] != "0" {
				got = append(got, part[0]+"="+part[1])
			}
		}
		if text := strings.Join(got, " "); ok != (want != "false") || ok && text != want {
			t.Errorf("%s: %q (%t), want %q", url, text, ok, want)
		}
	}
}
