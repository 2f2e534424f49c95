package admin

import (
	"strings"
	"testing"

	"wpsitemapd/server/config"
	"wpsitemapd/server/site"
	"wpsitemapd/wp/wptest/expect"
)

// A person may write an address as a browser shows it, as a path, or as a whole URL.
func TestSplitAddress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ address, want string }{
		{" HTTPS://A.test:8443/b/?c=d ", "https A.test:8443 a.test /b/?c=d"},
		{"http://a.test", "http a.test a.test /"},
		{"http://a.test?p=1", "http a.test a.test /?p=1"},
		{"https://user:secret@a.test/x@y/", "https a.test a.test /x@y/"},
		{"a.test/b/", " a.test a.test /b/"},
		{"localhost/b/", " localhost localhost /b/"},
		{"localhost:8080", " localhost:8080 localhost /"},
		{"/b/?c", "   /b/?c"},
		{"?p=1", "   /?p=1"},
		{"https://a.test/b/#c", "https a.test a.test /b/"},
		{"/b/#c/d", "   /b/"},
		{"ftp://a.test/", "http:// or https://"},
		{"://a.test/", "http:// or https://"},
		{"https:///b/", "it names no host"},
		{"", "begin it with a slash"},
		{"#c", "begin it with a slash"},
		{"hello", "begin it with a slash"},
		{"hello/world/", "begin it with a slash"},
	} {
		p, err := splitAddress(tt.address)
		if err != nil {
			expect.Contains(t, err.Error(), tt.want, tt.address)
			continue
		}
		expect.Equal(t, strings.Join([]string{p.scheme, p.authority, p.host, p.uri}, " "), tt.want, tt.address)
	}
}

// What an address lacks is taken from the home of a blog, and nothing else of it.
func TestCompleteAddress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ address, home, want, host string }{
		{"/b/", "https://A.test:8443/blog", "https://A.test:8443/b/", "a.test"},
		{"/b/", "http://a.test", "http://a.test/b/", "a.test"},
		{"www.a.test/b/", "https://a.test", "https://www.a.test/b/", "www.a.test"},
		{"http://www.a.test/b/#c", "https://a.test", "http://www.a.test/b/#c", "www.a.test"},
	} {
		p, err := splitAddress(tt.address)
		expect.Equal(t, err, nil, tt.address)
		p.complete(tt.home)
		expect.Equal(t, p.address(), tt.want, tt.address)
		expect.Equal(t, p.host, tt.host, tt.address)
	}
}

// An address without a host belongs to the site that is named. Without a name it belongs to the only site.
func TestMeantSite(t *testing.T) {
	t.Parallel()
	a, b := &site.Site{Config: config.Site{Name: "a"}}, &site.Site{Config: config.Site{Name: "b"}}
	for _, tt := range []struct {
		sites []*site.Site
		name  string
		want  *site.Site
	}{
		{[]*site.Site{a}, "", a}, {[]*site.Site{a, b}, "b", b}, {[]*site.Site{a, b}, "a", a},
		{[]*site.Site{a, b}, "", nil}, {[]*site.Site{a}, "b", nil}, {nil, "", nil},
	} {
		got, err := (&place{asked: "/x/"}).meant(tt.sites, tt.name)
		expect.Equal(t, got, tt.want, len(tt.sites), tt.name)
		expect.Equal(t, err != nil, tt.want == nil, len(tt.sites), tt.name)
	}
}
