package proxy

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func trust(t testing.TB, entries ...string) *Trust {
	t.Helper()
	var list Trust
	for _, e := range entries {
		if err := list.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	return &list
}

func TestTrust(t *testing.T) {
	for _, test := range []struct {
		rule, list, remote string
		address            string
		trusted            bool
	}{
		{"nobody", "", "127.0.0.1:1", "127.0.0.1", false},
		{"loopback", "loopback", "127.0.0.1:1", "127.0.0.1", true},
		{"all of its network", "loopback", "127.9.9.9:1", "127.9.9.9", true},
		{"loopback of IPv6", "loopback", "[::1]:1", "::1", true},
		{"loopback of IPv4 seen by a socket of IPv6", "loopback", "[::ffff:127.0.0.1]:1", "127.0.0.1", true},
		{"a Unix socket is of this machine", "loopback", "@", "", true},
		{"without a name, too", "loopback", "", "", true},
		{"a Unix socket without loopback", "private 10.0.0.1", "@", "", false},
		{"loopback is not private", "private", "127.0.0.1:1", "127.0.0.1", false},
		{"private", "private", "192.168.1.2:1", "192.168.1.2", true},
		{"private of IPv6", "private", "[fd00::1]:1", "fd00::1", true},
		{"private is not loopback", "loopback", "10.1.2.3:1", "10.1.2.3", false},
		{"public", "loopback private", "8.8.8.8:1", "8.8.8.8", false},
		{"an address", "8.8.8.8", "8.8.8.8:1", "8.8.8.8", true},
		{"… and no other", "8.8.8.8", "8.8.8.9:1", "8.8.8.9", false},
		{"a network", "173.245.48.0/20", "173.245.63.255:1", "173.245.63.255", true},
		{"… and nothing beside it", "173.245.48.0/20", "173.245.64.0:1", "173.245.64.0", false},
		{"a network of IPv6", "2400:cb00::/32", "[2400:cb00:1::1]:1", "2400:cb00:1::1", true},
		{"a network in IPv6 clothes", "::ffff:10.0.0.0/104", "10.1.1.1:1", "10.1.1.1", true},
		{"a zone does not matter", "fe80::1", "[fe80::1%eth0]:1", "fe80::1", true},
	} {
		t.Run(test.rule, func(t *testing.T) {
			address, trusted := trust(t, strings.Fields(test.list)...).peer(test.remote)
			if address.IsValid() != (test.address != "") || address.IsValid() && address.String() != test.address || trusted != test.trusted {
				t.Errorf("%v, %v", address, trusted)
			}
		})
	}
	for _, bad := range []string{"", "localhost", "10.0.0.1/8", "10.0.0.0/33", "fe80::1%eth0", "::ffff:0:0/90", "private ", "*"} {
		if err := new(Trust).Add(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestForwarded(t *testing.T) {
	names := []string{
		"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded", "X-Real-Ip", "X-Forwarded-Port", "X-Forwarded-Ssl",
		"X_forwarded_for", "X_real-Ip", "X_other",
	}
	said := []string{"X-Forwarded-For", "9.9.9.9", "X-Forwarded-Proto", "https", "X-Forwarded-Host",
		"www.a.test", "X-Real-Ip", "9.9.9.9", "Forwarded", "for=9.9.9.9;proto=https",
		"X-Forwarded-Port", "443", "X-Forwarded-Ssl", "on", "X_forwarded_for", "6.6.6.6", "X_real-Ip", "6.6.6.6", "X_other", "stays"}
	told := func(client, proto, host string, more ...string) map[string]string {
		all := map[string]string{"X-Forwarded-For": client, "X-Forwarded-Proto": proto, "X-Forwarded-Host": host}
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	list := trust(t, "loopback")
	for _, test := range []struct {
		rule, remote, host string
		tls                bool
		header             []string
		want               map[string]string
	}{
		{"a client is named", "8.8.8.8:1", "a.test", false, nil, told("8.8.8.8", "http", "a.test", "X-Real-Ip", "8.8.8.8")},
		{"by IPv6, over TLS, with a port", "[2001:db8::1]:1", "a.test:8443", true, nil,
			told("2001:db8::1", "https", "a.test:8443", "X-Real-Ip", "2001:db8::1")},
		{"nothing is left of what a client says of itself, in no spelling", "8.8.8.8:1", "a.test", false, said,
			told("8.8.8.8", "http", "a.test", "X-Real-Ip", "8.8.8.8", "X_other", "stays")},
		{"a front server's word is kept, and its address appended", "127.0.0.1:1", "a.test", false, said,
			told("9.9.9.9, 127.0.0.1", "https", "www.a.test", "Forwarded", "for=9.9.9.9;proto=https",
				"X-Real-Ip", "9.9.9.9", "X-Forwarded-Port", "443", "X-Forwarded-Ssl", "on", "X_other", "stays")},
		{"several fields are one list", "127.0.0.1:1", "a.test", false, []string{"X-Forwarded-For", "9.9.9.9", "X-Forwarded-For", "10.0.0.1, 10.0.0.2"},
			told("9.9.9.9, 10.0.0.1, 10.0.0.2, 127.0.0.1", "http", "a.test")},
		{"a front server that says nothing gets no Forwarded", "127.0.0.1:1", "a.test", false, nil, told("127.0.0.1", "http", "a.test")},
		{"a front server on a Unix socket has no address", "@", "a.test", false, said[:8],
			told("9.9.9.9", "https", "www.a.test", "X-Real-Ip", "9.9.9.9")},
	} {
		t.Run(test.rule, func(t *testing.T) {
			in := httptest.NewRequest("GET", "/", nil)
			in.Host, in.RemoteAddr = test.host, test.remote
			if test.tls {
				in.TLS = &tls.ConnectionState{}
			}
			for i := 0; i < len(test.header); i += 2 {
				in.Header[test.header[i]] = append(in.Header[test.header[i]], test.header[i+1])
			}
			before := in.Header.Clone()
			out := in.Header.Clone()
			list.forward(in, out)
			got := map[string]string{}
			for _, name := range names {
				if v, ok := out[name]; ok {
					got[name] = strings.Join(v, " AND ")
				}
			}
			expect.Same(t, test.want, got)
			expect.Same(t, before, in.Header, "the request itself changed")
		})
	}
}

func TestUpstream(t *testing.T) {
	longest := "unix:/" + strings.Repeat("x", 106)
	for text, want := range map[string]string{
		"":                      "",
		"http://127.0.0.1:8081": "http://127.0.0.1:8081",
		"https://php.test/":     "https://php.test",
		"unix:/run/php.sock":    "unix:/run/php.sock",
		"unix:/s":               "unix:/s",
		longest:                 longest,
	} {
		u := Upstream{url: &url.URL{Scheme: "http", Host: "before.test"}}
		if err := u.UnmarshalText([]byte(text)); err != nil || u.String() != want || (u.URL() == nil) != (text == "") ||
			u.Secure() != strings.HasPrefix(text, "https") {
			t.Errorf("%q: %v, %v", text, u, err)
		}
	}
	for _, bad := range []string{
		"127.0.0.1:8081", "ftp://x", "http://", "http://u:p@x", "http://x/path", "http://x?q", "unix:", "unix:php.sock",
		longest + "x", "unix:/", "unix:/a\x00b", "fastcgi://x",
	} {
		if err := new(Upstream).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

var _ http.Handler = (*Proxy)(nil)
