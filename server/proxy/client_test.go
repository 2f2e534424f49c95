package proxy

import (
	"net/http"
	"testing"
)

func TestClient(t *testing.T) {
	for _, tt := range []struct {
		name   string
		trust  []string
		remote string
		header http.Header
		want   string // "" is not known
	}{
		{"nobody in between", nil, "192.0.2.7:4711", nil, "192.0.2.7"},
		{
			"a peer that is not trusted is not believed", []string{"loopback"}, "192.0.2.7:4711",
			http.Header{"X-Forwarded-For": {"66.249.66.1"}}, "192.0.2.7",
		},
		{"a trusted one is", []string{"loopback"}, "127.0.0.1:4711", http.Header{"X-Forwarded-For": {"66.249.66.1"}}, "66.249.66.1"},
		{"an IPv4 peer by IPv6", []string{"192.0.2.7"}, "[::ffff:192.0.2.7]:4711", http.Header{"X-Forwarded-For": {"66.249.66.1"}}, "66.249.66.1"},
		{"a Unix socket", []string{"loopback"}, "@", http.Header{"X-Forwarded-For": {"66.249.66.1"}}, "66.249.66.1"},
		{"a Unix socket that is not trusted", nil, "@", http.Header{"X-Forwarded-For": {"66.249.66.1"}}, ""},
		{
			"what a client says of itself comes first and does not count", []string{"loopback"}, "127.0.0.1:1",
			http.Header{"X-Forwarded-For": {"66.249.66.1, 192.0.2.7"}}, "192.0.2.7",
		},
		{"nor in a field of its own", []string{"loopback"}, "127.0.0.1:1", http.Header{"X-Forwarded-For": {"66.249.66.1", "192.0.2.7"}}, "192.0.2.7"},
		{
			"trusted proxies in a row", []string{"loopback", "private"}, "127.0.0.1:1",
			http.Header{"X-Forwarded-For": {"1.2.3.4, 192.0.2.7, 10.0.0.1,127.0.0.1"}}, "192.0.2.7",
		},
		{"all of them our own", []string{"loopback", "private"}, "127.0.0.1:1", http.Header{"X-Forwarded-For": {"10.0.0.9, 10.0.0.1"}}, "10.0.0.9"},
		{"an address with a port", []string{"loopback"}, "127.0.0.1:1", http.Header{"X-Forwarded-For": {"192.0.2.7:99"}}, "192.0.2.7"},
		{"IPv6", []string{"loopback"}, "127.0.0.1:1", http.Header{"X-Forwarded-For": {"2001:db8::1"}}, "2001:db8::1"},
		{"IPv6 in brackets", []string{"loopback"}, "127.0.0.1:1", http.Header{"X-Forwarded-For": {"[2001:db8::1]"}}, "2001:db8::1"},
		{"IPv6 with a port", []string{"loopback"}, "127.0.0.1:1", http.Header{"X-Forwarded-For": {"[2001:db8::1]:99"}}, "2001:db8::1"},
		{"no address", []string{"loopback"}, "127.0.0.1:1", http.Header{"X-Forwarded-For": {"1.2.3.4, unknown"}}, ""},
		{"an empty list", []string{"loopback"}, "127.0.0.1:1", http.Header{"X-Forwarded-For": {""}}, ""},
		{"X-Real-IP", []string{"loopback"}, "127.0.0.1:1", http.Header{"X-Real-Ip": {"192.0.2.7"}}, "192.0.2.7"},
		{"a trusted peer that says nothing", []string{"loopback"}, "127.0.0.1:1", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := trust(t, tt.trust...).Client(&http.Request{RemoteAddr: tt.remote, Header: tt.header})
			if text := got.String(); got.IsValid() != (tt.want != "") || got.IsValid() && text != tt.want {
				t.Errorf("got %v, want %q", got, tt.want)
			}
		})
	}
}
