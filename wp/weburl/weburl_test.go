package weburl

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestHost(t *testing.T) {
	for _, tt := range []struct{ in, host, hostPort string }{
		{"Example.COM", "example.com", "example.com"},
		{"example.com:8080", "example.com", "example.com:8080"},
		{"example.com.", "example.com", "example.com"},
		{"[::1]:80", "::1", "[::1]:80"},
		{"[2001:DB8::1]", "2001:db8::1", "2001:db8::1"},
		{"Bücher.example", "xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"xn--bcher-kva.example:443", "xn--bcher-kva.example", "xn--bcher-kva.example:443"},
		{"a_b.Bücher.example", "a_b.xn--bcher-kva.example", "a_b.xn--bcher-kva.example"},
		{"www.example.test.:443", "www.example.test", "www.example.test:443"},
		{"127.0.0.1:80", "127.0.0.1", "127.0.0.1:80"},
		{"a_b.example", "a_b.example", "a_b.example"},
		{"ü_b.example", "xn--_b-wka.example", "xn--_b-wka.example"},
		{"-ü.example", "-ü.example", "-ü.example"},
		{"", "", ""},
	} {
		expect.Equal(t, Host(tt.in), tt.host, "Host", tt.in)
		expect.Equal(t, HostPort(tt.in), tt.hostPort, "HostPort", tt.in)
	}
}

func TestHostOf(t *testing.T) {
	for in, want := range map[string]string{
		"https://user:pass@Example.com:8443/path?x#y": "example.com",
		"example.com/path":                            "example.com",
		"//example.com?x":                             "", // relative to a scheme: nothing before the first slash
		"https://[::1]:80/":                           "::1",
		"":                                            "",
	} {
		expect.Equal(t, HostOf(in), want, "HostOf", in)
	}
}

func TestSplit(t *testing.T) {
	for in, want := range map[string][2]string{
		"https://Example.com/a/b/":      {"example.com", "a/b"},
		"https://example.com":           {"example.com", ""},
		"https://example.com/caf%C3%A9": {"example.com", "caf%C3%A9"},
		"://":                           {"", ""},
	} {
		if host, path := Split(in); host != want[0] || path != want[1] {
			t.Errorf("Split(%q) is %q, %q, want %q", in, host, path, want)
		}
	}
}
