package listen

import (
	"strings"
	"testing"
)

func TestAddress(t *testing.T) {
	tests := []struct {
		text, network, rest string
		plain               bool
		err                 string // fragment; "": it is accepted
	}{
		{"127.0.0.1:8080", "tcp", "127.0.0.1:8080", false, ""},
		{"[::1]:0", "tcp", "[::1]:0", false, ""},
		{":80", "tcp", ":80", false, ""},
		{"plain:127.0.0.1:80", "tcp", "127.0.0.1:80", true, ""},
		{"plain::80", "tcp", ":80", true, ""},
		{"plain:80", "tcp", "plain:80", false, ""},
		{"unix:/run/w.sock", "unix", "/run/w.sock", false, ""},
		{"unix:@w", "unix", "@w", false, ""},
		{"systemd", "systemd", "", false, ""},
		{"systemd:web", "systemd", "web", false, ""},
		{"plain:systemd:web", "systemd", "web", true, ""},
		{"", "tcp", "", false, ""},
		{"localhost", "", "", false, "must be host:port"},
		{"a b:1", "", "", false, "the part before the port"},
		{":65536", "", "", false, "from 0 to 65535"},
		{":http", "", "", false, "from 0 to 65535"},
		{":00", "", "", false, "plain number"},
		{"unix:", "", "", false, "whole path"},
		{"unix:w.sock", "", "", false, "whole path"},
		{"unix:/run/", "", "", false, "whole path"},
		{"unix:/" + strings.Repeat("x", 107), "", "", false, "at most 107 bytes"},
		{"systemd:", "", "", false, "systemd:NAME"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			var a Address
			err := a.UnmarshalText([]byte(test.text))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			network, rest, plain := a.split()
			if err != nil || network != test.network || rest != test.rest || plain != test.plain {
				t.Errorf("%q %q %v, %v", network, rest, plain, err)
			}
		})
	}
}

func TestSame(t *testing.T) {
	for _, test := range []struct {
		a, b Address
		want bool
	}{
		{":80", ":80", true}, {":80", "plain::80", true}, {":80", ":81", false}, {":0", ":0", false},
		{"unix:/a", "unix:/a", true}, {"systemd", "systemd", true}, {"systemd", "systemd:a", false},
	} {
		if got := test.a.Same(test.b); got != test.want {
			t.Errorf("%s and %s: %v", test.a, test.b, got)
		}
	}
}

func TestDial(t *testing.T) {
	for _, test := range []struct {
		address       Address
		network, dial string
	}{
		{"127.0.0.1:9090", "tcp", "127.0.0.1:9090"}, {"plain::9090", "tcp", ":9090"}, {"unix:/run/w.sock", "unix", "/run/w.sock"},
		{"systemd", "", ""}, {"systemd:admin", "", ""},
	} {
		if network, dial := test.address.Dial(); network != test.network || dial != test.dial {
			t.Errorf("%s: %q %q", test.address, network, dial)
		}
	}
}

func TestLocalAddresses(t *testing.T) {
	tests := []struct {
		address, onLoopback Address
		local               bool // as it is
	}{
		{":9090", "127.0.0.1:9090", false},
		{"plain::9090", "plain:127.0.0.1:9090", false},
		{"0.0.0.0:9090", "0.0.0.0:9090", false},
		{"[::]:9090", "[::]:9090", false},
		{"127.0.0.1:9090", "127.0.0.1:9090", true},
		{"127.9.9.9:9090", "127.9.9.9:9090", true},
		{"[::1]:9090", "[::1]:9090", true},
		{"localhost:9090", "localhost:9090", true},
		{"localhost.example.com:9090", "localhost.example.com:9090", false},
		{"10.0.0.1:9090", "10.0.0.1:9090", false},
		{"unix:/run/w.sock", "unix:/run/w.sock", true},
		{"systemd:admin", "systemd:admin", true},
	}
	for _, test := range tests {
		if got := test.address.OnLoopback(); got != test.onLoopback {
			t.Errorf("%s on loopback is %s, want %s", test.address, got, test.onLoopback)
		}
		if got := test.address.Local(); got != test.local {
			t.Errorf("%s is local: %v", test.address, got)
		}
		if !test.address.OnLoopback().Local() && test.address != test.onLoopback {
			t.Errorf("%s: not on loopback", test.address)
		}
	}
}
