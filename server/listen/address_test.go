package listen

import (
	"strings"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestAddress(t *testing.T) {
	long := "unix:/" + strings.Repeat("x", 106)
	for _, test := range []struct {
		text, network, rest string // of split
		plain               bool
		dial                string // address of Dial; "": nobody knows it
		local               bool
		onLoopback          Address // "": as it is
	}{
		{"127.0.0.1:8080", "tcp", "127.0.0.1:8080", false, "127.0.0.1:8080", true, ""},
		{"127.9.9.9:1", "tcp", "127.9.9.9:1", false, "127.9.9.9:1", true, ""},
		{"[::1]:0", "tcp", "[::1]:0", false, "[::1]:0", true, ""},
		{"localhost:9090", "tcp", "localhost:9090", false, "localhost:9090", true, ""},
		{":80", "tcp", ":80", false, ":80", false, "127.0.0.1:80"},
		{"0.0.0.0:9090", "tcp", "0.0.0.0:9090", false, "0.0.0.0:9090", false, ""},
		{"[::]:9090", "tcp", "[::]:9090", false, "[::]:9090", false, ""},
		{"localhost.example.com:9090", "tcp", "localhost.example.com:9090", false, "localhost.example.com:9090", false, ""},
		{"10.0.0.1:9090", "tcp", "10.0.0.1:9090", false, "10.0.0.1:9090", false, ""},
		{"plain:127.0.0.1:80", "tcp", "127.0.0.1:80", true, "127.0.0.1:80", true, ""},
		{"plain::80", "tcp", ":80", true, ":80", false, "plain:127.0.0.1:80"},
		{"plain:80", "tcp", "plain:80", false, "plain:80", false, ""},
		{"unix:/run/w.sock", "unix", "/run/w.sock", false, "/run/w.sock", true, ""},
		{long, "unix", long[len("unix:"):], false, long[len("unix:"):], true, ""},
		{"systemd", "systemd", "", false, "", true, ""},
		{"systemd:web", "systemd", "web", false, "", true, ""},
		{"plain:systemd:web", "systemd", "web", true, "", true, ""},
		{"", "tcp", "", false, "", false, ""},
	} {
		t.Run(test.text, func(t *testing.T) {
			var a Address
			err := a.UnmarshalText([]byte(test.text))
			network, rest, plain := a.split()
			if err != nil || network != test.network || rest != test.rest || plain != test.plain {
				t.Errorf("%q %q %v, %v", network, rest, plain, err)
			}
			if network, dial := a.Dial(); dial != test.dial || (network == "") != (test.network == "systemd") {
				t.Errorf("it is dialled at %q, %q", network, dial)
			}
			if test.onLoopback == "" {
				test.onLoopback = a
			}
			expect.Equal(t, a.OnLoopback(), test.onLoopback)
			expect.Equal(t, a.Local(), test.local)
		})
	}
	for text, want := range map[string]string{
		"localhost":   "must be host:port",
		"a b:1":       "the part before the port",
		":65536":      "from 0 to 65535",
		":http":       "from 0 to 65535",
		":00":         "without more digits",
		"unix:":       "whole path",
		"unix:w.sock": "whole path",
		"unix:/run/":  "whole path",
		long + "x":    "at most 107 bytes",
		"systemd:":    "systemd:NAME",
	} {
		if err := new(Address).UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

func TestClashes(t *testing.T) {
	for _, test := range []struct {
		a, b Address
		want bool
	}{
		{":80", ":80", true}, {":80", "plain::80", true}, {":80", ":81", false}, {":0", ":0", false},
		{":80", "127.0.0.1:80", true}, {"[::1]:80", "[::]:80", true}, {"0.0.0.0:80", "a.test:80", true}, {"0.0.0.0:80", "[::1]:80", false},
		{"127.0.0.1:80", "127.0.0.2:80", false}, {":80", "127.0.0.1:81", false},
		{"unix:/a", "unix:/a", true}, {"systemd", "systemd", true}, {"systemd", "systemd:a", false},
	} {
		expect.Equal(t, test.a.Clashes(test.b), test.want, test.a, test.b)
	}
}
