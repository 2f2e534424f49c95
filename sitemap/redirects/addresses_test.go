package redirects

import (
	"fmt"
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

// A path is below home if home is at its start and ends at a slash, a query or the end.
func TestBelow(t *testing.T) {
	for _, tt := range []struct {
		path, home, rest string
		ok               bool
	}{
		{"/a/", "", "/a/", true}, {"/blog/a/", "/blog", "/a/", true}, {"/Blog/a/", "/blog", "/a/", true}, {"/blog", "/blog", "/", true},
		{"/blog?a=1", "/blog", "?a=1", true}, {"/blog/", "/blog", "/", true}, {"/blogs/", "/blog", "", false}, {"/blo", "/blog", "", false},
		{"/other/blog", "/blog", "", false}, {"", "/blog", "", false},
	} {
		rest, ok := below(tt.path, tt.home)
		expect.Equal(t, fmt.Sprint(rest, ok), fmt.Sprint(tt.rest, tt.ok), tt.path, "below", tt.home)
	}
}

// An address is compared in the form in which a client sends it.
func TestNewRequest(t *testing.T) {
	for link, want := range map[string]string{
		"https://a.test":                       "a.test / /",
		"https://www.A.test:443/x/":            "a.test /x/ /x/",
		"http://a.test:80/x":                   "a.test /x /x",
		"http://a.test:8080/x":                 "a.test:8080 /x /x",
		"https://a.test/caf\u00e9 b/?x=\u00e9": "a.test /caf%C3%A9%20b/ /caf%C3%A9%20b/?x=%C3%A9",
		"https://a.test/?x=1":                  "a.test / /?x=1",
		"/x/":                                  "",
		"mailto:a@a.test":                      "",
		"https://:80":                          "",
	} {
		q, ok := newRequest(link)
		got := ""
		if ok {
			got = q.host + " " + q.path + " " + q.uri
		}
		expect.Equal(t, got, want, link)
	}
	expect.Equal(t, sent("~\x7f\xff !"), "~%7F%FF%20!")
	expect.Equal(t, keyOf("/Caf%C3%A9+Bar/ "), "caf\u00e9 bar")
	expect.Equal(t, lowerASCII("ABC xyz \u00c9 Z[@"), "abc xyz \u00c9 z[@")
}

// A target leads to the address itself if only the scheme, www., the slash at the end, the fragment or the encoding differ.
func TestLeadsTo(t *testing.T) {
	q, ok := newRequest("https://www.a.test/blog/caf%C3%A9/?x=%31")
	expect.Equal(t, ok, true)
	for target, want := range map[string]bool{
		"http://a.test/blog/caf\u00e9?x=1#part": true, " https://WWW.a.test:443/blog/caf%c3%a9/?x=1 ": true, "/caf%c3%a9/?x=1": true,
		"caf\u00e9?x=1":                  true,
		"https://a.test/blog/caf\u00e9/": false, "https://b.test/blog/caf%c3%a9/?x=1": false, "https://a.test:81/blog/caf%c3%a9/?x=1": false,
		"/other/?x=1": false, "/caf\u00e9/?x=2": false, "https://:80": false,
	} {
		expect.Equal(t, q.leadsTo(target, "/blog"), want, target)
	}
}

// No rules match nothing, and rules with patterns can be left out.
func TestNoRules(t *testing.T) {
	var none *Rules
	if _, ok := none.Match(Address{Link: "https://a.test/"}); ok || none.Patterns() != 0 || none.HasPost(1) {
		t.Error("no rules match")
	}
	two := &Rules{[]*manager{{each: []int{1, 2}}, {each: []int{0}, objects: map[object]rule{{post: 7}: {}, {term: 8}: {}}}}}
	expect.Equal(t, two.Patterns(), 3)
	expect.Equal(t, two.WithoutPatterns().Patterns(), 0)
	expect.Equal(t, two.Patterns(), 3, "the rules themselves")
	expect.Equal(t, fmt.Sprint(two.HasPost(7), two.HasPost(8), two.WithoutPatterns().HasPost(7)), "true false true")
	if _, ok := two.Match(Address{Link: "mailto:a@a.test", Post: 7}); ok {
		t.Error("an address that is no web address is redirected")
	}
}
