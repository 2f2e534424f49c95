package route

import (
	"testing"

	"wpsitemapd/wp/wptest/expect"
)

func TestCutHomePath(t *testing.T) {
	for _, test := range []struct {
		rule, path, home, rest string
		ok                     bool
	}{
		{"no folder", "a/b", "", "a/b", true},
		{"a folder", "blog/a/b", "blog", "a/b", true},
		{"the folder alone", "blog", "blog", "", true},
		{"letter case does not matter", "BLoG/a", "blog", "a", true},
		{"another folder", "shop/a", "blog", "", false},
		{"a longer name is another folder", "blogs/a", "blog", "", false},
		{"a shorter name too", "blo", "blog", "", false},
		{"nothing", "", "blog", "", false},
		{"two folders", "a/b/c", "a/b", "c", true},
		{"only the first of two folders", "a", "a/b", "", false},
		{"a slash too many behind the folder", "blog//a", "blog", "a", true},
		{"encoded in the request", "caf%C3%A9/a", "café", "a", true},
		{"encoded in home", "café/a", "caf%C3%A9", "a", true},
		{"encoded with letters of another case", "caf%c3%a9/a", "caf%C3%A9", "a", true},
	} {
		rest, ok := cutHomePath(test.path, test.home)
		expect.Equal(t, rest, test.rest, test.rule, test.path, test.home)
		expect.Equal(t, ok, test.ok, test.rule, test.path, test.home)
	}
}
